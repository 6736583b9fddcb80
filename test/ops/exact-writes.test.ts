/**
 * A number written into a tensor of integers must be exactly representable, or the write throws: for every function
 * that writes one. If the dtype is passed with the value, it is a conversion, as in PyTorch. Tensors are converted,
 * whatever their elements.
 */
import {
  constant,
  constantPadNd,
  copy,
  fill,
  full,
  fullLike,
  indexFill,
  maskedFill,
  pad,
  scatter,
  type Tensor,
  tensor,
  where,
  zeros,
} from "stridewise";
import { describe, expect, test } from "vitest";

const mask = tensor([true, false, true]);
const first = tensor([0n]);
type Write = (t: Tensor, value: number) => unknown;

/** All functions that write a number. */
const writers: Readonly<Record<string, Write>> = {
  set: (t, value) => t.set(0, value),
  setColMajor: (t, value) => t.setColMajor(0, value),
  "set of a tensor": (t, value) => t.set(0, tensor(value, { dtype: "float64" })),
  fill_: (t, value) => t.fill_(value),
  assign: (t, value) => t.assign(value),
  "assign of a list": (t, value) => t.assign([0, value, 0]),
  "assign to a part": (t, value) => t.at(0).assign(value),
  assignAt: (t, value) => t.assignAt([0], value),
  "assignAt by a mask": (t, value) => t.assignAt([mask], value),
  "assignAt of a list": (t, value) => t.view(1, 3).assignAt([0], [[value, 0, 0]]),
  maskedFill: (t, value) => maskedFill(t, mask, value),
  maskedFill_: (t, value) => t.maskedFill_(mask, value),
  indexFill: (t, value) => indexFill(t, 0, first, value),
  scatter: (t, value) => scatter(t, 0, first, value),
  pad: (t, value) => pad(t, [1, 1], { value }),
  constantPadNd: (t, value) => constantPadNd(t, [1, 1], value),
  where: (t, value) => where(mask, t, value),
  fullLike: (t, value) => fullLike(t, value),
  "fill of CuTe": (t, value) => fill(t, value),
};

describe.each(Object.entries(writers))("%s", (_name, write) => {
  test.each([
    ["int32", 1.5],
    ["int32", Number.NaN],
    ["int32", Infinity],
    ["int32", 2 ** 31],
    ["uint8", 300],
    ["int64", 0.5],
    ["uint64", -0.5],
  ] as const)("%s refuses %d, and nothing is written", (dtype, value) => {
    const t = zeros([3], { dtype }) as Tensor;
    expect(() => write(t, value)).toThrow(expect.objectContaining({ name: "DTypeError" }));
    expect(() => write(t, value)).toThrow(new RegExp(`${value}.*${dtype}|${dtype}.*${value}`));
    expect([t.toArray(), t.version]).toEqual([[0, 0, 0], 0]);
  });
  test("accepts integers, and floats accept everything", () => {
    write(zeros([3], { dtype: "int32" }) as Tensor, 7);
    write(zeros([3]) as Tensor, 1.5);
    write(zeros([3]) as Tensor, Number.NaN);
  });
});

test("an unsigned integer cannot hold a negative one", () => {
  const t = zeros([3], { dtype: "uint8" });
  expect(() => t.set(0, -1)).toThrow("set: uint8 does not hold -1. Round or wrap it first");
  expect(() => t.fill_(-1)).toThrow("fill_: uint8 does not hold -1");
  expect(t.toArray()).toEqual([0, 0, 0]);
});

test("a dtype passed with the value converts it, and tensors are converted", () => {
  expect(tensor([1.5], { dtype: "int32" }).toArray()).toEqual([1]);
  expect(full([1], -1.5, { dtype: "int32" }).toArray()).toEqual([-1]);
  expect(constant(1.5, [1], { dtype: "int32" }).toArray()).toEqual([1]);
  expect(fullLike(zeros([1]), 1.5, { dtype: "int32" }).toArray()).toEqual([1]);
  const t = zeros([2], { dtype: "int32" });
  expect(t.copy_(tensor([1.5, 2.5])).toArray()).toEqual([1, 2]);
  expect(t.assign(new Float32Array([3.5, 4.5])).toArray()).toEqual([3, 4]);
  copy(tensor([1.5, 2.5]), t);
  expect(t.toArray()).toEqual([1, 2]);
});
