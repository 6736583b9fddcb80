/**
 * The zero-copy window: what it shares, when it is refused, and what growth, dispose() and garbage collection do to it.
 */
import { arange, constant, type DType, fromBuffer, tensor, zeros } from "stridewise";
import { expect, test } from "vitest";
import { CpuAllocator } from "../../storage/allocator.ts";
import { Storage } from "../../storage/storage.ts";
import { tensorOver } from "../tensor.ts";
import { rawView } from "./raw-view.ts";

test("writes on either side are seen on the other", () => {
  const t = zeros([2, 3]);
  const raw = t.rawView();
  raw.array[4] = 5;
  t.set(0, 1, 7);
  expect([t.get(1, 1), raw.array[1], raw.array.length]).toEqual([5, 7, 6]);
  expect(raw.array).toBe(raw.array);
});

test("a part that is contiguous has a window of just its elements", () => {
  expect([...arange(6).view([3, 2]).at(1).rawView().array]).toEqual([2, 3]);
  expect([...zeros([0]).rawView().array]).toEqual([]);
});

const kinds: readonly [DType, string, number][] = [
  ["bool", "Uint8Array", 2],
  ["float16", "Uint16Array", 2],
  ["bfloat16", "Uint16Array", 2],
  ["int64", "BigInt64Array", 2],
  ["complex64", "Float32Array", 4],
  ["float64", "Float64Array", 2],
];

test.each(kinds)("the window of %s is a %s", (dtype, name, length) => {
  const { array } = zeros([2], { dtype }).rawView();
  expect([array.constructor.name, array.length]).toEqual([name, length]);
});

test("a window of fromBuffer's memory is over that memory", () => {
  const mine = new Float32Array(4);
  expect(fromBuffer(mine).rawView().array.buffer).toBe(mine.buffer);
});

test("tensors that are not row-major throw, with the reason and a remedy", () => {
  const t = arange(6).view([2, 3]);
  expect(() => t.T.rawView()).toThrow(
    "rawView: the elements of shape [3, 2] with strides [1, 3] are not contiguous in row-major order",
  );
  expect(() => t.T.rawView()).toThrow('rawView({ order: "memory" })');
  expect([...t.T.rawView({ order: "memory" }).array]).toEqual([0, 1, 2, 3, 4, 5]);
  expect(() => t.slice(1, 0, 2).rawView({ order: "memory" })).toThrow(
    "are not contiguous in memory. Take a copy: toTypedArray()",
  );
  expect(() => zeros([1]).expand(3).rawView()).toThrow("strides [0]");
  expect(() => constant(1, [1]).rawView()).toThrow("is a const view. Take a copy: toTypedArray()");
});

test("dispose() ends the view, and it says so", () => {
  const t = zeros([4]);
  const raw = t.rawView();
  const window = raw.array;
  expect(raw.isCurrent(window)).toBe(true);
  t.dispose();
  expect(raw.isCurrent(window)).toBe(false);
  expect(() => raw.array).toThrow("was disposed");
});

test("another storage under the tensor ends the view", () => {
  const t = zeros([4]);
  const raw = t.rawView();
  const window = raw.array;
  t.data = tensor([1, 2, 3, 4]);
  expect(raw.isCurrent(window)).toBe(false);
  expect(() => raw.array).toThrow("rawView: the storage of the tensor was replaced by set_ or data");
});

test.each([true, false])("growth of the heap (shared: %s) leaves a view that knows", (shared) => {
  const allocator = new CpuAllocator({ shared, initialPages: 4 });
  const t = tensorOver(Storage.allocate(4000 * 4, { allocator }), "float32", 0, [4000], [1]);
  const raw = rawView(t);
  const before = raw.array as Float32Array;
  before[3] = 42;
  Storage.allocate(2 ** 22, { allocator });
  // Shared memory grows without ending its windows; unshared memory cannot.
  expect(raw.isCurrent(before)).toBe(shared);
  const after = raw.array as Float32Array;
  expect([after[3], raw.isCurrent(after), after === before]).toEqual([42, true, shared]);
  after[3] = 43;
  expect(rawView(t).array[3]).toBe(43);
});

test("the memory does not move, and cannot be resized, while a window shows it", () => {
  const t = zeros([4]);
  const raw = t.rawView();
  const address = t.dataPtr();
  expect(() => t.resize_([1000])).toThrow("the storage wraps memory that you own, or has a raw view");
  expect([t.dataPtr(), raw.isCurrent(raw.array)]).toEqual([address, true]);
});

test("in the order of memory a window starts at the lowest element, even of a reversed axis", () => {
  const t = tensor([1, 2, 3, 4, 5, 6]).view(2, 3).slice(1, null, null, -1);
  const { array } = t.rawView({ order: "memory" });
  expect([...array]).toEqual([1, 2, 3, 4, 5, 6]);
  array[2] = 30;
  expect(t.get(0, 0)).toBe(30);
});
