/**
 * The singular value decomposition A = U diag(s) V^H, s descending: Householder reflections to a real bidiagonal
 * matrix, then divide and conquer for the vectors of a large matrix, or the implicitly shifted QR method of Golub and Kahan. A tall matrix is reduced to its R first.
 * `info` is 0, -1 if an element is not finite, or the number of values that did not converge.
 */
import { listOf } from "../../base/list-of.ts";
import { type Bidiagonal, bidiagonalize, bidiagonalizeBlock } from "./bidiagonal.ts";
import { blockedSize, part as blockPart, load, unload, withBlocks } from "./block.ts";
import { divideBidiagonal } from "./divide-bidiagonal.ts";
import { implicitQr } from "./implicit-qr.ts";
import { adjoint, corner, identity, type Matrix, takeRows, tame, triangle, zeros } from "./matrix.ts";
import { applyQ, qrFactor } from "./qr.ts";
import { accumulate } from "./reflector.ts";
import { applyReflections } from "./reflector-block.ts";
import { divideRow } from "./rows.ts";

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
  const b: Bidiagonal = { d: s, e: new Float64Array(n) };
  const count = part === "values" ? null : tall === null ? all : n;
  const { uh, vh: rows, info } = n < blockedSize ? byRotations(work, b, count) : byBlocks(work, b, count);
  const values = Float64Array.from(s, Math.abs);
  const order = Array.from(values.keys()).sort((i, j) => values[j]! - values[i]!);
  let u: Matrix | null = null;
  let vh: Matrix | null = null;
  if (uh !== null && rows !== null) {
    for (let i = 0; i < n; i++) if (s[i]! < 0) divideRow(rows, i, -1, 0, 0, n);
    vh = takeRows(rows, order);
    u = adjoint(takeRows(uh, order.concat(listOf(uh.rows - n, (i) => n + i))));
    if (tall !== null) u = applyQ(tall, extended(u, m, all));
  }
  return { u, s: Float64Array.from(order, (i) => values[i]! * factor), vh, info };
}

/** The singular values in `d`, some of them negative, with `count` rows of U^H, and V^H, in any order; without vectors if it is null. */
interface Unsorted {
  readonly uh: Matrix | null;
  readonly vh: Matrix | null;
  readonly info: number;
}

function byRotations(work: Matrix, b: Bidiagonal, count: number | null): Unsorted {
  const n = work.cols;
  const complex = work.im !== null;
  const { left, leftTaus, rightTaus } = bidiagonalize(work, b);
  const uh = count === null ? null : accumulate(left, leftTaus, 0, identity(count, work.rows, complex));
  const vh = count === null ? null : accumulate(work, rightTaus, 1, identity(n, n, complex));
  return { uh, vh, info: implicitQr(b.d, b.e, uh, vh) };
}

function byBlocks(work: Matrix, b: Bidiagonal, count: number | null): Unsorted {
  const { rows: m, cols: n } = work;
  const complex = work.im !== null;
  return withBlocks(
    [
      [m, n, complex],
      [n, m, complex],
    ],
    (a, left) => {
      load(a, work);
      const { leftTaus, rightTaus } = bidiagonalizeBlock(a, left, b);
      if (count === null) return { uh: null, vh: null, info: implicitQr(b.d, b.e, null, null) };
      return withBlocks(
        [
          [n, n],
          [n, n],
          [count, m, complex],
          [n, n, complex],
        ],
        (u, v, uh, vh) => {
          const info = divideBidiagonal(b.d, b.e, u, v);
          load(uh, extended(unload(u), count, m));
          load(vh, unload(v));
          applyReflections(uh, (k) => blockPart(left, k, k + 1, 0, m), leftTaus, 0, true);
          applyReflections(vh, (k) => blockPart(a, k, k + 1, 0, n), rightTaus, 1, true);
          return { uh: unload(uh), vh: unload(vh), info };
        },
      );
    },
  );
}

/** Returns `a` extended to rows x cols by an identity. */
function extended(a: Matrix, rows: number, cols: number): Matrix {
  const result = corner(a, rows, cols);
  for (let i = Math.min(a.rows, a.cols); i < rows && i < cols; i++) result.re[i * cols + i] = 1;
  return result;
}
