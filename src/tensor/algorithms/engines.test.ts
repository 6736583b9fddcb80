/**
 * Every algorithm on every kind of engine: the same elements come out of a storage and of an engine that a user wrote.
 */
import { describe, expect, test } from "vitest";
import { counted, type EngineName, engineNames, tensorOn, valuesOf } from "../../../test/support/algorithm-tensors.ts";
import { WriteError } from "../../base/errors.ts";
import { _, type Layout } from "../../layout/index.ts";
import { parseLayout } from "../../layout/notation.ts";
import type { DType, Value } from "../../storage/dtype.ts";
import { makeTensor } from "../cute/make-tensor.ts";
import { pointer } from "../engines/pointers.ts";
import type { Tensor } from "../tensor.ts";
import {
  axpby,
  batchReduce,
  clear,
  cooperativeCopy,
  copy,
  copyAligned,
  copyIf,
  copyPlan,
  fill,
  forEach,
  gemm,
  logicalReduce,
  reduce,
  transform,
} from "./index.ts";

type Make = (dtype: DType, text: string, values?: readonly Value[]) => Tensor;

/** Each runs on tensors created by `from` and `to`, and returns the actual and the expected result. */
const runs: Readonly<Record<string, (from: Make, to: Make) => readonly [got: unknown, expected: unknown]>> = {
  copy: (from, to) => {
    const d = to("float32", "(3,4):(4,1)");
    copy(from("float32", "(4,3):(1,5)", counted(12)), d);
    return [valuesOf(d), counted(12)];
  },
  "copy, converting": (from, to) => {
    const d = to("int32", "4:1");
    copy(from("float32", "4:2", [1.5, -2.5, 3, 4]), d);
    return [valuesOf(d), [1, -2, 3, 4]];
  },
  copyAligned: (from, to) => {
    const d = to("float32", "8:1");
    copyAligned(from("float32", "8:1", counted(8)), d);
    return [valuesOf(d), counted(8)];
  },
  copyPlan: (from, to) => {
    const plan = copyPlan(from("float32", "8:1"), to("float32", "8:1"));
    const hasMemory = plan.from.engine === "view" && plan.to.engine === "view";
    return [plan.kind, hasMemory ? "block" : "elementwise"];
  },
  copyIf: (from, to) => {
    const d = to("float32", "(2,3):(3,1)");
    copyIf(from("bool", "6:1", [true, false, true, false, true, false]), from("float32", "6:2", counted(6)), d);
    return [valuesOf(d), [1, 0, 3, 0, 5, 0]];
  },
  fill: (_from, to) => {
    const d = to("int16", "(2,2):(2,1)");
    fill(d, 7);
    return [valuesOf(d), [7, 7, 7, 7]];
  },
  clear: (_from, to) => {
    const d = to("int16", "(2,2):(2,1)", counted(4));
    clear(d);
    return [valuesOf(d), [0, 0, 0, 0]];
  },
  "transform, in place": (_from, to) => {
    const d = to("int16", "(2,2):(2,1)", counted(4));
    transform(d, (x) => (x as number) * 2);
    return [valuesOf(d), [2, 4, 6, 8]];
  },
  "transform, one source": (from, to) => {
    const d = to("int16", "(2,2):(2,1)");
    transform(from("int16", "4:3", counted(4)), d, (x) => (x as number) * 2);
    return [valuesOf(d), [2, 4, 6, 8]];
  },
  "transform, two sources": (from, to) => {
    const d = to("int16", "(2,2):(2,1)");
    transform(
      from("int16", "4:3", counted(4)),
      from("float32", "4:1", counted(4)),
      d,
      (x, y) => (x as number) - (y as number),
    );
    return [valuesOf(d), [0, 0, 0, 0]];
  },
  forEach: (from) => {
    const seen: unknown[] = [];
    forEach(from("int16", "(2,2):(2,1)", counted(4)), (value, index) => seen.push(value, index));
    return [seen, [1, 0, 2, 1, 3, 2, 4, 3]];
  },
  axpby: (from, to) => {
    const y = to("int32", "(2,2):(2,1)", counted(4));
    axpby(3, from("int32", "4:1", counted(4)), -1, y);
    return [valuesOf(y), [2, 4, 6, 8]];
  },
  "axpby of 64-bit integers": (from, to) => {
    const y = to("int64", "2:1", [1, 2]);
    axpby(3, from("int64", "2:1", [5, 6]), 2n, y, (i) => i > 0);
    return [valuesOf(y).map(Number), [1, 22]];
  },
  gemm: (from, to) => {
    const c = to("float32", "(2,2):(2,1)", counted(4));
    gemm(from("float32", "(2,3):(1,2)", counted(6)), from("float32", "(2,3):(3,1)", counted(6)), c);
    return [valuesOf(c), [1 + 1 + 9 + 25, 2 + 2 + 12 + 30, 3 + 2 + 12 + 30, 4 + 4 + 16 + 36]];
  },
  reduce: (from) => [reduce(from("float32", "(2,2):(2,1)", counted(4)), 10), 20],
  batchReduce: (from, to) => {
    const d = to("float32", "2:1", [10, 20]);
    batchReduce(from("float32", "(2,2):(2,1)", counted(4)), d);
    return [valuesOf(d), [13, 27]];
  },
  logicalReduce: (from, to) => {
    const d = to("float32", "2:1");
    logicalReduce(from("float32", "(2,2):(2,1)", counted(4)), d, [_, 0] as never);
    return [valuesOf(d), [4, 6]];
  },
  cooperativeCopy: (from, to) => {
    const [s, d] = [from("float32", "(2,3):(3,1)", counted(6)), to("float32", "6:1")];
    for (let thread = 0; thread < 4; thread++) cooperativeCopy(4, thread, s, d);
    return [valuesOf(d), counted(6)];
  },
};

const maker =
  (engine: EngineName): Make =>
  (dtype, text, values) =>
    tensorOn(engine, dtype, parseLayout(text) as Layout, values);

const table = Object.keys(runs).flatMap((name) =>
  engineNames.flatMap((from) => engineNames.map((to) => [name, from, to] as const)),
);

test.each(table)("%s from %s to %s", (name, from, to) => {
  const [got, expected] = (runs[name] as (typeof runs)[string])(maker(from), maker(to));
  expect(got).toEqual(expected);
});

describe("a const view refuses to be written by", () => {
  const constant = makeTensor(pointer(new Float32Array(4), { const: true }), 4) as Tensor;
  const four = makeTensor(new Float32Array(4), 4) as Tensor;
  test.each<[string, () => void]>([
    ["copy", () => copy(four, constant)],
    ["copyAligned", () => copyAligned(four, constant)],
    ["copyPlan", () => copyPlan(four, constant)],
    ["copyIf", () => copyIf(() => true, four, constant)],
    ["fill", () => fill(constant, 1)],
    ["clear", () => clear(constant)],
    ["transform", () => transform(constant, () => 1)],
    ["axpby", () => axpby(1, four, 1, constant)],
    ["gemm", () => gemm(four, four, constant)],
    ["cooperativeCopy", () => cooperativeCopy(2, 0, four, constant)],
  ])("%s", (name, run) => {
    expect(run).toThrow(WriteError);
    expect(run).toThrow(new RegExp(`^${name}: tensor \\(float32 \\[4\\]\\) is a const view and not writable`));
  });
});
