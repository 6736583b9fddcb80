/** formatFixed and formatScientific against exact decimal arithmetic on bigints, and against a table from Python. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { formatFixed, formatScientific } from "./format-element.ts";

/** A finite double as numerator / 2^shift, exactly. */
function fractionOf(value: number): { numerator: bigint; shift: bigint } {
  let [scaled, shift] = [Math.abs(value), 0n];
  while (!Number.isInteger(scaled)) [scaled, shift] = [scaled * 2, shift + 1n];
  return { numerator: BigInt(scaled), shift };
}

/** numerator / denominator to the nearest integer, ties to even. */
function roundHalfEven(numerator: bigint, denominator: bigint): bigint {
  const [quotient, rest] = [numerator / denominator, numerator % denominator];
  if (rest * 2n === denominator) return quotient + (quotient % 2n);
  return rest * 2n > denominator ? quotient + 1n : quotient;
}

const sign = (value: number): string => (value < 0 || Object.is(value, -0) ? "-" : "");
const withPoint = (digits: string, decimals: number): string =>
  decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;

function exactFixed(value: number, decimals: number): string {
  const { numerator, shift } = fractionOf(value);
  const rounded = roundHalfEven(numerator * 10n ** BigInt(decimals), 2n ** shift).toString();
  return sign(value) + withPoint(rounded.padStart(decimals + 1, "0"), decimals);
}

function exactScientific(value: number, decimals: number): string {
  const { numerator, shift } = fractionOf(value);
  // The exponent whose mantissa has decimals + 1 digits after rounding; zero has exponent 0.
  for (let exponent = value === 0 ? 0 : -330; ; exponent++) {
    const power = BigInt(decimals - exponent);
    const rounded =
      power >= 0n
        ? roundHalfEven(numerator * 10n ** power, 2n ** shift)
        : roundHalfEven(numerator, 2n ** shift * 10n ** -power);
    const digits = rounded.toString().padStart(decimals + 1, "0");
    if (digits.length > decimals + 1) continue;
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign(value)}${withPoint(digits, decimals)}e${exponent < 0 ? "-" : "+"}${size}`;
  }
}

const decimalCounts = fc.constantFrom(0, 1, 2, 4, 4, 7, 20);
const anyDouble = fc.double({ noNaN: true, noDefaultInfinity: true });
const moderate = fc.float({ noNaN: true, min: Math.fround(-1e5), max: Math.fround(1e5) });
/** Short binary fractions and round integers: ties are frequent. */
const nearTie = fc
  .tuple(fc.integer({ min: -99999, max: 99999 }), fc.integer({ min: -6, max: 9 }), fc.integer({ min: 0, max: 8 }))
  .map(([n, binary, decimal]) => (n * 10 + 5) * 2 ** binary * 10 ** decimal);
const values = fc.oneof(anyDouble, moderate, nearTie, fc.constantFrom(0, -0, 9.5, 1e21, 5e-324, Number.MAX_VALUE));

test("the fixed text is the exact value rounded to nearest, ties to even", () => {
  fc.assert(
    fc.property(values, decimalCounts, (value, digits) => {
      expect(formatFixed(value, digits)).toBe(exactFixed(value, digits));
    }),
    { seed: 7, numRuns: 3000 },
  );
});

test("the scientific text is the exact value rounded to nearest, ties to even", () => {
  fc.assert(
    fc.property(fc.oneof(moderate, nearTie, anyDouble), decimalCounts, (value, digits) => {
      expect(formatScientific(value, digits)).toBe(exactScientific(value, digits));
    }),
    { seed: 8, numRuns: 1000 },
  );
});

/** As Python 3 formats them: value, digits, f, e. */
const table: readonly (readonly [number, number, string, string])[] = [
  [0.5, 0, "0", "5e-01"],
  [2.5, 0, "2", "2e+00"],
  [9.5, 0, "10", "1e+01"],
  [8.5, 0, "8", "8e+00"],
  [0.03125, 4, "0.0312", "3.1250e-02"],
  [123445, 4, "123445.0000", "1.2344e+05"],
  [123455, 4, "123455.0000", "1.2346e+05"],
  [-0.00001, 4, "-0.0000", "-1.0000e-05"],
  [-0, 0, "-0", "-0e+00"],
  [1e22, 1, "10000000000000000000000.0", "1.0e+22"],
  [1e23, 0, "99999999999999991611392", "1e+23"],
  [5e-324, 4, "0.0000", "4.9407e-324"],
  [Infinity, 4, "inf", "inf"],
  [-Infinity, 4, "-inf", "-inf"],
  [NaN, 4, "nan", "nan"],
];

test.each(table)("%d with %d digits is %s and %s", (value, digits, fixed, scientific) => {
  expect(formatFixed(value, digits)).toBe(fixed);
  expect(formatScientific(value, digits)).toBe(scientific);
});
