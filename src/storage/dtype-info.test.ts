/** The limits of dtypes, compared with those that typed arrays and PyTorch have. */
import { expect, test } from "vitest";
import { finfo, iinfo } from "./dtype-info.ts";

// torch.finfo of PyTorch 2.13.
test.each([
  ["float16", 16, 0.0009765625, 65504, 6.103515625e-5, 1e-3],
  ["bfloat16", 16, 0.0078125, 3.3895313892515355e38, 1.1754943508222875e-38, 1e-2],
  ["float32", 32, 1.1920928955078125e-7, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-6],
  ["float64", 64, Number.EPSILON, Number.MAX_VALUE, 2.2250738585072014e-308, 1e-15],
] as const)("finfo of %s", (dtype, bits, eps, max, tiny, resolution) => {
  expect(finfo(dtype)).toEqual({ dtype, bits, eps, max, min: -max, tiny, smallestNormal: tiny, resolution });
});

test("finfo of a complex dtype is that of its parts", () => {
  expect(finfo("complex64")).toEqual(finfo("float32"));
  expect(finfo("complex128")).toEqual(finfo("float64"));
});

test.each([
  ["int8", new Int8Array(1)],
  ["uint8", new Uint8Array(1)],
  ["int16", new Int16Array(1)],
  ["uint16", new Uint16Array(1)],
  ["int32", new Int32Array(1)],
  ["uint32", new Uint32Array(1)],
  ["int64", new BigInt64Array(1)],
  ["uint64", new BigUint64Array(1)],
] as const)("one past the limits of %s wraps around", (dtype, array) => {
  const { min, max, bits } = iinfo(dtype);
  expect(bits).toBe(array.BYTES_PER_ELEMENT * 8);
  const store = (value: number | bigint): number | bigint => {
    array[0] = value as never;
    return array[0] as number | bigint;
  };
  const one = typeof max === "bigint" ? 1n : 1;
  expect([store(min), store(max)]).toEqual([min, max]);
  expect(store((max as number) + (one as number))).toBe(min);
  expect(store((min as number) - (one as number))).toBe(max);
});

test("the other kind of dtype is refused with a named error", () => {
  expect(() => finfo("int32" as never)).toThrow("finfo: dtype must be floating point or complex, got int32");
  expect(() => iinfo("float32" as never)).toThrow("iinfo: dtype must be an integer dtype, got float32");
  expect(() => iinfo("bool" as never)).toThrow("iinfo: dtype must be an integer dtype, got bool");
  expect(() => finfo("f32" as never)).toThrow('Did you mean "float32"?');
});
