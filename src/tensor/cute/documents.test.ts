/** The documents on CuTe's tensors, code block by code block, with their output. Algorithms have their own tests. */
import { describe, expect, test } from "vitest";
import { composition as composeLayouts } from "../../layout/algebra/composition.ts";
import {
  _,
  _1,
  _2,
  _4,
  _8,
  _16,
  _32,
  cosize,
  formatLayout,
  GenRowMajor,
  int,
  isStatic,
  LayoutRight,
  makeLayout,
  offsetAt,
  rank,
  shapeOf,
} from "../../layout/index.ts";
import { swizzle } from "../../layout/swizzle.ts";
import { counting } from "../engines/computed-engines.ts";
import { gmem, smem } from "../engines/pointers.ts";
import { installMethods } from "../install.ts";
import type { Tensor } from "../tensor.ts";
import { makeFragmentLike, makeTensorLike } from "./make-like.ts";
import { makeTensor } from "./make-tensor.ts";
import { innerPartition, localPartition, localTile, outerPartition, threadValuePartition } from "./partition.ts";
import { composition, flatDivide, logicalDivide, tiledDivide, zippedDivide } from "./tensor-modes.ts";

installMethods();

const addressOf = (t: Tensor): string => /\((0x[0-9a-f]+)\)/.exec(t.describe())?.[1] as string;
/** Returns the printed text without the address, which must be valid. */
const printed = (t: Tensor): string => {
  expect(addressOf(t)).toMatch(/^0x7f[0-9a-f]{10}$/);
  return t.describe().replace(/0x[0-9a-f]+/, "0x");
};

describe("owning tensors", () => {
  const rmem_4x8_col = makeTensor("float32", [_4, _8]);
  const rmem_4x8_row = makeTensor("float32", [_4, _8], LayoutRight);
  const rmem_4x8_pad = makeTensor("float32", [_4, _8], [_32, _2]);
  const rmem_4x8_like = makeTensorLike(rmem_4x8_pad);
  const rmem_4x8_mix = makeTensor("float32", [_4, _8], [_2, _32]);

  test.each([
    ["rmem_4x8_col", rmem_4x8_col, "ptr[32b](0x) o (_4,_8):(_1,_4)"],
    ["rmem_4x8_row", rmem_4x8_row, "ptr[32b](0x) o (_4,_8):(_8,_1)"],
    ["rmem_4x8_pad", rmem_4x8_pad, "ptr[32b](0x) o (_4,_8):(_32,_2)"],
    ["rmem_4x8_like", rmem_4x8_like, "ptr[32b](0x) o (_4,_8):(_8,_1)"],
    ["rmem_4x8_mix", rmem_4x8_mix, "ptr[32b](0x) o (_4,_8):(_2,_32)"],
    ["with GenRowMajor", makeTensor("float32", [_4, _8], GenRowMajor), "ptr[32b](0x) o (_4,_8):(_8,_1)"],
  ])("%s prints as the document says", (_name, t, text) => {
    expect(printed(t)).toBe(text);
    expect([t.ownership, t.space]).toEqual(["owning", "rmem"]);
  });

  test("all have different addresses", () => {
    const all = [rmem_4x8_col, rmem_4x8_row, rmem_4x8_pad, rmem_4x8_like, rmem_4x8_mix];
    expect(new Set(all.map(addressOf)).size).toBe(all.length);
  });
});

describe("nonowning tensors", () => {
  const A = new Float32Array(128);
  const smemLayout = makeLayout([_4, _8]);
  const shared = new Float32Array(cosize(smemLayout));
  const rows: readonly (readonly [string, Tensor, string])[] = [
    ["tensor_8", makeTensor(A, makeLayout(_8)), "ptr[32b](0x) o _8:_1"],
    ["tensor_8s", makeTensor(A, _8), "ptr[32b](0x) o _8:_1"],
    ["tensor_8d2", makeTensor(A, 8, 2), "ptr[32b](0x) o 8:2"],
    ["gmem_8s", makeTensor(gmem(A), _8), "gmem_ptr[32b](0x) o _8:_1"],
    ["gmem_8d", makeTensor(gmem(A), 8), "gmem_ptr[32b](0x) o 8:_1"],
    ["gmem_8sx16d", makeTensor(gmem(A), [_8, 16]), "gmem_ptr[32b](0x) o (_8,16):(_1,_8)"],
    ["gmem_8dx16s", makeTensor(gmem(A), [8, _16], [_16, _1]), "gmem_ptr[32b](0x) o (8,_16):(_16,_1)"],
  ];
  const sharedRows: readonly (readonly [string, Tensor, string])[] = [
    ["smem_4x8_col", makeTensor(smem(shared), smemLayout), "smem_ptr[32b](0x) o (_4,_8):(_1,_4)"],
    ["smem_4x8_row", makeTensor(smem(shared), shapeOf(smemLayout), LayoutRight), "smem_ptr[32b](0x) o (_4,_8):(_8,_1)"],
    ["with GenRowMajor", makeTensor(smem(shared), [_4, _8], GenRowMajor), "smem_ptr[32b](0x) o (_4,_8):(_8,_1)"],
  ];

  test.each([...rows, ...sharedRows])("%s prints as the document says", (_name, t, text) => {
    expect(printed(t)).toBe(text);
    expect(t.ownership).toBe("view");
  });

  test("tensors over one pointer share its address", () => {
    expect(new Set(rows.map(([, t]) => addressOf(t))).size).toBe(1);
    expect(new Set(sharedRows.map(([, t]) => addressOf(t))).size).toBe(1);
    expect(addressOf(rows[0]?.[1] as Tensor)).not.toBe(addressOf(sharedRows[0]?.[1] as Tensor));
  });

  test("a fragment of a column has its shape, in registers", () => {
    const gmem_8sx16d = makeTensor(gmem(A), [_8, 16]);
    const rmem_8 = makeFragmentLike(gmem_8sx16d.at(_, 0));
    expect(printed(rmem_8)).toBe("ptr[32b](0x) o (_8):(_1)");
    expect([rmem_8.ownership, rmem_8.space, rmem_8.shape]).toEqual(["owning", "rmem", [8]]);
  });

  test("rank and static shape are available", () => {
    const t = makeTensor(gmem(A), [_8, 16]);
    expect(rank(t.layout)).toBe(2);
    expect([isStatic(shapeOf(t.layout, 0)), isStatic(shapeOf(t.layout, 1))]).toEqual([true, false]);
  });
});

describe("tiling", () => {
  const data = new Float32Array(192);
  const A = makeTensor(data, [8, 24]);
  const tiler = [_4, _8];

  test.each([
    ["composition", composition(A, tiler), "(_4,_8):(_1,8)"],
    ["logical_divide", logicalDivide(A, tiler), "((_4,2),(_8,3)):((_1,_4),(8,64))"],
    ["zipped_divide", zippedDivide(A, tiler), "((_4,_8),(2,3)):((_1,8),(_4,64))"],
    ["tiled_divide", tiledDivide(A, tiler), "((_4,_8),2,3):((_1,8),_4,64)"],
    ["flat_divide", flatDivide(A, tiler), "(_4,_8,2,3):(_1,8,_4,64)"],
  ])("%s(Tensor, Tiler) is a view from the same address", (_name, tiled, layout) => {
    expect(formatLayout(tiled.layout)).toBe(layout);
    expect(addressOf(tiled)).toBe(addressOf(A));
    expect(tiled.space).toBe("none");
  });
});

describe("slicing", () => {
  const memory = Float32Array.from({ length: 164 }, (_unused, i) => i);
  const A = makeTensor(
    memory,
    [
      [int(3), 2],
      [2, int(5), _2],
    ],
    [
      [4, 1],
      [_2, 13, 100],
    ],
  );

  test("the tensor has the document's layout", () => {
    expect(formatLayout(A.layout)).toBe("((_3,2),(2,_5,_2)):((4,1),(_2,13,100))");
  });

  // The document prints C as ((_3,_2)), but the 2 of A is dynamic.
  test.each([
    ["B = A(2,_)", A.at(2, _), "((2,_5,_2)):((_2,13,100))", 8],
    ["C = A(_,5)", A.at(_, 5), "((_3,2)):((4,1))", 28],
    ["D = A((_,_),5)", A.at([_, _], 5), "(_3,2):(4,1)", 28],
    ["E = A((_,1),(0,_,1))", A.at([_, 1], [0, _, 1]), "(_3,_5):(4,13)", 101],
    ["F = A((2,_),(_,3,_))", A.at([2, _], [_, 3, _]), "(2,2,_2):(1,_2,100)", 47],
  ] as const)("%s", (_name, slice, layout, offset) => {
    expect(formatLayout(slice.layout)).toBe(layout);
    expect(slice.storageOffset).toBe(offset);
    expect(slice.dataPtr()).toBe(A.dataPtr() + 4 * offset);
    // Each element of the memory is its own offset.
    expect((slice as Tensor).get(...new Array<number>(slice.rank).fill(0))).toBe(offset);
  });

  test("elements are read by arguments, by a coordinate and by a nested coordinate", () => {
    expect(A.get(5, 7)).toBe(2 * 4 + 1 + 1 * 2 + 3 * 13);
    expect(A.get([5, 7])).toBe(A.get(5, 7));
    expect(A.get([2, 1], [1, 3, 0])).toBe(A.get(5, 7));
    expect(A.getColMajor(5 + 6 * 7)).toBe(A.get(5, 7));
    // return engine().begin()[layout()(coord)];
    expect(A.engine.read(offsetAt(A.layout, [5, 7]))).toBe(A.get(5, 7));
    expect(A.at(2, _).engine.read(offsetAt(A.at(2, _).layout, 7))).toBe(A.get(2, 7));
  });
});

describe("partitioning", () => {
  const A = makeTensor(
    Float32Array.from({ length: 192 }, (_unused, i) => i),
    [8, 24],
  );
  const tiler = [_4, _8];
  const tiled = zippedDivide(A, tiler);

  test("zipped_divide returns ((_4,_8),(2,3))", () => {
    expect(formatLayout(tiled.layout).split(":")[0]).toBe("((_4,_8),(2,3))");
  });

  test.each([
    [0, 0],
    [1, 2],
    [0, 1],
  ])("inner_partition is the tile of block (%i,%i)", (x, y) => {
    const block = tiled.at([_, _], [x, y]);
    expect(formatLayout(block.layout)).toBe("(_4,_8):(_1,8)");
    for (const same of [innerPartition(A, tiler, [x, y]), localTile(A, tiler, [x, y]), A.localTile(tiler, [x, y])])
      expect(same.describe()).toBe(block.describe());
  });

  test.each([0, 5, 31])("outer_partition is one element of every tile: thread %i", (thread) => {
    const own = tiled.at(thread, [_, _]);
    expect(formatLayout(own.layout)).toBe("(2,3):(_4,64)");
    expect(outerPartition(A, tiler, thread).describe()).toBe(own.describe());
    const threads = makeLayout([_4, _8]);
    expect(localPartition(A, threads, thread).describe()).toBe(own.describe());
    expect(A.localPartition(threads, thread).describe()).toBe(own.describe());
  });

  test("local_partition inverts the thread layout; local_tile keeps a tile together", () => {
    const threads = makeLayout([_4, _8], LayoutRight);
    expect(localPartition(A, threads, 9).toArray()).toEqual([
      [9, 73, 137],
      [13, 77, 141],
    ]);
    expect(localTile(A, [_4, _8], [1, 0]).at(_, 0).toArray()).toEqual([4, 5, 6, 7]);
  });

  test("a thread-value partition", () => {
    const tv = makeLayout(
      [
        [_2, _4],
        [_2, _2],
      ],
      [
        [_8, _1],
        [_4, _16],
      ],
    );
    const owned = makeTensor("float32", [_4, _8], LayoutRight);
    const read = composition(owned, tv);
    expect(formatLayout(read.layout)).toBe("((_2,_4),(_2,_2)):((_2,_8),(_1,_4))");
    for (let thread = 0; thread < 8; thread++) {
      const values = read.at(thread, _);
      expect(formatLayout(values.layout)).toBe("((_2,_2)):((_1,_4))");
      expect(values.storageOffset).toBe(2 * (thread % 2) + 8 * Math.floor(thread / 2));
      expect(threadValuePartition(owned, tv, thread).describe()).toBe(values.describe());
      expect(owned.threadValuePartition(tv, thread).space).toBe("rmem");
    }
  });
});

describe("slices of swizzled tensors", () => {
  // Elements over a counting iterator as recorded from C++, whose layouts are the same functions in more modes: ((2,2)):((72,144)) for (4):(72).
  const swizzled = (bits: number, base: number, shift: number, rows: number, columns: number): Tensor => {
    const inner = makeLayout([int(rows), int(columns)], LayoutRight);
    return makeTensor(counting(0), composeLayouts(swizzle(bits, base, shift), inner));
  };

  test.each([
    ["Sw<3,0,3>(_,5)", swizzled(3, 0, 3, 8, 8).at(_, 5), "((2,2,2)):((7,18,28))", [5, 12, 23, 30, 33, 40, 51, 58]],
    ["Sw<2,0,-3>(3,_)", swizzled(2, 0, -3, 8, 8).at(3, _), "((4,2)):((-7,4))", [24, 17, 10, 3, 28, 21, 14, 7]],
    ["Sw<2,0,-3>(_,5)", swizzled(2, 0, -3, 8, 8).at(_, 5), "((2,4)):((-8,16))", [13, 5, 29, 21, 45, 37, 61, 53]],
    ["Sw<3,3,3>(_,5)", swizzled(3, 3, 3, 4, 64).at(_, 5), "(4):(72)", [5, 77, 149, 221]],
  ] as const)("%s", (_name, slice, layout, elements) => {
    const read = Array.from({ length: slice.size }, (_unused, i) => slice.getColMajor(i));
    expect(read).toEqual(elements);
    expect(formatLayout(slice.layout).replaceAll("_", "")).toBe(layout);
    expect(slice.describe()).toContain(`counting_iter(${elements[0]})`);
  });
});
