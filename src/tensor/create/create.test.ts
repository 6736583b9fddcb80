/**
 * New tensors of a shape: their geometry, dtypes and values, those shaped like another, and constants.
 */
import {
  constant,
  type DType,
  empty,
  emptyLike,
  eye,
  fromFunction,
  full,
  fullLike,
  ones,
  onesLike,
  tensor,
  zeros,
  zerosLike,
} from "stridewise";
import { describe, expect, test } from "vitest";
import { dtypeNames } from "../../storage/dtype.ts";

describe.each(dtypeNames)("%s", (dtype) => {
  test("zeros, ones and full fill every element", () => {
    for (const shape of [[], [0], [3], [2, 3], [5, 1, 130]]) {
      const count = shape.reduce((a, b) => a * b, 1);
      const values = (t: { toTypedArray(): ArrayLike<number | bigint> }) => Array.from(t.toTypedArray(), Number);
      const complexParts = dtype.startsWith("complex") ? 2 : 1;
      const all = (value: number) =>
        Array.from({ length: count * complexParts }, (_, i) => (i % complexParts ? 0 : value));
      expect(values(zeros(shape, { dtype }))).toEqual(all(0));
      expect(values(ones(shape, { dtype }))).toEqual(all(1));
      expect(values(full(shape, 7, { dtype }))).toEqual(all(dtype === "bool" ? 1 : 7));
      expect(empty(shape, { dtype }).nbytes).toBe(count * zeros([], { dtype }).itemsize);
    }
  });
});

test("fresh tensors are row-major, owning, and of the default dtype", () => {
  for (const t of [empty([2, 3, 4]), zeros([2, 3, 4]), ones([2, 3, 4]), full([2, 3, 4], 1)]) {
    expect([t.stride, t.ownership, t.dtype, t.storageOffset, t.version]).toEqual([
      [12, 4, 1],
      "owning",
      "float32",
      0,
      0,
    ]);
    expect(t.storage.useCount).toBe(1);
  }
});

test("a memory format says which axis varies fastest", () => {
  expect(zeros([2, 3, 4, 5], { memoryFormat: "channelsLast" }).stride).toEqual([60, 1, 15, 3]);
  expect(() => zeros([2, 3], { memoryFormat: "channelsLast" })).toThrow("zeros: channelsLast needs 4 axes, got");
});

test("the value of full gives the dtype", () => {
  const tensors = [
    full([], 1),
    full([], true),
    full([], 2n),
    full([], { re: 1, im: 2 }),
    full([], tensor(1, { dtype: "int8" })),
  ];
  expect(tensors.map((t) => t.dtype)).toEqual(["float32", "bool", "int64", "complex64", "int8"] satisfies DType[]);
});

test("a tensor of one element serves as a scalar, whatever its rank; a larger one does not", () => {
  for (const scalar of [tensor(3), tensor([3]), tensor([[3]])]) {
    expect(full([2], scalar).toArray()).toEqual([3, 3]);
    expect(zeros([2]).fill_(scalar).toArray()).toEqual([3, 3]);
    expect(constant(scalar, [2]).toArray()).toEqual([3, 3]);
  }
  const exact = 2n ** 62n + 1n;
  expect(full([1], tensor([exact])).itemBigInt()).toBe(exact);
  expect(full([], tensor([1, 2]).at(1)).item()).toBe(2);
  expect(() => full([2], tensor([1, 2]))).toThrow(
    "full: a scalar must be a value or a tensor with one element, got a tensor of shape [2]",
  );
  expect(() => zeros([2]).fill_(tensor([1, 2]))).toThrow("fill_: a scalar must be");
});

test("a value that the dtype cannot hold is refused wherever it is written", () => {
  const t = zeros([2], { dtype: "int8" });
  for (const write of [() => t.set(0, 300), () => t.fill_(300), () => t.fill_(tensor(300))])
    expect(write).toThrow("value cannot be converted to type int8 without overflow");
  expect(() => t.fill_(NaN)).toThrow(
    "fill_: int8 does not hold NaN. Round or wrap it first, or convert the tensor with to(dtype).",
  );
  expect(() => t.set(0, "5" as never)).toThrow(
    "set: an element must be a number, bigint, boolean or { re, im }, got string",
  );
  t.set(1, tensor([7]));
  expect([t.toArray(), t.version]).toEqual([[0, 7], 1]);
});

test("invalid shapes, dtypes and values throw a named error", () => {
  expect(() => zeros([2, -1])).toThrow("zeros: -1 is not a size in [2, -1]; sizes must be non-negative integers");
  expect(() => zeros(3 as never)).toThrow("zeros: shape must be an array, got 3. Write [3]");
  expect(() => zeros(2 as never, 3 as never)).toThrow(
    "zeros: shape must be an array, got 2 and 3. Write zeros([2, 3])",
  );
  expect(() => ones([1], { dtype: "float" as never })).toThrow('ones: "float" is not a dtype. Did you mean "float32"?');
  expect(() => full([1], 300, { dtype: "int8" })).toThrow("full: value cannot be converted to type int8");
});

test("a constant is one element with strides of 0, and not writable", () => {
  for (const t of [constant(3, [2, 5]), full([2, 5], 3, { constant: true })]) {
    expect([t.shape, t.stride, t.storage.nbytes, t.ownership]).toEqual([[2, 5], [0, 0], 4, "const"]);
    expect(t.toArray()).toEqual([
      [3, 3, 3, 3, 3],
      [3, 3, 3, 3, 3],
    ]);
    for (const write of [() => t.set(0, 0, 1), () => t.fill_(1), () => t.at(0).fill_(1), () => t.copy_(zeros([2, 5]))])
      expect(write).toThrow("not writable. Write to a copy: clone()");
    const copy = t.clone();
    copy.set(1, 1, 4);
    expect([copy.get(1, 1), copy.get(0, 0), copy.storage.nbytes]).toEqual([4, 3, 40]);
  }
  expect(zeros([3], { constant: true }).stride).toEqual([0]);
  expect(ones([3], { constant: true, dtype: "int8" }).storage.nbytes).toBe(1);
  expect(constant(2).item()).toBe(2);
});

test("eye has ones exactly where row and column agree", () => {
  for (const [rows, columns] of [
    [0, 0],
    [1, 1],
    [3, 3],
    [2, 4],
    [4, 2],
    [3, 0],
  ] as const) {
    const expected = Array.from({ length: rows }, (_, i) =>
      Array.from({ length: columns }, (_unused, j) => (i === j ? 1 : 0)),
    );
    expect(eye(rows, columns).toArray()).toEqual(expected);
  }
  expect(eye(2, 2, { dtype: "bool" }).toArray()).toEqual([
    [true, false],
    [false, true],
  ]);
  const square = eye(3, { dtype: "int8", device: "meta" });
  expect([square.shape, square.dtype, square.device.type]).toEqual([[3, 3], "int8", "meta"]);
});

test("the ones shaped like another may be on another device", () => {
  const t = zeros([2, 3], { names: ["a", "b"] }).T;
  for (const device of ["cpu", "meta"] as const)
    for (const other of [t, zerosLike(t, { device: "meta" })])
      for (const like of [emptyLike(other, { device }), fullLike(other, 7, { device }), zerosLike(other, { device })]) {
        expect([like.device.type, like.shape, like.stride]).toEqual([device, [3, 2], [1, 3]]);
        expect(like.names).toEqual(["b", "a"]);
      }
  expect(zerosLike(zerosLike(t, { device: "meta" }), { device: "cpu" }).toArray()).toEqual(t.toArray());
  expect(() => zerosLike(t, { device: "gpu" as never })).toThrow(
    "zerosLike: there is no device 'gpu'; the devices are cpu and meta",
  );
});

test("the ones shaped like another keep shape, dtype, names and the order of its strides", () => {
  const t = zeros([2, 3, 4], { dtype: "int16", names: ["a", "b", "c"] }).permute(2, 0, 1);
  for (const like of [emptyLike(t), zerosLike(t), onesLike(t), fullLike(t, 7)])
    expect([like.shape, like.stride, like.dtype, like.names]).toEqual([
      [4, 2, 3],
      [1, 12, 4],
      "int16",
      ["c", "a", "b"],
    ]);
  expect(zerosLike(t, { memoryFormat: "contiguous" }).stride).toEqual([6, 3, 1]);
  expect(onesLike(t, { dtype: "float64" }).toTypedArray()).toEqual(new Float64Array(24).fill(1));
  expect(fullLike(t, 7).toTypedArray()).toEqual(new Int16Array(24).fill(7));
  expect(zerosLike(zeros([1]).expand(3)).stride).toEqual([1]);
});

test("fromFunction calls once for each index, in row-major order", () => {
  const calls: number[][] = [];
  const t = fromFunction([2, 3], (i, j) => {
    calls.push([i, j]);
    return 10 * i + j;
  });
  expect(calls).toEqual([
    [0, 0],
    [0, 1],
    [0, 2],
    [1, 0],
    [1, 1],
    [1, 2],
  ]);
  expect(t.toArray()).toEqual([
    [0, 1, 2],
    [10, 11, 12],
  ]);
  expect([t.ownership, t.isView, t.storage.useCount]).toEqual(["owning", false, 1]);
  expect(fromFunction([], () => 5n).dtype).toBe("int64");
  expect(fromFunction([2, 0], () => 1).shape).toEqual([2, 0]);
  expect(fromFunction([2], (i) => i === 1, { names: ["x"] }).names).toEqual(["x"]);
  expect(fromFunction([2], (i) => zeros([1]).item() + i, { dtype: "int8" }).toArray()).toEqual([0, 1]);
});

test("a sparse format throws a named error", () => {
  for (const make of [
    () => zeros([2], { format: "sparse_coo" as "strided" }),
    () => tensor([1], { format: "sparse_csr" as "strided" }),
  ])
    expect(make).toThrow(
      /the format 'sparse_\w+' does not exist here; every tensor is strided\. Keep the indices and values of a sparse one as two tensors/,
    );
  expect(zeros([2]).format).toBe("strided");
});
