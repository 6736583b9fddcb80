/**
 * CuTe's functions on the modes of a tensor: coalesce, filter, flatten, groupModes, recast and domainOffset. For a tensor, each returns a
 * view with the transformed layout; for a layout, a layout. Nothing is copied.
 *
 * Composition and the divides of tensors and layouts: for a layout they return a layout, for a tensor a tensor over the same engine.
 * Nothing is copied or checked. If sizes do not divide, a tile reaches past the tensor, as in CuTe; predicates (`copyIf`) exclude the
 * elements outside.
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
const onLayout = (source: Tensor | AnyLayout, f: (layout: AnyLayout) => AnyLayout): Tensor | AnyLayout =>
  source instanceof Tensor ? withLayout(source, f(source.layout)) : f(source);

/** Returns the same elements in as few modes as possible, at the leaves of `profile` if passed. */
export function coalesce<D extends DType, P extends Space>(tensor: Of<D, P>, profile?: IntTuple): Of<D, P>;
export function coalesce(layout: Layout, profile?: IntTuple): Layout;
export function coalesce(layout: AnyLayout, profile?: IntTuple): AnyLayout;
export function coalesce(source: Tensor | AnyLayout, profile?: IntTuple): Tensor | AnyLayout {
  return onLayout(source, (layout) => coalesceLayout(layout, profile));
}

/** Returns the elements without repetitions: no mode of stride 0 or size 1 is left. */
export function filter<D extends DType, P extends Space>(tensor: Of<D, P>, profile?: IntTuple): Of<D, P>;
export function filter(layout: Layout, profile?: IntTuple): Layout;
export function filter(layout: AnyLayout, profile?: IntTuple): AnyLayout;
export function filter(source: Tensor | AnyLayout, profile?: IntTuple): Tensor | AnyLayout {
  return onLayout(source, (layout) => filterLayout(layout, profile));
}

/** Flattens nested modes. */
export function flatten<D extends DType, P extends Space>(tensor: Of<D, P>): Of<D, P>;
export function flatten<L extends AnyLayout>(layout: L): AnyLayout;
export function flatten(source: Tensor | AnyLayout): Tensor | AnyLayout {
  return onLayout(source, (layout) => flattenLayout(layout));
}

/** Groups modes begin to end (exclusive) into one nested mode. */
export function groupModes<D extends DType, P extends Space>(tensor: Of<D, P>, begin: number, end: number): Of<D, P>;
export function groupModes<L extends AnyLayout>(layout: L, begin: number, end: number): AnyLayout;
export function groupModes(source: Tensor | AnyLayout, begin: number, end: number): Tensor | AnyLayout {
  return onLayout(source, (layout) => group(layout, begin as never, end));
}

/** Views the same memory as elements of a different dtype: modes of adjacent elements shrink or grow, as in `recastLayout`. */
export function recast<E extends DType, P extends Space>(tensor: Tensor<Shape, DType, P>, dtype: E): Of<E, P> {
  if (!(tensor instanceof Tensor))
    throw new LayoutError(
      `recast: needs a tensor and a dtype. For a layout use recastLayout(layout, fromBits, toBits)`,
    );
  const [from, to] = [dtypes[tensor.dtype].itemsize, dtypes[checkDType("recast", dtype)].itemsize];
  const start = (tensor.start * from) / to;
  if (!Number.isInteger(start) || storageOf(tensor, "recast").address % to !== 0)
    throw new LayoutError(`recast: element 0 must start at a multiple of ${to} bytes for ${dtype}`);
  const layout = recastLayout(tensor.layout, 8 * from, 8 * to);
  const view = heldView(tensor, layout, start);
  view.type = dtype;
  return view as Of<E, P>;
}

/** Moves element 0 of a tensor or layout to a coordinate; the shape stays. For a layout, returns the layout and the offset. */
export function domainOffset<D extends DType, P extends Space>(coord: Coord, tensor: Of<D, P>): Of<D, P>;
export function domainOffset(coord: Coord, layout: AnyLayout): readonly [layout: AnyLayout, offset: IntTuple];
export function domainOffset(
  coord: Coord,
  source: Tensor | AnyLayout,
): Tensor | readonly [layout: AnyLayout, offset: IntTuple] {
  const layout = source instanceof Tensor ? source.layout : source;
  checkLayout("domainOffset", layout);
  const inner = isComposed(layout) ? layout.inner : layout;
  const offset = crd2idx(coord, inner.shape, inner.stride);
  // The offset is added before the swizzle is applied.
  const [moved, start]: readonly [AnyLayout, IntTuple] = isComposed(layout)
    ? [makeComposedLayout(layout.outer, add(layout.offset, offset as Int), inner), 0]
    : [layout, offset];
  return source instanceof Tensor ? moveTo(source, moved, start) : [moved, start];
}

/** Returns a view of a tensor with a different layout. */
export function withLayout<D extends DType, P extends Space>(
  t: Tensor<Shape, D, P>,
  layout: AnyLayout,
): Tensor<Shape, D, P> {
  return heldView(t, layout, t.start) as Tensor<Shape, D, P>;
}

/** Composes a tensor or layout with a tiler. */
export function composition<D extends DType, P extends Space>(
  tensor: Tensor<Shape, D, P>,
  tiler: Tiler | AnyLayout | Swizzle,
): Tensor<Shape, D, P>;
export function composition(a: Layout, b: Tiler): Layout;
export function composition(a: AnyLayout | Swizzle, b: Tiler | AnyLayout | Swizzle): AnyLayout;
export function composition(a: Tensor | AnyLayout | Swizzle, b: Tiler | AnyLayout | Swizzle): Tensor | AnyLayout {
  return a instanceof Tensor ? withLayout(a, composeLayouts(a.layout, b)) : composeLayouts(a, b);
}

/** A divide of tensors and layouts. */
export interface Divide<Divided extends Layout = Layout, S extends Shape = Shape> {
  <D extends DType, P extends Space>(tensor: Tensor<Shape, D, P>, tiler: Tiler): Tensor<S, D, P>;
  (layout: Layout, tiler: Tiler): Divided;
  (layout: AnyLayout, tiler: Tiler): AnyLayout;
}

/** Lifts a divide of layouts to tensors. Its type is assignable to each of the divides below. */
const alsoOfTensors = (divide: (layout: AnyLayout, tiler: Tiler) => AnyLayout) =>
  ((source: Tensor | AnyLayout, tiler: Tiler) =>
    source instanceof Tensor ? withLayout(source, divide(source.layout, tiler)) : divide(source, tiler)) as Divide<
    never,
    never
  >;

/** Divides by a tiler, mode by mode if it is an array; modes past the tiler stay unchanged. */
export const logicalDivide: Divide = /* @__PURE__ */ alsoOfTensors(divides.logicalDivide);
/** Divides into ((tiles),(rests)): coordinate (i, j) is element i of tile j. */
export const zippedDivide: Divide<TwoModes, [number, number]> = /* @__PURE__ */ alsoOfTensors(divides.zippedDivide);
/** Divides into ((tiles),rest,rest,...). */
export const tiledDivide: Divide = /* @__PURE__ */ alsoOfTensors(divides.tiledDivide);
/** Divides into (tile,tile,...,rest,rest,...). */
export const flatDivide: Divide = /* @__PURE__ */ alsoOfTensors(divides.flatDivide);
