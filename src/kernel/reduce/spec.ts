/**
 * What a reduction computes, before anything is known of its operands' layouts: for each output element, the terms of all elements
 * that belong to it are combined, and the outputs are made of the totals.
 *
 * Terms are combined in their own dtype over stretches of up to `stretch` elements, in vector lanes; the results of the
 * stretches are combined in the dtype of the total. So a long sum of float32 numbers costs float32 speed, and its error is that of
 * a short one. `build.ts` says in which order; it does not depend on the number of threads.
 */
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import type { Combination } from "../ir/kernel.ts";
import type { Scalar } from "../ir/scalar.ts";
import { ProgramTable } from "../launch/programs.ts";

/** The most elements that are combined in the dtype of the terms. */
export const stretch = 1024;

/** How the terms of one accumulator are combined, and in which dtype the results of stretches are. */
export interface Accumulation {
  readonly fn: Combination;
  readonly total: DType;
}

export interface ReduceSpec {
  /** What is computed, for the name of kernels: f32_sum. */
  readonly name: string;
  readonly outputs: readonly DType[];
  readonly inputs: readonly DType[];
  readonly scalars: readonly DType[];
  readonly accumulators: readonly Accumulation[];
  /** The term of one element for each accumulator. */
  terms(inputs: readonly Scalar[], scalars: readonly Scalar[]): readonly Scalar[];
  /** The values of the outputs, in their dtypes, from the totals. */
  finish(totals: readonly Scalar[], scalars: readonly Scalar[]): readonly Scalar[];
}

/** A spec with the programs made of it so far. */
export class ReduceKernel extends ProgramTable {
  readonly spec: ReduceSpec;

  constructor(spec: ReduceSpec) {
    super();
    this.spec = spec;
  }
}

/** The value e with fn(e, x) = x; of a sum of floats that is 0. */
export function identityOf(fn: Combination, dtype: DType): Value {
  const { category, itemsize } = dtypes[dtype];
  if (category === "complex") return { re: fn === "mul" ? 1 : 0, im: 0 };
  if (category === "bool") return fn === "min" || fn === "and" || fn === "mul";
  if (fn === "add" || fn === "or") return 0;
  if (fn === "mul") return 1;
  if (category === "float") return fn === "min" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const isSigned = dtype.startsWith("int");
  const bits = BigInt(8 * itemsize);
  const most = (1n << (isSigned ? bits - 1n : bits)) - 1n;
  const bound = fn === "max" ? (isSigned ? -most - 1n : 0n) : fn === "min" ? most : isSigned ? -1n : most;
  return itemsize === 8 ? bound : Number(bound);
}
