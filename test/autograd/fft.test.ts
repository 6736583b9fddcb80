/** Gradients of Fourier transforms agree with differences: of all kinds, cut and padded, scaled in each way, and of short pieces. */
import { describe, test } from "vitest";
import { fft, istft, ones, stft, type Tensor } from "../../src/index.ts";
import { check, complexed, type Fn, pairs, parameter } from "../support/gradient-differences.ts";

/** Squares make gradients of gradients of what is linear. */
const squared =
  (f: (x: Tensor) => Tensor): Fn =>
  (x) =>
    f((x as Tensor).mul(x as never) as Tensor);

const norms = ["backward", "ortho", "forward"] as const;
const whole = [
  ["fft", "fft"],
  ["ifft", "ifft"],
  ["irfft", "half"],
  ["hfft", "half"],
] as const;
const real = ["rfft", "ihfft", "fft", "hfft"] as const;

describe("gradients of transforms along one axis agree with differences:", () => {
  const sizes = [null, 3, 4, 6, 7];
  test.each(whole)("%s of complex numbers", (name) => {
    for (const [k, n] of sizes.entries())
      check(complexed(squared((x) => fft[name](x, n, 0, { norm: norms[k % 3] as "ortho" }))), pairs([4, 2]));
  });
  test.each(real)("%s of real numbers", (name) => {
    for (const [k, n] of sizes.entries())
      check(
        squared((x) => fft[name](x, n, 0, { norm: norms[k % 3] as "ortho" })),
        [parameter(5, 2)],
      );
  });
});

describe("gradients of transforms over several axes agree with differences:", () => {
  test.each(["fft2", "ifft2", "irfft2", "hfft2", "fftn", "ifftn", "irfftn", "hfftn"] as const)("%s", (name) => {
    check(complexed(squared((x) => fft[name](x))), pairs([3, 3]));
    check(complexed(squared((x) => fft[name](x, [2, 5], [1, 0], { norm: "ortho" }))), pairs([3, 4]));
  });
  test.each(["rfft2", "ihfft2", "rfftn", "ihfftn"] as const)("%s", (name) => {
    check(
      squared((x) => fft[name](x)),
      [parameter(3, 4)],
    );
    check(
      squared((x) => fft[name](x, [2, 5], [1, 0], { norm: "forward" })),
      [parameter(3, 4)],
    );
  });
  test("fftshift and ifftshift", () => {
    check(
      squared((x) => fft.fftshift(fft.ifftshift(x, 0))),
      [parameter(3, 4)],
    );
  });
});

describe("gradients of transforms of short pieces agree with differences:", () => {
  const window = (): Tensor => parameter(4).detach().abs().add(0.5) as Tensor;
  test("stft, its window too", () => {
    check((x, w) => stft(x as Tensor, 4, { hopLength: 2, window: w as Tensor }), [parameter(2, 8), parameter(4)]);
    check(
      (x) =>
        stft((x as Tensor).square() as Tensor, 6, { winLength: 4, window: window(), center: false, normalized: true }),
      [parameter(8)],
    );
    check((x) => stft((x as Tensor).square() as Tensor, 4, { padMode: "constant", onesided: false }), [parameter(8)]);
  });
  test("istft", () => {
    check(complexed(squared((x) => istft(x, 4, { hopLength: 2, window: window() }))), pairs([3, 4]));
    check(
      complexed(squared((x) => istft(x, 4, { window: ones([4], { dtype: "float64" }) as Tensor, length: 9 }))),
      pairs([2, 3, 4]),
    );
  });
});
