/** Narrow element types: all codes of each type, and all values between two of them. */
import { describe, expect, test } from "vitest";
import { tensor } from "../index.ts";
import { codesOf, decodeNarrow, fromCodes, type NarrowType, narrowTypes, packCodes, roundToNarrow } from "./narrow.ts";

const named = Object.values(narrowTypes).map((type) => [type.name, type] as const);
const allValues = (type: NarrowType): number[] => {
  const codes = Uint8Array.from({ length: 2 ** type.bits }, (_, code) => code);
  return [...decodeNarrow(packCodes(codes, type), type, codes.length)];
};
const isNear = (a: number, b: number): boolean => Object.is(a, b);

describe.each(named)("%s", (name, type) => {
  const values = allValues(type);
  const finite = [...new Set(values.filter(Number.isFinite))].sort((a, b) => a - b);

  test("codes are packed and unpacked", () => {
    for (const count of [0, 1, 2, 3, 5, 8, 9]) {
      const codes = Uint8Array.from({ length: count }, (_, k) => (k * 7 + 3) % 2 ** type.bits);
      const bytes = packCodes(codes, type);
      expect(bytes.length).toBe(Math.ceil((count * type.bits) / 8));
      expect([...decodeNarrow(bytes, type, count)]).toEqual([...codes].map((code) => values[code]));
    }
    expect(() => decodeNarrow(new Uint8Array(3), type, 1)).toThrow(`1 elements of ${name} need 1 bytes, got 3`);
  });

  test("codes of values are the codes again", () => {
    const x = tensor(values, { dtype: type.dtype });
    const codes = codesOf(x, type).toArray() as number[];
    for (const [code, value] of values.entries())
      if (Number.isNaN(value)) expect(values[codes[code]]).toBeNaN();
      else expect(codes[code]).toBe(code);
    const back = fromCodes(tensor(Uint8Array.from(values.keys())), type);
    expect(back.dtype).toBe(type.dtype);
    expect(back.toArray()).toEqual(values);
  });

  test("values of the type are not changed by rounding", () => {
    const rounded = roundToNarrow(tensor(values, { dtype: type.dtype }), type, { saturate: false });
    expect(rounded.dtype).toBe(type.dtype);
    expect((rounded.toArray() as number[]).every((value, k) => isNear(value, values[k]))).toBe(true);
  });

  test("numbers become the nearest value, ties the even one", () => {
    if (type.float === undefined) return;
    for (const dtype of ["float32", "float64"] as const) {
      const [inputs, expected]: [number[], number[]] = [[], []];
      for (let k = 0; k + 1 < finite.length; k++) {
        const [low, high] = [finite[k], finite[k + 1]];
        const middle = (low + high) / 2;
        const step = (high - low) / 64;
        // A value is even if its code is.
        const even = values.indexOf(low) % 2 === 0 ? low : high;
        inputs.push(middle - step, middle, middle + step);
        expected.push(low, even, high);
      }
      const rounded = roundToNarrow(tensor(inputs, { dtype }), type).toArray() as number[];
      for (const [k, value] of rounded.entries()) expect(value + 0, `${inputs[k]} of ${dtype}`).toBe(expected[k] + 0);
    }
  });
});

const typeNamed = (name: string): NarrowType =>
  Object.values(narrowTypes).find((type) => type.name === name) as NarrowType;
const [e4m3fn, e5m2, e8m0] = ["float8e4m3fn", "float8e5m2", "float8e8m0"].map(typeNamed);
const large = [NaN, Infinity, -Infinity, 1e30, -1e30, -0, 1e-30];

test.each([
  ["float8e4m3fn", true, [NaN, 448, -448, 448, -448, -0, 0]],
  ["float8e4m3fn", false, [NaN, NaN, NaN, NaN, NaN, -0, 0]],
  ["float8e4m3fnuz", true, [NaN, 240, -240, 240, -240, 0, 0]],
  ["float8e4m3fnuz", false, [NaN, NaN, NaN, NaN, NaN, 0, 0]],
  ["float8e5m2", true, [NaN, 57344, -57344, 57344, -57344, -0, 0]],
  ["float8e5m2", false, [NaN, Infinity, -Infinity, Infinity, -Infinity, -0, 0]],
  ["float8e5m2fnuz", true, [NaN, 57344, -57344, 57344, -57344, 0, 0]],
  ["float8e5m2fnuz", false, [NaN, NaN, NaN, NaN, NaN, 0, 0]],
  ["float4e2m1", true, [-0, 6, -6, 6, -6, -0, 0]],
] as const)("%s with saturate %s: what is too large", (name, saturate, expected) => {
  for (const dtype of ["float32", "float64"] as const)
    expect(roundToNarrow(tensor(large, { dtype }), typeNamed(name), { saturate }).toArray()).toEqual(expected);
});

test("the largest value ends where the next one would begin", () => {
  // The next value of float8e4m3fn would be 480: the tie 464 becomes 448, whose fraction is even.
  expect(roundToNarrow(tensor([464, 465]), e4m3fn, { saturate: false }).toArray()).toEqual([448, NaN]);
  expect(roundToNarrow(tensor([61439, 61440]), e5m2, { saturate: false }).toArray()).toEqual([57344, Infinity]);
  expect(roundToNarrow(tensor([1n, -(2n ** 40n)]), e4m3fn).toArray()).toEqual([1, -448]);
});

test.each([
  ["up", [2 ** -127, 1, 2, 2, 2, 4, 2 ** 127]],
  ["down", [2 ** -127, 1, 1, 1, 1, 2, 2 ** 127]],
  ["nearest", [2 ** -127, 1, 1, 2, 2, 4, 2 ** 127]],
] as const)("powers of two, rounded %s", (roundMode, expected) => {
  const x = tensor([0, 1, 1.25, 1.5, 1.75, 3, Infinity]);
  expect(roundToNarrow(x, e8m0, { roundMode }).toArray()).toEqual(expected);
  const open = expected.with(0, NaN).with(6, NaN);
  expect(roundToNarrow(x, e8m0, { roundMode, saturate: false }).toArray()).toEqual(open);
  expect(roundToNarrow(tensor([-1, NaN]), e8m0, { roundMode }).toArray()).toEqual([NaN, NaN]);
});

test("integers keep their lowest bits", () => {
  for (const [name, expected] of [
    ["uint4", [7, 8, 7, 8]],
    ["int4", [7, -8, 7, -8]],
    ["uint2", [3, 0, 3, 0]],
    ["int2", [-1, 0, -1, 0]],
  ] as const)
    for (const dtype of ["float32", "int32", "int64", "float16"] as const)
      expect(roundToNarrow(tensor([7, 8, -9, -8], { dtype }), typeNamed(name)).toArray()).toEqual(expected);
});
