/**
 * DLPack descriptors: the codes of the specification, memory shared both ways, and a deleter that runs once.
 */
import { arange, fromBuffer, fromDLPack, tensor, zeros } from "stridewise";
import { expect, test } from "vitest";
import type { DType } from "../../storage/dtype.ts";

const codes: readonly [DType, number, number][] = [
  ["int8", 0, 8],
  ["int64", 0, 64],
  ["uint8", 1, 8],
  ["uint64", 1, 64],
  ["float16", 2, 16],
  ["float64", 2, 64],
  ["bfloat16", 4, 16],
  ["complex64", 5, 64],
  ["complex128", 5, 128],
  ["bool", 6, 8],
];

test.each(codes)("%s is code %i with %i bits", (dtype, code, bits) => {
  const t = tensor([1, 0], { dtype });
  const descriptor = t.toDLPack();
  expect(descriptor.dtype).toEqual({ code, bits, lanes: 1 });
  expect([fromDLPack(descriptor).dtype, fromDLPack(descriptor).toArray()]).toEqual([dtype, t.toArray()]);
});

test("a descriptor and the tensor made of it share the memory, at one address", () => {
  const t = arange(12).view([3, 4]).at(1).slice(0, null, null, -2);
  const descriptor = t.toDLPack();
  expect([descriptor.shape, descriptor.strides, descriptor.device, descriptor.data]).toEqual([
    [2],
    [-2],
    { type: 1, id: 0 },
    t.dataPtr(),
  ]);
  const back = fromDLPack(descriptor);
  back.set(0, 70);
  expect([t.toArray(), back.dataPtr() === t.dataPtr()]).toEqual([[70, 5], true]);
});

test("the memory is held until the deleter has run, once", () => {
  const t = zeros([4]);
  const { storage } = t;
  const descriptor = t.toDLPack();
  expect(storage.useCount).toBe(2);
  const back = fromDLPack(descriptor);
  const view = back.view([2, 2]);
  t.dispose();
  expect(view.toArray()).toEqual([
    [0, 0],
    [0, 0],
  ]);
  back.dispose();
  expect(storage.useCount).toBe(1);
  view.dispose();
  expect(storage.useCount).toBe(0);
  descriptor.deleter?.();
  expect(storage.useCount).toBe(0);
});

test("memory of another library is taken as it is", () => {
  const buffer = Int16Array.of(1, 2, 3, 4, 5, 6).buffer;
  const common = { data: 0, buffer, byteOffset: 2, device: { type: 1, id: 0 }, dtype: { code: 0, bits: 16, lanes: 1 } };
  expect(fromDLPack({ ...common, shape: [2, 2], strides: null, readOnly: false }).toArray()).toEqual([
    [2, 3],
    [4, 5],
  ]);
  const fixed = fromDLPack({ ...common, shape: [2], strides: [3], readOnly: true });
  expect(fixed.toArray()).toEqual([2, 5]);
  expect(() => fixed.set(0, 1)).toThrow("is a const view");
  expect(fromBuffer(new Int8Array(1), { const: true }).toDLPack().readOnly).toBe(true);
});

test("capsules that cannot be read throw", () => {
  const good = zeros([2]).toDLPack();
  expect(() => fromDLPack({ ...good, device: { type: 2, id: 0 } })).toThrow(
    "only device type 1, the CPU, can be read here, got 2",
  );
  expect(() => fromDLPack({ ...good, dtype: { code: 2, bits: 8, lanes: 1 } })).toThrow(
    "no dtype for (code 2, bits 8, lanes 1)",
  );
  expect(() => fromDLPack({ ...good, dtype: { code: 2, bits: 32, lanes: 4 } })).toThrow("lanes 4");
  expect(() => fromDLPack({ ...good, byteOffset: 3 })).toThrow(
    "byte offset 3 is not a multiple of the 4 bytes of float32",
  );
  expect(() => fromDLPack({ ...good, shape: [2 ** 40] })).toThrow("but the memory has");
  expect(() => fromDLPack({} as never)).toThrow("fromDLPack: needs a descriptor");
});
