/** The half floats against their definition: sign, exponent and fraction in exact arithmetic. */
import { describe, expect, test } from "vitest";
import { bfloat16ToNumber, float16ToNumber, numberToBfloat16, numberToFloat16 } from "./half.ts";

interface Format {
  readonly exponentBits: number;
  readonly fractionBits: number;
  readonly decode: (bits: number) => number;
  readonly encode: (value: number) => number;
}

const formats: Record<string, Format> = {
  float16: { exponentBits: 5, fractionBits: 10, decode: float16ToNumber, encode: numberToFloat16 },
  bfloat16: { exponentBits: 8, fractionBits: 7, decode: bfloat16ToNumber, encode: numberToBfloat16 },
};

function valueByDefinition({ exponentBits, fractionBits }: Format, bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits & 0x7fff) >> fractionBits;
  const fraction = (bits & (2 ** fractionBits - 1)) / 2 ** fractionBits;
  const bias = 2 ** (exponentBits - 1) - 1;
  if (exponent === 2 ** exponentBits - 1) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** (1 - bias) : sign * (1 + fraction) * 2 ** (exponent - bias);
}

/** The next larger and next smaller numbers of a positive finite one. */
function neighbors(value: number): { below: number; above: number } {
  const float = new Float64Array([value]);
  const bits = new BigInt64Array(float.buffer);
  bits[0] = (bits[0] as bigint) + 1n;
  const above = float[0] as number;
  bits[0] = (bits[0] as bigint) - 2n;
  return { below: float[0] as number, above };
}

describe.each(Object.entries(formats))("%s", (_, format) => {
  const largest = (2 ** format.exponentBits - 1) << format.fractionBits; // the bits of infinity

  test("every pattern converts to the number of its definition", () => {
    for (let bits = 0; bits < 65536; bits++)
      if (!Object.is(format.decode(bits), valueByDefinition(format, bits)))
        expect(format.decode(bits), `0x${bits.toString(16)}`).toBe(valueByDefinition(format, bits));
  });

  test("every pattern round-trips, NaN as the quiet one", () => {
    for (let bits = 0; bits < 65536; bits++) {
      const back = format.encode(format.decode(bits));
      const expected = (bits & 0x7fff) > largest ? largest | (1 << (format.fractionBits - 1)) : bits;
      if (back !== expected) expect(back, `0x${bits.toString(16)}`).toBe(expected);
    }
  });

  test("a midpoint rounds to the even pattern, and the numbers next to it to their side", () => {
    for (let bits = 0; bits < largest; bits++) {
      const low = format.decode(bits);
      // Above the largest finite pattern the next step would be the one that infinity replaces.
      const high = bits + 1 === largest ? 2 * low - format.decode(bits - 1) : format.decode(bits + 1);
      const middle = (low + high) / 2;
      const { below, above } = neighbors(middle);
      const even = bits & 1 ? bits + 1 : bits;
      const got = [middle, below, above, -middle, -below, -above].map(format.encode);
      const expected = [even, bits, bits + 1, even | 0x8000, bits | 0x8000, (bits + 1) | 0x8000];
      if (got.join() !== expected.join()) expect(got, `around ${middle}`).toEqual(expected);
    }
  });

  test("numbers beyond the format become infinity, and those far below it zero", () => {
    expect([Number.MAX_VALUE, -Number.MAX_VALUE, Infinity, -Infinity].map(format.encode)).toEqual([
      largest,
      largest | 0x8000,
      largest,
      largest | 0x8000,
    ]);
    expect([0, -0, Number.MIN_VALUE, -Number.MIN_VALUE].map(format.encode)).toEqual([0, 0x8000, 0, 0x8000]);
  });
});

test("a number just above a midpoint is rounded once, not through float32", () => {
  const value = 1 + 2 ** -11 + 2 ** -40; // in float32 this is the midpoint itself, which would go to 1
  expect(float16ToNumber(numberToFloat16(value))).toBe(1 + 2 ** -10);
  expect(float16ToNumber(numberToFloat16(Math.fround(value)))).toBe(1);
});
