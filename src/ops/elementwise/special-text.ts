/**
 * How formulas of special functions are written: polynomials as text, and ops of one number that compute in float64 whatever the dtype
 * of the tensor is, so that float32 results are right to the last bits.
 *
 * No table of coefficients stands here or in its siblings where a series or an integral gives them: they are computed when an op is
 * first used, by interpolation at Chebyshev points.
 */

import { listOf } from "../../base/list-of.ts";
import { remember } from "../../base/remember.ts";
import { dtypes } from "../../storage/dtype.ts";
import type { RecordedCall } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { notImplemented } from "../dtype-errors.ts";
import { to } from "../views.ts";
import { type Gradients, map, type OpFunction } from "./map.ts";

/** The text of c[0] + t * (c[1] + t * (c[2] + ...)). */
export const poly = (t: string, c: readonly number[]): string =>
  c.reduceRight((rest, value) => (rest === "" ? `${value}` : `(${value} + ${t} * ${rest})`), "");

/** The first n terms that start with `first`, each by its ratio to the one before: term k + 1 is term k * ratio(k + 1). */
export function termsOf(n: number, first: number, ratio: (k: number) => number): number[] {
  let term = first;
  return listOf(n, (k) => {
    if (k > 0) term *= ratio(k);
    return term;
  });
}

/** The coefficients of powers of t of the polynomial that has the values of f at n Chebyshev points of -1 <= t <= 1. */
export function interpolated(n: number, f: (t: number) => number): number[] {
  const angles = listOf(n, (j) => (Math.PI * (j + 0.5)) / n);
  const values = angles.map((angle) => f(Math.cos(angle)));
  const result = new Array<number>(n).fill(0);
  let before = new Array<number>(n).fill(0);
  let powers = listOf<number>(n, (k) => (k === 0 ? 1 : 0));
  for (let k = 0; k < n; k++) {
    const sum = values.reduce((total, value, j) => total + value * Math.cos(k * angles[j]), 0);
    const weight = ((k === 0 ? 1 : 2) * sum) / n;
    for (let i = 0; i < n; i++) result[i] = result[i] + weight * powers[i];
    // T(k + 1) = 2 t T(k) - T(k - 1); T(1) = t.
    const twice = k === 0 ? 1 : 2;
    const next = powers.map((_, i) => twice * (i === 0 ? 0 : powers[i - 1]) - before[i]);
    before = powers;
    powers = next;
  }
  return result;
}

/** Refuses complex tensors, in PyTorch's words. */
export function checkReal(name: string, ...operands: readonly unknown[]): void {
  for (const operand of operands) {
    const dtype = (operand as Partial<Tensor> | null)?.dtype;
    if (dtype !== undefined && dtypes[dtype]?.category === "complex") throw notImplemented(name, dtype);
  }
}

/** What passes from g to x, where y is the result and n the number by name, if there is one. */
export type Passed = (g: Tensor, x: Tensor, y: () => Tensor, n: number) => Tensor;

/**
 * An op of one real tensor, and of numbers by name that choose the formula. The formula is of `x`, which it sees in float64; the result
 * has the tensor's dtype if that is a float, else the default float. Its gradient is a formula, or made of other ops: of those that
 * read the result `isOfResult` is true.
 */
export function special<F extends OpFunction>(
  name: string,
  formula: (values: Readonly<Record<string, unknown>>) => string,
  gradient: Gradients | Passed | null,
  { number, isOfResult = false }: { readonly number?: string; readonly isOfResult?: boolean } = {},
): F {
  const texts = new Map<unknown, string>();
  const isMade = typeof gradient === "function";
  const op: F = map(
    `${name}(x${number === undefined ? "" : `, ${number}`})`,
    (values) => {
      checkReal(name, values.x);
      return remember(texts, number && values[number], () => {
        const result = formula(values).replace(/[^;]*$/, (last) => ` like(${last}, given)`);
        return `let given = x * 1.0; let x = float64(x); ${result}`;
      });
    },
    isMade ? null : gradient,
  );
  if (isMade)
    op.operator.gradient = ({ args, save, saveResult }: RecordedCall) => {
      const x = save(args[0] as Tensor);
      const y = isOfResult ? saveResult() : x;
      return ([g]) => [to((gradient as Passed)(g, x(), y, args[1] as number), x().dtype)];
    };
  return op;
}
