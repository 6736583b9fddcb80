/** Samples of Fourier ops, their arguments as text. */

/** By name. */
export const fft: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    "fft ifft rfft ihfft fftn ifftn rfftn ihfftn".split(" ").map((name) => [`fft.${name}`, ["tensor([1, 2, 4, 0])"]]),
  ),
  "fft.fftshift": ["tensor([0, 1, 2, -2, -1])"],
  "fft.ifftshift": ["tensor([-2, -1, 0, 1, 2])"],
  ...Object.fromEntries(
    "irfft hfft irfftn hfftn"
      .split(" ")
      .map((name) => [`fft.${name}`, ["tensor([complex(7, 0), complex(1, -2), complex(3, 0)])"]]),
  ),
  ...Object.fromEntries(
    "fft2 ifft2 rfft2 irfft2 hfft2 ihfft2".split(" ").map((name) => [`fft.${name}`, ["tensor([[1, 2], [3, 5]])"]]),
  ),
};
