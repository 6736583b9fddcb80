/**
 * Initialization of parameters, in-place and not recorded. Fans are PyTorch's: for a weight [outputs, inputs, ...kernel], the inputs or outputs
 * times the elements of the kernel.
 */
import {
  normal_ as drawNormal,
  uniform_ as drawUniform,
  erfinv,
  type Generator,
  linalg,
  noGrad,
  rand,
  randn,
  ShapeError,
  StridewiseError,
  type Tensor,
  tensor,
} from "../index.ts";
import { checkOptions, checkTensor } from "./check-input.ts";
import { shown } from "./print.ts";

export interface InitOptions {
  /** The random number generator. Default: the global one. */
  readonly generator?: Generator | undefined;
}

/** The function after a layer, which determines the gain of its weights. */
export type Nonlinearity =
  | "linear"
  | "conv1d"
  | "conv2d"
  | "conv3d"
  | "convTranspose1d"
  | "convTranspose2d"
  | "convTranspose3d"
  | "sigmoid"
  | "tanh"
  | "relu"
  | "leakyRelu"
  | "selu";

/** Returns the recommended gain of weights before a nonlinearity; `param` is the slope of leakyRelu. */
export function calculateGain(nonlinearity: Nonlinearity, param = 0.01): number {
  switch (nonlinearity) {
    case "tanh":
      return 5 / 3;
    case "relu":
      return Math.SQRT2;
    case "leakyRelu":
      return Math.sqrt(2 / (1 + param * param));
    case "selu":
      return 3 / 4;
    default:
      if (nonlinearity === "linear" || nonlinearity === "sigmoid" || /^conv(Transpose)?[123]d$/.test(nonlinearity))
        return 1;
      throw new StridewiseError(
        `calculateGain: Unsupported nonlinearity ${shown(nonlinearity)}. Use linear, sigmoid, tanh, relu, leakyRelu or selu`,
      );
  }
}

/** Throws unless `t` is a tensor and the options are known. */
function check<O extends object>(who: string, t: unknown, options: O, known: Readonly<Record<keyof O, 0>>): void {
  // Modules import this file, so a module is recognized by its method.
  if (typeof t === "object" && t !== null && "namedParameters" in t)
    throw new StridewiseError(
      `${who}: needs a tensor, got ${t.constructor.name}. Pass a parameter of it: layer.weight`,
    );
  checkTensor(who, t);
  checkOptions(who, options, known);
}

function fansOf(who: string, t: Tensor): { fanIn: number; fanOut: number } {
  if (t.rank < 2)
    throw new ShapeError(
      `${who}: fan in and fan out need at least 2 axes, got shape [${t.shape.join(", ")}]. Use zeros_ or uniform_ for a bias`,
    );
  const [outputs, inputs] = t.shape as [number, number];
  const kernel = t.shape.slice(2).reduce((product, size) => product * size, 1);
  return { fanIn: inputs * kernel, fanOut: outputs * kernel };
}

function written<T extends Tensor>(t: T, write: (t: T) => void): T {
  noGrad(() => write(t));
  return t;
}

export interface UniformOptions extends InitOptions {
  /** The smallest value. Default: 0. */
  readonly a?: number | undefined;
  /** The upper bound, which is excluded. Default: 1. */
  readonly b?: number | undefined;
}

/** Fills the tensor with values from the uniform distribution on [a, b). */
export function uniform_<T extends Tensor>(t: T, options?: UniformOptions): T;
/** @deprecated Pass the bounds as options: `uniform_(t, { a, b })`. */
export function uniform_<T extends Tensor>(t: T, low: number, high?: number, options?: InitOptions): T;
export function uniform_<T extends Tensor>(
  t: T,
  low: number | UniformOptions = {},
  high = 1,
  options?: InitOptions,
): T {
  const all: UniformOptions = typeof low === "number" ? { a: low, b: high, ...options } : low;
  check("uniform_", t, all, { a: 0, b: 0, generator: 0 });
  const { a = 0, b = 1, generator } = all;
  return written(t, () => drawUniform(t, a, b, { generator }));
}

export interface NormalOptions extends InitOptions {
  /** Default: 0. */
  readonly mean?: number | undefined;
  /** The standard deviation. Default: 1. */
  readonly std?: number | undefined;
}

/** Fills the tensor with values from the normal distribution. */
export function normal_<T extends Tensor>(t: T, options?: NormalOptions): T;
/** @deprecated Pass the parameters as options: `normal_(t, { mean, std })`. */
export function normal_<T extends Tensor>(t: T, mean: number, std?: number, options?: InitOptions): T;
export function normal_<T extends Tensor>(
  t: T,
  first: number | NormalOptions = {},
  second = 1,
  options?: InitOptions,
): T {
  const all: NormalOptions = typeof first === "number" ? { mean: first, std: second, ...options } : first;
  check("normal_", t, all, { mean: 0, std: 0, generator: 0 });
  const { mean = 0, std = 1, generator } = all;
  return written(t, () => drawNormal(t, mean, std, { generator }));
}

function filled<T extends Tensor>(who: string, t: T, value: number): T {
  check(who, t, {}, {});
  return written(t, () => t.fill_(value));
}

/** Fills the tensor with one value. */
export const constant_ = <T extends Tensor>(t: T, value: number): T => filled("constant_", t, value);

/** Fills the tensor with ones. */
export const ones_ = <T extends Tensor>(t: T): T => filled("ones_", t, 1);

/** Fills the tensor with zeros. */
export const zeros_ = <T extends Tensor>(t: T): T => filled("zeros_", t, 0);

/** Fills a matrix with ones on the diagonal and zeros elsewhere. */
export function eye_<T extends Tensor>(t: T): T {
  check("eye_", t, {}, {});
  if (t.rank !== 2) throw new ShapeError(`eye_: the tensor must have 2 axes, got shape [${t.shape.join(", ")}]`);
  return written(t, () => {
    t.zero_();
    (t as Tensor).diagonal().fill_(1);
  });
}

export interface XavierOptions extends InitOptions {
  /** A factor, see `calculateGain`. Default: 1. */
  readonly gain?: number | undefined;
}

/** Fills the tensor with uniform values that keep the variance of activations and gradients (Xavier Glorot). */
export function xavierUniform_<T extends Tensor>(t: T, options: XavierOptions = {}): T {
  check("xavierUniform_", t, options, { gain: 0, generator: 0 });
  const { gain = 1, generator } = options;
  const { fanIn, fanOut } = fansOf("xavierUniform_", t);
  const bound = gain * Math.sqrt(6 / (fanIn + fanOut));
  return uniform_(t, { a: -bound, b: bound, generator });
}

/** Fills the tensor with normal values that keep the variance of activations and gradients (Xavier Glorot). */
export function xavierNormal_<T extends Tensor>(t: T, options: XavierOptions = {}): T {
  check("xavierNormal_", t, options, { gain: 0, generator: 0 });
  const { gain = 1, generator } = options;
  const { fanIn, fanOut } = fansOf("xavierNormal_", t);
  return normal_(t, { std: gain * Math.sqrt(2 / (fanIn + fanOut)), generator });
}

export interface KaimingOptions extends InitOptions {
  /** The negative slope of the leakyRelu after the layer. Default: 0. */
  readonly a?: number | undefined;
  /** "fanIn" keeps the variance in the forward pass, "fanOut" in the backward pass. Default: "fanIn". */
  readonly mode?: "fanIn" | "fanOut" | undefined;
  readonly nonlinearity?: Nonlinearity | undefined;
}

function kaimingStd(who: string, t: Tensor, options: KaimingOptions): number {
  check(who, t, options, { a: 0, mode: 0, nonlinearity: 0, generator: 0 });
  const { a = 0, mode = "fanIn", nonlinearity = "leakyRelu" } = options;
  if (mode !== "fanIn" && mode !== "fanOut")
    throw new StridewiseError(`${who}: Mode ${shown(mode)} not supported, please use one of "fanIn", "fanOut"`);
  return calculateGain(nonlinearity, a) / Math.sqrt(fansOf(who, t)[mode]);
}

/** Fills the tensor with uniform values that keep the variance through a relu (Kaiming He). */
export function kaimingUniform_<T extends Tensor>(t: T, options: KaimingOptions = {}): T {
  const bound = Math.sqrt(3) * kaimingStd("kaimingUniform_", t, options);
  return uniform_(t, { a: -bound, b: bound, generator: options.generator });
}

/** Fills the tensor with normal values that keep the variance through a relu (Kaiming He). */
export const kaimingNormal_ = <T extends Tensor>(t: T, options: KaimingOptions = {}): T =>
  normal_(t, { std: kaimingStd("kaimingNormal_", t, options), generator: options.generator });

export interface TruncatedOptions extends NormalOptions {
  /** The smallest and the largest value. Default: -2 and 2. */
  readonly a?: number | undefined;
  readonly b?: number | undefined;
}

/** Fills the tensor with values from the normal distribution truncated to [a, b]. */
export function truncNormal_<T extends Tensor>(t: T, options: TruncatedOptions = {}): T {
  check("truncNormal_", t, options, { mean: 0, std: 0, a: 0, b: 0, generator: 0 });
  const { mean = 0, std = 1, a = -2, b = 2, generator } = options;
  if (!(a < b)) throw new StridewiseError(`truncNormal_: a must be less than b, got a ${a} and b ${b}`);
  return written(t, () => {
    // Inverse transform sampling: uniform values between the distribution function at both ends, scaled to (-1, 1) for erfinv.
    const ends = [a, b].map((end) => (end - mean) / (std * Math.SQRT2));
    const [low, high] = tensor(ends, { dtype: "float64" }).erf().toArray() as [number, number];
    const sample = drawUniform(t, low, high, { generator });
    erfinv(sample, { out: sample });
    sample
      .mul_(std * Math.SQRT2)
      .add_(mean)
      .clamp_(a, b);
  });
}

/** Fills the tensor so that its rows, or its columns if they are fewer, are orthogonal with norm gain; axes after the first are flattened. */
export function orthogonal_<T extends Tensor>(t: T, options: XavierOptions = {}): T {
  check("orthogonal_", t, options, { gain: 0, generator: 0 });
  const { gain = 1, generator } = options;
  if (t.rank < 2)
    throw new ShapeError(`orthogonal_: the tensor must have at least 2 axes, got shape [${t.shape.join(", ")}]`);
  if (t.size === 0) return t;
  return written(t, () => {
    const rows = t.shape[0];
    const columns = t.size / rows;
    const tall = rows >= columns;
    const { Q, R } = linalg.qr(randn(tall ? [rows, columns] : [columns, rows], { generator, dtype: "float64" }));
    // The signs of R's diagonal make the result uniform.
    const signed: Tensor = Q.mul(R.diagonal().sign());
    t.copy_((tall ? signed : signed.T).reshape(t.shape).mul(gain));
  });
}

export interface SparseOptions extends InitOptions {
  /** The standard deviation of the nonzero elements. Default: 0.01. */
  readonly std?: number | undefined;
}

/** Fills a matrix with normal values, and sets the fraction `sparsity` of each column, rounded up, to 0. */
export function sparse_<T extends Tensor>(t: T, sparsity: number, options: SparseOptions = {}): T {
  check("sparse_", t, options, { std: 0, generator: 0 });
  const { std = 0.01, generator } = options;
  if (t.rank !== 2) throw new ShapeError(`sparse_: the tensor must have 2 axes, got shape [${t.shape.join(", ")}]`);
  const [rows, columns] = t.shape as [number, number];
  return written(t, () => {
    // The ranks of random numbers: each column is a permutation of the rows.
    const order: Tensor = rand([rows, columns], { generator }).argsort(0);
    drawNormal(t, 0, std, { generator }).maskedFill_(order.lt(Math.ceil(sparsity * rows)), 0);
  });
}
