/**
 * What an op says of its gradient: a rule, called when a call of the op is recorded, gives the function that the way back runs. Rules
 * know nothing of how calls are recorded; they use ops, so that gradients have gradients themselves.
 */
import type { Tensor } from "../tensor.ts";

/** A call that is recorded. */
export interface RecordedCall {
  /** Calls the op itself, for rules that need it again. */
  again(...args: readonly unknown[]): unknown;
  readonly args: readonly unknown[];
  readonly results: readonly Tensor[];
  /** Keeps an argument for the way back, where asking for it checks that it was not written to in between. */
  save(t: Tensor): () => Tensor;
  /** Keeps a result. */
  saveResult(index?: number): () => Tensor;
  /** Says that a result does not depend on the arguments in a way that has a gradient: it asks for none. */
  stop(index: number): void;
  /** True if and only if the gradient of this argument, or of one in this list, is asked for. */
  needs(arg: unknown): boolean;
}

/** The gradient of an argument: of a list a list, of a record a record; null where nothing passes. */
export type ArgumentGradient =
  | Tensor
  | null
  | undefined
  | readonly (Tensor | null | undefined)[]
  | { readonly [name: string]: Tensor | null | undefined };

/** From the gradients of the results to those of the arguments, in their order; later ones may be left out. */
export type Backward = (gradients: readonly Tensor[]) => readonly ArgumentGradient[];

/** Null if nothing passes through this call. */
export type GradientRule = (call: RecordedCall) => Backward | null;
