/**
 * What a reduction computes, before anything is known of its operands' layouts: for each output element, the terms of all elements
 * that belong to it are combined, and the outputs are made of the totals.
 *
 * Terms are combined in their own dtype over stretches of up to `stretch` elements, in vector lanes; the results of the
 * stretches are combined in the dtype of the total. So a long sum of float32 numbers costs float32 speed, and its error is that of
 * a short one. A spec may have phases: each reads all elements again, and knows what the earlier ones have settled. `build.ts` and
 * `build-across.ts` say in which order terms are combined; it does not depend on the number of threads.
 */
import { type DType, isComplexDType } from "../../storage/dtype.ts";
import type { Combination } from "../ir/kernel.ts";
import { namedScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { KernelTable } from "../program/kernels.ts";

/** The most elements that are combined in the dtype of the terms. */
export const stretch = 1024;

/** How the terms of one accumulator are combined, and in which dtype the results of stretches are. */
export interface Accumulation {
  readonly fn: Combination;
  readonly total: DType;
}

type Scalars = readonly Scalar[];

/** One reading of all elements. */
export interface Phase {
  readonly accumulators: readonly Accumulation[];
  /**
   * The term of one element for each accumulator. `known` is what is held, then what earlier phases settled; `number`, an int32, is
   * the element's number in the order of the reduced axes, if the spec is numbered.
   */
  terms(inputs: Scalars, scalars: Scalars, known: Scalars, number: Scalar): Scalars;
}

/** A phase before the last one. */
export interface EarlierPhase extends Phase {
  /** What later phases know of an output element. */
  settle(totals: Scalars, scalars: Scalars, known: Scalars): Scalars;
}

export interface ReduceSpec extends Phase {
  /** What is computed, for the name of kernels: f32_sum. */
  readonly name: string;
  readonly outputs: readonly DType[];
  readonly inputs: readonly DType[];
  /** Further inputs, one element for each output: they stand still in the axes that are reduced. */
  readonly held?: readonly DType[];
  readonly scalars: readonly DType[];
  readonly before?: readonly EarlierPhase[];
  /** Terms ask for the number of their element. */
  readonly isNumbered?: boolean;
  /** The values of the outputs, in their dtypes, from the totals of the last phase. */
  finish(totals: Scalars, scalars: Scalars, known: Scalars): Scalars;
}

/** A spec with the programs made of it so far, and the kernels that do parts of its work. */
export class ReduceKernel extends KernelTable {
  declare readonly spec: ReduceSpec;
  #phases: readonly ReduceKernel[] | null = null;
  #part: ReduceKernel | null = null;
  #join: ReduceKernel | null = null;

  constructor(spec: ReduceSpec) {
    super();
    this.spec = spec;
  }

  /** One kernel for each phase: outputs of the earlier ones are what they settle, which the later ones hold. */
  get phases(): readonly ReduceKernel[] {
    this.#phases ??= phasesOf(this.spec).map((spec) => new ReduceKernel(spec));
    return this.#phases;
  }

  /** The kernel whose outputs are the totals of a part of the elements. The spec has one phase. */
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

  /** The kernel that makes the outputs of the totals of all parts. */
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

function phasesOf({ before = [], ...last }: ReduceSpec): ReduceSpec[] {
  const held: DType[] = [...(last.held ?? [])];
  const specs = before.map((phase, k): ReduceSpec => {
    const heldNow = held.slice();
    const settled = phase.settle(
      phase.accumulators.map(({ total }) => namedScalar(total, "total")),
      last.scalars.map((dtype) => parameterScalar(dtype, "a")),
      heldNow.map((dtype) => namedScalar(dtype, "known")),
    );
    const outputs = settled.map(({ dtype }) => dtype);
    held.push(...outputs);
    return { ...last, ...phase, name: `${last.name}_phase${k}`, outputs, held: heldNow, finish: phase.settle };
  });
  return [...specs, { ...last, held }];
}

/** True if and only if the totals are to be elements of memory: a product of complex numbers has no accumulator. */
export const needsMemory = ({ accumulators, before = [] }: ReduceSpec): boolean =>
  [{ accumulators }, ...before].some((phase) =>
    phase.accumulators.some(({ fn, total }) => fn === "mul" && isComplexDType(total)),
  );
