/**
 * Coordinates: from coordinate to offset, from index to coordinate, and slices with `_`.
 *
 * A coordinate of a shape is an integer (colexicographic: the leftmost mode is fastest) or a tuple with one coordinate per
 * mode. An integer past the end continues in the last mode. Division rounds toward zero, as in C++, so
 * offset(-i) = -offset(i).
 */
import { shown } from "../base/arguments.ts";
import { LayoutError, named, ShapeError } from "../base/errors.ts";
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
  unproved,
  valueOf,
} from "./int.ts";
import { compactColMajor } from "./shape.ts";
import { differingRanks, type IntTuple, isTuple, mapLeaves, type Nested, product, rankOf } from "./tuple.ts";

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

/** Throws unless a coordinate that is a tuple has as many modes as the shape. */
export function checkRank<T>(
  who: string,
  coord: readonly unknown[],
  shape: Nested<T>,
): asserts shape is readonly Nested<T>[] {
  if (!isTuple(shape) || shape.length !== coord.length)
    throw new ShapeError(
      `${who}: the coordinate ${formatTuple(coord)} has rank ${coord.length}, but ${formatTuple(shape)} has rank ${rankOf(shape)}. Pass one integer, or one per mode`,
    );
}

/** Throws unless a symbolic index is known to be at least 0: expressions round down, not toward zero. */
function checkNotNegative(who: string, index: Int): void {
  if (isSymbolic(index) && lessEqualInt(0, index) !== true)
    throw new LayoutError(`${who}: ${unproved(`${index} >= 0`)}`);
}

/**
 * Returns the offset of a coordinate: the sum over all leaves of coordinate times stride, where `_` counts as 0.
 * An integer for a nested mode is split colexicographically. With basis strides the result is a coordinate.
 */
export function crd2idx(coord: SliceCoord, shape: IntTuple, stride?: StrideTuple): IntTuple {
  if (stride === undefined) return colexIndex(coord as Coord, shape);
  if (isUnderscore(coord)) return _0;
  if (isTuple(coord)) {
    checkRank("crd2idx", coord, shape);
    if (!isTuple(stride) || stride.length !== shape.length) throw differingRanks("crd2idx", shape, stride);
    let total: IntTuple = _0;
    for (let i = 0; i < coord.length; i++) total = addCoords(total, crd2idx(coord[i], shape[i], stride[i]));
    return total;
  }
  if (!isExactInt(coord))
    throw new ShapeError(`crd2idx: ${shown(coord)} is not a coordinate. Use integers, tuples and _`);
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
    const digit = isLast ? rest : mod(rest, extent);
    total = addCoords(total, crd2idx(digit, mode, (stride as readonly StrideTuple[])[i]));
    if (!isLast) rest = div(rest, extent);
  });
  return total;
}

/** Returns the colexicographic index of a coordinate: c0 + s0 * (c1 + s1 * (c2 + ...)). */
function colexIndex(coord: Coord, shape: IntTuple): Int {
  if (!isTuple(coord)) return coord;
  checkRank("crd2idx", coord, shape);
  let index: Int = _0;
  for (let i = coord.length - 1; i >= 0; i--) {
    const digit = colexIndex(coord[i], (shape as Modes)[i]);
    index = add(digit, mul(product((shape as Modes)[i]), index));
  }
  return index;
}

/**
 * Returns the coordinate of an index. With strides: (index / stride) % size at every leaf, which inverts compact layouts.
 * Without: the colexicographic coordinate, so that crd2idx(idx2crd(i, shape), shape) = i. Tuples work mode by mode.
 */
export function idx2crd(index: IntTuple, shape: IntTuple, stride?: StrideTuple): IntTuple {
  if (isTuple(index)) {
    checkRank("idx2crd", index, shape);
    if (stride !== undefined && rankOf(stride) !== index.length) throw differingRanks("idx2crd", index, stride);
    return index.map((i, k) => idx2crd(i, (shape as Modes)[k], stride && (stride as readonly StrideTuple[])[k]));
  }
  if (stride === undefined) {
    return isTuple(shape) ? named("idx2crd", () => crd2idx(index, shape, basisLike(shape))) : index;
  }
  if (isTuple(shape)) {
    const strides = isTuple(stride) ? stride : compactColMajor(shape, stride as Int);
    return (shape as Modes).map((mode, k) => idx2crd(index, mode, (strides as readonly StrideTuple[])[k]));
  }
  if (isOne(shape)) return isStaticInt(shape) ? _0 : 0;
  if (isTuple(stride) || isBasis(stride)) throw differingRanks("idx2crd", shape, stride);
  if (isZero(stride)) throw new LayoutError(`idx2crd: mode ${shape}:0 has no inverse. Use a nonzero stride`);
  checkNotNegative("idx2crd", index);
  return mod(div(index, stride), shape);
}

/** Returns the coordinate in `to` with the colexicographic index of `coord` in `from`; tuples of equal rank work mode by mode. */
export function crd2crd(coord: Coord, from: IntTuple, to: IntTuple): IntTuple {
  if (isTuple(coord) && isTuple(from) && isTuple(to)) {
    checkRank("crd2crd", coord, from);
    checkRank("crd2crd", coord, to);
    return coord.map((c, i) => crd2crd(c, from[i], to[i]));
  }
  return idx2crd(colexIndex(coord, from), to);
}

/** Yields all coordinates of a shape in colexicographic order, nested as the shape. */
export function* coords(shape: IntTuple): Generator<NumberTuple> {
  const count = valueOf(product(shape), "domain");
  for (let i = 0; i < count; i++) yield numbers(idx2crd(i, shape));
}

export type NumberTuple = number | readonly NumberTuple[];

/** Returns a tuple with every leaf replaced by its number. */
export const numbers = (t: IntTuple): NumberTuple => mapLeaves(t as Nested<Int>, (leaf) => valueOf(leaf));

/** Appends the modes of a tuple under `_`, or with `underscores` false those under integers. */
export function pickModes<T>(
  coord: SliceCoord,
  t: Nested<T>,
  underscores = true,
  into: Nested<T>[] = [],
): readonly Nested<T>[] {
  if (isTuple(coord)) {
    checkRank("slice", coord, t);
    for (let i = 0; i < coord.length; i++) pickModes(coord[i], t[i], underscores, into);
  } else if (isUnderscore(coord) === underscores) into.push(t);
  return into;
}
