/**
 * The spec of a reduction, which does not depend on the layouts of its operands: for each output element, the terms of all its input elements
 * are combined, and the outputs are computed from the totals.
 *
 * Terms are combined in their own dtype over segments of up to `segment` elements, in vector lanes; the results of segments are combined
 * in the dtype of the total. So a long sum of float32 numbers has the speed of float32 and the error of a short sum. A spec may have several
 * phases: each reads all elements again, and uses values that earlier phases have settled. `build.ts` and `build-across.ts` define the order
 * in which terms are combined, which does not depend on the number of threads.
 */
import { type DType, isComplexDType } from "../../storage/dtype.ts";
import type { Combination } from "../ir/kernel.ts";
import { namedScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { KernelTable } from "../program/kernels.ts";

/** The largest number of elements that are combined in the dtype of the terms. */
export const segmentLength = 1024;

/** The function that combines the terms of one accumulator, and the dtype of its total. */
export interface Accumulation {
  readonly fn: Combination;
  readonly total: DType;
}

type Scalars = readonly Scalar[];

/** One pass over all elements. */
export interface Phase {
  readonly accumulators: readonly Accumulation[];
  /**
   * Returns the terms of one element, one for each accumulator. `known` has the held inputs, then the values that earlier phases settled;
   * `number`, an int32, is the element's number in the reduced axes, if the spec is numbered.
   */
  terms(inputs: Scalars, scalars: Scalars, known: Scalars, number: Scalar): Scalars;
}

/** A phase before the last one. */
export interface EarlierPhase extends Phase {
  /** Returns the values that later phases use for an output element. */
  finish(totals: Scalars, scalars: Scalars, known: Scalars): Scalars;
}

export interface ReduceSpec extends Phase {
  /** The computation, for the names of kernels: f32_sum. */
  readonly name: string;
  readonly outputs: readonly DType[];
  readonly inputs: readonly DType[];
  /** Further inputs with one element for each output: they do not move in the reduced axes. */
  readonly held?: readonly DType[];
  readonly scalars: readonly DType[];
  readonly before?: readonly EarlierPhase[];
  /** True if terms use the number of their element. */
  readonly isNumbered?: boolean;
  /** Returns the values of the outputs, in their dtypes, from the totals of the last phase. */
  finish(totals: Scalars, scalars: Scalars, known: Scalars): Scalars;
}

/** A spec with its kernels, and the specs of parts of its work. */
export class ReduceKernel extends KernelTable {
  declare readonly spec: ReduceSpec;
  #phases: readonly ReduceKernel[] | null = null;
  #part: ReduceKernel | null = null;
  #join: ReduceKernel | null = null;

  constructor(spec: ReduceSpec) {
    super();
    this.spec = spec;
  }

  /** One spec for each phase: the outputs of earlier ones are the values that they settle, which are held inputs of later ones. */
  get phases(): readonly ReduceKernel[] {
    if (this.#phases === null) {
      const { before = [], ...last } = this.spec;
      const [phases, held] = phaseKernels(last, before);
      this.#phases = [...phases, new ReduceKernel({ ...last, held })];
    }
    return this.#phases;
  }

  /** The spec whose outputs are the totals of a part of the elements; for specs of one phase. */
  get part(): ReduceKernel {
    const { spec } = this;
    this.#part ??= new ReduceKernel({
      ...spec,
      name: `${spec.name}_part`,
      outputs: spec.accumulators.map(({ total }) => total),
      finish: (totals) => totals,
    });
    return this.#part;
  }

  /** The spec that computes the outputs from the totals of all parts. */
  get join(): ReduceKernel {
    const { name, outputs, held = [], scalars, accumulators, finish } = this.spec;
    this.#join ??= new ReduceKernel({
      name: `${name}_join`,
      outputs,
      inputs: accumulators.map(({ total }) => total),
      held,
      scalars,
      accumulators,
      terms: (totals) => totals,
      finish,
    });
    return this.#join;
  }
}

/** Returns one reduction for each phase, which holds the values that earlier phases have settled, and the dtypes of all those values. */
export function phaseKernels(
  common: Pick<ReduceSpec, "name" | "inputs" | "scalars" | "held" | "isNumbered">,
  phases: readonly EarlierPhase[],
): readonly [kernels: readonly ReduceKernel[], held: readonly DType[]] {
  const held: DType[] = [...(common.held ?? [])];
  const kernels = phases.map((phase, k) => {
    const heldNow = held.slice();
    const values = phase.finish(
      phase.accumulators.map(({ total }) => namedScalar(total, "total")),
      common.scalars.map((dtype) => parameterScalar(dtype, "a")),
      heldNow.map((dtype) => namedScalar(dtype, "known")),
    );
    const outputs = values.map(({ dtype }) => dtype);
    held.push(...outputs);
    const name = `${common.name}_phase${k}`;
    return new ReduceKernel({ ...common, ...phase, name, outputs, held: heldNow, finish: phase.finish });
  });
  return [kernels, held];
}

/** True if and only if the totals must be in memory: there is no accumulator for a product of complex numbers. */
export const needsMemory = ({ accumulators, before = [] }: ReduceSpec): boolean =>
  [{ accumulators }, ...before].some((phase) =>
    phase.accumulators.some(({ fn, total }) => fn === "mul" && isComplexDType(total)),
  );
