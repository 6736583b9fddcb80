/**
 * The facts that an op's definition states about it, beside what computes it: autograd, forward mode and vmap read them, so none of them
 * knows ops by name. Rules that must be made of ops, or of batched tensors, are kinds by name here; autograd holds one rule per kind.
 */
import type { Tensor } from "../tensor.ts";

/** The kinds of batching rules. Most serve several ops; those of a single op have its name. */
export type BatchingKind =
  // Along axes: "along 1" the axis is argument 1, "along 2=-1" with this default, "along 1=all" all axes by default.
  | "along"
  | "moved"
  // On the last axes, "last 2"; or on samples of a rank or batches of them, "folded 3".
  | "last"
  | "lastOfFirst"
  | "folded"
  | "refused"
  // Views, copies and creation.
  | "same"
  | "permute"
  | "T"
  | "squeeze"
  | "unsqueeze"
  | "diagonal"
  | "view"
  | "expand"
  | "asStrided"
  | "rename"
  | "clone"
  | "zerosBeside"
  | "fill_"
  | "copy_"
  | "at"
  | "assignAt_"
  | "pick"
  // Movement.
  | "join"
  | "roll"
  | "repeat"
  | "pad"
  | "diag"
  | "diagEmbed"
  | "alongIndex"
  | "rowIndex"
  | "spreadIndex"
  | "indexSelect"
  | "embedding"
  | "oneHot"
  | "part"
  | "channelShuffle"
  | "take"
  | "firstOnly"
  // Products.
  | "matmul"
  | "convolution"
  | "convolutionWeight"
  // Routines.
  | "matrix"
  | "vectors"
  | "solve"
  | "quantile"
  | "searchsorted"
  | "withList"
  // Passes over rows.
  | "standardize"
  | "standardizeBackward"
  | "batchStandardize"
  | "attention"
  | "pairs"
  | "classLogs";

/** From the tangent of the first argument, the results and the arguments to the tangents of the results. */
export type TangentRule = (tangent: Tensor, results: readonly Tensor[], args: readonly unknown[]) => Tensor[];

/** Facts of an op; a fact that is missing says nothing. */
export interface OpFacts {
  /**
   * The arguments in which the op is linear: "0" the first, "0|1" each of two alone, "0,1" two jointly, "0,value" with an option; "none"
   * if its results do not depend on any argument in a way that has a tangent. A view is linear in its tensor without saying so.
   */
  readonly linear?: string | undefined;
  /** Set if the op draws random numbers; "like" if only the shape of its first argument matters. */
  readonly random?: "values" | "like";
  /** How vmap computes it for all samples at once: a kind of rule, and its settings behind spaces. */
  readonly batch?: BatchingKind | `${BatchingKind} ${string}`;
  /** Given where tangents are shorter than those by the gradient or, as for eigenvectors, PyTorch's for any matrix. */
  readonly tangent?: TangentRule;
}
