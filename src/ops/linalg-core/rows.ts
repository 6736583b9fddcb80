/**
 * The inner loops of the linear algebra: a few operations on contiguous rows of real or complex matrices. All routines are
 * written in terms of these. A factor is two numbers (re, im), and the im of a real row is never touched.
 * Ranges are columns `from` <= j < `to`.
 */
import type { Matrix } from "./matrix.ts";

/** y[i] += f * x[k]; `y` is complex if `x` or `f` is. */
export function addRow(
  y: Matrix,
  i: number,
  x: Matrix,
  k: number,
  fr: number,
  fi: number,
  from: number,
  to: number,
): void {
  if (fr === 0 && fi === 0) return;
  if (fr !== 0) add(y.re, i * y.cols, x.re, k * x.cols, fr, from, to);
  if (y.im === null) return;
  if (fi !== 0) add(y.im, i * y.cols, x.re, k * x.cols, fi, from, to);
  if (x.im === null) return;
  if (fr !== 0) add(y.im, i * y.cols, x.im, k * x.cols, fr, from, to);
  if (fi !== 0) add(y.re, i * y.cols, x.im, k * x.cols, -fi, from, to);
}

function add(y: Float64Array, yAt: number, x: Float64Array, xAt: number, f: number, from: number, to: number): void {
  let j = from;
  for (; j + 3 < to; j += 4) {
    y[yAt + j]! += f * x[xAt + j]!;
    y[yAt + j + 1]! += f * x[xAt + j + 1]!;
    y[yAt + j + 2]! += f * x[xAt + j + 2]!;
    y[yAt + j + 3]! += f * x[xAt + j + 3]!;
  }
  for (; j < to; j++) y[yAt + j]! += f * x[xAt + j]!;
}

function dot(x: Float64Array, xAt: number, y: Float64Array, yAt: number, from: number, to: number): number {
  let a = 0;
  let b = 0;
  let j = from;
  for (; j + 1 < to; j += 2) {
    a += x[xAt + j]! * y[yAt + j]!;
    b += x[xAt + j + 1]! * y[yAt + j + 1]!;
  }
  return j < to ? a + b + x[xAt + j]! * y[yAt + j]! : a + b;
}

/** Returns the real part of the sum over x[i] * conj(y[k]). */
export function dotRe(x: Matrix, i: number, y: Matrix, k: number, from: number, to: number): number {
  const real = dot(x.re, i * x.cols, y.re, k * y.cols, from, to);
  return x.im === null || y.im === null ? real : real + dot(x.im, i * x.cols, y.im, k * y.cols, from, to);
}

/** Returns the imaginary part of the sum over x[i] * conj(y[k]). */
export function dotIm(x: Matrix, i: number, y: Matrix, k: number, from: number, to: number): number {
  const plus = x.im === null ? 0 : dot(x.im, i * x.cols, y.re, k * y.cols, from, to);
  return y.im === null ? plus : plus - dot(x.re, i * x.cols, y.im, k * y.cols, from, to);
}

/** Returns the Euclidean norm of a row, without overflow and without loss of small numbers. */
export function rowNorm(x: Matrix, i: number, from: number, to: number): number {
  const square = dotRe(x, i, x, i, from, to);
  if (square > 1e-280 && square < 1e280) return Math.sqrt(square);
  let norm = 0;
  for (let j = i * x.cols + from; j < i * x.cols + to; j++) norm = Math.hypot(norm, x.re[j]!, imAt(x, j));
  return norm;
}

/**
 * y[yAt + j] += sign * sum over k < count of f[fAt + k * fStep] * x[xAt + k * stride + j], for j < length: a row plus a sum of multiples of
 * rows, four at a time. Rows with a factor of 0 are not read.
 */
export function addRows(
  y: Float64Array,
  yAt: number,
  f: Float64Array,
  fAt: number,
  fStep: number,
  x: Float64Array,
  xAt: number,
  stride: number,
  count: number,
  length: number,
  sign: number,
): void {
  let k = 0;
  for (; k + 3 < count; k += 4) {
    const f0 = sign * f[fAt + k * fStep]!;
    const f1 = sign * f[fAt + (k + 1) * fStep]!;
    const f2 = sign * f[fAt + (k + 2) * fStep]!;
    const f3 = sign * f[fAt + (k + 3) * fStep]!;
    const x0 = xAt + k * stride;
    const x1 = x0 + stride;
    const x2 = x1 + stride;
    const x3 = x2 + stride;
    if (f0 * f1 * f2 * f3 === 0) {
      // A factor of 0 does not multiply: its row may be infinite.
      for (let i = 0; i < 4; i++) addOne(y, yAt, sign * f[fAt + (k + i) * fStep]!, x, x0 + i * stride, length);
      continue;
    }
    for (let j = 0; j < length; j++)
      y[yAt + j]! += f0 * x[x0 + j]! + f1 * x[x1 + j]! + (f2 * x[x2 + j]! + f3 * x[x3 + j]!);
  }
  for (; k < count; k++) addOne(y, yAt, sign * f[fAt + k * fStep]!, x, xAt + k * stride, length);
}

function addOne(y: Float64Array, yAt: number, f: number, x: Float64Array, xAt: number, length: number): void {
  if (f !== 0) add(y, yAt, x, xAt, f, 0, length);
}

/**
 * y[yAt + i * yStep] += sign * sum over j < length of x[xAt + i * stride + j] * z[zAt + j], for i < count: the products of rows with one
 * row, four at a time.
 */
export function addDots(
  y: Float64Array,
  yAt: number,
  yStep: number,
  x: Float64Array,
  xAt: number,
  stride: number,
  z: Float64Array,
  zAt: number,
  count: number,
  length: number,
  sign: number,
): void {
  let i = 0;
  for (; i + 3 < count; i += 4) {
    const x0 = xAt + i * stride;
    const x1 = x0 + stride;
    const x2 = x1 + stride;
    const x3 = x2 + stride;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let j = 0; j < length; j++) {
      const f = z[zAt + j]!;
      s0 += f * x[x0 + j]!;
      s1 += f * x[x1 + j]!;
      s2 += f * x[x2 + j]!;
      s3 += f * x[x3 + j]!;
    }
    const to = yAt + i * yStep;
    y[to]! += sign * s0;
    y[to + yStep]! += sign * s1;
    y[to + 2 * yStep]! += sign * s2;
    y[to + 3 * yStep]! += sign * s3;
  }
  for (; i < count; i++) y[yAt + i * yStep]! += sign * dot(x, xAt + i * stride, z, zAt, 0, length);
}

/** Returns sqrt(x^2 + y^2), without overflow and without loss of small numbers. */
export function hypotenuse(x: number, y: number): number {
  const square = x * x + y * y;
  return square > 1e-280 && square < 1e280 ? Math.sqrt(square) : Math.hypot(x, y);
}

/** x[i] /= d */
export function divideRow(x: Matrix, i: number, dr: number, di: number, from: number, to: number): void {
  const at = i * x.cols;
  for (let j = at + from; j < at + to; j++)
    if (di === 0) {
      x.re[j]! /= dr;
      if (x.im !== null) x.im[j]! /= dr;
    } else {
      const q = divide(x.re[j]!, imAt(x, j), dr, di);
      put(x, j, q.re, q.im);
    }
}

/** Swaps two rows. */
export function swapRows(x: Matrix, i: number, k: number, from = 0, to = x.cols): void {
  if (i === k) return;
  swap(x.re, i * x.cols, k * x.cols, from, to);
  if (x.im !== null) swap(x.im, i * x.cols, k * x.cols, from, to);
}

function swap(x: Float64Array, iAt: number, kAt: number, from: number, to: number): void {
  for (let j = from; j < to; j++) {
    const value = x[iAt + j]!;
    x[iAt + j] = x[kAt + j]!;
    x[kAt + j] = value;
  }
}

/** x[i], x[k] = c * x[i] + s * x[k], c * x[k] - s * x[i] */
export function rotateRows(x: Matrix, i: number, k: number, c: number, s: number): void {
  rotate(x.re, i * x.cols, k * x.cols, c, s, x.cols);
  if (x.im !== null) rotate(x.im, i * x.cols, k * x.cols, c, s, x.cols);
}

function rotate(x: Float64Array, iAt: number, kAt: number, c: number, s: number, length: number): void {
  for (let j = 0; j < length; j++) {
    const a = x[iAt + j]!;
    const b = x[kAt + j]!;
    x[iAt + j] = c * a + s * b;
    x[kAt + j] = c * b - s * a;
  }
}

/** Conjugates a row in place. */
export function conjugateRow(x: Matrix, i: number, from: number, to: number): void {
  if (x.im !== null) for (let j = i * x.cols + from; j < i * x.cols + to; j++) x.im[j] = -x.im[j]!;
}

/** Returns the imaginary part of the element at a flat index. */
export function imAt(x: Matrix, at: number): number {
  return x.im === null ? 0 : x.im[at]!;
}

/** Writes the element at a flat index. */
export function put(x: Matrix, at: number, re: number, im: number): void {
  x.re[at] = re;
  if (x.im !== null) x.im[at] = im;
}

/** A complex number. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** Returns the product of two complex numbers. */
export function times(ar: number, ai: number, br: number, bi: number): Complex {
  return { re: ar * br - ai * bi, im: ar * bi + ai * br };
}

/** Returns the quotient of two complex numbers, without intermediate overflow. */
export function divide(ar: number, ai: number, br: number, bi: number): Complex {
  if (bi === 0) return { re: ar / br, im: ai / br };
  if (Math.abs(br) >= Math.abs(bi)) {
    const ratio = bi / br;
    const d = br + bi * ratio;
    return { re: (ar + ai * ratio) / d, im: (ai - ar * ratio) / d };
  }
  const ratio = br / bi;
  const d = br * ratio + bi;
  return { re: (ar * ratio + ai) / d, im: (ai * ratio - ar) / d };
}
