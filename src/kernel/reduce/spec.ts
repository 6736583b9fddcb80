/**
 * What a reduction computes, before anything is known of its operands' layouts: for each output element, the terms of all elements
 * that belong to it are combined, and the outputs are made of the totals.
 *
 * Terms are combined in their own dtype over stretches of up to `stretch` elements, in vector lanes; the results of the
 * stretches are combined in the dtype of the total. So a long sum of float32 numbers costs float32 speed, and its error is that of
 * a short one. `build.ts` says in which order; it does not depend on the number of threads.
 */
import type { DType } from "../../storage/dtype.ts";
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
