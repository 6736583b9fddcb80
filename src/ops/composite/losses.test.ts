/** Losses against their definitions, element by element; reductions, ignored classes, errors, the meta device. */
import { empty, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { elementsIn } from "../../../test/support/strided-tensors.ts";
import { crossEntropy, nllLoss } from "./class-losses.ts";
import * as byElement from "./element-losses.ts";
import { multilabelMarginLoss, multilabelSoftMarginLoss, multiMarginLoss } from "./label-losses.ts";
import {
  cosineEmbeddingLoss,
  marginRankingLoss,
  tripletMarginLoss,
  tripletMarginWithDistanceLoss,
} from "./margin-losses.ts";
import { logSoftmax } from "./softmax.ts";

const floats = (data: never): Tensor => tensor(data, { dtype: "float64" }) as Tensor;
const ints = (data: never): Tensor => tensor(data, { dtype: "int64" }) as Tensor;
const xs = [-2.5, -0.4, 0.3, 1.7, 4];
const ys = [0.5, 0.25, 1, 0.75, 0.125];
const signs = [1, -1, -1, 1, -1];
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const entropy = (p: number, t: number): number => -(t * Math.log(p) + (1 - t) * Math.log(1 - p));

type Each = (x: number, t: number) => number;
const table: readonly (readonly [
  string,
  (x: Tensor, t: Tensor, options: never) => Tensor,
  object,
  number[],
  number[],
  Each,
])[] = [
  ["mseLoss", byElement.mseLoss, {}, xs, ys, (x, t) => (x - t) ** 2],
  ["l1Loss", byElement.l1Loss, {}, xs, ys, (x, t) => Math.abs(x - t)],
  [
    "smoothL1Loss",
    byElement.smoothL1Loss,
    { beta: 2 },
    xs,
    ys,
    (x, t) => {
      const d = Math.abs(x - t);
      return d < 2 ? (d * d) / 4 : d - 1;
    },
  ],
  [
    "huberLoss",
    byElement.huberLoss,
    { delta: 2 },
    xs,
    ys,
    (x, t) => {
      const d = Math.abs(x - t);
      return d <= 2 ? (d * d) / 2 : 2 * (d - 1);
    },
  ],
  ["softMarginLoss", byElement.softMarginLoss, {}, xs, signs, (x, t) => Math.log(1 + Math.exp(-t * x))],
  [
    "hingeEmbeddingLoss",
    byElement.hingeEmbeddingLoss,
    { margin: 0.5 },
    xs,
    signs,
    (x, t) => (t === 1 ? x : Math.max(0, 0.5 - x)),
  ],
  ["binaryCrossEntropy", byElement.binaryCrossEntropy, {}, ys.map((y) => y * 0.9), ys, entropy],
  [
    "binaryCrossEntropyWithLogits",
    byElement.binaryCrossEntropyWithLogits,
    {},
    xs,
    ys,
    (x, t) => entropy(sigmoid(x), t),
  ],
  ["poissonNllLoss", byElement.poissonNllLoss, {}, xs, ys, (x, t) => Math.exp(x) - t * x],
  ["klDiv", byElement.klDiv, {}, xs, ys, (x, t) => t * (Math.log(t) - x)],
  ["klDiv of logarithms", byElement.klDiv, { logTarget: true }, xs, ys, (x, t) => Math.exp(t) * (t - x)],
];

describe.each(table)("%s", (_, loss, options, x, target, each) => {
  test("is its formula, of which mean and sum are taken", () => {
    const values = x.map((value, i) => each(value, target[i] as number));
    const total = values.reduce((a, b) => a + b, 0);
    const call = (reduction: string): Tensor =>
      loss(floats(x as never), floats(target as never), { ...options, reduction } as never);
    const none = elementsIn(call("none")) as number[];
    for (const [i, value] of values.entries()) expect(none[i]).toBeCloseTo(value, 10);
    expect(call("sum").item()).toBeCloseTo(total, 10);
    expect(call("mean").item()).toBeCloseTo(total / 5, 10);
  });

  test("keeps to the meta device", () => {
    const far = empty([3, 5], { device: "meta" }) as Tensor;
    const result = loss(far, far, { ...options, reduction: "none" } as never);
    expect([result.device.type, result.shape]).toEqual(["meta", [3, 5]]);
  });
});

test("logits far from 0 lose nothing", () => {
  const x = floats([-1000, 1000, 800] as never);
  const loss = byElement.binaryCrossEntropyWithLogits(x, floats([0, 1, 0] as never), { reduction: "none" });
  expect(loss.toArray()).toEqual([0, 0, 800]);
});

test("gaussianNllLoss takes a variance for each element, each row, or all", () => {
  const [x, t] = [
    floats([
      [1, 2],
      [3, 5],
    ] as never),
    floats([
      [0, 2],
      [1, 1],
    ] as never),
  ];
  const each = (d: number, v: number): number => 0.5 * (Math.log(v) + (d * d) / v);
  const of = (variance: Tensor | number): unknown =>
    byElement.gaussianNllLoss(x, t, variance, { reduction: "sum" }).item();
  expect(of(floats([2, 4] as never))).toBeCloseTo(each(1, 2) + each(0, 2) + each(2, 4) + each(4, 4), 10);
  expect(of(2)).toBeCloseTo(each(1, 2) + each(0, 2) + each(2, 2) + each(4, 2), 10);
});

describe("classes", () => {
  const rows = [
    [1, 2, 0.5],
    [0.1, -1, 3],
    [2, 2, 2],
    [0, 5, 1],
  ];
  const x = floats(rows as never);
  const logs = logSoftmax(x, 1).toArray() as number[][];

  test("crossEntropy is nllLoss of logSoftmax, with weights and ignored targets", () => {
    const target = ints([2, 0, 1, -100] as never);
    const weight = floats([1, 2, 4] as never);
    const expected = [-4 * (logs[0]?.[2] as number), -(logs[1]?.[0] as number), -2 * (logs[2]?.[1] as number), 0];
    const none = crossEntropy(x, target, { weight, reduction: "none" }).toArray() as number[];
    for (const [i, value] of expected.entries()) expect(none[i]).toBeCloseTo(value, 10);
    const total = expected.reduce((a, b) => a + b, 0);
    expect(crossEntropy(x, target, { weight }).item()).toBeCloseTo(total / 7, 10);
    expect(nllLoss(logSoftmax(x, 1), target, { weight }).item()).toBeCloseTo(total / 7, 10);
    expect(crossEntropy(x, target, { ignoreIndex: -100, reduction: "sum", weight }).item()).toBeCloseTo(total, 10);
  });

  test("a smoothed class is the probabilities that it stands for", () => {
    const target = ints([2, 0, 1, 1] as never);
    const soft = [2, 0, 1, 1].map((c) => [0, 1, 2].map((k) => 0.1 + (k === c ? 0.7 : 0)));
    const smooth = crossEntropy(x, target, { labelSmoothing: 0.3 }).item();
    expect(smooth).toBeCloseTo(crossEntropy(x, floats(soft as never)).item() as number, 10);
  });

  test("each position of the axes after the class axis has its own loss", () => {
    const image = floats([
      [
        [1, 4],
        [2, 0],
      ],
    ] as never);
    const loss = crossEntropy(image, ints([[1, 0]] as never), { reduction: "none" });
    expect(loss.shape).toEqual([1, 2]);
    expect(loss.get(0, 1)).toBeCloseTo(Math.log(1 + Math.exp(-4)), 10);
  });

  test("multiMarginLoss counts classes that come too close", () => {
    const loss = multiMarginLoss(floats([[1, 3, 2.5]] as never), ints([1] as never), { reduction: "none", p: 2 });
    expect(loss.get(0)).toBeCloseTo(0.25 / 3, 10);
  });

  test("multilabelMarginLoss ends its labels at the first -1", () => {
    const scores = [0.1, 0.2, 0.4, 0.8];
    const loss = multilabelMarginLoss(floats(scores as never), ints([3, 0, -1, 1] as never)).item();
    const pairs = [
      [3, 1],
      [3, 2],
      [0, 1],
      [0, 2],
    ] as const;
    const expected = pairs.reduce(
      (sum, [y, i]) => sum + Math.max(0, 1 - ((scores[y] as number) - (scores[i] as number))),
      0,
    );
    expect(loss).toBeCloseTo(expected / 4, 10);
  });

  test("multilabelSoftMarginLoss is the mean of binary cross entropies", () => {
    const loss = multilabelSoftMarginLoss(floats([xs] as never), floats([[1, 0, 0, 1, 1]] as never)).item();
    const expected = xs.map((value, i) => entropy(sigmoid(value), [1, 0, 0, 1, 1][i] as number));
    expect(loss).toBeCloseTo(expected.reduce((a, b) => a + b, 0) / 5, 10);
  });
});

describe("pairs and triples", () => {
  const [a, b, c] = [[[3, 4]], [[0, 0]], [[0, 1]]].map((row) => floats(row as never)) as [Tensor, Tensor, Tensor];

  test("are judged by their margins", () => {
    expect(
      marginRankingLoss(floats([1, 5] as never), floats([2, 2] as never), floats([1, 1] as never), {
        margin: 1,
      }).item(),
    ).toBe(1);
    expect(cosineEmbeddingLoss(a, c, floats([1] as never)).item()).toBeCloseTo(0.2, 9);
    expect(cosineEmbeddingLoss(a, c, floats([-1] as never), { margin: 0.5 }).item()).toBeCloseTo(0.3, 9);
    const far = Math.hypot(3, 3);
    expect(tripletMarginLoss(a, b, c, { eps: 0 }).item()).toBeCloseTo(1 + 5 - far, 9);
    expect(tripletMarginLoss(a, b, c, { eps: 0, swap: true }).item()).toBeCloseTo(1 + 5 - 1, 9);
  });

  test("accept a user-defined distance", () => {
    const flat = (x: Tensor, y: Tensor): Tensor =>
      x
        .sub(y as never)
        .abs()
        .sum(-1) as Tensor;
    expect(tripletMarginWithDistanceLoss(a, b, c, { distanceFunction: flat, margin: 3 }).item()).toBe(3 + 7 - 6);
  });
});

test("invalid arguments throw with PyTorch's wording", () => {
  const x = empty([2, 3]) as Tensor;
  expect(
    refusals([
      () => byElement.mseLoss(x, x, { reduction: "all" as never }),
      () => byElement.huberLoss(x, x, { delta: 0 }),
      () => byElement.binaryCrossEntropy(x, empty([3]) as Tensor),
      () => byElement.l1Loss(x, empty([2]) as Tensor),
      () => crossEntropy(x, ints([0, 3] as never)),
      () => crossEntropy(x, ints([0] as never)),
      () => crossEntropy(x, empty([2]) as Tensor),
      () => nllLoss(x, ints([0, 1] as never), { weight: empty([2]) as Tensor }),
      () => nllLoss(x, empty([2]) as Tensor),
      () => multiMarginLoss(x, ints([0, 1] as never), { p: 3 }),
      () => multilabelMarginLoss(x, ints([0] as never)),
      () => tripletMarginLoss(x, x, x, { margin: -1 }),
      () => tripletMarginLoss(x, empty([3]) as Tensor, x),
      () => cosineEmbeddingLoss(x, x, x),
    ]),
  ).toMatchInlineSnapshot(`
    "StridewiseError: mseLoss: reduction must be "mean", "sum" or "none", got all
    StridewiseError: huberLoss: delta must be above 0, got 0
    ShapeError: binaryCrossEntropy: target and x must have the same shape, got [3] and [2, 3]
    ShapeError: l1Loss: the shapes [2, 3] and [2] do not broadcast: the sizes 3 and 2 at axis 1 must be equal, or one of them 1
    IndexError: crossEntropy: class 3 is out of bounds for 3 classes, 0 to 2
    ShapeError: crossEntropy: target must have shape [2] for x of shape [2, 3], got [1]
    DTypeError: crossEntropy: class indices must be integers, got float32 [2]. Convert it: to("int32"), or pass probabilities [2, 3]
    ShapeError: nllLoss: weight must have an element for each of 3 classes, got [2]
    DTypeError: nllLoss: class indices must be integers, got float32. Convert it: to("int32")
    StridewiseError: multiMarginLoss: p must be 1 or 2, got 3
    ShapeError: multilabelMarginLoss: target and x must have the same shape, got [1] and [2, 3]
    StridewiseError: tripletMarginLoss: margin must be above 0, got -1
    ShapeError: tripletMarginLoss: anchor, positive and negative must have the same number of axes, got 2, 1 and 2
    ShapeError: cosineEmbeddingLoss: a target with 2 axes requires inputs with 3, got [2, 3] and [2, 3]"
  `);
});
