/**
 * Normalisations of channels: over the whole batch, or of each sample, with running values that training moves.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { mean, variance, varMean } from "../reduce/reduce.ts";
import { show } from "../shape-rules.ts";
import { expand, reshape } from "../views.ts";
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

const factorOf = /* @__PURE__ */ map<Part>("normFactor(variance, eps, weight = null)", ({ weight }) =>
  weight === null ? "1 / sqrt(variance + eps)" : "weight / sqrt(variance + eps)",
);
const shiftOf = /* @__PURE__ */ map<Part>("normShift(mean, factor, bias = null)", ({ bias }) =>
  bias === null ? "-mean * factor" : "bias - mean * factor",
);
const applied = /* @__PURE__ */ map<Part>("normApply(x, factor, shift)", "like(x * factor + shift, x)");
const moved = /* @__PURE__ */ map<Part>("moved(x, other, momentum)", "like(x + momentum * (other - x), x)");

/** Moves running values towards new ones, in place. */
function move(running: Maybe, towards: Tensor, momentum: number): void {
  if (running) moved(running, towards, momentum, { out: running });
}

function channelNorm(who: string, x: Tensor, options: BatchNormOptions): Tensor {
  checkTensor(who, x);
  checkFloat(who, x.dtype);
  const { runningMean, runningVar, weight, bias, training = false, momentum = 0.1, eps = 1e-5 } = options;
  const sizes = sizesOf(x);
  const channel = Math.min(1, sizes.length - 1);
  const channels = sizes[channel] ?? 1;
  for (const [name, given] of Object.entries({ running_mean: runningMean, running_var: runningVar, weight, bias })) {
    if (given) checkFloat(`${who}: ${name}`, given.dtype);
    if (given && given.size !== channels)
      throw new ShapeError(
        `${who}: ${name} should contain ${channels} elements not ${given.size}: one for each channel of ${show(sizes)}`,
      );
  }
  let [average, spread] = [runningMean, runningVar];
  if (training || !average || !spread) {
    if (!training)
      throw new StridewiseError(
        `${who}: Expected running_mean and running_var to be defined when training=False. Give { runningMean, runningVar }`,
      );
    const others = sizes.flatMap((_, axis) => (axis === channel ? [] : [axis]));
    const count = x.size / channels;
    if (count === 1)
      throw new ShapeError(
        `${who}: Expected more than 1 value per channel when training, got input size ${show(sizes)}`,
      );
    if (x.size === 0) return expand(x, sizes);
    [spread, average] = varMean(x, others, { correction: 0 });
    move(runningMean, average, momentum);
    move(runningVar, unbiased(spread, count / (count - 1)), momentum);
  }
  const factor = factorOf(spread, eps, weight ?? null);
  const shift = shiftOf(average, factor, bias ?? null);
  const across = sizes.map((size, axis) => (axis === channel ? size : 1));
  return applied(x, reshape(factor, across), reshape(shift, across));
}
const unbiased = /* @__PURE__ */ map<Part>("unbiased(x, factor)", "x * factor");

/** Each channel with the mean and variance of the batch taken off (in training), or the running ones, then times weight plus bias. */
export const batchNorm: Keeping<[options?: BatchNormOptions]> = /* @__PURE__ */ compositeOp(
  "batchNorm; 1 runningMean? runningVar? weight? bias? training momentum eps",
  (x: Tensor, options: BatchNormOptions = {}) => channelNorm("batchNorm", x, options),
);

/** Each channel of each sample with mean 0 and variance 1, then times weight plus bias. */
export const instanceNorm: Keeping<[options?: InstanceNormOptions]> = /* @__PURE__ */ compositeOp(
  "instanceNorm; 1 runningMean? runningVar? weight? bias? useInputStats momentum eps",
  (x: Tensor, { useInputStats = true, ...options }: InstanceNormOptions = {}) => {
    checkFloat("instanceNorm", x.dtype);
    if (!useInputStats) return channelNorm("instanceNorm", x, { ...options, training: false });
    const { runningMean, runningVar, weight, bias, momentum = 0.1, eps = 1e-5 } = options;
    const sizes = sizesOf(x);
    const axes = sizes.map((_, axis) => axis).slice(2);
    if (sizes.length > 2 && sizes.slice(2).every((size) => size === 1))
      throw new ShapeError(
        `instanceNorm: Expected more than 1 spatial element when training, got input size ${show(sizes)}`,
      );
    if (runningMean) move(runningMean, mean(mean(x, axes) as Tensor, 0) as Tensor, momentum);
    if (runningVar) move(runningVar, mean(variance(x, axes) as Tensor, 0) as Tensor, momentum);
    return inGroups("instanceNorm", x, sizes[1] ?? 1, weight, bias, eps);
  },
);
