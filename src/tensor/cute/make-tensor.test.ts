/** makeTensor: its argument forms, spaces, addresses, bounds and types. The documents' examples are in cute-documents.test.ts. */
import { describe, expect, expectTypeOf, test } from "vitest";
import { sym } from "../../expr/index.ts";
import { composition as composeLayouts } from "../../layout/algebra/composition.ts";
import { _, _1, _4, _8, int, makeLayout, swizzle } from "../../layout/index.ts";
import { parseLayout } from "../../layout/notation.ts";
import { dtypeNames } from "../../storage/dtype.ts";
import { counting } from "../engines/computed-engines.ts";
import { constPtr, gmem, pointer, rmem, smem } from "../engines/pointers.ts";
import type { StorageEngine } from "../engines/storage-engine.ts";
import { installMethods } from "../install.ts";
import type { Tensor } from "../tensor.ts";
import { makeTensorLike, makeZipTensor } from "./make-like.ts";
import { makeTensor } from "./make-tensor.ts";
import { zippedDivide } from "./tensor-modes.ts";

installMethods();

const A = Float32Array.from({ length: 24 }, (_unused, i) => i);

describe("owning tensors", () => {
  test("have elements of every dtype, all 0", () => {
    for (const dtype of dtypeNames) {
      const t = makeTensor(dtype, [_4, int(3)]) as Tensor;
      expect(t.dtype).toBe(dtype);
      expect(t.describe()).toContain(`ptr[${8 * t.itemsize}b]`);
      const zero = dtype === "bool" ? false : dtype.startsWith("complex") ? { re: 0, im: 0 } : 0;
      expect(t.get(3, 2), dtype).toEqual(zero);
    }
  });

  test("allocate memory for negative strides and swizzles", () => {
    const back = makeTensor("int32", [_4], [int(-1)]);
    for (let i = 0; i < 4; i++) back.set(i, 10 + i);
    expect(back.toArray()).toEqual([10, 11, 12, 13]);
    expect(back.storage.nbytes).toBe(16);
    const swizzled = makeTensor("int32", composeLayouts(swizzle(3, 0, 3), makeLayout([_8, _8], "right")));
    for (let i = 0; i < 64; i++) swizzled.setColMajor(i, i);
    for (let i = 0; i < 64; i++) expect(swizzled.getColMajor(i)).toBe(i);
  });

  test.each([
    [[_4, 8], undefined, "the size of mode 1 of (_4,8):(_1,_4) is dynamic, 8. Write int(8) to make it static"],
    [[_4, _8], [1, _4], "the stride of mode 0 of (_4,_8):(1,_4) is dynamic, 1. Write int(1)"],
    [[_4, [_8, 3]], undefined, "the size of mode 1,1 of (_4,(_8,3)):(_1,(_4,_32)) is dynamic, 3"],
    [5, undefined, "the size of mode 0 of 5:_1 is dynamic, 5"],
  ])("need a static layout, with the reason: %j %j", (shape, stride, message) => {
    const make = (): Tensor =>
      stride === undefined
        ? makeTensor("float32", shape as never)
        : makeTensor("float32", shape as never, stride as never);
    expect(make).toThrow("is in registers, which CuTe allocates at compile time, so its layout must be static");
    expect(make).toThrow(message);
  });
});

describe("pointers", () => {
  test.each([
    ["none", A, "ptr"],
    ["gmem", gmem(A), "gmem_ptr"],
    ["smem", smem(A), "smem_ptr"],
    ["rmem", rmem(A), "ptr"],
  ] as const)("share the memory and keep the space %s through slices, views and partitions", (space, where, name) => {
    const t: Tensor = makeTensor(where, [4, 6]);
    const views = [t.at(_, 1), t.at(2, _), zippedDivide(t, [2, 3]), t.localTile([2, 3], [1, 0]), t.transpose(0, 1)];
    for (const view of [t, ...views]) {
      expect(view.space).toBe(space);
      expect(view.describe().startsWith(`${name}[32b](0x`)).toBe(true);
    }
    t.set(1, 2, 99);
    expect(A[9]).toBe(99);
    A[9] = 9;
    expect(t.get(1, 2)).toBe(9);
  });

  test("to a buffer need a dtype, to other targets may set another one", () => {
    const bytes = new ArrayBuffer(16);
    expect(() => makeTensor(bytes, 4)).toThrow("a buffer has no dtype. Pass one");
    const t = makeTensor(gmem(bytes, { dtype: "int16" }), [4, 2]);
    t.set(3, 1, -5);
    expect(new Int16Array(bytes)[7]).toBe(-5);
    const halves = makeTensor(pointer(new Uint16Array([0x3c00, 0xc000]), { dtype: "float16" }), 2);
    expect(halves.toArray()).toEqual([1, -2]);
    expect(() => pointer(new Uint8Array(new ArrayBuffer(16), 2, 8), { dtype: "float32" })).toThrow(
      "starts at byte 2 of its buffer, which is not a multiple",
    );
    expect(() => pointer(new Uint8Array(6), { dtype: "float32" })).toThrow(
      "6 bytes are not a multiple of the 4 bytes of float32",
    );
    expect(() => gmem([1, 2] as never)).toThrow("an array is not memory; pass a typed array");
  });

  test("that are const reject writes, and so do views of them", () => {
    for (const where of [gmem(A, { const: true }), constPtr(A)]) {
      const t = makeTensor(where, [4, 6]);
      expect(t.ownership).toBe("const");
      expect(() => t.set(0, 0, 1)).toThrow("const view and not writable");
      expect(() => t.at(_, 1).set(0, 1)).toThrow("const view and not writable");
      expect(() => makeTensor(gmem(t), 8).set(0, 1)).toThrow("const view and not writable");
      expect(() => makeTensor(gmem(t, { const: false }), 8).set(0, 1)).toThrow("const view and not writable");
      expect(t.get(1, 1)).toBe(5);
    }
  });

  test("to a tensor start at its element 0 and share its version", () => {
    const t = makeTensor(gmem(A), [4, 6]);
    const column = makeTensor(smem(t.at(_, 2)), [2, 2]);
    expect([column.storageOffset, column.space, column.get(1, 1)]).toEqual([8, "smem", 11]);
    const before = t.version;
    column.set(0, 0, 8);
    expect(t.version).toBe(before + 1);
    expect(() => gmem(t, { dtype: "int32" })).toThrow('View it first: tensor.view("int32")');
  });

  test("may be the engine of another tensor", () => {
    const t = makeTensor(gmem(A), [4, 6]);
    const engine = t.at(_, 3).engine as StorageEngine;
    expect([engine.kind, engine.offset, engine.dtype, engine.space, engine.read(2)]).toEqual([
      "view",
      12,
      "float32",
      "gmem",
      14,
    ]);
    expect(() => gmem(engine, { dtype: "int8" })).toThrow("elements of type float32, not int8");
    expect(() => gmem(counting(), { dtype: "float32" })).toThrow("elements of type int32, not float32");
    const again = makeTensor(engine, [2, 3]);
    expect([again.get(1, 2), again.space, again.dataPtr()]).toEqual([17, "gmem", t.dataPtr([0, 3])]);
  });
});

test("addresses are equal if and only if the first element is the same", () => {
  const t = makeTensor(A, [4, 6]);
  const offset = new Float32Array(A.buffer, 16, 8);
  expect(makeTensor(offset, 8).dataPtr()).toBe(t.dataPtr([0, 1]));
  expect(makeTensor(gmem(A), 3).dataPtr()).toBe(t.dataPtr());
  expect(makeTensor(A.slice(), 24).dataPtr()).not.toBe(t.dataPtr());
  const all = new Set(Array.from({ length: 24 }, (_unused, i) => t.dataPtr([i % 4, Math.floor(i / 4)])));
  expect(all.size).toBe(24);
});

test.each([
  [[4, 7], undefined, "reaches offsets 0 to 27, but the memory has 24 elements of float32, 0 to 23"],
  [[4, 6], [6, 2], "reaches offsets 0 to 28"],
  [4, -1, "reaches offsets -3 to 0"],
])("a layout outside the memory is refused: %j %j", (shape, stride, message) => {
  const make = (): Tensor =>
    stride === undefined ? makeTensor(A, shape as never) : makeTensor(A, shape as never, stride as never);
  expect(make).toThrow(message);
  expect(make).toThrow(stride === -1 ? "Begin 3 elements later" : "Pass a smaller layout or more memory");
});

test("bounds count from the element a pointer points to", () => {
  const t = makeTensor(A, [4, 6]);
  expect(makeTensor(t.at(_, 5), [2, 2], [-4, -8]).get(1, 1)).toBe(8);
  expect(() => makeTensor(t.at(_, 5), 5)).toThrow("from element 20 reaches offsets 0 to 4");
  expect(() => makeTensor(t.at(_, 5), [2, 2], [-4, -18])).toThrow("reaches offsets -22 to 0");
  expect(makeTensor(new Float32Array(0), [0, 5]).size).toBe(0);
});

test("layouts that memory cannot follow are refused", () => {
  expect(() => makeTensor(A, parseLayout("(4,5):(_1@0,_1@1)"))).toThrow("are coordinates, but memory needs numbers");
  expect(() => makeTensor(A, makeLayout([4, sym("n")]))).toThrow("has the symbol n, but memory needs numbers");
  expect(() => makeTensor(A, makeLayout(4) as never, 2 as never)).toThrow("already has strides");
  expect(() => makeTensor("float23" as never, _4)).toThrow('"float23" is not a dtype');
});

test("tensors derived from others", () => {
  const rows = makeTensor(gmem(A), [_4, int(6)], "right");
  expect(makeTensorLike(rows).describe()).toContain("o (_4,_6):(_6,_1)");
  expect(makeTensorLike(rows, "int8").dtype).toBe("int8");
  expect(() => makeTensorLike(makeTensor(A, [4, 6]))).toThrow("its layout must be static");
  expect(() => makeZipTensor(rows, makeTensor(A, [4, 5]))).toThrow("shapes must be equal");
  expect(() => makeZipTensor(rows, makeTensor(A, [6, 4]))).toThrow("shapes must be equal");
  expect(() => makeZipTensor(rows, 5 as never)).toThrow("makeZipTensor: needs a tensor, got 5");
});

test("types show sizes, dtype and space", () => {
  expectTypeOf(makeTensor("float16", [_4, [_8, int(2)]])).toEqualTypeOf<Tensor<[4, 16], "float16", "rmem">>();
  expectTypeOf(makeTensor(gmem(A), [_8, 3], [_1, 8])).toEqualTypeOf<Tensor<[8, 3], "float32", "gmem">>();
  expectTypeOf(makeTensor(new Int8Array(8), makeLayout(_8))).toEqualTypeOf<Tensor<[8], "int8", "none">>();
  expectTypeOf(makeTensor(smem(new ArrayBuffer(8), { dtype: "bfloat16" }), 4)).toEqualTypeOf<
    Tensor<[4], "bfloat16", "smem">
  >();
  const n: number = A.length;
  expectTypeOf(makeTensor(gmem(A), [n, 1])).toEqualTypeOf<Tensor<[number, 1], "float32", "gmem">>();
  expectTypeOf(makeTensor(counting(), n)).toEqualTypeOf<Tensor<[number], "int32", "none">>();
  const part = makeTensor(gmem(A), [_4, _1]).localTile([2, 1], [0, 0]);
  expectTypeOf(part.space).toEqualTypeOf<"gmem">();
});
