/**
 * Fourier transforms of short pieces of a signal, and back: pieces of `nFft` values, `hopLength` apart, under a window.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
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

interface Pieces {
  /** The distance between pieces: a quarter of `nFft` unless given. */
  readonly hopLength?: number | null | undefined;
  /** The length of the window, at most `nFft`, which it is unless given. */
  readonly winLength?: number | null | undefined;
  /** What each piece is multiplied by: ones unless given. */
  readonly window?: Tensor | null | undefined;
  /** Pieces stand around their times and not behind them: true unless given. */
  readonly center?: boolean | undefined;
  /** Divided by the root of `nFft`. */
  readonly normalized?: boolean | undefined;
  /** Half of the frequencies, since the others mirror them: unless given, for real values. */
  readonly onesided?: boolean | null | undefined;
}
export interface StftOptions extends Pieces {
  /** How the signal goes on at its ends where pieces are centred: "reflect" unless given. */
  readonly padMode?: "constant" | "reflect" | "replicate" | "circular" | undefined;
  /** The result is complex in any case. */
  readonly returnComplex?: true | undefined;
}
export interface IstftOptions extends Pieces {
  /** The length of the signal, if it is to be cut or filled up with zeros. */
  readonly length?: number | null | undefined;
  /** The signal is complex. */
  readonly returnComplex?: boolean | undefined;
}
type Given<O> = { readonly [K in keyof O]-?: Exclude<O[K], undefined> } & {
  readonly x: Tensor;
  readonly nFft: number;
};

/** The distance of pieces and the window, filled up with zeros to the length of a piece. */
function piecesOf(who: string, given: Given<Pieces>, real: "float32" | "float64"): { hop: number; window: Tensor } {
  const { x, nFft, hopLength, winLength, window } = given;
  const hop = hopLength ?? Math.floor(nFft / 4);
  const length = winLength ?? nFft;
  if (!(hop > 0)) throw new StridewiseError(`${who}: expected hop_length > 0, but got hop_length=${hop}`);
  if (!(length > 0 && length <= nFft))
    throw new StridewiseError(`${who}: expected 0 < winLength <= nFft, got winLength=${length}`);
  if (window !== null) checkTensor(`${who}: window`, window);
  if (window !== null && (window.rank !== 1 || window.size !== length))
    throw new ShapeError(`${who}: expected a window [${length}], winLength, got ${showShape(window)}`);
  const made = window ?? ones([length], { dtype: real, device: x.device.type as "cpu" | "meta" });
  const left = Math.floor((nFft - length) / 2);
  return { hop, window: length === nFft ? made : pad(made, [left, nFft - length - left]) };
}

const realDType = ({ dtype }: Tensor): "float32" | "float64" =>
  dtype === "float64" || dtype === "complex128" ? "float64" : "float32";

/** A transform of pieces. */
export interface ShortFourier<O> extends OpFunction {
  (x: Tensor, nFft: number, options?: O): Tensor;
}
/** The Fourier transforms of overlapping pieces of a signal, [frequencies, pieces] or a batch of them. */
export const stft: ShortFourier<StftOptions> = /* @__PURE__ */ routineOfOps(
  "stft(x, nFft; hopLength = null, winLength = null, window = null, center = true, padMode = reflect, normalized = false, onesided = null, returnComplex = true)",
  (given: Given<StftOptions>) => {
    const who = "stft";
    const { x, nFft, center, padMode, normalized, onesided, returnComplex } = given;
    checkTensor(who, x);
    if (x.rank !== 1 && x.rank !== 2)
      throw new ShapeError(`${who}: expected a 1D or 2D tensor, got shape ${showShape(x)}`);
    if (!returnComplex)
      throw new StridewiseError(`${who}: the result is complex. Omit returnComplex, and use viewAsReal of the result`);
    const rows = x.rank === 1 ? unsqueeze(x, 0) : x;
    const half = Math.floor(nFft / 2);
    const length = sizesOf(rows)[1] + (center ? 2 * half : 0);
    if (!(Number.isInteger(nFft) && nFft > 0 && nFft <= length))
      throw new StridewiseError(`${who}: expected 0 < nFft < ${length}, got nFft=${nFft}`);
    const signal = center ? pad(rows, [half, half], { mode: padMode }) : rows;
    // The window is as long as a piece, so it is made once the signal is known to have one.
    const { hop, window } = piecesOf(who, given, realDType(x));
    const pieces = mul(unfold(signal, -1, nFft, hop), window);
    const options = { norm: normalized ? "ortho" : "backward" } as const;
    const isHalf = onesided ?? !isComplexTensor(pieces);
    const result = transpose((isHalf ? rfft : fft)(pieces, null, -1, options), 1, 2);
    return x.rank === 1 ? squeeze(result, 0) : result;
  },
);

/** Pieces, [batch, pieces, length], added up where they belong. */
function overlapped(pieces: Tensor, hop: number): Tensor {
  const [, count, length] = sizesOf(pieces) as [number, number, number];
  const total = length + hop * (count - 1);
  const sums = fold(transpose(pieces, 1, 2), [1, total], [1, length], { stride: [1, hop] });
  return reshape(sums, [-1, total]);
}

/** The signal whose pieces have the given transforms; where windows overlap, their squares are divided out. */
export const istft: ShortFourier<IstftOptions> = /* @__PURE__ */ routineOfOps(
  "istft(x, nFft; hopLength = null, winLength = null, window = null, center = true, normalized = false, onesided = null, length = null, returnComplex = false)",
  (given: Given<IstftOptions>) => {
    const who = "istft";
    const { x, nFft, center, normalized, onesided, length, returnComplex } = given;
    checkTensor(who, x);
    if (!isComplexTensor(x) || (x.rank !== 2 && x.rank !== 3))
      throw new ShapeError(`${who}: takes complex numbers with 2 or 3 axes, got ${x.dtype} of shape ${showShape(x)}`);
    const [frequencies, count] = sizesOf(x).slice(-2) as [number, number];
    const half = Math.floor(nFft / 2);
    const isHalf = onesided ?? frequencies !== nFft;
    if (frequencies !== (isHalf ? half + 1 : nFft))
      throw new ShapeError(
        `${who}: expected ${isHalf ? "nFft / 2 + 1" : "nFft"} frequencies, got ${frequencies} for nFft=${nFft}`,
      );
    const { hop, window } = piecesOf(who, given, realDType(x));
    if (hop > nFft) throw new StridewiseError(`${who}: expected 0 < hopLength <= winLength, got hopLength=${hop}`);
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
