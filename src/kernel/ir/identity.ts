/** The values that combinations begin with: what every backend, and whoever builds a reduction, starts an accumulator from. */
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import type { Combination } from "./kernel.ts";

/** The value e with fn(e, x) = x; of a sum of floats that is 0, so -0 is not kept. 64-bit bounds are bigints. */
export function identityOf(fn: Combination, dtype: DType): Value {
  const { category, itemsize } = dtypes[dtype];
  if (category === "complex") return { re: fn === "mul" ? 1 : 0, im: 0 };
  if (category === "bool") return fn === "min" || fn === "and" || fn === "mul";
  if (fn === "add" || fn === "or") return 0;
  if (fn === "mul") return 1;
  if (category === "float") return fn === "min" || fn === "smaller" ? Infinity : -Infinity;
  const isSigned = dtype.startsWith("int");
  const bits = BigInt(8 * itemsize);
  const most = (1n << (isSigned ? bits - 1n : bits)) - 1n;
  const bound = fn === "max" ? (isSigned ? -most - 1n : 0n) : fn === "min" ? most : isSigned ? -1n : most;
  return itemsize === 8 ? bound : Number(bound);
}
