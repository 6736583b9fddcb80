/** Ops that take indices accept tensors of every integer dtype, nested arrays and typed arrays of integers, with the same results. */
import { describe, expect, test } from "vitest";
import {
  type DType,
  embedding,
  gather,
  indexAdd,
  indexAdd_,
  indexFill,
  indexPut,
  indexSelect,
  oneHot,
  ones,
  put,
  repeatInterleave,
  scatter,
  scatterAdd_,
  type Tensor,
  take,
  takeAlongDim,
  tensor,
  vmap,
  zeros,
} from "../../src/index.ts";

const x = tensor([
  [1, 2, 3],
  [4, 5, 6],
]) as Tensor;

type Any = never;
/** Calls by a list of two indices, 0 and 1, or a matrix of them. */
const calls: Readonly<Record<string, (list: unknown, matrix: unknown) => Tensor>> = {
  indexSelect: (list) => indexSelect(x, 1, list as Any),
  "indexSelect method": (list) => x.indexSelect(1, list as Any),
  gather: (_, matrix) => gather(x, 0, matrix as Any),
  take: (_, matrix) => take(x, matrix as Any),
  takeAlongDim: (_, matrix) => takeAlongDim(x, matrix as Any, 1),
  scatter: (_, matrix) => scatter(x, 1, matrix as Any, 9),
  scatterAdd_: (_, matrix) => scatterAdd_(x.clone(), 1, matrix as Any, ones([2, 2])) as Tensor,
  indexAdd: (list) => indexAdd(x, 0, list as Any, ones([2, 3])),
  indexAdd_: (list) => indexAdd_(x.clone(), 0, list as Any, ones([2, 3])) as Tensor,
  indexFill: (list) => indexFill(x, 1, list as Any, 0),
  put: (list) => put(x, list as Any, tensor([7, 8])),
  embedding: (_, matrix) => embedding(matrix as Any, x),
  oneHot: (list) => oneHot(list as Any, 2) as Tensor,
  repeatInterleave: (list) => repeatInterleave(x, list as Any, 0),
};
const integers: readonly DType[] = ["uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64"];
const [list, matrix] = [[0, 1], [[0, 1], [1, 0]]]; // biome-ignore format: one line

describe.each(Object.entries(calls))("%s", (_, call) => {
  const expected = call(tensor(list, { dtype: "int32" }), tensor(matrix, { dtype: "int32" }));
  const same = (result: Tensor): void => {
    expect([result.dtype, result.toArray()]).toEqual([expected.dtype, expected.toArray()]);
  };
  test.each(integers)("takes %s tensors", (dtype) => {
    same(call(tensor(list, { dtype }), tensor(matrix, { dtype })));
  });
  test("takes arrays, of bigints too, and typed arrays", () => {
    same(call(list, matrix));
    same(call([0n, 1n], [[0n, 1n], [1n, 0n]])); // biome-ignore format: one line
    const typed = call(Int16Array.of(0, 1), matrix);
    same(typed);
  });
  test("refuses floats, bools and fractions", () => {
    expect(() => call(tensor([0, 1]), tensor(matrix))).toThrow(/must be (int|integers)/);
    expect(() => call(tensor([false, true]), tensor([[true], [false]]))).toThrow(/must be/);
    expect(() => call([0.5, 1], [[0.5, 1]])).toThrow(/must hold integers, got 0.5/);
    expect(() => call(Float32Array.of(0, 1), Float32Array.of(0, 1))).toThrow(/must be/);
  });
});

test("indexPut takes a list for each axis; uint8 tensors are indices", () => {
  const expected = indexPut(
    x,
    [tensor([0, 1], { dtype: "int64" }), tensor([2, 0], { dtype: "int64" })],
    tensor([7, 8]),
  );
  expect(indexPut(x, [[0, 1], [2, 0]], tensor([7, 8])).toArray()).toEqual(expected.toArray()); // biome-ignore format: one line
  expect(indexPut(x, [null, [2]], tensor([9])).toArray()).toEqual([
    [1, 2, 9],
    [4, 5, 9],
  ]);
  expect(indexPut(x, [tensor([1, 0], { dtype: "uint8" })], tensor([0])).toArray()).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
});

test("indices past 2^31 are int64, and are checked", () => {
  expect(() => take(x, [2 ** 40])).toThrow(`take: index ${2 ** 40} is out of bounds for 6 elements`);
  expect(() => indexSelect(x, 0, [3])).toThrow("indexSelect: index 3 is out of bounds for size 2");
  expect(() => indexSelect(x, 0, [[0], [1, 2]] as never)).toThrow(/^indexSelect: expected/);
});

test("gradients, vmap and the meta device", () => {
  const w = tensor([1, 2, 3]).requiresGrad_();
  take(w, [2, 2, 0]).sum().backward();
  expect((w.grad as Tensor).toArray()).toEqual([1, 0, 2]);
  const rows = vmap((row: Tensor, index: Tensor) => row.take(index))(x, tensor([[0], [2]], { dtype: "uint8" }));
  expect((rows as Tensor).toArray()).toEqual([[1], [6]]);
  expect(indexSelect(zeros([2, 3], { device: "meta" }), 1, [0, 2]).shape).toEqual([2, 2]);
});
