/**
 * batchNorm in training: channels with the mean and variance of the batch taken off, and both of them. The way back reads x and the
 * gradient twice: for two sums of each channel, which are the gradients of shift and factor, and for that of x.
 */

import { remember } from "../../base/remember.ts";
import { runReduce } from "../../kernel/program/lower-reduce.ts";
import { makeProductSums } from "../../kernel/reduce/moments.ts";
import type { ReduceKernel } from "../../kernel/reduce/spec.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { fresh, structuredOp } from "../op.ts";
import { inputOperand, outputOperand } from "../reduce/axes.ts";
import { sum, varMean } from "../reduce/reduce.ts";
import { shapeOf } from "../shape-rules.ts";
import { copy_, expand, reshape, to } from "../views.ts";
import { composedForGradients } from "./composed.ts";
import type { Maybe, Part } from "./composite-types.ts";
import { composedBackward } from "./standardize-gradient.ts";

/** The axis of channels of [N, C, ...] or [C]. */
export const channelAxis = (x: Tensor): number => Math.min(1, x.rank - 1);
/** All other axes. */
const otherAxes = (x: Tensor): number[] => sizesOf(x).flatMap((_, axis) => (axis === channelAxis(x) ? [] : [axis]));
/** A value for each channel along the axis of channels. */
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

/** x with means and variances of its channels taken off, times weight plus bias; into `out` if it is given. */
export function channelsApplied(
  x: Tensor,
  average: Tensor,
  spread: Tensor,
  weight: Maybe,
  bias: Maybe,
  eps: number,
  out?: Tensor,
): Tensor {
  const vector = (t: Maybe): Tensor | null => (t ? reshape(t, [t.size]) : null);
  const factor = factorOf(reshape(spread, [spread.size]), eps, vector(weight));
  const shift = shiftOf(reshape(average, [average.size]), factor, vector(bias));
  const operands = [x, across(x, factor), across(x, shift)];
  return out === undefined ? applied(...operands) : applied(...operands, { out });
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

/** The gradients of x, weight and bias; the latter two in the shape and dtype of the mean. */
const batchBackward: BatchBackward = /* @__PURE__ */ composedForGradients(
  /* @__PURE__ */ structuredOp<BatchBackward, BackwardArguments>(
    "batchNormBackward(g: Tensor, x: Tensor, mean: Tensor, variance: Tensor, ...; eps)",
    "composite",
    {
      infer: (_, x, mean) => {
        const each = { dtype: mean.dtype, shape: shapeOf(mean) };
        return [{ dtype: x.dtype, shape: shapeOf(x) }, each, each];
      },
      fill([gradient, factors, shifts], given, x, mean, variance, weight, { eps }) {
        const who = "batchNorm";
        const g = to(given, x.dtype);
        const others = otherAxes(x);
        const kernel = remember(kernels, x.dtype, () => makeProductSums(x.dtype));
        const sums = kernel.spec.outputs.map((dtype) => fresh(dtype, sizesOf(mean)));
        const inputs = [g, x, expand(across(x, to(mean, x.dtype)), sizesOf(x))];
        runReduce(
          kernel,
          sums.map((t) => outputOperand(who, t, others, false)),
          inputs.map((t) => inputOperand(who, t, others)),
        );
        const [totals, products] = sums as [Tensor, Tensor];
        const count = x.size / mean.size;
        const slope = channelSlope(products, variance, count, eps);
        const factor = factorOf(variance, eps, weight ? reshape(weight, [weight.size]) : null);
        const [m, a, b, f] = [mean, slope, totals, factor].map((t) => across(x, t)) as [Tensor, Tensor, Tensor, Tensor];
        channelGradient(g, x, m, a, b, count, f, { out: gradient });
        byDeviation(products, variance, eps, { out: factors });
        copy_(shifts, totals);
      },
    },
  ),
  (...[g, x, _mean, _variance, weight, { eps }]: BackwardArguments) => {
    const others = otherAxes(x);
    const [gradient, y] = composedBackward(g, x, others, weight ? across(x, weight) : null, { eps, isCentred: true });
    return [gradient, sum(product(g, y), others), sum(g, others)];
  },
);

type Arguments = [x: Tensor, weight: Maybe, bias: Maybe, options: { readonly eps: number }];
interface BatchStandardize extends OpFunction {
  (...args: Arguments): [y: Tensor, mean: Tensor, variance: Tensor];
}

/** Mean and variance have no gradients of their own: they move running values only. */
const batchGradient: GradientRule = (call) => {
  const [x, weight, bias, options] = call.args as Arguments;
  const kept = call.save(x);
  const keptWeight = weight ? call.save(weight) : null;
  const [mean, variance] = [call.saveResult(1), call.saveResult(2)];
  const likeOf = (t: Maybe): ((g: Tensor) => Tensor) | null => {
    if (!t || !call.needs(t)) return null;
    const { dtype } = t;
    const shape = sizesOf(t);
    return (g) => to(reshape(g, shape), dtype);
  };
  const [weightOf, biasOf] = [likeOf(weight), likeOf(bias)];
  return ([g]) => {
    const [gradient, factors, shifts] = batchBackward(g, kept(), mean(), variance(), keptWeight?.(), options);
    return [gradient, weightOf?.(factors), biasOf?.(shifts)];
  };
};

/** Channels of x with mean 0 and variance 1 over all other axes, times weight plus bias; and these means and variances. */
export const batchStandardize: BatchStandardize = /* @__PURE__ */ structuredOp<BatchStandardize, Arguments>(
  "batchStandardize(x: Tensor, ...; eps)",
  "composite",
  {
    batch: "batchStandardize",
    infer(x) {
      const each = { dtype: x.dtype, shape: [shapeOf(x)[channelAxis(x)]] };
      return [{ dtype: x.dtype, shape: shapeOf(x), names: x.names }, each, each];
    },
    fill([out, average, spread], x, weight, bias, { eps }) {
      varMean(x, otherAxes(x), { correction: 0, out: [spread, average] as never });
      channelsApplied(x, average, spread, weight, bias, eps, out);
    },
    gradient: batchGradient,
  },
);
