/** Fourier transforms and window functions. Complex numbers are pairs in the last axis. */
import * as sw from "../../index.ts";
import { computedAs } from "../../storage/dtype.ts";
import type { Call } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { dtypeOfElement } from "../value-type.ts";

/** Splits pairs off: a real tensor for a last axis of one element, a complex one for two. */
function fromPairs(call: Call, x: sw.Tensor): sw.Tensor {
  const parts = x.shape.at(-1);
  const wide: sw.Tensor = x.to(computedAs(x.dtype));
  if (parts === 1) return wide.squeeze(-1);
  if (parts === 2) return sw.complex(wide.select(-1, 0), wide.select(-1, 1));
  throw call.error(`the last axis must have 1 or 2 elements, the parts of a number, got [${x.shape}]`);
}

const toPairs = (x: sw.Tensor, dtype: sw.DType): sw.Tensor => x.viewAsReal().to(dtype);

const isComplex = (t: sw.Tensor): boolean => t.dtype === "complex64" || t.dtype === "complex128";

function fourier(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const requested = call.version < 20 ? call.int("axis", 1) : call.optionalNumber(2, -2);
  const axis = call.axis(requested, x.rank);
  if (axis === x.rank - 1) throw call.error(`axis ${requested} is that of the parts of numbers, of [${x.shape}]`);
  const [isInverse, isOneSided] = [call.int("inverse", 0) !== 0, call.int("onesided", 0) !== 0];
  const values = fromPairs(call, x);
  const size = x.shape[axis];
  const n = call.optionalNumber(1, null) ?? (isInverse && isOneSided ? 2 * (size - 1) : size);
  if (isInverse) {
    if (isOneSided) return sw.fft.irfft(values, n, axis).unsqueeze(-1).to(x.dtype);
    return toPairs(sw.fft.ifft(values, n, axis), x.dtype);
  }
  if (!isOneSided) return toPairs(sw.fft.fft(values, n, axis), x.dtype);
  if (isComplex(values)) throw call.error("a one-sided transform needs real input, with a last axis of 1 element");
  return toPairs(sw.fft.rfft(values, n, axis), x.dtype);
}

function shortTime(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const signal = fromPairs(call, x.rank === 2 ? x.unsqueeze(-1) : x);
  const window = call.optionalTensor(2);
  const step = call.number(1);
  const length = call.optionalNumber(3, window?.size ?? null);
  if (length === null) throw call.error("needs a window or frame_length");
  if (window !== null && window.size !== length)
    throw call.error(`the window must have frame_length=${length} elements, got [${window.shape}]`);
  if (step < 1 || length < 1 || length > signal.shape[1])
    throw call.error(
      `frame_step must be at least 1 and frame_length in [1, ${signal.shape[1]}], got ${step} and ${length}`,
    );
  const frames: sw.Tensor = signal.unfold(1, length, step);
  const weighted = window === null ? frames : sw.mul(frames, window.to(computedAs(window.dtype)));
  if (call.int("onesided", 1) === 0) return toPairs(sw.fft.fft(weighted), x.dtype);
  if (isComplex(weighted)) throw call.error("a complex signal or window needs onesided=0");
  return toPairs(sw.fft.rfft(weighted), x.dtype);
}

/** The dtype in the attribute output_datatype. */
function outputType(call: Call): sw.DType {
  const type = call.int("output_datatype", 1);
  const dtype = dtypeOfElement[type];
  if (dtype === undefined) throw call.error(`output_datatype=${type} is not supported`);
  return dtype;
}

/** Triangles on the mel scale: the weights of the bins of a spectrum for each mel bin. */
function melWeights(call: Call): sw.Tensor {
  const [count, length, rate, low, high] = [0, 1, 2, 3, 4].map((k) => call.number(k)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const bins = Math.floor(length / 2) + 1;
  call.count(bins * call.count(count, "num_mel_bins"), "the number of weights");
  const melOf = (hertz: number): number => 2595 * Math.log10(1 + hertz / 700);
  const step = (melOf(high) - melOf(low)) / (count + 2);
  const edges = Array.from({ length: count + 2 }, (_, k) => {
    const hertz = 700 * (10 ** ((melOf(low) + k * step) / 2595) - 1);
    return Math.floor(((length + 1) * hertz) / rate);
  });
  const weights = new Float64Array(bins * count);
  const set = (bin: number, mel: number, value: number): void => {
    weights[bin * count + mel] = value;
  };
  for (let mel = 0; mel < count; mel++) {
    const [left, center, right] = edges.slice(mel, mel + 3);
    const [first, last] = [Math.max(left, 0), Math.min(right, bins)];
    if (left === center) {
      if (center >= 0 && center < bins) set(center, mel, 1);
    } else
      for (let bin = first; bin <= Math.min(center, bins - 1); bin++) set(bin, mel, (bin - left) / (center - left));
    for (let bin = Math.max(center, 0); bin < last; bin++) set(bin, mel, (right - bin) / (right - center));
  }
  return sw.tensor(weights, { dtype: "float64" }).to(outputType(call)).reshape([bins, count]);
}

/** A window that is a sum of cosines with these coefficients. */
const cosineWindow =
  (...coefficients: readonly number[]) =>
  (call: Call): sw.Tensor => {
    const size = call.count(call.number(0), "the size of the window");
    const period = call.int("periodic", 1) !== 0 ? size : Math.max(1, size - 1);
    const values = Float64Array.from({ length: size }, (_, n) =>
      size === 1 ? 1 : coefficients.reduce((sum, c, k) => sum + c * Math.cos((2 * Math.PI * k * n) / period), 0),
    );
    return sw.tensor(values, { dtype: "float64" }).to(outputType(call));
  };

export const spectral: OperatorTable = {
  DFT: fourier,
  STFT: shortTime,
  MelWeightMatrix: melWeights,
  HannWindow: cosineWindow(0.5, -0.5),
  HammingWindow: cosineWindow(25 / 46, -21 / 46),
  BlackmanWindow: cosineWindow(0.42, -0.5, 0.08),
};
