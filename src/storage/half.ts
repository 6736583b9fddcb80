/**
 * Conversions of float16 and bfloat16 bits: to a number exactly, and from a number with one rounding.
 * Rounding is to nearest, ties to even, directly from the 53 bits of a number, since rounding to float32 first would round
 * twice. Subnormals, infinities and -0 are kept; every NaN becomes the quiet NaN of the format.
 * The code assumes little-endian byte order, as WebAssembly does and every engine in use has.
 */
const doubles = new Float64Array(1);
const words = new Int32Array(doubles.buffer);
const floats = new Float32Array(1);
const floatBits = new Int32Array(floats.buffer);

// Adding and subtracting 2^52 rounds a smaller positive number to an integer, ties to even.
const rounding = 2 ** 52;

/** Converts the 16 bits of a float16 to a number. */
export function float16ToNumber(bits: number): number {
  if ((bits & 0x7c00) === 0x7c00) return (bits & 0x3ff) !== 0 ? NaN : (bits & 0x8000) !== 0 ? -Infinity : Infinity;
  // The fields shifted to those of float32, then the difference of the exponent biases, 127 - 15, as a factor.
  floatBits[0] = ((bits & 0x8000) << 16) | ((bits & 0x7fff) << 13);
  return floats[0] * 2 ** 112;
}

/** The 16 bits of the float16 nearest to a number; infinity from 65520 on. */
export function numberToFloat16(value: number): number {
  doubles[0] = value;
  const high = words[1];
  const sign = (high >>> 16) & 0x8000;
  const magnitude = Math.abs(value);
  if (magnitude < 2 ** -14) return sign | (magnitude * 2 ** 24 + rounding - rounding);
  if (magnitude < 65520) {
    // Of the lower word only whether it is zero matters: the lowest bit of the upper word records it.
    const fields = ((high & 0x7fffffff) - (1008 << 20)) | (words[0] === 0 ? 0 : 1);
    return sign | ((fields + 0x1ff + ((fields >>> 10) & 1)) >>> 10);
  }
  return magnitude >= 65520 ? sign | 0x7c00 : 0x7e00;
}

/** Converts the 16 bits of a bfloat16 to a number. */
export function bfloat16ToNumber(bits: number): number {
  floatBits[0] = bits << 16;
  return floats[0];
}

/** The 16 bits of the bfloat16 nearest to a number; infinity beyond the largest by half a step. */
export function numberToBfloat16(value: number): number {
  doubles[0] = value;
  const high = words[1];
  const sign = (high >>> 16) & 0x8000;
  const magnitude = Math.abs(value);
  if (magnitude < 2 ** -126) return sign | (magnitude * 2 ** 133 + rounding - rounding);
  if (magnitude < 2 ** 128) {
    const fields = ((high & 0x7fffffff) - (896 << 20)) | (words[0] === 0 ? 0 : 1);
    return sign | ((fields + 0xfff + ((fields >>> 13) & 1)) >>> 13);
  }
  return magnitude >= 2 ** 128 ? sign | 0x7f80 : 0x7fc0;
}
