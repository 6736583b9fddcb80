/**
 * Window functions for signal processing, as in torch.signal.windows: weights that decrease toward both ends of a segment of a signal.
 * A window is symmetric; with `sym: false` it is periodic: the first `length` weights of the symmetric window of length + 1.
 * Weights are computed in float64 and stored as float32 or float64.
 */
import { StridewiseError } from "../base/errors.ts";
import { DTypeError } from "../storage/dtype.ts";
import { type CreateOptions, dtypeOr } from "../tensor/create/create.ts";
import { fromIndex } from "../tensor/create/from-function.ts";
import type { Tensor } from "../tensor/tensor.ts";

export interface WindowOptions extends CreateOptions {
  /** True for a symmetric window, the default; false for a periodic one. */
  readonly sym?: boolean | undefined;
}

type NewTensor = Tensor<readonly [number], "float32" | "float64">;

/** Returns weight(k, span) for k = 0, ..., length - 1, where `span` is the distance between the two ends. A window of length 1 is 1. */
function windowOf(
  who: string,
  length: number,
  windowOptions: WindowOptions,
  weight: (k: number, span: number) => number,
): NewTensor {
  const dtype = dtypeOr(who, windowOptions);
  const { sym = true, ...options } = windowOptions;
  if (!Number.isInteger(length) || length < 0)
    throw new StridewiseError(`${who}: length must be a non-negative integer, got ${length}`);
  if (dtype !== "float32" && dtype !== "float64")
    throw new DTypeError(`${who}: dtype must be float32 or float64, got ${dtype}. Convert the window: to(...)`);
  const span = sym ? length - 1 : length;
  return fromIndex(who, length, dtype, options, (k) => (length === 1 ? 1 : weight(k, span))) as unknown as NewTensor;
}

function checkPositive(who: string, what: string, value: number): void {
  if (!(value > 0)) throw new StridewiseError(`${who}: ${what} must be positive, got ${value}`);
}

/** Returns the Bartlett window, a triangle. */
export const bartlett = (length: number, options: WindowOptions = {}): NewTensor =>
  windowOf("bartlett", length, options, (k, span) => 1 - Math.abs((2 * k) / span - 1));

/** Returns the cosine window, half a period of the sine. */
export const cosine = (length: number, options: WindowOptions = {}): NewTensor =>
  windowOf("cosine", length, options, (k, span) => Math.sin((Math.PI * (k + 0.5)) / (span + 1)));

/** Returns the exponential window e^(-|k - center| / tau); `center` requires `sym: false`. */
export function exponential(
  length: number,
  options: WindowOptions & { readonly center?: number | null; readonly tau?: number } = {},
): NewTensor {
  const { center = null, tau = 1, ...rest } = options;
  checkPositive("exponential", "tau", tau);
  if (center !== null && rest.sym !== false)
    throw new StridewiseError(
      `exponential: symmetric windows have no center, got ${center}. Omit it, or set sym: false`,
    );
  return windowOf("exponential", length, rest, (k, span) => Math.exp(-Math.abs(k - (center ?? span / 2)) / tau));
}

/** Returns the Gaussian window with standard deviation `std`. */
export function gaussian(length: number, options: WindowOptions & { readonly std?: number } = {}): NewTensor {
  const { std = 1, ...rest } = options;
  checkPositive("gaussian", "std", std);
  return windowOf("gaussian", length, rest, (k, span) => Math.exp(-0.5 * ((k - span / 2) / std) ** 2));
}

/** Returns the Kaiser window; a larger `beta` makes it narrower. */
export function kaiser(length: number, options: WindowOptions & { readonly beta?: number } = {}): NewTensor {
  const { beta = 12, ...rest } = options;
  if (!(beta >= 0)) throw new StridewiseError(`kaiser: beta must be non-negative, got ${beta}`);
  return windowOf("kaiser", length, rest, (k, span) => {
    const x = (2 * k) / span - 1;
    return besselRatio(beta * Math.sqrt(Math.max(0, 1 - x * x)), beta);
  });
}

/** Returns i0(a) / i0(b), from the series of both, divided by e^b. */
function besselRatio(a: number, b: number): number {
  const scaled = (x: number): number => {
    let term = Math.exp(-b);
    let sum = term;
    for (let k = 1; term > sum * 1e-17; k++) {
      term *= (x / (2 * k)) ** 2;
      sum += term;
    }
    return sum;
  };
  return scaled(a) / scaled(b);
}

/** Returns the general cosine window, the sum of (-1)^j a[j] cos(2 pi j k / span). */
export function generalCosine(length: number, options: WindowOptions & { readonly a: readonly number[] }): NewTensor {
  const { a, ...rest } = options ?? ({} as never);
  if (!Array.isArray(a))
    throw new StridewiseError(`generalCosine: takes a list of coefficients, [0.54, 0.46], got ${String(a)}`);
  if (a.length === 0)
    throw new StridewiseError("generalCosine: takes a list of coefficients, [0.54, 0.46], got an empty one");
  return cosines("generalCosine", length, rest, a);
}

const cosines = (who: string, length: number, options: WindowOptions, a: readonly number[]): NewTensor =>
  windowOf(who, length, options, (k, span) =>
    a.reduce((sum, weight, j) => sum + (j % 2 === 0 ? weight : -weight) * Math.cos((2 * Math.PI * j * k) / span), 0),
  );

/** Returns the general Hamming window alpha - (1 - alpha) cos(2 pi k / span). */
export function generalHamming(length: number, options: WindowOptions & { readonly alpha?: number } = {}): NewTensor {
  const { alpha = 0.54, ...rest } = options;
  return cosines("generalHamming", length, rest, [alpha, 1 - alpha]);
}

/** Returns the Hamming window, generalHamming with alpha = 0.54. */
export const hamming = (length: number, options: WindowOptions = {}): NewTensor =>
  cosines("hamming", length, options, [0.54, 0.46]);

/** Returns the Hann window, generalHamming with alpha = 0.5. */
export const hann = (length: number, options: WindowOptions = {}): NewTensor =>
  cosines("hann", length, options, [0.5, 0.5]);

/** Returns the Blackman window, a sum of three cosines. */
export const blackman = (length: number, options: WindowOptions = {}): NewTensor =>
  cosines("blackman", length, options, [0.42, 0.5, 0.08]);

/** Returns the Nuttall window, a sum of four cosines. */
export const nuttall = (length: number, options: WindowOptions = {}): NewTensor =>
  cosines("nuttall", length, options, [0.3635819, 0.4891775, 0.1365995, 0.0106411]);
