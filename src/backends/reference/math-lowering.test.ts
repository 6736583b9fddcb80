/**
 * Elementary functions against double precision: bit patterns spread over all float32 numbers, and every number near the special
 * ones. ULP_STEP sets the distance of the patterns (1: all of them; 2^19 + 1 by default). Those of float64 against the engine's,
 * which are within about 1 ulp.
 */
import { describe, expect, test } from "vitest";
import { elementwiseText, runKernel } from "../../../test/support/run-kernel.ts";
import { evaluator } from "../../../test/support/scalar-evaluator.ts";
import type { ScalarFunction } from "../../kernel/ir/functions.ts";
import { parseKernel } from "../../kernel/ir/parse.ts";
import { call, constantScalar, parameterScalar, type Scalar } from "../../kernel/ir/scalar.ts";
import { lowerMath, lowerMathScalar } from "../../kernel/lower/lower-math.ts";
import { erf, erfc, meaningOf } from "./scalar-values.ts";

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);
const floatOfBits = (pattern: number): number => {
  bits[0] = pattern;
  return float[0] as number;
};

const bound = 2;
const step = Number(process.env["ULP_STEP"] ?? 2 ** 19 + 1);

/** The distance of two float32 numbers at this size. */
const ulpOf = (exact: number): number => {
  const size = Math.min(Math.max(Math.abs(exact), 2 ** -126), 2 ** 127.5);
  return 2 ** (Math.floor(Math.log2(size)) - 23);
};

/** The distance of `got` from the exact value in ulps; infinite if a special value is wrong. */
function error(got: number, exact: number): number {
  const nearest = Math.fround(exact);
  if (Object.is(got, nearest)) return 0;
  const special = Number.isNaN(nearest) || Number.isNaN(got) || !Number.isFinite(exact) || exact === 0;
  if (special || Object.is(Math.sign(got), -Math.sign(nearest))) return Number.POSITIVE_INFINITY;
  const finite = (x: number): number => Math.max(-(2 ** 128), Math.min(x, 2 ** 128));
  return Math.abs(finite(got) - finite(exact)) / ulpOf(exact);
}

const powOfC = (x: number, y: number): number => (x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y);

const unary = [
  ...(["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan"] as const),
  ...(["sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc"] as const),
];

/** The exact value, near enough: the reference in float64. */
function exactOf(fn: ScalarFunction): (x: number) => number {
  const meaning = meaningOf(fn, "float64");
  return (x) => meaning(x, 0, 0) as number;
}

const lowered = (fn: ScalarFunction, ...args: Scalar[]): Scalar => lowerMathScalar(call(fn, ...args)) as Scalar;
const x32 = parameterScalar("float32", "x");
const y32 = parameterScalar("float32", "y");

/** Numbers whose neighbors are all tried: exact cases, ends of the range, limits between formulas. */
const centers = [
  ...[
    0,
    2 ** -149,
    2 ** -126,
    2 ** -24,
    0.25,
    0.3466,
    0.5,
    0.625,
    Math.SQRT1_2,
    0.75,
    Math.PI / 4,
    0.9999999,
    1,
    1.0397,
  ],
  ...[
    Math.SQRT2,
    Math.PI / 2,
    2,
    Math.E,
    Math.PI,
    4,
    2 * Math.PI,
    10.05,
    16.635532,
    17.3,
    20,
    87.33655,
    88.72284,
    89.41599,
  ],
  ...[
    103.97208,
    104,
    127,
    128,
    149,
    150,
    6399,
    6400,
    8192,
    2 ** 24,
    2 ** 31,
    1e22,
    2 ** 127,
    3.4028235e38,
    Infinity,
    NaN,
  ],
];

function* patterns(): Generator<number> {
  for (let pattern = 0; pattern < 2 ** 32; pattern += step) yield floatOfBits(pattern);
  for (const center of centers)
    for (let k = -12; k <= 12; k++) {
      float[0] = center;
      const near = Math.max((bits[0] as number) + k, 0);
      yield floatOfBits(near);
      yield floatOfBits(near + 2 ** 31);
    }
}

describe.each(unary)("%s of float32", (name) => {
  const exact = exactOf(name);
  test(`is within ${bound} ulp of the exact value, and exact where that is special`, () => {
    const value = evaluator(lowered(name as ScalarFunction, x32), ["x"]);
    let worst = { x: 0, got: 0, exact: 0, error: -1 };
    for (const x of patterns()) {
      const e = error(value(x), exact(x));
      if (e > worst.error) worst = { x, got: value(x), exact: exact(x), error: e };
    }
    expect(worst.error, JSON.stringify(worst)).toBeLessThanOrEqual(bound);
  });
});

test("expNegative of float32 is within 2.5 ulp up to 0, or 0 where that is not a normal number, and NaN stays NaN", () => {
  const value = evaluator(lowered("expNegative", x32), ["x"]);
  let worst = 0;
  for (const x of patterns()) {
    if (x > 0) continue;
    const [got, exact] = [value(x), Math.exp(x)];
    if (exact >= 2 ** -126 || got !== 0) worst = Math.max(worst, error(got, exact));
  }
  expect(worst).toBeLessThanOrEqual(2.5);
  expect(worst).toBeGreaterThan(0.5);
  for (const payload of [0x7fc00001, 0x7f800001, 0xffffffff, 0xff812345]) expect(value(floatOfBits(payload))).toBeNaN();
});

const numbers = [
  ...centers,
  -1,
  -2,
  -0.5,
  3,
  -3,
  1.5,
  -1.5,
  16777215,
  -16777215,
  -16777216,
  8388607.5,
  1e10,
  0.1,
  -0.1,
];

test.each([
  ["pow", powOfC],
  ["atan2", Math.atan2],
] as const)("%s of float32 is within 2 ulp, on pairs of special numbers and on random ones", (name, exact) => {
  const value = evaluator(lowered(name, x32, y32), ["x", "y"]);
  let seed = 12345;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed;
  };
  const check = (a: number, b: number): void => {
    const [x, y] = [Math.fround(a), Math.fround(b)];
    const e = error(value(x, y), exact(x, y));
    if (!(e <= bound)) expect.fail(`${name}(${x}, ${y}) is ${value(x, y)}, not ${exact(x, y)}: ${e} ulp`);
  };
  for (const a of numbers)
    for (const b of numbers) for (const s of [1, -1]) for (const t of [1, -1]) check(s * a, t * b);
  for (let i = 0; i < 4000; i++) {
    const x = floatOfBits(random());
    check(x, floatOfBits(random()));
    // Powers that end inside the range of float32.
    check(Math.abs(x), ((random() / 2 ** 32 - 0.5) * 300) / Math.log2(Math.abs(x)));
    const near = 1 + (random() / 2 ** 32 - 0.5) / 4;
    check(near, ((random() / 2 ** 32 - 0.5) * 300) / Math.log2(near));
  }
});

test("powers of ten and of two have exact logarithms, and exponents exact powers", () => {
  const at = (fn: ScalarFunction, x: number): number => evaluator(lowered(fn, x32), ["x"])(x);
  for (let k = 0; k <= 10; k++) expect(at("log10", 10 ** k), `log10 of 10^${k}`).toBe(k);
  for (let k = -149; k <= 127; k++) {
    expect(at("log2", 2 ** k), `log2 of 2^${k}`).toBe(k);
    expect(at("exp2", k), `2^${k}`).toBe(2 ** k);
  }
});

const double = new Float64Array(1);
const word = new BigInt64Array(double.buffer);

/** The numbers whose bits are up to `reach` away, of both signs. */
function neighbors(center: number, reach: number): number[] {
  double[0] = center;
  const at = word[0] as bigint;
  const numbers: number[] = [];
  for (let k = -reach; k <= reach; k++) {
    word[0] = at + BigInt(k);
    if (at + BigInt(k) >= 0n) numbers.push(double[0] as number, -double[0]);
  }
  return numbers;
}

/** All sizes, moderate numbers, numbers near 1, and every number around these. */
function doubles(): Float64Array {
  let seed = 2024;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  const spread = Array.from({ length: 3000 }, (_, i) => {
    const sign = i % 2 === 0 ? 1 : -1;
    const [a, b, c] = [random(), random(), random()];
    return [sign * (1 + a) * 2 ** (2097 * b - 1074), sign * c * 750, sign * a * 3, 1 + sign * a * 2 ** (-50 * b - 1)];
  });
  const around = [
    ...[0, 2 ** -1022, 2 ** -54, 2 ** -28, 0.3466, 0.5, Math.SQRT1_2, 0.75, 1, 1.0397, Math.SQRT2, 2, 6, 22, 27.5, 37],
    ...[708.3964, 709.782712893384, 710.4758600739439, 710.5, 745.1332191019411, 746, 1022, 1024, 1074, 1075, 1076],
    ...[
      Math.PI / 4,
      Math.PI / 2,
      Math.PI,
      100 * Math.PI,
      2 ** 19 * Math.PI,
      1.6e6,
      2 ** 53,
      1e22,
      2 ** 1023,
      Number.MAX_VALUE,
      Infinity,
      NaN,
    ],
  ];
  return Float64Array.from([...spread.flat(), ...around.flatMap((center) => neighbors(center, 4))]);
}

/** The lowered function of float64 numbers. */
function onDoubles(fn: string, x: Float64Array): Float64Array {
  const text = elementwiseText("buffer x: float64 read\nbuffer out: float64 write", `out[i] = ${fn}(x[i])`);
  const out = new Float64Array(x.length);
  runKernel(lowerMath(parseKernel(text)), { buffers: { x, out }, sizes: { n: x.length } });
  return out;
}

/** The distance of a float64 from the exact value in ulps; infinite if a special value is wrong. */
function doubleError(got: number, exact: number): number {
  if (Object.is(got, exact)) return 0;
  if (!Number.isFinite(exact) || !Number.isFinite(got) || exact === 0) return Infinity;
  const size = Math.max(Math.abs(exact), 2 ** -1022);
  // 2^-52 of the power of two below the number, which Math.log2 gives but for the last place of numbers right below one.
  return Math.abs(got - exact) / 2 ** (Math.floor(Math.log2(size)) - 52);
}

const doubleFunctions = "exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh".split(" ") as ScalarFunction[];

describe.each(doubleFunctions)("%s of float64", (name) => {
  test("is within 4 ulp of the engine's value, and the same where that is special", () => {
    expect(lowerMathScalar(call(name, parameterScalar("float64", "x")))).toBeDefined();
    const x = doubles();
    const got = onDoubles(name, x);
    const exact = exactOf(name);
    let worst = { x: 0, got: 0, exact: 0, error: -1 };
    for (let i = 0; i < x.length; i++) {
      const [at, g] = [x[i] as number, got[i] as number];
      const e = doubleError(g, exact(at));
      if (e > worst.error) worst = { x: at, got: g, exact: exact(at), error: e };
    }
    expect(worst.error, JSON.stringify(worst)).toBeLessThanOrEqual(4);
  });
});

test("of float64 too, powers of ten and of two have exact logarithms, and exponents exact powers", () => {
  const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, k) => from + k);
  const of = (fn: string, x: readonly number[]): number[] => [...onDoubles(fn, Float64Array.from(x))];
  const tens = range(0, 22);
  const twos = range(-1074, 1023);
  expect(
    of(
      "log10",
      tens.map((k) => 10 ** k),
    ),
  ).toEqual(tens);
  expect(
    of(
      "log2",
      twos.map((k) => 2 ** k),
    ),
  ).toEqual(twos);
  expect(of("exp2", twos)).toEqual(twos.map((k) => 2 ** k));
  expect(of("exp", [0, -0])).toEqual([1, 1]);
  expect(of("log", [1])).toEqual([0]);
});

test.each([
  ["erf", erf],
  ["erfc", erfc],
] as const)("%s of float64 is near double precision", (name, exact) => {
  const x = Float64Array.from({ length: 2400 }, (_, i) => -6.5 + 0.0137 * i);
  const got = onDoubles(name, x);
  // The yardstick is itself up to 4 ulp off.
  for (let i = 0; i < x.length; i++)
    expect(doubleError(got[i] as number, exact(x[i] as number)), `${name}(${x[i]})`).toBeLessThanOrEqual(8);
  const special = [0, -0, Infinity, -Infinity, NaN, 30, -30];
  expect([...onDoubles(name, Float64Array.from(special))]).toEqual(special.map(exact));
});

test("functions that engines compute as fast, and primitive ones, are not lowered", () => {
  const x64 = parameterScalar("float64", "x");
  for (const fn of ["atan", "asin", "add"] as const)
    expect(lowerMathScalar(fn === "add" ? call(fn, x64, x64) : call(fn, x64)), fn).toBeUndefined();
  expect(lowerMathScalar(call("add", x32, x32))).toBeUndefined();
});

test("integer powers wrap, for constant and variable exponents", () => {
  const [a, b] = [parameterScalar("int32", "a"), parameterScalar("int32", "b")];
  const value = evaluator(lowered("pow", a, b), ["a", "b"]);
  const power = (base: number, exponent: number): number => {
    if (exponent < 0) return base === 1 ? 1 : base === -1 ? (exponent % 2 === 0 ? 1 : -1) : 0;
    return Number(BigInt.asIntN(32, BigInt(base) ** BigInt(exponent)));
  };
  for (const base of [0, 1, -1, 2, -2, 3, 7, -10, 65537, 2147483647, -2147483648])
    for (const exponent of [-2147483648, -3, -2, -1, 0, 1, 2, 3, 5, 10, 31, 32, 33, 100]) {
      expect(value(base, exponent), `${base}^${exponent}`).toBe(power(base, exponent));
      const known = evaluator(lowered("pow", a, constantScalar("int32", exponent)), ["a"]);
      expect(known(base), `${base}^${exponent}, known`).toBe(power(base, exponent));
    }
});
