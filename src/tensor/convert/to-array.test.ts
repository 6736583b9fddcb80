/**
 * Elements as ordinary JavaScript: every dtype, every kind of layout, and 64-bit integers.
 */
import { arange, type DType, fromBuffer, makeLayout, ones, type Tensor, tensor, zeros } from "stridewise";
import { expect, test } from "vitest";
import { OverflowError } from "../../base/errors.ts";
import { composition } from "../../layout/algebra/composition.ts";
import { int } from "../../layout/int.ts";
import type { AnyLayout } from "../../layout/layout.ts";
import { swizzle } from "../../layout/swizzle.ts";
import { Storage } from "../../storage/storage.ts";
import type { Engine } from "../engine.ts";
import { identityBits, layoutTensor } from "../tensor.ts";

/** The tensor 0, 1, 2, ... in memory, under a layout. */
function under(layout: AnyLayout, count: number): Tensor {
  const storage = Storage.fromBuffer(Float32Array.from({ length: count }, (_, i) => i).buffer, 0, 4 * count);
  return layoutTensor(storage, "float32", 0, layout, identityBits("view", "none"));
}

const kinds: readonly [DType, string][] = [
  ["bool", "Uint8Array"],
  ["uint8", "Uint8Array"],
  ["int8", "Int8Array"],
  ["int16", "Int16Array"],
  ["uint16", "Uint16Array"],
  ["int32", "Int32Array"],
  ["uint32", "Uint32Array"],
  ["int64", "BigInt64Array"],
  ["uint64", "BigUint64Array"],
  ["float16", "Float32Array"],
  ["bfloat16", "Float32Array"],
  ["float32", "Float32Array"],
  ["float64", "Float64Array"],
  ["complex64", "Float32Array"],
  ["complex128", "Float64Array"],
];

test.each(kinds)("%s becomes a %s of its own, unshared, in row-major order", (dtype, name) => {
  const t = tensor(
    [
      [1, 0, 1],
      [0, 1, 1],
    ],
    { dtype },
  ).T;
  const array = t.toTypedArray();
  expect([array.constructor.name, array.buffer instanceof ArrayBuffer]).toEqual([name, true]);
  const parts = dtype.startsWith("complex") ? 2 : 1;
  expect(Array.from(array as ArrayLike<number | bigint>, Number).filter((_, i) => i % parts === 0)).toEqual([
    1, 0, 0, 1, 1, 1,
  ]);
  expect(t.contiguous().toTypedArray()).toEqual(array);
  array.fill((dtype.endsWith("64") && dtype.includes("int") ? 0n : 0) as never);
  expect(Number(t.toTypedArray()[0])).toBe(1);
});

const views: readonly [name: string, Tensor, unknown][] = [
  ["a scalar", tensor(4), 4],
  ["an empty matrix", zeros([2, 0]), [[], []]],
  [
    "a transposed matrix",
    arange(6).view([2, 3]).T,
    [
      [0, 3],
      [1, 4],
      [2, 5],
    ],
  ],
  ["a reversed row", arange(4).slice(0, null, null, -1), [3, 2, 1, 0]],
  [
    "a broadcast row",
    arange(2).expand([2, 2]),
    [
      [0, 1],
      [0, 1],
    ],
  ],
  ["a part with an offset", arange(6).narrow(0, 2, 3), [2, 3, 4]],
  ["six axes", ones([1, 1, 1, 1, 1, 2]), [[[[[[1, 1]]]]]]],
  [
    "a nested layout",
    under(makeLayout([[2, 2], 2], [[1, 4], 2]), 8),
    [
      [0, 2],
      [1, 3],
      [4, 6],
      [5, 7],
    ],
  ],
  ["one nested mode", under(makeLayout([[2, 2]], [[4, 1]]), 8), [0, 4, 1, 5]],
  [
    "a static layout",
    under(makeLayout([int(2), int(2)], [int(1), int(2)]), 4),
    [
      [0, 2],
      [1, 3],
    ],
  ],
  ["a layout of one mode", under(makeLayout(3, 2), 6), [0, 2, 4]],
  [
    "a swizzle",
    under(composition(swizzle(1, 0, 1), makeLayout([2, 2], [1, 2])), 4),
    [
      [0, 3],
      [1, 2],
    ],
  ],
];

test.each(views)("%s: arrays nest as the axes do", (_name, t, expected) => {
  expect(t.toArray()).toEqual(expected);
  expect(JSON.parse(JSON.stringify(t))).toEqual(expected);
  const flat = [expected].flat(Infinity as 1);
  expect([...(t.toTypedArray() as Float32Array)]).toEqual(flat);
});

test("elements of an engine are read from it", () => {
  const squares: Engine<number> = {
    kind: "squares",
    valueType: "int64",
    space: "none",
    read: (offset) => (offset as number) ** 2,
    advance: () => squares,
    describe: () => "squares",
  };
  const t = layoutTensor(squares, "int64", 0, makeLayout([2, 2], [1, 2]), identityBits("view", "none"));
  expect(t.toArray()).toEqual([
    [0, 4],
    [1, 9],
  ]);
  expect(t.toTypedArray()).toEqual(BigInt64Array.of(0n, 4n, 1n, 9n));
});

test("64-bit integers are numbers while those are exact, and bigints when asked for", () => {
  const t = tensor([1n, 2n ** 53n]);
  expect(t.at(0).toArray()).toBe(1);
  expect(() => t.toArray()).toThrow(OverflowError);
  expect(() => t.toArray()).toThrow("toArray({ bigint: true })");
  expect(t.toArray({ bigint: true })).toEqual([1n, 2n ** 53n]);
  expect(tensor([1]).toArray({ bigint: true })).toEqual([1]);
  expect(() => t.at(1).item()).toThrow("itemBigInt()");
  expect([t.at(1).itemBigInt(), tensor([true]).itemBigInt(), tensor([[5]], { dtype: "uint8" }).itemBigInt()]).toEqual([
    2n ** 53n,
    1n,
    5n,
  ]);
  expect(() => tensor(1.5).itemBigInt()).toThrow(
    "itemBigInt: the elements must be integers or bools, got float32; use item()",
  );
  expect(() => t.itemBigInt()).toThrow("itemBigInt: a tensor with 2 elements");
});

test("iteration gives views along the first axis", () => {
  const t = tensor([
    [1, 2],
    [3, 4],
  ]);
  for (const row of t) row.fill_(7);
  expect(t.toArray()).toEqual([
    [7, 7],
    [7, 7],
  ]);
  expect([...arange(3)].map((x) => x.item())).toEqual([0, 1, 2]);
  expect([...zeros([0, 2])]).toEqual([]);
  expect(() => [...tensor(1)]).toThrow(
    "tensor: iteration over a 0-d tensor is not possible. Read its element with item()",
  );
});

test("a disposed tensor says so", () => {
  const t = zeros([2]);
  t.dispose();
  for (const use of [
    () => t.toArray(),
    () => t.toTypedArray(),
    () => t.rawView(),
    () => t.toMessage(),
    () => t.toDLPack(),
  ])
    expect(use).toThrow("was disposed");
});

test("typed arrays of shared memory come back unshared", () => {
  const shared = new Float32Array(new SharedArrayBuffer(8));
  expect(fromBuffer(shared).toTypedArray().buffer).toBeInstanceOf(ArrayBuffer);
});
