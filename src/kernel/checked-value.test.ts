/** The values that each dtype accepts as elements. */
import { expect, test } from "vitest";
import { type DType, DTypeError, type Value } from "../storage/dtype.ts";
import { checkedValue, exactValue } from "./checked-value.ts";

const accepted: [DType, Value[]][] = [
  ["int8", [127, -128, 1.5, true, 127n, -0]],
  ["uint8", [255, -255, 0.5, -0.5, 255n]],
  ["uint16", [65535, -65535]],
  ["int32", [2 ** 31 - 1, -(2 ** 31)]],
  ["uint32", [2 ** 32 - 1, 1 - 2 ** 32]],
  ["int64", [2n ** 63n - 1n, -(2n ** 63n), 2 ** 62, 1.5]],
  ["uint64", [0, 2n ** 64n - 1n, 2 ** 63]],
  ["float32", [1e39, NaN, Infinity, 2n ** 70n, false]],
  ["float16", [70000]],
  ["bool", [2, NaN, 3n, { re: 0, im: 1 }]],
  ["complex64", [1, 2n, true, { re: 1, im: 2 }]],
];

const refused: [DType, Value[]][] = [
  ["int8", [128, -129, 300, 127.5, 300n, NaN, Infinity]],
  ["uint8", [256, -256]],
  ["uint16", [65536]],
  ["int32", [2 ** 31, -(2 ** 31) - 1]],
  ["uint32", [2 ** 32]],
  ["int64", [2n ** 63n, 2 ** 63, -(2n ** 63n) - 1n]],
  ["uint64", [-1, -1n, 2n ** 64n]],
  ["float32", [{ re: 1, im: 0 }]],
  ["int64", [{ re: 1, im: 0 }]],
];

test.each(accepted)("%s accepts values in its range", (dtype, values) => {
  for (const value of values) expect(checkedValue("tensor", value, dtype)).toBe(value);
});

test.each(refused)("%s throws for values out of its range (table row %#)", (dtype, values) => {
  for (const value of values) {
    expect(() => checkedValue("tensor", value, dtype), String(value)).toThrow(DTypeError);
    expect(() => checkedValue("tensor", value, dtype)).toThrow(
      `tensor: value cannot be converted to type ${dtype} without overflow`,
    );
  }
});

test("the error shows the value and the range", () => {
  expect(() => checkedValue("full", 300, "int8")).toThrow(
    "full: value cannot be converted to type int8 without overflow: got 300, and int8 holds -128 to 127. Choose a wider dtype.",
  );
  expect(() => checkedValue("full", { re: 1, im: -2 }, "float32")).toThrow("got the complex number 1-2i");
  expect(() => checkedValue("full", "1" as unknown as Value, "float32")).toThrow(
    "full: an element must be a number, bigint, boolean or { re, im }, got string.",
  );
});

test("a value for an existing tensor is held exactly, or throws", () => {
  for (const dtype of ["int8", "uint8", "int32", "uint32", "int64", "uint64"] as const) {
    for (const value of [0, 1, 127, 5n, true, -0]) expect(exactValue("set", value, dtype)).toBe(value);
    for (const value of [0.5, -0.5, NaN, Infinity])
      expect(() => exactValue("set", value, dtype)).toThrow(`set: ${dtype} does not hold ${value}. `);
    for (const value of [2 ** 70, -(2n ** 70n), { re: 1, im: 0 }])
      expect(() => exactValue("set", value, dtype)).toThrow(DTypeError);
  }
  expect(() => exactValue("set", -1, "uint8")).toThrow(DTypeError);
  expect(() => exactValue("set", -1n, "uint32")).toThrow("set: uint32 does not hold -1");
  for (const value of [1.5, -1, NaN, 1e300]) {
    expect(exactValue("set", value, "float32")).toBe(value);
    expect(exactValue("set", value, "bool")).toBe(value);
  }
});
