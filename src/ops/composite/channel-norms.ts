/**
 * Normalisations of channels: over the whole batch, or of each sample, with running values that training moves.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { mean, variance } from "../reduce/reduce.ts";
import { show } from "../shape-rules.ts";
import { detach, expand } from "../views.ts";
import { batchStandardize, channelAxis, channelsApplied } from "./batch-standardize.ts";
import type { Keeping, Maybe, Part } from "./composite-types.ts";
import { checkFloat } from "./rows.ts";
import { inGroups } from "./standardize.ts";

interface ChannelOptions {
  /** Running mean and variance of each channel: read without training, moved towards the batch's with it. */
  readonly runningMean?: Maybe;
  readonly runningVar?: Maybe;
  readonly weight?: Maybe;
  readonly bias?: Maybe;
  /** How far the running values move: 0.1 unless given. */
  readonly momentum?: number | undefined;
  readonly eps?: number | undefined;
}
interface BatchNormOptions extends ChannelOptions {
  readonly training?: boolean | undefined;
}
interface InstanceNormOptions extends ChannelOptions {
  readonly useInputStats?: boolean | undefined;
}

const moved = /* @__PURE__ */ map<Part>("moved(x, other, momentum)", "like(x + momentum * (other - x), x)");

/** Moves running values towards new ones, in place. */
function move(running: Maybe, towards: Tensor, momentum: number): void {
  if (running) moved(running, towards, momentum, { out: running });
}

function channelNorm(who: string, x: Tensor, options: BatchNormOptions): Tensor {
  checkFloat(who, x.dtype);
  const { runningMean, runningVar, weight, bias, training = false, momentum = 0.1, eps = 1e-5 } = options;
  const sizes = sizesOf(x);
  const channels = sizes[channelAxis(x)] ?? 1;
  for (const [name, given] of Object.entries({ running_mean: runningMean, running_var: runningVar, weight, bias })) {
    if (given) checkFloat(`${who}: ${name}`, given.dtype);
    if (given && given.size !== channels)
      throw new ShapeError(
        `${who}: ${name} needs an element for each of ${channels} channels of ${show(sizes)}, got ${given.size}`,
      );
  }
  if (!training) {
    if (runningMean && runningVar) return channelsApplied(x, runningMean, runningVar, weight, bias, eps);
    throw new StridewiseError(`${who}: without training it needs { runningMean, runningVar }`);
  }
  const count = x.size / channels;
  if (count === 1) throw new ShapeError(`${who}: training needs more than one element per channel, got ${show(sizes)}`);
  if (x.size === 0) {
    // There is nothing to norm; weight and bias take part, so that their gradients are zeros.
    const any = runningMean ?? weight;
    return any ? channelsApplied(x, detach(any), detach(any), weight, bias, eps) : expand(x, sizes);
  }
  const [y, average, spread] = batchStandardize(x, weight, bias, { eps });
  move(runningMean, detach(average), momentum);
  if (runningVar) move(runningVar, unbiased(detach(spread), count / (count - 1)), momentum);
  return y;
}
const unbiased = /* @__PURE__ */ map<Part>("unbiased(x, factor)", "x * factor");

/** Each channel with the mean and variance of the batch taken off (in training), or the running ones, then times weight plus bias. */
export const batchNorm: Keeping<[options?: BatchNormOptions]> = /* @__PURE__ */ compositeOp(
  "batchNorm(x: Tensor; runningMean: Tensor, runningVar: Tensor, weight: Tensor, bias: Tensor, training, momentum, eps)",
  (x: Tensor, options: BatchNormOptions = {}) => channelNorm("batchNorm", x, options),
);

/** Each channel of each sample with mean 0 and variance 1, then times weight plus bias. */
export const instanceNorm: Keeping<[options?: InstanceNormOptions]> = /* @__PURE__ */ compositeOp(
  "instanceNorm(x: Tensor; runningMean: Tensor, runningVar: Tensor, weight: Tensor, bias: Tensor, useInputStats, momentum, eps)",
  (x: Tensor, { useInputStats = true, ...options }: InstanceNormOptions = {}) => {
    checkFloat("instanceNorm", x.dtype);
    if (!useInputStats) return channelNorm("instanceNorm", x, { ...options, training: false });
    const { runningMean, runningVar, weight, bias, momentum = 0.1, eps = 1e-5 } = options;
    const sizes = sizesOf(x);
    const axes = sizes.map((_, axis) => axis).slice(2);
    if (sizes.length > 2 && sizes.slice(2).every((size) => size === 1))
      throw new ShapeError(`instanceNorm: training needs more than one element per channel, got ${show(sizes)}`);
    const values = detach(x);
    if (runningMean) move(runningMean, mean(mean(values, axes), 0), momentum);
    if (runningVar) move(runningVar, mean(variance(values, axes), 0), momentum);
    return inGroups("instanceNorm", x, sizes[1] ?? 1, weight, bias, eps);
  },
);
