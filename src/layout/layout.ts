/**
 * Layout: a shape and a stride of the same nesting, read as the function
 * coordinate -> sum over the leaves of coordinate * stride.
 * Plain readonly data; `offsetAt` evaluates it. A ComposedLayout is `outer(offset + inner(coordinate))`.
 */
import { LayoutError, ShapeError } from "../base/errors.ts";
import { addCoords, basisCoord, basisLike, isBasis, type StrideLeaf, type StrideTuple } from "./basis.ts";
import { compactColMajor, compactOrder, compactRowMajor } from "./compact.ts";
import { type Coord, coords, crd2idx, hasUnderscore, numericOffset, numericOffsetAt } from "./coord.ts";
import type { Checked, CheckedRest, NestingFault, PathFault } from "./faults.ts";
import { formatLayout, formatTuple } from "./format.ts";
import { absInt, add, type Int, int, isInt, isStaticInt, isZero, knownValue, mul, sub, valueOf } from "./int.ts";
import { applySwizzle, isSwizzle, type Swizzle } from "./swizzle.ts";
import {
  depthOf,
  type IntTuple,
  isTuple,
  leaves,
  mapLeaves,
  modeAt,
  type Nested,
  product,
  rankOf,
  wrap,
} from "./tuple.ts";
import type {
  AnyLayout,
  ComposedLayout,
  Concatenated,
  DepthOf,
  IsStatic,
  Layout,
  ModeOf,
  RankOf,
  Shaped,
  ShapeOf,
  SizeOf,
  StrideFor,
  StrideOf,
} from "./types.ts";

export type { AnyLayout, ComposedLayout, Layout, Shaped };

/** Prints itself in the notation, in consoles too. */
class Printed {
  toString(): string {
    return formatLayout(this);
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return formatLayout(this);
  }
}

class LayoutData<S extends IntTuple, D extends StrideTuple> extends Printed implements Layout<S, D> {
  readonly shape: S;
  readonly stride: D;
  /** Sizes and strides of the leaves as plain numbers, made when first asked for; null if a leaf is no number. */
  #numbers: readonly number[] | null | undefined;
  constructor(shape: S, stride: D) {
    super();
    this.shape = shape;
    this.stride = stride;
  }
  /** The offset of an index, or NaN if the layout is not all numbers. */
  static offset(layout: Layout, index: number): number {
    if (!(#numbers in layout)) return numericOffset(layout.shape, layout.stride, index);
    if (layout.#numbers === undefined) layout.#numbers = leafNumbers(layout);
    const numbers = layout.#numbers;
    if (numbers === null) return Number.NaN;
    const last = numbers.length - 2;
    let rest = index;
    let offset = 0;
    for (let i = 0; i < last; i += 2) {
      const size = numbers[i] as number;
      const digit = rest % size;
      offset += digit * (numbers[i + 1] as number);
      rest = (rest - digit) / size;
    }
    return last < 0 ? 0 : offset + rest * (numbers[last + 1] as number);
  }
}

class ComposedData extends Printed implements ComposedLayout {
  readonly outer: Swizzle | Layout;
  readonly offset: Int;
  readonly inner: Layout;
  constructor(outer: Swizzle | Layout, offset: Int, inner: Layout) {
    super();
    this.outer = outer;
    this.offset = offset;
    this.inner = inner;
  }
}

/** size, stride, size, stride, ... of the leaves; null if one of them is no number. */
function leafNumbers(layout: Layout): number[] | null {
  const strides = leaves<StrideLeaf>(layout.stride as Nested<StrideLeaf>);
  const result: number[] = [];
  for (const [i, size] of leaves<Int>(layout.shape as Nested<Int>).entries()) {
    const stride = strides[i] as StrideLeaf;
    const [s, d] = [knownValue(size), isBasis(stride) ? undefined : knownValue(stride)];
    if (s === undefined || d === undefined) return null;
    result.push(s, d);
  }
  return result;
}

export function isLayout(value: unknown): value is Layout {
  return typeof value === "object" && value !== null && "shape" in value && "stride" in value;
}

export function isComposed(value: unknown): value is ComposedLayout {
  return typeof value === "object" && value !== null && "outer" in value && "inner" in value;
}

/** Column-major: the leftmost mode has stride 1. */
export const LayoutLeft = "left";
/** Row-major: the rightmost mode has stride 1. */
export const LayoutRight = "right";
export const GenColMajor = LayoutLeft;
export const GenRowMajor = LayoutRight;
export type Major = typeof LayoutLeft | typeof LayoutRight;

/** Makes a layout without looking at it: for code that has just computed shape and stride. */
export function rawLayout<S extends IntTuple, D extends StrideTuple>(shape: S, stride: D): Layout<S, D> {
  return new LayoutData(shape, stride);
}

function checkSizes(shape: IntTuple): void {
  for (const leaf of leaves<Int>(shape as Nested<Int>)) {
    const size = isInt(leaf) ? (knownValue(leaf) ?? 1) : -1;
    if (!Number.isSafeInteger(size) || size < 0)
      throw new ShapeError(`makeLayout: ${String(leaf)} is not a size; sizes are integers from 0 up, or expressions`);
  }
  product(shape);
}

function checkStrides(shape: IntTuple, stride: StrideTuple, path: readonly number[]): void {
  if (isTuple(shape) !== isTuple(stride) || rankOf(shape) !== rankOf(stride))
    throw new ShapeError(
      `makeLayout: shape and stride differ in nesting${path.length > 0 ? ` at mode ${path}` : ""}, ${formatTuple(shape)} and ${formatTuple(stride)}`,
    );
  if (isTuple(shape))
    for (const [i, mode] of shape.entries())
      checkStrides(mode as IntTuple, (stride as readonly StrideTuple[])[i] as StrideTuple, [...path, i]);
  else if (!isBasis(stride) && !(isInt(stride) && Number.isSafeInteger(knownValue(stride) ?? 0)))
    throw new ShapeError(`makeLayout: ${String(stride)} is not a stride; strides are integers, expressions or E(i)`);
}

/** A layout from a shape (column-major unless said otherwise), or from a shape and its strides. */
export function makeLayout<const S extends IntTuple>(shape: S): Layout<S, StrideFor<S, "left">>;
export function makeLayout<const S extends IntTuple, const D extends Major | StrideTuple>(
  shape: S,
  stride: Checked<D, NestingFault<S, D>>,
): Layout<S, StrideFor<S, D>>;
export function makeLayout(shape: IntTuple, stride: Major | StrideTuple = LayoutLeft): Layout {
  checkSizes(shape);
  if (stride === LayoutLeft) return rawLayout(shape, compactColMajor(shape));
  if (stride === LayoutRight) return rawLayout(shape, compactRowMajor(shape));
  checkStrides(shape, stride, []);
  return rawLayout(shape, stride);
}

/** The layouts as the modes of one layout. */
export function concatenate<const Ls extends readonly Layout[]>(...layouts: Ls): Concatenated<Ls>;
export function concatenate(...layouts: readonly Layout[]): Layout {
  return joinModes(layouts);
}

/** The layouts as the modes of one layout. */
export const joinModes = (modes: readonly Layout[]): Layout =>
  rawLayout(
    modes.map((mode) => mode.shape),
    modes.map((mode) => mode.stride),
  );

/** The top-level modes of a layout. */
export function modesOf({ shape, stride }: Layout): Layout[] {
  return isTuple(shape)
    ? shape.map((mode, i) => rawLayout(mode as IntTuple, (stride as readonly StrideTuple[])[i] as StrideTuple))
    : [rawLayout(shape, stride)];
}

/** A compact layout whose modes are ordered by the numbers in `order`, smallest fastest. */
export function makeOrderedLayout<const S extends IntTuple>(shape: S, order: IntTuple | Major): Layout<S> {
  if (order === LayoutLeft || order === LayoutRight) return makeLayout(shape, order);
  return makeLayout(shape, compactOrder(shape, order));
}

/** A compact layout of the same shape whose modes are ordered as the strides of `layout`; stride-0 modes stay 0. */
export function makeLayoutLike<S extends IntTuple>(layout: Layout<S>): Layout<S> {
  const kept = filterZeroSizes(layout.stride, layout.shape);
  return rawLayout(layout.shape, compactOrder(kept, strideOrder(layout.stride)));
}

/**
 * A compact layout of the same shape for a copy held in registers: mode 0 is column-major from stride 1 (stride-0 modes
 * stay 0), the other modes follow in the order of their strides.
 */
export function makeFragmentLike(layout: Layout): Layout {
  if (!isTuple(layout.shape) || layout.shape.length < 2) return rawLayout(layout.shape, compactColMajor(layout.shape));
  const [first, ...others] = layout.shape as readonly IntTuple[];
  const [firstStride, ...otherStrides] = layout.stride as readonly StrideTuple[];
  const kept = filterZeroSizes(firstStride as StrideTuple, first as IntTuple);
  const rest = compactOrder(others, strideOrder(otherStrides));
  const scaled = mapLeaves(rest as Nested<Int>, (d) => mul(d, product(kept))) as readonly IntTuple[];
  return rawLayout(layout.shape, [compactColMajor(kept), ...scaled]);
}

/** The strides as numbers to order modes by. */
const strideOrder = (stride: StrideTuple): IntTuple =>
  mapLeaves(stride as Nested<StrideLeaf>, (d) => Math.abs(knownValue(isBasis(d) ? d.value : d) ?? 0)) as IntTuple;

/** The shape with static 1 wherever the stride is 0. */
export function filterZeroSizes(profile: StrideTuple, shape: IntTuple): IntTuple {
  if (isTuple(profile))
    return (profile as readonly StrideTuple[]).map((d, i) =>
      filterZeroSizes(d, wrap(shape as Nested<Int>)[i] as IntTuple),
    );
  const isZeroHere = !isBasis(profile) && isZero(profile as Int);
  return isZeroHere ? (mapLeaves(shape as Nested<Int>, () => int(1)) as IntTuple) : shape;
}

/** The layout that maps every coordinate of `shape` to itself. */
export function makeIdentityLayout<const S extends IntTuple>(shape: S): Layout<S> {
  return makeLayout(shape, basisLike(shape) as StrideTuple);
}

/** outer(offset + inner(c)). A swizzle with no bits and offset 0 leaves the inner layout as it is. */
export function makeComposedLayout(outer: Swizzle | Layout, offset: Int, inner: Layout): AnyLayout {
  if (isSwizzle(outer) && outer.bits === 0 && isZero(offset)) return inner;
  return new ComposedData(outer, offset, inner);
}

/** Applies `f` to the layout itself, or to the inner part of a composed one. */
export function onInner(layout: AnyLayout, f: (inner: Layout) => Layout): AnyLayout {
  return isComposed(layout) ? makeComposedLayout(layout.outer, layout.offset, f(layout.inner)) : f(layout);
}

/** The shape of a layout, or a shape itself. */
export function shapeOf<const T extends Shaped, const P extends readonly number[]>(
  of: T,
  ...path: CheckedRest<P, PathFault<"shapeOf", T, P>>
): ShapeOf<T, P>;
export function shapeOf(of: Shaped, ...path: number[]): IntTuple {
  const shape = isComposed(of) ? of.inner.shape : isLayout(of) ? of.shape : of;
  return modeAt(shape as Nested<Int>, path) as IntTuple;
}

/** The stride of the mode at a path. */
export function strideOf<const L extends Layout, const P extends readonly number[]>(
  layout: L,
  ...path: CheckedRest<P, PathFault<"strideOf", L, P>>
): StrideOf<L, P>;
export function strideOf(layout: Layout, ...path: number[]): StrideTuple {
  return modeAt(layout.stride as Nested<StrideLeaf>, path) as StrideTuple;
}

/** The layout of the mode at a path: `modeOf(layout, 1, 0)` is mode 0 of mode 1. */
export function modeOf<const L extends AnyLayout, const P extends readonly number[]>(
  layout: L,
  ...path: CheckedRest<P, PathFault<"modeOf", L, P>>
): ModeOf<L, P>;
export function modeOf(layout: AnyLayout, ...path: number[]): AnyLayout {
  return onInner(layout, (l) => rawLayout(shapeOf(l, ...path), strideOf(l, ...path)));
}

/** The number of modes, of the whole or of the mode at a path. */
export function rank<const T extends Shaped, const P extends readonly number[]>(
  of: T,
  ...path: CheckedRest<P, PathFault<"rank", T, P>>
): RankOf<ShapeOf<T, P>>;
export function rank(of: Shaped, ...path: number[]): number {
  return rankOf(shapeOf(of, ...path));
}

/** How deep the modes nest; 0 for an integer. */
export function depth<const T extends Shaped, const P extends readonly number[]>(
  of: T,
  ...path: CheckedRest<P, PathFault<"depth", T, P>>
): DepthOf<ShapeOf<T, P>>;
export function depth(of: Shaped, ...path: number[]): number {
  return depthOf(shapeOf(of, ...path));
}

/** The number of coordinates, of the whole or of the mode at a path. A symbolic one is had by `sizeInt`. */
export function size<const T extends Shaped, const P extends readonly number[]>(
  of: T,
  ...path: CheckedRest<P, PathFault<"size", T, P>>
): SizeOf<ShapeOf<T, P>>;
export function size(of: Shaped, ...path: number[]): number {
  return valueOf(sizeInt(of, ...path), "size");
}

/** The number of coordinates as an Int: static when every size is static. */
export const sizeInt = (of: Shaped, ...path: number[]): Int => product(shapeOf(of, ...path));

/** The smallest shape that holds every offset: 1 + the sum of (size - 1) * |stride|, coordinate by coordinate. */
export function coshape(layout: AnyLayout, ...path: number[]): IntTuple {
  const l = modeOf(isComposed(layout) ? layout.inner : layout, ...path);
  const sizes = leaves<Int>(l.shape as Nested<Int>);
  const strides = leaves<StrideLeaf>(l.stride as Nested<StrideLeaf>);
  let last: IntTuple = int(0);
  strides.forEach((d, i) => {
    const steps = sub(sizes[i] as Int, int(1));
    last = addCoords(last, isBasis(d) ? absCoord(basisCoord(steps, d)) : mul(steps, absInt(d)));
  });
  return mapLeaves(last as Nested<Int>, (c) => add(c, int(1))) as IntTuple;
}

const absCoord = (c: IntTuple): IntTuple => mapLeaves(c as Nested<Int>, absInt) as IntTuple;

/** The size of the coshape: one more than the largest offset when strides are not negative. */
export function cosize(layout: AnyLayout, ...path: number[]): number {
  return valueOf(cosizeInt(layout, ...path), "cosize");
}

export const cosizeInt = (layout: AnyLayout, ...path: number[]): Int => product(coshape(layout, ...path));

/** The profile of the codomain, as zeros: `_0` for integer strides, `(_0,_0)` for an identity of rank 2. */
export function coprofile(layout: Layout): IntTuple {
  let total: IntTuple = int(0);
  for (const d of leaves<StrideLeaf>(layout.stride as Nested<StrideLeaf>))
    total = addCoords(total, isBasis(d) ? basisCoord(int(1), d) : int(0));
  return mapLeaves(total as Nested<Int>, () => int(0)) as IntTuple;
}

/**
 * The offset of a coordinate: an integer (counted colexicographically), one integer per mode, or nested as the shape.
 * Layouts with coordinate strides answer through `coordAt`; symbolic ones through `crd2idx`.
 */
export function offsetAt(layout: AnyLayout, coord: Coord): number {
  if (isComposed(layout)) {
    const inside = valueOf(layout.offset, "offsetAt") + offsetAt(layout.inner, coord);
    return isSwizzle(layout.outer) ? applySwizzle(layout.outer, inside) : offsetAt(layout.outer, inside);
  }
  const fast =
    typeof coord === "number" ? LayoutData.offset(layout, coord) : numericOffsetAt(layout.shape, layout.stride, coord);
  if (!Number.isNaN(fast)) return fast + 0;
  const slow = crd2idx(coord, layout.shape, layout.stride);
  if (isTuple(slow))
    throw new LayoutError(`offsetAt: ${formatTuple(layout.stride)} maps to coordinates, not to offsets; use coordAt`);
  return valueOf(slow as Int, "offsetAt");
}

/** The coordinate that a layout with basis strides maps to. */
export function coordAt(layout: Layout, coord: Coord): IntTuple {
  return addCoords(coprofile(layout), crd2idx(coord, layout.shape, layout.stride));
}

/** The coordinates of a layout's domain in colexicographic order. */
export const domain = (of: Shaped): Generator<Coord> => coords(shapeOf(of)) as Generator<Coord>;

/** Every offset in colexicographic order of the coordinates. */
export function offsets(layout: AnyLayout): number[] {
  return Array.from({ length: size(layout as Shaped) }, (_unused, i) => offsetAt(layout, i));
}

/** True if and only if every integer of the layout, tuple or integer is static. */
export function isStatic<const T extends Shaped | StrideTuple>(of: T): IsStatic<T>;
export function isStatic(of: Shaped | StrideTuple): boolean {
  if (isComposed(of))
    return isStaticInt(of.offset) && isStatic(of.inner) && (isSwizzle(of.outer) || isStatic(of.outer));
  if (isLayout(of)) return isStatic(of.shape) && isStatic(of.stride);
  return leaves(of as Nested<unknown>).every((leaf) => isStaticInt(leaf) || (isBasis(leaf) && isStaticInt(leaf.value)));
}

/** True if and only if the two have the same nesting and equal integers; static 4 equals dynamic 4. */
export function equalLayouts(a: Layout, b: Layout): boolean {
  return (
    formatTuple(a.shape).replaceAll("_", "") === formatTuple(b.shape).replaceAll("_", "") &&
    formatTuple(a.stride).replaceAll("_", "") === formatTuple(b.stride).replaceAll("_", "")
  );
}

export { hasUnderscore };
