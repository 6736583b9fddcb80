/** Single elements: values that are written are read back as rounded by their dtype, compared with tables and DataView. */
import { describe, expect, test } from "vitest";
import { OverflowError } from "../base/errors.ts";
import { type DType, dtypeNames, dtypes, type Value } from "../storage/dtype.ts";
import { float16ToNumber, numberToFloat16 } from "../storage/half.ts";
import { BufferMemory } from "../storage/memory.ts";
import { isNonzero, reader, writer } from "./element.ts";

/** Writes a value to a new element of the dtype, and reads it back. */
function through(dtype: DType, value: Value): Value {
  const window = new BufferMemory("overflow", new ArrayBuffer(64)).array(dtypes[dtype].array);
  writer(dtype)(window, 2, value);
  return reader(dtype, "bigint")(window, 2);
}

const integers = dtypeNames.filter((name) => dtypes[name].category === "integer");
const bitsOf = (dtype: DType): number => 8 * dtypes[dtype].itemsize;
const wrap = (dtype: DType, value: bigint): bigint =>
  dtype.startsWith("u") ? BigInt.asUintN(bitsOf(dtype), value) : BigInt.asIntN(bitsOf(dtype), value);

test.each(dtypeNames)("%s throws for values that are not elements", (dtype) => {
  for (const value of [undefined, null, "1", {}])
    expect(() => through(dtype, value as never)).toThrow(
      "an element must be a number, bigint, boolean or { re, im }, got",
    );
});

describe.each(integers)("%s", (dtype) => {
  test.each([0, 1, -1, 300, -300, 65537, -(2 ** 31), 2 ** 32 + 5, 2 ** 53 - 1, -(2 ** 60)])(
    "the number %d wraps",
    (value) => {
      expect(BigInt(through(dtype, value) as number | bigint)).toBe(wrap(dtype, BigInt(value)));
    },
  );

  test.each([2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 70n + 7n])(
    "the bigint %d wraps without rounding",
    (value) => {
      expect(BigInt(through(dtype, value) as number | bigint)).toBe(wrap(dtype, value));
    },
  );

  test("fractions are truncated, and NaN and infinity become 0", () => {
    const values = [2.9, -2.9, -0.5, NaN, Infinity, -Infinity, true, false, { re: 7.9, im: 5 }];
    const expected = [2n, wrap(dtype, -2n), 0n, 0n, 0n, 0n, 1n, 0n, 7n];
    expect(values.map((value) => BigInt(through(dtype, value) as number | bigint))).toEqual(expected);
  });
});

test("everything but zero is true", () => {
  const nonzero: Value[] = [1, -1, 0.5, 1e-320, NaN, Infinity, 256, 1n, 2n ** 64n, true, { re: 0, im: 1 }];
  for (const value of nonzero) expect([isNonzero(value), through("bool", value)], `${value}`).toEqual([true, true]);
  const zero: Value[] = [0, -0, 0n, false, { re: 0, im: -0 }];
  for (const value of zero) expect([isNonzero(value), through("bool", value)], `${value}`).toEqual([false, false]);
});

test("a float holds the nearest of its numbers, -0 and NaN included", () => {
  for (const value of [0, -0, 0.1, -1e-310, 65519.9, 1e39, Infinity, NaN]) {
    expect(through("float64", value)).toBe(value);
    expect(through("float32", value)).toBe(Math.fround(value));
    expect(through("float16", value)).toBe(float16ToNumber(numberToFloat16(value)));
  }
  expect(through("bfloat16", 1 + 2 ** -8 + 2 ** -40)).toBe(1 + 2 ** -7);
});

test("a bigint is rounded to a float once", () => {
  // Through float64 each of these would first become the midpoint of two shorter floats, then go to the even one below.
  const float32Trap = 2n ** 60n + 2n ** 36n + 1n;
  expect(through("float32", float32Trap)).toBe(2 ** 60 + 2 ** 37);
  expect(through("complex64", -float32Trap)).toEqual({ re: -(2 ** 60) - 2 ** 37, im: 0 });
  expect(through("bfloat16", 2n ** 62n + 2n ** 54n + 1n)).toBe(2 ** 62 + 2 ** 55);
  expect(through("float32", 2n ** 60n + 2n ** 36n)).toBe(2 ** 60);
  expect(through("float64", 2n ** 60n + 1n)).toBe(2 ** 60);
  expect(through("float16", 2n ** 64n)).toBe(Infinity);
});

test("a complex number takes two slots, and a real one has no imaginary part", () => {
  for (const dtype of ["complex64", "complex128"] as const) {
    expect(through(dtype, { re: 1.5, im: -2 })).toEqual({ re: 1.5, im: -2 });
    expect(through(dtype, true)).toEqual({ re: 1, im: 0 });
    const window = new BufferMemory("overflow", new ArrayBuffer(64)).array(dtypes[dtype].array);
    writer(dtype)(window, 1, { re: 3, im: 4 });
    expect(Array.from(window as Float64Array).slice(0, 4)).toEqual([0, 0, 3, 4]);
  }
  expect(through("float32", { re: 1.5, im: -2 })).toBe(1.5);
});

test("64-bit integers are read as numbers up to 2^53, and throw with a remedy past it", () => {
  const window = new BufferMemory("overflow", new ArrayBuffer(16));
  for (const [dtype, edge, past] of [
    ["int64", -(2n ** 53n - 1n), -(2n ** 53n)],
    ["uint64", 2n ** 53n - 1n, 2n ** 64n - 1n],
  ] as const) {
    const array = window.array(dtypes[dtype].array);
    writer(dtype)(array, 0, edge);
    writer(dtype)(array, 1, past);
    expect(reader(dtype)(array, 0)).toBe(Number(edge));
    expect(() => reader(dtype)(array, 1)).toThrow(OverflowError);
    expect(() => reader(dtype)(array, 1)).toThrow(`the ${dtype} value ${past} is past 2^53 - 1`);
    expect(reader(dtype, "bigint")(array, 1)).toBe(past);
  }
});
