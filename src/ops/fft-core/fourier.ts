/**
 * The discrete Fourier transform of many lines, complex to complex, for any length n:
 *
 *   target[k] = scale * sum over j < n of source[j] * e^(-2 pi i j k / n),   e^(+...) for the inverse.
 *
 * Arithmetic is in float64 for both kinds of array, and the error grows as log n. Scales, axes and shapes are the caller's.
 */
import { batchOf, eachBlock, type Floats, type FourierLines, loadComplex, storeComplex } from "./lines.ts";
import { execute, executeSplit, workFor } from "./plan.ts";
import { planFor } from "./planner.ts";

/**
 * Transforms outer x given x inner complex values to outer x n x inner.
 * The target may be the source if given = n; else they do not overlap.
 */
export function fourier(source: Floats, target: Floats, lines: FourierLines, inverse = false, scale = 1): void {
  const { n, given, inner } = lines;
  const plan = planFor(n);
  const batch = batchOf(plan, lines);
  const sign = inverse ? -1 : 1;
  if (plan.kind === "split" && inner === 1 && given >= n && isDouble(source) && isDouble(target)) {
    // Long lines that lie in order are read and written where they are.
    const middle = new Float64Array(2 * n);
    for (let line = 0; line < lines.outer; line++) {
      const from = source.subarray(2 * line * given, 2 * (line * given + n));
      executeSplit(plan, from, middle, target.subarray(2 * line * n, 2 * (line + 1) * n), sign, scale);
    }
    return;
  }
  const [a, b] = workFor(plan, batch);
  eachBlock(source, target, lines, n, batch, (from, to) => {
    loadComplex(a, from, Math.min(given, n), n, sign);
    storeComplex(execute(plan, a, b, from.lines), to, n, sign, scale);
  });
}

const isDouble = (data: Floats): data is Float64Array => data.BYTES_PER_ELEMENT === 8;
