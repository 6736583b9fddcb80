/**
 * Eigenvalues and eigenvectors of a real tridiagonal matrix by divide and conquer (Cuppen; Gu and Eisenstat), as in LAPACK's stedc.
 * The matrix is split into two smaller ones and a correction of rank 1; the eigenvalues of the whole are the roots of a secular
 * equation, and its eigenvectors those of the halves times a matrix, which is a product.
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
import { implicitQl } from "./implicit-ql.ts";
import { identity } from "./matrix.ts";
import { solveSecular } from "./secular.ts";

/**
 * Turns the tridiagonal matrix (d, e) into its eigenvalues in `d`, in any order, and writes the eigenvectors to the rows of `q`.
 * Returns 0, or the number of eigenvalues that did not converge.
 */
export function divideTridiagonal(d: Float64Array, e: Float64Array, q: Block): number {
  clear(q);
  // Far below the rounding of the largest elements; their squares would underflow.
  let max = 0;
  for (let i = 0; i < d.length; i++) max = Math.max(max, Math.abs(d[i]!), Math.abs(e[i]!));
  for (let i = 0; i < e.length; i++) if (Math.abs(e[i]!) <= 1e-40 * max) e[i] = 0;
  return solveRange(d, e, q, 0, d.length);
}

function solveRange(d: Float64Array, e: Float64Array, q: Block, from: number, to: number): number {
  const n = to - from;
  if (n <= leafSize) {
    const rows = identity(n, n, false);
    const offDiagonal = new Float64Array(n);
    offDiagonal.set(e.subarray(from, to - 1));
    const info = implicitQl(d.subarray(from, to), offDiagonal, rows);
    const all = elementsOf(q);
    for (let i = 0; i < n; i++) all.set(rows.re.subarray(i * n, (i + 1) * n), q.re + (from + i) * q.row + from);
    return info;
  }
  const middle = from + (n >> 1);
  const coupling = e[middle - 1]!;
  d[middle - 1]! -= Math.abs(coupling);
  d[middle]! -= Math.abs(coupling);
  const info = solveRange(d, e, q, from, middle) || solveRange(d, e, q, middle, to);
  if (info === 0) merge(d, q, from, middle, to, coupling);
  return info;
}

/** Joins the eigenvalues and vectors of two halves, with the element between them. */
function merge(d: Float64Array, q: Block, from: number, middle: number, to: number, coupling: number): void {
  const rho = 2 * Math.abs(coupling);
  const z = new Float64Array(to);
  const kinds = new Uint8Array(to);
  const all = elementsOf(q);
  for (let i = from; i < to; i++) {
    // The elements of both vectors next to the cut, as a vector of norm 1.
    const sign = i >= middle && coupling < 0 ? -1 : 1;
    z[i] = sign * Math.SQRT1_2 * all[q.re + i * q.row + (i < middle ? middle - 1 : middle)]!;
    kinds[i] = i < middle ? inHalf.first : inHalf.second;
  }
  const deflated = deflateEigenvalues(d, q, z, kinds, rho, from, to);
  const { kept, dropped } = deflated;
  const count = kept.length;
  const poles = Float64Array.from(kept, (i) => d[i]!);
  const roots = solveSecular(
    { at: poles, areSquared: false },
    Float64Array.from(kept, (i) => z[i]!),
    rho,
  );
  const group = groupRows(deflated, kinds);
  withBlocks([[count, count]], (factors) => {
    // Row i is the eigenvector z_j / (p_j - x_i) of root i.
    const { re, cols } = rowsOf(factors);
    const vector = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      divideInto(vector, roots.z, roots.differences, i * count);
      writeNormalized(re, i * cols, vector, group);
    }
    recombine(q, factors, deflated, kinds, group, from, middle, to);
  });
  const unchanged = dropped.map((i) => d[i]!);
  for (let i = 0; i < count; i++) d[from + i] = poles[roots.origin[i]!]! + roots.shift[i]!;
  d.set(unchanged, from + count);
}

/** Drops the eigenvalues of the halves that are also eigenvalues of the whole, up to rounding. */
function deflateEigenvalues(
  d: Float64Array,
  q: Block,
  z: Float64Array,
  kinds: Uint8Array,
  rho: number,
  from: number,
  to: number,
): Deflated {
  const all = elementsOf(q);
  let max = 0;
  for (let i = from; i < to; i++) max = Math.max(max, Math.abs(d[i]!), Math.abs(z[i]!));
  const tolerance = 4 * Number.EPSILON * max;
  const order = Array.from({ length: to - from }, (_, i) => from + i).sort((i, j) => d[i]! - d[j]!);
  return deflate(
    order,
    z,
    kinds,
    (i) => rho * Math.abs(z[i]!) <= tolerance,
    (i, j, c, s) => {
      if (Math.abs((d[j]! - d[i]!) * c * s) > tolerance) return false;
      rotateRange(all, q, i, j, c, s, from, to);
      const first = d[i]! * c * c + d[j]! * s * s;
      d[j] = d[i]! * s * s + d[j]! * c * c;
      d[i] = first;
      return true;
    },
  );
}
