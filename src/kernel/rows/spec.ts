/**
 * The spec of a row kernel, which does not depend on the layouts of its operands. Phases read a row and combine all of its elements, as in
 * `../reduce/spec.ts`; then every output element is computed from the input elements at its index and the values that the phases have settled.
 * Softmax and normalizations are row kernels.
 *
 * The last phase may keep its first term in the first output temporarily, so that it is not computed again.
 */
import type { DType } from "../../storage/dtype.ts";
import type { Scalar } from "../ir/scalar.ts";
import { MapKernel } from "../map/map.ts";
import { KernelTable } from "../program/kernels.ts";
import { type EarlierPhase, phaseKernels, type ReduceKernel } from "../reduce/spec.ts";

type Scalars = readonly Scalar[];

export interface RowSpec {
  /** The computation, for the names of kernels: f32_softmax. */
  readonly name: string;
  readonly outputs: readonly DType[];
  readonly inputs: readonly DType[];
  readonly scalars: readonly DType[];
  /** The number of inputs that the phases read, the first ones. */
  readonly read: number;
  readonly phases: readonly EarlierPhase[];
  /** True if the last phase keeps its first term, whose dtype is that of the first output. */
  readonly keeps?: boolean;
  /** The pass that prefetches the next row, counted from 0, the outputs last: one that computes much. The default is 1. */
  readonly ahead?: number;
  /** Returns the values of the outputs, in their dtypes; `keptTerm` is the term that was kept, if any. */
  values(inputs: Scalars, scalars: Scalars, known: Scalars, keptTerm: Scalar | undefined): Scalars;
}

/** A spec with its kernels, and the kernels that compute the same in steps. */
export class RowKernel extends KernelTable {
  declare readonly spec: RowSpec;
  #steps: RowSteps | null = null;

  constructor(spec: RowSpec) {
    super();
    this.spec = spec;
  }

  get steps(): RowSteps {
    this.#steps ??= stepsOf(this.spec);
    return this.#steps;
  }
}

/** One reduction for each phase, then a map over all elements. */
interface RowSteps {
  readonly reductions: readonly ReduceKernel[];
  readonly map: MapKernel;
}

function stepsOf({ name, outputs, inputs, scalars, read, phases, values }: RowSpec): RowSteps {
  const [reductions, held] = phaseKernels({ name, inputs: inputs.slice(0, read), scalars }, phases);
  const map = new MapKernel({
    name,
    outputs,
    inputs: [...inputs, ...held],
    scalars,
    body: (all, numbers) => values(all.slice(0, inputs.length), numbers, all.slice(inputs.length), undefined),
  });
  return { reductions, map };
}
