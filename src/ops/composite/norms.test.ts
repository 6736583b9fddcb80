/** Normalizations against their definitions: layouts, running statistics, half precision, out, the meta device, errors. */
import { empty, range, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { dice } from "../../../test/support/operands.ts";
import { refusals } from "../../../test/support/refusals.ts";
import { elementsIn, stridedTensor } from "../../../test/support/strided-tensors.ts";
import { batchNorm, instanceNorm } from "./channel-norms.ts";
import { localResponseNorm, normalize, renorm } from "./length-norms.ts";
import { groupNorm, layerNorm, rmsNorm } from "./norms.ts";

const numbers = (t: Tensor): number[] => elementsIn(t) as number[];
const meanOf = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;
const spreadOf = (list: readonly number[]): number => meanOf(list.map((x) => (x - meanOf(list)) ** 2));

function expectClose(ours: Tensor, expected: readonly number[], digits = 5): void {
  const list = numbers(ours);
  expect(list.length).toBe(expected.length);
  for (const [i, value] of list.entries()) expect(value, `at ${i}`).toBeCloseTo(expected[i] as number, digits);
}

describe("layerNorm and rmsNorm", () => {
  test("bring the last axes to mean 0 and variance 1, or mean square 1, in any layout", () => {
    const roll = dice(1);
    for (let round = 0; round < 8; round++) {
      const shape = [roll(1, 4), roll(1, 5), roll(2, 6)];
      const last = shape.slice(-roll(1, 2));
      const length = last.reduce((a, b) => a * b, 1);
      const x = stridedTensor(roll, shape, "float64");
      const weight = stridedTensor(roll, last, "float64");
      const bias = stridedTensor(roll, last, "float64");
      const [values, factors, shifts] = [x, weight, bias].map(numbers) as [number[], number[], number[]];
      const rows = Array.from({ length: values.length / length }, (_, r) => values.slice(r * length, (r + 1) * length));
      const standard = rows.flatMap((row) => row.map((v) => (v - meanOf(row)) / Math.sqrt(spreadOf(row) + 0.1)));
      expectClose(
        layerNorm(x, last, weight, bias, { eps: 0.1 }),
        standard.map((v, i) => v * (factors[i % length] as number) + (shifts[i % length] as number)),
      );
      expectClose(layerNorm(x, last, null, null, { eps: 0.1 }), standard);
      expectClose(
        rmsNorm(x, last, weight, { eps: 0.1 }),
        rows.flatMap((row) =>
          row.map((v, i) => (v / Math.sqrt(meanOf(row.map((u) => u * u)) + 0.1)) * (factors[i] as number)),
        ),
      );
    }
  });

  test("lose nothing where elements are far from 0 and close to each other", () => {
    const x = tensor([16777215, 16777216, 16777214, 16777215]);
    const near = tensor([0, 1, -1, 0]);
    expectClose(layerNorm(x, [4]), numbers(layerNorm(near, [4])), 6);
  });

  test("compute halves in float32 and give them back rounded once", () => {
    const x = tensor([1, 2, 4, 9], { dtype: "float16" });
    const wide = layerNorm(x.to("float32"), [4]).to("float16");
    expect(layerNorm(x, [4]).toArray()).toEqual(wide.toArray());
  });

  test("write to out, and know shapes on the meta device", () => {
    const x = tensor([
      [1, 2, 3],
      [5, 8, 13],
    ]);
    const out = empty([2, 3], { dtype: "float64" });
    layerNorm(x, [3], null, null, { out });
    expectClose(out as Tensor, numbers(layerNorm(x, [3])));
    const far = layerNorm(empty([2, 3], { device: "meta" }), [3]);
    expect([far.device.type, far.shape, far.dtype]).toEqual(["meta", [2, 3], "float32"]);
  });
});

describe("channels", () => {
  const x = stridedTensor(dice(4), [3, 4, 2, 2], "float64");
  const channel = (t: Tensor, c: number): number[] => numbers(t.select(1, c) as Tensor);

  test("groupNorm with as many groups as channels is instanceNorm, with one group layerNorm of a sample", () => {
    expectClose(groupNorm(x, 4), numbers(instanceNorm(x)));
    expectClose(groupNorm(x, 1), numbers(layerNorm(x, [4, 2, 2])));
  });

  test("batchNorm in training gives every channel mean 0 and variance 1, and moves the running values", () => {
    const runningMean = tensor([0, 0, 0, 0], { dtype: "float64" });
    const runningVar = tensor([1, 1, 1, 1], { dtype: "float64" });
    const result = batchNorm(x, { training: true, runningMean, runningVar, momentum: 0.25, eps: 0 });
    for (let c = 0; c < 4; c++) {
      const [before, after] = [channel(x, c), channel(result, c)];
      expect(meanOf(after)).toBeCloseTo(0, 10);
      expect(spreadOf(after)).toBeCloseTo(1, 10);
      expect(runningMean.get(c)).toBeCloseTo(0.25 * meanOf(before), 8);
      expect(runningVar.get(c)).toBeCloseTo(0.75 + (0.25 * spreadOf(before) * 12) / 11, 8);
    }
  });

  test("batchNorm without training uses the running values and leaves them", () => {
    const runningMean = tensor([1, 2, 3, 4], { dtype: "float64" });
    const runningVar = tensor([4, 4, 9, 9], { dtype: "float64" });
    const weight = tensor([1, 2, 3, 4], { dtype: "float64" });
    const result = batchNorm(x, { runningMean, runningVar, weight, eps: 0 });
    for (let c = 0; c < 4; c++)
      expectClose(
        result.select(1, c) as Tensor,
        channel(x, c).map((v) => ((v - (c + 1)) / (c < 2 ? 2 : 3)) * (c + 1)),
      );
    expect(runningMean.toArray()).toEqual([1, 2, 3, 4]);
  });
});

test("normalize divides vectors by their norm, and by eps at least", () => {
  const x = tensor([
    [3, 4],
    [0, 0],
    [5, -12],
  ]);
  expectClose(normalize(x), [0.6, 0.8, 0, 0, 5 / 13, -12 / 13]);
  expectClose(normalize(x, 1, 0), [3 / 8, 4 / 16, 0, 0, 5 / 8, -12 / 16]);
});

test("renorm scales down long rows and keeps the others", () => {
  const x = tensor([
    [3, 4],
    [0.3, 0.4],
  ]);
  expectClose(renorm(x, 2, 0, 1), [0.6, 0.8, 0.3, 0.4]);
  expectClose(x.at(range(0, 2)) as Tensor, [3, 4, 0.3, 0.4]);
});

test("localResponseNorm divides by the squares of the channels around", () => {
  const values = [1, 2, 3, 4, 5];
  const result = localResponseNorm(tensor(values).reshape(1, 5, 1), 3, { alpha: 0.3, beta: 2, k: 1 });
  expectClose(
    result,
    values.map((v, c) => {
      const around = values.filter((_, d) => Math.abs(d - c) <= 1).reduce((sum, u) => sum + u * u, 0);
      return v / (1 + 0.1 * around) ** 2;
    }),
  );
});

test("invalid arguments throw with PyTorch's wording", () => {
  const x = empty([2, 3]);
  expect(
    refusals([
      () => layerNorm(x, [2]),
      () => layerNorm(x, [3], empty([2])),
      () => layerNorm(tensor([[1, 2]], { dtype: "int32" }), [2]),
      () => groupNorm(x, 2),
      () => batchNorm(x),
      () => batchNorm(empty([1, 3]), { training: true }),
      () => batchNorm(x, { runningMean: empty([2]), runningVar: empty([3]) }),
      () => renorm(empty([3]), 2, 0, 1),
      () => localResponseNorm(x, 2),
    ]),
  ).toMatchInlineSnapshot(`
    "ShapeError: layerNorm: x must have shape [*, 2], got [2, 3]
    ShapeError: layerNorm: weight must have shape [3], got [2]
    DTypeError: layerNorm: not implemented for 'int32'. Convert it: to("float32")
    ShapeError: groupNorm: the number of channels must be divisible by groups, got shape [2, 3] and 2 groups
    StridewiseError: batchNorm: runningMean and runningVar are required if training is false
    ShapeError: batchNorm: training requires more than one element per channel, got [1, 3]
    ShapeError: batchNorm: runningMean must have an element for each of 3 channels of [2, 3], got 2
    ShapeError: renorm: x must have at least 2 axes, got 1. Add one: unsqueeze(0)
    ShapeError: localResponseNorm: x must have at least 3 axes, got shape [2, 3]"
  `);
});
