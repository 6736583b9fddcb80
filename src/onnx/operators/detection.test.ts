/** Regions and boxes: laws of pooling, and suppression by hand. */

import { type Tensor, tensor } from "stridewise";
import { expect, test } from "vitest";
import { distance, random, runOperator } from "../../../test/support/onnx-operators.ts";

const int64 = (...list: number[]): Tensor => tensor(list, { dtype: "int64" }) as Tensor;

test("the mean of a linear image in a region is its value at the centers of bins", () => {
  const image = Array.from({ length: 8 }, (_, y) => Array.from({ length: 8 }, (_, x) => 10 * y + x));
  const rois = tensor([[1, 1, 5, 5]]) as Tensor;
  const attributes = { output_height: 2, output_width: 2, sampling_ratio: 2 };
  const [y] = runOperator("RoiAlign", [tensor([[image]]) as Tensor, rois, int64(0)], attributes);
  expect(
    distance(
      y!,
      tensor([
        [
          [
            [16.5, 18.5],
            [36.5, 38.5],
          ],
        ],
      ]) as Tensor,
    ),
  ).toBeLessThan(1e-4);
  const [none] = runOperator(
    "RoiAlign",
    [tensor([[image]]) as Tensor, tensor([]).reshape([0, 4]) as Tensor, tensor([], { dtype: "int64" }) as Tensor],
    attributes,
  );
  expect(none!.shape).toEqual([0, 1, 2, 2]);
});

test("MaxRoiPool of the whole image is the maximum of its parts", () => {
  const x = random(2, 3, 4, 6);
  const rois = tensor([[1, 0, 0, 5, 3]]) as Tensor;
  const [y] = runOperator("MaxRoiPool", [x, rois], { pooled_shape: [2, 3] });
  const parts = x.narrow(0, 1, 1).reshape([1, 3, 2, 2, 3, 2]).amax([3, 5]) as Tensor;
  expect(distance(y!, parts)).toBe(0);
});

test("suppression keeps the best boxes of each class, up to a limit", () => {
  const boxes = tensor([
    [
      [0, 0, 2, 2],
      [0, 0, 2, 2.1],
      [5, 5, 6, 6],
    ],
  ]) as Tensor;
  const scores = tensor([
    [
      [0.5, 0.9, 0.7],
      [0.1, 0.2, 0.05],
    ],
  ]) as Tensor;
  const run = (limit: number, threshold = 0): unknown =>
    runOperator("NonMaxSuppression", [
      boxes,
      scores,
      int64(limit),
      tensor([0.5]) as Tensor,
      tensor([threshold]) as Tensor,
    ])[0]!.toArray();
  expect(run(9)).toEqual([
    [0, 0, 1],
    [0, 0, 2],
    [0, 1, 1],
    [0, 1, 2],
  ]);
  expect(run(1)).toEqual([
    [0, 0, 1],
    [0, 1, 1],
  ]);
  expect(run(9, 0.6)).toEqual([
    [0, 0, 1],
    [0, 0, 2],
  ]);
  expect(run(0)).toEqual([]);
});

test("regions with more samples than the limit throw an error", () => {
  const x = random(1, 1, 4, 4);
  const rois = tensor([[0, 0, 1e30, 2]]) as Tensor;
  expect(() => runOperator("RoiAlign", [x, rois, int64(0).reshape([1]) as Tensor], {}, { version: 16 })).toThrow(
    "the number of samples of a region must be an integer from 0 to 1048576",
  );
  const one = tensor([[0, 0, 0, 2, 2]]) as Tensor;
  expect(() => runOperator("MaxRoiPool", [x, one], { pooled_shape: [2 ** 30, 2 ** 30] })).toThrow(
    "pooled_shape must be",
  );
});
