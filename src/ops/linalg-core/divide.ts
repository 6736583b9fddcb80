/**
 * The common steps of divide and conquer for tridiagonal and bidiagonal matrices, whose vectors are rows of blocks: deflation, and the
 * product of the vectors of both halves with those of the secular equation.
 */
import { type Block, copyBlock, part, withBlocks } from "./block.ts";
import { setProduct } from "./block-product.ts";

/** Matrices up to this size are solved by rotations. */
export const leafSize = 32;

/** The halves in which a row may have nonzero elements. */
export const inHalf = { first: 0, both: 1, second: 2 } as const;

/** The rows that take part in the secular equation, in the order of their poles, and those that stay as they are. */
export interface Deflated {
  readonly kept: readonly number[];
  readonly dropped: readonly number[];
}

/**
 * Visits rows in the order of their poles. Drops those with a small element of z, and the first of two with close poles, after a rotation
 * that makes its element of z zero. `rotate(i, j, c, s)` returns false if the poles are not close, else it rotates rows i and j.
 */
export function deflate(
  order: readonly number[],
  z: Float64Array,
  kinds: Uint8Array,
  isSmall: (i: number) => boolean,
  rotate: (i: number, j: number, c: number, s: number) => boolean,
): Deflated {
  const kept: number[] = [];
  const dropped: number[] = [];
  for (const j of order) {
    if (isSmall(j)) {
      dropped.push(j);
      continue;
    }
    const i = kept.at(-1);
    if (i !== undefined) {
      const norm = Math.hypot(z[i]!, z[j]!);
      if (rotate(i, j, z[j]! / norm, -z[i]! / norm)) {
        z[j] = norm;
        if (kinds[i] !== kinds[j]) kinds[j] = inHalf.both;
        dropped.push(kept.pop()!);
      }
    }
    kept.push(j);
  }
  return { kept, dropped };
}

/** Rotates elements from <= k < to of two rows: x, y = c x + s y, c y - s x. */
export function rotateRange(
  all: Float64Array,
  q: Block,
  x: number,
  y: number,
  c: number,
  s: number,
  from: number,
  to: number,
): void {
  const xAt = q.re + x * q.row;
  const yAt = q.re + y * q.row;
  for (let k = from; k < to; k++) {
    const a = all[xAt + k]!;
    const b = all[yAt + k]!;
    all[xAt + k] = c * a + s * b;
    all[yAt + k] = c * b - s * a;
  }
}

/** Returns the kept rows in the order in which `recombine` reads them: those of the first half, of both, of the second half. */
export function groupRows({ kept }: Deflated, kinds: Uint8Array): Int32Array {
  const group = new Int32Array(kept.length);
  let at = 0;
  for (const kind of [inHalf.first, inHalf.both, inHalf.second])
    for (let k = 0; k < kept.length; k++) if (kinds[kept[k]!] === kind) group[at++] = k;
  return group;
}

/**
 * Replaces the rows by `factors` times the kept rows in the order of `group`, written from row `from` on, followed by the dropped rows.
 * The first half has columns from <= j < middle, the second middle <= j < to; zeros are not multiplied.
 */
export function recombine(
  q: Block,
  factors: Block,
  { kept, dropped }: Deflated,
  kinds: Uint8Array,
  group: Int32Array,
  from: number,
  middle: number,
  to: number,
): void {
  const count = kept.length;
  let left = 0;
  let right = 0;
  for (const row of kept) {
    if (kinds[row] !== inHalf.second) left++;
    if (kinds[row] !== inHalf.first) right++;
  }
  const copyRow = (block: Block, at: number, row: number, first: number, last: number): void =>
    copyBlock(part(block, at, at + 1, 0, last - first), part(q, row, row + 1, first, last));
  withBlocks(
    [
      [left, middle - from],
      [right, to - middle],
      [dropped.length, to - from],
    ],
    (leftRows, rightRows, rest) => {
      for (let at = 0; at < count; at++) {
        const row = kept[group[at]!]!;
        if (at < left) copyRow(leftRows, at, row, from, middle);
        if (at >= count - right) copyRow(rightRows, at - (count - right), row, middle, to);
      }
      for (let at = 0; at < dropped.length; at++) copyRow(rest, at, dropped[at]!, from, to);
      setProduct(part(q, from, from + count, from, middle), part(factors, 0, count, 0, left), leftRows);
      setProduct(part(q, from, from + count, middle, to), part(factors, 0, count, count - right, count), rightRows);
      copyBlock(part(q, from + count, from + count + dropped.length, from, to), rest);
    },
  );
}

/** Writes a vector, divided by its norm, with its elements in the order of `group`. */
export function writeNormalized(to: Float64Array, at: number, vector: Float64Array, group: Int32Array): void {
  const count = vector.length;
  let square = 0;
  for (let j = 0; j < count; j++) square += vector[j]! * vector[j]!;
  const factor = 1 / Math.sqrt(square);
  for (let j = 0; j < count; j++) to[at + j] = vector[group[j]!]! * factor;
}

/** vector[j] = z[j] / differences[from + j] */
export function divideInto(vector: Float64Array, z: Float64Array, differences: Float64Array, from: number): void {
  for (let j = 0; j < vector.length; j++) vector[j] = z[j]! / differences[from + j]!;
}
