/**
 * The defining properties of coordinates, slices, shape division, recasts and swizzles, by brute force.
 */
import {
  coordOf,
  isTuple,
  joined,
  offsetOf,
  type PlainLayout,
  sizeOf,
  type Tuple,
  valueAt,
  valuesOf,
} from "./plain.ts";
import { range, sameLayout, sameTuple } from "./properties.ts";

/** The coordinate has the nesting of the shape and counts up to the index. */
export function isCoordOf(index: Tuple, shape: Tuple, crd: Tuple): boolean {
  if (isTuple(index))
    return (
      isTuple(shape) &&
      isTuple(crd) &&
      index.length === shape.length &&
      crd.length === shape.length &&
      index.every((part, i) => isCoordOf(part, shape[i] as Tuple, crd[i] as Tuple))
    );
  return sameTuple(coordOf(index, shape), crd);
}

/** (index / stride) % size at every leaf. */
export function isStridedCoordOf(index: Tuple, shape: Tuple, stride: Tuple, crd: Tuple): boolean {
  if (isTuple(shape)) {
    const parts = isTuple(stride) ? stride : undefined;
    if (!isTuple(crd) || crd.length !== shape.length || !parts) return false;
    return shape.every((mode, i) =>
      isStridedCoordOf(isTuple(index) ? (index[i] as Tuple) : index, mode, parts[i] as Tuple, crd[i] as Tuple),
    );
  }
  if (isTuple(index) || isTuple(stride) || isTuple(crd)) return false;
  return shape === 1 ? crd === 0 : crd === Math.trunc(index / stride) % shape;
}

/** The coordinate in `to` that counts as far as `crd` does in `from`. */
export function isConvertedCoord(crd: Tuple, from: Tuple, to: Tuple, r: Tuple): boolean {
  if (isTuple(crd) && isTuple(from) && isTuple(to))
    return isTuple(r) && crd.every((c, i) => isConvertedCoord(c, from[i] as Tuple, to[i] as Tuple, r[i] as Tuple));
  const index = isTuple(crd) ? offsetOf(crd, from, compactStrides(from)) : crd;
  return index !== undefined && isCoordOf(index, to, r);
}

/** The column-major strides of a shape. */
export function compactStrides(shape: Tuple, start = 1): Tuple {
  if (!isTuple(shape)) return start;
  let running = start;
  return shape.map((mode) => {
    const here = compactStrides(mode, running);
    running *= sizeOf(mode);
    return here;
  });
}

/** layout(c) = offset + slice(the coordinates of c under null), over the first few hundred coordinates. */
export function isSlice(coord: unknown, l: PlainLayout, r: PlainLayout, offset: number): boolean {
  const kept: { shape: Tuple; stride: Tuple }[] = [];
  let fixed = 0;
  const walk = (c: unknown, shape: Tuple, stride: Tuple): boolean => {
    if (c === null) {
      kept.push({ shape, stride });
      return true;
    }
    if (!Array.isArray(c)) {
      fixed += offsetOf(c as number, shape, stride) ?? Number.NaN;
      return true;
    }
    return (
      isTuple(shape) &&
      c.length === shape.length &&
      c.every((part, i) => walk(part, shape[i] as Tuple, (stride as readonly Tuple[])[i] as Tuple))
    );
  };
  if (!walk(coord, l.shape, l.stride) || fixed !== offset) return false;
  return sameLayout(coord === null ? l : joined(kept), r);
}

/** The elements of R are n-th parts of those of L (upcast): floor(L(i) / n) runs over the offsets of R. */
export const isUpcast = (n: number, l: PlainLayout, r: PlainLayout): boolean =>
  sameSet(
    valuesOf(l).map((x) => Math.trunc(x / n) + 0),
    valuesOf(r),
  );

/** Each element of L becomes n of R (downcast): n L(i) + k, k < n, runs over the offsets of R. */
export const isDowncast = (n: number, l: PlainLayout, r: PlainLayout): boolean =>
  sameSet(
    valuesOf(l).flatMap((x) => range(n).map((k) => n * x + k)),
    valuesOf(r),
  );

const sameSet = (a: readonly number[], b: readonly number[]): boolean => {
  const [x, y] = [new Set(a), new Set(b)];
  return x.size === y.size && [...x].every((value) => y.has(value));
};

/** For integers one divides the other, and the quotient is rounded up; an integer divides through a tuple. */
export function isShapeDiv(a: Tuple, b: Tuple, r: Tuple): boolean {
  const quotient = shapeDivided(a, b);
  return quotient !== undefined && sameTuple(quotient, r);
}

/** a divided by b as shapes, or undefined when it does not come out even. */
export function shapeDivided(a: Tuple, b: Tuple): Tuple | undefined {
  if (isTuple(a)) {
    let rest: number | undefined = isTuple(b) ? undefined : b;
    if (isTuple(b) && b.length !== a.length) return undefined;
    const parts: Tuple[] = [];
    for (const [i, mode] of a.entries()) {
      const part = shapeDivided(mode, isTuple(b) ? (b[i] as Tuple) : (rest as number));
      if (part === undefined) return undefined;
      parts.push(part);
      if (rest !== undefined) {
        const left = shapeDivided(rest, sizeOf(mode));
        if (left === undefined) return undefined;
        rest = left as number;
      }
    }
    return parts;
  }
  const divisor = sizeOf(b);
  return a % divisor === 0 || divisor % a === 0 ? Math.ceil(a / divisor) : undefined;
}

/** x ^ ((x & Y) >> shift), Y the `bits` bits above base + shift; a negative shift swaps the two fields. */
function swizzled([bits, base, shift]: readonly [number, number, number], x: number): number {
  const field = (1 << bits) - 1;
  return shift >= 0 ? x ^ ((x & (field << (base + shift))) >> shift) : x ^ ((x & (field << base)) << -shift);
}

/** The values are those of the swizzle at 0, 1, 2, ... */
export const isSwizzled = (parts: readonly [number, number, number], values: readonly number[]): boolean =>
  values.every((y, x) => y === swizzled(parts, x));

export interface PlainComposed {
  readonly composed: {
    readonly outer: { readonly swizzle: readonly [number, number, number] };
    readonly offset: number;
    readonly inner: PlainLayout;
  };
}

/** The values are swizzle(offset + inner(i)). */
export const isComposedValues = ({ composed }: PlainComposed, values: readonly number[]): boolean =>
  values.every((y, i) => y === swizzled(composed.outer.swizzle, composed.offset + valueAt(composed.inner, i)));
