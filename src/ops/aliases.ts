/**
 * PyTorch's aliases of ops, as functions only. Each is the op itself, so errors use the op's name.
 */
import { outer } from "./contract/matmul.ts";
import { logSigmoid } from "./elementwise/activation.ts";
import { abs, clamp, div, mul, neg, sub } from "./elementwise/arithmetic.ts";
import { ge, gt, le, lt, ne } from "./elementwise/comparison.ts";
import { acos, acosh, asin, asinh, atan, atan2, atanh, conj, sigmoid, trunc } from "./elementwise/functions.ts";
import { cat } from "./movement/join.ts";

/** An alias of abs. */
export const absolute: typeof abs = abs;
/** An alias of acos. */
export const arccos: typeof acos = acos;
/** An alias of acosh. */
export const arccosh: typeof acosh = acosh;
/** An alias of asin. */
export const arcsin: typeof asin = asin;
/** An alias of asinh. */
export const arcsinh: typeof asinh = asinh;
/** An alias of atan. */
export const arctan: typeof atan = atan;
/** An alias of atan2. */
export const arctan2: typeof atan2 = atan2;
/** An alias of atanh. */
export const arctanh: typeof atanh = atanh;
/** An alias of clamp. */
export const clip: typeof clamp = clamp;
/** An alias of cat. */
export const concatenate: typeof cat = cat;
/** An alias of conj. */
export const conjPhysical: typeof conj = conj;
/** An alias of div. */
export const divide: typeof div = div;
/** An alias of sigmoid. */
export const expit: typeof sigmoid = sigmoid;
/** An alias of trunc. */
export const fix: typeof trunc = trunc;
/** An alias of outer. */
export const ger: typeof outer = outer;
/** An alias of gt. */
export const greater: typeof gt = gt;
/** An alias of ge. */
export const greaterEqual: typeof ge = ge;
/** An alias of lt. */
export const less: typeof lt = lt;
/** An alias of le. */
export const lessEqual: typeof le = le;
/** An alias of logSigmoid. */
export const logsigmoid: typeof logSigmoid = logSigmoid;
/** An alias of mul. */
export const multiply: typeof mul = mul;
/** An alias of neg. */
export const negative: typeof neg = neg;
/** An alias of ne. */
export const notEqual: typeof ne = ne;
/** An alias of sub. */
export const subtract: typeof sub = sub;
/** An alias of div. */
export const trueDivide: typeof div = div;
