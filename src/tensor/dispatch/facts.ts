/**
 * Facts about ops that autograd, forward mode and vmap use, so that none of them refers to ops by name. Batching rules are only named here,
 * because they call ops; autograd has one rule for each kind.
 */
import type { Tensor } from "../tensor.ts";

/** The kinds of batching rules. Most are shared by several ops; the kind of a single op has the op's name. */
export type BatchingKind =
  // Along axes. "along 1": the axis is argument 1. "along 2=-1": its default is -1. "along 1=all": its default is all axes.
  | "along"
  | "moved"
  // "last 2": on the last 2 axes. "folded 3": on samples of rank 3, or batches of them.
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
  | "scatterIndex"
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

/** Returns the tangents of the results, from the tangent of the first argument. */
export type TangentRule = (tangent: Tensor, results: readonly Tensor[], args: readonly unknown[]) => Tensor[];

/** Facts about an op, all optional. */
export interface OpFacts {
  /** The name in texts of graphs, if another op has the same name. */
  readonly id?: string;
  /**
   * The arguments in which the op is linear: "0" the first, "0|1" each of two separately, "0,1" two jointly, "0,value" with an option; "none"
   * if its results have no tangents. Views are linear in their tensor by default.
   */
  readonly linear?: string | undefined;
  /** Set if the op generates random numbers; "like" if only the shape of its first argument matters. */
  readonly random?: "values" | "like";
  /** The batching rule that vmap uses: its kind, followed by settings separated by spaces. */
  readonly batch?: BatchingKind | `${BatchingKind} ${string}`;
  /** Replaces the rule derived from the gradient, because it is cheaper or, as for eigenvectors, to follow PyTorch. */
  readonly tangent?: TangentRule;
}
