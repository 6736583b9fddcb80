/** Tiled copies: recorded layouts and texts, and that the threads together copy every element once, source to destination. */
import { describe, expect, test } from "vitest";
import { type AnyLayout, composition, int, type Layout, makeLayout, swizzle, type Tiler } from "../../layout/index.ts";
import { parseLayout } from "../../layout/notation.ts";
import { indexReader } from "../elements.ts";
import { counting } from "../engines/computed-engines.ts";
import { installMethods } from "../install.ts";
import type { Tensor } from "../tensor.ts";
import { type CopyAtom, mmaAtom, universalCopy } from "./atoms.ts";
import { makeFragmentLike } from "./make-like.ts";
import { makeTensor } from "./make-tensor.ts";
import { makeTiledCopy, type TiledCopy } from "./tiled-copy.ts";
import { makeTiledCopyA, makeTiledCopyB, makeTiledCopyC, makeTiledMma } from "./tiled-mma.ts";

installMethods();

const layout = (text: string): Layout => parseLayout(text) as Layout;
const elements = (t: Tensor): number[] => {
  const read = indexReader(t, "test");
  return Array.from({ length: t.size }, (_unused, i) => read(i) as number);
};

const recorded = makeTiledCopy(universalCopy("float32"), layout("(_4,_8):(_8,_1)"), layout("(_1,_2):(_0,_1)"));

test("a tiled copy prints as CuTe prints it", () => {
  expect(String(recorded)).toBe(
    [
      "TiledCopy",
      "  Tiler_MN:       (_4,_16)",
      "  TiledLayout_TV: ((_8,_4),_2):((_8,_1),_4)",
      "Copy_Atom",
      "  ThrID:        _1:_0",
      "  ValLayoutSrc: (_1,_1):(_0,_1)",
      "  ValLayoutDst: (_1,_1):(_0,_1)",
      "  ValLayoutRef: (_1,_1):(_0,_1)",
      "  ValueType:    32b",
    ].join("\n"),
  );
  expect(String(recorded.getLayoutS_TV())).toBe("((_8,_4),(_1,_2)):((_8,_1),(_0,_4))");
  expect(String(recorded.getLayoutD_TV())).toBe("((_8,_4),(_1,_2)):((_8,_1),(_0,_4))");
  expect(recorded.size).toBe(32);
});

test.each([
  [1, 16],
  [9, 17],
  [31, 115],
])("thread %i of (8,32) reads from %i", (thread, start) => {
  const t = makeTensor(counting(), makeLayout([int(8), int(32)]));
  expect(recorded.getSlice(thread).partitionS(t).describe()).toBe(
    `counting_iter(${start}) o ((_1,_2),_2,_2):((_0,_8),_4,_128)`,
  );
});

test("wide atoms take several values at once", () => {
  const wide = makeTiledCopy(universalCopy("float32", 128), layout("(_8,_4):(_4,_1)"), layout("(_1,_4):(_0,_1)"));
  expect(String(wide.atom.layoutRef)).toBe("(_1,_4):(_0,_1)");
  const t = makeTensor(counting(), makeLayout([int(16), int(32)], "right"));
  expect(wide.getSlice(5).partitionS(t).describe()).toBe("counting_iter(36) o ((_4,_1),_2,_2):((_1,_0),_256,_16)");
  expect(() => universalCopy("float32", 48)).toThrow("48 bits are not a multiple of the 32 bits of float32");
  expect(() => makeTiledCopy(universalCopy("float32", 128), layout("_4:_1"), layout("_2:_1"))).toThrow(
    "(_4,_2):(_2,_1) has 2 values, which must be a multiple of the 4 values of the copy atom",
  );
});

/** Two threads with two values each, which are exchanged in the destination. */
const exchanging: CopyAtom = {
  threadId: layout("_2:_1"),
  layoutSrc: layout("(_2,_2):(_2,_1)"),
  layoutDst: layout("(_2,_2):(_1,_2)"),
  layoutRef: layout("(_2,_2):(_2,_1)"),
  valueBits: 32,
};
const smemLayout = composition(swizzle(2, 0, 3), makeLayout([int(16), int(32)], "right"));
const copies: readonly (readonly [string, TiledCopy])[] = [
  ["recorded", recorded],
  ["of one value", makeTiledCopy(layout("(_4,_8):(_1,_4)"))],
  ["wide", makeTiledCopy(universalCopy("float32", 128), layout("(_8,_4):(_4,_1)"), layout("(_1,_4):(_0,_1)"))],
  ["by a TV layout", makeTiledCopy(layout("((_4,_8),(_2,_2)):((_32,_1),(_16,_8))"), [int(16), int(8)])],
  ["with an exchanging atom", makeTiledCopy(exchanging, layout("(_2,_4):(_1,_2)"), layout("(_2,_2):(_1,_2)"))],
];
const tensors: readonly (readonly [string, AnyLayout])[] = [
  ["column-major", makeLayout([int(16), int(32)])],
  ["row-major and dynamic", makeLayout([16, 32], "right")],
  ["swizzled", smemLayout],
  ["with a mode more", makeLayout([int(16), int(32), 3])],
];

describe.each(copies)("a copy %s", (_name, copy) => {
  test.each(tensors)("of a %s tensor copies each element once", (_kind, shape) => {
    const t = makeTensor(counting(), shape) as Tensor;
    for (const side of ["partitionS", "partitionD"] as const) {
      const all = Array.from({ length: copy.size }, (_unused, i) => elements(copy.getSlice(i)[side](t))).flat();
      expect(all.sort((a, b) => a - b)).toEqual(elements(t).sort((a, b) => a - b));
    }
  });

  test("maps each value of a thread as its TV layouts do", () => {
    const t = makeTensor(counting(), makeLayout(copy.tilerMN.map((n) => n) as never)) as Tensor;
    const parts = [copy.getSlice(copy.size - 1).partitionS(t), copy.getSlice(copy.size - 1).partitionD(t)];
    const tv = [copy.getLayoutS_TV(), copy.getLayoutD_TV()];
    for (const [k, part] of parts.entries()) {
      const byLayout = makeTensor(counting(), tv[k] as Layout).at(copy.size - 1, "...") as Tensor;
      expect(elements(part)).toEqual(elements(byLayout));
    }
  });
});

test("a fragment of an MMA is retiled for a copy: same registers, values grouped for the copy", () => {
  const mma = makeTiledMma(mmaAtom("SM80_16x8x16_F32F16F16F32_TN"), makeLayout([int(2), int(2), int(1)]));
  const sA = makeTensor("float16", makeLayout([int(64), int(32)]));
  const copy = makeTiledCopyA(universalCopy("float16", 32), mma);
  for (const thread of [0, 3, 77, 127]) {
    const fragment = mma.getSlice(thread).partitionFragmentA(sA);
    const retiled = copy.getSlice(thread).retileD(fragment);
    const source = copy.getSlice(thread).partitionS(sA);
    expect(retiled.shape).toEqual(source.shape);
    expect(String(retiled.layout).split(":")[0]).toBe("((_2,_4),_2,_2)");
    expect(retiled.dataPtr()).toBe(fragment.dataPtr());
    // Value v of the fragment is the element at value v of the partition.
    const offsetsA = elements(makeTensor(counting(), mma.getSlice(thread).partitionA(sA).layout));
    const offsetsS = elements(makeTensor(counting(), source.layout));
    const where = elements(makeTensor(counting(), retiled.layout));
    const inFragment = elements(makeTensor(counting(), fragment.layout));
    for (const [i, at] of where.entries()) expect(offsetsS[i]).toBe(offsetsA[inFragment.indexOf(at)]);
  }
});

test("copies for an MMA have its TV layouts and tiles", () => {
  const mma = makeTiledMma(mmaAtom("SM80_16x8x16_F32F16F16F32_TN"), makeLayout([int(2), int(2), int(1)]));
  const atom = universalCopy("float16");
  const text = (copy: TiledCopy, tile: readonly Tiler[]): void => expect(String(copy.tilerMN)).toBe(String(tile));
  text(makeTiledCopyA(atom, mma), [int(32), int(16)]);
  text(makeTiledCopyB(atom, mma), [int(16), int(16)]);
  text(makeTiledCopyC(atom, mma), [int(32), int(16)]);
  expect(String(makeTiledCopyC(atom, mma).layoutTV)).toBe(String(mma.getLayoutC_TV()));
});

test("spaces and writes go through partitions", () => {
  const destination = makeTensor("float32", makeLayout([int(8), int(32)]));
  const part = recorded.getSlice(9).partitionD(destination);
  expect(part.space).toBe("rmem");
  part.set(1, 0, 0, 5);
  expect(destination.get(1, 3)).toBe(5);
  expect(makeFragmentLike(part).shape).toEqual(part.shape);
});

test.each([
  ["a thread", () => recorded.getSlice(32), "there is no thread 32, the tiled copy has threads 0 to 31"],
  [
    "a tensor of too small a rank",
    () => recorded.getSlice(0).partitionS(makeTensor(counting(), 64)),
    "the tile (_4,_16) has rank 2, but 64:_1 has rank 1",
  ],
])("%s outside is refused", (_what, call, message) => {
  expect(call).toThrow(message);
});

test("a fragment regrouped by the copy that partitioned it keeps its elements; a part of a fragment throws", () => {
  const source = makeTensor(counting(0), [int(8), int(32)]);
  const thread = recorded.getSlice(9);
  const part = thread.partitionS(source);
  expect(elements(thread.retileS(part)).toSorted((a, b) => a - b)).toEqual(elements(part).toSorted((a, b) => a - b));
  expect(() => thread.retileS(part.select(1, 0).select(1, 0))).toThrow(
    /^retile: a fragment has one mode of values and one for each mode of the tile, 3 in total/,
  );
});
