/**
 * gemm in its five forms against the sums written out, on random layouts and in every kind of arithmetic.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { counted, stored, valuesOf } from "../../../test/support/algorithm-tensors.ts";
import { forAll } from "../../../test/support/layouts.ts";
import { ShapeError, WriteError } from "../../base/errors.ts";
import { type AnyLayout, type Layout, makeLayout } from "../../layout/index.ts";
import { parseLayout } from "../../layout/notation.ts";
import { complex, type DType, DTypeError } from "../../storage/dtype.ts";
import { bfloat16ToNumber, float16ToNumber, numberToBfloat16, numberToFloat16 } from "../../storage/half.ts";
import type { Tensor } from "../tensor.ts";
import { gemm } from "./gemm.ts";

const layout = (text: string): Layout => parseLayout(text) as Layout;

/** The five forms by what the modes of A, B and C are. */
const forms = {
  "(V)x(V)=>(V)": ["v", "v", "v"],
  "(M)x(N)=>(M,N)": ["m", "n", "mn"],
  "(M,K)x(N,K)=>(M,N)": ["mk", "nk", "mn"],
  "(V,M)x(V,N)=>(V,M,N)": ["vm", "vn", "vmn"],
  "(V,M,K)x(V,N,K)=>(V,M,N)": ["vmk", "vnk", "vmn"],
} as const;

const sizes: Readonly<Record<string, number>> = { v: 2, m: 3, n: 4, k: 5 };
const sizesOf = (modes: string): number[] => [...modes].map((mode) => sizes[mode] as number);
const countOf = (modes: string): number => sizesOf(modes).reduce((a, b) => a * b, 1);

/** The 1-D index of a coordinate given by mode letters. */
const indexOf = (modes: string, at: Readonly<Record<string, number>>): number =>
  [...modes].reduceRight((index, mode) => index * (sizes[mode] as number) + (at[mode] as number), 0);

/** The sums as the forms define them. */
function expected(form: readonly [string, string, string], a: number[], b: number[], c: number[]): number[] {
  const [modesA, modesB, modesC] = form;
  const result = [...c];
  const [ks, others] = [modesA.includes("k") ? (sizes.k as number) : 1, countOf(modesC)];
  for (let i = 0; i < others; i++) {
    let rest = i;
    const at: Record<string, number> = {};
    for (const mode of modesC) {
      at[mode] = rest % (sizes[mode] as number);
      rest = Math.floor(rest / (sizes[mode] as number));
    }
    for (let k = 0; k < ks; k++) {
      const x = a[indexOf(modesA, { ...at, k })] as number;
      (result[i] as number) += x * (b[indexOf(modesB, { ...at, k })] as number);
    }
  }
  return result;
}

/** A layout with these sizes as its modes: compact in one of the orders, or padded. */
const shaped = (modes: string): fc.Arbitrary<AnyLayout> =>
  fc.constantFrom("left", "right", "padded").map((kind) => {
    const shape = sizesOf(modes);
    if (kind !== "padded") return makeLayout(shape, kind as "left") as AnyLayout;
    const stride = shape.map((_size, i) => 2 * shape.slice(0, i).reduce((product, size) => product * (size + 1), 1));
    return makeLayout(shape, stride) as AnyLayout;
  });

describe.each(Object.entries(forms))("gemm %s", (_name, form) => {
  const [modesA, modesB, modesC] = form;
  const a = counted(countOf(modesA), -7);
  const b = counted(countOf(modesB), -3).map((x) => 2 * x);
  const c = counted(countOf(modesC), 100);

  test("adds the products to C, whatever the layouts", () => {
    const choice = fc.tuple(shaped(modesA), shaped(modesB), shaped(modesC), shaped(modesC));
    forAll(
      `gemm ${modesC}`,
      [choice],
      ([la, lb, lc, ld]) => {
        const [ta, tb, tc, td] = [
          stored("float32", la, a),
          stored("float32", lb, b),
          stored("float32", lc, c),
          stored("float32", ld),
        ];
        gemm(td, ta, tb, tc);
        expect(valuesOf(td)).toEqual(expected(form, a, b, c));
        expect(valuesOf(tc)).toEqual(c);
        gemm(ta, tb, tc);
        expect(valuesOf(tc)).toEqual(expected(form, a, b, c));
        expect([ta.version, tb.version, tc.version, td.version]).toEqual([0, 0, 1, 1]);
      },
      100,
    );
  });

  test.each<DType>(["float64", "float32", "int32", "uint32", "int16", "int64"])("of %s", (dtype) => {
    const make = (modes: string, values: number[]): Tensor =>
      stored(dtype, makeLayout(sizesOf(modes)) as Layout, values);
    const out = make(modesC, c);
    gemm(make(modesA, a), make(modesB, b), out);
    const sums = expected(form, a, b, c);
    expect(valuesOf(out).map(Number)).toEqual(dtype === "uint32" ? sums.map((x) => x >>> 0) : sums);
  });
});

describe("gemm's arithmetic", () => {
  const product = (dtype: DType, to: DType, a: readonly unknown[], b: readonly unknown[], c: unknown): unknown => {
    const n = a.length;
    const out = stored(to, layout("(1,1):(1,1)"), [c as number]);
    const line = makeLayout([1, n], [1, 1]) as Layout;
    gemm(stored(dtype, line, a as number[]), stored(dtype, line, b as number[]), out);
    return valuesOf(out)[0];
  };

  test("int32 wraps exactly, int64 and uint64 are exact modulo 2^64, int8 wraps into its width", () => {
    const [x, y] = [2 ** 31 - 1, 123456789];
    const exact = BigInt(x) * BigInt(y) + BigInt(y) * BigInt(x) + 5n;
    expect(product("int32", "int32", [x, y], [y, x], 5)).toBe(Number(BigInt.asIntN(32, exact)));
    const big = 2n ** 40n + 3n;
    expect(product("int64", "int64", [big, 1n], [big, 1n], 7n)).toBe(BigInt.asIntN(64, big * big + 8n));
    expect(product("uint64", "uint64", [big, 1n], [big, 1n], 7n)).toBe(BigInt.asUintN(64, big * big + 8n));
    expect(product("int8", "int8", [100, 100], [100, 3], 1)).toBe(((100 * 100 + 100 * 3 + 1) << 24) >> 24);
    expect(product("int8", "int32", [100, 100], [100, 3], 1)).toBe(10301);
    expect(product("bool", "bool", [true, false], [true, true], false)).toBe(true);
  });

  test("float32 rounds after each step, float16 and bfloat16 likewise", () => {
    const [a, b] = [
      [0.1, 0.2, 0.3, 1e4],
      [0.7, 1e-3, 3.3, 1.1],
    ];
    const steps = (round: (x: number) => number): number =>
      a.reduce((sum, x, k) => round(sum + round(x) * round(b[k] as number)), round(1));
    const half = (x: number): number => float16ToNumber(numberToFloat16(x));
    const brain = (x: number): number => bfloat16ToNumber(numberToBfloat16(x));
    expect(product("float32", "float32", a, b, 1)).toBe(steps(Math.fround));
    expect(product("float16", "float16", a, b, 1)).toBe(steps(half));
    expect(product("bfloat16", "bfloat16", a, b, 1)).toBe(steps(brain));
    // 1 + 2^-24 is a tie and rounds to 1; both steps at once would not.
    expect(product("float32", "float32", [1, 1], [2 ** -24, 2 ** -24], 1)).toBe(1);
    expect(product("float64", "float64", [1, 1], [2 ** -24, 2 ** -24], 1)).toBe(1 + 2 ** -23);
    // A float32 destination is a float accumulator: products of halves are exact.
    const wide = a.reduce((sum, x, k) => Math.fround(sum + half(x) * half(b[k] as number)), 1);
    expect(product("float16", "float32", a, b, 1)).toBe(wide);
  });

  test("complex numbers multiply without conjugation", () => {
    expect(
      product("complex64", "complex64", [complex(1, 2), complex(0, 1)], [complex(3, -1), complex(0, 1)], complex(1, 0)),
    ).toEqual(complex(5 - 1 + 1, 5));
    expect(product("float32", "complex128", [2, 3], [4, 5], complex(0, 1))).toEqual(complex(23, 1));
    expect(() => product("complex64", "float32", [complex(1, 1)], [complex(1, 1)], 0)).toThrow(DTypeError);
  });

  test("an integer destination truncates real products at each step", () => {
    expect(product("float32", "int32", [0.75, 0.75, 2], [1, 1, 1.25], 1)).toBe(3);
  });
});

describe("gemm throws for", () => {
  const make = (text: string): Tensor => stored("float32", layout(text));
  test("sizes that do not agree, with the sizes", () => {
    expect(() => gemm(make("(3,4):(1,3)"), make("(2,5):(1,2)"), make("(3,2):(1,3)"))).toThrow(ShapeError);
    expect(() => gemm(make("(3,4):(1,3)"), make("(2,5):(1,2)"), make("(3,2):(1,3)"))).toThrow(
      "gemm: K of A and B differ, (3,4):(1,3) x (2,5):(1,2) => (3,2):(1,3) needs 4 = 5",
    );
    expect(() => gemm(make("3:1"), make("2:1"), make("(3,3):(1,3)"))).toThrow(/N of B and C differ/);
    expect(() => gemm(make("3:1"), make("2:1"), make("3:1"))).toThrow(/V of A and B differ/);
  });
  test("unknown ranks, and lists the forms", () => {
    expect(() => gemm(make("(3,4):(1,3)"), make("4:1"), make("3:1"))).toThrow(
      /^gemm: A, B and C have 2, 1 and 1 modes.*\(V,M,K\)x\(V,N,K\)=>\(V,M,N\)$/,
    );
  });
  test("C and D of different shapes, and sums that share an address", () => {
    const [a, b] = [make("(3,4):(1,3)"), make("(2,4):(1,2)")];
    expect(() => gemm(make("(2,3):(1,2)"), a, b, make("(3,2):(1,3)"))).toThrow(/C and D must have the same shape/);
    expect(() => gemm(a, b, make("(3,2):(1,0)"))).toThrow(WriteError);
  });
});

test("gemm reads its inputs before it writes, where they share memory", () => {
  const square = stored("float32", layout("(3,3):(1,3)"), counted(9));
  const copyOf = stored("float32", layout("(3,3):(1,3)"), counted(9));
  const apart = stored("float32", layout("(3,3):(1,3)"), counted(9));
  gemm(copyOf, copyOf, apart);
  gemm(square, square, square);
  expect(valuesOf(square)).toEqual(valuesOf(apart));
});

test.each([
  ["(3,(2,2)):(4,(1,2))", "(2,(2,2)):(1,(4,2))"],
  ["(3,(2,2)):(1,(3,6))", "(2,(2,2)):(4,(2,1))"],
  ["Sw<1,0,2> o 0 o (3,4):(4,1)", "(2,4):(1,2)"],
])("modes may be nested or swizzled, each counts by its own index: %s x %s", (a, b) => {
  const sums = [stored("int32", layout("(3,2):(1,3)"), counted(6)), stored("int32", layout("(3,2):(1,3)"), counted(6))];
  const [plain, other] = sums as [Tensor, Tensor];
  gemm(stored("int32", layout("(3,4):(1,3)"), counted(12)), stored("int32", layout("(2,4):(1,2)"), counted(8)), plain);
  gemm(stored("int32", parseLayout(a), counted(12)), stored("int32", parseLayout(b), counted(8)), other);
  expect(valuesOf(other)).toEqual(valuesOf(plain));
});
