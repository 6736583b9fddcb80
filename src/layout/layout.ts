/**
 * Layout: a shape and a stride of the same nesting, read as the function
 * coordinate -> sum over the leaves of coordinate * stride.
 * Plain readonly data; `offsetAt` evaluates it. A ComposedLayout is `outer(offset + inner(coordinate))`.
 */
import { shown } from "../base/arguments.ts";
import { named, ShapeError } from "../base/errors.ts";
import { basisLike, isBasis, type StrideLeaf, type StrideTuple } from "./basis.ts";
import { type Coord, checkRank, type Underscore } from "./coord.ts";
import { formatLayout, formatTuple } from "./format.ts";
import { _1, type Int, isExactInt, isZero, knownValue, lessEqualInt, valueOf, wrongKind } from "./int.ts";
import { compactColMajor, compactOrder, compactRowMajor, congruent } from "./shape.ts";
import { isSwizzle, type Swizzle } from "./swizzle.ts";
import { type IntTuple, isTuple, leaves, mapLeaves, type Nested, product, wrap } from "./tuple.ts";
import type { Checked, NestingFault } from "./types/faults.ts";
import type { AnyLayout, ComposedLayout, Concatenated, Layout, Shaped, StrideFor } from "./types/layout-types.ts";

export type { AnyLayout, ComposedLayout, Layout, Shaped };

/**
 * The right-hand side of a composition, division or product. A layout acts on the 1-D index; an integer n means n:1;
 * an array acts mode by mode; `_` and null leave a mode unchanged.
 */
export type Tiler = Layout | Int | Underscore | null | readonly Tiler[];

/** Prints in the layout notation, in consoles too. */
class Printable {
  toString(): string {
    return formatLayout(this);
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return formatLayout(this);
  }
}

type AnyData = LayoutData<IntTuple, StrideTuple>;

class LayoutData<S extends IntTuple, D extends StrideTuple> extends Printable implements Layout<S, D> {
  declare readonly shape: S;
  declare readonly stride: D;
  /** The sizes and strides of the leaves, computed at first use; undefined for those that are not numbers. */
  #sizes: readonly number[] | undefined;
  #strides: readonly number[] = [];
  /** The top-level modes, computed at first use. */
  #modes: readonly AnyData[] | undefined;
  constructor(shape: S, stride: D) {
    super();
    this.shape = shape;
    this.stride = stride;
  }
  /** The offset of a coordinate, or NaN if it or the layout is not all numbers. */
  static offset(layout: Layout, coord: Coord): number {
    if (#sizes in layout) return typeof coord === "number" ? layout.#ofIndex(coord) : layout.#ofCoord(coord);
    checkLayout("offsetAt", layout);
    return LayoutData.offset(rawLayout(layout.shape, layout.stride), coord);
  }
  #ofIndex(index: number): number {
    if (this.#sizes === undefined) {
      this.#sizes = leafNumbers(this.shape);
      this.#strides = leafNumbers(this.stride);
    }
    const [sizes, strides] = [this.#sizes, this.#strides];
    const last = sizes.length - 1;
    let rest = index;
    let offset = 0;
    for (let i = 0; i < last; i++) {
      const digit = rest % sizes[i];
      offset += digit * strides[i];
      rest = (rest - digit) / sizes[i];
    }
    return offset + rest * strides[last];
  }
  #ofCoord(coord: Coord): number {
    if (!isTuple(coord)) return NaN;
    if (this.#modes === undefined) this.#modes = modesOf(this) as readonly object[] as readonly AnyData[];
    const modes = this.#modes;
    checkRank("offsetAt", coord, this.shape);
    let offset = 0;
    for (let i = 0; i < modes.length; i++) {
      const c = coord[i];
      offset += typeof c === "number" ? modes[i].#ofIndex(c) : modes[i].#ofCoord(c);
    }
    return offset;
  }
}

/** Returns the numbers at the leaves; undefined, which makes sums NaN, for symbols and basis vectors. */
const leafNumbers = (t: StrideTuple): readonly number[] => leaves(t as Nested<Int>).map(knownValue) as number[];

class ComposedData extends Printable implements ComposedLayout {
  declare readonly outer: Swizzle | Layout;
  declare readonly offset: Int;
  declare readonly inner: Layout;
  constructor(outer: Swizzle | Layout, offset: Int, inner: Layout) {
    super();
    this.outer = outer;
    this.offset = offset;
    this.inner = inner;
  }
}

/** Excludes tensors, which have the property names of layouts (`shape`, `stride`, and the products `inner` and `outer`). */
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !("dtype" in value);

export function isLayout(value: unknown): value is Layout {
  return isObject(value) && "shape" in value && "stride" in value;
}

export function isComposed(value: unknown): value is ComposedLayout {
  return isObject(value) && "outer" in value && "inner" in value;
}

/** Throws unless the value is a layout. */
export function checkLayout(who: string, value: unknown): void {
  if (!isLayout(value) && !isComposed(value)) throw wrongKind(who, "a layout (makeLayout, tensor.layout)", value);
}

/** Column-major: the leftmost mode has stride 1. */
export const LayoutLeft = "left";
/** Row-major: the rightmost mode has stride 1. */
export const LayoutRight = "right";
export const GenColMajor = LayoutLeft;
export const GenRowMajor = LayoutRight;
export type Major = typeof LayoutLeft | typeof LayoutRight;

/** Returns the layout of a shape and a stride of the same nesting, unchecked. */
export function rawLayout<S extends IntTuple, D extends StrideTuple>(shape: S, stride: D): Layout<S, D> {
  return new LayoutData(shape, stride);
}

/** Throws unless every leaf is a size. */
export function checkSizes(shape: IntTuple): void {
  for (const leaf of leaves<Int>(shape)) {
    const isSize = isExactInt(leaf) && lessEqualInt(0, leaf) !== false;
    if (!isSize) throw new ShapeError(`makeLayout: ${shown(leaf)} is not a size. Use integers from 0 up`);
  }
  named("makeLayout", () => product(shape));
}

function checkStrides(shape: IntTuple, stride: StrideTuple): void {
  for (const leaf of leaves<StrideLeaf>(stride))
    if (!isBasis(leaf) && !isExactInt(leaf))
      throw new ShapeError(`makeLayout: ${shown(leaf)} is not a stride. Use integers, E(i), "left" or "right"`);
  if (!congruent(shape, stride))
    throw new ShapeError(
      `makeLayout: the shape ${formatTuple(shape)} and the stride ${formatTuple(stride)} differ in nesting`,
    );
}

/** Returns the layout of a shape: column-major by default, or with the given order or strides. */
export function makeLayout<const S extends IntTuple>(shape: S): Layout<S, StrideFor<S, "left">>;
export function makeLayout<const S extends IntTuple, const D extends Major | StrideTuple>(
  shape: S,
  stride: Checked<D, NestingFault<S, D>>,
): Layout<S, StrideFor<S, D>>;
export function makeLayout(shape: IntTuple, stride: Major | StrideTuple = LayoutLeft): Layout {
  checkSizes(shape);
  const own = ownCopy(shape);
  if (stride === LayoutLeft) return rawLayout(own, compactColMajor(own));
  if (stride === LayoutRight) return rawLayout(own, compactRowMajor(own));
  checkStrides(shape, stride);
  return rawLayout(own, ownCopy(stride));
}

/** Copies a tuple, so that the caller may change the array. (Not frozen: engines iterate over frozen arrays slowly.) */
const ownCopy = <T extends Nested<unknown>>(t: T): T => (isTuple(t) ? (t.map(ownCopy) as unknown as T) : t);

/** Returns the layout whose modes are the given layouts. */
export function concatenate<const Ls extends readonly Layout[]>(...layouts: Ls): Concatenated<Ls>;
export function concatenate(...layouts: readonly Layout[]): Layout {
  for (const layout of layouts) checkLayout("concatenate", layout);
  return joinModes(layouts);
}

/** Like `concatenate`, but unchecked. */
export const joinModes = (modes: readonly Layout[]): Layout =>
  rawLayout(
    modes.map((mode) => mode.shape),
    modes.map((mode) => mode.stride),
  );

/** Returns the top-level modes of a layout. */
export function modesOf({ shape, stride }: Layout): Layout[] {
  return isTuple(shape)
    ? shape.map((mode, i) => rawLayout(mode, (stride as readonly StrideTuple[])[i]))
    : [rawLayout(shape, stride)];
}

/** Returns a compact layout whose modes are ordered by the numbers in `order`, smallest fastest. */
export function makeOrderedLayout<const S extends IntTuple>(shape: S, order: IntTuple | Major): Layout<S> {
  return named("makeOrderedLayout", () =>
    makeLayout(shape, order === LayoutLeft || order === LayoutRight ? order : compactOrder(shape, order)),
  ) as Layout<S>;
}

/** Returns a compact layout of the same shape with its modes in the order of the strides of `layout`; stride-0 modes stay 0. */
export function makeLayoutLike<S extends IntTuple>(layout: Layout<S>): Layout<S> {
  checkLayout("makeLayoutLike", layout);
  const shape = filterZeroSizes(layout.stride, layout.shape);
  return rawLayout(layout.shape, compactOrder(shape, strideOrder("makeLayoutLike", layout.stride)));
}

/**
 * Returns a compact layout of the same shape for a copy held in registers: mode 0 is column-major from stride 1 (stride-0 modes
 * stay 0), the other modes follow in the order of their strides.
 */
export function makeFragmentLike(layout: Layout): Layout {
  checkLayout("makeFragmentLike", layout);
  if (!isTuple(layout.shape) || layout.shape.length < 2) return rawLayout(layout.shape, compactColMajor(layout.shape));
  const [first, ...others] = layout.shape;
  const [firstStride, ...otherStrides] = layout.stride as readonly StrideTuple[];
  const order = strideOrder("makeFragmentLike", otherStrides) as readonly IntTuple[];
  return rawLayout(layout.shape, compactOrder([filterZeroSizes(firstStride, first), ...others], [0, ...order]));
}

/** Returns the absolute strides as numbers, to order modes by. */
const strideOrder = (who: string, stride: StrideTuple): IntTuple =>
  mapLeaves(stride, (d) => Math.abs(valueOf(isBasis(d) ? d.value : d, who)));

/** Returns the shape with static 1 wherever the stride is 0. */
export function filterZeroSizes(profile: StrideTuple, shape: IntTuple): IntTuple {
  if (isTuple(profile)) return profile.map((d, i) => filterZeroSizes(d, wrap(shape)[i]));
  return isZero(profile as Int) ? (mapLeaves(shape as Nested<Int>, () => _1) as IntTuple) : shape;
}

/** Returns the layout that maps every coordinate of `shape` to itself. */
export function makeIdentityLayout<const S extends IntTuple>(shape: S): Layout<S> {
  return named("makeIdentityLayout", () => makeLayout(shape, basisLike(shape)));
}

/** Returns the layout outer(offset + inner(c)); the inner layout itself if outer is a swizzle without bits and the offset is 0. */
export function makeComposedLayout(outer: Swizzle | Layout, offset: Int, inner: Layout): AnyLayout {
  if (isSwizzle(outer) && outer.bits === 0 && isZero(offset)) return inner;
  return new ComposedData(outer, offset, inner);
}

/** Applies `f` to the layout, or to the inner layout of a composed one. Errors name `who`. */
export function onInner(who: string, layout: AnyLayout, f: (inner: Layout) => Layout): AnyLayout {
  return named(who, () => {
    if (isLayout(layout)) return f(layout);
    checkLayout(who, layout);
    return makeComposedLayout(layout.outer, layout.offset, f(layout.inner));
  });
}

/** The offset of a coordinate in a layout, or NaN if they are not all numbers: the fast path of `offsetAt`. */
export const numericOffset: (layout: Layout, coord: Coord) => number = LayoutData.offset;
