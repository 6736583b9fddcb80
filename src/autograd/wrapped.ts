/**
 * What autograd asks of tensors that stand for others, as those inside `vmap` do. Nothing is installed, and nothing asked, before the
 * first `vmap` runs.
 */
import type { Tensor } from "../tensor/tensor.ts";

/** Whether the graph stays, and whether the way back is recorded. */
export interface GraphFlags {
  readonly retainGraph: boolean;
  readonly createGraph: boolean;
}

export interface Wrapping {
  /** Calls a function with what tensors stand for, and gives its results as such tensors; null if none of them stands for another. */
  under<T>(tensors: readonly Tensor[], fn: (...values: Tensor[]) => T): T | null;
  /** The gradients of outputs with respect to inputs, null where none reach them; null as a whole if no tensor stands for another. */
  grad(
    outputs: readonly Tensor[],
    inputs: readonly Tensor[],
    given: readonly (Tensor | null | undefined)[],
    flags: GraphFlags,
  ): (Tensor | null)[] | null;
  /** A tensor to differentiate by: for each sample one of its own. */
  leafOf(t: Tensor): Tensor;
  /** The results of a function with its own gradient, sample after sample; null if no argument stands for a batch. */
  each(name: string, args: readonly unknown[], call: (args: readonly unknown[]) => unknown): { result: unknown } | null;
}

/** Null until something is installed. */
export let wrapping: Wrapping | null = null;

/** Says how such tensors are differentiated. */
export function installWrapping(how: Wrapping): void {
  wrapping = how;
}
