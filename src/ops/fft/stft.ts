/**
 * The short-time Fourier transform and its inverse: overlapping frames of `nFft` values, `hopLength` apart, times a window.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { deviceOption } from "../../storage/device.ts";
import { ones } from "../../tensor/create/create.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor, isComplexTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { div, mul } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { pad } from "../movement/pad.ts";
import { fold } from "../movement/windows.ts";
import { routineOfOps } from "../routine/routine-op.ts";
import { expand, narrow, reshape, select, squeeze, transpose, unfold, unsqueeze } from "../views.ts";
import { fft, ifft, irfft, rfft } from "./fft.ts";

interface FrameOptions {
  /** The distance between frames. Default: a quarter of `nFft`. */
  readonly hopLength?: number | null | undefined;
  /** The length of the window, at most `nFft`. Default: `nFft`. */
  readonly winLength?: number | null | undefined;
  /** The factors of the values of each frame. Default: ones. */
  readonly window?: Tensor | null | undefined;
  /** Frames are centered at their times instead of starting there. Default: true. */
  readonly center?: boolean | undefined;
  /** The result is divided by the square root of `nFft`. */
  readonly normalized?: boolean | undefined;
  /** Only half of the frequencies, since the others are conjugates. Default: true for real signals. */
  readonly onesided?: boolean | null | undefined;
}
export interface StftOptions extends FrameOptions {
  /** The padding of the signal at both ends where frames are centered. Default: "reflect". */
  readonly padMode?: "constant" | "reflect" | "replicate" | "circular" | undefined;
  /** The result is always complex. */
  readonly returnComplex?: true | undefined;
}
export interface IstftOptions extends FrameOptions {
  /** The length to which the signal is truncated or zero-padded. */
  readonly length?: number | null | undefined;
  /** The signal is complex. */
  readonly returnComplex?: boolean | undefined;
}
type Named<O> = { readonly [K in keyof O]-?: Exclude<O[K], undefined> } & {
  readonly x: Tensor;
  readonly nFft: number;
};

/** Returns the distance between frames and the window, zero-padded to the length of a frame. */
function framing(
  who: string,
  { x, nFft, hopLength, winLength, window }: Named<FrameOptions>,
  real: "float32" | "float64",
): { hop: number; window: Tensor } {
  const hop = hopLength ?? Math.floor(nFft / 4);
  const length = winLength ?? nFft;
  if (!(hop > 0)) throw new StridewiseError(`${who}: hopLength must be above 0, got ${hop}`);
  if (!(length > 0 && length <= nFft))
    throw new StridewiseError(`${who}: winLength must be from 1 to nFft=${nFft}, got ${length}`);
  if (window !== null) checkTensor(`${who}: window`, window);
  if (window !== null && (window.rank !== 1 || window.size !== length))
    throw new ShapeError(`${who}: window must have shape [${length}], winLength, got ${showShape(window)}`);
  const factors = window ?? ones([length], { dtype: real, device: deviceOption(x.device) });
  const left = Math.floor((nFft - length) / 2);
  return { hop, window: length === nFft ? factors : pad(factors, [left, nFft - length - left]) };
}

const realDType = ({ dtype }: Tensor): "float32" | "float64" =>
  dtype === "float64" || dtype === "complex128" ? "float64" : "float32";

/** The type of stft and istft. */
export interface ShortFourier<O> extends OpFunction {
  (x: Tensor, nFft: number, options?: O): Tensor;
}
/** Returns the short-time Fourier transform: the transforms of overlapping windows of a signal, [frequencies, frames] or a batch of them. */
export const stft: ShortFourier<StftOptions> = /* @__PURE__ */ routineOfOps(
  "stft(x, nFft; hopLength = null, winLength = null, window = null, center = true, padMode = reflect, normalized = false, onesided = null, returnComplex = true)",
  (args: Named<StftOptions>) => {
    const who = "stft";
    const { x, nFft, center, padMode, normalized, onesided, returnComplex } = args;
    checkTensor(who, x);
    if (x.rank !== 1 && x.rank !== 2)
      throw new ShapeError(`${who}: x must have 1 or 2 axes, got shape ${showShape(x)}`);
    if (!returnComplex)
      throw new StridewiseError(
        `${who}: the result is always complex. Omit returnComplex, and call viewAsReal on the result`,
      );
    const rows = x.rank === 1 ? unsqueeze(x, 0) : x;
    const half = Math.floor(nFft / 2);
    const length = sizesOf(rows)[1] + (center ? 2 * half : 0);
    if (!(Number.isInteger(nFft) && nFft > 0 && nFft <= length))
      throw new StridewiseError(`${who}: nFft must be an integer from 1 to ${length}, got ${nFft}`);
    const signal = center ? pad(rows, [half, half], { mode: padMode }) : rows;
    // The window is as long as a frame, so it is built only after nFft is checked.
    const { hop, window } = framing(who, args, realDType(x));
    const frames = mul(unfold(signal, -1, nFft, hop), window);
    const options = { norm: normalized ? "ortho" : "backward" } as const;
    const isHalf = onesided ?? !isComplexTensor(frames);
    const result = transpose((isHalf ? rfft : fft)(frames, null, -1, options), 1, 2);
    return x.rank === 1 ? squeeze(result, 0) : result;
  },
);

/** The sum of overlapping frames, [batch, frames, length]. */
function overlapped(frames: Tensor, hop: number): Tensor {
  const [, count, length] = sizesOf(frames) as [number, number, number];
  const total = length + hop * (count - 1);
  const sums = fold(transpose(frames, 1, 2), [1, total], [1, length], { stride: [1, hop] });
  return reshape(sums, [-1, total]);
}

/** Reconstructs a signal from its short-time Fourier transform by overlap-add, normalized by the summed squared windows. */
export const istft: ShortFourier<IstftOptions> = /* @__PURE__ */ routineOfOps(
  "istft(x, nFft; hopLength = null, winLength = null, window = null, center = true, normalized = false, onesided = null, length = null, returnComplex = false)",
  (args: Named<IstftOptions>) => {
    const who = "istft";
    const { x, nFft, center, normalized, onesided, length, returnComplex } = args;
    checkTensor(who, x);
    if (!isComplexTensor(x) || (x.rank !== 2 && x.rank !== 3))
      throw new ShapeError(`${who}: x must be complex with 2 or 3 axes, got ${x.dtype} of shape ${showShape(x)}`);
    const [frequencies, count] = sizesOf(x).slice(-2) as [number, number];
    const half = Math.floor(nFft / 2);
    const isHalf = onesided ?? frequencies !== nFft;
    if (frequencies !== (isHalf ? half + 1 : nFft))
      throw new ShapeError(
        `${who}: x must have ${isHalf ? "nFft / 2 + 1" : "nFft"} frequencies, got ${frequencies} for nFft=${nFft}`,
      );
    const { hop, window } = framing(who, args, realDType(x));
    if (hop > nFft) throw new StridewiseError(`${who}: hopLength must be at most nFft=${nFft}, got ${hop}`);
    const spectra = transpose(x.rank === 2 ? unsqueeze(x, 0) : x, 1, 2);
    const options = { norm: normalized ? "ortho" : "backward" } as const;
    const parts = returnComplex
      ? ifft(spectra, null, -1, options)
      : irfft(isHalf ? spectra : narrow(spectra, -1, 0, half + 1), nFft, -1, options);
    const signal = overlapped(mul(parts, window), hop);
    const squares = mul(window, window);
    const weight = select(overlapped(expand(squares, [1, count, nFft]), hop), 0, 0);
    const total = nFft + hop * (count - 1);
    const start = center ? half : 0;
    const end = length !== null ? start + length : center ? total - half : total;
    const size = Math.min(end, total) - start;
    const cut = div(narrow(signal, -1, start, size), narrow(weight, 0, start, size));
    const whole = end > total ? pad(cut, [0, end - total]) : cut;
    return x.rank === 2 ? squeeze(whole, 0) : whole;
  },
);
