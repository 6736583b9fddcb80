/**
 * Starting values of parameters, in place and unrecorded. Fans are those of PyTorch: of a weight [outputs, inputs, ...kernel] the inputs, or
 * outputs, times the elements of the kernel.
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
import { shown } from "./print.ts";

export interface InitOptions {
  /** Where the random numbers come from; the default one unless given. */
  readonly generator?: Generator | undefined;
}

/** What follows a layer, for the size of its weights. */
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

/** The factor by which weights are larger because of the nonlinearity that follows; `param` is the slope of leakyRelu. */
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
        `calculateGain: Unsupported nonlinearity ${shown(nonlinearity)}; take linear, sigmoid, tanh, relu, leakyRelu or selu`,
      );
  }
}

function fansOf(who: string, t: Tensor): { fanIn: number; fanOut: number } {
  if (t.rank < 2)
    throw new ShapeError(
      `${who}: Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, got shape [${t.shape.join(", ")}]. A bias starts with zeros_ or uniform_`,
    );
  const [outputs, inputs] = t.shape as [number, number];
  const kernel = t.shape.slice(2).reduce((product, size) => product * size, 1);
  return { fanIn: inputs * kernel, fanOut: outputs * kernel };
}

function written<T extends Tensor>(t: T, write: (t: T) => void): T {
  noGrad(() => write(t));
  return t;
}

/** Fills with numbers uniform in [low, high). */
export const uniform_ = <T extends Tensor>(t: T, low = 0, high = 1, options: InitOptions = {}): T =>
  written(t, () => drawUniform(t, low, high, options));

/** Fills with numbers of the normal distribution. */
export const normal_ = <T extends Tensor>(t: T, mean = 0, std = 1, options: InitOptions = {}): T =>
  written(t, () => drawNormal(t, mean, std, options));

/** Fills with one value. */
export const constant_ = <T extends Tensor>(t: T, value: number): T => written(t, () => t.fill_(value));

/** Fills with ones. */
export const ones_ = <T extends Tensor>(t: T): T => constant_(t, 1);

/** Fills with zeros. */
export const zeros_ = <T extends Tensor>(t: T): T => constant_(t, 0);

/** Writes ones on the diagonal of a matrix, and zeros elsewhere. */
export function eye_<T extends Tensor>(t: T): T {
  if (t.rank !== 2)
    throw new ShapeError(`eye_: Only tensors with 2 dimensions are supported, got shape [${t.shape.join(", ")}]`);
  return written(t, () => {
    t.zero_();
    (t as Tensor).diagonal().fill_(1);
  });
}

export interface XavierOptions extends InitOptions {
  /** 1 unless given; see `calculateGain`. */
  readonly gain?: number | undefined;
}

/** Fills with uniform numbers so that signals keep their size both ways (Glorot). */
export function xavierUniform_<T extends Tensor>(t: T, { gain = 1, ...options }: XavierOptions = {}): T {
  const { fanIn, fanOut } = fansOf("xavierUniform_", t);
  const bound = gain * Math.sqrt(6 / (fanIn + fanOut));
  return uniform_(t, -bound, bound, options);
}

/** Fills with normal numbers so that signals keep their size both ways (Glorot). */
export function xavierNormal_<T extends Tensor>(t: T, { gain = 1, ...options }: XavierOptions = {}): T {
  const { fanIn, fanOut } = fansOf("xavierNormal_", t);
  return normal_(t, 0, gain * Math.sqrt(2 / (fanIn + fanOut)), options);
}

export interface KaimingOptions extends InitOptions {
  /** The slope for negative numbers of the leakyRelu that follows: 0 unless given. */
  readonly a?: number | undefined;
  /** Whether signals keep their size on the way forward or back: "fanIn" unless given. */
  readonly mode?: "fanIn" | "fanOut" | undefined;
  readonly nonlinearity?: Nonlinearity | undefined;
}

function kaimingStd(who: string, t: Tensor, options: KaimingOptions): number {
  const { a = 0, mode = "fanIn", nonlinearity = "leakyRelu" } = options;
  if (mode !== "fanIn" && mode !== "fanOut")
    throw new StridewiseError(`${who}: Mode ${shown(mode)} not supported, please use one of "fanIn", "fanOut"`);
  return calculateGain(nonlinearity, a) / Math.sqrt(fansOf(who, t)[mode]);
}

/** Fills with uniform numbers so that signals keep their size behind a relu (He). */
export function kaimingUniform_<T extends Tensor>(t: T, options: KaimingOptions = {}): T {
  const bound = Math.sqrt(3) * kaimingStd("kaimingUniform_", t, options);
  return uniform_(t, -bound, bound, { generator: options.generator });
}

/** Fills with normal numbers so that signals keep their size behind a relu (He). */
export const kaimingNormal_ = <T extends Tensor>(t: T, options: KaimingOptions = {}): T =>
  normal_(t, 0, kaimingStd("kaimingNormal_", t, options), { generator: options.generator });

export interface TruncatedOptions extends InitOptions {
  readonly mean?: number | undefined;
  readonly std?: number | undefined;
  /** The least and the greatest value: -2 and 2 unless given. */
  readonly a?: number | undefined;
  readonly b?: number | undefined;
}

/** Fills with numbers of the normal distribution between a and b. */
export function truncNormal_<T extends Tensor>(t: T, options: TruncatedOptions = {}): T {
  const { mean = 0, std = 1, a = -2, b = 2, generator } = options;
  if (!(a < b)) throw new StridewiseError(`truncNormal_: a must be less than b, got a ${a} and b ${b}`);
  return written(t, () => {
    // The distribution function at both ends, in (-1, 1) as erfinv takes it; the inverse of what lies between.
    const ends = [a, b].map((end) => (end - mean) / (std * Math.SQRT2));
    const [low, high] = tensor(ends, { dtype: "float64" }).erf().toArray() as [number, number];
    const between = drawUniform(t, low, high, { generator });
    erfinv(between, { out: between });
    between
      .mul_(std * Math.SQRT2)
      .add_(mean)
      .clamp_(a, b);
  });
}

/** Fills so that rows, or columns if they are fewer, are orthogonal and of length gain; axes behind the first count as one. */
export function orthogonal_<T extends Tensor>(t: T, { gain = 1, ...options }: XavierOptions = {}): T {
  if (t.rank < 2)
    throw new ShapeError(
      `orthogonal_: Only tensors with 2 or more dimensions are supported, got shape [${t.shape.join(", ")}]`,
    );
  if (t.size === 0) return t;
  return written(t, () => {
    const rows = t.shape[0];
    const columns = t.size / rows;
    const tall = rows >= columns;
    const { Q, R } = linalg.qr(randn(tall ? [rows, columns] : [columns, rows], { ...options, dtype: "float64" }));
    // The signs of R's diagonal make the result uniform.
    const signed: Tensor = Q.mul(R.diagonal().sign());
    t.copy_((tall ? signed : signed.T).reshape(t.shape).mul(gain));
  });
}

export interface SparseOptions extends InitOptions {
  /** The standard deviation of the others: 0.01 unless given. */
  readonly std?: number | undefined;
}

/** Fills a matrix with normal numbers, of which in each column a share, rounded up, is 0. */
export function sparse_<T extends Tensor>(t: T, sparsity: number, { std = 0.01, ...options }: SparseOptions = {}): T {
  if (t.rank !== 2)
    throw new ShapeError(`sparse_: Only tensors with 2 dimensions are supported, got shape [${t.shape.join(", ")}]`);
  const [rows, columns] = t.shape as [number, number];
  return written(t, () => {
    // The order of random numbers: each column holds every row once.
    const order: Tensor = rand([rows, columns], options).argsort(0);
    drawNormal(t, 0, std, options).maskedFill_(order.lt(Math.ceil(sparsity * rows)), 0);
  });
}
