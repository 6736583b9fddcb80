/**
 * Plans of transforms of length n, and their execution. There are three kinds: passes over a block that fits the cache; a split
 * n = n1 * n2 into two rounds of shorter transforms (Gentleman and Sande), for long lengths and for those with a large prime factor;
 * and Bluestein's chirp, which turns a prime length into a convolution of a more composite length.
 * All transforms here are forward and unscaled. `planner.ts` makes the plans.
 */
import { once } from "../../base/lazy.ts";
import { type Pass, runPasses } from "./passes.ts";
import type { Powers } from "./roots.ts";

interface PlanSize {
  readonly n: number;
  /** The number of lines that are best transformed together. */
  readonly batch: number;
}

/** A way to transform sequences of length n. */
export type Plan =
  | (PlanSize & { readonly kind: "passes"; readonly passes: readonly Pass[]; readonly roots: Float64Array })
  | (PlanSize & { readonly kind: "split"; readonly first: Plan; readonly second: Plan; readonly powers: Powers })
  | (PlanSize & {
      readonly kind: "chirp";
      readonly chirp: Float64Array;
      /** The conjugate of the transform of conj c, divided by its length. */
      readonly spectrum: Float64Array;
      readonly inner: Plan;
    });

/** Transforms `lines` interleaved sequences in `a`; returns whichever of `a` and `b` holds the result. */
export function execute(plan: Plan, a: Float64Array, b: Float64Array, lines: number): Float64Array {
  switch (plan.kind) {
    case "passes":
      return runPasses(plan.passes, plan.n, plan.roots, a, b, lines);
    case "split":
      executeSplit(plan, a, a, b, 1, 1);
      return b;
    case "chirp":
      return executeChirp(plan, a, lines);
    default:
      return plan satisfies never;
  }
}

/** The largest number of values in a block: two such arrays fit the second-level cache of most processors. */
export const blockSize = 8192;

const shared = /* @__PURE__ */ once((): readonly [Float64Array, Float64Array] => [
  new Float64Array(2 * blockSize),
  new Float64Array(2 * blockSize),
]);

/**
 * Returns two scratch arrays to execute a plan with `lines` sequences. Passes call nothing that needs such arrays, so all of them share
 * one pair, whose contents are undefined.
 */
export function workFor(plan: Plan, lines: number): readonly [Float64Array, Float64Array] {
  if (plan.kind !== "passes") return [new Float64Array(2 * plan.n * lines), new Float64Array(2 * plan.n * lines)];
  return shared();
}

/**
 * Transforms one sequence as a matrix of first.n rows: first its columns, then, after each value is multiplied by the root of its row
 * and column, its rows. `middle` may be the source. A sign of -1 conjugates values before and after; the scale is applied last.
 */
export function executeSplit(
  plan: Plan & { kind: "split" },
  source: Float64Array,
  middle: Float64Array,
  target: Float64Array,
  sign: number,
  scale: number,
): void {
  const { first, second, powers } = plan;
  const rows = first.n;
  const columns = second.n;
  let width = Math.min(first.batch, columns);
  let [x, y] = workFor(first, width);
  for (let column = 0; column < columns; column += width) {
    const lines = Math.min(width, columns - column);
    for (let k = 0, to = 0; k < rows; k++)
      for (let q = 0, from = 2 * (k * columns + column); q < lines; q++, from += 2, to += 2) {
        x[to] = source[from]!;
        x[to + 1] = sign * source[from + 1]!;
      }
    const result = execute(first, x, y, lines);
    for (let k = 0, from = 0; k < rows; k++)
      for (let q = 0, to = 2 * (k * columns + column); q < lines; q++, to += 2, from += 2) {
        const e = k * (column + q);
        const c = (e >> 10) << 1;
        const f = (e & 1023) << 1;
        const wr = powers.coarse[c]! * powers.fine[f]! - powers.coarse[c + 1]! * powers.fine[f + 1]!;
        const wi = powers.coarse[c]! * powers.fine[f + 1]! + powers.coarse[c + 1]! * powers.fine[f]!;
        middle[to] = result[from]! * wr - result[from + 1]! * wi;
        middle[to + 1] = result[from]! * wi + result[from + 1]! * wr;
      }
  }
  width = Math.min(second.batch, rows);
  [x, y] = workFor(second, width);
  for (let row = 0; row < rows; row += width) {
    const lines = Math.min(width, rows - row);
    for (let q = 0; q < lines; q++)
      for (let k = 0, from = 2 * (row + q) * columns, to = 2 * q; k < columns; k++, from += 2, to += 2 * lines) {
        x[to] = middle[from]!;
        x[to + 1] = middle[from + 1]!;
      }
    const result = execute(second, x, y, lines);
    for (let k = 0, from = 0; k < columns; k++)
      for (let q = 0, to = 2 * (k * rows + row); q < lines; q++, to += 2, from += 2) {
        target[to] = scale * result[from]!;
        target[to + 1] = scale * sign * result[from + 1]!;
      }
  }
}

/** X[k] = c[k] * sum over j of (x[j] c[j]) * conj c[k - j], with c[j] = e^(-pi i j^2 / n); the sum by two longer transforms. */
function executeChirp(plan: Plan & { kind: "chirp" }, a: Float64Array, lines: number): Float64Array {
  const { n, chirp, spectrum, inner } = plan;
  const [x, y] = workFor(inner, lines);
  x.fill(0, 2 * n * lines, 2 * inner.n * lines);
  multiply(x, a, 1, chirp, n, lines);
  const image = execute(inner, x, y, lines);
  // The conjugate of the transform of the conjugates is the inverse transform.
  multiply(image, image, -1, spectrum, inner.n, lines);
  multiply(a, execute(inner, image, image === x ? y : x, lines), -1, chirp, n, lines);
  return a;
}

/** target[k] = values[k] * factors[k] for k < n in every line, the values conjugated if the sign is -1. */
function multiply(
  target: Float64Array,
  values: Float64Array,
  sign: number,
  factors: Float64Array,
  n: number,
  lines: number,
): void {
  for (let k = 0, i = 0; k < n; k++) {
    const wr = factors[2 * k]!;
    const wi = factors[2 * k + 1]!;
    for (let q = 0; q < lines; q++, i += 2) {
      const re = values[i]!;
      const im = sign * values[i + 1]!;
      target[i] = re * wr - im * wi;
      target[i + 1] = re * wi + im * wr;
    }
  }
}
