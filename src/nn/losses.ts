/**
 * Losses and distances as layers, one line each: a class of an op. The options of the op are passed to the constructor of the layer; weights
 * among them are buffers, as in PyTorch.
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
  /** What is given of the values: "mean" unless given. */
  readonly reduction?: "mean" | "sum" | "none" | undefined;
}
export interface ClassOptions extends ReductionOption {
  /** A weight for each class. */
  readonly weight?: Tensor | null | undefined;
  /** A target that counts nothing: -100 unless given. */
  readonly ignoreIndex?: number | undefined;
}
export interface CrossEntropyOptions extends ClassOptions {
  /** The share of the target that is spread over all classes: 0 unless given. */
  readonly labelSmoothing?: number | undefined;
}
export interface DivergenceOptions {
  /** "mean" unless given; "batchmean" divides by the batch, as the definition asks. */
  readonly reduction?: "mean" | "sum" | "none" | "batchmean" | undefined;
  /** Whether the target is in logarithms, too: false unless given. */
  readonly logTarget?: boolean | undefined;
}
export interface MarginOptions extends ReductionOption {
  /** 0 unless given. */
  readonly margin?: number | undefined;
}
export interface MultiMarginOptions extends ReductionOption {
  /** The power of the differences: 1 unless given, or 2. */
  readonly p?: number | undefined;
  /** 1 unless given. */
  readonly margin?: number | undefined;
  /** A weight for each class. */
  readonly weight?: Tensor | null | undefined;
}
export interface GaussianOptions extends ReductionOption {
  /** Whether the constant is added: false unless given. */
  readonly full?: boolean | undefined;
  /** The least variance: 1e-6 unless given. */
  readonly eps?: number | undefined;
}
export interface TripletOptions extends ReductionOption {
  /** 1 unless given. */
  readonly margin?: number | undefined;
  /** The power of the norm: 2 unless given. */
  readonly p?: number | undefined;
  /** Added to differences: 1e-6 unless given. */
  readonly eps?: number | undefined;
  /** Whether the distance of positive and negative counts if it is smaller: false unless given. */
  readonly swap?: boolean | undefined;
}
export interface CTCOptions extends ReductionOption {
  /** The class of no label: 0 unless given. */
  readonly blank?: number | undefined;
  /** Whether infinite losses count 0: false unless given. */
  readonly zeroInfinity?: boolean | undefined;
}

/** What losses give: a floating-point tensor, so that its item is a number. */
type LossValue = ReturnType<typeof mseLoss>;

const lossOf = <I extends readonly unknown[], S extends readonly unknown[]>(
  op: (...args: [...I, ...S]) => LossValue,
): OpLayerClass<I, S, LossValue> => layerOf<I, S, LossValue>(op);

/** The mean square of the differences. */
export class MSELoss extends /* @__PURE__ */ lossOf<Two, Options<Parameters<typeof mseLoss>[2]>>(mseLoss) {}
/** The mean absolute difference. */
export class L1Loss extends /* @__PURE__ */ lossOf<Two, Options<Parameters<typeof l1Loss>[2]>>(l1Loss) {}
/** Squares of small differences, absolute values of others. */
export class SmoothL1Loss extends /* @__PURE__ */ lossOf<Two, Options<Parameters<typeof smoothL1Loss>[2]>>(
  smoothL1Loss,
) {}
/** Squares of small differences, absolute values of others, scaled by delta. */
export class HuberLoss extends /* @__PURE__ */ lossOf<Two, Options<Parameters<typeof huberLoss>[2]>>(huberLoss) {}
/** The negative logarithm of the share that scores give the right class. */
export class CrossEntropyLoss extends /* @__PURE__ */ lossOf<Two, [options?: CrossEntropyOptions]>(crossEntropy) {}
/** The negative of the logarithm that stands at the right class. */
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
/** The divergence of log-probabilities from targets. */
export class KLDivLoss extends /* @__PURE__ */ lossOf<Two, [options?: DivergenceOptions]>(klDiv) {}
/** The negative log-likelihood of counts. */
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
/** How far other scores come within the margin of the right class's. */
export class MultiMarginLoss extends /* @__PURE__ */ lossOf<Two, [options?: MultiMarginOptions]>(multiMarginLoss) {}
/** How far other scores come within 1 of those of the right classes. */
export class MultiLabelMarginLoss extends /* @__PURE__ */ lossOf<
  Two,
  Options<Parameters<typeof multilabelMarginLoss>[2]>
>(multilabelMarginLoss) {}
/** The cross entropy of each label by itself, meaned over them. */
export class MultiLabelSoftMarginLoss extends /* @__PURE__ */ lossOf<
  Two,
  Options<Parameters<typeof multilabelSoftMarginLoss>[2]>
>(multilabelSoftMarginLoss) {}
/** The negative log-likelihood of normal distributions. */
export class GaussianNLLLoss extends /* @__PURE__ */ lossOf<
  [x: Tensor, target: Tensor, variance: Tensor | number],
  [options?: GaussianOptions]
>(gaussianNllLoss) {}
/** 1 - cosine where the target is 1, the cosine above the margin where it is -1. */
export class CosineEmbeddingLoss extends /* @__PURE__ */ lossOf<
  [x: Tensor, other: Tensor, target: Tensor],
  [options?: MarginOptions]
>(cosineEmbeddingLoss) {}
/** How far the one that should be larger is not, by a margin. */
export class MarginRankingLoss extends /* @__PURE__ */ lossOf<
  [x: Tensor, other: Tensor, target: Tensor],
  [options?: MarginOptions]
>(marginRankingLoss) {}
/** How far the positive is not nearer to the anchor than the negative, by a margin. */
export class TripletMarginLoss extends /* @__PURE__ */ lossOf<
  [anchor: Tensor, positive: Tensor, negative: Tensor],
  [options?: TripletOptions]
>(tripletMarginLoss) {}
/** The negative log-probability of label sequences under every alignment with the inputs. */
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

/** The cosine of the angle of two vectors. */
export class CosineSimilarity extends /* @__PURE__ */ layerOf<Pair, CosineOptions>(cosineSimilarity) {}
/** The length of the difference of two vectors. */
export class PairwiseDistance extends /* @__PURE__ */ layerOf<Pair, DistanceOptions>(pairwiseDistance) {}
