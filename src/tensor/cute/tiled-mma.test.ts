/** Tiled MMAs: recorded layouts and texts, and that the threads together compute a matrix product. */
import { describe, expect, test } from "vitest";
import {
  composition,
  type IntTuple,
  int,
  type Layout,
  makeLayout,
  offsetAt,
  size,
  swizzle,
} from "../../layout/index.ts";
import { parseLayout } from "../../layout/notation.ts";
import { indexReader } from "../elements.ts";
import { counting } from "../engines/computed-engines.ts";
import { gmem } from "../engines/pointers.ts";
import { installMethods } from "../install.ts";
import type { Tensor } from "../tensor.ts";
import { type MmaAtom, mmaAtom, mmaAtomNames, universalFma } from "./atoms.ts";
import { makeTensor } from "./make-tensor.ts";
import { makeTiledMma, type TiledMma } from "./tiled-mma.ts";

installMethods();

const layout = (text: string): Layout => parseLayout(text) as Layout;
const elements = (t: Tensor): number[] => {
  const read = indexReader(t, "test");
  return Array.from({ length: t.size }, (_unused, i) => read(i) as number);
};
const square = makeTensor(counting(), makeLayout([int(16), int(16)]));
const recorded = makeTiledMma(universalFma(), makeLayout([int(4), int(4), int(1)]));
const atomText = [
  "MMA_Atom",
  "  ThrID:      _1:_0",
  "  Shape_MNK:  (_1,_1,_1)",
  "  LayoutA_TV: (_1,_1):(_0,_0)",
  "  LayoutB_TV: (_1,_1):(_0,_0)",
  "  LayoutC_TV: (_1,_1):(_0,_0)",
];

test("tiled MMAs print as CuTe prints them", () => {
  const head = ["TiledMMA", "  ThrLayoutVMNK:  (_1,_4,_4,_1):(_0,_1,_4,_0)", "  PermutationMNK: (_,_,_)"];
  expect(String(recorded)).toBe([...head, ...atomText].join("\n"));
  const permuted = makeTiledMma(universalFma(), makeLayout([int(2), int(2), int(1)]), [int(8), int(8), int(1)]);
  const other = ["TiledMMA", "  ThrLayoutVMNK:  (_1,_2,_2,_1):(_0,_1,_2,_0)", "  PermutationMNK: (_8,_8,_1)"];
  expect(String(permuted)).toBe([...other, ...atomText].join("\n"));
});

test.each([
  ["partitionA", 0, "counting_iter(0) o (_1,_4,_16):(_0,_4,_16)"],
  ["partitionA", 5, "counting_iter(1) o (_1,_4,_16):(_0,_4,_16)"],
  ["partitionB", 0, "counting_iter(0) o (_1,_4,_16):(_0,_4,_16)"],
  ["partitionB", 5, "counting_iter(1) o (_1,_4,_16):(_0,_4,_16)"],
  ["partitionC", 0, "counting_iter(0) o (_1,_4,_4):(_0,_4,_64)"],
  ["partitionC", 5, "counting_iter(17) o (_1,_4,_4):(_0,_4,_64)"],
] as const)("%s of thread %i is as recorded", (side, thread, text) => {
  expect(recorded.getSlice(thread)[side](square).describe()).toBe(text);
});

test("TV layouts and thread-fragment layouts are as recorded", () => {
  expect(String(recorded.getLayoutA_TV())).toBe("((_4,_4),(_1,(_1,_1))):((_1,_0),(_0,(_0,_0)))");
  expect(String(recorded.thrfrgC(makeLayout([int(16), int(16)])))).toBe(
    "((_1,(_4,_4)),(_1,(_4,_4))):((_0,(_1,_16)),(_0,(_4,_64)))",
  );
  expect(String(mmaAtom("SM70_8x8x4_F32F16F16F32_NT").layoutC)).toBe(
    "((_2,_2,_2),(_2,_2,_2)):((_1,_16,_4),(_8,_2,_32))",
  );
  expect(String(mmaAtom("SM80_16x8x16_F32F16F16F32_TN").layoutC)).toBe("((_4,_8),(_2,_2)):((_32,_1),(_16,_8))");
});

test.each(mmaAtomNames.map((name) => [name, mmaAtom(name)] as const))(
  "%s names every element of A, B and C once",
  (_name, atom) => {
    const [m, n, k] = (atom.shapeMNK as readonly { value: number }[]).map(({ value }) => value) as [
      number,
      number,
      number,
    ];
    for (const [tv, count] of [
      [atom.layoutA, m * k],
      [atom.layoutB, n * k],
      [atom.layoutC, m * n],
    ] as const) {
      const offsets = Array.from({ length: size(tv) }, (_unused, i) => offsetAt(tv, i));
      expect(offsets.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_unused, i) => i));
      expect(size(tv, 0)).toBe(size(atom.threadId));
    }
  },
);

/** A user-defined atom: two threads share a 2x2x2 product; each has a row of A, a column of B and a row of C. */
const rowAtom: MmaAtom = {
  shapeMNK: [int(2), int(2), int(2)],
  threadId: layout("_2:_1"),
  layoutA: layout("(_2,_2):(_1,_2)"),
  layoutB: layout("(_2,_2):(_1,_2)"),
  layoutC: layout("(_2,_2):(_1,_2)"),
};
const mmas: readonly (readonly [string, TiledMma])[] = [
  ["of one thread", makeTiledMma()],
  ["recorded", recorded],
  ["row-major threads", makeTiledMma(universalFma(), makeLayout([int(4), int(2), int(1)], "right"))],
  ["threads along K", makeTiledMma(universalFma(), makeLayout([int(2), int(2), int(4)]))],
  ["permuted", makeTiledMma(universalFma(), makeLayout([int(2), int(2), int(1)]), [int(8), int(8), int(1)])],
  ["interleaved", makeTiledMma(universalFma(), makeLayout([int(2), int(2)]), [layout("(_2,_4):(_4,_1)")])],
  ["of a user's atom", makeTiledMma(rowAtom, makeLayout([int(2), int(2), int(1)]))],
  ["SM80", makeTiledMma(mmaAtom("SM80_16x8x16_F32F16F16F32_TN"), makeLayout([int(2), int(2), int(1)]))],
  ["SM70", makeTiledMma(mmaAtom("SM70_8x8x4_F32F16F16F32_NT"))],
];
/** Returns the thread indices; those of a quadpair are not consecutive. */
const threadsOf = (mma: TiledMma): number[] =>
  Array.from({ length: mma.size }, (_unused, i) => offsetAt(mma.threadLayoutVMNK, i));

describe.each(mmas)("an MMA %s", (_name, mma) => {
  const shapes = {
    A: makeLayout([int(32), int(32)]),
    B: makeLayout([int(32), int(32)], "right"),
    C: makeLayout([32, 32]),
  };

  test("partitions each thread's operands as often as they are multiplied", () => {
    const [tm, tn] = [size(mma.threadLayoutVMNK, 1), size(mma.threadLayoutVMNK, 2)];
    const tk = size(mma.threadLayoutVMNK, 3);
    for (const [operand, times] of [
      ["A", tn],
      ["B", tm],
      ["C", tk],
    ] as const) {
      const t = makeTensor(counting(), shapes[operand]) as Tensor;
      const seen = new Map<number, number>();
      for (const thread of threadsOf(mma))
        for (const x of elements(mma.getSlice(thread)[`partition${operand}`](t))) seen.set(x, (seen.get(x) ?? 0) + 1);
      expect(seen.size).toBe(t.size);
      expect(new Set(seen.values())).toEqual(new Set([times]));
    }
  });

  test("has TV layouts that map values of a thread to elements", () => {
    const [m, n, k] = mma.tileShape as readonly IntTuple[];
    const sizes = { A: [m, k], B: [n, k], C: [m, n] } as const;
    for (const operand of ["A", "B", "C"] as const) {
      const tile = makeTensor(counting(), makeLayout(sizes[operand] as never)) as Tensor;
      const tv = mma[`getLayout${operand}_TV`]();
      for (const thread of threadsOf(mma)) {
        const values = elements(mma.getSlice(thread)[`partition${operand}`](tile));
        expect(values).toEqual(values.map((_value, v) => offsetAt(tv, [thread, v])));
      }
    }
  });
});

test("the threads' products add up to the matrix product", () => {
  const numbers = (n: number, f: (i: number) => number): Float64Array =>
    Float64Array.from({ length: n }, (_unused, i) => f(i));
  const A = makeTensor(gmem(numbers(64, (i) => (i * 7) % 5)), makeLayout([8, 8], "right"));
  const swizzled = composition(swizzle(2, 0, 3), makeLayout([int(8), int(8)], "right"));
  const B = makeTensor(gmem(numbers(64, (i) => (i * 3) % 7)), swizzled) as Tensor;
  for (const mma of [recorded, mmas[2]?.[1] as TiledMma, mmas[3]?.[1] as TiledMma]) {
    const C = makeTensor("float64", [int(8), int(8)]);
    for (const thread of threadsOf(mma)) {
      const part = mma.getSlice(thread);
      const [a, b, c] = [part.partitionA(A), part.partitionB(B), part.partitionC(C)] as [Tensor, Tensor, Tensor];
      for (let i = 0; i < (c.shape[1] as number); i++)
        for (let j = 0; j < (c.shape[2] as number); j++)
          for (let k = 0; k < (a.shape[2] as number); k++)
            c.set(0, i, j, (c.get(0, i, j) as number) + (a.get(0, i, k) as number) * (b.get(0, j, k) as number));
    }
    for (let i = 0; i < 8; i++)
      for (let j = 0; j < 8; j++) {
        let sum = 0;
        for (let k = 0; k < 8; k++) sum += A.get(i, k) * (B.get(j, k) as number);
        expect(C.get(i, j)).toBe(sum);
      }
  }
});

test("fragments are registers of the atom's dtypes, in the shape of the partition", () => {
  const mma = makeTiledMma(mmaAtom("SM80_16x8x16_F32F16F16F32_TN"));
  const slice = mma.getSlice(7);
  const a = makeTensor(gmem(new Float32Array(1024)), [int(32), int(32)]);
  const [fragmentA, fragmentB, fragmentC] = [
    slice.partitionFragmentA(a),
    slice.partitionFragmentB(a),
    slice.partitionFragmentC(a),
  ];
  expect([fragmentA.dtype, fragmentB.dtype, fragmentC.dtype]).toEqual(["float16", "float16", "float32"]);
  expect([fragmentA.space, fragmentA.ownership]).toEqual(["rmem", "owning"]);
  expect(fragmentA.shape).toEqual(slice.partitionA(a).shape);
  expect(fragmentC.describe()).toContain("o ((_2,_2),_2,_4):((_1,_2),_4,_8)");
  expect(makeTiledMma(rowAtom).getSlice(1).partitionFragmentA(a).dtype).toBe("float32");
});

test.each([
  ["a thread", () => recorded.getSlice(16), "there is no thread 16, the tiled MMA has threads 0 to 15"],
  ["a vector", () => recorded.getSlice(0).partitionA(makeTensor(counting(), 16)), "needs a matrix, 16:_1 has rank 1"],
  ["an instruction", () => mmaAtom("SM90_64x64x16" as never), "unknown atom SM90_64x64x16. Known: SM70_8x8x4"],
  [
    "four modes of threads",
    () => makeTiledMma(universalFma(), makeLayout([1, 1, 1, 1])),
    "one mode for each of M, N, K",
  ],
])("%s that does not fit is refused", (_what, call, message) => {
  expect(call).toThrow(message);
});
