/** Integer helpers against BigInt arithmetic, up to the ends of the safe range. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ceilDiv, checkedAdd, checkedMul, floorDiv, floorMod, gcd, lcm, product, roundUp } from "./ints.ts";

const safe = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -50, max: 50 }),
  fc.constantFrom(2 ** 53 - 1, 1 - 2 ** 53),
);
const divisor = safe.filter((b) => b !== 0);
const floorOf = (a: bigint, b: bigint): bigint => a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n);

test("floorDiv, ceilDiv and floorMod are exact for all safe integers, and never -0", () => {
  fc.assert(
    fc.property(safe, divisor, (a, b) => {
      const quotient = floorOf(BigInt(a), BigInt(b));
      expect(floorDiv(a, b)).toBe(Number(quotient));
      expect(ceilDiv(a, b)).toBe(Number(-floorOf(-BigInt(a), BigInt(b))));
      expect(floorMod(a, b)).toBe(Number(BigInt(a) - quotient * BigInt(b)));
    }),
    { seed: 1, numRuns: 1500 },
  );
});

test("checked arithmetic is exact or throws", () => {
  fc.assert(
    fc.property(safe, safe, (a, b) => {
      for (const [run, exact] of [
        [() => checkedMul(a, b), BigInt(a) * BigInt(b)],
        [() => product([a, b]), BigInt(a) * BigInt(b)],
        [() => checkedAdd(a, b), BigInt(a) + BigInt(b)],
      ] as const) {
        if (Number.isSafeInteger(Number(exact))) expect(BigInt(run())).toBe(exact);
        else expect(run).toThrow("past 2^53");
      }
    }),
    { seed: 2, numRuns: 1500 },
  );
  expect(() => checkedMul(2 ** 52, 4)).toThrow("integers: 4503599627370496 * 4 is past 2^53 - 1");
});

test("the rest, by example", () => {
  expect([gcd(12, -18), gcd(0, 5), gcd(0, 0), lcm(4, 6), lcm(0, 3)]).toEqual([6, 5, 0, 12, 0]);
  expect([product([]), product([2, 3, 4]), roundUp(13, 8), roundUp(16, 8), roundUp(-3, 8)]).toEqual([1, 24, 16, 16, 0]);
});
