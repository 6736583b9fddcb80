/** Fourier transforms: inverses, one-sided transforms, and versions. */

import { type Tensor, tensor } from "stridewise";
import { expect, test } from "vitest";
import { distance, random, runOperator } from "../../../test/support/onnx-operators.ts";

const int64 = (value: number): Tensor => tensor(value, { dtype: "int64" }) as Tensor;

test.each([1, 2, -2, -3])("the inverse of the transform along axis %i is the input", (axis) => {
  const x = random(3, 6, 5, 2);
  const [y] = runOperator("DFT", [x, null, int64(axis)], {}, { version: 20 });
  expect(distance(runOperator("DFT", [y!, null, int64(axis)], { inverse: 1 }, { version: 20 })[0]!, x)).toBeLessThan(
    1e-5,
  );
  if (axis > 0) expect(distance(runOperator("DFT", [x], { axis }, { version: 17 })[0]!, y!)).toBe(0);
});

test("a one-sided transform is half of the whole one, and can be inverted", () => {
  const x = random(2, 7, 1);
  const [half] = runOperator("DFT", [x], { onesided: 1 }, { version: 20 });
  const [whole] = runOperator("DFT", [x], {}, { version: 20 });
  expect(distance(half!, whole!.narrow(1, 0, 4) as Tensor)).toBeLessThan(1e-5);
  const [back] = runOperator("DFT", [half!, int64(7)], { onesided: 1, inverse: 1 }, { version: 20 });
  expect(distance(back!, x)).toBeLessThan(1e-5);
});

test("STFT is the transform of windows", () => {
  const [x, window] = [random(2, 20, 1), random(8)];
  const [y] = runOperator("STFT", [x, int64(3), window], {}, { version: 17 });
  expect(y!.shape).toEqual([2, 5, 5, 2]);
  const frame = x.narrow(1, 6, 8).mul(window.reshape([8, 1])) as Tensor;
  const [third] = runOperator("DFT", [frame], { onesided: 1 }, { version: 20 });
  expect(distance(y!.select(1, 2) as Tensor, third!)).toBeLessThan(1e-5);
});

test.each(["HannWindow", "HammingWindow", "BlackmanWindow"])(
  "%s is symmetric, and a window of one element is 1",
  (type) => {
    const [y] = runOperator(type, [int64(7)], { periodic: 0 });
    expect(distance(y!, y!.flip(0) as Tensor)).toBeLessThan(1e-6);
    const [longer] = runOperator(type, [int64(6)], { periodic: 1 });
    expect(distance(longer!, y!.narrow(0, 0, 6) as Tensor)).toBeLessThan(1e-6);
    expect(runOperator(type, [int64(1)], { periodic: 0 })[0]!.toArray()).toEqual([1]);
  },
);

test("sizes beyond the limit throw an error", () => {
  expect(() => runOperator("HannWindow", [tensor(2 ** 40, { dtype: "int64" }) as Tensor])).toThrow(
    "the size of the window must be an integer from 0 to 67108864, got 1099511627776",
  );
  const bins = (count: number, length: number) => () =>
    runOperator("MelWeightMatrix", [int64(count), int64(length), int64(8000), tensor(0), tensor(4000)] as Tensor[]);
  expect(bins(-5, 16)).toThrow("num_mel_bins must be an integer from 0 to 67108864, got -5");
  expect(bins(2 ** 20, 2 ** 20)).toThrow("the number of weights must be an integer");
});

test("the triangles of mel bins end at the last bin of the spectrum", () => {
  const inputs = [int64(2), int64(8), int64(1), tensor(0), tensor(4000)] as Tensor[];
  const [y] = runOperator("MelWeightMatrix", inputs);
  expect(y!.shape).toEqual([5, 2]);
  expect(y!.gt(0).sum().item()).toBeGreaterThan(0);
});
