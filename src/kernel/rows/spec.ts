/**
 * What a row kernel computes, before anything is known of its operands' layouts: rows are read in phases that each combine all of
 * their elements, as in `../reduce/spec.ts`, and then every element of the outputs is made of the element at its place and of what
 * the phases have settled. Softmax and the normalisations are such kernels.
 *
 * A phase may keep its first term in the first output for the time being, so that it need not be computed again.
 */
import type { DType } from "../../storage/dtype.ts";
import { namedScalar, parameterScalar, type Scalar } from "../ir/scalar.ts";
import { MapKernel } from "../map/map.ts";
import { KernelTable } from "../program/kernels.ts";
import { type EarlierPhase, ReduceKernel } from "../reduce/spec.ts";

type Scalars = readonly Scalar[];

export interface RowSpec {
  /** For the names of kernels: f32_softmax. */
  readonly name: string;
  readonly outputs: readonly DType[];
  readonly inputs: readonly DType[];
  readonly scalars: readonly DType[];
  /** How many of the inputs, the first ones, the phases read. */
  readonly read: number;
  readonly phases: readonly EarlierPhase[];
  /** True if the last phase keeps its first term, whose dtype is that of the first output. */
  readonly keeps?: boolean;
  /** The pass that reads the next row ahead, counted from 0, the outputs last: one that computes much; the second unless said. */
  readonly ahead?: number;
  /** The values of the outputs, in their dtypes; `kept` is the term that was kept, if it could be. */
  values(inputs: Scalars, scalars: Scalars, known: Scalars, kept: Scalar | undefined): Scalars;
}

/** A spec with the programs made of it so far, and the kernels that do the same step by step. */
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

/** One reduction for each phase, holding what the earlier ones have settled, then a map over all elements. */
export interface RowSteps {
  readonly reductions: readonly ReduceKernel[];
  readonly map: MapKernel;
}

function stepsOf({ name, outputs, inputs, scalars, read, phases, values }: RowSpec): RowSteps {
  const held: DType[] = [];
  const reductions = phases.map((phase, k) => {
    const heldNow = held.slice();
    const settled = phase.settle(
      phase.accumulators.map(({ total }) => namedScalar(total, "total")),
      scalars.map((dtype) => parameterScalar(dtype, "a")),
      heldNow.map((dtype) => namedScalar(dtype, "known")),
    );
    const results = settled.map(({ dtype }) => dtype);
    held.push(...results);
    return new ReduceKernel({
      ...phase,
      name: `${name}_phase${k}`,
      outputs: results,
      inputs: inputs.slice(0, read),
      held: heldNow,
      scalars,
      finish: phase.settle,
    });
  });
  const map = new MapKernel({
    name,
    outputs,
    inputs: [...inputs, ...held],
    scalars,
    body: (all, given) => values(all.slice(0, inputs.length), given, all.slice(inputs.length), undefined),
  });
  return { reductions, map };
}
