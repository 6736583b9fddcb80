/** Random ops: moments of each distribution, independence of layout and dtype, the ranges of integer dtypes, and errors. */
import { empty, full, gamma, ones, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { to } from "../../tensor/clone.ts";
import { Generator } from "../../tensor/create/generator.ts";
import { mean, variance } from "../reduce/reduce.ts";
import { binomial, normal, poisson, sampleBeta, sampleDirichlet, standardGamma } from "./distributions.ts";
import { bernoulli, multinomial } from "./draws.ts";
import * as inPlace from "./in-place.ts";

const seeded = (seed = 1): { generator: Generator } => ({ generator: new Generator(seed) });
const count = 40_000;
const wide = (): Tensor => empty([count], { dtype: "float64" });
const all = (value: number): Tensor => full([count], value, { dtype: "float64" });

const moments: readonly [name: string, draw: () => Tensor, mean: number, variance: number][] = [
  ["uniform_", () => inPlace.uniform_(wide(), -1, 3, seeded()), 1, 16 / 12],
  ["normal_", () => inPlace.normal_(wide(), 2, 3, seeded()), 2, 9],
  [
    "logNormal_",
    () => inPlace.logNormal_(wide(), 0, 0.5, seeded()),
    Math.exp(1 / 8),
    (Math.exp(0.25) - 1) * Math.exp(0.25),
  ],
  ["exponential_", () => inPlace.exponential_(wide(), 4, seeded()), 0.25, 1 / 16],
  ["geometric_", () => inPlace.geometric_(wide(), 0.25, seeded()), 4, 12],
  ["bernoulli_", () => inPlace.bernoulli_(wide(), 0.3, seeded()), 0.3, 0.21],
  ["bernoulli_ of a tensor", () => inPlace.bernoulli_(wide(), all(0.3), seeded()), 0.3, 0.21],
  ["random_", () => inPlace.random_(wide(), -3, 4, seeded()), 0, 4],
  ["bernoulli", () => bernoulli(all(0.7), null, seeded()), 0.7, 0.21],
  ["bernoulli with p", () => bernoulli(all(5), 0.7, seeded()), 0.7, 0.21],
  ["poisson", () => poisson(all(20), seeded()), 20, 20],
  ["binomial", () => binomial(all(50), 0.2, seeded()), 10, 8],
  ["standardGamma", () => standardGamma(all(2.5), seeded()), 2.5, 2.5],
  ["gamma", () => gamma([count], 2.5, 2, seeded()), 5, 10],
  ["sampleBeta", () => sampleBeta(all(2), all(3), seeded()), 0.4, 0.04],
  ["sampleDirichlet", () => sampleDirichlet(full([count / 4, 4], 1, { dtype: "float64" }), seeded()), 0.25, 3 / 80],
  ["normal of tensors", () => normal(all(1), all(2), seeded()), 1, 4],
  ["normal of numbers", () => normal(1, 2, [count], { dtype: "float64", ...seeded() }), 1, 4],
  ["normal of a number and a tensor", () => normal(1, all(2), seeded()), 1, 4],
];

test.each(moments)("%s has its mean and variance", (_, draw, expectedMean, expectedVariance) => {
  const values = draw();
  const deviation = Math.sqrt(expectedVariance / count);
  expect(Math.abs(Number(mean(values).item()) - expectedMean)).toBeLessThan(5 * deviation);
  expect(Math.abs(Number(variance(values).item()) / expectedVariance - 1)).toBeLessThan(0.1);
});

test("half of cauchy_ lies within its width of the median", () => {
  const values = inPlace.cauchy_(wide(), 1, 2, seeded()).toArray() as number[];
  const inside = values.filter((value) => Math.abs(value - 1) < 2).length;
  expect(Math.abs(inside / count - 0.5)).toBeLessThan(0.02);
});

describe("a draw depends on the generator alone", () => {
  test("not on the layout", () => {
    const dense = inPlace.normal_(empty([3, 4]), 0, 1, seeded());
    const turned = inPlace.normal_(empty([4, 3]).mT, 0, 1, seeded());
    expect(turned.toArray()).toEqual(dense.toArray());
  });

  test("and the next draw is another one", () => {
    const { generator } = seeded();
    const first = inPlace.uniform_(empty([8]), 0, 1, { generator });
    const second = inPlace.uniform_(empty([8]), 0, 1, { generator });
    expect(second.toArray()).not.toEqual(first.toArray());
    expect(inPlace.uniform_(empty([8]), 0, 1, seeded()).toArray()).toEqual(first.toArray());
    expect(generator.offset).toBe(2);
  });

  test("and dtypes that are narrow or integers get its rounded values", () => {
    const half = inPlace.uniform_(empty([2000], { dtype: "bfloat16" }), 0, 1, seeded());
    expect(Math.max(...(half.toArray() as number[]))).toBeLessThan(1);
    const wideCounts = inPlace.geometric_(empty([64], { dtype: "float64" }), 0.1, seeded());
    expect(inPlace.geometric_(empty([64], { dtype: "int64" }), 0.1, seeded()).toArray()).toEqual(
      to(wideCounts, "int64").toArray(),
    );
    expect(new Set(inPlace.bernoulli_(empty([64], { dtype: "bool" }), 0.5, seeded()).toArray() as boolean[])).toEqual(
      new Set([true, false]),
    );
  });
});

test("a complex normal number has its variance half in each part", () => {
  const values = inPlace.normal_(empty([count], { dtype: "complex64" }), 3, 2, seeded());
  const parts = values.viewAsReal();
  expect(Number(mean(parts.select(1, 0)).item())).toBeCloseTo(3, 1);
  expect(Number(mean(parts.select(1, 1)).item())).toBeCloseTo(0, 1);
  for (const k of [0, 1]) expect(Math.abs(Number(variance(parts.select(1, k)).item()) - 2)).toBeLessThan(0.1);
});

test("random_ without bounds gives all integers that the dtype holds", () => {
  const bytes = inPlace.random_(empty([2000], { dtype: "uint8" }), null, null, seeded()).toArray() as number[];
  expect([Math.min(...bytes), Math.max(...bytes)]).toEqual([0, 255]);
  expect(inPlace.random_(empty([4], { dtype: "int64" }), 5, null, seeded()).toArray()).toEqual(
    inPlace.random_(empty([4], { dtype: "int64" }), 0, 5, seeded()).toArray(),
  );
  const long = inPlace.random_(empty([100], { dtype: "int64" }), null, null, seeded());
  expect(Number(long.to("float64").max().item())).toBeGreaterThan(2 ** 61);
});

test("multinomial draws by weight, each place once unless replaced", () => {
  const weights = tensor([0, 1, 3]).to("float64");
  const many = multinomial(weights, count, true, seeded()).to("float64");
  expect(Number(mean(many).item())).toBeCloseTo(1.75, 1);
  for (let seed = 0; seed < 20; seed++)
    expect(
      [
        ...(multinomial(ones([2, 5]), 5, false, seeded(seed))
          .at(1)
          .toArray() as number[]),
      ].sort(),
    ).toEqual([0, 1, 2, 3, 4]);
  const out = zeros([4], { dtype: "int64" });
  expect(multinomial(weights, 4, true, { out, ...seeded() })).toBe(out);
});

test("sampleDirichlet sums to 1 along the last axis", () => {
  const sums = sampleDirichlet(full([5, 3], 0.1, { dtype: "float64" }), seeded())
    .sum(1)
    .toArray() as number[];
  for (const sum of sums) expect(sum).toBeCloseTo(1, 12);
});

test("on the meta device nothing is drawn", () => {
  const { generator } = seeded();
  const x = empty([2, 3], { device: "meta" });
  expect(inPlace.normal_(x, 0, 1, { generator })).toBe(x);
  expect(multinomial(x, 2, false, { generator }).shape).toEqual([2, 2]);
  expect(bernoulli(x, null, { generator }).device.type).toBe("meta");
  expect(generator.offset).toBe(0);
});

test("filling counts as a change, and refused parameters change nothing", () => {
  const x = zeros([3]);
  const before = x.version;
  inPlace.normal_(x);
  expect(x.version).toBe(before + 1);
  const y = zeros([3]);
  expect(() => inPlace.bernoulli_(y, tensor([0.5, 2, 0.5]))).toThrow("bernoulli_: p must be in [0, 1], got 2");
  expect([y.toArray(), y.version]).toEqual([[0, 0, 0], 0]);
});

test("invalid arguments throw", () => {
  const x = ones([2]);
  const int = ones([2], { dtype: "int64" });
  expect(
    refusals([
      () => inPlace.cauchy_(x, 0, 0),
      () => inPlace.logNormal_(x, 0, 0),
      () => inPlace.normal_(x, 0, -1),
      () => inPlace.exponential_(x, -1),
      () => inPlace.geometric_(x, 1),
      () => inPlace.uniform_(x, 1, 0),
      () => inPlace.exponential_(int),
      () => inPlace.random_(x, 3, 3),
      () => inPlace.random_(ones([2], { dtype: "uint8" }), 0, 300),
      () => inPlace.normal_(ones([1]).expand(4)),
      () => bernoulli(ones([2]).mul(2)),
      () => bernoulli(int),
      () => poisson(tensor([-1])),
      () => binomial(tensor([1.5]), 0.5),
      () => normal(x, tensor([-1, 1])),
      () => standardGamma(zeros([1])),
      () => multinomial(ones([1, 2, 3]), 2),
      () => multinomial(int, 2),
      () => multinomial(x, 0),
      () => multinomial(x, 3),
      () => multinomial(tensor([1, -1]), 1),
      () => multinomial(tensor([0, 0]), 1),
      () => multinomial(tensor([1, 0]), 2),
    ]),
  ).toMatchInlineSnapshot(`
    "StridewiseError: cauchy_: sigma must be above 0, got 0
    StridewiseError: logNormal_: std must be above 0, got 0
    StridewiseError: normal_: std must be at least 0, got -1
    StridewiseError: exponential_: lambd must be above 0, got -1
    StridewiseError: geometric_: p must be in (0, 1), got 1
    StridewiseError: uniform_: from and to must be finite and from <= to, got 1 and 0
    DTypeError: exponential_: dtype must be floating point, got int64. Convert it: to("float32")
    StridewiseError: random_: from must be less than to, got 3 and 3
    StridewiseError: random_: [0, 300) is out of range for uint8, which holds integers from 0 to 255
    WriteError: normal_: unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.
    StridewiseError: bernoulli: probabilities must be in [0, 1], got 2
    DTypeError: bernoulli: dtype must be floating point, got int64. Convert it: to("float32")
    StridewiseError: poisson: rate must be at least 0, got -1
    StridewiseError: binomial: count must be a non-negative integer, got 1.5
    StridewiseError: normal: std must be at least 0, got -1
    StridewiseError: standardGamma: alpha must be above 0, got 0
    ShapeError: multinomial: x must have 1 or 2 axes, got shape [1, 2, 3]
    DTypeError: multinomial: not implemented for 'int64'. Convert it: to("float32")
    StridewiseError: multinomial: numSamples must be a positive integer, got 0
    StridewiseError: multinomial: cannot sample 3 of 2 without replacement
    StridewiseError: multinomial: the probabilities in row 0 must be finite and at least 0, got -1
    StridewiseError: multinomial: the probabilities in row 0 must not all be 0
    StridewiseError: multinomial: cannot sample 2 without replacement: the number of probabilities above 0 in row 0 is 1"
  `);
});

test("gamma has the given shape, dtype and device, and throws for parameters that are not positive", () => {
  const t = gamma([2, 3], 0.5, 1, { dtype: "float64", device: "meta" });
  expect([t.shape, t.dtype, t.device.type]).toEqual([[2, 3], "float64", "meta"]);
  expect(gamma([4], 3, 2, seeded()).toArray()).toEqual(gamma([4], 3, 1, seeded()).mul(2).toArray());
  expect(() => gamma([1], 0)).toThrow("gamma: alpha must be above 0, got 0");
  expect(() => gamma([1], undefined as never)).toThrow("gamma: alpha must be above 0, got nothing");
  expect(() => gamma([1], 1, -2)).toThrow("gamma: scale must be above 0, got -2");
});
