/**
 * Activations as layers, one line each: a class of an op. What the op takes behind x, the layer takes when it is made. PReLU has a
 * parameter, and RReLU draws numbers in training.
 */
import {
  celu,
  elu,
  gelu,
  glu,
  hardshrink,
  hardsigmoid,
  hardswish,
  hardtanh,
  leakyRelu,
  logSigmoid,
  logSoftmax,
  mish,
  prelu,
  relu,
  relu6,
  rrelu,
  selu,
  sigmoid,
  silu,
  softmax,
  softmin,
  softplus,
  softshrink,
  softsign,
  type Tensor,
  tanh,
  tanhshrink,
  threshold,
} from "../index.ts";
import { checkCounts, checkOptions } from "./check-input.ts";
import { layerOf, type OpLayerClass } from "./layer-of.ts";
import { Layer } from "./module.ts";
import { constantParameter, type DTypeOption } from "./parameter.ts";

const activation = <S extends readonly unknown[]>(
  op: (x: Tensor, ...settings: S) => Tensor,
): OpLayerClass<[x: Tensor], S> => layerOf<[x: Tensor], S>(op);

/** max(x, 0). */
export class ReLU extends /* @__PURE__ */ activation<[]>(relu) {}
/** x between 0 and 6. */
export class ReLU6 extends /* @__PURE__ */ activation<[]>(relu6) {}
/** x times the probability that a normal number is below it. */
export class GELU extends /* @__PURE__ */ activation<[options?: { approximate?: "none" | "tanh" }]>(gelu) {}
/** x * sigmoid(x). */
export class SiLU extends /* @__PURE__ */ activation<[]>(silu) {}
/** 1 / (1 + exp(-x)). */
export class Sigmoid extends /* @__PURE__ */ activation<[]>(sigmoid) {}
/** The hyperbolic tangent. */
export class Tanh extends /* @__PURE__ */ activation<[]>(tanh) {}
/** log(sigmoid(x)). */
export class LogSigmoid extends /* @__PURE__ */ activation<[]>(logSigmoid) {}
/** x, or slope * x where it is negative. */
export class LeakyReLU extends /* @__PURE__ */ activation<[slope?: number]>(leakyRelu) {}
/** x, or alpha * (exp(x) - 1) where it is negative. */
export class ELU extends /* @__PURE__ */ activation<[alpha?: number]>(elu) {}
/** Elu scaled so that mean and variance stay. */
export class SELU extends /* @__PURE__ */ activation<[]>(selu) {}
/** x, or alpha * (exp(x / alpha) - 1) where it is negative. */
export class CELU extends /* @__PURE__ */ activation<[alpha?: number]>(celu) {}
/** log(1 + exp(beta * x)) / beta. */
export class Softplus extends /* @__PURE__ */ activation<[beta?: number, threshold?: number]>(softplus) {}
/** x / (1 + |x|). */
export class Softsign extends /* @__PURE__ */ activation<[]>(softsign) {}
/** x moved towards 0 by lambda. */
export class Softshrink extends /* @__PURE__ */ activation<[lambda?: number]>(softshrink) {}
/** x, or 0 where |x| is at most lambda. */
export class Hardshrink extends /* @__PURE__ */ activation<[lambda?: number]>(hardshrink) {}
/** x - tanh(x). */
export class Tanhshrink extends /* @__PURE__ */ activation<[]>(tanhshrink) {}
/** x times hardsigmoid(x). */
export class Hardswish extends /* @__PURE__ */ activation<[]>(hardswish) {}
/** A sigmoid of straight lines. */
export class Hardsigmoid extends /* @__PURE__ */ activation<[]>(hardsigmoid) {}
/** x between min and max. */
export class Hardtanh extends /* @__PURE__ */ activation<[min?: number, max?: number]>(hardtanh) {}
/** x * tanh(softplus(x)). */
export class Mish extends /* @__PURE__ */ activation<[]>(mish) {}
/** x, or value where x is at most the threshold. */
export class Threshold extends /* @__PURE__ */ activation<[threshold: number, value: number]>(threshold) {}
/** Shares that add up to 1 along an axis. */
export class Softmax extends /* @__PURE__ */ activation<[axis: number]>(softmax) {}
/** The logarithm of softmax along an axis. */
export class LogSoftmax extends /* @__PURE__ */ activation<[axis: number]>(logSoftmax) {}
/** Softmax of -x along an axis. */
export class Softmin extends /* @__PURE__ */ activation<[axis: number]>(softmin) {}
/** The first half of an axis times the sigmoid of the second. */
export class GLU extends /* @__PURE__ */ activation<[axis?: number]>(glu) {}

export interface PReLUOptions extends DTypeOption {
  /** The slope at the start: 0.25 unless given. */
  readonly init?: number | undefined;
}

/** x, or x times a learned slope where it is negative: one slope, or one for each channel. */
export class PReLU extends Layer {
  weight: Tensor;

  constructor(numParameters = 1, options: PReLUOptions = {}) {
    super(numParameters, options);
    checkCounts(this.who, { numParameters });
    checkOptions(this.who, options, { init: 0, dtype: 0 });
    this.weight = constantParameter([numParameters], options.init ?? 0.25, options.dtype);
  }

  forward(x: Tensor): Tensor {
    return prelu(x, this.weight);
  }
}

export interface RReLUOptions {
  /** 1 / 8 unless given. */
  readonly lower?: number | undefined;
  /** 1 / 3 unless given. */
  readonly upper?: number | undefined;
}

/** x, or x times a slope where it is negative: drawn between lower and upper in training, else their mean. */
export class RReLU extends Layer {
  private readonly options: RReLUOptions;

  constructor(options: RReLUOptions = {}) {
    super(options);
    checkOptions(this.who, options, { lower: 0, upper: 0 });
    this.options = options;
  }

  forward(x: Tensor): Tensor {
    return rrelu(x, { ...this.options, training: this.training });
  }
}
