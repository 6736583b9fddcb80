/** Samples of reducing ops, their arguments as text. */

/** By name. */
export const reduce: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    "sum prod mean amax amin any all countNonzero logsumexp var variance std vectorNorm argmax argmin aminmax max min"
      .split(" ")
      .map((name) => [
        name,
        [
          "tensor([[1, 2, 0], [4, 5, 6]]), 1",
          "tensor([[1, 2, 0], [4, 5, 6]])",
          "tensor([[1, 2, 0], [4, 5, 6]]), 0, { keepdims: true }",
        ].slice(0, name === "aminmax" ? 2 : 3),
      ]),
  ),
  varMean: ["tensor([[1, 2, 0], [4, 5, 6]]), 1"],
  stdMean: ["tensor([[1, 2, 0], [4, 5, 6]]), 1"],
  nansum: ["tensor([1, NaN, 2])"],
  nanmean: ["tensor([1, NaN, 2])"],
  ...Object.fromEntries(
    "cumsum cumprod logcumsumexp cummax cummin".split(" ").map((name) => [name, ["tensor([[1, 3, 2], [4, 0, 6]]), 1"]]),
  ),
  logcumsumexp: ["tensor([[1, 3, 2], [4, 0, 6]]), 1", "tensor([complex(1, 2), complex(-1, 3), complex(900, 1)]), 0"],
};
