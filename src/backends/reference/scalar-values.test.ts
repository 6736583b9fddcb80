/** The result of every scalar function: integers against exact arithmetic, floats and complex numbers against recorded facts. */
import { describe, expect, test } from "vitest";
import { KernelError } from "../../kernel/ir/error.ts";
import { type ScalarFunction, scalarFunctions } from "../../kernel/ir/functions.ts";
import { type Complex, type DType, dtypeNames, dtypes, type Value } from "../../storage/dtype.ts";
import { meaningOf } from "./scalar-values.ts";

const apply = (fn: ScalarFunction, dtype: DType, a: Value, b: Value = 0, c: Value = 0): Value =>
  meaningOf(fn, dtype)(a, b, c);

test("a function has an implementation exactly for the dtypes on which it is defined", () => {
  const succeeds = (f: () => unknown): boolean => {
    try {
      f();
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(KernelError);
      return false;
    }
  };
  for (const fn of Object.keys(scalarFunctions) as ScalarFunction[])
    for (const dtype of dtypeNames) {
      const { arity, dtypeOf } = scalarFunctions[fn];
      const operands: DType[] = fn === "select" ? ["bool", dtype, dtype] : new Array<DType>(arity).fill(dtype);
      expect(
        succeeds(() => meaningOf(fn, dtype)),
        `${fn} of ${dtype}`,
      ).toBe(succeeds(() => dtypeOf(fn, operands)));
    }
});

const integerDTypes = dtypeNames.filter((dtype) => dtypes[dtype].category === "integer");
const floorMod = (a: bigint, b: bigint): bigint => (a % b !== 0n && a < 0n !== b < 0n ? (a % b) + b : a % b);

/** a^power modulo 2^64, from the highest bit down. */
function powerByBits(a: bigint, power: bigint): bigint {
  let result = 1n;
  for (const bit of power.toString(2)) result = BigInt.asUintN(64, result * result * (bit === "1" ? a : 1n));
  return result;
}

/** Each function on exact integers, before it wraps. */
const exact: Partial<Record<ScalarFunction, (a: bigint, b: bigint, bits: bigint) => bigint>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  truncDiv: (a, b) => (b === 0n ? 0n : a / b),
  truncRem: (a, b) => (b === 0n ? 0n : a % b),
  floorDiv: (a, b) => (b === 0n ? 0n : (a - floorMod(a, b)) / b),
  floorMod: (a, b) => (b === 0n ? 0n : floorMod(a, b)),
  min: (a: bigint, b: bigint) => (b < a ? b : a),
  max: (a: bigint, b: bigint) => (b > a ? b : a),
  pow: (a, b) => (b >= 0n ? powerByBits(a, b) : a === 1n ? 1n : a === -1n ? (b % 2n === 0n ? 1n : -1n) : 0n),
  neg: (a) => -a,
  abs: (a) => (a < 0n ? -a : a),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  not: (a) => ~a,
  shiftLeft: (a, b, bits) => (b < 0n || b >= bits ? 0n : a << b),
  shiftRight: (a, b, bits) => (b < 0n || b >= bits ? (a < 0n ? -1n : 0n) : a >> b),
};

test.each(integerDTypes)("%s: every function is the exact one, wrapped", (dtype) => {
  const bits = dtypes[dtype].itemsize * 8;
  const wrap = (x: bigint): bigint => (dtype.startsWith("u") ? BigInt.asUintN(bits, x) : BigInt.asIntN(bits, x));
  const toValue = (x: bigint): Value => (bits === 64 ? x : Number(x));
  const top = 1n << BigInt(bits - 1);
  const few = [
    0n,
    1n,
    2n,
    3n,
    7n,
    31n,
    32n,
    63n,
    64n,
    100n,
    12345n,
    0x123456789abcdefn,
    top,
    top - 1n,
    top - 5n,
    top + 9n,
  ];
  const values = [...new Set(few.flatMap((x) => [wrap(x), wrap(-x)]))];
  for (const [fn, f] of Object.entries(exact))
    for (const a of values)
      for (const b of values) {
        const actual = apply(fn as ScalarFunction, dtype, toValue(a), toValue(b));
        const expected = toValue(wrap(f(a, b, BigInt(bits))));
        if (!Object.is(actual, expected)) expect(actual, `${fn}(${a}, ${b})`).toBe(expected);
      }
});

// Recorded from PyTorch 1.13 on float32: rows are the dividend, columns the divisor.
const operands = [0, -0, 1, -2.5, 0.1, 3e38, Infinity, 7, NaN];
const divisions: Partial<Record<ScalarFunction, string>> = {
  floorDiv: `
    NaN NaN 0 -0 0 0 0 0 NaN
    NaN NaN -0 0 -0 -0 -0 -0 NaN
    Infinity -Infinity 1.0 -1.0 9.0 0 0 0 NaN
    -Infinity Infinity -3.0 1.0 -25.0 -1.0 -1.0 -1.0 NaN
    Infinity -Infinity 0 -1.0 1.0 0 0 0 NaN
    Infinity -Infinity 3.0000000054977558e+38 -1.2000000427639215e+38 Infinity 1.0 0 4.285714221131045e+37 NaN
    Infinity -Infinity NaN NaN NaN NaN NaN NaN NaN
    Infinity -Infinity 7.0 -3.0 69.0 0 0 1.0 NaN
    NaN NaN NaN NaN NaN NaN NaN NaN NaN`,
  truncDiv: `
    NaN NaN 0 -0 0 0 0 0 NaN
    NaN NaN -0 0 -0 -0 -0 -0 NaN
    Infinity -Infinity 1.0 -0 10.0 0 0 0 NaN
    -Infinity Infinity -2.0 1.0 -25.0 -0 -0 -0 NaN
    Infinity -Infinity 0 -0 1.0 0 0 0 NaN
    Infinity -Infinity 3.0000000054977558e+38 -1.2000000427639215e+38 Infinity 1.0 0 4.285714221131045e+37 NaN
    Infinity -Infinity Infinity -Infinity Infinity Infinity NaN Infinity NaN
    Infinity -Infinity 7.0 -2.0 70.0 0 0 1.0 NaN
    NaN NaN NaN NaN NaN NaN NaN NaN NaN`,
  floorMod: `
    NaN NaN 0 0 0 0 0 0 NaN
    NaN NaN -0 -0 -0 -0 -0 -0 NaN
    NaN NaN 0 -1.5 0.09999998658895493 1.0 1.0 1.0 NaN
    NaN NaN 0.5 -0 3.725290298461914e-08 3.0000000054977558e+38 Infinity 4.5 NaN
    NaN NaN 0.10000000149011612 -2.4000000953674316 0 0.10000000149011612 0.10000000149011612 0.10000000149011612 NaN
    NaN NaN 0 -0.5 0.07959481328725815 0 3.0000000054977558e+38 1.0 NaN
    NaN NaN NaN NaN NaN NaN NaN NaN NaN
    NaN NaN 0 -0.5 0.09999989718198776 7.0 7.0 0 NaN
    NaN NaN NaN NaN NaN NaN NaN NaN NaN`,
  truncRem: `
    NaN NaN 0 0 0 0 0 0 NaN
    NaN NaN -0 -0 -0 -0 -0 -0 NaN
    NaN NaN 0 1.0 0.09999998658895493 1.0 1.0 1.0 NaN
    NaN NaN -0.5 -0 -0.09999996423721313 -2.5 -2.5 -2.5 NaN
    NaN NaN 0.10000000149011612 0.10000000149011612 0 0.10000000149011612 0.10000000149011612 0.10000000149011612 NaN
    NaN NaN 0 2.0 0.07959481328725815 0 3.0000000054977558e+38 1.0 NaN
    NaN NaN NaN NaN NaN NaN NaN NaN NaN
    NaN NaN 0 2.0 0.09999989718198776 7.0 7.0 0 NaN
    NaN NaN NaN NaN NaN NaN NaN NaN NaN`,
};

const rowsOf = (text: string): string[][] =>
  text
    .trim()
    .split("\n")
    .map((row) => row.trim().split(" "));

test.each(Object.entries(divisions))("%s of floats is PyTorch's", (fn, text) => {
  rowsOf(text).forEach((row, i) => {
    const a = Math.fround(operands[i] as number);
    operands.forEach((b, j) => {
      const actual = apply(fn as ScalarFunction, "float32", a, Math.fround(b));
      expect(Object.is(actual, Number(row[j])), `${fn}(${a}, ${b}) = ${actual}, not ${row[j]}`).toBe(true);
    });
  });
});

test.each<[fn: ScalarFunction, a: number, b: number, wanted: Value]>([
  ["pow", 1, NaN, 1],
  ["pow", NaN, 0, 1],
  ["pow", -1, Infinity, 1],
  ["pow", -1, -Infinity, 1],
  ["pow", 1, Infinity, 1],
  ["pow", -8, 1 / 3, NaN],
  ["pow", -0, -3, -Infinity],
  ["min", 1, NaN, NaN],
  ["max", NaN, 1, NaN],
  ["min", 0, -0, -0],
  ["round", 2.5, 0, 2],
  ["round", 3.5, 0, 4],
  ["round", -0.5, 0, -0],
  ["round", 2 ** 52 + 1, 0, 2 ** 52 + 1],
  ["copysign", 3, -0, -3],
  ["copysign", -3, 0, 3],
  ["atan2", -0, -1, -Math.PI],
  ["exp2", -1074, 0, 5e-324],
  ["log2", 2 ** -1074, 0, -1074],
  ["log10", 1000, 0, 3],
  ["lt", NaN, 1, false],
  ["ne", NaN, NaN, true],
  ["eq", 0, -0, true],
  ["erf", -0, 0, -0],
  ["erfc", Infinity, 0, 0],
  ["erfc", -Infinity, 0, 2],
  ["erf", NaN, 0, NaN],
])("%s(%s, %s) is %s", (fn, a, b, expected) => {
  expect(apply(fn, "float64", a, b)).toBe(expected);
});

test("float32 results are float32 numbers", () => {
  expect(apply("add", "float32", 1, 2 ** -24)).toBe(1);
  expect(apply("mul", "float32", 3e38, 2)).toBe(Infinity);
  expect(apply("exp", "float32", 1)).toBe(Math.fround(Math.E));
});

// x, erf x, erfc x, computed with 40 digits.
const errorFunction = `
  1e-300 1.1283791670955126e-300 1
  0.1 0.1124629160182849 0.88753708398171505
  -0.5 -0.52049987781304652 1.5204998778130465
  0.74 0.70467807785474579 0.29532192214525421
  0.75 0.71115563365351508 0.28884436634648486
  0.76 0.71753675280559082 0.28246324719440913
  0.99 0.83850806955536983 0.1614919304446302
  1.01 0.84681049622827675 0.1531895037717233
  -1.3 -0.93400794494065242 1.9340079449406524
  2.0 0.99532226501895271 0.0046777349810472662
  3.5 0.99999925690162761 7.4309837234141278e-07
  5.9 0.99999999999999989 7.1904097835504783e-17
  -6.0 -1 2
  10.0 1 2.0884875837625449e-45
  20.0 1 5.3958656116079012e-176
  25.5 1 8.8016626907279503e-285
  26.6 1 1.0885125885442269e-309
  27.2 1 9.8813129168249309e-324`;

test("erf and erfc are exact to 1e-15", () => {
  for (const row of rowsOf(errorFunction)) {
    const [x, erf, erfc] = row.map(Number) as [number, number, number];
    expect(Math.abs((apply("erf", "float64", x) as number) / erf - 1)).toBeLessThan(1e-15);
    expect(Math.abs((apply("erfc", "float64", x) as number) / erfc - 1)).toBeLessThan(1e-15);
  }
});

// A function, a point and the value there, computed with 40 digits.
const complexFacts = `
  sqrt 0.5 0.25 0.72767334511267745 0.17178037486125622
  sqrt -1.5 2.0 0.70710678118654757 1.4142135623730951
  sqrt 0.7 0.71 0.92115298291496694 0.38538658245084423
  sqrt -0.001 0.0001 0.0015791710027873846 0.031662182190367809
  sqrt 20.5 -1.25 4.5297943881892078 -0.13797535747529696
  sqrt 1e+150 1e+160 7.0710678122190285e+79 7.0710678115119223e+79
  sqrt -1e-160 1e-170 5e-91 9.9999999999999996e-81
  sqrt 1.0 1e-09 1 5.0000000000000003e-10
  sqrt -3.0 0.0 0 1.7320508075688772
  sqrt -3.0 -0.0 0 -1.7320508075688772
  sqrt 705.0 1.5 26.551851119487647 0.028246618159497732
  exp 0.5 0.25 1.5974665191199127 0.40790017007835977
  exp -1.5 2.0 -0.092854910284026329 0.20289168047016951
  exp 0.7 0.71 1.5271532810182755 1.31263202121531
  exp -0.001 0.0001 0.9990004948383725 9.9900049816837425e-05
  exp 20.5 -1.25 252227044.28669584 -759094863.41329706
  exp -1e-160 1e-170 1 9.9999999999999998e-171
  exp 1.0 1e-09 2.7182818284590451 2.7182818284590456e-09
  exp -3.0 0.0 0.049787068367863944 0
  exp -3.0 -0.0 0.049787068367863944 0
  exp 705.0 1.5 1.0647744395047398e+305 1.5014831520470725e+306
  log 0.5 0.25 -0.58157540490284043 0.46364760900080609
  log -1.5 2.0 0.91629073187415511 2.2142974355881808
  log 0.7 0.71 -0.0029587368820188599 0.79249024307176807
  log -0.001 0.0001 -6.9027801135555533 3.0419240010986313
  log 20.5 -1.25 3.0222804512518127 -0.060900208277987991
  log 1e+150 1e+160 368.41361487904732 1.5707963266948965
  log -1e-160 1e-170 -368.41361487904732 3.1415926534897931
  log 1.0 1e-09 5.0000000000000004e-19 1.0000000000000001e-09
  log -3.0 0.0 1.0986122886681098 3.1415926535897931
  log -3.0 -0.0 1.0986122886681098 -3.1415926535897931
  log 705.0 1.5 6.5582000662747779 0.002127656363884419
  sin 0.5 0.25 0.49448578093319501 0.22168816414957482
  sin -1.5 2.0 -3.7527713404792982 0.25655395609048182
  sin 0.7 0.71 0.81352951616961178 0.58982604991456944
  sin -0.001 0.0001 -0.00099999983833334079 9.9999950166670756e-05
  sin 20.5 -1.25 1.8824371849815877 0.12745439652029175
  sin -1e-160 1e-170 -9.9999999999999999e-161 9.9999999999999998e-171
  sin 1.0 1e-09 0.8414709848078965 5.4030230586813972e-10
  sin -3.0 0.0 -0.14112000805986721 0
  sin -3.0 -0.0 -0.14112000805986721 0
  sin 705.0 1.5 2.2558229099382872 0.60387296404459134
  cos 0.5 0.25 0.90515015055960668 -0.12110879604381165
  cos -1.5 2.0 0.26612719531354578 3.6177750739401375
  cos 0.7 0.71 0.96585627326634094 -0.4968036283374781
  cos -0.001 0.0001 0.9999995050000392 9.9999983500000809e-08
  cos 20.5 -1.25 -0.15024974020090195 1.5968406672675552
  cos -1e-160 1e-170 1 0
  cos 1.0 1e-09 0.54030230586813977 -8.4147098480789654e-10
  cos -3.0 0.0 -0.98999249660044542 0
  cos -3.0 -0.0 -0.98999249660044542 0
  cos 705.0 1.5 0.66715365313130237 -2.0418541674627213
  tan 0.5 0.25 0.50450070269856395 0.3124206925025888
  tan -1.5 2.0 -0.0053620609220030565 1.0369202821001851
  tan 0.7 0.71 0.4176723987421434 0.82551331407692397
  tan -0.001 0.0001 -0.0010000003233334533 0.00010000009966673201
  tan 20.5 -1.25 -0.030830749098161438 -1.1759500565279366
  tan -1e-160 1e-170 -9.9999999999999999e-161 9.9999999999999998e-171
  tan 1.0 1e-09 1.5574077246549023 3.4255188208147598e-09
  tan -3.0 0.0 0.1425465430742778 0
  tan -3.0 -0.0 0.1425465430742778 0
  tan 705.0 1.5 0.058938989834261012 1.0855337187536722
  sinh 0.5 0.25 0.50489571438799496 0.27897912835026151
  sinh -1.5 2.0 0.88609290936253138 2.1390400099806768
  sinh 0.7 0.71 0.57528095922285294 0.81816154620976989
  sinh -0.001 0.0001 -0.0010000001616666742 0.00010000004983333743
  sinh 20.5 -1.25 126113522.14334792 -379547431.70664853
  sinh -1e-160 1e-170 -9.9999999999999999e-161 9.9999999999999998e-171
  sinh 1.0 1e-09 1.1752011936438014 1.5430806348152439e-09
  sinh -3.0 0.0 -10.017874927409903 0
  sinh -3.0 -0.0 -10.017874927409903 0
  sinh 705.0 1.5 5.3238721975236988e+304 7.5074157602353624e+305
  cosh 0.5 0.25 1.0925708047319176 0.12892104172809826
  cosh -1.5 2.0 -0.97894781964655775 -1.9361483295105073
  cosh 0.7 0.71 0.95187232179542269 0.49447047500554009
  cosh -0.001 0.0001 1.0000004950000392 -1.0000001650000081e-07
  cosh 20.5 -1.25 126113522.14334792 -379547431.70664853
  cosh -1e-160 1e-170 1 -0
  cosh 1.0 1e-09 1.5430806348152437 1.1752011936438015e-09
  cosh -3.0 0.0 10.067661995777765 0
  cosh -3.0 -0.0 10.067661995777765 0
  cosh 705.0 1.5 5.3238721975236988e+304 7.5074157602353624e+305
  tanh 0.5 0.25 0.48548728102413535 0.19805544995134952
  tanh -1.5 2.0 -1.0641443991765371 -0.080391015310168179
  tanh 0.7 0.71 0.82755277637806768 0.42963864209284958
  tanh -0.001 0.0001 -0.00099999967666678674 9.9999900333398671e-05
  tanh 20.5 -1.25 1 -1.8706829096663928e-18
  tanh -1e-160 1e-170 -9.9999999999999999e-161 9.9999999999999998e-171
  tanh 1.0 1e-09 0.76159415595576485 4.1997434161402609e-10
  tanh -3.0 0.0 -0.99505475368673046 0
  tanh -3.0 -0.0 -0.99505475368673046 0
  tanh 705.0 1.5 1 0`;

// Base, exponent, power.
const powers = `
  0.5 0.25 2.0 -1.0 0.030747015341486363 0.4958797486294963
  -2 1 0.5 0.0 0.34356074972251244 1.4553466902253549
  3 4 3 0 -117 44
  1 -2 -2.5 0.75 -0.29877040296826246 -0.069897864711310695`;

const distance = (a: Complex, b: Complex): number =>
  Math.hypot(a.re - b.re, a.im - b.im) / (Math.hypot(b.re, b.im) || 1);

describe("complex numbers", () => {
  test.each(rowsOf(complexFacts))("%s of %s, %s", (fn, ...numbers) => {
    const [re, im, reExpected, imExpected] = numbers.map(Number) as [number, number, number, number];
    const actual = apply(fn as ScalarFunction, "complex128", { re, im }) as Complex;
    expect(distance(actual, { re: reExpected, im: imExpected })).toBeLessThan(1e-15);
  });

  test("powers", () => {
    for (const row of rowsOf(powers)) {
      const [a, b, c, d, re, im] = row.map(Number) as [number, number, number, number, number, number];
      const actual = apply("pow", "complex128", { re: a, im: b }, { re: c, im: d }) as Complex;
      expect(distance(actual, { re, im })).toBeLessThan(1e-15);
    }
    expect(apply("pow", "complex64", { re: 0, im: 0 }, { re: 0, im: 0 })).toEqual({ re: 1, im: 0 });
    expect(apply("pow", "complex64", { re: 0, im: 0 }, { re: 2, im: 1 })).toEqual({ re: 0, im: 0 });
  });

  test.each<[fn: ScalarFunction, a: Complex, wanted: Value]>([
    ["sqrt", { re: -4, im: -0 }, { re: 0, im: -2 }],
    ["sqrt", { re: -0, im: -0 }, { re: 0, im: -0 }],
    ["sqrt", { re: NaN, im: Infinity }, { re: Infinity, im: Infinity }],
    ["sqrt", { re: -Infinity, im: 1 }, { re: 0, im: Infinity }],
    ["exp", { re: Infinity, im: 0 }, { re: Infinity, im: 0 }],
    ["exp", { re: -Infinity, im: Infinity }, { re: 0, im: 0 }],
    ["log", { re: 0, im: 0 }, { re: -Infinity, im: 0 }],
    ["abs", { re: NaN, im: -Infinity }, Infinity],
    ["abs", { re: 3e300, im: 4e300 }, 5e300],
    ["tanh", { re: -Infinity, im: 1 }, { re: -1, im: 0 }],
    ["conj", { re: 1, im: 1 }, { re: 1, im: -1 }],
  ])("%s of %o is %o", (fn, a, expected) => {
    expect(apply(fn, "complex128", a)).toEqual(expected);
  });

  test("a quotient has no intermediate overflow", () => {
    const large: Complex = { re: 1e300, im: 1e300 };
    expect(apply("div", "complex128", large, large)).toEqual({ re: 1, im: 0 });
    const byZero = apply("div", "complex128", { re: 1, im: -1 }, { re: 0, im: 0 });
    expect(byZero).toEqual({ re: Infinity, im: -Infinity });
  });
});
