/**
 * Expands elementary functions into primitive ones, which have vector instructions: arithmetic, comparisons, select, bit operations and bit casts.
 * float32: all functions, in float32 and 32-bit integers only. float64: those that are faster than a call of the engine for each lane; the
 * others stay calls, and so do sin, cos and tan of large angles. Integers: pow. Remainders, copysign and rounding are not expanded.
 *
 * Each file of `math/` states the largest measured error, in units in the last place (for subnormal results in units of the smallest
 * number), against double precision. NaN, infinities, zeros and their signs are exact.
 */
import type { DType } from "../../storage/dtype.ts";
import type { ScalarFunction } from "../ir/functions.ts";
import type { Kernel } from "../ir/kernel.ts";
import type { Scalar } from "../ir/scalar.ts";
import { erf, erfc } from "./math/erf.ts";
import { erfcDouble, erfDouble } from "./math/erf-double.ts";
import { exp, exp2, expm1, expNegative } from "./math/exp.ts";
import { coshDouble, exp2Double, expDouble, expm1Double, sinhDouble, tanhDouble } from "./math/exp-double.ts";
import { acosh, asinh, atanh, cosh, sinh, tanh } from "./math/hyperbolic.ts";
import { integerPow } from "./math/integer-pow.ts";
import { acos, asin, atan, atan2 } from "./math/inverse-trig.ts";
import { log, log1p, log2, log10 } from "./math/log.ts";
import { log1pDouble, log2Double, log10Double, logDouble } from "./math/log-double.ts";
import { pow } from "./math/pow.ts";
import { cos, sin, tan } from "./math/trig.ts";
import { cosDouble, sinDouble, tanDouble } from "./math/trig-double.ts";
import { rewriteKernel } from "./rewrite.ts";

type Unary = (x: Scalar) => Scalar;
type Binary = (x: Scalar, y: Scalar) => Scalar;
type Table = Readonly<Partial<Record<ScalarFunction, Unary | Binary>>>;

const float32: Table = {
  exp,
  expNegative,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  pow,
};

const float64: Table = {
  exp: expDouble,
  expNegative: expDouble,
  exp2: exp2Double,
  expm1: expm1Double,
  log: logDouble,
  log2: log2Double,
  log10: log10Double,
  log1p: log1pDouble,
  sin: sinDouble,
  cos: cosDouble,
  tan: tanDouble,
  sinh: sinhDouble,
  cosh: coshDouble,
  tanh: tanhDouble,
  erf: erfDouble,
  erfc: erfcDouble,
};

const integer: Table = { pow: integerPow };

const expansions: Readonly<Partial<Record<DType, Table>>> = {
  float32,
  float64,
  int8: integer,
  int16: integer,
  int32: integer,
  int64: integer,
  uint8: integer,
  uint16: integer,
  uint32: integer,
  uint64: integer,
};

/** Returns the value in terms of primitive functions, or undefined if it is not expanded. */
export function lowerMathScalar(node: Scalar): Scalar | undefined {
  if (node.kind !== "call") return undefined;
  const [x, y] = node.args as readonly [Scalar, Scalar?];
  const expansion = expansions[x.dtype]?.[node.fn];
  return expansion && (y === undefined ? (expansion as Unary)(x) : (expansion as Binary)(x, y));
}

/** Returns the kernel with all such values expanded. */
export const lowerMath = (kernel: Kernel): Kernel => rewriteKernel(kernel, { scalar: lowerMathScalar });
