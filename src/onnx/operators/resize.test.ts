/** Resize against the library's interpolation, where both define the same, and for each mode against its formula along one axis. */

import { interpolate, type Tensor, tensor } from "stridewise";
import { expect, test } from "vitest";
import { distance, random, runOperator } from "../../../test/support/onnx-operators.ts";

const int64 = (...list: number[]): Tensor => tensor(list, { dtype: "int64" }) as Tensor;
const resizeTo = (
  x: Tensor,
  sizes: readonly number[],
  attributes: Record<string, string | number | readonly number[]>,
  version = 19,
): Tensor => runOperator("Resize", [x, null, null, int64(...sizes)], attributes, { version })[0]!;

test.each([
  ["linear", "pytorch_half_pixel", "bilinear", false],
  ["linear", "align_corners", "bilinear", true],
  ["cubic", "half_pixel", "bicubic", false],
  ["cubic", "align_corners", "bicubic", true],
] as const)("%s with %s is interpolate %s", (mode, coordinate_transformation_mode, own, alignCorners) => {
  const x = random(1, 2, 5, 7);
  for (const size of [
    [9, 14],
    [3, 4],
    [5, 9],
  ] as const) {
    const y = resizeTo(x, [1, 2, ...size], { mode, coordinate_transformation_mode });
    expect(distance(y, interpolate(x, { size, mode: own, alignCorners }) as Tensor)).toBeLessThan(1e-5);
  }
});

test("axes keep the others, and sizes are those of the axes", () => {
  const x = random(3, 5, 2);
  const attributes = { mode: "linear", axes: [-2, 0] };
  const [y] = runOperator("Resize", [x, null, null, int64(10, 6)], attributes, { version: 18 });
  expect(distance(y!, resizeTo(x, [6, 10, 2], { mode: "linear" }))).toBeLessThan(1e-6);
});

const row = tensor([0, 10, 20, 30]) as Tensor;

test.each([
  ["asymmetric", "floor", 0.6, [0, 10]],
  ["asymmetric", "ceil", 0.6, [0, 20]],
  ["half_pixel", "round_prefer_floor", 0.5, [0, 20]],
  ["half_pixel", "round_prefer_ceil", 0.5, [10, 30]],
  ["tf_half_pixel_for_nn", "floor", 0.5, [10, 30]],
] as const)("nearest with %s and %s by %f", (coordinate_transformation_mode, nearest_mode, scale, expected) => {
  const attributes = { coordinate_transformation_mode, nearest_mode };
  const [y] = runOperator("Resize", [row, null, tensor([scale]) as Tensor], attributes, { version: 11 });
  expect(y!.toArray()).toEqual(expected);
});

test("version 10 rounds up when it shrinks, and down when it grows", () => {
  const by = (scale: number): unknown =>
    runOperator("Resize", [row, tensor([scale]) as Tensor], {}, { version: 10 })[0]!.toArray();
  expect(by(0.6)).toEqual([0, 20]);
  expect(by(1.5)).toEqual([0, 0, 10, 20, 20, 30]);
});

test.each([
  ["stretch", [8, 3]],
  ["not_larger", [3, 3]],
  ["not_smaller", [8, 8]],
] as const)("keep_aspect_ratio_policy %s", (keep_aspect_ratio_policy, shape) => {
  expect(resizeTo(random(4, 4), [8, 3], { keep_aspect_ratio_policy }).shape).toEqual(shape);
});

test("antialias keeps a constant, and the mean of halves", () => {
  for (const mode of ["linear", "cubic"]) {
    const y = resizeTo(tensor(new Float32Array(30).fill(3)) as Tensor, [7], { mode, antialias: 1 });
    expect(distance(y, tensor(new Float32Array(7).fill(3)) as Tensor)).toBeLessThan(1e-5);
  }
});

test("a crop is extrapolated outside of the input only", () => {
  const roi = tensor([0.5, 1.5]) as Tensor;
  const attributes = { mode: "linear", coordinate_transformation_mode: "tf_crop_and_resize", extrapolation_value: -1 };
  const [y] = runOperator("Resize", [row, roi, null, int64(3)], attributes);
  expect(y!.toArray()).toEqual([15, 30, -1]);
});

test("integers saturate where cubic polynomials exceed their range, and are rounded with antialias", () => {
  const x = tensor([0, 0, 255, 255], { dtype: "uint8" }) as Tensor;
  const whole = resizeTo(x, [8], { mode: "cubic" }).toArray() as number[];
  expect(whole).toEqual([0, 0, 0, 57, 197, 255, 255, 255]);
  const small = tensor([1, 2], { dtype: "uint8" }) as Tensor;
  expect(resizeTo(small, [3], { mode: "linear" }).toArray()).toEqual([1, 1, 2]);
  expect(resizeTo(small, [1], { mode: "linear", antialias: 1 }).toArray()).toEqual([2]);
});

test("errors name the attribute or input", () => {
  expect(() => resizeTo(row, [3], { mode: "area" })).toThrow('mode must be nearest, linear or cubic, got "area"');
  expect(() => resizeTo(row, [3, 4], {})).toThrow("sizes must have 1 elements, got [3,4]");
  expect(() => resizeTo(row, [3], { nearest_mode: "up" })).toThrow("nearest_mode must be one of");
  const scaled = (scale: number) => () => runOperator("Resize", [row, null, tensor([scale]) as Tensor], {});
  expect(scaled(Infinity)).toThrow("the size of axis 0 must be an integer from 0 to 67108864, got Infinity");
  expect(scaled(1e30)).toThrow("the size of axis 0 must be an integer");
});
