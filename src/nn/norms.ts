/**
 * Normalization layers: of channels over the batch, with running statistics; and of each sample over its last axes, over groups of channels
 * or over each channel.
 */
import {
  batchNorm,
  groupNorm,
  instanceNorm,
  layerNorm,
  localResponseNorm,
  noGrad,
  rmsNorm,
  ShapeError,
  type Tensor,
} from "../index.ts";
import { checkCounts, checkDivides, checkOptions, checkRank, checkSize, checkTensor } from "./check-input.ts";
import { layerOf } from "./layer-of.ts";
import { Layer, type Output } from "./module.ts";
import { constantBuffer, constantParameter, type DTypeOption } from "./parameter.ts";
import { shown } from "./print.ts";

export interface RMSNormOptions extends DTypeOption {
  /** Added to the variance or mean square. Default: 1e-5 in LayerNorm, the machine epsilon of the dtype in RMSNorm. */
  readonly eps?: number | undefined;
  /** Whether a weight is learned. Default: true. */
  readonly elementwiseAffine?: boolean | undefined;
}
export interface LayerNormOptions extends RMSNormOptions {
  /** Whether a bias is learned. Default: true. */
  readonly bias?: boolean | undefined;
}

/** Returns the sizes of the normalized axes, at least one. */
function lastAxes(who: string, normalizedShape: number | readonly number[]): readonly number[] {
  const shape = typeof normalizedShape === "number" ? [normalizedShape] : normalizedShape;
  if (!Array.isArray(shape) || shape.length === 0)
    throw new ShapeError(
      `${who}: normalizedShape must be the size of the last axis, or a list of sizes, got ${shown(normalizedShape)}`,
    );
  for (const size of shape) checkCounts(who, { normalizedShape: size });
  return shape;
}

/** Throws unless the last axes of the input have the sizes of the layer. */
function checkLast(who: string, x: Tensor, shape: readonly number[]): void {
  checkTensor(who, x);
  const last = x.shape.slice(x.rank - shape.length);
  if (x.rank >= shape.length && shape.every((size, axis) => size === last[axis])) return;
  if (shape.length === 1) checkSize(who, x, -1, shape[0]);
  throw new ShapeError(
    `${who}: the last axes of the input are not [${shape.join(", ")}]: the input has shape [${x.shape.join(", ")}].`,
  );
}

/** Normalizes each sample to mean 0 and variance 1 over the last axes, then applies weight and bias. */
export class LayerNorm extends Layer {
  readonly normalizedShape: readonly number[];
  weight: Tensor | null;
  bias: Tensor | null;
  private readonly options: { readonly eps: number };

  constructor(normalizedShape: number | readonly number[], options: LayerNormOptions = {}) {
    super(normalizedShape, options);
    checkOptions(this.who, options, { eps: 0, elementwiseAffine: 0, bias: 0, dtype: 0 });
    const { eps = 1e-5, elementwiseAffine = true, bias = true, dtype } = options;
    this.normalizedShape = lastAxes(this.who, normalizedShape);
    this.options = { eps };
    this.weight = elementwiseAffine ? constantParameter(this.normalizedShape, 1, dtype) : null;
    this.bias = elementwiseAffine && bias ? constantParameter(this.normalizedShape, 0, dtype) : null;
  }

  forward<X extends Tensor>(x: X): Output<X> {
    checkLast(this.who, x, this.normalizedShape);
    return layerNorm(x, this.normalizedShape, this.weight, this.bias, this.options);
  }
}

/** Divides each sample by the root mean square over the last axes, then applies the weight. */
export class RMSNorm extends Layer {
  readonly normalizedShape: readonly number[];
  weight: Tensor | null;
  private readonly options: { readonly eps?: number };

  constructor(normalizedShape: number | readonly number[], options: RMSNormOptions = {}) {
    super(normalizedShape, options);
    checkOptions(this.who, options, { eps: 0, elementwiseAffine: 0, dtype: 0 });
    const { eps, elementwiseAffine = true, dtype } = options;
    this.normalizedShape = lastAxes(this.who, normalizedShape);
    this.options = eps === undefined ? {} : { eps };
    this.weight = elementwiseAffine ? constantParameter(this.normalizedShape, 1, dtype) : null;
  }

  forward<X extends Tensor>(x: X): Output<X> {
    checkLast(this.who, x, this.normalizedShape);
    return rmsNorm(x, this.normalizedShape, this.weight, this.options);
  }
}

export interface GroupNormOptions extends DTypeOption {
  /** Added to the variance. Default: 1e-5. */
  readonly eps?: number | undefined;
  /** Whether a weight and a bias are learned. Default: true. */
  readonly affine?: boolean | undefined;
}

/** Normalizes each group of channels of each sample to mean 0 and variance 1, then applies weight and bias per channel. */
export class GroupNorm extends Layer {
  readonly numGroups: number;
  readonly numChannels: number;
  weight: Tensor | null;
  bias: Tensor | null;
  private readonly options: { readonly eps: number };

  constructor(numGroups: number, numChannels: number, options: GroupNormOptions = {}) {
    super(numGroups, numChannels, options);
    checkCounts(this.who, { numGroups, numChannels });
    checkDivides(this.who, "numChannels", numChannels, "numGroups", numGroups);
    checkOptions(this.who, options, { eps: 0, affine: 0, dtype: 0 });
    const { eps = 1e-5, affine = true, dtype } = options;
    this.numGroups = numGroups;
    this.numChannels = numChannels;
    this.options = { eps };
    this.weight = affine ? constantParameter([numChannels], 1, dtype) : null;
    this.bias = affine ? constantParameter([numChannels], 0, dtype) : null;
  }

  forward<X extends Tensor>(x: X): Output<X> {
    checkSize(this.who, x, 1, this.numChannels, "This is the axis of channels.");
    return groupNorm(x, this.numGroups, this.weight, this.bias, this.options);
  }
}

export interface ResponseNormOptions {
  /** Default: 1e-4. */
  readonly alpha?: number | undefined;
  /** Default: 0.75. */
  readonly beta?: number | undefined;
  /** Default: 1. */
  readonly k?: number | undefined;
}

/** Divides each channel by a power of the sum of squares of its neighbors. */
export class LocalResponseNorm extends /* @__PURE__ */ layerOf<
  [x: Tensor],
  [size: number, options?: ResponseNormOptions]
>(localResponseNorm) {}

export interface ChannelNormOptions extends DTypeOption {
  /** Added to the variance. Default: 1e-5. */
  readonly eps?: number | undefined;
  /** The weight of each batch in the running statistics; null for the mean of all batches. Default: 0.1. */
  readonly momentum?: number | null | undefined;
  /** Whether a weight and a bias are learned. Default: true in batch norms, false in instance norms. */
  readonly affine?: boolean | undefined;
  /** Whether running statistics are kept, and used in evaluation. Default: true in batch norms, false in instance norms. */
  readonly trackRunningStats?: boolean | undefined;
}

/** The base class of batch and instance norms: an optional weight, bias and running statistics. */
abstract class ChannelNorm extends Layer {
  readonly numFeatures: number;
  weight: Tensor | null;
  bias: Tensor | null;
  runningMean: Tensor | null;
  runningVar: Tensor | null;
  /** The number of training batches. */
  numBatchesTracked: Tensor | null;
  protected readonly eps: number;
  protected readonly momentum: number | null;
  private readonly ranks: readonly number[];
  private readonly expected: string;

  constructor(
    ranks: readonly number[],
    expected: string,
    affine: boolean,
    tracks: boolean,
    numFeatures: number,
    options: ChannelNormOptions,
  ) {
    super(numFeatures, options);
    checkCounts(this.who, { numFeatures });
    checkOptions(this.who, options, { eps: 0, momentum: 0, affine: 0, trackRunningStats: 0, dtype: 0 });
    const { eps = 1e-5, momentum = 0.1, dtype } = options;
    this.ranks = ranks;
    this.expected = expected;
    this.numFeatures = numFeatures;
    this.eps = eps;
    this.momentum = momentum;
    this.weight = affine ? constantParameter([numFeatures], 1, dtype) : null;
    this.bias = affine ? constantParameter([numFeatures], 0, dtype) : null;
    this.runningMean = tracks ? constantBuffer([numFeatures], 0, dtype) : null;
    this.runningVar = tracks ? constantBuffer([numFeatures], 1, dtype) : null;
    this.numBatchesTracked = tracks ? constantBuffer([], 0, "int64") : null;
  }

  protected check(x: Tensor, axis: number): void {
    if (!this.ranks.includes(x?.rank)) checkRank(this.who, x, this.ranks, this.expected);
    if (x.shape[axis] !== this.numFeatures)
      checkSize(this.who, x, axis, this.numFeatures, "This is the axis of channels.");
  }

  /** Counts a training batch and returns its weight in the running statistics. */
  protected countBatch(): number {
    const count = this.numBatchesTracked;
    if (count === null || !this.training) return this.momentum ?? 0;
    noGrad(() => count.add_(1));
    return this.momentum ?? 1 / Number(count.item());
  }
}

abstract class BatchNorm extends ChannelNorm {
  constructor(ranks: readonly number[], expected: string, numFeatures: number, options: ChannelNormOptions) {
    const { affine = true, trackRunningStats = true } = options;
    super(ranks, expected, affine, trackRunningStats, numFeatures, options);
  }

  forward<X extends Tensor>(x: X): Output<X> {
    this.check(x, 1);
    const { runningMean, runningVar, weight, bias, eps } = this;
    const training = this.training || runningMean === null;
    return batchNorm(x, { runningMean, runningVar, weight, bias, training, momentum: this.countBatch(), eps });
  }
}

type ChannelNormClass<Instance> = new (numFeatures: number, options?: ChannelNormOptions) => Instance;

/** A class to extend, of batch norms over inputs of these ranks. */
const batchNormOf = (ranks: readonly number[], expected: string): ChannelNormClass<BatchNorm> =>
  class extends BatchNorm {
    constructor(numFeatures: number, options: ChannelNormOptions = {}) {
      super(ranks, expected, numFeatures, options);
    }
  };

/** Normalizes each channel of [N, C] or [N, C, L] over the batch, then applies weight and bias. */
export class BatchNorm1d extends /* @__PURE__ */ batchNormOf([2, 3], "[N, C] or [N, C, L]") {}
/** Normalizes each channel of [N, C, H, W] over the batch, then applies weight and bias. */
export class BatchNorm2d extends /* @__PURE__ */ batchNormOf([4], "[N, C, H, W]") {}
/** Normalizes each channel of [N, C, D, H, W] over the batch, then applies weight and bias. */
export class BatchNorm3d extends /* @__PURE__ */ batchNormOf([5], "[N, C, D, H, W]") {}

abstract class InstanceNorm extends ChannelNorm {
  private readonly axes: number;

  constructor(axes: number, expected: string, numFeatures: number, options: ChannelNormOptions) {
    const { affine = false, trackRunningStats = false } = options;
    super([axes + 1, axes + 2], expected, affine, trackRunningStats, numFeatures, options);
    this.axes = axes;
  }

  forward<X extends Tensor>(x: X): Output<X> {
    const isBatched = x.rank === this.axes + 2;
    this.check(x, isBatched ? 1 : 0);
    const { runningMean, runningVar, weight, bias, eps } = this;
    const useInputStats = this.training || runningMean === null;
    const batch: Tensor = isBatched ? x : x.unsqueeze(0);
    const momentum = this.momentum ?? 0;
    const y: Tensor = instanceNorm(batch, { runningMean, runningVar, weight, bias, useInputStats, momentum, eps });
    return isBatched ? y : y.squeeze(0);
  }
}

/** A class to extend, of instance norms over this number of spatial axes. */
const instanceNormOf = (axes: number, expected: string): ChannelNormClass<InstanceNorm> =>
  class extends InstanceNorm {
    constructor(numFeatures: number, options: ChannelNormOptions = {}) {
      super(axes, expected, numFeatures, options);
    }
  };

/** Normalizes each channel of each signal to mean 0 and variance 1. */
export class InstanceNorm1d extends /* @__PURE__ */ instanceNormOf(1, "[N, C, L] or [C, L]") {}
/** Normalizes each channel of each image to mean 0 and variance 1. */
export class InstanceNorm2d extends /* @__PURE__ */ instanceNormOf(2, "[N, C, H, W] or [C, H, W]") {}
/** Normalizes each channel of each volume to mean 0 and variance 1. */
export class InstanceNorm3d extends /* @__PURE__ */ instanceNormOf(3, "[N, C, D, H, W] or [C, D, H, W]") {}
