/**
 * Elementary functions against double precision: bit patterns spread over all float32 numbers, and every number near the special
 * ones. ULP_STEP sets how far apart the patterns lie (1: all of them; 2^19 + 1 unless told).
 */
import { describe, expect, test } from "vitest";
import { evaluator } from "../../../test/support/scalar-evaluator.ts";
import type { ScalarFunction } from "../../kernel/ir/functions.ts";
import { call, constantScalar, parameterScalar, type Scalar } from "../../kernel/ir/scalar.ts";
import { lowerMathScalar } from "../../kernel/lower/lower-math.ts";
import { erf, erfc } from "./special-functions.ts";

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

/** How far `got` is from the exact value, in ulps; infinite where a special value is wrong. */
function error(got: number, exact: number): number {
  const nearest = Math.fround(exact);
  if (Object.is(got, nearest)) return 0;
  const special = Number.isNaN(nearest) || Number.isNaN(got) || !Number.isFinite(exact) || exact === 0;
  if (special || Object.is(Math.sign(got), -Math.sign(nearest))) return Number.POSITIVE_INFINITY;
  const finite = (x: number): number => Math.max(-(2 ** 128), Math.min(x, 2 ** 128));
  return Math.abs(finite(got) - finite(exact)) / ulpOf(exact);
}

const powOfC = (x: number, y: number): number => (x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y);

const unary: Readonly<Partial<Record<ScalarFunction, (x: number) => number>>> = {
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  erf,
  erfc,
};

const lowered = (fn: ScalarFunction, ...args: Scalar[]): Scalar => lowerMathScalar(call(fn, ...args)) as Scalar;
const x32 = parameterScalar("float32", "x");
const y32 = parameterScalar("float32", "y");

/** Numbers around which every neighbour is tried: exact cases, ends of the range, where one formula takes over from another. */
const centres = [
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
  for (const centre of centres)
    for (let k = -12; k <= 12; k++) {
      float[0] = centre;
      const near = Math.max((bits[0] as number) + k, 0);
      yield floatOfBits(near);
      yield floatOfBits(near + 2 ** 31);
    }
}

describe.each(Object.entries(unary))("%s of float32", (name, exact) => {
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

const numbers = [
  ...centres,
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

test("float64 has exp2, and erf and erfc near double precision; what engines have is left alone", () => {
  const x64 = parameterScalar("float64", "x");
  expect(evaluator(lowered("exp2", x64), ["x"])(0.5)).toBe(2 ** 0.5);
  for (const [name, exact] of [
    ["erf", erf],
    ["erfc", erfc],
  ] as const) {
    const value = evaluator(lowered(name, x64), ["x"]);
    for (let x = -6.5; x < 26.5; x += 0.0137) {
      const ulp = 2 ** (Math.floor(Math.log2(Math.abs(exact(x)))) - 52);
      // The yardstick is itself up to 4 ulp off.
      expect(Math.abs(value(x) - exact(x)) / ulp, `${name}(${x})`).toBeLessThanOrEqual(8);
    }
    for (const x of [0, -0, Infinity, -Infinity, NaN, 30, -30]) expect(value(x), `${name}(${x})`).toBe(exact(x));
  }
  expect(lowerMathScalar(call("exp", x64))).toBeUndefined();
  expect(lowerMathScalar(call("add", x32, x32))).toBeUndefined();
});

test("integers to integer powers wrap, whether the power is known or not", () => {
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
