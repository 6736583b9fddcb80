/**
 * The functions with which autograd handles tensors that wrap others, such as those inside `vmap`. Nothing is installed before the first `vmap` runs.
 */
import type { Tensor } from "../tensor/tensor.ts";

/** Whether the graph is retained, and whether the backward pass is recorded. */
export interface GraphFlags {
  readonly retainGraph: boolean;
  readonly createGraph: boolean;
}

export interface Wrapping {
  /** Calls a function with the wrapped tensors, and wraps its results; null if no tensor wraps another. */
  under<T>(tensors: readonly Tensor[], fn: (...values: Tensor[]) => T): T | null;
  /** Returns the gradients of outputs with respect to inputs, null for unused inputs; null as a whole if no tensor wraps another. */
  grad(
    outputs: readonly Tensor[],
    inputs: readonly Tensor[],
    starts: readonly (Tensor | null | undefined)[],
    flags: GraphFlags,
  ): (Tensor | null)[] | null;
  /** Returns a tensor to differentiate by, a separate one for each sample. */
  leafOf(t: Tensor): Tensor;
  /** Returns the results of a user-defined function, sample by sample; null if no argument is batched. */
  each(name: string, args: readonly unknown[], call: (args: readonly unknown[]) => unknown): { result: unknown } | null;
}

/** Null before the first `vmap`. A variable, because every call of the autograd API reads it as an import. */
export let wrapping: Wrapping | null = null;

/** Sets how such tensors are differentiated. */
export function installWrapping(implementation: Wrapping): void {
  wrapping = implementation;
}
