/**
 * Eigenvalues and eigenvectors of Hermitian matrices, A = V diag(w) V^H with w ascending: Householder reflections to a real
 * tridiagonal matrix, then the implicit QL method. Only one triangle is read.
 * `info` is 0, -1 if an element is not finite, or the number of eigenvalues that did not converge.
 */
import { adjoint, identity, type Matrix, mirrored, takeRows, tame, zeros } from "./matrix.ts";
import { accumulate, makeReflection } from "./reflector.ts";
import { addRow, type Complex, dotIm, dotRe, imAt, put, rotateRows } from "./rows.ts";

/** Eigenvalues in ascending order; `vectors` is n x n with one vector per column, or null if not requested. */
interface Eigh {
  readonly values: Float64Array;
  readonly vectors: Matrix | null;
  readonly info: number;
}

/** Computes the eigenvalues of the Hermitian matrix given by one triangle of `a`, and its eigenvectors if requested. */
export function eigh(a: Matrix, upper = false, withVectors = true): Eigh {
  const n = a.rows;
  const diagonal = new Float64Array(n);
  const start = tame(mirrored(a, upper));
  if (start === null)
    return { values: diagonal.fill(NaN), vectors: withVectors ? zeros(n, n, a.im !== null) : null, info: -1 };
  const { matrix, factor } = start;
  const offDiagonal = new Float64Array(n);
  const taus = tridiagonalize(matrix, diagonal, offDiagonal);
  let rows = withVectors ? accumulate(matrix, taus, 1, identity(n, n, a.im !== null)) : null;
  if (Math.abs(diagonal[0]!) > Math.abs(diagonal[n - 1]!)) {
    // QL converges faster when the large elements come last.
    diagonal.reverse();
    offDiagonal.subarray(0, n - 1).reverse();
    rows &&= takeRows(
      rows,
      Array.from(diagonal, (_, i) => n - 1 - i),
    );
  }
  const info = implicitQl(diagonal, offDiagonal, rows);
  const order = Array.from(diagonal.keys()).sort((i, j) => diagonal[i]! - diagonal[j]!);
  return {
    values: Float64Array.from(order, (i) => diagonal[i]! * factor),
    vectors: rows && adjoint(takeRows(rows, order)),
    info,
  };
}

/** Reduces `a` in place to tridiagonal form; row k, from column k + 1 on, keeps the vector of reflection k. */
function tridiagonalize(a: Matrix, diagonal: Float64Array, offDiagonal: Float64Array): Complex[] {
  const n = a.rows;
  const taus: Complex[] = [];
  const w = zeros(1, n, a.im !== null);
  for (let k = 0; k < n; k++) {
    diagonal[k] = a.re[k * n + k]!;
    if (k === n - 1) break;
    // Row k is the conjugate of column k, so its reflection from the right has the conjugate tau.
    const { beta, tau } = makeReflection(a, k, k + 1, n);
    const re = tau.re;
    const im = -tau.im;
    offDiagonal[k] = beta;
    taus.push({ re, im });
    if (re === 0 && im === 0) continue;
    // G^H A G = A - w u - (w u)^H with w = tau A u^H - (|tau|^2 u A u^H / 2) u^H.
    let form = 0;
    for (let i = k + 1; i < n; i++) {
      const pr = dotRe(a, i, a, k, k + 1, n);
      const pi = a.im === null ? 0 : dotIm(a, i, a, k, k + 1, n);
      form += a.re[k * n + i]! * pr - imAt(a, k * n + i) * pi;
      put(w, i, re * pr - im * pi, -re * pi - im * pr);
    }
    addRow(w, 0, a, k, (-(re * re + im * im) * form) / 2, 0, k + 1, n);
    for (let i = k + 1; i < n; i++) {
      addRow(a, i, a, k, -w.re[i]!, imAt(w, i), k + 1, n);
      addRow(a, i, w, 0, -a.re[k * n + i]!, imAt(a, k * n + i), k + 1, n);
    }
  }
  return taus;
}

/** Turns the tridiagonal matrix (d, e) into eigenvalues in `d`; the rotations are applied to `rows`, too. */
function implicitQl(d: Float64Array, e: Float64Array, rows: Matrix | null): number {
  const n = d.length;
  let most = 0;
  for (let i = 0; i < n; i++) most = Math.max(most, Math.abs(d[i]!) + Math.abs(e[i]!));
  const tiny = most * 1e-300;
  for (let low = 0; low < n; low++)
    for (let turns = 0; ; turns++) {
      let high = low;
      while (
        high < n - 1 &&
        Math.abs(e[high]!) > Number.EPSILON * 0.5 * (Math.abs(d[high]!) + Math.abs(d[high + 1]!)) + tiny
      )
        high++;
      if (high === low) break;
      if (turns === 100 + 6 * n) return n - low;
      const slope = (d[low + 1]! - d[low]!) / (2 * e[low]!);
      const root = Math.hypot(slope, 1);
      let g = d[high]! - d[low]! + e[low]! / (slope < 0 ? slope - root : slope + root);
      let s = 1;
      let c = 1;
      let p = 0;
      let i = high - 1;
      for (; i >= low; i--) {
        const f = s * e[i]!;
        const b = c * e[i]!;
        const r = Math.hypot(f, g);
        e[i + 1] = r;
        if (r === 0) {
          d[i + 1]! -= p;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1]! - p;
        const t = (d[i]! - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        if (rows !== null) rotateRows(rows, i, i + 1, c, -s);
      }
      e[high] = 0;
      if (i >= low) continue;
      d[low]! -= p;
      e[low] = g;
    }
  return 0;
}
