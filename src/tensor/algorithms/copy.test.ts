/**
 * copy, copyAligned and copyPlan: all elements are copied, nothing else changes, and the copy takes the planned path.
 */
import fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import {
  at,
  counted,
  distinctLayouts,
  listed,
  offsetsOf,
  stored,
  tensorOn,
  valuesOf,
} from "../../../test/support/algorithm-tensors.ts";
import { forAll } from "../../../test/support/layouts.ts";
import { ShapeError, StorageError, WriteError } from "../../base/errors.ts";
import type { Operand } from "../../kernel/operand.ts";
import {
  _,
  type AnyLayout,
  composition,
  cosize,
  int,
  type Layout,
  makeComposedLayout,
  makeLayout,
  maxAlignment,
  maxCommonVector,
  offsetAt,
  size,
  swizzle,
  valueOf,
} from "../../layout/index.ts";
import { parseLayout } from "../../layout/notation.ts";
import { type DType, dtypeNames, dtypes } from "../../storage/dtype.ts";
import { makeFragmentLike } from "../cute/make-like.ts";
import { makeTensor } from "../cute/make-tensor.ts";
import { counting } from "../engines/computed-engines.ts";
import { gmem, smem } from "../engines/pointers.ts";
import { heldView, type Tensor, viewOf } from "../tensor.ts";
import { copy, copyAligned, few } from "./copy.ts";
import { copyPlan } from "./copy-plan.ts";
import { forEach } from "./transform.ts";

// Records kernel calls, so that tests see the path of a copy. Few elements are copied without a kernel unless `few.elements` is 0.
const seen = vi.hoisted(() => ({ calls: [] as { from: unknown; to: unknown }[] }));
vi.mock("../../kernel/copy.ts", async (original) => {
  const real = await original<typeof import("../../kernel/copy.ts")>();
  const copyElements: typeof real.copyElements = (from, to) => {
    seen.calls.push({ from, to });
    real.copyElements(from, to);
  };
  return { ...real, copyElements };
});
const calls = seen.calls as { from: Operand; to: Operand }[];
beforeEach(() => {
  calls.length = 0;
  few.elements = 256;
});

const layout = (text: string): Layout => parseLayout(text) as Layout;
const sizes = fc.constantFrom(1, 2, 4, 6, 8, 12, 16, 24, 36, 48);
const pairs = sizes.chain((n) => fc.tuple(distinctLayouts(n), distinctLayouts(n)));
const cast: Partial<Record<DType, (x: number) => unknown>> = {
  bool: (x) => x !== 0,
  complex64: (x) => ({ re: x, im: 0 }),
  complex128: (x) => ({ re: x, im: 0 }),
  int64: BigInt,
  uint64: BigInt,
};

describe("copy", () => {
  test("sets element i to element i of the source and touches nothing else", () => {
    forAll("copy", [pairs, fc.constantFrom(...dtypeNames), fc.nat(3)], ([a, b], dtype, skip) => {
      const values = counted((offsetsOf(a).length % 100) + 100).slice(0, offsetsOf(a).length);
      const source = stored(dtype, a, values);
      // One larger storage, the destination somewhere inside it.
      const whole = stored(dtype, makeLayout(cosize(b) + 8, 1), new Array(cosize(b) + 8).fill(77));
      const destination = heldView(whole, b, skip);
      copy(source, destination);
      const convert = cast[dtype] ?? ((x: number) => x);
      expect(valuesOf(destination)).toEqual(values.map(convert));
      const written = new Set(offsetsOf(b).map((offset) => offset + skip));
      const others = valuesOf(whole).filter((_value, i) => !written.has(i));
      expect(others.every((value) => value === convert(77) || (typeof value === "object" && value.re === 77))).toBe(
        true,
      );
    });
  });

  test("converts between all dtypes", () => {
    for (const from of dtypeNames)
      for (const to of dtypeNames) {
        const source = stored(from, layout("(2,3):(3,1)"), [0, 1, 2, 3, 4, 5]);
        const destination = stored(to, layout("(3,2):(1,4)"));
        copy(source, destination);
        const convert = cast[to] ?? ((x: number) => x);
        const values = [0, 1, 2, 3, 4, 5].map((x) => convert(from === "bool" ? Math.min(x, 1) : x));
        expect(valuesOf(destination), `${from} to ${to}`).toEqual(values);
      }
  });

  test("is as if the source had been copied away first, where both share memory", () => {
    forAll("copy within memory", [pairs, fc.nat(6), fc.nat(6)], ([a, b], x, y) => {
      const whole = stored("int32", makeLayout(Math.max(cosize(a) + x, cosize(b) + y), 1), counted(300));
      const before = offsetsOf(a).map((offset) => offset + x + 1);
      const destination = heldView(whole, b, y);
      copy(heldView(whole, a, x), destination);
      expect(valuesOf(destination)).toEqual(before);
    });
  });

  test("adds one to the version of the destination, none to the source's", () => {
    const source = stored("float32", layout("4:1"), [1, 2, 3, 4]);
    const destination = stored("float32", layout("(2,2):(2,1)"));
    copy(source, destination);
    copy(source, destination);
    expect([source.version, destination.version]).toEqual([0, 2]);
  });

  test("copies 64-bit integers exactly on every path", () => {
    const big = [2n ** 62n + 1n, -(2n ** 60n) - 3n, 5n, 7n];
    for (const text of ["4:1", "(2,2):(2,1)", "Sw<1,0,1> o 0 o 4:1"]) {
      const destination = stored("int64", parseLayout(text));
      copy(stored("int64", layout("4:2"), big), destination);
      expect(valuesOf(destination), text).toEqual(big);
    }
  });

  test("writes a broadcast destination once if the source does not move there either, and throws otherwise", () => {
    const destination = stored("float32", layout("(4,3):(1,0)"));
    copy(stored("float32", layout("(4,3):(1,0)"), [1, 2, 3, 4]), destination);
    expect(valuesOf(destination)).toEqual([1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4]);
    const source = stored("float32", layout("(4,3):(1,4)"), counted(12));
    expect(() => copy(source, destination)).toThrow(WriteError);
    expect(() => copy(source, destination)).toThrow(/^copy: 3 elements of the source would be written to one/);
    expect(() => copy(makeTensor(counting(0), [4, 3]), destination)).toThrow(WriteError);
  });

  test("throws for other sizes, const views, engines without write and elements that are not numbers", () => {
    const four = stored("float32", layout("4:1"));
    expect(() => copy(stored("float32", layout("(2,3):(1,2)")), four)).toThrow(ShapeError);
    expect(() => copy(stored("float32", layout("(2,3):(1,2)")), four)).toThrow(
      "copy: sizes differ, the source (2,3):(1,2) has 6 elements and the destination 4:1 has 4",
    );
    expect(() => copy(four, makeTensor(gmem(new Float32Array(4), { const: true }), 4))).toThrow(/const view/);
    expect(() => copy(four, makeTensor(counting(0), 4))).toThrow(/read-only counting engine/);
    expect(valuesOf(four)).toEqual([0, 0, 0, 0]);
  });

  test("does nothing for empty tensors", () => {
    const destination = stored("float32", makeLayout([0, 3], [1, 4]));
    copy(stored("float32", makeLayout([3, 0], [1, 4])), destination);
    expect(destination.size).toBe(0);
  });
});

describe("the examples of CuTe's tensor document", () => {
  test("copy(src(_,3), dst(2,_)) fills row 2 from column 3", () => {
    const source = makeTensor(gmem(Float32Array.from(counted(40))), [8, 5]);
    const destination = makeTensor(smem(new Float32Array(32)), [4, 8]);
    copy(at(source, _, 3), at(destination, 2, _));
    const rows = Array.from({ length: 4 }, (_unused, row) => valuesOf(at(destination, row, _)));
    expect(rows[2]).toEqual([25, 26, 27, 28, 29, 30, 31, 32]);
    expect([rows[0], rows[1], rows[3]].flat().every((value) => value === 0)).toBe(true);
  });

  test("copies rows of a matrix to registers, one after the other", () => {
    const matrix = makeTensor(gmem(Float32Array.from(counted(128, 0))), [int(8), 16]);
    const registers = makeFragmentLike(at(matrix, _, 0));
    expect([registers.space, registers.ownership, registers.size]).toEqual(["rmem", "owning", 8]);
    const sums: number[] = [];
    for (let j = 0; j < 16; j++) {
      copy(at(matrix, _, j), registers);
      let sum = 0;
      forEach(registers, (value) => {
        sum += value as number;
      });
      sums.push(sum);
    }
    expect(sums).toEqual(Array.from({ length: 16 }, (_unused, j) => 28 + 64 * j));
  });
});

describe("copyPlan", () => {
  const planned = (a: string, b: string, dtype: DType = "float32", to: DType = dtype) =>
    copyPlan(stored(dtype, parseLayout(a), counted(999)), stored(to, parseLayout(b)));

  test.each([
    ["(4,3):(1,4)", "(4,3):(1,4)", "float32", "block", 4],
    ["(4,3):(3,1)", "(4,3):(3,1)", "float32", "block", 4],
    ["12:1", "(4,3):(1,4)", "int8", "block", 4],
    ["(4,3):(1,4)", "(4,3):(1,8)", "float32", "vector", 4],
    ["(4,3):(1,4)", "(4,3):(1,6)", "float32", "vector", 2],
    ["(8,3):(1,8)", "(8,3):(1,8)", "float64", "block", 2],
    ["(16,2):(1,16)", "(16,2):(1,32)", "uint8", "vector", 16],
    ["(4,3):(1,4)", "(4,3):(1,5)", "float32", "strided", 1],
    ["(4,3):(1,4)", "(4,3):(3,1)", "float32", "strided", 1],
    ["(4,9):(1,5)", "(6,6):(1,7)", "float32", "elementwise", 1],
    ["(8,8):(1,8)", "Sw<1,2,1> o 0 o (8,8):(1,8)", "float32", "vector", 4],
    ["(8,8):(1,8)", "Sw<1,1,2> o 0 o (8,8):(1,8)", "float32", "vector", 2],
    ["(8,8):(1,8)", "Sw<2,0,3> o 0 o (8,8):(1,8)", "float32", "elementwise", 1],
    ["(2,2):(1,2)", "(2,2):(1,2)", "complex128", "block", 1],
  ] as const)("%s to %s of %s is a %s copy of %i at a time", (a, b, dtype, kind, vector) => {
    const plan = planned(a, b, dtype);
    expect([plan.kind, plan.vectorElements]).toEqual([kind, vector]);
    expect(plan.vectorBits).toBe(vector * 8 * dtypes[dtype].itemsize);
  });

  test("the vector follows CuTe's formula: gcd of the common vector, the alignments and 128 bits", () => {
    const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
    forAll("vector", [pairs, fc.constantFrom<DType>("uint8", "float16", "float32", "float64")], ([a, b], dtype) => {
      const plan = copyPlan(stored(dtype, a), stored(dtype, b));
      const common = valueOf(maxCommonVector(a, b));
      const widest = 16 / dtypes[dtype].itemsize;
      const aligned = [maxAlignment(a), maxAlignment(b)].map((n) => valueOf(n));
      const formula = [common, widest, ...aligned].reduce(gcd);
      // Modes that do not divide each other have no common vectors, even if their first elements are contiguous.
      expect(plan.vectorElements).toBe(plan.kind === "elementwise" ? 1 : formula);
    });
  });

  test("every copy has a plan, even if the common vector splits a mode of the swizzled layout", () => {
    const swizzled = composition(swizzle(2, 2, 3), layout("(8,3):(3,1)"));
    const plan = copyPlan(stored("int16", swizzled), stored("int16", layout("((2,4),3):((3,6),1)")));
    expect([plan.kind, plan.vectorElements]).toEqual(["vector", 4]);
    expect(valueOf(maxCommonVector(swizzled, plan.to.layout))).toBe(4);
    expect(4 % size(plan.commonLayout as Layout)).toBe(0);
  });

  test("the address limits the vector", () => {
    const memory = new Float32Array(64);
    const from = makeTensor(memory.subarray(0, 16), layout("(8,2):(1,8)"));
    const widths = [0, 1, 2, 4].map(
      (skip) => copyPlan(from, makeTensor(memory.subarray(24 + skip, 56), layout("(8,2):(1,16)"))).vectorElements,
    );
    expect(widths).toEqual([4, 1, 2, 4]);
  });

  test("gmem to smem in vectors of 32, 64 or 128 bits can be asynchronous", () => {
    const plan = (dtype: DType, text: string, from: "gmem" | "smem", to: "smem" | "rmem" | "gmem") =>
      copyPlan(stored(dtype, layout(text), [], from), stored(dtype, layout(text), [], to)).isAsyncCapable;
    expect(plan("float32", "(4,4):(1,4)", "gmem", "smem")).toBe(true);
    expect(plan("float16", "(2,4):(1,2)", "gmem", "smem")).toBe(true);
    expect(plan("float16", "(2,4):(2,4)", "gmem", "smem")).toBe(false);
    expect(plan("float32", "(4,4):(1,4)", "gmem", "rmem")).toBe(false);
    expect(plan("float32", "(4,4):(1,4)", "smem", "gmem")).toBe(false);
  });

  test("is plain data with both ends and the reason", () => {
    const plan = copyPlan(
      makeTensor(gmem(new Float32Array(16)), layout("(8,2):(1,8)")),
      makeTensor(smem(new Float32Array(24)), layout("(8,2):(1,16)")),
    );
    expect({ ...plan, from: String(plan.from.layout), to: String(plan.to.layout) }).toMatchObject({
      kind: "vector",
      vectorElements: 4,
      vectorBits: 128,
      isAsyncCapable: true,
      from: "(8,2):(1,8)",
      to: "(8,2):(1,16)",
      note: "both have 8 contiguous elements: vectors of 4 x 32 = 128 bits; a GPU can use cp.async for gmem to smem",
    });
    expect([plan.from.space, plan.from.dtype, plan.from.engine]).toEqual(["gmem", "float32", "view"]);
    expect(valueOf(maxCommonVector(plan.from.layout, plan.to.layout))).toBe(8);
    expect(String(plan.commonLayout)).toBe("8:_1");
    expect(planned("(4,3):(1,4)", "12:1").note).toBe(
      "both are one run of 12 elements in the same order: one move of 48 bytes",
    );
    expect(planned("4:1", "4:1", "float32", "int16").note).toBe(
      "float32 becomes int16: a strided loop that converts each element",
    );
    expect(planned("(4,9):(1,5)", "(6,6):(1,7)").note).toBe(
      "the modes of (4,9):(1,5) and (6,6):(1,7) do not divide each other: one element at a time",
    );
  });

  test("an engine without memory is read one element at a time", () => {
    const plan = copyPlan(makeTensor(counting(5), [2, 2]), stored("int32", layout("4:1")));
    expect([plan.kind, plan.vectorElements, plan.commonLayout, plan.from.engine]).toEqual([
      "elementwise",
      1,
      null,
      "counting",
    ]);
    expect(plan.note).toBe("the source has a counting engine: one element at a time");
  });

  test("throws if copy does", () => {
    const four = stored("float32", layout("4:1"));
    expect(() => copyPlan(four, stored("float32", layout("5:1")))).toThrow(/^copyPlan: sizes differ/);
    expect(() => copyPlan(four, makeTensor(counting(0), 4))).toThrow(WriteError);
  });

  test("copy takes the path that the plan names", () => {
    few.elements = 0;
    const swizzled: AnyLayout[] = [2, 1, 0].map((base) => composition(swizzle(1, base, 2), makeLayout([8, 6], "left")));
    const roads = fc.oneof(pairs, fc.tuple(distinctLayouts(48), fc.constantFrom(...swizzled))) as fc.Arbitrary<
      [AnyLayout, AnyLayout]
    >;
    const kinds = new Set<string>();
    forAll(
      "roads",
      [roads, fc.constantFrom<DType>("uint8", "float32", "float64"), fc.boolean()],
      ([a, b], dtype, isCast) => {
        const [source, destination] = [stored(dtype, a, counted(99)), stored(isCast ? "int32" : dtype, b)];
        const plan = copyPlan(source, destination);
        kinds.add(plan.kind);
        calls.length = 0;
        copy(source, destination);
        const isSwizzled = "inner" in b;
        expect(calls.length).toBe(plan.kind === "elementwise" || isSwizzled ? 0 : 1);
        const call = calls[0];
        if (call === undefined) return;
        const count = call.to.shape.reduce((x, y) => x * y, 1);
        if (plan.kind === "block") {
          expect([call.to.shape, call.from.stride, call.to.stride]).toEqual([[destination.size], [1], [1]]);
          expect([call.from.dtype, call.to.dtype]).toEqual([source.dtype, destination.dtype]);
        } else {
          expect(count * plan.vectorElements).toBe(destination.size);
          expect(8 * dtypes[call.to.dtype].itemsize).toBe(plan.vectorBits);
        }
      },
    );
    expect([...kinds].sort()).toEqual(["block", "elementwise", "strided", "vector"]);
  });

  test("few elements move without a kernel, and arrive as by a kernel", () => {
    forAll(
      "few elements",
      [pairs, fc.constantFrom<DType>("uint8", "int16", "float32", "complex128")],
      ([a, b], dtype) => {
        const source = stored(dtype, a, counted(99));
        const [direct, byKernel] = [stored(dtype, b), stored(dtype, b)];
        calls.length = 0;
        copy(source, direct);
        expect(calls.length).toBe(0);
        few.elements = 0;
        copy(source, byKernel);
        few.elements = 256;
        expect(valuesOf(direct)).toEqual(valuesOf(byKernel));
      },
    );
  });

  test("a swizzled vector copy writes every element at its swizzled offset", () => {
    for (const [bits, base, shift, skip] of [
      [1, 2, 1, 0],
      [2, 1, 2, 0],
      [2, 1, 2, 4],
      [1, 1, 3, 2],
    ] as const) {
      const b = makeComposedLayout(swizzle(bits, base, shift), 2 * skip, makeLayout([8, 8], "left") as Layout);
      const whole = stored("int32", makeLayout(cosize(b) + 8, 1));
      const destination = heldView(whole, b, skip);
      const source = stored("int32", layout("(8,8):(1,8)"), counted(64));
      expect(copyPlan(source, destination).kind).toBe("vector");
      copy(source, destination);
      const memory = valuesOf(whole);
      for (const i of counted(64, 0)) expect(memory[skip + offsetAt(b, i)], `${b} at ${i}`).toBe(i + 1);
      expect(memory.filter((value) => value !== 0).length).toBe(64);
    }
  });
});

describe("copyAligned", () => {
  test("copies like copy where both begin at a multiple of 128 bits", () => {
    few.elements = 0;
    const source = stored("float32", layout("(4,3):(1,4)"), counted(12));
    const destination = stored("float32", layout("(4,3):(1,8)"));
    copyAligned(source, destination);
    expect(valuesOf(destination)).toEqual(counted(12));
    expect(8 * dtypes[(calls[0] as { to: Operand }).to.dtype].itemsize).toBe(128);
  });

  test("throws for an end that does not, with its address", () => {
    const memory = makeTensor(new Float32Array(32), 32);
    const from = (start: number): Tensor => viewOf(memory, [8], [1], start);
    expect(() => copyAligned(from(1), from(16))).toThrow(StorageError);
    expect(() => copyAligned(from(0), from(17))).toThrow(
      /^copyAligned: the destination tensor \(float32 \[8\]\) begins at 0x[0-9a-f]+4, which is not a multiple of 128 bits/,
    );
    copyAligned(from(0), from(16));
  });

  test("does not check an engine without addresses", () => {
    const [list, engine] = listed("float32", layout("4:1"));
    copyAligned(tensorOn("storage", "float32", layout("4:1"), [1, 2, 3, 4]), list);
    expect(engine.list).toEqual([1, 2, 3, 4]);
  });
});
