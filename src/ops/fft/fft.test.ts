/** Fourier transforms as ops against the sum that defines them: axes, lengths, norms, layouts; inverses; short pieces of a signal. */
import { empty, ones, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { expectNear, matrices } from "../../../test/support/matrices.ts";
import { refusals } from "../../../test/support/refusals.ts";
import { fromFunction } from "../../tensor/create/from-function.ts";
import { matmul } from "../contract/matmul.ts";
import { complex } from "../elementwise/choose.ts";
import { pad } from "../movement/pad.ts";
import * as fft from "./fft.ts";
import { istft, stft } from "./stft.ts";

/** The matrix of the transform: e^(-2 pi i j k / n). */
function waves(n: number): Tensor {
  const part = (f: (x: number) => number, sign: number): Tensor =>
    fromFunction([n, n], ((j: number, k: number) => sign * f((2 * Math.PI * ((j * k) % n)) / n)) as never, {
      dtype: "float64",
    });
  return complex(part(Math.cos, 1), part(Math.sin, -1));
}

describe.each([1, 2, 3, 4, 5, 7, 8, 12, 13])("of %i values", (n) => {
  const x = matrices([n, 3], "complex128");
  test("fft is the product with the matrix of waves, along any axis", () => {
    const expected = matmul(waves(n), x);
    expectNear(fft.fft(x, null, 0), expected);
    expectNear(fft.fft(x.mT).mT, expected);
    expectNear(fft.fft(x, null, 0, { norm: "forward" }), expected.div(n));
    expectNear(fft.fft(x, null, 0, { norm: "ortho" }), expected.div(Math.sqrt(n)));
  });

  test("inverses give the values back", () => {
    for (const norm of ["backward", "ortho", "forward"] as const) {
      expectNear(fft.ifft(fft.fft(x, null, 0, { norm }), null, 0, { norm }), x);
      const real = matrices([n, 3]);
      expectNear(fft.irfft(fft.rfft(real, null, 0, { norm }), n, 0, { norm }), real);
      expectNear(fft.hfft(fft.ihfft(real, null, 0, { norm }), n, 0, { norm }), real);
    }
  });

  test("rfft is the first half of fft", () => {
    const real = matrices([3, n]);
    expectNear(fft.rfft(real), fft.fft(real).slice(1, 0, Math.floor(n / 2) + 1));
  });
});

test("n cuts the values or adds zeros", () => {
  const x = matrices([6], "complex128");
  expectNear(fft.fft(x, 4), fft.fft(x.slice(0, 0, 4)));
  expectNear(fft.fft(x, 8), fft.fft(pad(x, [0, 2])));
});

test("several axes are one after another, and one axis may be given alone", () => {
  const x = matrices([2, 3, 4], "complex128");
  const all = [0, 1, 2].reduce((t, axis) => fft.fft(t, null, axis), x);
  expectNear(fft.fftn(x), all);
  expectNear(fft.ifftn(all), x);
  expectNear(fft.fft2(x), fft.fft(fft.fft(x, null, 1), null, 2));
  expectNear(fft.fftn(x, null, 1), fft.fft(x, null, 1));
  expectNear(fft.irfftn(fft.rfftn(matrices([3, 4])), [3, 4]), matrices([3, 4]));
});

test("shifts put frequency 0 in the middle and back, and frequencies go with them", () => {
  expect(fft.fftshift(tensor([0, 1, 2, -2, -1])).toArray()).toEqual([-2, -1, 0, 1, 2]);
  expectNear(fft.ifftshift(fft.fftshift(matrices([3, 4]))), matrices([3, 4]), 0);
  expect(fft.fftfreq(4, 0.25).toArray()).toEqual([0, 1, -2, -1]);
  expect(fft.rfftfreq(5, 0.2).toArray()).toEqual([0, 1, 2]);
});

test("stft is the transform of each piece under the window, and istft gives the signal back", () => {
  const x = matrices([2, 50]);
  const window = matrices([8]).abs().add(0.5);
  const options = { hopLength: 3, window, center: false } as const;
  const pieces = stft(x, 8, options);
  expect(pieces.shape).toEqual([2, 5, 15]);
  for (const k of [0, 7, 14]) expectNear(pieces.select(2, k), fft.rfft(x.slice(1, 3 * k, 3 * k + 8).mul(window)));
  expectNear(istft(pieces, 8, options), x);
  for (const more of [{}, { normalized: true }, { onesided: false }, { hopLength: 2, winLength: 6 }])
    expectNear(istft(stft(x, 8, more), 8, { ...more, length: 50 }), x);
  const signal = matrices([40], "complex128");
  expectNear(istft(stft(signal, 8), 8, { returnComplex: true, onesided: false }), signal);
});

test("on the meta device there are shapes and dtypes", () => {
  const x = empty([2, 6], { device: "meta" });
  expect([fft.rfft(x).shape, fft.rfft(x).dtype, fft.rfft(x).device.type]).toEqual([[2, 4], "complex64", "meta"]);
  expect(stft(empty([20], { device: "meta" }), 4).shape).toEqual([3, 21]);
});

test("invalid arguments throw", () => {
  expect(
    refusals([
      () => fft.fft(tensor(1)),
      () => fft.fft(ones([4]), 0),
      () => fft.fft(ones([4]), 4, 1),
      () => fft.fft(ones([4], { dtype: "float16" })),
      () => fft.rfft(ones([4], { dtype: "complex64" })),
      () => fft.fft(ones([4]), null, -1, { norm: "none" as never }),
      () => fft.fftn(ones([4]), [2], [0, 0]),
      () => stft(ones([2, 2, 2]), 2),
      () => stft(ones([4]), 8, { center: false }),
      () => stft(ones([8]), 4, { hopLength: 0 }),
      () => stft(ones([8]), 4, { window: ones([3]) }),
      () => istft(ones([3, 4], { dtype: "complex64" }), 8),
      () => istft(ones([3, 4]), 4),
    ]),
  ).toMatchInlineSnapshot(`
    "IndexError: fft: the tensor has no axes
    StridewiseError: fft: n must be a positive integer, got 0
    IndexError: fft: axis 1 is out of range, expected -1 to 0
    DTypeError: fft: not implemented for 'float16'. Convert it: to("float32")
    DTypeError: rfft: x must be real, got complex64. Use fft
    StridewiseError: fft: norm must be "backward", "ortho" or "forward", got "none"
    IndexError: fftn: axis 0 appears twice in [0, 0]
    ShapeError: stft: x must have 1 or 2 axes, got shape [2, 2, 2]
    StridewiseError: stft: nFft must be an integer from 1 to 4, got 8
    StridewiseError: stft: hopLength must be above 0, got 0
    ShapeError: stft: window must have shape [4], winLength, got [3]
    ShapeError: istft: x must have nFft / 2 + 1 frequencies, got 3 for nFft=8
    ShapeError: istft: x must be complex with 2 or 3 axes, got float32 of shape [3, 4]"
  `);
});
