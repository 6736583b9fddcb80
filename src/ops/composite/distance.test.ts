/** Distances against the definition: norms, batches, many rows by a product, in parts; linear layers; dropout. */
import { cosineEmbeddingLoss, empty, grad, manualSeed, ones, randn, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { coordsOf, elementAt, elementsIn } from "../../../test/support/strided-tensors.ts";
import { cdist, cosineSimilarity, pairwiseDistance, pdist } from "./distance.ts";
import { alphaDropout, dropout, dropout2d, featureAlphaDropout } from "./dropout.ts";
import { bilinear, linear } from "./linear.ts";

const random = (...shape: number[]): Tensor => randn(shape, { dtype: "float64" }) as Tensor;
const normOf = (list: readonly number[], p: number): number => {
  const lengths = list.map(Math.abs);
  if (p === 0) return lengths.filter((x) => x !== 0).length;
  return p === Number.POSITIVE_INFINITY ? Math.max(...lengths) : lengths.reduce((sum, x) => sum + x ** p, 0) ** (1 / p);
};
const rowOf = (t: Tensor, ...at: number[]): number[] =>
  elementsIn(at.reduce((part, i) => part.select(0, i) as Tensor, t)) as number[];
const apart = (a: readonly number[], b: readonly number[], p: number): number =>
  normOf(
    a.map((x, i) => x - (b[i] as number)),
    p,
  );

describe("cosineSimilarity of operands that are broadcast", () => {
  test.each([
    [[2, 3], [2, 1], 1],
    [[2, 1], [2, 3], 1],
    [[2, 3], [3], 0],
    [[3], [2, 3], -2],
    [[2, 1, 3], [4, 1], 1],
    [[1, 3], [2, 1], 0],
    [[2, 3], [], -1],
  ])("%j and %j along axis %i is that of the expanded ones, gradients too", (shape, other, axis) => {
    manualSeed(5);
    const [x, y] = [random(...shape).requiresGrad_(), random(...other).requiresGrad_()] as [Tensor, Tensor];
    const whole = [...x.add(y as never).shape];
    const [result, expected] = [
      cosineSimilarity(x, y, { axis }),
      cosineSimilarity(x.expand(...whole) as Tensor, y.expand(...whole) as Tensor, { axis }),
    ];
    expect(result.shape).toEqual(expected.shape);
    expect(result.allclose(expected)).toBe(true);
    const [slopes, expectedSlopes] = [grad(result.sum(), [x, y]), grad(expected.sum(), [x, y])] as [Tensor[], Tensor[]];
    for (const [k, slope] of slopes.entries()) expect(slope.allclose(expectedSlopes[k] as Tensor)).toBe(true);
  });

  test("cosineEmbeddingLoss takes one target for all", () => {
    const [x, y] = [
      tensor([
        [1, 0],
        [1, 1],
      ]),
      tensor([
        [1, 0],
        [1, -1],
      ]),
    ] as [Tensor, Tensor];
    expect(cosineEmbeddingLoss(x, y, tensor([1]) as Tensor).item()).toBeCloseTo(0.5, 6);
  });
});

describe("cdist", () => {
  test.each([0, 0.5, 1, 2, 3, Number.POSITIVE_INFINITY])(
    "has the distance of each pair of rows by the %s-norm",
    (p) => {
      manualSeed(3);
      const [x, y] = [random(2, 3, 4), random(5, 4)];
      const result = cdist(x, y, p);
      for (const [b, i, j] of coordsOf([2, 3, 5]) as [number, number, number][])
        expect(elementAt(result, [b, i, j])).toBeCloseTo(apart(rowOf(x, b, i), rowOf(y, j), p), 9);
    },
  );

  test("of many rows comes from a product, and is the same to rounding", () => {
    const [x, y] = [random(30, 6), random(26, 6)];
    const [byProduct, plain] = [cdist(x, y), cdist(x, y, 2, { computeMode: "donot_use_mm_for_euclid_dist" })];
    const [a, b] = [elementsIn(byProduct), elementsIn(plain)] as [number[], number[]];
    for (const [i, value] of a.entries()) expect(value).toBeCloseTo(b[i] as number, 7);
  });

  test("is made in parts where all differences are too many", () => {
    const [x, y] = [random(40, 700), random(300, 700)];
    const result = cdist(x, y, 1);
    for (const [i, j] of [
      [0, 0],
      [19, 299],
      [20, 0],
      [39, 150],
    ] as const)
      expect(elementAt(result, [i, j])).toBeCloseTo(apart(rowOf(x, i), rowOf(y, j), 1), 8);
  });
});

test("pdist has each pair of rows once, in order", () => {
  const x = random(4, 3);
  const pairs = [
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 2],
    [1, 3],
    [2, 3],
  ] as const;
  const result = elementsIn(pdist(x, 3)) as number[];
  for (const [k, [i, j]] of pairs.entries()) expect(result[k]).toBeCloseTo(apart(rowOf(x, i), rowOf(x, j), 3), 10);
});

test("pairwiseDistance and cosineSimilarity go along an axis of both", () => {
  const [x, y] = [
    tensor([
      [3, 4],
      [1, 0],
    ]),
    tensor([
      [0, 0],
      [1, 1],
    ]),
  ];
  expect(pairwiseDistance(x, y, { eps: 0 }).toArray()).toEqual([5, 1]);
  expect(pairwiseDistance(x, y, { eps: 0, keepdims: true }).shape).toEqual([2, 1]);
  const angles = cosineSimilarity(
    tensor([
      [3, 4],
      [0, 0],
    ]),
    tensor([[4, 3]]),
  ).toArray() as number[];
  expect(angles[0]).toBeCloseTo(24 / 25, 6);
  expect(angles[1]).toBe(0);
});

test("linear multiplies with the transposed weight, bilinear sums over all pairs", () => {
  expect(
    linear(
      tensor([[1, 2]]),
      tensor([
        [3, 4],
        [5, 6],
        [7, 8],
      ]),
      tensor([10, 20, 30]),
    ).toArray(),
  ).toEqual([[21, 37, 53]]);
  const [x, y, w, b] = [random(2, 3), random(2, 4), random(5, 3, 4), random(5)];
  const result = bilinear(x, y, w, b);
  for (const [n, o] of coordsOf([2, 5]) as [number, number][]) {
    let sum = elementAt(b, [o]) as number;
    for (const [i, j] of coordsOf([3, 4]) as [number, number][])
      sum += (elementAt(x, [n, i]) as number) * (elementAt(w, [o, i, j]) as number) * (elementAt(y, [n, j]) as number);
    expect(elementAt(result, [n, o])).toBeCloseTo(sum, 10);
  }
});

describe("dropout", () => {
  const x = ones([200, 50]) as Tensor;
  const share = (t: Tensor, isWanted: (value: number) => boolean): number =>
    (elementsIn(t) as number[]).filter(isWanted).length / t.size;

  test("drops about a share p, and scales the others to the same mean", () => {
    manualSeed(7);
    const result = dropout(x, 0.2) as Tensor;
    expect(share(result, (value) => value === 0)).toBeCloseTo(0.2, 1);
    expect(share(result, (value) => value === 0 || value === 1.25)).toBe(1);
  });

  test("of channels drops them as a whole", () => {
    manualSeed(8);
    const result = dropout2d(ones([4, 8, 3, 3]) as Tensor, 0.5) as Tensor;
    const channels = coordsOf([4, 8]).map((at) => new Set(rowOf(result, ...at)));
    expect(channels.every((values) => values.size === 1)).toBe(true);
    expect(new Set(channels.flatMap((values) => [...values]))).toEqual(new Set([0, 2]));
  });

  test("with alpha keeps mean and variance of normal numbers", () => {
    manualSeed(9);
    const result = elementsIn(alphaDropout(randn([20000]) as Tensor, 0.3, { training: true })) as number[];
    const mean = result.reduce((a, b) => a + b, 0) / result.length;
    expect(mean).toBeCloseTo(0, 1);
    expect(result.reduce((sum, v) => sum + (v - mean) ** 2, 0) / result.length).toBeCloseTo(1, 1);
  });

  test("without training is the tensor as it is, and with p = 1 nothing is left", () => {
    expect(dropout(x, 0.5, { training: false }).toArray()).toEqual(x.toArray());
    expect(alphaDropout(x).toArray()).toEqual(x.toArray());
    expect(share(dropout(x, 1) as Tensor, (value) => value === 0)).toBe(1);
    expect(dropout(empty([2], { device: "meta" })).device.type).toBe("meta");
  });
});

test("invalid arguments throw with PyTorch's wording", () => {
  const x = empty([2, 3]) as Tensor;
  expect(
    refusals([
      () => cdist(x, empty([2, 4]) as Tensor),
      () => cdist(empty([3]) as Tensor, x),
      () => cdist(x, x, -1),
      () => pdist(empty([2, 2, 2]) as Tensor),
      () => cosineSimilarity(tensor([1], { dtype: "int64" }), tensor([1], { dtype: "int64" }), { axis: 0 }),
      () => dropout(x, 2),
      () => featureAlphaDropout(empty([3]) as Tensor, 0.5, { training: true }),
      () => bilinear(x, x, empty([1, 3, 2]) as Tensor),
    ]),
  ).toMatchInlineSnapshot(`
    "ShapeError: cdist: both tensors must have the same number of columns, got 3 and 4
    ShapeError: cdist: x and other must have at least 2 axes, got 1
    StridewiseError: cdist: p must be at least 0, got -1
    ShapeError: pdist: x must have 2 axes, got shape [2, 2, 2]
    DTypeError: cosineSimilarity: not implemented for 'int64'. Convert it: to("float32")
    StridewiseError: dropout: p must be from 0 to 1, got 2
    ShapeError: featureAlphaDropout: x must have at least 2 axes, got shape [3]
    ShapeError: bilinear: inputs [*, n] and [*, m] require a weight [outputs, n, m], got [2, 3], [2, 3] and [1, 3, 2]"
  `);
});
