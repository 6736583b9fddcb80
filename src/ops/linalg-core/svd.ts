/**
 * The singular value decomposition A = U diag(s) V^H, s descending: Householder reflections to a real bidiagonal
 * matrix, then the implicitly shifted QR method of Golub and Kahan. A tall matrix is reduced to its R first.
 * `info` is 0, -1 if an element is not finite, or the number of values that did not converge.
 */
import { listOf } from "../../base/list-of.ts";
import { adjoint, corner, identity, type Matrix, takeRows, tame, triangle, zeros } from "./matrix.ts";
import { applyQ, qrFactor } from "./qr.ts";
import { accumulate, conj, makeReflection, reflectColumnAway, reflectColumns } from "./reflector.ts";
import { type Complex, divideRow, rotateRows } from "./rows.ts";

/** U (m x k or m x m), the k = min(m, n) singular values, V^H (k x n or n x n); u and vh are null if not requested. */
interface Svd {
  readonly u: Matrix | null;
  readonly s: Float64Array;
  readonly vh: Matrix | null;
  readonly info: number;
}

/** The requested part of U and V^H: none, k columns and rows, or all. */
type SvdPart = "values" | "reduced" | "full";

/** Computes the singular values of any m x n matrix, and its singular vectors if requested. */
export function svd(a: Matrix, part: SvdPart = "reduced"): Svd {
  const { rows: m, cols: n } = a;
  if (m < n) {
    const { u, s, vh, info } = svd(adjoint(a), part);
    return { u: vh && adjoint(vh), s, vh: u && adjoint(u), info };
  }
  const complex = a.im !== null;
  const s = new Float64Array(n);
  const all = part === "full" ? m : n;
  const start = tame(a);
  if (start === null) {
    const none = part === "values";
    return {
      u: none ? null : zeros(m, all, complex),
      s: s.fill(NaN),
      vh: none ? null : zeros(n, n, complex),
      info: -1,
    };
  }
  const { matrix, factor } = start;
  // Reflections then act on the long columns of a tall matrix once, not twice.
  const tall = m > 1.6 * n && m > n + 1 ? qrFactor(matrix) : null;
  const work = tall === null ? matrix : triangle(corner(tall.packed, n, n), true);
  const e = new Float64Array(n);
  const { left, leftTaus, rightTaus } = bidiagonalize(work, s, e);
  let uh: Matrix | null = null;
  let vh: Matrix | null = null;
  if (part !== "values") {
    uh = accumulate(left, leftTaus, 0, identity(tall === null ? all : n, work.rows, complex));
    vh = accumulate(work, rightTaus, 1, identity(n, n, complex));
  }
  const info = implicitQr(s, e, uh, vh);
  const values = Float64Array.from(s, Math.abs);
  const order = Array.from(values.keys()).sort((i, j) => values[j]! - values[i]!);
  let u: Matrix | null = null;
  if (uh !== null && vh !== null) {
    for (let i = 0; i < n; i++) if (s[i]! < 0) divideRow(vh, i, -1, 0, 0, n);
    vh = takeRows(vh, order);
    u = adjoint(takeRows(uh, order.concat(listOf(uh.rows - n, (i) => n + i))));
    if (tall !== null) u = applyQ(tall, extended(u, m, all));
  }
  return { u, s: Float64Array.from(order, (i) => values[i]! * factor), vh, info };
}

/** Returns `a` extended to rows x cols by an identity. */
function extended(a: Matrix, rows: number, cols: number): Matrix {
  const result = corner(a, rows, cols);
  for (let i = a.cols; i < cols; i++) result.re[i * cols + i] = 1;
  return result;
}

/** Reduces `a` in place; row k of `left` is the vector of the k-th reflection of columns, row k of `a` that of rows. */
function bidiagonalize(a: Matrix, d: Float64Array, e: Float64Array) {
  const { rows: m, cols: n } = a;
  const left = zeros(n, m, a.im !== null);
  const work = zeros(1, n, a.im !== null);
  const leftTaus: Complex[] = [];
  const rightTaus: Complex[] = [];
  for (let k = 0; k < n; k++) {
    const column = reflectColumnAway(a, k, k, left, k, work);
    d[k] = column.beta;
    leftTaus.push(column.tau);
    if (k === n - 1) break;
    const row = makeReflection(a, k, k + 1, n);
    e[k] = row.beta;
    rightTaus.push(conj(row.tau));
    reflectColumns(a, k + 1, m, a, k, k + 1, n, conj(row.tau));
  }
  return { left, leftTaus, rightTaus };
}

/** Diagonalizes the bidiagonal matrix (d, e); rotations from the left are applied to `uh`, from the right to `vh`. */
function implicitQr(d: Float64Array, e: Float64Array, uh: Matrix | null, vh: Matrix | null): number {
  const EPS = Number.EPSILON * 0.5;
  const TINY = 1e-290;
  let turns = 0;
  for (let high = d.length - 1; high > 0; ) {
    let low = high;
    while (low > 0 && Math.abs(e[low - 1]!) > EPS * (Math.abs(d[low - 1]!) + Math.abs(d[low]!)) + TINY) low--;
    if (low > 0) e[low - 1] = 0;
    if (low === high) {
      high--;
      turns = 0;
      continue;
    }
    if (turns++ === 100 + 6 * d.length) return high + 1;
    let zero = high;
    while (
      zero >= low &&
      Math.abs(d[zero]!) > EPS * (Math.abs(zero < high ? e[zero]! : 0) + Math.abs(zero > low ? e[zero - 1]! : 0)) + TINY
    )
      zero--;
    if (zero === high) {
      // The last column can be rotated away.
      d[high] = 0;
      let f = e[high - 1]!;
      e[high - 1] = 0;
      for (let j = high - 1; j >= low && f !== 0; j--) {
        const t = Math.hypot(d[j]!, f);
        const c = d[j]! / t;
        const s = f / t;
        d[j] = t;
        if (j > low) {
          f = -s * e[j - 1]!;
          e[j - 1]! *= c;
        }
        if (vh !== null) rotateRows(vh, j, high, c, s);
      }
    } else if (zero >= low) {
      // The row of a zero can be rotated away: the block splits there.
      d[zero] = 0;
      let f = e[zero]!;
      e[zero] = 0;
      for (let j = zero + 1; j <= high && f !== 0; j++) {
        const t = Math.hypot(d[j]!, f);
        const c = d[j]! / t;
        const s = f / t;
        d[j] = t;
        f = -s * e[j]!;
        e[j]! *= c;
        if (uh !== null) rotateRows(uh, j, zero, c, s);
      }
    } else qrStep(d, e, low, high, uh, vh);
  }
  return 0;
}

/** One QR step on the block low ... high, which has no zero on its diagonal or superdiagonal. */
function qrStep(
  d: Float64Array,
  e: Float64Array,
  low: number,
  high: number,
  uh: Matrix | null,
  vh: Matrix | null,
): void {
  // The shift is the eigenvalue of the last 2 x 2 of B^T B nearest to its corner, all divided by `unit`.
  const unit = Math.max(
    Math.abs(d[high]!),
    Math.abs(d[high - 1]!),
    Math.abs(e[high - 1]!),
    Math.abs(d[low]!),
    Math.abs(e[low]!),
  );
  const last = d[high]! / unit;
  const before = d[high - 1]! / unit;
  const offDiagonal = e[high - 1]! / unit;
  const first = d[low]! / unit;
  const b = ((before + last) * (before - last) + offDiagonal * offDiagonal) / 2;
  const c2 = last * offDiagonal * (last * offDiagonal);
  let shift = 0;
  if (b !== 0 || c2 !== 0) shift = c2 / (b + (b < 0 ? -1 : 1) * Math.sqrt(b * b + c2));
  let f = (first + last) * (first - last) + shift;
  let g = first * (e[low]! / unit);
  for (let j = low; j < high; j++) {
    let t = Math.hypot(f, g);
    let c = t === 0 ? 1 : f / t;
    let s = t === 0 ? 0 : g / t;
    if (j > low) e[j - 1] = t;
    f = c * d[j]! + s * e[j]!;
    e[j] = c * e[j]! - s * d[j]!;
    g = s * d[j + 1]!;
    d[j + 1]! *= c;
    if (vh !== null) rotateRows(vh, j, j + 1, c, s);
    t = Math.hypot(f, g);
    c = t === 0 ? 1 : f / t;
    s = t === 0 ? 0 : g / t;
    d[j] = t;
    f = c * e[j]! + s * d[j + 1]!;
    d[j + 1] = c * d[j + 1]! - s * e[j]!;
    g = s * e[j + 1]!;
    e[j + 1]! *= c;
    if (uh !== null) rotateRows(uh, j, j + 1, c, s);
  }
  e[high - 1] = f;
}
