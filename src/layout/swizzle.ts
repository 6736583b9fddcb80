/**
 * Swizzle<bits, base, shift>: a permutation of offsets that xors one field of bits into another.
 *
 *   0bxxxxYYYxxxxZZZxxxx     base: the number of lowest bits, unchanged; shift: the distance from ZZZ to YYY
 *   result = x ^ ((x & YYY) >> shift)      a negative shift swaps the roles of Y and Z
 *
 * It is its own inverse. Prints as `Sw<3,0,3>`.
 */
import { floorMod } from "../base/ints.ts";
import { checkInteger, wrongKind } from "./int.ts";

export class Swizzle {
  readonly kind = "swizzle";
  declare readonly bits: number;
  declare readonly base: number;
  declare readonly shift: number;
  constructor(bits: number, base: number, shift: number) {
    this.bits = bits;
    this.base = base;
    this.shift = shift;
    const distance = Math.abs(shift);
    if (
      ![bits, base, shift].every(Number.isInteger) ||
      bits < 0 ||
      base < 0 ||
      distance < bits ||
      bits + base + distance > 53
    )
      throw wrongKind(
        "swizzle",
        "[bits,base,shift] with 0 <= bits <= |shift|, 0 <= base and bits + base + |shift| <= 53",
        [bits, base, shift],
      );
  }
  toString(): string {
    return `Sw<${this.bits},${this.base},${this.shift}>`;
  }
  toJSON(): string {
    return this.toString();
  }
}

export const isSwizzle = (value: unknown): value is Swizzle => (value as Swizzle | undefined)?.kind === "swizzle";

/** Returns the swizzle that xors `bits` bits, `shift` apart, above the `base` lowest bits. */
export const swizzle = (bits: number, base: number, shift: number): Swizzle => new Swizzle(bits, base, shift);

/** Returns the masks of the field that is read (Y) and the field that is changed (Z), and the lowest bit of each. */
export function swizzleMasks(
  sw: Swizzle,
  who = "swizzleMasks",
): { y: number; z: number; low: { y: number; z: number } } {
  if (!isSwizzle(sw)) throw wrongKind(who, "a swizzle", sw);
  const field = 2 ** sw.bits - 1;
  const low = { y: 2 ** (sw.base + Math.max(0, sw.shift)), z: 2 ** (sw.base + Math.max(0, -sw.shift)) };
  return { y: field * low.y, z: field * low.z, low };
}

/** Returns sw(x). */
export function applySwizzle(sw: Swizzle, x: number): number {
  const { low } = swizzleMasks(sw, "applySwizzle");
  checkInteger("applySwizzle", x);
  // A field has at most 26 bits, so `^` is exact, but x has up to 53.
  const values = 2 ** sw.bits;
  const [y, z] = [low.y, low.z].map((unit) => floorMod(Math.floor(x / unit), values));
  return x + ((y ^ z) - z) * low.z;
}

/** Returns the swizzle that reads the bits of y and changes those of z; undefined unless each is one run of equal length. */
export function swizzleFromMasks(y: number, z: number): Swizzle | undefined {
  const from = runOf(y);
  const to = runOf(z);
  if (!from || !to || from.length !== to.length || Math.abs(from.low - to.low) < from.length) return undefined;
  return new Swizzle(from.length, Math.min(from.low, to.low), from.low - to.low);
}

/** Returns the start and length of the single run of ones in a mask. */
function runOf(mask: number): { low: number; length: number } | undefined {
  if (mask === 0) return { low: 0, length: 0 };
  const match = /^(1+)(0*)$/.exec(mask?.toString(2));
  return match ? { low: match[2].length, length: match[1].length } : undefined;
}
