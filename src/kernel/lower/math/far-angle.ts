/**
 * Large angles: x mod pi/2 for every float32 x >= 2^9, exactly to 2^-62 of a quarter turn (Payne and Hanek).
 *
 * x = M 2^e with an integer M < 2^31 and e a multiple of 8. Bits of 2/pi that contribute multiples of 4 to x * 2/pi are skipped, the next 96
 * are multiplied by M; the upper 64 bits of the product are the quarter turn (2 bits) and its fraction. The window of 96 bits is selected by
 * optional shifts of 2/pi by 64, 32, 16 and 8 bits, depending on the exponent, so that all lanes shift by the same constants.
 */
import { bitcast, cast, type Scalar } from "../../ir/scalar.ts";
import { add, and, constant, firstHalf, lt, mul, ne, or, select, shiftLeft, shiftRight, sub } from "./arithmetic.ts";

/** 16 zero bits and the first 208 bits of 2/pi. */
const twoOverPi = [0x0000a2f9, 0x836e4e44, 0x1529fc27, 0x57d1f534, 0xddc0db62, 0x95993c43, 0x9041fe51];

/** An angle: quarter turns, of which the lowest two bits matter, a rest in radians, and a tail below the last bit of the rest. */
export interface Angle {
  readonly quarters: Scalar;
  readonly rest: Scalar;
  readonly tail: Scalar;
}

/** Drops the first `bits` bits of the words where the flag is set. */
function shiftWords(words: readonly Scalar[], bits: number, flag: Scalar): Scalar[] {
  const whole = bits >> 5;
  const shifted = (i: number): Scalar => {
    if (whole > 0) return words[i + whole];
    const next = words[i + 1];
    const left = shiftLeft(words[i], bits);
    return next === undefined ? left : or(left, shiftRight(next, 32 - bits));
  };
  return words.slice(0, words.length - whole).map((word, i) => select(flag, shifted(i), word));
}

/** The upper word of the product of two words. */
function upperProduct(a: Scalar, b: Scalar): Scalar {
  const [aHigh, aLow, bHigh, bLow] = [shiftRight(a, 16), and(a, 0xffff), shiftRight(b, 16), and(b, 0xffff)];
  const middle = add(mul(aHigh, bLow), shiftRight(mul(aLow, bLow), 16));
  const carry = add(mul(aLow, bHigh), and(middle, 0xffff));
  return add(add(mul(aHigh, bHigh), shiftRight(middle, 16)), shiftRight(carry, 16));
}

/** x = quarters * pi/2 + rest + tail, |rest| <= pi/4, for a finite x >= 2^9; unspecified elsewhere. */
export function farAngle(x: Scalar): Angle {
  const bits = bitcast("uint32", x);
  const exponent = shiftRight(bits, 23);
  const hasBit = (bit: number): Scalar => ne(and(exponent, bit), 0);

  let mantissa = [or(and(bits, 0x7fffff), 0x800000)];
  for (const shift of [4, 2, 1]) mantissa = shiftWords(mantissa, shift, hasBit(shift));
  const factor = mantissa[0];

  // The exponent without its lowest 3 bits is 136 + the number of bits to skip: 128 + 8 + ...
  const skip = sub(exponent, 136);
  let words = twoOverPi.map((word) => constant("uint32", word));
  for (const shift of [64, 32, 16, 8]) words = shiftWords(words, shift, ne(and(skip, shift), 0));
  const [first, second, third] = words;

  const low = mul(factor, second);
  const lower = add(low, upperProduct(factor, third));
  const carry = select(lt(lower, low), constant("uint32", 1), 0);
  const upper = add(add(mul(factor, first), upperProduct(factor, second)), carry);

  // The fraction is signed: from a half on it belongs to the next quarter.
  const fraction = or(shiftLeft(upper, 2), shiftRight(lower, 30));
  const quarters = bitcast("int32", add(shiftRight(upper, 30), shiftRight(fraction, 31)));
  return { quarters, ...radians(bitcast("int32", fraction), shiftLeft(lower, 2)) };
}

/** (upper 2^-32 + lower 2^-64) pi/2, with more than 24 correct bits however small it is. */
function radians(upper: Scalar, lower: Scalar): { rest: Scalar; tail: Scalar } {
  const floatAt = (word: Scalar, scale: number): Scalar => mul(cast("float32", bitcast("int32", word)), scale);
  const a = floatAt(shiftRight(upper, 12), 2 ** -20);
  const b = floatAt(or(shiftLeft(bitcast("uint32", and(upper, 0xfff)), 12), shiftRight(lower, 20)), 2 ** -44);
  const c = floatAt(and(lower, 0xfffff), 2 ** -64);
  const sum = add(a, b);
  const lost = add(sub(b, sub(sum, a)), c);
  const short = firstHalf(sum);
  const large = mul(short, 1.57080078125);
  const small = add(mul(add(sub(sum, short), lost), 1.57080078125), mul(sum, -4.454455e-6));
  const rest = add(large, small);
  return { rest, tail: sub(small, sub(rest, large)) };
}
