/** Normalizations: versions and shapes that the cases of the onnx project do not have. */

import { type Tensor, tensor } from "stridewise";
import { expect, test } from "vitest";
import { distance, random, runOperator } from "../../../test/support/onnx-operators.ts";

test("softmax up to version 12 is over all axes from its axis on", () => {
  const x = random(2, 3, 4);
  for (const type of ["Softmax", "LogSoftmax"])
    for (const [axis, rows] of [
      [0, 1],
      [1, 2],
      [-1, 6],
    ] as const) {
      const [y] = runOperator(type, [x], { axis }, { version: 11 });
      const [flat] = runOperator(type, [x.reshape([rows, -1]) as Tensor], {}, { version: 13 });
      expect(distance(y!, flat!.reshape([2, 3, 4]) as Tensor)).toBeLessThan(1e-6);
    }
});

test.each([2, 3, 4])("LRN sums squares over a window of %i channels", (size) => {
  const x = random(1, 6, 2);
  const values = x.squeeze(0).toArray() as number[][];
  const expected = values.map((row, c) =>
    row.map((value, at) => {
      let sum = 0;
      for (let k = c - Math.floor((size - 1) / 2); k <= c + Math.ceil((size - 1) / 2); k++)
        sum += (values[k]?.[at] ?? 0) ** 2;
      return value / (1 + (0.5 / size) * sum) ** 0.75;
    }),
  );
  expect(distance(runOperator("LRN", [x], { size, alpha: 0.5 })[0]!, tensor([expected]) as Tensor)).toBeLessThan(1e-6);
});

test("group normalization has parameters of groups in version 18, and of channels in version 21", () => {
  const [x, scale, bias] = [random(2, 6, 4), random(3), random(3)];
  const [y] = runOperator("GroupNormalization", [x, scale, bias], { num_groups: 3 }, { version: 18 });
  const wide = [scale, bias].map((t) => t.repeatInterleave(2) as Tensor);
  expect(distance(y!, runOperator("GroupNormalization", [x, ...wide], { num_groups: 3 }, { version: 21 })[0]!)).toBe(0);
});

test("batch normalization in training returns moved statistics; up to version 13 also the own ones", () => {
  const x = random(5, 3, 4);
  const [scale, bias, mean, variance] = [random(3), random(3), random(3), random(3).abs()] as Tensor[];
  const inputs = [x, scale!, bias!, mean!, variance!];
  const results = runOperator(
    "BatchNormalization",
    inputs,
    { training_mode: 1, momentum: 0.25 },
    { version: 15, outputs: 3 },
  );
  const old = runOperator("BatchNormalization", inputs, { momentum: 0.25 }, { version: 9, outputs: 5 });
  const own = x.mean([0, 2]) as Tensor;
  expect(distance(results[1]!, mean!.mul(0.25).add(own.mul(0.75)) as Tensor)).toBeLessThan(1e-6);
  expect(results.map((t, k) => distance(t, old[k]!))).toEqual([0, 0, 0]);
  expect(distance(old[3]!, own)).toBeLessThan(1e-6);
  const [y] = runOperator("BatchNormalization", [x, scale!, bias!, own, old[4]!], {}, { version: 15 });
  expect(distance(y!, results[0]!)).toBeLessThan(1e-5);
});

test("parameters of layer normalization broadcast", () => {
  const [x, scale] = [random(2, 3, 4), random(4)];
  const whole = scale.expand([3, 4]) as Tensor;
  for (const type of ["LayerNormalization", "RMSNormalization"])
    expect(
      distance(runOperator(type, [x, scale], { axis: 1 })[0]!, runOperator(type, [x, whole], { axis: 1 })[0]!),
    ).toBeLessThan(1e-6);
});

test("the statistics of layer normalization have the type of stash_type", () => {
  const x = random(2, 3).to("float64") as Tensor;
  const [scale] = [tensor([1, 1, 1], { dtype: "float64" }) as Tensor];
  const typesOf = (attributes: Record<string, number>): unknown =>
    runOperator("LayerNormalization", [x, scale], attributes, { outputs: 3 }).map(({ dtype }) => dtype);
  expect(typesOf({})).toEqual(["float64", "float32", "float32"]);
  expect(typesOf({ stash_type: 11 })).toEqual(["float64", "float64", "float64"]);
});
