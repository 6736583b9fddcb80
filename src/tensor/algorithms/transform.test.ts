/**
 * transform and forEach: a function of every element in the order of 1-D indices, strided or not, in-place or not.
 * fill and clear: set every element and no other, whatever the dtype and the strides.
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
import { forAll, layouts } from "../../../test/support/layouts.ts";
import { OverflowError, WriteError } from "../../base/errors.ts";
import { cosize, type Layout, makeLayout } from "../../layout/index.ts";
import { parseLayout } from "../../layout/notation.ts";
import { DTypeError, dtypeNames } from "../../storage/dtype.ts";
import { makeIdentityTensor } from "../cute/make-like.ts";
import { makeTensor } from "../cute/make-tensor.ts";
import { counting } from "../engines/computed-engines.ts";
import { heldView, type Tensor } from "../tensor.ts";
import { clear, fill, forEach, transform } from "./transform.ts";

const layout = (text: string): Layout => parseLayout(text) as Layout;
const threes = fc
  .constantFrom(4, 6, 12, 36)
  .chain((n) => fc.tuple(distinctLayouts(n), distinctLayouts(n), distinctLayouts(n)));

describe("transform", () => {
  test("sets every element to f of the sources' elements with its index", () => {
    forAll("transform", [threes], ([a, b, c]) => {
      const n = offsetsOf(a).length;
      const [x, y, z] = [stored("float32", a, counted(n)), stored("int16", b, counted(n, 50)), stored("float64", c)];
      transform(x, y, z, (p, q) => (p as number) * 1000 + (q as number));
      expect(valuesOf(z)).toEqual(counted(n).map((v, i) => v * 1000 + 50 + i));
      transform(x, z, (p) => -(p as number));
      expect(valuesOf(z)).toEqual(counted(n).map((v) => -v));
      transform(z, (p) => (p as number) ** 2);
      expect(valuesOf(z)).toEqual(counted(n).map((v) => v * v));
      expect([x.version, y.version, z.version]).toEqual([0, 0, 3]);
    });
  });

  test("is as if all sources had been read first, where they share memory with the destination", () => {
    forAll("transform within memory", [threes, fc.nat(4), fc.nat(4)], ([a, b, c], x, y) => {
      const memory = stored("int32", makeLayout(Math.max(cosize(a), cosize(b) + x, cosize(c) + y), 1), counted(300));
      const [first, second, to] = [heldView(memory, a, 0), heldView(memory, b, x), heldView(memory, c, y)];
      const expected = valuesOf(first).map((p, i) => 1000 * (p as number) + (valuesOf(second)[i] as number));
      transform(first, second, to, (p, q) => 1000 * (p as number) + (q as number));
      expect(valuesOf(to)).toEqual(expected);
    });
  });

  test("detects two tensors over one typed array", () => {
    const memory = Int32Array.from(counted(6));
    transform(makeTensor(memory.subarray(0, 5), 5), makeTensor(memory.subarray(1), 5) as Tensor, (x) => 10 * x);
    expect([...memory]).toEqual([1, 10, 20, 30, 40, 50]);
  });

  test("calls f in the order of 1-D indices, once for each", () => {
    const seen: unknown[] = [];
    transform(stored("int32", layout("((2,2),3):((6,3),1)"), counted(12)), (value) => {
      seen.push(value);
      return value;
    });
    expect(seen).toEqual(counted(12));
  });

  test("converts to the dtype of the destination", () => {
    const destination = stored("uint8", layout("3:1"));
    transform(stored("float32", layout("3:2"), [1.75, 300, -1]), destination, (x) => x as number);
    expect(valuesOf(destination)).toEqual([1, 44, 255]);
  });

  test("passes 64-bit integers as bigints on request, and throws for inexact numbers otherwise", () => {
    const big = makeTensor(BigInt64Array.from([2n ** 62n, 3n]), 2);
    expect(() => transform(big, (x: number) => x)).toThrow(OverflowError);
    transform(big, (x) => x + 1n, "bigint");
    expect(valuesOf(big as Tensor)).toEqual([2n ** 62n + 1n, 4n]);
  });

  test("throws for other sizes, and for a destination whose elements share an address", () => {
    const four = stored("float32", layout("4:1"));
    expect(() => transform(four, stored("float32", layout("3:1")), (x) => x)).toThrow(/^transform: sizes differ/);
    expect(() => transform(stored("float32", layout("(4,2):(1,0)")), (x) => x)).toThrow(WriteError);
    expect(() => transform(makeIdentityTensor([2, 2]), (x) => x)).toThrow(/has a read-only coordinate engine/);
  });

  test("the types of the elements are those of the dtype", () => {
    const bools = makeTensor("bool", parseLayout("_4:_1") as Layout);
    transform(bools, (value) => !value);
    transform(makeTensor(new Float32Array(4), 4), bools, (value) => value.toFixed(1) === "0.0");
    expect(valuesOf(bools as Tensor)).toEqual([true, true, true, true]);
  });
});

describe("forEach", () => {
  test("visits every element with its index, in order", () => {
    forAll("forEach", [fc.constantFrom(1, 6, 24).chain(distinctLayouts)], (a) => {
      const n = offsetsOf(a).length;
      const seen: unknown[] = [];
      forEach(stored("float32", a, counted(n)), (value, index) => seen.push([value, index]));
      expect(seen).toEqual(counted(n).map((value, index) => [value, index]));
    });
  });

  test("visits coordinates, swizzled elements and nothing of an empty tensor", () => {
    const coords: unknown[] = [];
    forEach(makeIdentityTensor([2, 2]), (value) => coords.push(value));
    expect(coords).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ]);
    const swizzled: unknown[] = [];
    forEach(stored("int32", parseLayout("Sw<1,0,1> o 0 o (2,2):(1,2)"), [5, 6, 7, 8]), (value) => swizzled.push(value));
    expect(swizzled).toEqual([5, 6, 7, 8]);
    forEach(stored("int32", makeLayout([0, 2], [1, 1])), () => expect.unreachable());
  });
});

describe("fill", () => {
  test("fill sets every element and nothing else, even through strides of 0", () => {
    forAll("fill", [layouts(), fc.nat(3)], (layout, skip) => {
      const memory = stored("int32", makeLayout(cosize(layout) + 5, 1), counted(500));
      const part = heldView(memory, layout, skip);
      fill(part, 7);
      const offsets = new Set(offsetsOf(layout).map((offset) => offset + skip));
      expect(valuesOf(memory)).toEqual(counted(cosize(layout) + 5).map((old, i) => (offsets.has(i) ? 7 : old)));
      expect(memory.version).toBe(1);
      clear(part);
      expect(valuesOf(part).every((value) => value === 0)).toBe(true);
    });
  });

  test("clear is 0 in every dtype", () => {
    for (const dtype of dtypeNames) {
      const t = stored(dtype, parseLayout("(2,2):(2,1)"), [1, 1, 1, 1]);
      clear(t);
      const zero =
        dtype === "bool"
          ? false
          : dtype.startsWith("complex")
            ? { re: 0, im: 0 }
            : dtype.endsWith("64") && dtype.includes("int")
              ? 0n
              : 0;
      expect(valuesOf(t), dtype).toEqual([zero, zero, zero, zero]);
    }
  });

  test("fill throws for a value that the dtype cannot hold", () => {
    const t = stored("int8", parseLayout("4:1"));
    expect(() => fill(t, 300)).toThrow("fill: value cannot be converted to type int8 without overflow: got 300");
    expect(t.version).toBe(0);
  });

  test("an engine receives elements of its dtype", () => {
    const [bools, engine] = listed("bool", parseLayout("3:1"), [true, true, true]);
    clear(bools);
    expect(engine.list).toEqual([false, false, false]);
    const [floats, list] = listed("float32", parseLayout("2:1"));
    fill(floats, 0.1);
    expect(list.list).toEqual([Math.fround(0.1), Math.fround(0.1)]);
  });

  test("engines without write and elements without a 0 throw", () => {
    expect(() => fill(makeTensor(counting(0), 4), 1)).toThrow(WriteError);
    expect(() => clear(makeIdentityTensor([2, 2]))).toThrow(DTypeError);
  });
});
