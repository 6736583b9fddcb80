/** Operators of com.microsoft that fuse others: activations with biases, normalizations with residuals, products and convolutions with activations. */
import * as sw from "../../index.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import type { OnnxValue } from "../values.ts";
import { convolve, withBias } from "./convolution.ts";
import { dequantized } from "./quantize.ts";

/** Returns the exact GELU. */
const gelu = (x: sw.Tensor): sw.Tensor => sw.gelu(x);

const plus = (x: sw.Tensor, y: sw.Tensor | null): sw.Tensor => (y === null ? x : sw.add(x, y));

/** The root mean square normalization over all axes from one on; the second result is the inverse of the root mean square. */
function simplifiedLayerNorm(call: Call): readonly OnnxValue[] {
  const [x, weight] = [call.tensor(0), call.tensor(1)];
  const axis = call.axis(call.int("axis", -1), x.rank);
  const [y, , inverse] = normalized(x, axis, call.float("epsilon", 1e-5), false);
  return [sw.mul(y.to(weight.dtype as sw.DType), weight), inverse];
}

/** Normalizes by the mean, if requested, and the standard deviation over all axes from one on, in float32 at least. */
function normalized(
  x: sw.Tensor,
  from: number,
  eps: number,
  centers: boolean,
): [y: sw.Tensor, mean: sw.Tensor, inverse: sw.Tensor] {
  const wide = x.to(x.dtype === "float64" ? "float64" : "float32");
  const axes = x.shape.map((_, k) => k).slice(from);
  const mean = sw.mean(wide, axes, { keepdim: true });
  const centered = centers ? sw.sub(wide, mean) : wide;
  const inverse = sw.rsqrt(sw.mean(sw.square(centered), axes, { keepdim: true }).add(eps));
  return [sw.mul(centered, inverse).to(x.dtype as sw.DType), mean, inverse];
}

/** Adds a residual and a bias, and normalizes over the last axis. */
const skipNormalization =
  (centers: boolean) =>
  (call: Call): readonly OnnxValue[] => {
    const weight = call.tensor(2);
    const sum = plus(sw.add(call.tensor(0), call.tensor(1)), call.optionalTensor(centers ? 4 : 3));
    const [y, mean, inverse] = normalized(sum, sum.rank - 1, call.float("epsilon", 1e-12), centers);
    return [plus(sw.mul(y, weight), centers ? call.optionalTensor(3) : null), mean, inverse, sum];
  };

/** Sums the embeddings of words, positions and segments, and normalizes them. `real` returns an input, or elements of it, as real numbers. */
function embedded(
  call: Call,
  positions: sw.Tensor | null,
  real: (k: number, pick?: (table: sw.Tensor) => sw.Tensor) => sw.Tensor,
): readonly OnnxValue[] {
  const ids = call.tensor(0);
  const at = positions ?? sw.arange(0, ids.shape[1], 1, { dtype: "int32" }).unsqueeze(0);
  const rows = (indices: sw.Tensor, k: number): sw.Tensor => real(k, (table) => sw.embedding(indices, table));
  const words = sw.add(rows(ids, 2), rows(at, 3));
  const segments = call.optionalTensor(1);
  const sum = plus(words, segments === null ? null : rows(segments, 4));
  const [y] = normalized(sum, 2, call.float("epsilon", 1e-12), true);
  const mask = call.optionalTensor(7);
  const lengths = mask === null ? sw.zeros([ids.shape[0]], { dtype: "int32" }) : sw.sum(mask, 1).to("int32");
  return [sw.add(sw.mul(y, real(5)), real(6)), lengths, sum];
}

const identity = (t: sw.Tensor): sw.Tensor => t;

/** The same sum of quantized tables; inputs 8 to 12 are their scales, and 13 to 17 their zero points. */
const quantizedEmbedding = (call: Call): readonly OnnxValue[] =>
  embedded(call, null, (k, pick = identity) =>
    dequantized(pick(call.tensor(k)), call.tensor(k + 6).reshape([]), call.tensor(k + 11).reshape([])),
  ).slice(0, 2);

/** Applies group normalization, and silu if `activation` is not 0. Channels are the last axis unless channels_last is 0. */
function groupNormalization(call: Call, x: sw.Tensor): sw.Tensor {
  const isLast = call.int("channels_last", 1) !== 0;
  const images = isLast ? sw.moveaxis(x, -1, 1) : x;
  const [weight, bias] = [call.tensor(1), call.tensor(2)];
  const eps = call.float("epsilon", 1e-5);
  const wide = sw.groupNorm(images.to("float32"), call.int("groups"), weight.to("float32"), bias.to("float32"), {
    eps,
  });
  const y = (call.int("activation") === 0 ? wide : sw.silu(wide)).to(x.dtype as sw.DType);
  return isLast ? sw.moveaxis(y, 1, -1) : y;
}

function skipGroupNormalization(call: Call): readonly OnnxValue[] {
  const [x, skip] = [call.tensor(0), call.tensor(3)];
  const isLast = call.int("channels_last", 1) !== 0;
  const perChannel = (t: sw.Tensor): sw.Tensor =>
    t.reshape([t.rank === 1 ? 1 : t.shape[0], ...(isLast ? [1, 1, -1] : [-1, 1, 1])]);
  const bias = call.optionalTensor(4);
  const sum = plus(sw.add(x, skip.rank === 2 ? perChannel(skip) : skip), bias === null ? null : perChannel(bias));
  return [groupNormalization(call, sum), sum];
}

/** Normalizes heads by their root mean square, and multiplies them by the SiLU of a gate. */
function gatedNorm(call: Call): sw.Tensor {
  const [x, weight, gate] = [call.tensor(0), call.tensor(1), call.tensor(2)];
  const wide = x.to("float32").reshape([...x.shape.slice(0, -1), -1, weight.size]);
  const y = sw.rmsNorm(wide, [weight.size], weight.to("float32"), { eps: call.float("epsilon", 1e-5) });
  return sw.mul(y.reshape(x.shape), sw.silu(gate.to("float32"))).to(x.dtype as sw.DType);
}

/** Applies the activation that an attribute names, with its parameters. */
function activated(call: Call, x: sw.Tensor, parameters: readonly number[]): sw.Tensor {
  const name = call.string("activation", "");
  const [first, second] = parameters;
  switch (name) {
    case "":
      return x;
    case "Relu":
      return sw.relu(x);
    case "Sigmoid":
      return sw.sigmoid(x);
    case "Tanh":
      return sw.tanh(x);
    case "LeakyRelu":
      return sw.leakyRelu(x, first ?? 0.01);
    case "Clip":
      return sw.clamp(x, first, second);
    case "HardSigmoid":
      return sw.clamp(x.mul(first ?? 0.2).add(second ?? 0.5), 0, 1);
    case "HardSwish":
      return sw.mul(x, sw.clamp(x.mul(first ?? 1 / 6).add(second ?? 0.5), 0, 1));
    case "Gelu":
      return gelu(x);
    default:
      throw call.error(`the activation ${name} is not supported`);
  }
}

function fusedMatMul(call: Call): sw.Tensor {
  const operand = (k: number, letter: string): sw.Tensor => {
    let x = call.tensor(k);
    if (x.rank < 2) return x;
    if (call.int(`transBatch${letter}`, 0) !== 0) x = sw.moveaxis(x, 0, -2);
    return call.int(`trans${letter}`, 0) !== 0 ? x.transpose(-2, -1) : x;
  };
  const product = sw.matmul(operand(0, "A"), operand(1, "B"));
  const alpha = call.float("alpha", 1);
  return alpha === 1 ? product : product.mul(alpha);
}

function fusedGemm(call: Call): sw.Tensor {
  const operand = (k: number, letter: string): sw.Tensor =>
    call.int(`trans${letter}`, 0) !== 0 ? call.tensor(k).transpose(0, 1) : call.tensor(k);
  const product = sw.matmul(operand(0, "A"), operand(1, "B"));
  const alpha = call.float("alpha", 1);
  const c = call.optionalTensor(2);
  const beta = call.float("beta", 1);
  const sum = plus(alpha === 1 ? product : product.mul(alpha), c === null || beta === 1 ? c : c.mul(beta));
  const parameters = ["activation_alpha", "activation_beta", "activation_gamma"]
    .filter((each) => call.hasAttribute(each))
    .map((each) => call.float(each));
  return activated(call, sum, call.hasAttribute("leaky_relu_alpha") ? [call.float("leaky_relu_alpha")] : parameters);
}

/** Convolves images, adds to them and applies an activation. Channels are axis 1, or the last axis. */
const fusedConv =
  (isLast: boolean) =>
  (call: Call): sw.Tensor => {
    const x = isLast ? sw.moveaxis(call.tensor(0), -1, 1) : call.tensor(0);
    const convolved = withBias(call, convolve(call, x, call.tensor(1)), call.optionalTensor(2));
    const images = isLast ? sw.moveaxis(convolved, 1, -1) : convolved;
    return activated(call, plus(images, call.optionalTensor(3)), call.floats("activation_params", []));
  };

/** Operators that exporters write in the default domain, which does not define them. */
export const exported: OperatorTable = { SimplifiedLayerNormalization: simplifiedLayerNorm };

export const fused: OperatorTable = {
  Gelu: (call) => gelu(call.tensor(0)),
  BiasGelu: (call) => gelu(sw.add(call.tensor(0), call.tensor(1))),
  FastGelu: (call) => sw.gelu(plus(call.tensor(0), call.optionalTensor(1)), { approximate: "tanh" }),
  QuickGelu(call) {
    const x = call.tensor(0);
    return sw.mul(x, sw.sigmoid(x.mul(call.float("alpha", 1.702))));
  },
  BiasSplitGelu(call) {
    const [left, right] = sw.tensorSplit(sw.add(call.tensor(0), call.tensor(1)), 2, -1) as [sw.Tensor, sw.Tensor];
    return sw.mul(left, gelu(right));
  },
  BiasAdd: (call) => plus(sw.add(call.tensor(0), call.tensor(1)), call.optionalTensor(2)),
  BiasSoftmax(call) {
    const [x, bias] = [call.tensor(0), call.tensor(1)];
    const axis = call.axis(call.int("axis", 1), x.rank);
    // The bias has fewer elements: it repeats over the axes just before `axis`, or over the first ones.
    const missing = x.rank - bias.rank;
    const shape = [
      ...bias.shape.slice(0, axis),
      ...new Array<number>(Math.max(0, missing)).fill(1),
      ...bias.shape.slice(axis),
    ];
    const fitted = call.int("is_inner_broadcast") !== 0 && missing > 0 ? bias.reshape(shape) : bias;
    const sum = sw.add(x, fitted);
    const rows = sum.reshape([...sum.shape.slice(0, axis), -1]);
    return sw.softmax(rows, axis).reshape(sum.shape);
  },
  ...exported,
  SkipLayerNormalization: skipNormalization(true),
  SkipSimplifiedLayerNormalization: skipNormalization(false),
  EmbedLayerNormalization: (call) =>
    embedded(call, call.optionalTensor(8), (k, pick = identity) => pick(call.tensor(k))),
  QEmbedLayerNormalization: quantizedEmbedding,
  GroupNorm: (call) => groupNormalization(call, call.tensor(0)),
  SkipGroupNorm: skipGroupNormalization,
  GatedAdd: (call) => sw.add(call.tensor(0), sw.mul(call.tensor(1), call.tensor(2))),
  GatedRMSNorm: gatedNorm,
  FusedMatMul: fusedMatMul,
  TransposeMatMul: fusedMatMul,
  FusedGemm: fusedGemm,
  FusedConv: fusedConv(false),
  NhwcConv: fusedConv(true),
  NhwcFusedConv: fusedConv(true),
};
