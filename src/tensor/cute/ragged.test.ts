/**
 * Tiles that reach past their tensor: operations on the whole tile throw and change nothing, elements inside can be read and written.
 */
import { describe, expect, it } from "vitest";
import { StorageError } from "../../base/errors.ts";
import { composition, int, makeLayout, swizzle } from "../../layout/index.ts";
import {
  axpby,
  clear,
  cooperativeCopy,
  copy,
  copyIf,
  fill,
  forEach,
  gemm,
  reduce,
  transform,
} from "../algorithms/index.ts";
import { installMethods } from "../install.ts";
import { inspectTensor, printTensor } from "../print/print.ts";
import type { Tensor } from "../tensor.ts";
import { makeTensor } from "./make-tensor.ts";
import { localTile, outerPartition } from "./partition.ts";

installMethods();

const guard = 8;

/** A 4 x 6 matrix with guards around it in one buffer, and its last tile of 3 x 4. */
function raggedTile(layout = makeLayout([4, 6])): { memory: Float32Array; matrix: Tensor; tile: Tensor } {
  const memory = Float32Array.from({ length: 24 + 2 * guard }, (_, i) => i - guard);
  const matrix = makeTensor(memory.subarray(guard, guard + 24), layout) as Tensor;
  return { memory, matrix, tile: localTile(matrix, [3, 4], [1, 1]) as Tensor };
}

const twelve = (): Tensor => makeTensor(new Float32Array(12), [3, 4]) as Tensor;

const whole: readonly (readonly [string, (tile: Tensor) => unknown])[] = [
  ["fill", (t) => fill(t, 9)],
  ["clear", (t) => clear(t)],
  ["fill_", (t) => t.fill_(9)],
  ["copy from it", (t) => copy(t, twelve())],
  ["copy to it", (t) => copy(twelve(), t)],
  ["copy_", (t) => t.copy_(twelve())],
  ["transform", (t) => transform(t, () => 9)],
  ["forEach", (t) => forEach(t, () => {})],
  ["axpby", (t) => axpby(1, twelve(), 1, t)],
  ["gemm", (t) => gemm(t, t, makeTensor(new Float32Array(9), [3, 3]))],
  ["reduce", (t) => reduce(t, 0)],
  ["clone", (t) => t.clone()],
  ["contiguous", (t) => t.T.contiguous()],
  ["toArray", (t) => t.toArray()],
  ["toTypedArray", (t) => t.toTypedArray()],
  ["toString", (t) => String(t)],
  ["printTensor", (t) => printTensor(t)],
  ["an index tensor", (t) => t.at(makeTensor(BigInt64Array.of(2n, 0n), 2) as Tensor)],
  ["toMessage", (t) => t.toMessage()],
  ["cooperativeCopy", (t) => cooperativeCopy(1, 0, twelve(), t)],
];

describe("a tile that reaches past the memory of its tensor", () => {
  it.each(whole)("is refused as a whole: %s", (_name, touch) => {
    const { memory, tile } = raggedTile();
    const before = memory.slice();
    expect(() => touch(tile)).toThrow(StorageError);
    expect(() => touch(tile)).toThrow(/copyIf/);
    expect(memory.subarray(0, guard)).toEqual(before.subarray(0, guard));
    expect(memory.subarray(guard + 24)).toEqual(before.subarray(guard + 24));
  });

  it("gives and takes the elements inside, and refuses those outside", () => {
    const { memory, tile } = raggedTile();
    const before = memory.slice();
    expect(tile.get(0, 1)).toBe(23);
    expect(() => tile.get(2, 3)).toThrow(/get: .* reaches element 33 of a storage of 24/);
    expect(() => tile.set(2, 3, -1)).toThrow(StorageError);
    expect(() => tile.at(2, 3).item()).toThrow(StorageError);
    expect(memory).toEqual(before);
    tile.set(0, 0, 90);
    expect(memory[guard + 19]).toBe(90);
  });

  it("is refused in a swizzled layout too", () => {
    const swizzled = makeTensor(new Float32Array(64), composition(swizzle(1, 2, 3), makeLayout([8, 8]))) as Tensor;
    const tile = localTile(swizzled, [8, 3], [0, 2]) as Tensor;
    const target = makeTensor(new Float32Array(24), [8, 3]) as Tensor;
    expect(() => copy(tile, target)).toThrow(StorageError);
    expect(() => copy(target, tile)).toThrow(StorageError);
    expect(() => fill(tile, 1)).toThrow(StorageError);
    expect(() => tile.toArray()).toThrow(StorageError);
  });

  it("is shown by consoles all the same", () => {
    expect(inspectTensor(raggedTile().tile)).toMatch(/which reaches past its memory: ptr.* o \(3,4\):\(_1,4\)]$/);
  });

  it("never writes to the memory of another tensor", () => {
    const first = makeTensor("float32", [int(4), int(6)]) as Tensor;
    const second = makeTensor("float32", [int(4), int(6)]) as Tensor;
    expect(() => fill(localTile(first, [3, 4], [1, 1]), 7)).toThrow(StorageError);
    expect(reduce(second, 0)).toBe(0);
  });

  it("works with copyIf, and wherever the tile is inside the memory after all", () => {
    const { matrix, tile } = raggedTile();
    const inside = twelve();
    copyIf((i) => (i % 3) + 3 < 4 && Math.floor(i / 3) + 4 < 6, tile, inside);
    expect(inside.toArray()).toEqual([
      [19, 23, 0, 0],
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ]);
    expect(outerPartition(matrix, [2, 3], [1, 2]).toArray()).toEqual([
      [9, 21],
      [11, 23],
    ]);
  });
});
