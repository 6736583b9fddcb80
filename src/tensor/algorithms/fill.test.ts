/**
 * fill and clear: every element, no other, whatever the dtype and the strides.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { counted, listed, offsetsOf, stored, valuesOf } from "../../../test/support/algorithm-tensors.ts";
import { forAll, layouts } from "../../../test/support/layouts.ts";
import { WriteError } from "../../base/errors.ts";
import { cosize, makeLayout } from "../../layout/index.ts";
import { parseLayout } from "../../layout/notation.ts";
import { DTypeError, dtypeNames } from "../../storage/dtype.ts";
import { makeIdentityTensor } from "../cute/make-like.ts";
import { makeTensor } from "../cute/make-tensor.ts";
import { counting } from "../engines/counting-engine.ts";
import { heldView } from "../tensor.ts";
import { clear, fill } from "./fill.ts";

test("fill sets every element and nothing else, also through strides of 0", () => {
  forAll("fill", [layouts(), fc.nat(3)], (layout, skip) => {
    const room = stored("int32", makeLayout(cosize(layout) + 5, 1), counted(500));
    const part = heldView(room, layout, skip);
    fill(part, 7);
    const places = new Set(offsetsOf(layout).map((offset) => offset + skip));
    expect(valuesOf(room)).toEqual(counted(cosize(layout) + 5).map((old, i) => (places.has(i) ? 7 : old)));
    expect(room.version).toBe(1);
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

test("fill refuses a value that the dtype cannot hold", () => {
  const t = stored("int8", parseLayout("4:1"));
  expect(() => fill(t, 300)).toThrow("fill: value cannot be converted to type int8 without overflow: got 300");
  expect(t.version).toBe(0);
});

test("an engine is given elements of its dtype", () => {
  const [bools, engine] = listed("bool", parseLayout("3:1"), [true, true, true]);
  clear(bools);
  expect(engine.list).toEqual([false, false, false]);
  const [floats, list] = listed("float32", parseLayout("2:1"));
  fill(floats, 0.1);
  expect(list.list).toEqual([Math.fround(0.1), Math.fround(0.1)]);
});

test("engines without write and elements without a 0 are refused", () => {
  expect(() => fill(makeTensor(counting(0), 4), 1)).toThrow(WriteError);
  expect(() => clear(makeIdentityTensor([2, 2]))).toThrow(DTypeError);
});
