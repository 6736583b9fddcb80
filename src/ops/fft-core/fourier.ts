/**
 * The discrete Fourier transform of many lines, for any length n: complex to complex, real to complex, and complex to real.
 *
 *   target[k] = scale * sum over j < n of source[j] * e^(-2 pi i j k / n),   e^(+...) for the inverse.
 *
 * Arithmetic is in float64 for both kinds of array, and the error grows as log n. Scales, axes and shapes are up to the caller.
 *
 * The transform of n real numbers is determined by its first n / 2 + 1 values, since value n - k is the conjugate of value k. An even n
 * takes a complex transform of half the length, with the even numbers as real and the odd ones as imaginary parts; an odd n takes a whole
 * one.
 */
import {
  batchOf,
  eachBlock,
  type Floats,
  type FourierLines,
  loadComplex,
  loadReal,
  storeComplex,
  storeReal,
} from "./lines.ts";
import { execute, executeSplit, workFor } from "./plan.ts";
import { planFor, powersFor } from "./planner.ts";
import type { Powers } from "./roots.ts";

/**
 * Transforms outer x length x inner complex values to outer x n x inner.
 * The target may be the source if length = n; otherwise they must not overlap.
 */
export function fourier(source: Floats, target: Floats, lines: FourierLines, inverse = false, scale = 1): void {
  const { n, length, inner } = lines;
  const plan = planFor(n);
  const batch = batchOf(plan, lines);
  const sign = inverse ? -1 : 1;
  if (plan.kind === "split" && inner === 1 && length >= n && isDouble(source) && isDouble(target)) {
    // Long contiguous lines are transformed without a copy to a block.
    const middle = new Float64Array(2 * n);
    for (let line = 0; line < lines.outer; line++) {
      const from = source.subarray(2 * line * length, 2 * (line * length + n));
      executeSplit(plan, from, middle, target.subarray(2 * line * n, 2 * (line + 1) * n), sign, scale);
    }
    return;
  }
  const [a, b] = workFor(plan, batch);
  eachBlock(source, target, lines, n, batch, (from, to) => {
    loadComplex(a, from, Math.min(length, n), n, sign);
    storeComplex(execute(plan, a, b, from.lines), to, n, sign, scale);
  });
}

const isDouble = (data: Floats): data is Float64Array => data.BYTES_PER_ELEMENT === 8;

/**
 * Real to complex: target[k] = scale * sum over j < n of source[j] * e^(-2 pi i j k / n) for k <= n / 2.
 * The source has outer x length x inner real numbers, the target outer x (n / 2 + 1) x inner complex ones; they must not overlap.
 */
export function realToHalf(source: Floats, target: Floats, lines: FourierLines, inverse = false, scale = 1): void {
  const { n } = lines;
  const length = Math.min(lines.length, n);
  const count = Math.floor(n / 2) + 1;
  const sign = inverse ? -1 : 1;
  const perSlot = n % 2 === 0 ? 2 : 1;
  const plan = planFor(n / perSlot);
  const batch = batchOf(plan, lines);
  const [a, b] = workFor(plan, batch);
  const half = new Float64Array(perSlot === 2 ? 2 * count * batch : 0);
  const powers = powersFor(n);
  eachBlock(source, target, lines, count, batch, (from, to) => {
    loadReal(a, from, length, n, perSlot);
    const result = execute(plan, a, b, from.lines);
    if (perSlot === 2) untangle(half, result, n / 2, from.lines, powers);
    storeComplex(perSlot === 2 ? half : result, to, count, sign, scale);
  });
}

/**
 * Complex to real: target[j] = scale * sum over k < n of X[k] * e^(+2 pi i j k / n), where X[k] = source[k] up to n / 2 and
 * the conjugate of X[n - k] above; `forward` uses e^(-...). The imaginary parts of X[0] and X[n / 2] are ignored.
 * The source has outer x length x inner complex values, the target outer x n x inner real numbers; they must not overlap.
 */
export function halfToReal(source: Floats, target: Floats, lines: FourierLines, forward = false, scale = 1): void {
  const { n } = lines;
  const count = Math.floor(n / 2) + 1;
  const length = Math.min(lines.length, count);
  // The result is real, so the forward transform of the conjugates is the inverse transform.
  const sign = forward ? 1 : -1;
  const perSlot = n % 2 === 0 ? 2 : 1;
  const plan = planFor(n / perSlot);
  const batch = batchOf(plan, lines);
  const [a, b] = workFor(plan, batch);
  const half = new Float64Array(2 * count * batch);
  const powers = powersFor(n);
  eachBlock(source, target, lines, n, batch, (from, to) => {
    loadComplex(half, from, length, count, sign);
    if (perSlot === 2) tangle(a, half, n / 2, from.lines, powers);
    else mirror(a, half, n, from.lines);
    storeReal(execute(plan, a, b, from.lines), to, n, perSlot, scale);
  });
}

/** X[k] = (z[k] + conj z[h - k]) / 2 + w^k (z[k] - conj z[h - k]) / 2i for 0 <= k <= h, w = e^(-pi i / h), z[h] = z[0]. */
function untangle(half: Float64Array, z: Float64Array, h: number, lines: number, { coarse, fine }: Powers): void {
  const row = 2 * lines;
  for (let at = 0, last = h * row; at < row; at += 2, last += 2) {
    half[at] = z[at]! + z[at + 1]!;
    half[last] = z[at]! - z[at + 1]!;
    half[at + 1] = half[last + 1] = 0;
  }
  for (let k = 1; k < h; k++) {
    const c = (k >> 10) << 1;
    const f = (k & 1023) << 1;
    const wr = coarse[c]! * fine[f]! - coarse[c + 1]! * fine[f + 1]!;
    const wi = coarse[c]! * fine[f + 1]! + coarse[c + 1]! * fine[f]!;
    for (let at = k * row, end = at + row, far = (h - k) * row; at < end; at += 2, far += 2) {
      const re = z[at]! - z[far]!;
      const im = z[at + 1]! + z[far + 1]!;
      half[at] = 0.5 * (z[at]! + z[far]! + wr * im + wi * re);
      half[at + 1] = 0.5 * (z[at + 1]! - z[far + 1]! + wi * im - wr * re);
    }
  }
}

/** z[k] = X[k] + conj X[h - k] + i w^k (X[k] - conj X[h - k]) for 0 <= k < h, w = e^(-pi i / h). */
function tangle(z: Float64Array, half: Float64Array, h: number, lines: number, { coarse, fine }: Powers): void {
  const row = 2 * lines;
  for (let at = 0, last = h * row; at < row; at += 2, last += 2) {
    z[at] = half[at]! + half[last]!;
    z[at + 1] = half[at]! - half[last]!;
  }
  for (let k = 1; k < h; k++) {
    const c = (k >> 10) << 1;
    const f = (k & 1023) << 1;
    const wr = coarse[c]! * fine[f]! - coarse[c + 1]! * fine[f + 1]!;
    const wi = coarse[c]! * fine[f + 1]! + coarse[c + 1]! * fine[f]!;
    for (let at = k * row, end = at + row, far = (h - k) * row; at < end; at += 2, far += 2) {
      const re = half[at]! - half[far]!;
      const im = half[at + 1]! + half[far + 1]!;
      z[at] = half[at]! + half[far]! - (wr * im + wi * re);
      z[at + 1] = half[at + 1]! - half[far + 1]! + (wr * re - wi * im);
    }
  }
}

/** Extends the first half of the values of an odd n to all n. */
function mirror(z: Float64Array, half: Float64Array, n: number, lines: number): void {
  for (let k = 0; 2 * k < n; k++)
    for (let q = 0; q < 2 * lines; q += 2) {
      const at = 2 * k * lines + q;
      const opposite = 2 * (k === 0 ? 0 : n - k) * lines + q;
      z[opposite] = half[at]!;
      z[opposite + 1] = -half[at + 1]!;
      z[at] = half[at]!;
      z[at + 1] = k === 0 ? 0 : half[at + 1]!;
    }
}
