/** Every function on floats, through all lowering passes, is as accurate as promised; integer powers are exact. */
import { describe, expect, test } from "vitest";
import { expectSameRuns } from "../../../../test/support/kernel-runs.ts";
import { type ScalarFunction, scalarFunctions } from "../../../kernel/ir/functions.ts";
import { parseKernel } from "../../../kernel/ir/parse.ts";
import type { DType, TypedArray } from "../../../storage/dtype.ts";
import { kernelModule } from "../compile-kernel.ts";

const unary = (
  "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc " +
  "floor ceil trunc round abs neg"
).split(" ") as ScalarFunction[];
const binary = "pow atan2 copysign floorDiv floorMod truncDiv truncRem min max div".split(" ") as ScalarFunction[];

const mapOf = (dtype: DType, value: string): string =>
  `kernel map\nbuffer x: ${dtype} read\nbuffer y: ${dtype} read\nbuffer out: ${dtype} write\nsize n: 0..1000\n{\n` +
  `parallel u in 0..1 {\nvector i in 0..n by 4 {\nout[i] = ${value}\n}\n}\n}`;

const special = [0, -0, 1, -1, 0.5, -0.5, NaN, Infinity, -Infinity, 2, -3, 1e-3, 20, -20, 0.999];
const x = [...special, ...Array.from({ length: 60 }, (_, i) => Math.sin(i * 7.3) * 2 ** (i % 5))];
const y = x.map((_, i) => x[(i * 31 + 4) % x.length] as number);

// Two units in the last place of float32; of float64 four, and the polynomials of erf are judged elsewhere.
const tolerances = { float32: 2.5e-7, float64: 1e-15 } as const;

describe.each(["float32", "float64"] as const)("%s", (dtype) => {
  test.each([...unary, ...binary])("%s", (fn) => {
    const value = scalarFunctions[fn].arity === 1 ? `${fn}(x[i])` : `${fn}(x[i], y[i])`;
    const from = (list: readonly number[]): TypedArray =>
      dtype === "float32" ? Float32Array.from(list) : Float64Array.from(list);
    for (const n of [x.length, 3])
      expectSameRuns(mapOf(dtype, value), {
        buffers: { x: from(x.slice(0, n)), y: from(y.slice(0, n)), out: from(y.slice(0, n)) },
        sizes: { n },
        units: 1,
        tolerance: tolerances[dtype],
      });
  });
});

test("functions of float32 run on vectors", () => {
  for (const fn of unary) {
    const { module } = kernelModule(parseKernel(mapOf("float32", `${fn}(x[i])`)), {
      relaxedSimd: false,
      shared: false,
    });
    expect(
      module.functions[0]?.code.some(([op]) => op === "v128.load"),
      fn,
    ).toBe(true);
    expect(
      module.imports.some(({ kind }) => kind === "function"),
      fn,
    ).toBe(false);
  }
});

test.each(["uint8", "int8", "int16", "int32", "int64", "uint64"] as const)("powers of %s are exact", (dtype) => {
  const bases = [0, 1, 2, 3, 7, 100, 1, 5, 2, 2, 1, 11];
  const powers = [0, 5, 7, 4, 2, 1, 100, 3, 31, 64, 0, 6];
  const wide = dtype === "int64" || dtype === "uint64";
  const of = (list: readonly number[]): TypedArray => {
    if (wide) return dtype === "int64" ? BigInt64Array.from(list, BigInt) : BigUint64Array.from(list, BigInt);
    if (dtype === "int32") return Int32Array.from(list);
    return dtype === "int16" ? Int16Array.from(list) : dtype === "int8" ? Int8Array.from(list) : Uint8Array.from(list);
  };
  const signs = dtype.startsWith("u") ? [1] : [1, -1];
  for (const sign of signs)
    for (const powerSign of signs)
      expectSameRuns(mapOf(dtype, "pow(x[i], y[i])"), {
        buffers: { x: of(bases.map((b) => sign * b)), y: of(powers.map((p) => powerSign * p)), out: of(bases) },
        sizes: { n: bases.length },
        units: 1,
      });
});
