/**
 * Conversions between the uint16 bits of float16 and bfloat16 and other dtypes, by int32 arithmetic that has vector instructions.
 *
 * Promises, as in `storage/half.ts`: `decode` is exact for all 65536 patterns (NaN stays NaN); `encode` rounds once, to nearest, ties to even,
 * from any dtype, with subnormals, overflow to infinity, and the sign of zero; every NaN becomes the quiet NaN.
 */
import { dtypes } from "../../storage/dtype.ts";
import { bitcast, call, cast, constantScalar, type Scalar } from "../ir/scalar.ts";

type Half = "float16" | "bfloat16";

const int = (value: number): Scalar => constantScalar("int32", value | 0);
const float = (value: number): Scalar => constantScalar("float32", value);

/** The float32 value of uint16 bits. */
export function decode(half: Half, bits: Scalar): Scalar {
  if (half === "bfloat16") return bitcast("float32", call("shiftLeft", cast("int32", bits), int(16)));
  // Shifts sign, exponent and fraction to their bits in float32 (the sign is copied to four bits, and three are cleared), then multiplies by
  // the difference of the exponent biases, which is correct for subnormals too.
  const fields = call("shiftLeft", cast("int32", bitcast("int16", bits)), int(13));
  const value = call("mul", bitcast("float32", call("and", fields, int(0x8fffffff))), float(2 ** 112));
  // Infinity and NaN are now 65536 and more: an exponent of all ones restores them.
  const isSpecial = call("ge", call("abs", value), float(65536));
  const special = bitcast("float32", call("or", bitcast("int32", value), int(0x7f800000)));
  return call("select", isSpecial, special, value);
}

/** The uint16 bits of a value of any real dtype. */
export function encode(half: Half, value: Scalar): Scalar {
  return half === "float16" ? float16Bits(toFloat32(value)) : bfloat16Bits(toFloat32(value));
}

function float16Bits(value: Scalar): Scalar {
  const bits = bitcast("int32", value);
  const size = call("abs", value);
  // 65536 has the bits of infinity below.
  const limited = call("select", call("lt", size, float(65536)), size, float(65536));
  // The power of two at or below the value, and at least that of the subnormals: 2^e.
  const power = call("max", call("and", bitcast("int32", limited), int(0x7f800000)), int(113 << 23));
  // One step of a float16 with this power is 2^(e-10), the same as one step of a float32 at 2^(e+13), so adding that rounds.
  const magnet = call("add", power, int(13 << 23));
  const steps = call("sub", bitcast("int32", call("add", limited, bitcast("float32", magnet))), magnet);
  // The exponent field is e + 15, and 1024 steps (if there are as many) add one to it.
  const field = call("sub", call("shiftRight", power, int(13)), int(113 << 10));
  const sign = call("and", call("shiftRight", bits, int(16)), int(0x8000));
  return withNaN(value, 0x7e00, call("or", sign, call("add", steps, field)));
}

function bfloat16Bits(value: Scalar): Scalar {
  const bits = bitcast("int32", value);
  const odd = call("and", call("shiftRight", bits, int(16)), int(1));
  const rounded = call("add", call("add", bits, int(0x7fff)), odd);
  return withNaN(value, 0x7fc0, call("shiftRight", rounded, int(16)));
}

function withNaN(value: Scalar, quiet: number, bits: Scalar): Scalar {
  return cast("uint16", call("select", call("ne", value, value), int(quiet), bits));
}

/** Returns a float32 that rounds to any shorter float as the value itself would: exact, or rounded to odd. */
function toFloat32(value: Scalar): Scalar {
  const { category, itemsize } = dtypes[value.dtype];
  if (category === "bool" || itemsize < 4 || value.dtype === "float32") return cast("float32", value);
  if (category === "complex") return toFloat32(call("real", value));
  const wide = itemsize === 8 && category === "integer" ? cast("float64", toOdd53(value)) : cast("float64", value);
  const near = cast("float32", wide);
  const back = cast("float64", near);
  // One step toward zero if rounding went away from it; the last bit is set if anything was lost.
  const tooFar = cast("int32", call("gt", call("abs", back), call("abs", wide)));
  const lost = cast("int32", call("ne", back, wide));
  return bitcast("float32", call("or", call("sub", bitcast("int32", near), tooFar), lost));
}

/** Returns a 64-bit integer that a float64 holds exactly: past 2^53 its last 11 bits are cleared, and the one above is set if they were not zero. */
function toOdd53(value: Scalar): Scalar {
  const { dtype } = value;
  const number = (n: bigint): Scalar => constantScalar(dtype, n);
  const isPast = call("ge", value, number(1n << 53n));
  const isLong = dtype === "int64" ? call("or", isPast, call("le", value, number(-(1n << 53n)))) : isPast;
  const isLost = call("ne", call("and", value, number(0x7ffn)), number(0n));
  const highBits = call("and", call("not", number(0x7ffn)), value);
  return call("select", isLong, call("or", highBits, call("select", isLost, number(0x800n), number(0n))), value);
}
