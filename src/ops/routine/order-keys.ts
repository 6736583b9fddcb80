/**
 * Keys: unsigned integers in the order of the elements that they represent, so that all dtypes are sorted, selected and
 * searched by the same loops. Elements of eight bytes have two words, compared high word first.
 *
 * The order is PyTorch's: -0 equals 0, NaN equals NaN and is the largest.
 */
import { type Bits, bitsOf, isFloating, isSigned, isWide, type Values } from "./values.ts";

/** Scratch arrays for the keys of some elements of one array. */
export interface Keys {
  readonly high: Uint32Array;
  /** Null if one word is enough. */
  readonly low: Uint32Array | null;
  readonly bits: Bits;
  readonly floating: boolean;
  /** The sign bit of integers, 0 if they have none. */
  readonly bias: number;
}

/** The high word of the key of NaN; no other floating-point number has it. */
export const nanKey = 0xffffffff;

/** Allocates keys of up to `count` elements of `values`; `fillKeys` writes them. */
export function makeKeys(values: Values, count: number): Keys {
  const bytes = values.BYTES_PER_ELEMENT;
  return {
    high: new Uint32Array(count),
    low: isWide(values) ? new Uint32Array(count) : null,
    bits: bitsOf(values),
    floating: isFloating(values),
    bias: isSigned(values) ? (1 << (Math.min(bytes, 4) * 8 - 1)) | 0 : 0,
  };
}

/** Returns the keys of all elements. */
export function keysOf(values: Values): Keys {
  const keys = makeKeys(values, values.length);
  fillKeys(keys, 0, 1, values.length, false);
  return keys;
}

/**
 * Writes the keys of the elements begin, begin + step, ... of the array.
 *
 * Postconditions: key(i) < key(j) if and only if element i is before element j, or after it with `reverse`.
 */
export function fillKeys(keys: Keys, begin: number, step: number, count: number, reverse: boolean): void {
  const flip = reverse ? -1 : 0;
  if (keys.low !== null) fillWide(keys, keys.low, begin, step, count, flip);
  else if (keys.floating) fillFloat32(keys.high, keys.bits as Int32Array, begin, step, count, flip);
  else fillIntegers(keys.high, keys.bits, keys.bias ^ flip, begin, step, count);
}

function fillIntegers(high: Uint32Array, bits: Bits, mask: number, begin: number, step: number, count: number): void {
  for (let i = 0, at = begin; i < count; i++, at += step) high[i] = bits[at]! ^ mask;
}

// All bits of negative numbers are flipped, and the sign bit of others: then bits are ordered like numbers.
function fillFloat32(
  high: Uint32Array,
  bits: Int32Array,
  begin: number,
  step: number,
  count: number,
  flip: number,
): void {
  for (let i = 0, at = begin; i < count; i++, at += step) {
    const word = bits[at]!;
    const size = word & 0x7fffffff;
    const key = size > 0x7f800000 ? -1 : size === 0 ? -0x80000000 : word ^ ((word >> 31) | -0x80000000);
    high[i] = key ^ flip;
  }
}

function fillWide(keys: Keys, low: Uint32Array, begin: number, step: number, count: number, flip: number): void {
  const { high, bits, floating, bias } = keys;
  for (let i = 0, at = 2 * begin; i < count; i++, at += 2 * step) {
    let upper = bits[at + 1]!;
    let lower = bits[at]!;
    if (floating) {
      const size = upper & 0x7fffffff;
      if (size > 0x7ff00000 || (size === 0x7ff00000 && lower !== 0)) upper = lower = -1;
      else if (size === 0 && lower === 0) upper = -0x80000000;
      else {
        const sign = upper >> 31;
        upper ^= sign | -0x80000000;
        lower ^= sign;
      }
    } else upper ^= bias;
    high[i] = upper ^ flip;
    low[i] = lower ^ flip;
  }
}
