/**
 * Eigenvalues and eigenvectors of a real tridiagonal matrix by divide and conquer (Cuppen; Gu and Eisenstat), as in LAPACK's stedc.
 * The matrix is split into two smaller ones and a correction of rank 1; the eigenvalues of the whole are the roots of a secular
 * equation, and its eigenvectors those of the halves times a matrix, which is a product.
 */
import { type Block, copyBlock, elementsOf, fill, part, rowsOf, withBlocks } from "./block.ts";
import { setProduct } from "./block-product.ts";
import { implicitQl } from "./implicit-ql.ts";
import { identity } from "./matrix.ts";
import { solveSecular } from "./secular.ts";

/** Matrices up to this size are solved by rotations. */
const leafSize = 24;

/**
 * Turns the tridiagonal matrix (d, e) into its eigenvalues in `d`, in any order, and writes the eigenvectors to the rows of `q`.
 * Returns 0, or the number of eigenvalues that did not converge.
 */
export function divideTridiagonal(d: Float64Array, e: Float64Array, q: Block): number {
  fill(q, 0);
  // Far below the rounding of the largest elements; their squares would underflow.
  let most = 0;
  for (let i = 0; i < d.length; i++) most = Math.max(most, Math.abs(d[i]!), Math.abs(e[i]!));
  for (let i = 0; i < e.length; i++) if (Math.abs(e[i]!) <= 1e-40 * most) e[i] = 0;
  return solveRange(d, e, q, 0, d.length);
}

function solveRange(d: Float64Array, e: Float64Array, q: Block, from: number, to: number): number {
  const n = to - from;
  if (n <= leafSize) {
    const rows = identity(n, n, false);
    const beside = new Float64Array(n);
    beside.set(e.subarray(from, to - 1));
    const info = implicitQl(d.subarray(from, to), beside, rows);
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

/** The rows of a merge that take part in the secular equation, grouped: those of the first half, of both, of the second half. */
interface Kept {
  readonly poles: number[];
  readonly z: number[];
  readonly rows: number[];
  readonly kinds: number[];
}

/** Joins the eigenvalues and vectors of two halves, with the element between them. */
function merge(d: Float64Array, q: Block, from: number, middle: number, to: number, coupling: number): void {
  const rho = 2 * Math.abs(coupling);
  const { kept, dropped } = deflate(d, q, from, middle, to, coupling, rho);
  const count = kept.rows.length;
  const roots = solveSecular({ count, gap: (i, j) => kept.poles[j]! - kept.poles[i]! }, Float64Array.from(kept.z), rho);
  // Vectors are grouped by the half that they are zero in, so that no product is with these zeros.
  const group = Array.from(kept.rows.keys()).sort((i, j) => kept.kinds[i]! - kept.kinds[j]! || i - j);
  const left = kept.kinds.filter((kind) => kind < 2).length;
  const right = kept.kinds.filter((kind) => kind > 0).length;
  const droppedValues = dropped.map((row) => d[row]!);
  withBlocks(
    [
      [count, count],
      [left, middle - from],
      [right, to - middle],
      [dropped.length, to - from],
    ],
    (factors, leftRows, rightRows, rest) => {
      const rowOf = (row: number, first: number, last: number): Block => part(q, row, row + 1, first, last);
      group.forEach((k, at) => {
        const row = kept.rows[k]!;
        if (at < left) copyBlock(part(leftRows, at, at + 1, 0, middle - from), rowOf(row, from, middle));
        const rightAt = at - (count - right);
        if (rightAt >= 0) copyBlock(part(rightRows, rightAt, rightAt + 1, 0, to - middle), rowOf(row, middle, to));
      });
      dropped.forEach((row, at) => copyBlock(part(rest, at, at + 1, 0, to - from), rowOf(row, from, to)));
      writeVectors(rowsOf(factors).re, factors.row, roots.differences, roots.z, group);
      setProduct(part(q, from, from + count, from, middle), part(factors, 0, count, 0, left), leftRows);
      setProduct(part(q, from, from + count, middle, to), part(factors, 0, count, count - right, count), rightRows);
      copyBlock(part(q, from + count, to, from, to), rest);
    },
  );
  for (let i = 0; i < count; i++) d[from + i] = kept.poles[roots.origin[i]!]! + roots.shift[i]!;
  d.set(droppedValues, from + count);
}

/** Row i: the eigenvector z_j / (p_j - x_i) of root i, of norm 1, its elements in the order of `group`. */
function writeVectors(
  to: Float64Array,
  stride: number,
  differences: Float64Array,
  z: Float64Array,
  group: readonly number[],
): void {
  const count = z.length;
  const vector = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let square = 0;
    for (let j = 0; j < count; j++) {
      const x = z[j]! / differences[i * count + j]!;
      vector[j] = x;
      square += x * x;
    }
    const factor = 1 / Math.sqrt(square);
    for (let at = 0; at < count; at++) to[i * stride + at] = vector[group[at]!]! * factor;
  }
}

/**
 * Finds the eigenvalues of the halves that are also eigenvalues of the whole, up to rounding: those with a small element of z, and one of
 * two that are close, after a rotation of both vectors.
 */
function deflate(
  d: Float64Array,
  q: Block,
  from: number,
  middle: number,
  to: number,
  coupling: number,
  rho: number,
): { kept: Kept; dropped: number[] } {
  const all = elementsOf(q);
  const kept: Kept = { poles: [], z: [], rows: [], kinds: [] };
  const dropped: number[] = [];
  const z = new Float64Array(to);
  const kinds = new Uint8Array(to);
  let [mostD, mostZ] = [0, 0];
  for (let i = from; i < to; i++) {
    const sign = i >= middle && coupling < 0 ? -1 : 1;
    z[i] = sign * Math.SQRT1_2 * all[q.re + i * q.row + (i < middle ? middle - 1 : middle)]!;
    kinds[i] = i < middle ? 0 : 2;
    mostD = Math.max(mostD, Math.abs(d[i]!));
    mostZ = Math.max(mostZ, Math.abs(z[i]!));
  }
  const tolerance = 4 * Number.EPSILON * Math.max(mostD, mostZ);
  const order = Array.from({ length: to - from }, (_, i) => from + i).sort((i, j) => d[i]! - d[j]!);
  const keep = (i: number): void => {
    kept.poles.push(d[i]!);
    kept.z.push(z[i]!);
    kept.rows.push(i);
    kept.kinds.push(kinds[i]!);
  };
  let last = -1;
  for (const i of order) {
    if (rho * Math.abs(z[i]!) <= tolerance) {
      dropped.push(i);
      continue;
    }
    if (last >= 0) {
      const norm = Math.hypot(z[i]!, z[last]!);
      const c = z[i]! / norm;
      const s = -z[last]! / norm;
      if (Math.abs((d[i]! - d[last]!) * c * s) <= tolerance) {
        z[i] = norm;
        if (kinds[i] !== kinds[last]) kinds[i] = 1;
        rotate(all, q.re + last * q.row, q.re + i * q.row, c, s, from, to);
        const low = d[last]! * c * c + d[i]! * s * s;
        d[i] = d[last]! * s * s + d[i]! * c * c;
        d[last] = low;
        dropped.push(last);
        last = i;
        continue;
      }
      keep(last);
    }
    last = i;
  }
  if (last >= 0) keep(last);
  return { kept, dropped };
}

/** x, y = c x + s y, c y - s x for two rows at these indices. */
function rotate(all: Float64Array, x: number, y: number, c: number, s: number, from: number, to: number): void {
  for (let j = from; j < to; j++) {
    const [a, b] = [all[x + j]!, all[y + j]!];
    all[x + j] = c * a + s * b;
    all[y + j] = c * b - s * a;
  }
}
