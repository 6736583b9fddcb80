/**
 * Losses and distances as layers, each a class of an op. The options of the op are passed to the constructor; weights among them are buffers,
 * as in PyTorch.
 */
import {
  binaryCrossEntropy,
  binaryCrossEntropyWithLogits,
  cosineEmbeddingLoss,
  cosineSimilarity,
  crossEntropy,
  ctcLoss,
  gaussianNllLoss,
  hingeEmbeddingLoss,
  huberLoss,
  klDiv,
  l1Loss,
  marginRankingLoss,
  mseLoss,
  multilabelMarginLoss,
  multilabelSoftMarginLoss,
  multiMarginLoss,
  nllLoss,
  pairwiseDistance,
  poissonNllLoss,
  smoothL1Loss,
  softMarginLoss,
  type Tensor,
  tripletMarginLoss,
} from "../index.ts";
import { layerOf, type OpLayerClass } from "./layer-of.ts";

type Two = [x: Tensor, target: Tensor];
type Options<O> = [options?: NonNullable<O>];

interface ReductionOption {
  /** The reduction of the losses of all samples. Default: "mean". */
  readonly reduction?: "mean" | "sum" | "none" | undefined;
}
export interface ClassOptions extends ReductionOption {
  /** A weight for each class. */
  readonly weight?: Tensor | null | undefined;
  /** A target that is ignored. Default: -100. */
  readonly ignoreIndex?: number | undefined;
}
export interface CrossEntropyOptions extends ClassOptions {
  /** The fraction of the target that is spread over all classes. Default: 0. */
  readonly labelSmoothing?: number | undefined;
}
export interface DivergenceOptions {
  /** The reduction; "batchmean" divides by the batch size, as in the definition. Default: "mean". */
  readonly reduction?: "mean" | "sum" | "none" | "batchmean" | undefined;
  /** Whether the target holds log-probabilities. Default: false. */
  readonly logTarget?: boolean | undefined;
}
export interface MarginOptions extends ReductionOption {
  /** Default: 0. */
  readonly margin?: number | undefined;
}
export interface MultiMarginOptions extends ReductionOption {
  /** The exponent of the differences, 1 or 2. Default: 1. */
  readonly p?: number | undefined;
  /** Default: 1. */
  readonly margin?: number | undefined;
  /** A weight for each class. */
  readonly weight?: Tensor | null | undefined;
}
export interface GaussianOptions extends ReductionOption {
  /** Whether the constant term is added. Default: false. */
  readonly full?: boolean | undefined;
  /** The smallest variance. Default: 1e-6. */
  readonly eps?: number | undefined;
}
export interface TripletOptions extends ReductionOption {
  /** Default: 1. */
  readonly margin?: number | undefined;
  /** The order of the norm. Default: 2. */
  readonly p?: number | undefined;
  /** Added to the differences. Default: 1e-6. */
  readonly eps?: number | undefined;
  /** Whether the distance from positive to negative is used if it is smaller. Default: false. */
  readonly swap?: boolean | undefined;
}
export interface CTCOptions extends ReductionOption {
  /** The index of the blank label. Default: 0. */
  readonly blank?: number | undefined;
  /** Whether infinite losses and their gradients are set to 0. Default: false. */
  readonly zeroInfinity?: boolean | undefined;
}

/** The result of a loss: a floating-point tensor, so that its item is a number. */
type LossValue = ReturnType<typeof mseLoss>;

const lossOf = <I extends readonly unknown[], S extends readonly unknown[]>(
  op: (...args: [...I, ...S]) => LossValue,
): OpLayerClass<I, S, LossValue> => layerOf<I, S, LossValue>(op);

/** The mean squared error. */
export class MSELoss extends /* @__PURE__ */ lossOf<Two, Options<Parameters<typeof mseLoss>[2]>>(mseLoss) {}
/** The mean absolute error. */
export class L1Loss extends /* @__PURE__ */ lossOf<Two, Options<Parameters<typeof l1Loss>[2]>>(l1Loss) {}
/** Squared error below beta, absolute error above. */
export class SmoothL1Loss extends /* @__PURE__ */ lossOf<Two, Options<Parameters<typeof smoothL1Loss>[2]>>(
  smoothL1Loss,
) {}
/** Squared error below delta, absolute error scaled by delta above. */
export class HuberLoss extends /* @__PURE__ */ lossOf<Two, Options<Parameters<typeof huberLoss>[2]>>(huberLoss) {}
/** The cross entropy of scores (logits) and classes or class probabilities. */
export class CrossEntropyLoss extends /* @__PURE__ */ lossOf<Two, [options?: CrossEntropyOptions]>(crossEntropy) {}
/** The negative log-likelihood of log-probabilities and classes. */
export class NLLLoss extends /* @__PURE__ */ lossOf<Two, [options?: ClassOptions]>(nllLoss) {}
/** The cross entropy of probabilities and targets between 0 and 1. */
export class BCELoss extends /* @__PURE__ */ lossOf<Two, Options<Parameters<typeof binaryCrossEntropy>[2]>>(
  binaryCrossEntropy,
) {}
/** The cross entropy of sigmoid(x) and targets between 0 and 1. */
export class BCEWithLogitsLoss extends /* @__PURE__ */ lossOf<
  Two,
  Options<Parameters<typeof binaryCrossEntropyWithLogits>[2]>
>(binaryCrossEntropyWithLogits) {}
/** The Kullback-Leibler divergence of log-probabilities from targets. */
export class KLDivLoss extends /* @__PURE__ */ lossOf<Two, [options?: DivergenceOptions]>(klDiv) {}
/** The negative log-likelihood of Poisson distributions. */
export class PoissonNLLLoss extends /* @__PURE__ */ lossOf<Two, Options<Parameters<typeof poissonNllLoss>[2]>>(
  poissonNllLoss,
) {}
/** log(1 + exp(-target * x)) for targets 1 and -1. */
export class SoftMarginLoss extends /* @__PURE__ */ lossOf<Two, Options<Parameters<typeof softMarginLoss>[2]>>(
  softMarginLoss,
) {}
/** x where the target is 1, max(0, margin - x) where it is -1. */
export class HingeEmbeddingLoss extends /* @__PURE__ */ lossOf<Two, Options<Parameters<typeof hingeEmbeddingLoss>[2]>>(
  hingeEmbeddingLoss,
) {}
/** The hinge loss of scores and one class per sample. */
export class MultiMarginLoss extends /* @__PURE__ */ lossOf<Two, [options?: MultiMarginOptions]>(multiMarginLoss) {}
/** The hinge loss of scores and several classes per sample. */
export class MultiLabelMarginLoss extends /* @__PURE__ */ lossOf<
  Two,
  Options<Parameters<typeof multilabelMarginLoss>[2]>
>(multilabelMarginLoss) {}
/** The binary cross entropy of each label, averaged over the labels. */
export class MultiLabelSoftMarginLoss extends /* @__PURE__ */ lossOf<
  Two,
  Options<Parameters<typeof multilabelSoftMarginLoss>[2]>
>(multilabelSoftMarginLoss) {}
/** The negative log-likelihood of normal distributions. */
export class GaussianNLLLoss extends /* @__PURE__ */ lossOf<
  [x: Tensor, target: Tensor, variance: Tensor | number],
  [options?: GaussianOptions]
>(gaussianNllLoss) {}
/** 1 - cosine where the target is 1, max(0, cosine - margin) where it is -1. */
export class CosineEmbeddingLoss extends /* @__PURE__ */ lossOf<
  [x: Tensor, other: Tensor, target: Tensor],
  [options?: MarginOptions]
>(cosineEmbeddingLoss) {}
/** max(0, -target * (x - other) + margin). */
export class MarginRankingLoss extends /* @__PURE__ */ lossOf<
  [x: Tensor, other: Tensor, target: Tensor],
  [options?: MarginOptions]
>(marginRankingLoss) {}
/** max(0, distance(anchor, positive) - distance(anchor, negative) + margin). */
export class TripletMarginLoss extends /* @__PURE__ */ lossOf<
  [anchor: Tensor, positive: Tensor, negative: Tensor],
  [options?: TripletOptions]
>(tripletMarginLoss) {}
/** The connectionist temporal classification loss: the negative log-probability of label sequences, summed over all alignments. */
export class CTCLoss extends /* @__PURE__ */ lossOf<
  [
    logProbs: Tensor,
    targets: Tensor,
    inputLengths: Parameters<typeof ctcLoss>[2],
    targetLengths: Parameters<typeof ctcLoss>[3],
  ],
  [options?: CTCOptions]
>(ctcLoss) {}

type Pair = [x: Tensor, other: Tensor];
type CosineOptions = [options?: NonNullable<Parameters<typeof cosineSimilarity>[2]>];
type DistanceOptions = [options?: NonNullable<Parameters<typeof pairwiseDistance>[2]>];

/** The cosine of the angle between two vectors. */
export class CosineSimilarity extends /* @__PURE__ */ layerOf<Pair, CosineOptions>(cosineSimilarity) {}
/** The norm of the difference of two vectors. */
export class PairwiseDistance extends /* @__PURE__ */ layerOf<Pair, DistanceOptions>(pairwiseDistance) {}
