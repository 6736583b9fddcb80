/**
 * The singular value decomposition of a real upper bidiagonal matrix by divide and conquer (Gu and Eisenstat), as in LAPACK's bdsdc.
 * A row in the middle is set aside: the rows above it are a bidiagonal matrix with one more column than rows, those below it are another.
 * In the singular vectors of both, the whole matrix is diagonal except for that row z, so M^T M = D^2 + z z^T, and the squares of the
 * singular values are the roots of a secular equation.
 */
import { type Block, clear, elementsOf, rowsOf, withBlocks } from "./block.ts";
import {
  type Deflated,
  deflate,
  divideInto,
  groupRows,
  inHalf,
  leafSize,
  recombine,
  rotateRange,
  writeNormalized,
} from "./divide.ts";
import { implicitQr } from "./implicit-qr.ts";
import { identity, type Matrix } from "./matrix.ts";
import { solveSecular } from "./secular.ts";

/** The matrix, and the blocks whose rows become the singular vectors. */
interface Work {
  /** The diagonal, and the elements right of it. The singular values are written to `d`. */
  readonly d: Float64Array;
  readonly e: Float64Array;
  readonly u: Block;
  readonly v: Block;
  /** The least tolerance of a merge, above 0 so that parts that are zero can be merged. */
  readonly floor: number;
}

/**
 * Turns the bidiagonal matrix (d, e) into its singular values in `d`, in any order, and writes the singular vectors to the rows of `u` and
 * `v`. Returns 0, or the number of values that did not converge.
 */
export function divideBidiagonal(d: Float64Array, e: Float64Array, u: Block, v: Block): number {
  clear(u);
  clear(v);
  // Far below the rounding of the largest elements; their squares would underflow.
  let max = 0;
  for (let i = 0; i < d.length; i++) max = Math.max(max, Math.abs(d[i]!), Math.abs(e[i]!));
  if (max === 0) {
    const all = elementsOf(u);
    for (const q of [u, v]) for (let i = 0; i < d.length; i++) all[q.re + i * q.row + i] = 1;
    return 0;
  }
  for (let i = 0; i < d.length; i++) {
    if (Math.abs(e[i]!) <= 1e-40 * max) e[i] = 0;
    if (Math.abs(d[i]!) <= 1e-40 * max) d[i] = 0;
  }
  return solveRange({ d, e, u, v, floor: 1e-45 * max }, 0, d.length, 0);
}

/** Solves rows from <= i < to; with `extra` 1 they reach one column further, and row `to` of `v` becomes the vector of their null space. */
function solveRange(work: Work, from: number, to: number, extra: number): number {
  if (to - from <= leafSize) return solveLeaf(work, from, to, extra);
  const middle = from + ((to - from) >> 1);
  const info = solveRange(work, from, middle, 1) || solveRange(work, middle + 1, to, extra);
  if (info === 0) merge(work, from, middle, to, extra);
  return info;
}

function solveLeaf({ d, e, u, v }: Work, from: number, to: number, extra: number): number {
  // With a zero at the end of the diagonal, the matrix is square, and the last left vector does not take part.
  const n = to - from + extra;
  const values = new Float64Array(n);
  const offDiagonal = new Float64Array(n);
  values.set(d.subarray(from, to));
  offDiagonal.set(e.subarray(from, from + n - 1));
  const [left, right] = [identity(n, n, false), identity(n, n, false)];
  const info = implicitQr(values, offDiagonal, left, right);
  for (let i = 0; i < n; i++) if (values[i]! < 0) for (let j = 0; j < n; j++) right.re[i * n + j]! *= -1;
  for (let i = from; i < to; i++) d[i] = Math.abs(values[i - from]!);
  const all = elementsOf(u);
  const write = (q: Block, { re }: Matrix, rows: number): void => {
    for (let i = 0; i < rows; i++) all.set(re.subarray(i * n, i * n + rows), q.re + (from + i) * q.row + from);
  };
  write(u, left, to - from);
  write(v, right, n);
  return info;
}

/** Joins the singular values and vectors of the rows above and below row `middle`. */
function merge(work: Work, from: number, middle: number, to: number, extra: number): void {
  const { d, e, u, v } = work;
  const end = to + extra;
  const z = new Float64Array(end);
  const kinds = new Uint8Array(end);
  const all = elementsOf(v);
  let max = Math.max(Math.abs(d[middle]!), Math.abs(e[middle]!));
  for (let i = from; i < end; i++) {
    const isFirst = i <= middle;
    z[i] = (isFirst ? d[middle]! : e[middle]!) * all[v.re + i * v.row + (isFirst ? middle : middle + 1)]!;
    kinds[i] = isFirst ? inHalf.first : inHalf.second;
    if (i !== middle && i < to) max = Math.max(max, d[i]!);
  }
  const tolerance = Math.max(4 * Number.EPSILON * max, work.floor);
  // Two null vectors become one that meets z, and one that does not.
  if (extra === 1) {
    const norm = Math.hypot(z[middle]!, z[to]!);
    if (norm > tolerance) rotateRange(all, v, middle, to, z[middle]! / norm, z[to]! / norm, from, end);
    z[middle] = norm;
    kinds[middle] = inHalf.both;
  }
  if (Math.abs(z[middle]!) <= tolerance) z[middle] = tolerance;
  all[u.re + middle * u.row + middle] = 1;
  d[middle] = 0;
  const deflated = deflateValues(work, z, kinds, from, middle, to, end, tolerance);
  const { kept, dropped } = deflated;
  const count = kept.length;
  const poles = Float64Array.from(kept, (i) => d[i]!);
  // The pole 0 is exact; the next one is kept apart from it.
  if (count > 1) poles[1] = Math.max(poles[1]!, tolerance / 2);
  const roots = solveSecular(
    { at: poles, areSquared: true },
    Float64Array.from(kept, (i) => z[i]!),
    1,
  );
  const group = groupRows(deflated, kinds);
  withBlocks(
    [
      [count, count],
      [count, count],
    ],
    (left, right) => {
      // Of root x_i, the right vector is z_j / (p_j^2 - x_i), the left one p_j times that, with -1 for the pole 0.
      const [lefts, rights] = [rowsOf(left), rowsOf(right)];
      const vector = new Float64Array(count);
      for (let i = 0; i < count; i++) {
        divideInto(vector, roots.z, roots.differences, i * count);
        writeNormalized(rights.re, i * rights.cols, vector, group);
        for (let j = 1; j < count; j++) vector[j]! *= poles[j]!;
        vector[0] = -1;
        writeNormalized(lefts.re, i * lefts.cols, vector, group);
      }
      recombine(u, left, deflated, kinds, group, from, middle + 1, to);
      recombine(v, right, deflated, kinds, group, from, middle + 1, end);
    },
  );
  const unchanged = dropped.map((i) => d[i]!);
  for (let i = 0; i < count; i++) {
    const [pole, shift] = [poles[roots.origin[i]!]!, roots.shift[i]!];
    d[from + i] = pole + shift / (pole + Math.sqrt(Math.max(0, pole * pole + shift)));
  }
  d.set(unchanged, from + count);
}

/** Drops the values of both parts that are also singular values of the whole, up to rounding. The pole 0 of row `middle` is kept first. */
function deflateValues(
  { d, u, v }: Work,
  z: Float64Array,
  kinds: Uint8Array,
  from: number,
  middle: number,
  to: number,
  end: number,
  tolerance: number,
): Deflated {
  const all = elementsOf(u);
  const order: number[] = [];
  for (let i = from; i < to; i++) if (i !== middle) order.push(i);
  order.sort((i, j) => d[i]! - d[j]!);
  order.unshift(middle);
  return deflate(
    order,
    z,
    kinds,
    (i) => i !== middle && Math.abs(z[i]!) <= tolerance,
    (i, j, c, s) => {
      if (i === middle || d[j]! - d[i]! > tolerance) return false;
      rotateRange(all, u, i, j, c, s, from, to);
      rotateRange(all, v, i, j, c, s, from, end);
      return true;
    },
  );
}
