/**
 * Coordinates: from coordinate to offset, from index to coordinate, and slices with `_`.
 *
 * A coordinate of a shape is an integer (colexicographic: the leftmost mode is fastest) or a tuple with one coordinate per
 * mode. An integer past the end continues in the last mode. Division rounds toward zero, as in C++, so
 * offset(-i) = -offset(i).
 */
import { LayoutError, ShapeError } from "../base/errors.ts";
import { addCoords, basisCoord, basisLike, isBasis, type StrideTuple } from "./basis.ts";
import { formatTuple } from "./format.ts";
import {
  _0,
  add,
  div,
  type Int,
  isExactInt,
  isOne,
  isStaticInt,
  isSymbolic,
  isZero,
  lessEqualInt,
  mod,
  mul,
  valueOf,
} from "./int.ts";
import { compactColMajor } from "./shape.ts";
import { differingRanks, type IntTuple, isTuple, type Nested, product, productLike, rankOf } from "./tuple.ts";

/** The type of `_`: all of a mode. */
export class Underscore {
  readonly kind = "underscore";
  toString(): string {
    return "_";
  }
}
/** All of a mode, in a slice: `slice([2, _], layout)`. */
export const _: Underscore = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ new Underscore());
export const isUnderscore = (value: unknown): value is Underscore =>
  (value as Underscore | undefined)?.kind === "underscore";

export type Coord = Int | readonly Coord[];
/** A coordinate in which `_` selects all of a mode. */
export type SliceCoord = Int | Underscore | readonly SliceCoord[];

type Modes = readonly IntTuple[];

/** True if and only if `_` occurs in the coordinate, so that a slice keeps a mode. */
export function hasUnderscore(coord: SliceCoord): boolean {
  return isTuple(coord) ? coord.some(hasUnderscore) : isUnderscore(coord);
}

function rankMismatch(who: string, coord: unknown, shape: IntTuple): ShapeError {
  const modes = rankOf(coord);
  return new ShapeError(`${who}: a coordinate with ${modes} modes for the shape ${formatTuple(shape)}`);
}

/** Throws unless a symbolic index is known to be at least 0: expressions round down, not toward zero. */
function checkNotNegative(who: string, index: Int): void {
  if (isSymbolic(index) && lessEqualInt(0, index) !== true)
    throw new LayoutError(`${who}: it must be known that ${index} >= 0`);
}

/** Returns the offset of an index, or NaN if a size or stride is not a number: the fast path of offsetAt. */
export function numericOffset(shape: IntTuple, stride: StrideTuple, index: number): number {
  if (typeof stride === "number") return index * stride;
  if (!Array.isArray(stride)) return isStaticInt(stride) ? index * stride.value : NaN;
  const last = stride.length - 1;
  let offset = 0;
  let rest = index;
  for (let i = 0; i < last; i++) {
    const sizeOf = (shape as Modes)[i];
    const step = stride[i] as StrideTuple;
    const extent = typeof sizeOf === "number" ? sizeOf : numericSize(sizeOf);
    const digit = rest % extent;
    rest = (rest - digit) / extent;
    offset += typeof step === "number" ? digit * step : numericOffset(sizeOf, step, digit);
  }
  const step = stride[last] as StrideTuple;
  return (
    offset + (typeof step === "number" ? rest * step : last < 0 ? 0 : numericOffset((shape as Modes)[last], step, rest))
  );
}

function numericSize(shape: IntTuple): number {
  if (typeof shape === "number") return shape;
  if (!Array.isArray(shape)) return isStaticInt(shape) ? shape.value : NaN;
  let size = 1;
  for (const mode of shape) size *= numericSize(mode);
  return size;
}

/** Returns the offset of a coordinate, or NaN if an integer in it, a size or a stride is not a number. */
export function numericOffsetAt(shape: IntTuple, stride: StrideTuple, coord: Coord): number {
  if (typeof coord === "number") return numericOffset(shape, stride, coord);
  if (!Array.isArray(coord)) return NaN;
  if (!Array.isArray(stride) || stride.length !== coord.length) throw rankMismatch("offsetAt", coord, shape);
  let offset = 0;
  for (let i = 0; i < coord.length; i++) {
    const c: Coord = coord[i];
    const d: StrideTuple = stride[i];
    if (typeof c === "number") offset += typeof d === "number" ? c * d : numericOffset((shape as Modes)[i], d, c);
    else offset += numericOffsetAt((shape as Modes)[i], d, c);
  }
  return offset;
}

/**
 * Returns the offset of a coordinate: the sum over all leaves of coordinate times stride, where `_` counts as 0.
 * An integer for a nested mode is split colexicographically. With basis strides the result is a coordinate.
 */
export function crd2idx(coord: SliceCoord, shape: IntTuple, stride?: StrideTuple): IntTuple {
  if (stride === undefined) return colexIndex(coord as Coord, shape);
  if (isUnderscore(coord)) return _0;
  if (isTuple(coord)) {
    if (!isTuple(shape) || shape.length !== coord.length) throw rankMismatch("crd2idx", coord, shape);
    if (!isTuple(stride) || stride.length !== shape.length) throw differingRanks("crd2idx", shape, stride);
    let total: IntTuple = _0;
    for (let i = 0; i < coord.length; i++) total = addCoords(total, crd2idx(coord[i], shape[i], stride[i]));
    return total;
  }
  if (!isExactInt(coord)) throw new ShapeError(`crd2idx: ${String(coord)} is not a coordinate: an integer, tuple or _`);
  if (!isTuple(shape)) {
    if (isTuple(stride)) throw differingRanks("crd2idx", shape, stride);
    return isBasis(stride) ? basisCoord(coord, stride) : mul(coord, stride);
  }
  checkNotNegative("crd2idx", coord);
  let total: IntTuple = _0;
  let rest: Int = coord;
  shape.forEach((mode, i) => {
    const isLast = i === shape.length - 1;
    const extent = product(mode);
    const here = isLast ? rest : mod(rest, extent);
    total = addCoords(total, crd2idx(here, mode, (stride as readonly StrideTuple[])[i]));
    if (!isLast) rest = div(rest, extent);
  });
  return total;
}

/** Returns the colexicographic index of a coordinate: c0 + s0 * (c1 + s1 * (c2 + ...)). */
function colexIndex(coord: Coord, shape: IntTuple): Int {
  if (!isTuple(coord)) return coord;
  if (!isTuple(shape) || shape.length !== coord.length) throw rankMismatch("crd2idx", coord, shape);
  const sizes = productLike(shape, coord as Nested<unknown>) as Modes;
  let index: Int = _0;
  for (let i = coord.length - 1; i >= 0; i--) {
    const here = colexIndex(coord[i], (shape as Modes)[i]);
    index = add(here, mul(product(sizes[i]), index));
  }
  return index;
}

/**
 * Returns the coordinate of an index. With strides: (index / stride) % size at every leaf, which inverts compact layouts.
 * Without: the colexicographic coordinate, so that crd2idx(idx2crd(i, shape), shape) = i. Tuples work mode by mode.
 */
export function idx2crd(index: IntTuple, shape: IntTuple, stride?: StrideTuple): IntTuple {
  if (isTuple(index)) {
    if (!isTuple(shape) || shape.length !== index.length) throw rankMismatch("idx2crd", index, shape);
    if (stride !== undefined && rankOf(stride) !== index.length) throw differingRanks("idx2crd", index, stride);
    return index.map((i, k) => idx2crd(i, (shape as Modes)[k], stride && (stride as readonly StrideTuple[])[k]));
  }
  if (stride === undefined) {
    return isTuple(shape) ? crd2idx(index, shape, basisLike(shape)) : index;
  }
  if (isTuple(shape)) {
    const strides = isTuple(stride) ? stride : compactColMajor(shape, stride as Int);
    return (shape as Modes).map((mode, k) => idx2crd(index, mode, (strides as readonly StrideTuple[])[k]));
  }
  if (isOne(shape)) return isStaticInt(shape) ? _0 : 0;
  if (isTuple(stride) || isBasis(stride)) throw differingRanks("idx2crd", shape, stride);
  if (isZero(stride)) throw new LayoutError(`idx2crd: mode ${shape}:0 has no inverse`);
  checkNotNegative("idx2crd", index);
  return mod(div(index, stride), shape);
}

/** Returns the coordinate in `to` with the colexicographic index of `coord` in `from`; tuples of equal rank work mode by mode. */
export function crd2crd(coord: Coord, from: IntTuple, to: IntTuple): IntTuple {
  if (isTuple(coord) && isTuple(from) && isTuple(to)) {
    if (coord.length !== from.length || coord.length !== to.length)
      throw rankMismatch("crd2crd", coord, coord.length === from.length ? to : from);
    return coord.map((c, i) => crd2crd(c, from[i], to[i]));
  }
  return idx2crd(colexIndex(coord, from), to);
}

/** Yields all coordinates of a shape in colexicographic order, nested as the shape. */
export function* coords(shape: IntTuple): Generator<NumberTuple> {
  const count = valueOf(product(shape));
  for (let i = 0; i < count; i++) yield numbers(idx2crd(i, shape));
}

export type NumberTuple = number | readonly NumberTuple[];

/** Returns a tuple with every leaf replaced by its number. */
export function numbers(t: IntTuple): NumberTuple {
  return isTuple(t) ? t.map(numbers) : valueOf(t);
}

/** Appends the modes of a tuple under `_`, or with `underscores` false those under integers. */
export function pickModes<T>(
  coord: SliceCoord,
  t: Nested<T>,
  underscores = true,
  into: Nested<T>[] = [],
): readonly Nested<T>[] {
  if (isTuple(coord)) {
    if (!isTuple(t) || t.length !== coord.length) throw rankMismatch("slice", coord, t as IntTuple);
    for (let i = 0; i < coord.length; i++) pickModes(coord[i], t[i], underscores, into);
  } else if (isUnderscore(coord) === underscores) into.push(t);
  return into;
}
