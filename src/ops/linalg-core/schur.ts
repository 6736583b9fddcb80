/**
 * The Schur form of a general matrix: A = Z T Z^H with T upper triangular or, for a real matrix, with 2 x 2 blocks on the
 * diagonal for pairs of complex eigenvalues. Reflections reduce the matrix to Hessenberg form, then the shifted QR method runs: single
 * shifts for complex matrices, Francis's double shifts for real ones. Both chase one small reflection.
 */
import { identity, largest, type Matrix, zeros } from "./matrix.ts";
import { accumulate, conj, makeReflection, reflectColumnAway, reflectColumns } from "./reflector.ts";
import { type Complex, conjugateRow, divide, imAt, put, rotateRows, times } from "./rows.ts";

/** Reduces `a` in place to H with zeros below the subdiagonal; returns Z^H of A = Z H Z^H, or null if not requested. */
export function hessenberg(a: Matrix, withVectors: boolean): Matrix | null {
  const n = a.rows;
  const complex = a.im !== null;
  const u = zeros(Math.max(n - 2, 0), n, complex);
  const work = zeros(1, n, complex);
  const taus: Complex[] = [];
  for (let k = 0; k < n - 2; k++) {
    const { tau } = reflectColumnAway(a, k + 1, k, u, k, work);
    taus.push(tau);
    reflectColumns(a, 0, n, u, k, k + 1, n, tau);
    for (let i = k + 2; i < n; i++) put(a, i * n + k, 0, 0);
  }
  return withVectors ? accumulate(u, taus, 1, identity(n, n, complex)) : null;
}

/**
 * Turns a Hessenberg matrix into its Schur form in place and updates `zh` (Z^H). Without `zh` only the diagonal blocks of T are correct.
 * Returns 0, or the number of eigenvalues that did not converge.
 */
export function schur(h: Matrix, zh: Matrix | null): number {
  const n = h.rows;
  const complex = h.im !== null;
  const v = zeros(1, complex ? 2 : 3, complex);
  // Smaller elements are treated as 0, so that squares do not underflow.
  const floor = largest(h) * 1e-100;
  let turns = 0;
  for (let high = n - 1; high > 0; ) {
    let low = high;
    while (low > 0 && !isNegligible(h, low, floor)) low--;
    if (low > 0) put(h, low * n + low - 1, 0, 0);
    if (low === high || (!complex && low === high - 1)) {
      if (low < high) splitPair(h, low, zh);
      high = low - 1;
      turns = 0;
      continue;
    }
    if (turns++ === 300) return high + 1;
    // Every tenth shift is of a different kind, which breaks cycles.
    const odd = turns % 10 === 0;
    if (complex) firstOfSingle(h, low, high, odd, v);
    else firstOfDouble(h, low, high, odd, v);
    for (let k = low; k < high; k++) {
      const width = Math.min(v.cols, high - k + 1);
      if (k > low) for (let i = 0; i < width; i++) put(v, i, h.re[(k + i) * n + k - 1]!, imAt(h, (k + i) * n + k - 1));
      const { beta, tau } = makeReflection(v, 0, 0, width);
      if (k > low) for (let i = 0; i < width; i++) put(h, (k + i) * n + k - 1, i === 0 ? beta : 0, 0);
      reflectShort(h, k * n + k, (zh ? n : high + 1) - k, 1, n, v, width, conj(tau));
      if (zh !== null) reflectShort(zh, k * n, n, 1, n, v, width, conj(tau));
      conjugateRow(v, 0, 0, width);
      const top = zh ? 0 : low;
      reflectShort(h, top * n + k, Math.min(k + width, high) + 1 - top, n, 1, v, width, tau);
    }
  }
  return 0;
}

/**
 * True if element (k, k - 1) may be set to 0: it is small relative to the diagonal, and so is the change of the eigenvalues, its product
 * with the element across the diagonal divided by the differences on it (Ahues and Tisseur, LAPACK Working Note 122).
 */
function isNegligible(h: Matrix, k: number, floor: number): boolean {
  const n = h.cols;
  const { re } = h;
  const at = k * n + k;
  const size = (index: number) => Math.abs(re[index]!) + Math.abs(imAt(h, index));
  const below = size(at - 1);
  if (below <= floor) return true;
  const [last, first] = [size(at), size(at - n - 1)];
  let around = last + first;
  if (around === 0) around = (k > 1 ? size(at - n - 2) : 0) + (k + 1 < n ? size(at + n) : 0);
  if (below > Number.EPSILON * around) return false;
  const across = size(at - n);
  const apart = Math.abs(re[at - n - 1]! - re[at]!) + Math.abs(imAt(h, at - n - 1) - imAt(h, at));
  const [more, less] = [Math.max(last, apart), Math.min(last, apart)];
  const max = Math.max(below, across);
  const sum = more + max;
  return Math.min(below, across) * (max / sum) <= Math.max(floor, Number.EPSILON * (less * (more / sum)));
}

/**
 * x = x - (tau sum of x[i] conj(v[i])) v, v[0] = 1, for `count` short vectors x: the first at `at`, `step` apart, their
 * elements `gap` apart. Down the columns that is I - tau v v^H from the left, along the rows I - tau v^H v from the right.
 */
function reflectShort(
  a: Matrix,
  at: number,
  count: number,
  step: number,
  gap: number,
  v: Matrix,
  width: number,
  tau: Complex,
): void {
  const { re, im } = a;
  const v1 = v.re[1]!;
  const end = at + count * step;
  if (im === null) {
    // A vector of two elements reads its first one again as a third, with factor 0, and overwrites it last.
    const v2 = width === 3 ? v.re[2]! : 0;
    const third = width === 3 ? 2 * gap : 0;
    for (let i = at; i < end; i += step) {
      const x0 = re[i]!;
      const x1 = re[i + gap]!;
      const x2 = re[i + third]!;
      const f = tau.re * (x0 + x1 * v1 + x2 * v2);
      re[i + third] = x2 - f * v2;
      re[i + gap] = x1 - f * v1;
      re[i] = x0 - f;
    }
    return;
  }
  const w1 = v.im![1]!;
  for (let i = at; i < end; i += step) {
    const x0 = re[i]!;
    const y0 = im[i]!;
    const x1 = re[i + gap]!;
    const y1 = im[i + gap]!;
    const sr = x0 + x1 * v1 + y1 * w1;
    const si = y0 + y1 * v1 - x1 * w1;
    const fr = tau.re * sr - tau.im * si;
    const fi = tau.re * si + tau.im * sr;
    re[i] = x0 - fr;
    im[i] = y0 - fi;
    re[i + gap] = x1 - fr * v1 + fi * w1;
    im[i + gap] = y1 - fr * w1 - fi * v1;
  }
}

/** The first column of H - shift; the shift is the eigenvalue of the last 2 x 2 nearest to its corner. */
function firstOfSingle(h: Matrix, low: number, high: number, odd: boolean, v: Matrix): void {
  const n = h.cols;
  const at = high * n + high;
  const below = { re: h.re[at - 1]!, im: imAt(h, at - 1) };
  let sr = h.re[at]!;
  let si = imAt(h, at);
  if (odd) sr += 0.75 * Math.hypot(below.re, below.im);
  else {
    const bc = times(below.re, below.im, h.re[at - n]!, imAt(h, at - n));
    const pr = (h.re[at - n - 1]! - sr) / 2;
    const pi = (imAt(h, at - n - 1) - si) / 2;
    const root = squareRoot(pr * pr - pi * pi + bc.re, 2 * pr * pi + bc.im);
    const sign = pr * root.re + pi * root.im < 0 ? -1 : 1;
    const d = { re: pr + sign * root.re, im: pi + sign * root.im };
    if (d.re !== 0 || d.im !== 0) {
      const q = divide(bc.re, bc.im, d.re, d.im);
      sr -= q.re;
      si -= q.im;
    }
  }
  const top = low * n + low;
  put(v, 0, h.re[top]! - sr, imAt(h, top) - si);
  put(v, 1, h.re[top + n]!, imAt(h, top + n));
}

/** The first column of (H - a)(H - b), a and b the eigenvalues of the last 2 x 2, divided by the first subdiagonal element. */
function firstOfDouble(h: Matrix, low: number, high: number, odd: boolean, v: Matrix): void {
  const n = h.cols;
  const { re } = h;
  const at = high * n + high;
  let x = re[at]!;
  let y = re[at - n - 1]!;
  let w = re[at - 1]! * re[at - n]!;
  if (odd) {
    const s = Math.abs(re[at - 1]!) + Math.abs(re[at - n - 2]!);
    x += 0.75 * s;
    y = x;
    w = -0.4375 * s * s;
  }
  const half = (y - x) / 2;
  const square = half * half + w;
  if (square >= 0) {
    // Of two real shifts, the one nearer to the corner is used twice.
    const z = half + (half < 0 ? -1 : 1) * Math.sqrt(square);
    if (z !== 0) x -= w / z;
    y = x;
    w = 0;
  }
  const top = low * n + low;
  const z = re[top]!;
  v.re[0] = ((x - z) * (y - z) - w) / re[top + n]! + re[top + 1]!;
  v.re[1] = re[top + n + 1]! - z - (x - z) - (y - z);
  v.re[2] = re[top + 2 * n + 1]!;
}

/** Rotates a real 2 x 2 block with real eigenvalues to triangular form; a block with a complex pair stays. */
function splitPair(h: Matrix, low: number, zh: Matrix | null): void {
  const n = h.cols;
  const { re } = h;
  const at = low * n + low;
  const below = re[at + n]!;
  const last = re[at + n + 1]!;
  const p = (re[at]! - last) / 2;
  const product = re[at + 1]! * below;
  const q = p * p + product;
  if (q < 0) return;
  const z = p + (p < 0 ? -1 : 1) * Math.sqrt(q);
  const r = Math.hypot(below, z);
  const c = z / r;
  const s = below / r;
  rotateRows(h, low, low + 1, c, s);
  if (zh !== null) rotateRows(zh, low, low + 1, c, s);
  for (let i = 0; i < low + 2; i++) {
    const a = re[i * n + low]!;
    const b = re[i * n + low + 1]!;
    re[i * n + low] = c * a + s * b;
    re[i * n + low + 1] = c * b - s * a;
  }
  // These eigenvalues are more exact than those of the rotated block.
  re[at] = last + z;
  re[at + n] = 0;
  re[at + n + 1] = z === 0 ? last : last - product / z;
}

/** Returns the square root with a non-negative real part. */
function squareRoot(re: number, im: number): Complex {
  const size = Math.hypot(re, im);
  if (size === 0) return { re: 0, im: 0 };
  const half = Math.sqrt((size + Math.abs(re)) / 2);
  if (re >= 0) return { re: half, im: im / (2 * half) };
  return { re: Math.abs(im) / (2 * half), im: im < 0 ? -half : half };
}
