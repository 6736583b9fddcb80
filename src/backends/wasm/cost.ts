/**
 * About how long one element takes, in nanoseconds: enough to decide whether waking other threads is worth it.
 * Bytes moved and operations done overlap, so the larger of both counts. The numbers are rough on purpose.
 */
import type { ScalarFunction } from "../../kernel/ir/functions.ts";
import type { Kernel, Statement } from "../../kernel/ir/kernel.ts";
import type { Scalar } from "../../kernel/ir/scalar.ts";
import { dtypes } from "../../storage/dtype.ts";

const perByte = 0.06;
const perOperation = 0.15;
/** Operations that a function stands for, where it is not one. */
const operations: Readonly<Partial<Record<ScalarFunction, number>>> = {
  div: 3,
  sqrt: 3,
  truncDiv: 6,
  truncRem: 6,
  floorDiv: 8,
  floorMod: 8,
  pow: 40,
  atan2: 20,
  exp: 8,
  exp2: 8,
  expm1: 12,
  log: 12,
  log2: 12,
  log10: 12,
  log1p: 14,
  sin: 16,
  cos: 16,
  tan: 20,
  asin: 16,
  acos: 16,
  atan: 14,
  sinh: 16,
  cosh: 16,
  tanh: 14,
  asinh: 20,
  acosh: 20,
  atanh: 20,
  erf: 20,
  erfc: 24,
};

/** Nanoseconds for one element of the innermost loop. */
export function costOf(kernel: Kernel): number {
  const typeOf = new Map(kernel.buffers.map(({ name, dtype }) => [name, dtype]));
  let bytes = 0;
  let count = 0;
  const seen = new Set<Scalar>();
  const value = (scalar: Scalar): void => {
    if (seen.has(scalar)) return;
    seen.add(scalar);
    if (scalar.kind === "load") bytes += dtypes[scalar.dtype].itemsize;
    else if (scalar.kind === "cast") {
      count++;
      value(scalar.of);
    } else if (scalar.kind === "call") {
      count += operations[scalar.fn] ?? 1;
      for (const arg of scalar.args) value(arg);
    }
  };
  const statement = (each: Statement): void => {
    if (each.kind === "loop") for (const inner of each.body) statement(inner);
    else if (each.kind === "store") {
      bytes += dtypes[typeOf.get(each.buffer) ?? "float32"].itemsize;
      value(each.value);
    } else if (each.kind === "let" || each.kind === "accumulate" || each.kind === "fetch") value(each.value);
  };
  for (const each of kernel.body) statement(each);
  return Math.max(bytes * perByte, count * perOperation);
}
