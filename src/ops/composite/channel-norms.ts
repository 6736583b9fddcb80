/**
 * Normalization of channels: over the whole batch, or of each sample, with running statistics that training updates.
 *
 * batchNorm in training subtracts the mean of the batch and divides by its standard deviation. Its backward pass reads x and the gradient
 * twice: for two sums of each channel, which are the gradients of weight and bias, and for the gradient of x.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { lowerReduce } from "../../kernel/program/lower-reduce.ts";
import { makeProductSums } from "../../kernel/reduce/moments.ts";
import type { ReduceKernel } from "../../kernel/reduce/spec.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerReshape, lowerTo, scratchTensor } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { compositeOp, lowerOp, structuredOp } from "../op.ts";
import { inputOperand, outputOperand } from "../reduce/axes.ts";
import { mean, sum, variance, varMean } from "../reduce/reduce.ts";
import { shapeOf, show } from "../shape-rules.ts";
import { detach, expand, reshape, to } from "../views.ts";
import type { Maybe, Part, SameShapeOp } from "./composite-types.ts";
import { checkFloat, composedForGradients } from "./rows.ts";
import { composedBackward, inGroups } from "./standardize.ts";

/** Returns the axis of channels of [N, C, ...] or [C]. */
const channelAxis = (x: Tensor): number => Math.min(1, x.rank - 1);
/** All other axes. */
const otherAxes = (x: Tensor): number[] => sizesOf(x).flatMap((_, axis) => (axis === channelAxis(x) ? [] : [axis]));
/** Reshapes a value per channel to broadcast along the axis of channels. */
const across = (x: Tensor, t: Tensor): Tensor => {
  const channel = channelAxis(x);
  return reshape(
    t,
    sizesOf(x).map((size, axis) => (axis === channel ? size : 1)),
  );
};

const factorOf = /* @__PURE__ */ map<Part>("normFactor(variance, eps, weight = null)", ({ weight }) =>
  weight === null ? "1 / sqrt(variance + eps)" : "weight / sqrt(variance + eps)",
);
const shiftOf = /* @__PURE__ */ map<Part>("normShift(mean, factor, bias = null)", ({ bias }) =>
  bias === null ? "-mean * factor" : "bias - mean * factor",
);
const applied = /* @__PURE__ */ map<Part>("normApply(x, factor, shift)", "like(x * factor + shift, x)");

/** Returns x normalized by the means and variances of its channels, times weight plus bias. */
function channelsApplied(x: Tensor, means: Tensor, variances: Tensor, weight: Maybe, bias: Maybe, eps: number): Tensor {
  const vector = (t: Maybe): Tensor | null => (t ? reshape(t, [t.size]) : null);
  const factor = factorOf(reshape(variances, [variances.size]), eps, vector(weight));
  const shift = shiftOf(reshape(means, [means.size]), factor, vector(bias));
  return applied(x, across(x, factor), across(x, shift));
}

type BackwardArguments = [
  g: Tensor,
  x: Tensor,
  mean: Tensor,
  variance: Tensor,
  weight: Maybe,
  options: { readonly eps: number },
];
interface BatchBackward extends OpFunction {
  (...args: BackwardArguments): [x: Tensor, weight: Tensor, bias: Tensor];
}

const kernels = /* @__PURE__ */ new Map<string, ReduceKernel>();
const product = /* @__PURE__ */ map<Part>("product(x, y)", "x * y");
const channelSlope = /* @__PURE__ */ map<Part>(
  "channelSlope(products, variance, count, eps)",
  "products / (variance + eps) / count",
);
const channelGradient = /* @__PURE__ */ map<Part>(
  "channelGradient(g, x, mean, slope, total, count, factor)",
  "like((g - total / count - (x - mean) * slope) * factor, x)",
);
const byDeviation = /* @__PURE__ */ map<Part>("byDeviation(x, variance, eps)", "x / sqrt(variance + eps)");

/** The gradients of x, weight and bias; those of weight and bias have the shape and dtype of the mean. */
const batchBackward: BatchBackward = /* @__PURE__ */ composedForGradients(
  /* @__PURE__ */ structuredOp<BatchBackward, BackwardArguments>(
    "batchNormBackward(g: Tensor, x: Tensor, mean: Tensor, variance: Tensor, ...; eps)",
    "composite",
    {
      infer: (_, x, mean) => {
        const each = { dtype: mean.dtype, shape: shapeOf(mean) };
        return [{ dtype: x.dtype, shape: shapeOf(x) }, each, each];
      },
      lower(builder, [gradient, factors, shifts], gradientOfResult, x, mean, variance, weight, { eps }) {
        const who = "batchNorm";
        const g = lowerTo(builder, gradientOfResult, x.dtype, who);
        const others = otherAxes(x);
        const kernel = getOrCompute(kernels, x.dtype, () => makeProductSums(x.dtype));
        const sums = kernel.spec.outputs.map((dtype) => scratchTensor(builder, dtype, sizesOf(mean)));
        const inputs = [g, x, expand(across(x, lowerTo(builder, mean, x.dtype, who)), sizesOf(x))];
        lowerReduce(
          builder,
          kernel,
          sums.map((t) => outputOperand(who, t, others, false)),
          inputs.map((t) => inputOperand(who, t, others)),
        );
        const [totals, products] = sums as [Tensor, Tensor];
        const count = x.size / mean.size;
        const slope = lowerOp(builder, channelSlope, products, variance, count, eps);
        const factor = lowerOp(
          builder,
          factorOf,
          variance,
          eps,
          weight ? lowerReshape(builder, weight, [weight.size], who) : null,
        );
        const [m, a, b, f] = [mean, slope, totals, factor].map((t) => across(x, t)) as [Tensor, Tensor, Tensor, Tensor];
        lowerOp(builder, channelGradient, g, x, m, a, b, count, f, { out: gradient });
        lowerOp(builder, byDeviation, products, variance, eps, { out: factors });
        lowerCopyAll(builder, totals, shifts, who);
      },
    },
  ),
  (...[g, x, _mean, _variance, weight, { eps }]: BackwardArguments) => {
    const others = otherAxes(x);
    const [gradient, y] = composedBackward(g, x, others, weight ? across(x, weight) : null, { eps, isCentered: true });
    return [gradient, sum(product(g, y), others), sum(g, others)];
  },
);

type Arguments = [x: Tensor, weight: Maybe, bias: Maybe, options: { readonly eps: number }];
interface BatchStandardize extends OpFunction {
  (...args: Arguments): [y: Tensor, mean: Tensor, variance: Tensor];
}

/** Mean and variance have no gradients: they only update running statistics. */
const batchGradient: GradientRule = (call) => {
  const [x, weight, bias, options] = call.args as Arguments;
  const savedX = call.save(x);
  const savedWeight = weight ? call.save(weight) : null;
  const [mean, variance] = [call.saveResult(1), call.saveResult(2)];
  const likeOf = (t: Maybe): ((g: Tensor) => Tensor) | null => {
    if (!t || !call.needs(t)) return null;
    const { dtype } = t;
    const shape = sizesOf(t);
    return (g) => to(reshape(g, shape), dtype);
  };
  const [weightOf, biasOf] = [likeOf(weight), likeOf(bias)];
  return ([g]) => {
    const [gradient, factors, shifts] = batchBackward(g, savedX(), mean(), variance(), savedWeight?.(), options);
    return [gradient, weightOf?.(factors), biasOf?.(shifts)];
  };
};

/** Channels of x normalized to mean 0 and variance 1 over all other axes, times weight plus bias; and the means and variances. */
const batchStandardize: BatchStandardize = /* @__PURE__ */ structuredOp<BatchStandardize, Arguments>(
  "batchStandardize(x: Tensor, ...; eps)",
  "composite",
  {
    batch: "batchStandardize",
    infer(x) {
      const each = { dtype: x.dtype, shape: [shapeOf(x)[channelAxis(x)]] };
      return [{ dtype: x.dtype, shape: shapeOf(x), names: x.names }, each, each];
    },
    lower(builder, [out, means, variances], x, weight, bias, { eps }) {
      const vector = (t: Maybe): Tensor | null => (t ? lowerReshape(builder, t, [t.size], "batchNorm") : null);
      lowerOp(builder, varMean, x, otherAxes(x), { correction: 0, out: [variances, means] });
      const factor = lowerOp(builder, factorOf, variances, eps, vector(weight));
      const shift = lowerOp(builder, shiftOf, means, factor, vector(bias));
      lowerOp(builder, applied, x, across(x, factor), across(x, shift), { out });
    },
    gradient: batchGradient,
  },
);

interface ChannelOptions {
  /** Running mean and variance of each channel: used without training, and updated from the batch in training. */
  readonly runningMean?: Maybe;
  readonly runningVar?: Maybe;
  readonly weight?: Maybe;
  readonly bias?: Maybe;
  /** The weight of the batch in the update of running statistics. Default: 0.1. */
  readonly momentum?: number | undefined;
  /** The number that is added to the variance before its square root. Default: 1e-5. */
  readonly eps?: number | undefined;
}
interface BatchNormOptions extends ChannelOptions {
  /** Normalizes by the statistics of the batch instead of the running ones. Default: false. */
  readonly training?: boolean | undefined;
}
interface InstanceNormOptions extends ChannelOptions {
  readonly useInputStats?: boolean | undefined;
}

const moved = /* @__PURE__ */ map<Part>("moved(x, other, momentum)", "like(x + momentum * (other - x), x)");

/** Updates running statistics in place. */
function update(running: Maybe, toward: Tensor, momentum: number): void {
  if (running) moved(running, toward, momentum, { out: running });
}

function channelNorm(who: string, x: Tensor, options: BatchNormOptions): Tensor {
  checkFloat(who, x.dtype);
  const { runningMean, runningVar, weight, bias, training = false, momentum = 0.1, eps = 1e-5 } = options;
  const sizes = sizesOf(x);
  const channels = sizes[channelAxis(x)] ?? 1;
  for (const [name, t] of Object.entries({ runningMean, runningVar, weight, bias })) {
    if (t) checkFloat(`${who}: ${name}`, t.dtype);
    if (t && t.size !== channels)
      throw new ShapeError(
        `${who}: ${name} must have an element for each of ${channels} channels of ${show(sizes)}, got ${t.size}`,
      );
  }
  if (!training) {
    if (runningMean && runningVar) return channelsApplied(x, runningMean, runningVar, weight, bias, eps);
    throw new StridewiseError(`${who}: runningMean and runningVar are required if training is false`);
  }
  const count = x.size / channels;
  if (count === 1)
    throw new ShapeError(`${who}: training requires more than one element per channel, got ${show(sizes)}`);
  if (x.size === 0) {
    // There is nothing to normalize; weight and bias take part, so that their gradients are zeros.
    const any = runningMean ?? weight;
    return any ? channelsApplied(x, detach(any), detach(any), weight, bias, eps) : expand(x, sizes);
  }
  const [y, means, variances] = batchStandardize(x, weight, bias, { eps });
  update(runningMean, detach(means), momentum);
  if (runningVar) update(runningVar, unbiased(detach(variances), count / (count - 1)), momentum);
  return y;
}
const unbiased = /* @__PURE__ */ map<Part>("unbiased(x, factor)", "x * factor");

/** Applies batch normalization: normalizes each channel by the mean and variance of the batch (in training) or by the running statistics, then multiplies by weight and adds bias. */
export const batchNorm: SameShapeOp<[options?: BatchNormOptions]> = /* @__PURE__ */ compositeOp(
  "batchNorm(x: Tensor; runningMean: Tensor, runningVar: Tensor, weight: Tensor, bias: Tensor, training, momentum, eps)",
  (x: Tensor, options: BatchNormOptions = {}) => channelNorm("batchNorm", x, options),
);

/** Applies instance normalization: normalizes each channel of each sample to mean 0 and variance 1, then multiplies by weight and adds bias. */
export const instanceNorm: SameShapeOp<[options?: InstanceNormOptions]> = /* @__PURE__ */ compositeOp(
  "instanceNorm(x: Tensor; runningMean: Tensor, runningVar: Tensor, weight: Tensor, bias: Tensor, useInputStats, momentum, eps)",
  (x: Tensor, { useInputStats = true, ...options }: InstanceNormOptions = {}) => {
    checkFloat("instanceNorm", x.dtype);
    if (!useInputStats) return channelNorm("instanceNorm", x, { ...options, training: false });
    const { runningMean, runningVar, weight, bias, momentum = 0.1, eps = 1e-5 } = options;
    const sizes = sizesOf(x);
    const axes = sizes.map((_, axis) => axis).slice(2);
    if (sizes.length > 2 && sizes.slice(2).every((size) => size === 1))
      throw new ShapeError(`instanceNorm: training requires more than one element per channel, got ${show(sizes)}`);
    const values = detach(x);
    if (runningMean) update(runningMean, mean(mean(values, axes), 0), momentum);
    if (runningVar) update(runningVar, mean(variance(values, axes), 0), momentum);
    return inGroups("instanceNorm", x, sizes[1] ?? 1, weight, bias, eps);
  },
);
