/**
 * Normalisations of channels: over the batch, with running values for later use, or of each sample by itself.
 */
import { batchNorm, instanceNorm, noGrad, type Tensor } from "../index.ts";
import { checkCounts, checkOptions, checkRank, checkSize } from "./check-input.ts";
import { Layer } from "./module.ts";
import { constantBuffer, constantParameter, type DTypeOption } from "./start.ts";

export interface ChannelNormOptions extends DTypeOption {
  /** Added to the variance: 1e-5 unless given. */
  readonly eps?: number | undefined;
  /** How far the running values move with each batch: 0.1 unless given; null for the mean of all batches. */
  readonly momentum?: number | null | undefined;
  /** Whether a weight and a bias are learned. */
  readonly affine?: boolean | undefined;
  /** Whether running values are kept, and used outside of training. */
  readonly trackRunningStats?: boolean | undefined;
}

/** What norms of channels share: a weight, a bias and running values, each of which may be missing. */
abstract class ChannelNorm extends Layer {
  readonly numFeatures: number;
  weight: Tensor | null;
  bias: Tensor | null;
  runningMean: Tensor | null;
  runningVar: Tensor | null;
  /** How many batches were seen in training. */
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
      checkSize(this.who, x, axis, this.numFeatures, "That axis holds the channels.");
  }

  /** Counts a batch, and says how far the running values move. */
  protected counted(): number {
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

  forward(x: Tensor): Tensor {
    this.check(x, 1);
    const { runningMean, runningVar, weight, bias, eps } = this;
    const training = this.training || runningMean === null;
    return batchNorm(x, { runningMean, runningVar, weight, bias, training, momentum: this.counted(), eps });
  }
}

/** Each channel of [N, C] or [N, C, L] with mean 0 and variance 1 over the batch, then times weight plus bias. */
export class BatchNorm1d extends BatchNorm {
  constructor(numFeatures: number, options: ChannelNormOptions = {}) {
    super([2, 3], "[N, C] or [N, C, L]", numFeatures, options);
  }
}

/** Each channel of [N, C, H, W] with mean 0 and variance 1 over the batch, then times weight plus bias. */
export class BatchNorm2d extends BatchNorm {
  constructor(numFeatures: number, options: ChannelNormOptions = {}) {
    super([4], "[N, C, H, W]", numFeatures, options);
  }
}

/** Each channel of [N, C, D, H, W] with mean 0 and variance 1 over the batch, then times weight plus bias. */
export class BatchNorm3d extends BatchNorm {
  constructor(numFeatures: number, options: ChannelNormOptions = {}) {
    super([5], "[N, C, D, H, W]", numFeatures, options);
  }
}

abstract class InstanceNorm extends ChannelNorm {
  private readonly axes: number;

  constructor(axes: number, expected: string, numFeatures: number, options: ChannelNormOptions) {
    const { affine = false, trackRunningStats = false } = options;
    super([axes + 1, axes + 2], expected, affine, trackRunningStats, numFeatures, options);
    this.axes = axes;
  }

  forward(x: Tensor): Tensor {
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

/** Each channel of each signal with mean 0 and variance 1. */
export class InstanceNorm1d extends InstanceNorm {
  constructor(numFeatures: number, options: ChannelNormOptions = {}) {
    super(1, "[N, C, L] or [C, L]", numFeatures, options);
  }
}

/** Each channel of each image with mean 0 and variance 1. */
export class InstanceNorm2d extends InstanceNorm {
  constructor(numFeatures: number, options: ChannelNormOptions = {}) {
    super(2, "[N, C, H, W] or [C, H, W]", numFeatures, options);
  }
}

/** Each channel of each volume with mean 0 and variance 1. */
export class InstanceNorm3d extends InstanceNorm {
  constructor(numFeatures: number, options: ChannelNormOptions = {}) {
    super(3, "[N, C, D, H, W] or [C, D, H, W]", numFeatures, options);
  }
}
