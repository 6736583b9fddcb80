/**
 * What a scan computes, before anything is known of its operands' layouts: along an axis a state is stepped on by each element, and
 * every output element is made of the state so far. A step combines one value of the state with something made of the element and
 * of the state as it is then.
 */
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import type { Combination } from "../ir/kernel.ts";
import type { Scalar } from "../ir/scalar.ts";
import { KernelTable } from "../program/kernels.ts";

/** state[into] = fn(state[into], value). */
export interface ScanStep {
  readonly into: number;
  readonly fn: Combination;
  /** `number`, an int64, is the element's number along the axis; `factor` is the element of the second input, if there is one. */
  value(element: Scalar, state: readonly Scalar[], number: Scalar, factor: Scalar): Scalar;
}

export interface ScanSpec {
  /** For the names of kernels: f32_cumsum. */
  readonly name: string;
  readonly outputs: readonly DType[];
  readonly input: DType;
  /** The dtype of a second input, if there is one. */
  readonly factor?: DType;
  readonly state: readonly { readonly dtype: DType; readonly initial: Value }[];
  readonly steps: readonly ScanStep[];
  /** The values of the outputs, in their dtypes. */
  results(state: readonly Scalar[]): readonly Scalar[];
}

/** A spec with the programs made of it so far. */
export class ScanKernel extends KernelTable {
  declare readonly spec: ScanSpec;

  constructor(spec: ScanSpec) {
    super();
    this.spec = spec;
  }
}

/** True if and only if the state is to be in memory: a product of complex numbers has no accumulator. */
export const needsMemory = ({ steps, state }: ScanSpec): boolean =>
  steps.some(({ fn, into }) => fn === "mul" && dtypes[state[into]?.dtype].category === "complex");
