/**
 * Coordinate strides: a scaled basis vector `c * E(i, j, ...)` is a step of c in the mode with that path.
 * A layout with such strides maps coordinates to coordinates; the identity layout maps each coordinate to itself.
 * Prints as in CuTe: value, then the path from the innermost mode outward (`E(0, 1)` times 5 is `5@1@0`).
 *
 * CuTe's `E<0>{} * 3 + E<1>{} * 7`, the coordinate (3,7), is `addBasis(scaleBasis(3, E(0)), scaleBasis(7, E(1)))`.
 */
import { listOf } from "../base/list-of.ts";
import { _0, _1, add, equalInt, type Int, isExactInt, isStaticInt, isZero, mul, wrongKind } from "./int.ts";
import { type IntTuple, isTuple, type Nested } from "./tuple.ts";

export class ScaledBasis {
  readonly kind = "basis";
  declare readonly value: Int;
  declare readonly path: readonly number[];
  constructor(value: Int, path: readonly number[]) {
    this.value = value;
    this.path = path;
  }
  toString(): string {
    return [this.value, ...this.path.toReversed()].join("@");
  }
  toJSON(): string {
    return this.toString();
  }
}

/** A leaf of a stride: an integer, or a scaled basis vector such as `_1@0`. */
export type StrideLeaf = Int | ScaledBasis;
export type StrideTuple = StrideLeaf | readonly StrideTuple[];

export const isBasis = (value: unknown): value is ScaledBasis => (value as ScaledBasis | undefined)?.kind === "basis";

/** Returns the unit step of the mode with this path: `E(1)` is one step in mode 1, `E(1, 0)` in mode 0 of mode 1. */
export function E(...path: number[]): ScaledBasis {
  if (path.length === 0 || !path.every((mode) => Number.isInteger(mode) && mode >= 0 && mode < 1024))
    throw wrongKind("E", "a path of modes below 1024", path);
  return new ScaledBasis(_1, path);
}

/** Returns factor * stride, for an integer or basis stride. A static 1 returns the stride unchanged. */
export function scale(factor: Int, stride: Int | ScaledBasis): Int | ScaledBasis {
  if (!isBasis(stride)) return mul(factor, stride);
  return new ScaledBasis(
    isStaticInt(factor) && factor.value === 1 ? stride.value : mul(factor, stride.value),
    stride.path,
  );
}

/** Returns whether two strides are equal, or undefined if that depends on a symbol. */
export function equalStride(a: StrideLeaf, b: StrideLeaf): boolean | undefined {
  if (!isBasis(a) && !isBasis(b)) return equalInt(a, b);
  if (!isBasis(a) || !isBasis(b) || a.path.join() !== b.path.join()) return false;
  return equalInt(a.value, b.value);
}

/** Returns the unit strides of a shape: each leaf becomes the basis vector of its own path. */
export function basisLike(shape: IntTuple, path: readonly number[] = []): Nested<ScaledBasis> {
  if (isTuple(shape)) return shape.map((mode, i) => basisLike(mode, [...path, i]));
  return path.length === 0 ? E(0) : E(...path);
}

/** Returns a + b; either may be an integer or a tuple of coordinates. Missing modes count as 0. */
export function addCoords(a: IntTuple, b: IntTuple): IntTuple {
  // Sums of offsets start from a static 0, and `_` counts as one.
  if (a === _0) return b;
  if (b === _0) return a;
  if (!isTuple(a) && !isTuple(b)) return add(a, b);
  const x = isTuple(a) ? a : isZero(a) ? [] : [a];
  const y = isTuple(b) ? b : isZero(b) ? [] : [b];
  return listOf(Math.max(x.length, y.length), (i) => {
    const left = x[i];
    const right = y[i];
    return left === undefined ? right : right === undefined ? left : addCoords(left, right);
  });
}

/** Returns times * basis as a coordinate: 5 * E(1) is (0, 5). */
export function basisCoord(times: Int, basis: ScaledBasis): IntTuple {
  return basis.path.reduceRight<IntTuple>(
    (inner, mode) => [...new Array<IntTuple>(mode).fill(_0), inner],
    mul(times, basis.value),
  );
}

/** Returns factor * basis. */
export const scaleBasis = (factor: Int, basis: ScaledBasis): ScaledBasis => scale(factor, basis) as ScaledBasis;

/** Returns the sum of basis elements, coordinates and integers as a coordinate. Missing modes count as 0; an integer adds to mode 0. */
export function addBasis(...terms: readonly (IntTuple | ScaledBasis)[]): IntTuple {
  let total: IntTuple = _0;
  for (const term of terms) {
    if (!isTuple(term) && !isBasis(term) && !isExactInt(term))
      throw wrongKind("addBasis", "basis elements, coordinates and integers", term);
    total = addCoords(total, isBasis(term) ? basisCoord(_1, term) : term);
  }
  return total;
}
