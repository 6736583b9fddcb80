/** Normalizations over channels, groups or trailing axes, and softmax. Statistics of half-precision inputs are computed in float32. */
import * as sw from "../../index.ts";
import { computedAs } from "../../storage/dtype.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { dtypeAttribute } from "./creation.ts";

const epsilonOf = (call: Call): number => call.float("epsilon", 1e-5);

/** Reshapes parameters of channels so that they broadcast with x [batch, channels, ...]. */
const perChannel = (x: sw.Tensor, t: sw.Tensor): sw.Tensor =>
  t.reshape([...t.shape, ...new Array<number>(Math.max(0, x.rank - 1 - t.rank)).fill(1)]);

function batchNormalization(call: Call): readonly sw.Tensor[] | sw.Tensor {
  const x = call.tensor(0);
  const wide = computedAs(x.dtype);
  const [weight, bias, mean, variance] = [1, 2, 3, 4].map((k): sw.Tensor => call.tensor(k).to(wide));
  const eps = epsilonOf(call);
  // Up to version 13, a node that lists more outputs than Y is one of training.
  const isTraining = call.version < 14 ? call.outputCount > 1 : call.int("training_mode", 0) !== 0;
  if (!isTraining && mean.rank === 1 && x.rank > 1)
    return sw.batchNorm(x.to(wide), { runningMean: mean, runningVar: variance, weight, bias, eps }).to(x.dtype);
  const normalized = (center: sw.Tensor, spread: sw.Tensor): sw.Tensor => {
    const factor = sw.elementwise("weight / sqrt(spread + eps)", { weight, spread, eps });
    const shift = sw.elementwise("bias - center * factor", { bias, center, factor });
    const [f, s] = [perChannel(x, factor), perChannel(x, shift)];
    return sw.elementwise("x * f + s", { x: x.to(wide), f, s }).to(x.dtype);
  };
  if (!isTraining) return normalized(mean, variance);
  const momentum = call.float("momentum", 0.9);
  const axes = Array.from({ length: x.rank }, (_, axis) => axis).filter((axis) => axis !== 1 && axis > mean.rank - 2);
  const [own, spread] = [sw.mean(x.to(wide), axes), sw.var(x.to(wide), axes, { correction: 0 })];
  const moved = (before: sw.Tensor, now: sw.Tensor, k: number): sw.Tensor =>
    sw.elementwise("before * momentum + now * (1 - momentum)", { before, now, momentum }).to(call.tensor(k).dtype);
  const running = [moved(mean, own, 3), moved(variance, spread, 4)];
  const results = [normalized(own, spread), ...running];
  return call.version < 14 ? [...results, own.to(mean.dtype), spread.to(variance.dtype)] : results;
}

/** The sizes from an axis on, over which a node normalizes. */
const trailing = (call: Call, x: sw.Tensor): readonly number[] =>
  x.shape.slice(call.axis(call.int("axis", -1), x.rank));

function layerNormalization(call: Call): readonly sw.Tensor[] | sw.Tensor {
  const [x, weight, bias] = [call.tensor(0), call.tensor(1), call.optionalTensor(2)];
  const eps = epsilonOf(call);
  const shape = trailing(call, x);
  const fits = (t: sw.Tensor | null): boolean => t === null || `${t.shape}` === `${shape}`;
  let result: sw.Tensor;
  if (fits(weight) && fits(bias)) result = sw.layerNorm(x, shape, weight, bias, { eps });
  else {
    const scaled = sw.mul(sw.layerNorm(x, shape, null, null, { eps }), weight);
    result = bias === null ? scaled : sw.add(scaled, bias);
  }
  if (call.outputCount < 2) return result;
  const axes = shape.map((_, k) => k - shape.length);
  const wide: sw.Tensor = x.to(computedAs(x.dtype));
  const spread = sw.var(wide, axes, { correction: 0, keepdims: true });
  const stash = dtypeAttribute(call, "float32", "stash_type");
  return [result, sw.mean(wide, axes, { keepdims: true }).to(stash), sw.rsqrt(sw.add(spread, eps)).to(stash)];
}

function rmsNormalization(call: Call): sw.Tensor {
  const [x, weight] = [call.tensor(0), call.tensor(1)];
  const eps = epsilonOf(call);
  const shape = trailing(call, x);
  if (`${weight.shape}` === `${shape}`) return sw.rmsNorm(x, shape, weight, { eps }).to(weight.dtype);
  return sw.mul(sw.rmsNorm(x, shape, null, { eps }).to(weight.dtype), weight);
}

function groupNormalization(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const groups = call.int("num_groups");
  const channels = x.shape[1];
  if (groups < 1 || channels % groups !== 0)
    throw call.error(`num_groups=${groups} must divide the ${channels} channels of [${x.shape}]`);
  // Version 18 has parameters for groups instead of channels.
  const parameter = (k: number): sw.Tensor => {
    const t = call.tensor(k);
    if (call.version >= 21) return t;
    return t
      .reshape([groups, 1])
      .expand([groups, channels / groups])
      .reshape([channels]);
  };
  return sw.groupNorm(x, groups, parameter(1), parameter(2), { eps: epsilonOf(call) });
}

function localResponse(call: Call): sw.Tensor {
  const size = call.int("size");
  const options = { alpha: call.float("alpha", 1e-4), beta: call.float("beta", 0.75), k: call.float("bias", 1) };
  const x = call.tensor(0);
  if (size % 2 === 1) return sw.localResponseNorm(x, size, options);
  // The window of an even size has its odd element at the end, in the library at the beginning.
  return sw.flip(sw.localResponseNorm(sw.flip(x, [1]), size, options), [1]);
}

function meanVariance(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const axes = call.ints("axes", [0, 2, 3]);
  const mean = sw.mean(x, axes, { keepdims: true });
  const variance = sw.var(x, axes, { correction: 0, keepdims: true });
  return sw.elementwise("(x - mean) / (sqrt(variance) + 1e-9)", { x, mean, variance });
}

function lpNormalization(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const p = call.int("p", 2);
  if (p !== 1 && p !== 2) throw call.error(`p must be 1 or 2, got ${p}`);
  const axis = call.axis(call.int("axis", -1), x.rank);
  const length =
    p === 1 ? sw.sum(sw.abs(x), axis, { keepdims: true }) : sw.sqrt(sw.sum(sw.mul(x, x), axis, { keepdims: true }));
  return sw.elementwise("length == 0 ? 0 * x : x / length", { x, length });
}

/** Softmax along an axis; up to version 12, over all axes from this one on. */
const softmaxBy =
  (fn: (x: sw.Tensor, axis: number) => sw.Tensor) =>
  (call: Call): sw.Tensor => {
    const x = call.tensor(0);
    if (call.version >= 13) return fn(x, call.axis(call.int("axis", -1), x.rank));
    const axis = call.int("axis", 1) === x.rank ? x.rank : call.axis(call.int("axis", 1), x.rank);
    if (axis === x.rank - 1) return fn(x, axis);
    const rows = x.shape.slice(0, axis).reduce((product, size) => product * size, 1);
    return fn(x.reshape([rows, x.size / Math.max(rows, 1)]), 1).reshape(x.shape);
  };

export const normalize: OperatorTable = {
  BatchNormalization: batchNormalization,
  InstanceNormalization: (call) =>
    sw.instanceNorm(call.tensor(0), { weight: call.tensor(1), bias: call.tensor(2), eps: epsilonOf(call) }),
  LayerNormalization: layerNormalization,
  RMSNormalization: rmsNormalization,
  GroupNormalization: groupNormalization,
  LRN: localResponse,
  MeanVarianceNormalization: meanVariance,
  LpNormalization: lpNormalization,
  Softmax: softmaxBy((x, axis) => sw.softmax(x, axis)),
  LogSoftmax: softmaxBy((x, axis) => sw.logSoftmax(x, axis)),
};
