/**
 * Properties of a layout: its shape and stride, sizes, and the offset of a coordinate.
 * Paths select modes: `size(layout, 1, 0)` is the size of mode 0 of mode 1.
 */
import { LayoutError, named } from "../base/errors.ts";
import { listOf } from "../base/list-of.ts";
import { addCoords, basisCoord, isBasis, type StrideLeaf, type StrideTuple } from "./basis.ts";
import { type Coord, coords, crd2idx } from "./coord.ts";
import { formatLayout, formatTuple } from "./format.ts";
import { _0, _1, absInt, add, type Int, int, isInt, isStaticInt, mul, sub, valueOf } from "./int.ts";
import { checkLayout, isComposed, isLayout, numericOffset, onInner, rawLayout } from "./layout.ts";
import { applySwizzle, isSwizzle } from "./swizzle.ts";
import { depthOf, type IntTuple, isTuple, leaves, mapLeaves, modeAt, product, rankOf } from "./tuple.ts";
import type { CheckedRest, PathFault } from "./types/faults.ts";
import type {
  AnyLayout,
  ComposedLayout,
  DepthOf,
  IsStatic,
  Layout,
  ModeOf,
  RankOf,
  Shaped,
  ShapeOf,
  SizeOf,
  StrideOf,
} from "./types/layout-types.ts";

/** Returns the shape of a layout or tensor, or a shape itself; with a path, of the mode there. */
export function shapeOf<const T extends Shaped, const P extends readonly number[]>(
  layoutOrShape: T,
  ...path: CheckedRest<P, PathFault<"shapeOf", T, P>>
): ShapeOf<T, P>;
export function shapeOf(layoutOrShape: Shaped, ...path: number[]): IntTuple {
  return shapeAt("shapeOf", layoutOrShape, path);
}

/** Returns the shape of the mode at a path, for the function `who`. */
function shapeAt(who: string, layoutOrShape: Shaped, path: readonly number[]): IntTuple {
  if (isTuple(layoutOrShape) || isInt(layoutOrShape)) return modeAt(who, layoutOrShape, path);
  // A tensor has the shape of its layout.
  const { layout = layoutOrShape } = Object(layoutOrShape) as { layout?: AnyLayout };
  checkLayout(who, layout);
  return modeAt(who, ("inner" in layout ? layout.inner : layout).shape, path);
}

/** Returns the stride of the mode at a path. */
export function strideOf<const L extends Layout, const P extends readonly number[]>(
  layout: L,
  ...path: CheckedRest<P, PathFault<"strideOf", L, P>>
): StrideOf<L, P>;
export function strideOf(layout: Layout, ...path: number[]): StrideTuple {
  checkLayout("strideOf", layout);
  return modeAt("strideOf", layout.stride, path);
}

/** Returns the layout of the mode at a path: `modeOf(layout, 1, 0)` is mode 0 of mode 1. */
export function modeOf<const L extends AnyLayout, const P extends readonly number[]>(
  layout: L,
  ...path: CheckedRest<P, PathFault<"modeOf", L, P>>
): ModeOf<L, P>;
export function modeOf(layout: AnyLayout, ...path: number[]): AnyLayout {
  return onInner("modeOf", layout, (l) => rawLayout(shapeOf(l, ...path), strideOf(l, ...path)));
}

/** Returns the number of modes, of the whole or of the mode at a path. */
export function rank<const T extends Shaped, const P extends readonly number[]>(
  layoutOrShape: T,
  ...path: CheckedRest<P, PathFault<"rank", T, P>>
): RankOf<ShapeOf<T, P>>;
export function rank(layoutOrShape: Shaped, ...path: number[]): number {
  return rankOf(shapeAt("rank", layoutOrShape, path));
}

/** Returns the depth of nesting; 0 for an integer. */
export function depth<const T extends Shaped, const P extends readonly number[]>(
  layoutOrShape: T,
  ...path: CheckedRest<P, PathFault<"depth", T, P>>
): DepthOf<ShapeOf<T, P>>;
export function depth(layoutOrShape: Shaped, ...path: number[]): number {
  return depthOf(shapeAt("depth", layoutOrShape, path));
}

/** Returns the number of coordinates, of the whole or of the mode at a path. Use `sizeInt` for symbolic sizes. */
export function size<const T extends Shaped, const P extends readonly number[]>(
  layoutOrShape: T,
  ...path: CheckedRest<P, PathFault<"size", T, P>>
): SizeOf<ShapeOf<T, P>>;
export function size(layoutOrShape: { readonly layout: AnyLayout }): number;
export function size(layoutOrShape: Shaped | { readonly layout: AnyLayout }, ...path: number[]): number {
  return typeof layoutOrShape === "number" && path.length === 0
    ? layoutOrShape
    : valueOf(product(shapeAt("size", layoutOrShape as Shaped, path)), "size");
}

/** Returns the number of coordinates as an Int: static if every size is static. */
export const sizeInt = (layoutOrShape: Shaped, ...path: number[]): Int =>
  product(shapeAt("sizeInt", layoutOrShape, path));

/** Returns the smallest shape that holds every offset: 1 + the sum of (size - 1) * |stride|, coordinate by coordinate. */
export function coshape(layout: AnyLayout, ...path: number[]): IntTuple {
  const l = named("coshape", () => modeOf(isComposed(layout) ? layout.inner : layout, ...path));
  const sizes = leaves<Int>(l.shape);
  const strides = leaves<StrideLeaf>(l.stride);
  let last: IntTuple = _0;
  strides.forEach((d, i) => {
    const steps = sub(sizes[i], _1);
    last = addCoords(last, isBasis(d) ? absCoord(basisCoord(steps, d)) : mul(steps, absInt(d)));
  });
  return mapLeaves(last, (c) => add(c, _1));
}

const absCoord = (c: IntTuple): IntTuple => mapLeaves(c, absInt);

/** Returns the size of the coshape: one more than the largest offset if no stride is negative. */
export function cosize(layout: AnyLayout, ...path: number[]): number {
  return named("cosize", () => valueOf(cosizeInt(layout, ...path), "cosize"));
}

export function cosizeInt(layout: AnyLayout, ...path: number[]): Int {
  const inner = named("cosizeInt", () => product(coshape(layout, ...path)));
  if (!isComposed(layout)) return inner;
  // The outer function may move offsets past the cosize of the inner layout.
  const largest = offsets(modeOf(layout, ...path)).reduce((a, b) => Math.max(a, b), 0);
  return isStatic(layout) ? int(largest + 1) : largest + 1;
}

/** Returns the profile of the codomain, as zeros: `_0` for integer strides, `(_0,_0)` for an identity of rank 2. */
export function coprofile(layout: Layout): IntTuple {
  let total: IntTuple = _0;
  checkLayout("coprofile", layout);
  for (const d of leaves<StrideLeaf>(layout.stride)) total = addCoords(total, isBasis(d) ? basisCoord(_1, d) : _0);
  return mapLeaves(total, () => _0);
}

/**
 * Returns the offset of a coordinate: an integer (colexicographic index), one integer per mode, or nested as the shape.
 * Use `coordAt` for layouts with coordinate strides and `crd2idx` for symbolic ones.
 */
export function offsetAt(layout: AnyLayout, coord: Coord): number {
  if ((layout as Layout | null)?.shape === undefined) return composedOffsetAt(layout as ComposedLayout, coord);
  const fast = numericOffset(layout as Layout, coord);
  // Past 2^53, or with a fraction or a symbol inside, crd2idx decides, which checks each step.
  return Number.isSafeInteger(fast) ? fast + 0 : checkedOffsetAt(layout as Layout, coord);
}

function checkedOffsetAt({ shape, stride }: Layout, coord: Coord): number {
  const slow = named("offsetAt", () => crd2idx(coord, shape, stride));
  if (isTuple(slow)) throw new LayoutError(`offsetAt: ${formatTuple(stride)} maps to coordinates. Use coordAt`);
  return valueOf(slow, "offsetAt");
}

function composedOffsetAt(layout: ComposedLayout, coord: Coord): number {
  checkLayout("offsetAt", layout);
  const { outer, offset, inner } = layout;
  const inside = valueOf(offset, "offsetAt") + offsetAt(inner, coord);
  return isSwizzle(outer) ? applySwizzle(outer, inside) : offsetAt(outer, inside);
}

/** Returns the coordinate that a layout with basis strides maps a coordinate to. */
export function coordAt(layout: Layout, coord: Coord): IntTuple {
  checkLayout("coordAt", layout);
  return named("coordAt", () => addCoords(coprofile(layout), crd2idx(coord, layout.shape, layout.stride)));
}

/** Yields the coordinates of a layout's domain in colexicographic order. */
export const domain = (layoutOrShape: Shaped): Generator<Coord> => coords(shapeAt("domain", layoutOrShape, []));

/** Returns every offset, in colexicographic order of the coordinates. */
export function offsets(layout: AnyLayout): number[] {
  checkLayout("offsets", layout);
  return named("offsets", () => listOf(size(layout), (i) => offsetAt(layout, i)));
}

/** True if and only if every integer of the layout, tuple or integer is static. */
export function isStatic<const T extends Shaped | StrideTuple>(layoutOrShape: T): IsStatic<T>;
export function isStatic(layoutOrShape: Shaped | StrideTuple): boolean {
  if (isLayout(layoutOrShape)) return areStatic(layoutOrShape.shape) && areStatic(layoutOrShape.stride);
  if (isComposed(layoutOrShape))
    return (
      isStaticInt(layoutOrShape.offset) &&
      isStatic(layoutOrShape.inner) &&
      (isSwizzle(layoutOrShape.outer) || isStatic(layoutOrShape.outer))
    );
  return areStatic(layoutOrShape);
}

const areStatic = (t: StrideTuple): boolean =>
  leaves<StrideLeaf>(t).every((leaf) => isStaticInt(leaf) || (isBasis(leaf) && isStaticInt(leaf.value)));

/** True if and only if the two have the same nesting and equal integers; static 4 equals dynamic 4. */
export const equalLayouts = (a: Layout, b: Layout): boolean =>
  named("equalLayouts", () => withoutStaticPrefix(a) === withoutStaticPrefix(b));
const withoutStaticPrefix = (layout: Layout): string => formatLayout(layout).replace(/_(?=-?\d)/g, "");
