/**
 * axpby: y = alpha x + beta y by the arithmetic of the destination's dtype, with and without a predicate.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  counted,
  distinctLayouts,
  listed,
  offsetsOf,
  stored,
  valuesOf,
} from "../../../test/support/algorithm-tensors.ts";
import { forAll } from "../../../test/support/layouts.ts";
import { WriteError } from "../../base/errors.ts";
import type { Layout } from "../../layout/index.ts";
import { parseLayout } from "../../layout/notation.ts";
import { complex, DTypeError } from "../../storage/dtype.ts";
import { axpby } from "./axpby.ts";

const layout = (text: string): Layout => parseLayout(text) as Layout;
const pairs = fc.constantFrom(4, 6, 12).chain((n) => fc.tuple(distinctLayouts(n), distinctLayouts(n)));

test("y becomes alpha x + beta y, element by element", () => {
  forAll("axpby", [pairs, fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })], ([a, b], alpha, beta) => {
    const n = offsetsOf(a).length;
    for (const dtype of ["float32", "int32", "int64", "int16"] as const) {
      const [x, y] = [stored(dtype, a, counted(n)), stored(dtype, b, counted(n, -3))];
      axpby(alpha, x, beta, y);
      expect(valuesOf(y).map(Number), dtype).toEqual(counted(n).map((v, i) => alpha * v + beta * (i - 3) + 0));
      expect(y.version).toBe(1);
    }
  });
});

test("integers wrap exactly, and 64 bits are all kept", () => {
  const x = stored("int32", layout("2:1"), [2 ** 31 - 1, 123456789]);
  const y = stored("int32", layout("2:1"), [1, 987654321]);
  axpby(987654321, x, -7, y);
  const exact = (a: bigint, b: bigint): number => Number(BigInt.asIntN(32, 987654321n * a - 7n * b));
  expect(valuesOf(y)).toEqual([exact(2n ** 31n - 1n, 1n), exact(123456789n, 987654321n)]);
  const long = stored("int64", layout("1:1"), [2n ** 61n + 1n]);
  axpby(2, stored("int64", layout("1:1"), [2n ** 60n + 1n]), 1n, long);
  expect(valuesOf(long)).toEqual([2n ** 62n + 3n]);
});

test("real scalars of integer tensors compute in float64 and cut off the fraction", () => {
  const y = stored("int32", layout("3:1"), [10, 10, 10]);
  axpby(0.5, stored("int32", layout("3:1"), [1, 2, 3]), 1, y);
  expect(valuesOf(y)).toEqual([10, 11, 11]);
});

test("complex tensors and scalars multiply as complex numbers", () => {
  const y = stored("complex64", layout("1:1"), [complex(1, 1)]);
  axpby(complex(0, 1), stored("complex64", layout("1:1"), [complex(2, 3)]), 2, y);
  expect(valuesOf(y)).toEqual([{ re: -3 + 2, im: 2 + 2 }]);
  expect(() => axpby(complex(0, 1), y, 1, stored("float32", layout("1:1")))).toThrow(DTypeError);
});

test("with beta 0, what y held is not read", () => {
  const [y, engine] = listed("float32", layout("2:1"), [NaN, NaN]);
  axpby(2, stored("float32", layout("2:1"), [1, 2]), 0, y);
  expect([engine.list, engine.log.reads]).toEqual([[2, 4], []]);
  const inMemory = stored("float32", layout("2:1"), [NaN, Infinity]);
  axpby(2, stored("float32", layout("2:1"), [1, 2]), 0, inMemory);
  expect(valuesOf(inMemory)).toEqual([2, 4]);
});

test("a predicate says which elements are touched", () => {
  for (const predicate of [(i: number) => i !== 1, stored("bool", layout("3:1"), [true, false, true])]) {
    const y = stored("float32", layout("3:1"), [1, 1, 1]);
    axpby(10, stored("float32", layout("3:1"), [1, 2, 3]), 1, y, predicate);
    expect(valuesOf(y)).toEqual([11, 1, 31]);
  }
});

test("y may be x, and may overlap it", () => {
  const y = stored("int32", layout("4:1"), counted(4));
  axpby(2, y, 3, y);
  expect(valuesOf(y)).toEqual([5, 10, 15, 20]);
});

test("a destination whose elements share a place is refused", () => {
  expect(() => axpby(1, stored("float32", layout("4:1")), 1, stored("float32", layout("4:0")))).toThrow(WriteError);
});
