/**
 * Parts of tensors whose offsets are coordinates: one index of an axis, or a range of it. The layout keeps its coordinates as strides,
 * and the engine moves on by a coordinate instead of a number.
 */
import { composition } from "../../layout/algebra/composition.ts";
import { isBasis, type ScaledBasis, scale } from "../../layout/basis.ts";
import { crd2idx } from "../../layout/coord.ts";
import { joinModes, type Layout, makeLayout, modesOf, rawLayout } from "../../layout/layout.ts";
import { isTuple } from "../../layout/tuple.ts";
import type { Engine } from "../engine.ts";
import { advancedView, computedEngine, heldView, type Tensor } from "../tensor.ts";

/** The elements with index `index` on one axis, which disappears. */
export function selectCoords(t: Tensor, axis: number, index: number): Tensor {
  const modes = modesOf(t.layout as Layout);
  const [fixed] = modes.splice(axis, 1) as [Layout];
  return movedOn(t, joinModes(modes), fixed, index);
}

/** One axis cut to `size` elements from its element `first` on, `step` apart. */
export function cutCoords(t: Tensor, axis: number, first: number, size: number, step: number): Tensor {
  const modes = modesOf(t.layout as Layout);
  const mode = modes[axis] as Layout;
  modes[axis] = isBasis(mode.stride)
    ? rawLayout(size, scale(step, mode.stride as ScaledBasis))
    : composition(mode, makeLayout(size, step));
  return movedOn(t, joinModes(modes), mode, first);
}

/** The view with this layout whose element 0 is where `mode` has index `index`. */
function movedOn(t: Tensor, layout: Layout, mode: Layout, index: number): Tensor {
  const offset = crd2idx(index, mode.shape, mode.stride);
  const engine = computedEngine(t, "view") as Engine;
  return isTuple(offset) ? advancedView(t, layout, engine.advance(offset)) : heldView(t, layout, t.start);
}
