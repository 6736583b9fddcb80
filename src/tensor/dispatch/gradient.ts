/**
 * Gradient rules of ops. A rule is called when autograd records a call of the op, and returns the function that the backward pass runs. Rules
 * call ops, so gradients are differentiable themselves; they do not depend on how calls are recorded.
 */
import type { Tensor } from "../tensor.ts";

/** A recorded call. */
export interface RecordedCall {
  /** Calls the op again, with other arguments. */
  again(...args: readonly unknown[]): unknown;
  readonly args: readonly unknown[];
  readonly results: readonly Tensor[];
  /** Saves an argument for the backward pass. The returned function throws if the argument was modified in place since. */
  save(t: Tensor): () => Tensor;
  /** Saves a result for the backward pass. */
  saveResult(index?: number): () => Tensor;
  /** Marks a result as not differentiable. */
  stop(index: number): void;
  /** True if and only if this argument, or one in this list, requires a gradient. */
  needs(arg: unknown): boolean;
}

/** The gradient of an argument: a list for a list, an object for an object; null for no gradient. */
export type ArgumentGradient =
  | Tensor
  | null
  | undefined
  | readonly (Tensor | null | undefined)[]
  | { readonly [name: string]: Tensor | null | undefined };

/** Returns the gradients of the arguments, in their order, from the gradients of the results. Trailing ones may be omitted. */
export type Backward = (gradients: readonly Tensor[]) => readonly ArgumentGradient[];

/** Returns null if the call has no gradient. */
export type GradientRule = (call: RecordedCall) => Backward | null;
