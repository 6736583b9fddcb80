/**
 * reduce, batchReduce and logicalReduce against folds written out.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { counted, distinctLayouts, offsetsOf, stored, valuesOf } from "../../../test/support/algorithm-tensors.ts";
import { forAll } from "../../../test/support/layouts.ts";
import { OverflowError, ShapeError, WriteError } from "../../base/errors.ts";
import { _, type Layout } from "../../layout/index.ts";
import { parseLayout } from "../../layout/notation.ts";
import { complex, DTypeError, type Value } from "../../storage/dtype.ts";
import { makeTensor } from "../cute/make-tensor.ts";
import { batchReduce, logicalReduce, reduce } from "./reduce.ts";

const layout = (text: string): Layout => parseLayout(text) as Layout;

describe("reduce", () => {
  test("folds the elements in the order of 1-D indices, starting from the initial value", () => {
    forAll("reduce", [fc.constantFrom(1, 4, 12).chain(distinctLayouts)], (a) => {
      const n = offsetsOf(a).length;
      const t = stored("float32", a, counted(n));
      expect(reduce(t, 100)).toBe(100 + (n * (n + 1)) / 2);
      expect(reduce(t, "", (text: string, value) => `${text}${value} `)).toBe(
        counted(n)
          .map((x) => `${x} `)
          .join(""),
      );
      expect(reduce(t, -Infinity, (x: number, y) => Math.max(x, y as number))).toBe(n);
    });
  });

  test("sums every dtype: bool counts, complex adds both parts, bigints are exact", () => {
    expect(reduce(makeTensor(Uint8Array.from([1, 2, 255]), 3), 0)).toBe(258);
    expect(reduce(stored("bool", layout("4:1"), [true, false, true, true]), 0)).toBe(3);
    expect(reduce(stored("complex64", layout("2:1"), [complex(1, 2), complex(3, 4)]), complex(0))).toEqual(
      complex(4, 6),
    );
    expect(reduce(stored("int64", layout("2:1"), [2n ** 62n, 2n ** 62n]), 1n)).toBe(2n ** 63n + 1n);
    expect(reduce(stored("int32", layout("2:1"), [1, 2]), 0n)).toBe(3n);
  });

  test("an integer sum past 2^53 throws", () => {
    const t = stored("int64", layout("2:1"), [2n ** 53n - 1n, 5n]);
    expect(() => reduce(t, 0)).toThrow(OverflowError);
    expect(() => reduce(t, 0)).toThrow(/reduce\(tensor, 0n\)$/);
    expect(() => reduce(stored("float32", layout("1:1"), [1.5]), 0n)).toThrow(DTypeError);
  });

  test("of an empty tensor is the initial value", () => {
    expect(reduce(stored("float32", layout("(0,2):(1,1)")), 5)).toBe(5);
  });
});

describe("batchReduce", () => {
  test("folds every column into the destination's element", () => {
    const source = stored("int32", layout("(3,4):(4,1)"), counted(12));
    const sums = stored("int32", layout("4:2"), [100, 200, 300, 400]);
    batchReduce(source, sums);
    expect(valuesOf(sums)).toEqual([106, 215, 324, 433]);
    expect(sums.version).toBe(1);
    const min = stored("int32", layout("4:1"), [5, 5, 5, 5]);
    batchReduce(source, min, (x, y) => Math.min(x as number, y as number));
    expect(valuesOf(min)).toEqual([1, 4, 5, 5]);
  });

  test("rounds to the destination's dtype at each step; 64-bit integers stay exact", () => {
    const source = stored("float64", layout("(3,1):(1,3)"), [1, 2 ** -24, 2 ** -24]);
    const sum = stored("float32", layout("1:1"));
    batchReduce(source, sum);
    expect(valuesOf(sum)).toEqual([1]);
    const big = stored("int64", layout("1:1"), [2n ** 61n]);
    batchReduce(stored("int64", layout("(2,1):(1,1)"), [2n ** 61n, 1n]), big);
    expect(valuesOf(big)).toEqual([2n ** 62n + 1n]);
  });

  test("throws for other ranks, other sizes and destinations whose elements share an address", () => {
    const source = stored("int32", layout("(3,4):(4,1)"));
    expect(() => batchReduce(source, stored("int32", layout("3:1")))).toThrow(ShapeError);
    expect(() => batchReduce(stored("int32", layout("12:1")), stored("int32", layout("4:1")))).toThrow(/two modes/);
    expect(() => batchReduce(source, stored("int32", layout("4:0")))).toThrow(WriteError);
  });
});

describe("logicalReduce", () => {
  const t = stored("int32", layout("(2,(3,2),2):(12,(4,2),1)"), counted(24));
  const at = (a: number, b: number, c: number, d: number): number => 1 + a + 2 * b + 6 * c + 12 * d;
  const span = (n: number): number[] => counted(n, 0);
  const fold = (values: readonly number[]): number => values.reduce((x, y) => x + y, 0);

  test.each([
    [
      "rows",
      [0, _, _],
      12,
      span(12).map((i) => fold(span(2).map((a) => at(a, i % 3, Math.floor(i / 3) % 2, Math.floor(i / 6))))),
    ],
    [
      "the last mode",
      [_, _, 0],
      12,
      span(12).map((i) => fold(span(2).map((d) => at(i % 2, Math.floor(i / 2) % 3, Math.floor(i / 6), d)))),
    ],
    [
      "a part of a nested mode",
      [_, [0, _], _],
      8,
      span(8).map((i) => fold(span(3).map((b) => at(i % 2, b, Math.floor(i / 2) % 2, Math.floor(i / 4))))),
    ],
    ["everything", [0, 0, 0], 1, [300]],
    ["nothing", [_, _, _], 24, counted(24)],
  ] as const)("folds %s", (_name, profile, count, sums) => {
    const destination = stored("int32", layout(`${count}:1`));
    logicalReduce(t, destination, profile as never);
    expect(valuesOf(destination)).toEqual(sums);
  });

  test("keeps the order of the folded elements", () => {
    const seen: Value[] = [];
    logicalReduce(t, stored("int32", layout("2:1")), [_, 0, 0] as never, (x, y) => {
      seen.push(y);
      return x;
    });
    expect(seen).toEqual([...span(12).map((i) => 1 + 2 * i), ...span(12).map((i) => 2 + 2 * i)]);
  });
});
