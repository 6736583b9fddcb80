/** Tilings and partitions of tensors agree with those of layouts, cover every element once, and throw for missing parts. */
import { describe, expect, expectTypeOf, test } from "vitest";
import { forAll, layouts, tilers } from "../../../test/support/layouts.ts";
import * as lib from "../../layout/index.ts";
import { _, _4, type AnyLayout, int, makeLayout, offsetAt, size, swizzle } from "../../layout/index.ts";
import { indexReader } from "../elements.ts";
import { counting } from "../engines/computed-engines.ts";
import { installMethods } from "../install.ts";
import type { Tensor } from "../tensor.ts";
import type { Shape } from "../types/types.ts";
import { makeTensor } from "./make-tensor.ts";
import { innerPartition, localPartition, localTile, outerPartition, threadValuePartition } from "./partition.ts";
import { composition, flatDivide, logicalDivide, tiledDivide, zippedDivide } from "./tensor-modes.ts";

installMethods();

const elements = (t: Tensor): number[] => {
  const read = indexReader(t, "test");
  return Array.from({ length: t.size }, (_unused, i) => read(i) as number);
};
const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

const kinds: readonly (readonly [string, AnyLayout])[] = [
  ["column-major", makeLayout([8, 24])],
  ["row-major", makeLayout([int(8), int(24)], "right")],
  ["padded", makeLayout([8, 24], [1, 10])],
  [
    "nested",
    makeLayout(
      [
        [2, 4],
        [8, 3],
      ],
      [
        [1, 16],
        [2, 64],
      ],
    ),
  ],
  ["swizzled", lib.composition(swizzle(2, 0, 3), makeLayout([int(8), int(24)], "right"))],
];

describe.each(kinds)("%s", (_name, layout) => {
  const t: Tensor = makeTensor(counting(), layout);
  const whole = sorted(elements(t));

  test("a tensor is divided as its layout is", () => {
    const divides = [logicalDivide, zippedDivide, tiledDivide, flatDivide, composition] as const;
    const onLayouts = [lib.logicalDivide, lib.zippedDivide, lib.tiledDivide, lib.flatDivide, lib.composition];
    for (const [i, divide] of divides.entries()) {
      const onLayout = onLayouts[i] as (of: AnyLayout, tiler: lib.Tiler) => AnyLayout;
      const expected = String(onLayout(layout, [4, 8]));
      const onTensor: (t: Tensor, tiler: lib.Tiler) => Tensor = divide;
      expect(String(onTensor(t, [4, 8]).layout)).toBe(expected);
      expect(String(divide(layout, [4, 8]))).toBe(expected);
    }
  });

  test("the tiles together are the whole, each element once", () => {
    const tiles = Array.from({ length: 6 }, (_unused, i) => localTile(t, [4, 8], [i % 2, Math.floor(i / 2)]));
    expect(sorted(tiles.flatMap(elements))).toEqual(whole);
    for (const [i, tile] of tiles.entries()) expect(elements(innerPartition(t, [4, 8], i))).toEqual(elements(tile));
  });

  test("the parts of all threads together are the whole, each element once", () => {
    for (const threads of [makeLayout([4, 8]), makeLayout([4, 8], "right"), makeLayout([2, 4], [4, 1])]) {
      const parts = Array.from({ length: size(threads) }, (_unused, i) => localPartition(t, threads, i));
      expect(sorted(parts.flatMap(elements))).toEqual(whole);
    }
  });

  test("an element of a thread's part is at the thread's coordinate in some tile", () => {
    const threads = makeLayout([4, 8], "right");
    for (const index of [0, 5, 31]) {
      const [m, n] = [Math.floor(index / 8), index % 8];
      const expected = [0, 1, 2, 3, 4, 5].map((i) => t.get(m + 4 * (i % 2), n + 8 * Math.floor(i / 2)));
      expect(elements(localPartition(t, threads, index))).toEqual(expected);
      expect(elements(outerPartition(t, [4, 8], [m, n]))).toEqual(expected);
    }
  });

  test("value v of thread i is the element at the 1-D coordinate TV(i, v)", () => {
    const tv = makeLayout(
      [
        [4, 8],
        [2, 3],
      ],
      [
        [1, 8],
        [4, 64],
      ],
    );
    const parts = Array.from({ length: 32 }, (_unused, i) => threadValuePartition(t, tv, i));
    for (const [i, part] of parts.entries())
      expect(elements(part)).toEqual(Array.from({ length: 6 }, (_unused, v) => t.getColMajor(offsetAt(tv, [i, v]))));
    expect(sorted(parts.flatMap(elements))).toEqual(whole);
  });

  test("a projection keeps only the marked modes", () => {
    const tiler = [4, 100, 8];
    expect(elements(localTile(t, tiler, [1, 7, _], [1, _, 1]))).toEqual(elements(localTile(t, [4, 8], [1, _])));
    const threads = makeLayout([4, 2, 8]);
    expect(elements(localPartition(t, threads, 13, [1, _, 1]))).toEqual(elements(outerPartition(t, [4, 8], [1, 1])));
  });
});

test("layouts of any kind: both forms of a partition agree, element by element", () => {
  forAll(
    "tensor partitions",
    [layouts(), tilers()],
    (layout, tiler) => {
      const t = makeTensor(counting(), layout);
      let divided: AnyLayout;
      try {
        divided = lib.zippedDivide(layout, tiler);
      } catch {
        expect(() => innerPartition(t, tiler, 0)).toThrow();
        return;
      }
      for (const [onEither, onLayout, other] of [
        [innerPartition, lib.innerPartition, 1],
        [outerPartition, lib.outerPartition, 0],
      ] as const) {
        const last = size(divided, other) - 1;
        const [part, offset] = onLayout(layout, tiler, last);
        const onTensor: (t: Tensor, tiler: lib.Tiler, coord: number) => Tensor = onEither;
        const ours = onTensor(t, tiler, last);
        expect(String(ours.layout)).toBe(String(part));
        expect(ours.storageOffset).toBe(Number(offset));
        for (let i = 0; i < ours.size; i++)
          expect(indexReader(ours, "law")(i)).toBe(offsetAt(divided, other === 1 ? [i, last] : [last, i]));
      }
    },
    300,
  );
});

test.each([
  [
    "a tile",
    () => localTile(makeTensor(counting(), [8, 24]), [4, 8], [2, 0]),
    "localTile: there is no tile 2: the mode of size 2 in",
  ],
  ["a tile by index", () => innerPartition(makeTensor(counting(), [8, 24]), [4, 8], 6), "has tiles 0 to 5"],
  ["an element", () => outerPartition(makeTensor(counting(), [8, 24]), [4, 8], [0, 8]), "there is no element 8"],
  [
    "a thread",
    () => localPartition(makeTensor(counting(), [8, 24]), makeLayout([4, 8]), 32),
    "localPartition: there is no thread 32 in (4,8):(_1,4)",
  ],
  [
    "a thread between others",
    () => localPartition(makeTensor(counting(), [8, 24]), makeLayout([4, 2], [1, 16]), 5),
    "there is no thread 5 in (4,2):(1,16)",
  ],
  [
    "a thread of a TV layout",
    () => threadValuePartition(makeTensor(counting(), [4, 8]), makeLayout([8, 4]), 8),
    "threadValuePartition: there is no thread 8",
  ],
])("%s outside is refused", (_what, call, message) => {
  expect(call).toThrow(message);
});

test("a ragged tile reaches past the tensor, as in CuTe", () => {
  const t = makeTensor(counting(), [10, 7]);
  const tile = localTile(t, [int(4), int(3)], [2, 2]);
  expect(tile.describe()).toBe("counting_iter(68) o (_4,_3):(_1,10)");
});

test("types: a tile of literal sizes has them in its type, other parts have a shape of unknown rank", () => {
  const t = makeTensor(new Float32Array(192), [8, 24]);
  expectTypeOf(localTile(t, [_4, 8], [1, 0])).toEqualTypeOf<Tensor<[4, 8], "float32", "none">>();
  expectTypeOf(t.innerPartition([2, _4], [1, 0])).toEqualTypeOf<Tensor<[2, 4], "float32", "none">>();
  expectTypeOf(t.localTile([2, _4], [1, _])).toEqualTypeOf<Tensor<Shape, "float32", "none">>();
  expectTypeOf(t.localTile([2], [1])).toEqualTypeOf<Tensor<Shape, "float32", "none">>();
  expectTypeOf(t.localTile(makeLayout(4), 1)).toEqualTypeOf<Tensor<Shape, "float32", "none">>();
  expectTypeOf(localPartition(t, makeLayout([4, 8]), 1)).toEqualTypeOf<Tensor<Shape, "float32", "none">>();
  const n: number = t.size;
  expectTypeOf(t.localTile([n / 96, 4], [1, n / 96])).toEqualTypeOf<Tensor<[number, 4], "float32", "none">>();
  expectTypeOf(localTile(makeLayout([8, 24]), [4, 8], [0, 0])).toEqualTypeOf<
    readonly [layout: lib.Layout, offset: lib.IntTuple]
  >();
});
