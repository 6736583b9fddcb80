/**
 * Row kernels compute their definition, row by row and step by step, for all layouts of the operands, in the heap and outside of it; and
 * WebAssembly and the reference agree.
 */
import { afterEach, describe, expect, test } from "vitest";
import { dice } from "../../test/support/operands.ts";
import { replaceBackend } from "../kernel/backend.ts";
import { fixedStorage } from "../kernel/copy.ts";
import { checkKernel } from "../kernel/ir/verify.ts";
import type { ElementStorage, Operand } from "../kernel/operand.ts";
import { lowerRows } from "../kernel/program/lower-rows.ts";
import { execute } from "../kernel/program/run-program.ts";
import { buildRows } from "../kernel/rows/build.ts";
import { makeSoftmax } from "../kernel/rows/softmax.ts";
import type { RowKernel } from "../kernel/rows/spec.ts";
import { makeStandardize } from "../kernel/rows/standardize.ts";
import type { Value } from "../storage/dtype.ts";
import { memoryOf } from "../storage/memory.ts";
import { Storage } from "../storage/storage.ts";
import { openBackend } from "./open.ts";
import { referenceBackend } from "./reference/backend.ts";

function runRows(
  kernel: RowKernel,
  axes: number,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  scalars?: readonly Value[],
): void {
  execute(outputs, inputs, (builder) => lowerRows(builder, kernel, axes, outputs, inputs, scalars));
}

afterEach(() => {
  replaceBackend(null);
});

type Allocate = (values: Float64Array) => ElementStorage;
const inHeap: Allocate = (values) => {
  const storage = Storage.allocate(values.byteLength);
  storage
    .writable()
    .array("f64")
    .set(values, storage.byteOffset / 8);
  return storage;
};
const outside: Allocate = (values) => fixedStorage(memoryOf(values.slice().buffer), 0);

/** An operand with axes in this order of memory, the last one fastest, and a gap after each row. */
function operand(
  shape: readonly number[],
  order: readonly number[],
  values: readonly number[],
  allocate: Allocate,
): Operand {
  const stride = shape.map(() => 0);
  let step = 1;
  for (const axis of order.toReversed()) {
    stride[axis] = step;
    step *= (shape[axis] as number) + 1;
  }
  const memory = new Float64Array(step);
  offsetsOf(shape, stride).forEach((at, i) => {
    memory[at] = values[i] ?? 0;
  });
  return { storage: allocate(memory), dtype: "float64", offset: 0, shape, stride };
}

/** The offsets of all elements in row-major order. */
function offsetsOf(shape: readonly number[], stride: readonly number[]): number[] {
  return shape.reduce<number[]>(
    (offsets, size, axis) =>
      offsets.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * (stride[axis] as number))),
    [0],
  );
}

function valuesOf({ storage, shape, stride }: Operand): number[] {
  const memory = storage.readable().array("f64") as Float64Array;
  const first = storage.byteOffset / 8;
  return offsetsOf(shape, stride).map((at) => memory[first + at] as number);
}

const softmaxOf = (row: readonly number[]): number[] => {
  const max = row.reduce((a, b) => Math.max(a, b));
  const sum = row.reduce((total, x) => total + Math.exp(x - max), 0);
  return row.map((x) => Math.exp(x - max) / sum);
};
const logSoftmaxOf = (row: readonly number[]): number[] => softmaxOf(row).map(Math.log);
const standardOf = (row: readonly number[]): number[] => {
  const mean = row.reduce((sum, x) => sum + x, 0) / row.length;
  const spread = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / row.length;
  return row.map((x) => (x - mean) / Math.sqrt(spread + 0.5));
};
const byRmsOf = (row: readonly number[]): number[] => {
  const square = row.reduce((sum, x) => sum + x * x, 0) / row.length;
  return row.map((x) => x / Math.sqrt(square + 0.5));
};

type Definition = (row: readonly number[]) => number[];
const kernels: readonly (readonly [string, () => RowKernel, Definition, boolean])[] = [
  ["softmax", () => makeSoftmax("float64", "plain"), softmaxOf, false],
  ["safe softmax", () => makeSoftmax("float64", "safe"), softmaxOf, false],
  ["log softmax", () => makeSoftmax("float64", "log"), logSoftmaxOf, false],
  ["standardize", () => makeStandardize("float64", true, null, null), standardOf, true],
  ["division by the root mean square", () => makeStandardize("float64", false, null, null), byRmsOf, true],
];

/** Shapes with the axes of a row last: short and long rows, some rows and many, several axes. */
const shapes: readonly (readonly [shape: readonly number[], axes: number])[] = [
  [[3, 1], 1],
  [[5, 7], 1],
  [[2, 2100], 1],
  [[4, 3, 6], 2],
  [[40, 9], 1],
  [[6], 1],
  [[5], 0],
];

describe.each(kernels)("%s", (_, make, define, hasScalars) => {
  test.each([
    ["in the heap", inHeap],
    ["out of reach", outside],
  ])("is its definition for each row, in any order of memory, %s", (_place, allocate) => {
    const kernel = make();
    const roll = dice(3);
    for (const [shape, axes] of shapes) {
      const length = shape.slice(shape.length - axes).reduce((a, b) => a * b, 1);
      const count = shape.reduce((a, b) => a * b, 1);
      const values = Array.from({ length: count }, () => roll(-3000, 3000) / 1000);
      const expected = Array.from({ length: count / length }, (_row, r) =>
        define(values.slice(r * length, (r + 1) * length)),
      );
      for (const order of [shape.map((_size, axis) => axis), shape.map((_size, axis) => axis).reverse()]) {
        const x = operand(shape, order, values, allocate);
        const out = operand(shape, roll(0, 1) ? order : order.toReversed(), [], allocate);
        runRows(kernel, axes, [out], [x], hasScalars ? [length, 0.5] : []);
        const result = valuesOf(out);
        expected.flat().forEach((value, i) => {
          expect(result[i], `${shape} at ${i}`).toBeCloseTo(value, 11);
        });
      }
    }
  });

  test("is a kernel that passes the verifier, for every step of its operands", () => {
    const { spec } = make();
    for (let classes = 0; classes < 16; classes++)
      if (classes % 4 !== 3 && classes < 12 && classes % 4 !== 0)
        for (const isAhead of [false, true]) checkKernel(buildRows(spec, classes, isAhead));
  });

  test("gives the same bits for rows that are read ahead, and does not write between them", () => {
    const [rows, n] = [301, 1001];
    const values = Array.from({ length: rows * n }, (_value, i) => 4 * Math.sin(i * i));
    const scalars = hasScalars ? [n, 0.5] : [];
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const out = operand([rows, n], order, [], inHeap);
      runRows(make(), 1, [out], [operand([rows, n], order, values, inHeap)], scalars);
      const all = valuesOf(out);
      for (const row of [0, 1, rows - 2, rows - 1]) {
        const part = operand([1, n], [0, 1], [], inHeap);
        const rowValues = values.slice(row * n, (row + 1) * n);
        runRows(make(), 1, [part], [operand([1, n], [0, 1], rowValues, inHeap)], scalars);
        const alone = valuesOf(part);
        if (order[0] === 0) expect(all.slice(row * n, (row + 1) * n)).toEqual(alone);
        else for (const [i, value] of alone.entries()) expect(all[row * n + i]).toBeCloseTo(value, 12);
      }
      const memory = out.storage.readable().array("f64") as Float64Array;
      const first = out.storage.byteOffset / 8;
      const gap = order[0] === 0 ? n : rows;
      for (let line = 0; line < (order[0] === 0 ? rows : n); line++)
        expect(memory[first + line * (gap + 1) + gap]).toBe(0);
    }
  });

  test("is the same on the reference backend, to the rounding of exp and log", () => {
    const values = Array.from({ length: 3 * 1500 }, (_value, i) => Math.sin(i * i));
    const run = (): number[] => {
      const out = operand([3, 1500], [0, 1], [], inHeap);
      runRows(make(), 1, [out], [operand([3, 1500], [0, 1], values, inHeap)], hasScalars ? [1500, 0.5] : []);
      return valuesOf(out);
    };
    replaceBackend(referenceBackend());
    const reference = run();
    replaceBackend(openBackend());
    const compiled = run();
    if (hasScalars) expect(compiled).toEqual(reference);
    else for (const [i, value] of compiled.entries()) expect(value).toBeCloseTo(reference[i] as number, 13);
  });
});

test("few long rows are computed step by step, with the same result", () => {
  const values = Array.from({ length: 2 ** 17 + 3 }, (_, i) => Math.cos(i));
  const x = operand([values.length], [0], values, inHeap);
  const out = operand([values.length], [0], [], inHeap);
  runRows(makeSoftmax("float64", "plain"), 1, [out], [x]);
  const expected = softmaxOf(values);
  for (const at of [0, 1, 999, 2 ** 17]) expect(valuesOf(out)[at]).toBeCloseTo(expected[at] as number, 14);
  expect(valuesOf(out).reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 10);
});

test("an infinite largest element makes NaN, and the safe form zeros where all are -infinity", () => {
  const run = (form: "plain" | "safe", row: readonly number[]): number[] => {
    const out = operand([1, row.length], [0, 1], [], inHeap);
    runRows(makeSoftmax("float64", form), 1, [out], [operand([1, row.length], [0, 1], row, inHeap)]);
    return valuesOf(out);
  };
  const none = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  expect(run("plain", none)).toEqual([NaN, NaN]);
  expect(run("safe", none)).toEqual([0, 0]);
  expect(run("plain", [0, Number.POSITIVE_INFINITY])).toEqual([NaN, NaN]);
  expect(run("plain", [0, Number.NEGATIVE_INFINITY])).toEqual([1, 0]);
});

test("a factor and a shift may be constant in a row, or vary along it", () => {
  const shape = [2, 3, 2];
  const values = [1, 2, 3, 5, 8, 13, 1, 4, 9, 16, 25, 36];
  const x = operand(shape, [0, 1, 2], values, inHeap);
  const factor = { ...operand([3], [0], [1, 10, 100], inHeap), shape, stride: [0, 1, 0] };
  const shift = { ...operand([2], [0], [7, -7], inHeap), shape, stride: [0, 0, 1] };
  const out = operand(shape, [0, 1, 2], [], inHeap);
  runRows(makeStandardize("float64", true, "float64", "float64"), 2, [out], [x, factor, shift], [6, 0.5]);
  const expected = [values.slice(0, 6), values.slice(6)].flatMap((row) =>
    standardOf(row).map((value, i) => value * 10 ** Math.floor(i / 2) + (i % 2 ? -7 : 7)),
  );
  valuesOf(out).forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i] as number, 11);
  });
});
