/** Gradients of ops that are made of others: sampling, tables, gates, distances, what masks leave; first and second order. */
import { describe, expect, test } from "vitest";
import * as F from "../../src/index.ts";
import {
  alphaDropout,
  dropout,
  dropout1d,
  featureAlphaDropout,
  grad,
  masked,
  type Tensor,
  tensor,
} from "../../src/index.ts";
import { checkGradients, leaf } from "../support/check-gradients.ts";

const numbers = (t: unknown): number[] => (t as Tensor).reshape(-1).toArray() as number[];
const doubles = (list: unknown): Tensor => tensor(list as number[], { dtype: "float64", requiresGrad: true }) as Tensor;
const indices = (list: unknown): Tensor => tensor(list as number[], { dtype: "int64" }) as Tensor;
const gradientOf = (y: Tensor, x: Tensor): number[] => numbers(grad(y.sum() as Tensor, x));

describe("tables", () => {
  test("embedding adds up rows that are taken several times, and passes over the padding", () => {
    const weight = leaf([4, 2]);
    checkGradients(
      () =>
        F.embedding(
          indices([
            [1, 3],
            [1, 0],
          ]),
          weight,
        ) as Tensor,
      weight,
    );
    const y = F.embedding(indices([1, 1, 2, 3]), weight, { paddingIdx: -1 }) as Tensor;
    expect(gradientOf(y, weight)).toEqual([0, 0, 2, 2, 1, 1, 0, 0]);
  });

  test("embeddingBag in all modes", () => {
    const [weight, factors] = [leaf([5, 2]), leaf([2, 3])];
    const bags = indices([
      [1, 3, 1],
      [4, 0, 2],
    ]);
    for (const mode of ["sum", "mean", "max"] as const) {
      checkGradients(() => F.embeddingBag(bags, weight, { mode }), weight);
      const offsets = indices([0, 2, 2]);
      checkGradients(() => F.embeddingBag(indices([1, 3, 0, 4, 4]), weight, { mode, offsets, paddingIdx: 0 }), weight);
    }
    checkGradients(() => F.embeddingBag(bags, weight, { mode: "sum", perSampleWeights: factors }), weight, factors);
  });
});

describe("sampling", () => {
  test.each([
    ["nearest", [5], {}],
    ["linear", [5], { alignCorners: true }],
    ["bilinear", [3, 3], {}],
    ["bicubic", [3, 4], {}],
    ["area", [2, 3], {}],
    ["trilinear", [2, 3, 2], {}],
  ] as const)("interpolate %s", (mode, size, more) => {
    const x = leaf([1, 2, ...size.map((count) => (count === 5 ? 3 : 2))]);
    checkGradients(() => F.interpolate(x, { mode, size: [...size], ...more }), x);
  });

  test.each(["bilinear", "bicubic", "nearest"] as const)("gridSample %s", (mode) => {
    const [x, grid] = [leaf([1, 2, 3, 3]), leaf([1, 2, 2, 2])];
    for (const paddingMode of ["zeros", "border", "reflection"] as const)
      checkGradients(() => F.gridSample(x, grid, { mode, paddingMode }), x, grid);
    checkGradients(() => F.gridSample(x, grid, { mode, alignCorners: true }), x, grid);
  });

  test("a point on an element has the slope to its right, and one on the border none", () => {
    const x = doubles([
      [
        [
          [1, 4, 9],
          [1, 4, 9],
        ],
      ],
    ]);
    const at = (u: number): Tensor => doubles([[[[u, -1]]]]);
    const middle = at(0);
    expect(gradientOf(F.gridSample(x, middle, { alignCorners: true }), middle)[0]).toBe(5);
    const end = at(1);
    expect(gradientOf(F.gridSample(x, end, { alignCorners: true, paddingMode: "border" }), end)[0]).toBe(0);
  });

  test("affineGrid", () => {
    const theta = leaf([2, 2, 3]);
    checkGradients(() => F.affineGrid(theta, [2, 1, 2, 3]), theta);
    const x = leaf([1, 1, 3, 3]);
    checkGradients(() => F.gridSample(x, F.affineGrid(theta.narrow(0, 0, 1) as Tensor, [1, 1, 2, 2])), x, theta);
  });
});

describe("gates and dropping", () => {
  test("glu, prelu, rrelu", () => {
    const [x, slope] = [leaf([2, 4]), leaf([4])];
    checkGradients(() => F.glu(x, 1), x);
    checkGradients(() => F.prelu(x, slope) as Tensor, x, slope);
    checkGradients(() => F.prelu(x, slope.select(0, 0) as Tensor) as Tensor, x, slope);
    checkGradients(() => F.rrelu(x) as Tensor, x);
    const random = (): Tensor => {
      F.manualSeed(3);
      return F.rrelu(x, { training: true }) as Tensor;
    };
    checkGradients(random, x);
    const far = doubles([2, -1000]);
    expect(gradientOf(F.glu(far, 0), far)).toEqual([0, 0]);
  });

  test.each(Object.entries({ dropout, dropout1d, alphaDropout, featureAlphaDropout }))("%s", (_name, drop) => {
    const x = leaf([3, 4, 2]);
    const dropped = (): Tensor => {
      F.manualSeed(5);
      return drop(x.exp() as Tensor, 0.4, { training: true }) as Tensor;
    };
    checkGradients(dropped, x);
    checkGradients(() => drop(x.exp() as Tensor, 0.4, { training: false }) as Tensor, x);
  });
});

describe("lengths and distances", () => {
  test("cdist, pdist and renorm", () => {
    const [a, b] = [leaf([3, 2]), leaf([4, 2])];
    for (const p of [1, 2, 3, Number.POSITIVE_INFINITY]) checkGradients(() => F.cdist(a, b, p), a, b);
    checkGradients(() => F.cdist(a, b, 2, { computeMode: "use_mm_for_euclid_dist" }), a, b);
    checkGradients(() => F.pdist(b), b);
    checkGradients(() => F.renorm(a, 2, 0, 0.5) as Tensor, a);
  });

  test("equal rows have a gradient of 0", () => {
    const a = doubles([
      [1, 2],
      [1, 2],
      [3, 5],
    ]);
    expect(gradientOf(F.pdist(a), a).every(Number.isFinite)).toBe(true);
    const mode = { computeMode: "use_mm_for_euclid_dist" } as const;
    expect(gradientOf(F.cdist(a, a.detach() as Tensor, 2, mode), a).every(Number.isFinite)).toBe(true);
  });
});

describe("products with a weight", () => {
  test("linear and bilinear", () => {
    const [x, y, w, b] = [leaf([2, 3]), leaf([2, 2]), leaf([4, 3]), leaf([4])];
    checkGradients(() => F.linear(x, w, b), x, w, b);
    const both = leaf([4, 3, 2]);
    checkGradients(() => F.bilinear(x, y, both, b), x, y, both, b);
  });
});

describe("masked elements", () => {
  const mask = tensor([
    [true, false, true],
    [true, true, false],
  ]) as Tensor;
  const left = [
    "sum",
    "prod",
    "mean",
    "amax",
    "amin",
    "var",
    "std",
    "logsumexp",
    "softmax",
    "logSoftmax",
    "softmin",
    "cumsum",
    "cumprod",
    "median",
  ] as const;
  test.each(left)("masked.%s", (name) => {
    const x = leaf([2, 3]);
    const call = (masked as unknown as Record<string, (x: Tensor, axis: number, options: object) => Tensor>)[name];
    const y = (): Tensor => {
      const result = call?.(x, 1, { mask }) as Tensor;
      return name === "logSoftmax" ? (result.maskedFill(mask.logicalNot() as never, 0) as Tensor) : result;
    };
    checkGradients(y, x);
  });

  test("masked.norm, normalize and logaddexp", () => {
    const [x, y] = [leaf([2, 3]), leaf([2, 3])];
    checkGradients(() => masked.norm(x, 2, 1, { mask }) as Tensor, x);
    checkGradients(() => masked.normalize(x, 2, 1, { mask }) as Tensor, x);
    const sum = masked.logaddexp(x, y, { inputMask: mask }) as Tensor;
    expect(gradientOf(sum, x).map((g) => g > 0)).toEqual(numbers(mask).map(Boolean));
  });
});
