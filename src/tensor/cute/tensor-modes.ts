/**
 * CuTe's functions on the modes of a tensor: coalesce, filter, flatten, groupModes, recast and domainOffset. Each gives a view of the same
 * memory under the layout that the function of that name gives; a layout gives a layout. Nothing is copied.
 *
 * Composition and the divides on tensors and layouts alike: a layout gives a layout, a tensor a tensor over the same engine.
 * Nothing is copied and nothing checked: where sizes do not divide, a tile reaches past the tensor, as in CuTe, and predicates
 * (`copyIf`) keep it inside.
 */
import { LayoutError } from "../../base/errors.ts";
import { coalesce as coalesceLayout, filter as filterLayout } from "../../layout/algebra/coalesce.ts";
import { composition as composeLayouts } from "../../layout/algebra/composition.ts";
import * as divides from "../../layout/algebra/divide.ts";
import { recastLayout } from "../../layout/algebra/recast.ts";
import { type Coord, crd2idx } from "../../layout/coord.ts";
import { add, type Int } from "../../layout/int.ts";
import {
  type AnyLayout,
  checkLayout,
  isComposed,
  type Layout,
  makeComposedLayout,
  type Tiler,
} from "../../layout/layout.ts";
import { flatten as flattenLayout, group } from "../../layout/modes.ts";
import type { Swizzle } from "../../layout/swizzle.ts";
import type { IntTuple } from "../../layout/tuple.ts";
import type { TwoModes } from "../../layout/types/layout-types.ts";
import { checkDType, type DType, dtypes } from "../../storage/dtype.ts";
import { moveTo } from "../access/indexing.ts";
import type { Space } from "../identity.ts";
import { heldView, storageOf, Tensor } from "../tensor.ts";
import type { Shape } from "../types/types.ts";

type Of<D extends DType, P extends Space> = Tensor<Shape, D, P>;

/** Applies a function of layouts to a layout, or to the layout of a tensor. */
const onLayout = (of: Tensor | AnyLayout, f: (layout: AnyLayout) => AnyLayout): Tensor | AnyLayout =>
  of instanceof Tensor ? withLayout(of, f(of.layout)) : f(of);

/** The same elements in as few modes as possible, at the leaves of `profile` if one is given. */
export function coalesce<D extends DType, P extends Space>(tensor: Of<D, P>, profile?: IntTuple): Of<D, P>;
export function coalesce(layout: Layout, profile?: IntTuple): Layout;
export function coalesce(layout: AnyLayout, profile?: IntTuple): AnyLayout;
export function coalesce(of: Tensor | AnyLayout, profile?: IntTuple): Tensor | AnyLayout {
  return onLayout(of, (layout) => coalesceLayout(layout, profile));
}

/** The elements without repetitions: no mode of stride 0 or size 1 is left. */
export function filter<D extends DType, P extends Space>(tensor: Of<D, P>, profile?: IntTuple): Of<D, P>;
export function filter(layout: Layout, profile?: IntTuple): Layout;
export function filter(layout: AnyLayout, profile?: IntTuple): AnyLayout;
export function filter(of: Tensor | AnyLayout, profile?: IntTuple): Tensor | AnyLayout {
  return onLayout(of, (layout) => filterLayout(layout, profile));
}

/** All modes side by side, none nested. */
export function flatten<D extends DType, P extends Space>(tensor: Of<D, P>): Of<D, P>;
export function flatten<L extends AnyLayout>(layout: L): AnyLayout;
export function flatten(of: Tensor | AnyLayout): Tensor | AnyLayout {
  return onLayout(of, (layout) => flattenLayout(layout));
}

/** Modes begin to end (exclusive) as one nested mode. */
export function groupModes<D extends DType, P extends Space>(tensor: Of<D, P>, begin: number, end: number): Of<D, P>;
export function groupModes<L extends AnyLayout>(layout: L, begin: number, end: number): AnyLayout;
export function groupModes(of: Tensor | AnyLayout, begin: number, end: number): Tensor | AnyLayout {
  return onLayout(of, (layout) => group(layout, begin as never, end));
}

/** The same memory as elements of another dtype: modes of adjacent elements shrink or grow, as in `recastLayout`. */
export function recast<E extends DType, P extends Space>(tensor: Tensor<Shape, DType, P>, dtype: E): Of<E, P> {
  if (!(tensor instanceof Tensor))
    throw new LayoutError(
      `recast: needs a tensor and a dtype. Of a layout take recastLayout(layout, fromBits, toBits)`,
    );
  const [from, to] = [dtypes[tensor.dtype].itemsize, dtypes[checkDType("recast", dtype)].itemsize];
  const start = (tensor.start * from) / to;
  if (!Number.isInteger(start) || storageOf(tensor, "recast").address % to !== 0)
    throw new LayoutError(`recast: element 0 does not start at a multiple of ${to} bytes, which ${dtype} needs`);
  const layout = recastLayout(tensor.layout, 8 * from, 8 * to);
  const view = heldView(tensor, layout, start);
  view.type = dtype;
  return view as Of<E, P>;
}

/** The tensor (or layout) with its element 0 moved to a coordinate; the shape stays. Of a layout also the offset, as a partition has it. */
export function domainOffset<D extends DType, P extends Space>(coord: Coord, tensor: Of<D, P>): Of<D, P>;
export function domainOffset(coord: Coord, layout: AnyLayout): readonly [layout: AnyLayout, offset: IntTuple];
export function domainOffset(
  coord: Coord,
  of: Tensor | AnyLayout,
): Tensor | readonly [layout: AnyLayout, offset: IntTuple] {
  const layout = of instanceof Tensor ? of.layout : of;
  checkLayout("domainOffset", layout);
  const inner = isComposed(layout) ? layout.inner : layout;
  const offset = crd2idx(coord, inner.shape, inner.stride);
  // Inside a swizzle the offset counts before it is applied.
  const [moved, start]: readonly [AnyLayout, IntTuple] = isComposed(layout)
    ? [makeComposedLayout(layout.outer, add(layout.offset, offset as Int), inner), 0]
    : [layout, offset];
  return of instanceof Tensor ? moveTo(of, moved, start) : [moved, start];
}

/** A tensor under another layout of the same offsets. */
export function withLayout<D extends DType, P extends Space>(
  t: Tensor<Shape, D, P>,
  layout: AnyLayout,
): Tensor<Shape, D, P> {
  return heldView(t, layout, t.start) as Tensor<Shape, D, P>;
}

/** A tensor read through a tiler; a layout composed with one. */
export function composition<D extends DType, P extends Space>(
  tensor: Tensor<Shape, D, P>,
  tiler: Tiler | AnyLayout | Swizzle,
): Tensor<Shape, D, P>;
export function composition(a: Layout, b: Tiler): Layout;
export function composition(a: AnyLayout | Swizzle, b: Tiler | AnyLayout | Swizzle): AnyLayout;
export function composition(a: Tensor | AnyLayout | Swizzle, b: Tiler | AnyLayout | Swizzle): Tensor | AnyLayout {
  return a instanceof Tensor ? withLayout(a, composeLayouts(a.layout, b)) : composeLayouts(a, b);
}

/** A divide of tensors and layouts: each gives its own kind. */
/** A divide of a layout, or of a tensor by its layout. */
export interface Divide<Divided extends Layout = Layout, S extends Shape = Shape> {
  <D extends DType, P extends Space>(tensor: Tensor<Shape, D, P>, tiler: Tiler): Tensor<S, D, P>;
  (layout: Layout, tiler: Tiler): Divided;
  (layout: AnyLayout, tiler: Tiler): AnyLayout;
}

/** A divide of layouts that takes tensors too. Its type promises nothing, so that it can stand for each of the divides below. */
const alsoOfTensors = (divide: (layout: AnyLayout, tiler: Tiler) => AnyLayout) =>
  ((of: Tensor | AnyLayout, tiler: Tiler) =>
    of instanceof Tensor ? withLayout(of, divide(of.layout, tiler)) : divide(of, tiler)) as Divide<never, never>;

/** Divided by a tiler, mode by mode if it is an array; modes past the tiler stay as they are. */
export const logicalDivide: Divide = /* @__PURE__ */ alsoOfTensors(divides.logicalDivide);
/** ((tiles),(rests)): coordinate (i, j) is element i of tile j. */
export const zippedDivide: Divide<TwoModes, [number, number]> = /* @__PURE__ */ alsoOfTensors(divides.zippedDivide);
/** ((tiles),rest,rest,...) */
export const tiledDivide: Divide = /* @__PURE__ */ alsoOfTensors(divides.tiledDivide);
/** (tile,tile,...,rest,rest,...) */
export const flatDivide: Divide = /* @__PURE__ */ alsoOfTensors(divides.flatDivide);
