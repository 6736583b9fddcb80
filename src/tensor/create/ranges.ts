/**
 * Evenly spaced values: arange by step, linspace and logspace by count.
 * Element i is computed from i alone, in float64 (int64 by bigint), and then converted, so no rounding adds up on the way.
 */
import { StridewiseError } from "../../base/errors.ts";
import { writer } from "../../kernel/element.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { getDefaultDType } from "../../storage/promotion.ts";
import { storageOf, type Tensor } from "../tensor.ts";
import { type CreateOptions, dtypeOr, fresh } from "./create.ts";

/** A new 1-D tensor whose element i is `valueAt(i)`. */
function sequence(
  who: string,
  size: number,
  dtype: DType,
  options: CreateOptions,
  valueAt: (i: number) => Value,
): Tensor {
  const t = fresh(who, [size], dtype, options);
  if (size === 0) return t;
  const storage = storageOf(t, who);
  const { array, itemsize } = dtypes[dtype];
  const window = storage.writable().array(array);
  const first = storage.byteOffset / itemsize;
  if (array === "f32" && itemsize === 4) for (let i = 0; i < size; i++) window[first + i] = valueAt(i) as number;
  else {
    const write = writer(dtype);
    for (let i = 0; i < size; i++) write(window, first + i, valueAt(i));
  }
  return t;
}

/** start, start + step, ... up to, not including, end: bigints make int64, numbers the default dtype. */
export function arange(
  start: number | bigint,
  end: number | bigint,
  step: number | bigint = typeof start === "bigint" ? 1n : 1,
  options: CreateOptions = {},
): Tensor {
  if (typeof start === "bigint" && typeof end === "bigint" && typeof step === "bigint")
    return arangeExact(start, end, step, options);
  const [from, to, by] = [Number(start), Number(end), Number(step)];
  checkStep(from, to, by);
  const dtype = dtypeOr("arange", options.dtype, getDefaultDType());
  return sequence("arange", Math.ceil((to - from) / by), dtype, options, (i) => from + i * by);
}

function arangeExact(start: bigint, end: bigint, step: bigint, options: CreateOptions): Tensor {
  checkStep(start, end, step);
  const distance = end - start;
  const size = distance / step + (distance % step === 0n ? 0n : 1n);
  const dtype = dtypeOr("arange", options.dtype, "int64");
  const [from, by] = [Number(start), Number(step)];
  // Numbers are quicker, and as good while every value is exact.
  if (Number.isSafeInteger(from) && Number.isSafeInteger(Number(end)))
    return sequence("arange", Number(size), dtype, options, (i) => from + i * by);
  return sequence("arange", Number(size), dtype, options, (i) => start + BigInt(i) * step);
}

function checkStep(start: number | bigint, end: number | bigint, step: number | bigint): void {
  const refuse = (rule: string): StridewiseError =>
    new StridewiseError(`arange: ${rule}, got start ${start}, end ${end}, step ${step}`);
  if (typeof start === "number" && !(Number.isFinite(start) && Number.isFinite(end) && Number.isFinite(step)))
    throw refuse("unsupported range, all three are finite numbers");
  // biome-ignore lint/suspicious/noDoubleEquals: 0 and 0n are both no step
  if (step == 0) throw refuse("step must be nonzero");
  if (step > 0 ? start > end : start < end) throw refuse("upper bound and larger bound inconsistent with step sign");
}

/** The error of an arange without an end. */
export function noNumbers(given: readonly unknown[]): StridewiseError {
  const what = given.map((item) => (typeof item === "string" ? `'${item}'` : String(item))).join(", ");
  return new StridewiseError(`arange: needs an end, a number or bigint, got ${what || "nothing"}`);
}

function checkSteps(who: string, steps: number): void {
  if (!Number.isSafeInteger(steps) || steps < 0)
    throw new StridewiseError(`${who}: number of steps must be non-negative, an integer, got ${String(steps)}`);
}

/** Element i of `steps` values from start to end, counted from the nearer end, so that both ends are exact. */
function evenly(start: number, end: number, steps: number): (i: number) => number {
  const step = steps > 1 ? (end - start) / (steps - 1) : 0;
  return (i) => (i < steps / 2 ? start + step * i : end - step * (steps - 1 - i));
}

/** `steps` values from start to end, both included. */
export function linspace(start: number, end: number, steps: number, options: CreateOptions = {}): Tensor {
  checkSteps("linspace", steps);
  const dtype = dtypeOr("linspace", options.dtype);
  return sequence("linspace", steps, dtype, options, evenly(start, end, steps));
}

/** `steps` values from base^start to base^end, both included, each the same factor further on. */
export function logspace(
  start: number,
  end: number,
  steps: number,
  options: CreateOptions & { readonly base?: number | undefined } = {},
): Tensor {
  checkSteps("logspace", steps);
  const base = options.base ?? 10;
  const exponent = evenly(start, end, steps);
  const dtype = dtypeOr("logspace", options.dtype);
  return sequence("logspace", steps, dtype, options, (i) => base ** exponent(i));
}
