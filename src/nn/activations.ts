/**
 * Activations as layers, each a class of an op. The arguments of the op after x are passed to the constructor. PReLU has a parameter, and RReLU
 * draws random slopes in training.
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
import { Layer, type Output } from "./module.ts";
import { constantParameter, type DTypeOption } from "./parameter.ts";

const activation = <S extends readonly unknown[]>(
  op: (x: Tensor, ...settings: S) => Tensor,
): OpLayerClass<[x: Tensor], S> => layerOf<[x: Tensor], S>(op);

/** max(x, 0). */
export class ReLU extends /* @__PURE__ */ activation<[]>(relu) {}
/** Clamps x to [0, 6]. */
export class ReLU6 extends /* @__PURE__ */ activation<[]>(relu6) {}
/** x times the standard normal distribution function of x. */
export class GELU extends /* @__PURE__ */ activation<[options?: { approximate?: "none" | "tanh" }]>(gelu) {}
/** x * sigmoid(x). */
export class SiLU extends /* @__PURE__ */ activation<[]>(silu) {}
/** 1 / (1 + exp(-x)). */
export class Sigmoid extends /* @__PURE__ */ activation<[]>(sigmoid) {}
/** The hyperbolic tangent. */
export class Tanh extends /* @__PURE__ */ activation<[]>(tanh) {}
/** log(sigmoid(x)). */
export class LogSigmoid extends /* @__PURE__ */ activation<[]>(logSigmoid) {}
/** x where it is positive, negativeSlope * x elsewhere. */
export class LeakyReLU extends /* @__PURE__ */ activation<[negativeSlope?: number]>(leakyRelu) {}
/** x where it is positive, alpha * (exp(x) - 1) elsewhere. */
export class ELU extends /* @__PURE__ */ activation<[alpha?: number]>(elu) {}
/** A scaled ELU that keeps mean 0 and variance 1 (self-normalizing). */
export class SELU extends /* @__PURE__ */ activation<[]>(selu) {}
/** x where it is positive, alpha * (exp(x / alpha) - 1) elsewhere. */
export class CELU extends /* @__PURE__ */ activation<[alpha?: number]>(celu) {}
/** log(1 + exp(beta * x)) / beta. */
export class Softplus extends /* @__PURE__ */ activation<[beta?: number, threshold?: number]>(softplus) {}
/** x / (1 + |x|). */
export class Softsign extends /* @__PURE__ */ activation<[]>(softsign) {}
/** Moves x toward 0 by lambd; 0 where |x| is at most lambd. */
export class Softshrink extends /* @__PURE__ */ activation<[lambd?: number]>(softshrink) {}
/** x where |x| is greater than lambd, 0 elsewhere. */
export class Hardshrink extends /* @__PURE__ */ activation<[lambd?: number]>(hardshrink) {}
/** x - tanh(x). */
export class Tanhshrink extends /* @__PURE__ */ activation<[]>(tanhshrink) {}
/** x times hardsigmoid(x). */
export class Hardswish extends /* @__PURE__ */ activation<[]>(hardswish) {}
/** A piecewise linear approximation of the sigmoid. */
export class Hardsigmoid extends /* @__PURE__ */ activation<[]>(hardsigmoid) {}
/** Clamps x to [min, max]. */
export class Hardtanh extends /* @__PURE__ */ activation<[min?: number, max?: number]>(hardtanh) {}
/** x * tanh(softplus(x)). */
export class Mish extends /* @__PURE__ */ activation<[]>(mish) {}
/** x where it is greater than the threshold, value elsewhere. */
export class Threshold extends /* @__PURE__ */ activation<[threshold: number, value: number]>(threshold) {}
/** Softmax along an axis: positive values that sum to 1. */
export class Softmax extends /* @__PURE__ */ activation<[axis: number]>(softmax) {}
/** The logarithm of softmax along an axis. */
export class LogSoftmax extends /* @__PURE__ */ activation<[axis: number]>(logSoftmax) {}
/** Softmax of -x along an axis. */
export class Softmin extends /* @__PURE__ */ activation<[axis: number]>(softmin) {}
/** The first half of an axis times the sigmoid of the second half. */
export class GLU extends /* @__PURE__ */ activation<[axis?: number]>(glu) {}

export interface PReLUOptions extends DTypeOption {
  /** The initial slope. Default: 0.25. */
  readonly init?: number | undefined;
}

/** x where it is positive, x times a learned slope elsewhere. There is one slope, or one per channel. */
export class PReLU extends Layer {
  weight: Tensor;

  constructor(numParameters = 1, options: PReLUOptions = {}) {
    super(numParameters, options);
    checkCounts(this.who, { numParameters });
    checkOptions(this.who, options, { init: 0, dtype: 0 });
    this.weight = constantParameter([numParameters], options.init ?? 0.25, options.dtype);
  }

  forward<X extends Tensor>(x: X): Output<X> {
    return prelu(x, this.weight);
  }
}

export interface RReLUOptions {
  /** Default: 1 / 8. */
  readonly lower?: number | undefined;
  /** Default: 1 / 3. */
  readonly upper?: number | undefined;
}

/** x where it is positive, x times a slope elsewhere. The slope is random in [lower, upper) in training, else their mean. */
export class RReLU extends Layer {
  private readonly options: RReLUOptions;

  constructor(options: RReLUOptions = {}) {
    super(options);
    checkOptions(this.who, options, { lower: 0, upper: 0 });
    this.options = options;
  }

  forward<X extends Tensor>(x: X): Output<X> {
    return rrelu(x, { ...this.options, training: this.training });
  }
}
