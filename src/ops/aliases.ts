/**
 * PyTorch's aliases of ops, as functions only. Each is the op itself, so errors use the op's name.
 */
import { outer } from "./contract/matmul.ts";
import { logSigmoid } from "./elementwise/activation.ts";
import { abs, clamp, div, mul, neg, sub } from "./elementwise/arithmetic.ts";
import { ge, gt, le, lt, ne } from "./elementwise/comparison.ts";
import { acos, acosh, asin, asinh, atan, atan2, atanh, conj, sigmoid, trunc } from "./elementwise/functions.ts";
import { cat } from "./movement/join.ts";

/** Same as abs. */
export const absolute: typeof abs = abs;
/** Same as acos. */
export const arccos: typeof acos = acos;
/** Same as acosh. */
export const arccosh: typeof acosh = acosh;
/** Same as asin. */
export const arcsin: typeof asin = asin;
/** Same as asinh. */
export const arcsinh: typeof asinh = asinh;
/** Same as atan. */
export const arctan: typeof atan = atan;
/** Same as atan2. */
export const arctan2: typeof atan2 = atan2;
/** Same as atanh. */
export const arctanh: typeof atanh = atanh;
/** Same as clamp. */
export const clip: typeof clamp = clamp;
/** Same as cat. */
export const concatenate: typeof cat = cat;
/** Same as conj. */
export const conjPhysical: typeof conj = conj;
/** Same as div. */
export const divide: typeof div = div;
/** Same as sigmoid. */
export const expit: typeof sigmoid = sigmoid;
/** Same as trunc. */
export const fix: typeof trunc = trunc;
/** Same as outer. */
export const ger: typeof outer = outer;
/** Same as gt. */
export const greater: typeof gt = gt;
/** Same as ge. */
export const greaterEqual: typeof ge = ge;
/** Same as lt. */
export const less: typeof lt = lt;
/** Same as le. */
export const lessEqual: typeof le = le;
/** Same as logSigmoid. */
export const logsigmoid: typeof logSigmoid = logSigmoid;
/** Same as mul. */
export const multiply: typeof mul = mul;
/** Same as neg. */
export const negative: typeof neg = neg;
/** Same as ne. */
export const notEqual: typeof ne = ne;
/** Same as sub. */
export const subtract: typeof sub = sub;
/** Same as div. */
export const trueDivide: typeof div = div;
