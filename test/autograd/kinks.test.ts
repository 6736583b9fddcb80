/**
 * Gradients and tangents where a function has a kink, a tie or a pole: the values are PyTorch's. Each row has an op on float64, where it is
 * taken, and the gradient of the sum of its results.
 */
import { expect, test } from "vitest";
import * as sw from "../../src/index.ts";
import { grad, jvp, type Tensor, tensor } from "../../src/index.ts";

const inf = Number.POSITIVE_INFINITY;
const nan = Number.NaN;
const ops = sw as unknown as Record<string, (...args: unknown[]) => Tensor>;
const list = (...values: number[]): Tensor => tensor(values, { dtype: "float64" }) as Tensor;
const op = (name: string, ...args: unknown[]): Tensor => (ops[name] as (...args: unknown[]) => Tensor)(...args);
const values = (result: unknown): Tensor => (result as { values: Tensor }).values;

type Row = readonly [
  name: string,
  at: readonly number[],
  gradient: readonly number[],
  f?: readonly unknown[] | ((x: Tensor) => Tensor),
];

const rows: readonly Row[] = [
  ["relu", [-1, 0, 1, nan], [0, 0, 1, 1]],
  ["relu6", [-1, 0, 1, 6, 7], [0, 0, 1, 0, 0]],
  ["elu", [-1, 0, 1], [0.7357588823428847, 2, 1], [2]],
  ["selu", [-1, 0, 1], [0.646768603034814, 1.7580993408473766, 1.0507009873554805]],
  ["celu", [-1, 0, 1], [0.6065306597126334, 1, 1], [2]],
  ["leakyRelu", [-1, 0, 1], [0.2, 0.2, 1], [0.2]],
  ["hardsigmoid", [-4, -3, 0, 3, 4], [0, 0, 1 / 6, 0, 0]],
  ["hardtanh", [-2, -1, 0, 1, 2], [0, 0, 1, 0, 0]],
  ["hardtanh", [-2, -1, 0, 1, 2], [0, 1, 1, 1, 0], [-2, 2]],
  ["hardshrink", [-1, -0.5, 0, 0.5, 1], [1, 0, 0, 0, 1]],
  ["hardshrink", [-1, 0, 1], [1, 0, 1], [0]],
  ["softshrink", [-1, -0.5, 0, 0.5, 1], [1, 0, 0, 0, 1]],
  ["threshold", [-1, 0.5, 1], [0, 0, 1], [0.5, 7]],
  ["clamp", [-2, -1, 0, 1, 2], [0, 1, 1, 1, 0], [-1, 1]],
  ["clamp", [-2, -1, 0, 1, 2], [0, 0, 0, 0, 0], [1, -1]],
  ["clamp", [0, 1, 2], [0, 1, 0], [1, 1]],
  ["clampMin", [-1, 0, 1], [0, 1, 1], [0]],
  ["clampMax", [-1, 0, 1], [1, 1, 0], [0]],
  ["abs", [-1, 0, 1], [-1, 0, 1]],
  ["softplus", [-1, 0, 20, 21], [0.2689414213699951, 0.5, 0.9999999979388464, 1]],
  ["logSigmoid", [-50, 0, 50], [1, 0.5, 1.9287498479639178e-22]],
  // Of the flat part and of the straight one, as PyTorch has it since 2.9.
  ["hardswish", [-4, -3, 0, 3, 4], [0, 0, 0.5, 1, 1]],
  ["sqrt", [0, 1], [inf, 0.5]],
  ["nanToNum", [1, nan, inf, -inf, 0], [1, 0, 0, 0, 1]],
  ["sinc", [-1, 0, 1], [1, 0, -1]],
  ["logit", [0, 0.1, 0.5, 0.9, 1], [0, 11.111111111111109, 4, 11.111111111111112, 0], [0.1]],
  ["pow", [0, 1, -1], [0, 0, 0], [0]],
  ["pow", [0, 1, -1], [1, 1, 1], [1]],
  ["pow", [0, 1], [inf, 0.5], [0.5]],
  ["entr", [0, 1], [inf, -1]],
  ["xlogy", [0, 1], [0, -inf], (x) => op("xlogy", x, list(0))],
  ["amax", [1, 1, 0], [0.5, 0.5, 0]],
  ["amin", [1, 0, 0], [0, 0.5, 0.5]],
  ["max", [1, 1, 0], [0.5, 0.5, 0]],
  ["min", [1, 0, 0], [0, 0.5, 0.5]],
  ["max along an axis", [1, 1, 0], [1, 0, 0], (x) => values(op("max", x, 0))],
  ["min along an axis", [1, 0, 0], [0, 1, 0], (x) => values(op("min", x, 0))],
  ["median", [1, 1, 0, 1], [0.3333333333333333, 0.3333333333333333, 0, 0.3333333333333333]],
  ["nanmedian", [1, nan, 0, 0], [0, 0, 0.5, 0.5]],
  ["median along an axis", [0, 1, 2], [0, 1, 0], (x) => values(op("median", x, 0))],
  ["prod", [0, 2, 3], [6, 0, 0]],
  ["prod", [0, 0, 3], [0, 0, 0]],
  ["cumprod", [2, 0, 3], [1, 8, 0], [0]],
  ["std", [1, 1, 1], [0, 0, 0]],
  ["cummax", [1, 1, 2, 2, 0], [1, 1, 1, 2, 0], (x) => values(op("cummax", x, 0))],
  ["cummin", [1, 1, 0, 0], [1, 1, 1, 1], (x) => values(op("cummin", x, 0))],
  ["vectorNorm", [0, 0, 0], [0, 0, 0], []],
  ["vectorNorm of order 1", [0, 1, -1], [0, 1, -1], (x) => op("vectorNorm", x, undefined, { ord: 1 })],
  ["vectorNorm of infinite order", [1, -1, 0.5], [0.5, -0.5, 0], (x) => op("vectorNorm", x, undefined, { ord: inf })],
  ["normalize", [0, 0, 0], [1000000000000, 1000000000000, 1000000000000], [2, 0]],
  ["l1Loss", [0, 1, -1], [0, 0.3333333333333333, -0.3333333333333333], (x) => op("l1Loss", x, list(0, 0, 0))],
  ["smoothL1Loss", [0, 1, -1, 2], [0, 0.25, -0.25, 0.25], (x) => op("smoothL1Loss", x, list(0, 0, 0, 0))],
  ["huberLoss", [0, 1, -1, 2], [0, 0.25, -0.25, 0.25], (x) => op("huberLoss", x, list(0, 0, 0, 0))],
  [
    "hingeEmbeddingLoss",
    [0, 1, -1, 2],
    [-0.25, -0.25, -0.25, 0],
    (x) => op("hingeEmbeddingLoss", x, list(-1, -1, -1, -1)),
  ],
  ["maximum", [-1, 0, 1], [0, 0.5, 1], (x) => op("maximum", x, list(0))],
  ["minimum", [-1, 0, 1], [1, 0.5, 0], (x) => op("minimum", x, list(0))],
  ["fmax", [-1, 0, 1], [0, 1, 1], (x) => op("fmax", x, list(0))],
  ["fmin", [-1, 0, 1], [1, 1, 0], (x) => op("fmin", x, list(0))],
  [
    "marginRankingLoss",
    [0, 1, -1],
    [-0.3333333333333333, 0, -0.3333333333333333],
    (x) => op("marginRankingLoss", x, list(0, 0, 0), list(1, 1, 1)),
  ],
  [
    "multiMarginLoss",
    [0.5, 0.5, -0.5],
    [-0.3333333333333333, 0.3333333333333333, 0],
    (x) => op("multiMarginLoss", x, tensor(0, { dtype: "int64" })),
  ],
  ["cosineSimilarity", [1, 0], [0, 0], (x) => op("cosineSimilarity", x, list(0, 0), { axis: 0 })],
  ["cdist", [0, 0], [0, 0], (x) => op("cdist", x.reshape(1, 2), list(0, 0).reshape(1, 2))],
  ["maxPool1d", [1, 1, 0, 0], [1, 0, 1, 0], (x) => op("maxPool1d", x.reshape(1, -1), 2)],
];

for (const [name, at, gradient, f = []] of rows)
  test(`${name} at [${at}]`, () => {
    const call = (x: Tensor): Tensor =>
      (typeof f === "function" ? f(x) : (ops[name] as (...args: unknown[]) => Tensor)(x, ...f)).sum() as Tensor;
    const x = list(...at).requiresGrad_() as Tensor;
    const [slope] = grad(call(x), [x]) as [Tensor];
    const actual = slope.toArray() as number[];
    for (const [k, expected] of gradient.entries())
      expect(actual[k], `element ${k} of [${actual}]`).toBeCloseTo(expected, 10);
    const direction = at.map((_, k) => Math.cos(k + 1));
    const { tangent } = jvp(call, x.detach() as Tensor, list(...direction));
    const product = actual.reduce((sum, each, k) => sum + each * (direction[k] as number), 0);
    if (Number.isNaN(product)) expect(tangent.item()).toBeNaN();
    else expect(Number(tangent.item())).toBeCloseTo(product, 10);
  });
