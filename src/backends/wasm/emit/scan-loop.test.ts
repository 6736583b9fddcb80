/** Guards: values that a select does not choose are skipped, and nothing else changes. */
import { describe, expect, test } from "vitest";
import { expectSameRuns } from "../../../../test/support/kernel-runs.ts";
import type { Kernel, Statement } from "../../../kernel/ir/kernel.ts";
import { parseKernel } from "../../../kernel/ir/parse.ts";
import { call, cast, constantScalar, loadScalar, namedScalar, type Scalar } from "../../../kernel/ir/scalar.ts";
import { loopSymbol } from "../../../kernel/ir/symbols.ts";
import type { DType, TypedArray } from "../../../storage/dtype.ts";
import { kernelModule } from "../compile-kernel.ts";

const text = (value: string, dtype: DType = "float32"): string =>
  `kernel map\nbuffer x: ${dtype} read\nbuffer out: ${dtype} write\nsize n: 0..1000\n{\n` +
  `parallel u in 0..1 {\nvector i in 0..n by 4 {\nout[i] = ${value}\n}\n}\n}`;

/** The guards of the vector loop that test masks or signs, and the values that are 0 elsewhere. */
interface Guards {
  readonly any: number;
  readonly all: number;
  readonly signs: number;
  /** One for each guard; a select that is alone with its guard needs none. */
  readonly elses: number;
}

function guardsIn(kernel: Kernel | string): Guards {
  const { module } = kernelModule(typeof kernel === "string" ? parseKernel(kernel) : kernel, {
    relaxedSimd: false,
    shared: false,
  });
  const code = module.functions[0]?.code ?? [];
  const count = (name: string): number => code.filter(([op]) => op === name).length;
  return {
    any: count("v128.any_true"),
    all: count("i8x16.all_true"),
    signs: count("i32x4.bitmask"),
    // The last rounds have one, if they are filled up in scratch bytes.
    elses: count("else") - Number(module.imports.some(({ name }) => name === "scratch")),
  };
}

describe("which sides are guarded", () => {
  test.each(["exp", "sin", "cos", "tan", "erf", "erfc", "sinh", "asinh", "acosh", "atanh"])(
    "%s skips the scaling of large and small numbers",
    (fn) => {
      const { any, all, signs, elses } = guardsIn(text(`${fn}(x[i])`));
      const count = any + all + signs;
      expect(count).toBeGreaterThan(0);
      expect(elses).toBeLessThanOrEqual(count);
    },
  );

  test("the angle of far numbers is one guard, whose three results are 0 elsewhere", () => {
    expect(guardsIn(text("sin(x[i])"))).toEqual({ any: 0, all: 1, signs: 0, elses: 1 });
  });

  test("exp tests signs only, and selects only where some number is far", () => {
    expect(guardsIn(text("exp(x[i])"))).toEqual({ any: 0, all: 0, signs: 1, elses: 0 });
  });

  test("a call of the engine on either side is worth a guard", () => {
    const value = "select(lt(x[i], float64(1)), atan(x[i]) + x[i] * x[i] * x[i], cosh(x[i]) + x[i] * x[i])";
    expect(guardsIn(text(value, "float64"))).toEqual({ any: 1, all: 1, signs: 0, elses: 1 });
  });

  test.each([
    "max(x[i], float32(0))",
    "select(lt(x[i], float32(0)), x[i] * x[i] + float32(1), x[i] - float32(1))",
    "log(x[i])",
    "tanh(x[i])",
    "pow(x[i], float32(2.5))",
  ])("%s is computed without a branch", (value) => {
    expect(guardsIn(text(value))).toEqual({ any: 0, all: 0, signs: 0, elses: 0 });
  });
});

const i = loopSymbol("i");
const out = (buffer: string, value: Scalar): Statement => ({ kind: "store", buffer, index: i, value });

/** A value after many operations; that of floats stays finite, and keeps a trace of where it came from. */
function costly(value: Scalar, seed: number, steps = 40): Scalar {
  let result = value;
  for (let k = 0; k < steps; k++)
    result = call(
      k % 2 ? "mul" : "add",
      result,
      constantScalar(value.dtype, value.dtype.startsWith("float") ? (k % 2 ? 0.75 : seed + k) : seed + 2 * k + 1),
    );
  return result;
}

/** A kernel over n elements of x, c and y, with these statements in its loop. */
const kernelOf = (dtype: DType, body: readonly Statement[], mode: "vector" | "serial" = "vector"): Kernel => {
  const frame = parseKernel(
    `kernel guarded\nbuffer c: bool read\nbuffer d: bool read\nbuffer x: ${dtype} read\nbuffer p: ${dtype} write\n` +
      `buffer q: ${dtype} write\nsize n: 0..1000\n{\nparallel u in 0..1 {\n${mode} i in 0..n${mode === "vector" ? " by 4" : ""} {\n` +
      "p[i] = x[i]\n}\n}\n}",
  );
  const outer = frame.body[0] as Statement & { kind: "loop" };
  const inner = outer.body[0] as Statement & { kind: "loop" };
  return { ...frame, body: [{ ...outer, body: [{ ...inner, body }] }] };
};

const arrays = {
  float32: Float32Array,
  float64: Float64Array,
  int16: Int16Array,
  uint8: Uint8Array,
  int32: Int32Array,
} as const;
type Tested = keyof typeof arrays;

/** Bools in runs, so that vectors of all kinds of lanes occur: none, all, some. */
const bools = (n: number, kind: number): Uint8Array =>
  Uint8Array.from({ length: n }, (_, k) => (kind < 2 ? kind : kind === 2 ? (k >> 4) & 1 : (k * 7 + (k >> 3)) & 1));

function expectSame(kernel: Kernel, dtype: Tested): void {
  for (const n of [67, 3])
    for (const [first, second] of [
      [0, 1],
      [1, 0],
      [2, 3],
      [3, 2],
    ] as const) {
      const from = (start: number): TypedArray =>
        new arrays[dtype](n).map((_: number, k: number) => start + ((k * 5) % 11));
      const buffers = { c: bools(n, first), d: bools(n, second), x: from(1), p: from(2), q: from(3) };
      expectSameRuns(kernel, { buffers, sizes: { n }, units: 1 });
    }
}

const c = loadScalar("bool", "c", i);
const d = loadScalar("bool", "d", i);
const select = (condition: Scalar, a: Scalar, b: Scalar): Scalar => call("select", condition, a, b);

describe.each(Object.keys(arrays) as Tested[])("selects of %s agree with the reference", (dtype) => {
  const x = loadScalar(dtype, "x", i);
  const shared = costly(x, 1, 5);
  const [f, g, h, k] = [costly(x, 2), costly(shared, 3), costly(shared, 4), costly(x, 5)] as const;
  const first = select(c, f, g);
  const bodies: Readonly<Record<string, readonly Statement[]>> = {
    "both sides": [out("p", select(c, f, g))],
    "one condition in two stores": [
      out("p", select(c, f, call("add", f, g))),
      out("q", select(c, call("mul", f, h), k)),
    ],
    "a side that something else needs too": [out("p", call("add", select(c, f, g), g))],
    "a side inside a side": [out("p", select(c, select(d, f, g), select(d, h, k)))],
    "a value of two inner sides": [out("p", select(c, select(d, f, g), select(d, g, call("add", f, k))))],
    "a condition under a guard": [
      out("p", select(c, select(call("lt", f, g), costly(f, 7), costly(g, 8)), costly(shared, 9))),
    ],
    "selects that stand on each other": [out("p", select(c, costly(first, 6), call("add", costly(first, 7), h)))],
    "selects that stand on each other crosswise": [
      out("p", select(c, costly(select(d, f, g), 1), h)),
      out("q", select(d, costly(select(c, k, h), 2), f)),
    ],
    "a name between": [
      { kind: "let", name: "t", value: first },
      out("p", select(c, costly(namedScalar(dtype, "t"), 3), costly(namedScalar(dtype, "t"), 4))),
      out("q", select(c, namedScalar(dtype, "t"), k)),
    ],
    "a store between that is read again": [
      out("p", select(c, f, g)),
      out("p", call("add", loadScalar(dtype, "p", i), select(c, f, costly(loadScalar(dtype, "p", i), 6)))),
      out("q", select(c, call("add", f, loadScalar(dtype, "p", i)), g)),
    ],
    "a condition of its own width": [
      out("p", select(call("lt", cast("float32", x), constantScalar("float32", 4)), f, g)),
    ],
    "a masked load on a side": [
      out("p", select(c, costly(loadScalar(dtype, "x", i, d, constantScalar(dtype, 1)), 1), costly(x, 2))),
    ],
  };
  test.each(Object.keys(bodies))("%s", (name) => {
    const body = bodies[name] as readonly Statement[];
    expectSame(kernelOf(dtype, body), dtype);
    expectSame(kernelOf(dtype, body, "serial"), dtype);
  });
});

test("a side is guarded only if nothing else needs it, and if the other side is worth it", () => {
  const x = loadScalar("float32", "x", i);
  const [f, g] = [costly(x, 2), costly(x, 3)];
  const of = (value: Scalar): ReturnType<typeof guardsIn> => guardsIn(kernelOf("float32", [out("p", value)]));
  expect(of(select(c, f, g))).toEqual({ any: 1, all: 1, signs: 0, elses: 1 });
  expect(of(call("add", select(c, f, costly(g, 4)), g))).toEqual({ any: 1, all: 1, signs: 0, elses: 1 });
  expect(of(call("add", select(c, f, g), g))).toEqual({ any: 0, all: 0, signs: 0, elses: 0 });
  expect(of(select(c, f, constantScalar("float32", 0)))).toEqual({ any: 0, all: 0, signs: 0, elses: 0 });
  expect(of(select(c, f, costly(x, 3, 8)))).toEqual({ any: 1, all: 0, signs: 0, elses: 0 });
});
