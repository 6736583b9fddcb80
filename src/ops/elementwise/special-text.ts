/**
 * Helpers for formulas of special functions: polynomials as text, and ops of one tensor that compute in float64 for every dtype, so that
 * float32 results are accurate to the last bits.
 *
 * Coefficients that a series or an integral defines are not stored in tables: they are computed by interpolation at Chebyshev points
 * when an op is first used.
 */

import { getOrCompute } from "../../base/lazy.ts";
import { listOf } from "../../base/list-of.ts";
import { dtypes } from "../../storage/dtype.ts";
import type { RecordedCall } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { notImplemented } from "../dtype-errors.ts";
import { to } from "../views.ts";
import { type Gradients, map, type OpFunction } from "./map.ts";

/** The text of c[0] + t * (c[1] + t * (c[2] + ...)). */
export const poly = (t: string, c: readonly number[]): string =>
  c.reduceRight((rest, value) => (rest === "" ? `${value}` : `(${value} + ${t} * ${rest})`), "");

/** The first n terms of a sequence: term 0 is `first`, term k is term k - 1 times ratio(k). */
export function termsOf(n: number, first: number, ratio: (k: number) => number): number[] {
  let term = first;
  return listOf(n, (k) => {
    if (k > 0) term *= ratio(k);
    return term;
  });
}

/** The coefficients of the polynomial in t that interpolates f at n Chebyshev points of -1 <= t <= 1. */
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

/** Throws for complex tensors. */
export function checkReal(name: string, ...operands: readonly unknown[]): void {
  for (const operand of operands) {
    const dtype = (operand as Partial<Tensor> | null)?.dtype;
    if (dtype !== undefined && dtypes[dtype]?.category === "complex") throw notImplemented(name, dtype);
  }
}

/** The gradient of x from the gradient g, where y is the result and n the number that chooses the formula, if there is one. */
type Passed = (g: Tensor, x: Tensor, y: () => Tensor, n: number) => Tensor;

/**
 * An op of one real tensor, and optionally of a number that chooses the formula. In the formula, `x` is float64; the result has the
 * tensor's dtype if that is floating point, else the default dtype. The gradient is a formula, or composed of other ops: `isOfResult` is
 * true if these read the result.
 */
export function special<F extends OpFunction>(
  name: string,
  formula: (values: Readonly<Record<string, unknown>>) => string,
  gradient: Gradients | Passed | null,
  { number, isOfResult = false }: { readonly number?: string; readonly isOfResult?: boolean } = {},
): F {
  const texts = new Map<unknown, string>();
  const isComposed = typeof gradient === "function";
  const op: F = map(
    `${name}(x${number === undefined ? "" : `, ${number}`})`,
    (values) => {
      checkReal(name, values.x);
      return getOrCompute(texts, number && values[number], () => {
        const result = formula(values).replace(/[^;]*$/, (last) => ` like(${last}, input)`);
        return `let input = x * 1.0; let x = float64(x); ${result}`;
      });
    },
    isComposed ? null : gradient,
  );
  if (isComposed)
    op.operator.gradient = ({ args, save, saveResult }: RecordedCall) => {
      const x = save(args[0] as Tensor);
      const y = isOfResult ? saveResult() : x;
      return ([g]) => [to((gradient as Passed)(g, x(), y, args[1] as number), x().dtype)];
    };
  return op;
}
