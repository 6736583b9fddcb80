/** Makers of statements, for functions that build kernels, and the values that accumulators start from. */
import { constant, type Expr } from "../../expr/expr.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import type { AccumulateStatement, Combination, LoopStatement, Statement } from "./kernel.ts";
import { constantScalar, type Scalar } from "./scalar.ts";
import { loopSymbol } from "./symbols.ts";

/** For each from <= index < to, `by` rounds at a time in a vector loop. */
export const loop = (
  mode: LoopStatement["mode"],
  index: string,
  from: Expr,
  to: Expr,
  body: readonly Statement[],
  by = 1,
): LoopStatement => ({ kind: "loop", mode, index, from, to, by, body });

/** For each 0 <= index < count, in units of `block` iterations; each unit runs `setup` first. */
export function blockedLoop(
  index: string,
  count: Expr,
  block: Expr,
  body: readonly Statement[],
  setup: readonly Statement[] = [],
): LoopStatement {
  const first = block.mul(loopSymbol("u"));
  const iterations = loop("serial", index, first, count.min(first.add(block)), body);
  return loop("parallel", "u", constant(0), count.ceilDiv(block), [...setup, iterations]);
}

export const indexStatement = (name: string, value: Expr): Statement => ({ kind: "index", name, value });

export const letStatement = (name: string, value: Scalar): Statement => ({ kind: "let", name, value });

export const store = (buffer: string, index: Expr, value: Scalar): Statement => ({
  kind: "store",
  buffer,
  index,
  value,
});

export const walk = (modes: string, position: Expr, offsets: readonly string[]): Statement => ({
  kind: "walk",
  modes,
  position,
  offsets,
});

/** The names with a suffix: those of the offsets that a walk binds. */
export const suffixed = (names: readonly string[], suffix: string): string[] => names.map((name) => `${name}${suffix}`);

/** Memory of one unit, or registers where it is small. */
export const allocate = (name: string, dtype: DType, length: number, space: "smem" | "rmem"): Statement => ({
  kind: "allocate",
  name,
  dtype,
  length,
  space,
});

export const accumulate = (into: string, fn: Combination, value: Scalar): AccumulateStatement => ({
  kind: "accumulate",
  into,
  fn,
  value,
});

/** An accumulator that starts with the identity of `fn`. */
export const accumulator = (name: string, fn: Combination, dtype: DType): Statement => ({
  kind: "accumulator",
  name,
  initial: constantScalar(dtype, identityOf(fn, dtype)),
});

/** Returns the value e with fn(e, x) = x. For a sum of floats that is 0, so -0 is not kept. 64-bit bounds are bigints. */
export function identityOf(fn: Combination, dtype: DType): Value {
  const { category, itemsize } = dtypes[dtype];
  if (category === "complex") return { re: fn === "mul" ? 1 : 0, im: 0 };
  if (category === "bool") return fn === "min" || fn === "and" || fn === "mul";
  if (fn === "add" || fn === "or") return 0;
  if (fn === "mul") return 1;
  if (category === "float") return fn === "min" || fn === "smaller" ? Infinity : -Infinity;
  const isSigned = dtype.startsWith("int");
  const bits = BigInt(8 * itemsize);
  const max = (1n << (isSigned ? bits - 1n : bits)) - 1n;
  const bound = fn === "max" ? (isSigned ? -max - 1n : 0n) : fn === "min" ? max : isSigned ? -1n : max;
  return itemsize === 8 ? bound : Number(bound);
}
