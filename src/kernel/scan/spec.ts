/**
 * The spec of a scan, which does not depend on the layouts of its operands: along an axis each element updates a state, and every output
 * element is computed from the state so far. A step combines one value of the state with a value computed from the element and the state.
 */
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import type { Combination } from "../ir/kernel.ts";
import type { Scalar } from "../ir/scalar.ts";
import { KernelTable } from "../program/kernels.ts";

/** state[into] = fn(state[into], value). */
interface ScanStep {
  readonly into: number;
  readonly fn: Combination;
  /** `number`, an int64, is the element's index along the axis; `factor` is the element of the second input, if any. */
  value(element: Scalar, state: readonly Scalar[], number: Scalar, factor: Scalar): Scalar;
}

export interface ScanSpec {
  /** The computation, for the names of kernels: f32_cumsum. */
  readonly name: string;
  readonly outputs: readonly DType[];
  readonly input: DType;
  /** The dtype of the second input, if any. */
  readonly factor?: DType;
  readonly state: readonly { readonly dtype: DType; readonly initial: Value }[];
  readonly steps: readonly ScanStep[];
  /** Returns the values of the outputs, in their dtypes. */
  results(state: readonly Scalar[]): readonly Scalar[];
}

/** A spec with its kernels. */
export class ScanKernel extends KernelTable {
  declare readonly spec: ScanSpec;

  constructor(spec: ScanSpec) {
    super();
    this.spec = spec;
  }
}

/** True if and only if the state must be in memory: there is no accumulator for a product of complex numbers. */
export const needsMemory = ({ steps, state }: ScanSpec): boolean =>
  steps.some(({ fn, into }) => fn === "mul" && dtypes[state[into]?.dtype].category === "complex");
