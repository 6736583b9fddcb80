/**
 * cooperativeCopy: the threads' shares are disjoint and cover all elements, each in vectors where memory allows.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  counted,
  distinctLayouts,
  listed,
  offsetsOf,
  stored,
  valuesOf,
} from "../../../test/support/algorithm-tensors.ts";
import { forAll } from "../../../test/support/layouts.ts";
import { IndexError, WriteError } from "../../base/errors.ts";
import { type AnyLayout, composition, type Layout, makeLayout, swizzle } from "../../layout/index.ts";
import { parseLayout } from "../../layout/notation.ts";
import type { DType } from "../../storage/dtype.ts";
import { heldView } from "../tensor.ts";
import { cooperativeCopy } from "./copy.ts";

const layout = (text: string): Layout => parseLayout(text) as Layout;
const swizzled = composition(swizzle(1, 1, 2), makeLayout([8, 6], "left")) as AnyLayout;
const pairs = fc.oneof(
  fc.constantFrom(1, 5, 6, 12, 16, 48).chain((n) => fc.tuple(distinctLayouts(n), distinctLayouts(n))),
  fc.tuple(distinctLayouts(48), fc.constant(swizzled)),
) as fc.Arbitrary<[AnyLayout, AnyLayout]>;

/** The 1-D indices that one thread copies. */
function shareOf(threads: number, thread: number, a: AnyLayout, b: AnyLayout, dtype: DType): number[] {
  const n = offsetsOf(a).length;
  const destination = stored(dtype, b);
  cooperativeCopy(threads, thread, stored(dtype, a, counted(n)), destination);
  return valuesOf(destination).flatMap((value, i) => {
    if (Number(value) === 0) return [];
    expect(Number(value)).toBe(i + 1);
    return [i];
  });
}

describe("cooperativeCopy", () => {
  test("all threads together copy every element exactly once", () => {
    forAll(
      "shares",
      [pairs, fc.integer({ min: 1, max: 40 }), fc.constantFrom<DType>("uint8", "float32", "complex64")],
      ([a, b], threads, dtype) => {
        if (dtype === "complex64") {
          const [source, destination] = [stored(dtype, a, counted(99)), stored(dtype, b)];
          for (let thread = 0; thread < threads; thread++) cooperativeCopy(threads, thread, source, destination);
          expect(valuesOf(destination)).toEqual(valuesOf(source));
          return;
        }
        const shares = counted(threads, 0).map((thread) => shareOf(threads, thread, a, b, dtype));
        expect(shares.flat().sort((x, y) => x - y)).toEqual(counted(offsetsOf(a).length, 0));
      },
      400,
    );
  });

  test("on a user-defined engine too, one read and one write for each element", () => {
    forAll(
      "shares of engines",
      [fc.constantFrom(5, 12).chain(distinctLayouts), fc.integer({ min: 1, max: 9 })],
      (b, threads) => {
        const n = offsetsOf(b).length;
        const [source, from] = listed("float32", makeLayout(n, 2), counted(n));
        const [destination, to] = listed("float32", b);
        for (let thread = 0; thread < threads; thread++) cooperativeCopy(threads, thread, source, destination);
        expect(valuesOf(destination)).toEqual(counted(n));
        expect([new Set(from.log.reads).size, from.log.reads.length, to.log.writes.length]).toEqual([n, n, n]);
      },
      200,
    );
  });

  test("adjacent threads copy adjacent vectors", () => {
    const column = layout("(16,4):(1,16)");
    expect(shareOf(4, 0, column, column, "float32")).toEqual([
      0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51,
    ]);
    expect(shareOf(4, 1, column, column, "float32").slice(0, 4)).toEqual([4, 5, 6, 7]);
    // Row-major memory: adjacent elements are in one row.
    const row = layout("(4,8):(8,1)");
    expect(shareOf(4, 1, row, row, "float32")).toEqual([16, 20, 24, 28, 18, 22, 26, 30].sort((x, y) => x - y));
  });

  test("a vector shrinks until every thread has one", () => {
    const line = layout("16:1");
    const sizes = (threads: number): number[] =>
      counted(threads, 0).map((t) => shareOf(threads, t, line, line, "float32").length);
    expect(sizes(4)).toEqual([4, 4, 4, 4]);
    expect(sizes(8)).toEqual([2, 2, 2, 2, 2, 2, 2, 2]);
    expect(sizes(16)).toEqual(new Array(16).fill(1));
    expect(sizes(3)).toEqual([8, 4, 4]);
    expect(sizes(5)).toEqual([4, 4, 4, 2, 2]);
  });

  test("converts the dtype", () => {
    const destination = stored("int64", layout("(3,2):(2,1)"));
    for (const thread of [0, 1]) cooperativeCopy(2, thread, stored("float32", layout("6:1"), counted(6)), destination);
    expect(valuesOf(destination)).toEqual(counted(6).map(BigInt));
  });

  test("throws for threads that do not exist and for shared memory", () => {
    const four = stored("float32", layout("4:1"));
    const other = stored("float32", layout("4:1"));
    expect(() => cooperativeCopy(4, 4, four, other)).toThrow(IndexError);
    expect(() => cooperativeCopy(4, 4, four, other)).toThrow(
      "cooperativeCopy: there is no thread 4, threads are 0 to 3",
    );
    expect(() => cooperativeCopy(0, 0, four, other)).toThrow(/the number of threads must be a positive integer, got 0/);
    const arena = stored("float32", layout("8:1"));
    expect(() => cooperativeCopy(2, 0, heldView(arena, layout("4:1"), 0), heldView(arena, layout("4:1"), 1))).toThrow(
      WriteError,
    );
  });
});
