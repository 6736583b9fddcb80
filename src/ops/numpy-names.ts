/**
 * NumPy's names of ops, as functions only. Each is the op itself, so errors use the op's name.
 */
import { pow, remainder } from "./elementwise/arithmetic.ts";
import { bitwiseLeftShift, bitwiseNot, bitwiseRightShift } from "./elementwise/comparison.ts";
import { conj, deg2rad, rad2deg, round } from "./elementwise/functions.ts";
import { takeAlongDim } from "./movement/gather.ts";
import { broadcastTensors } from "./movement/grids.ts";
import { permute, tensorSplit, unsqueeze } from "./movement/view-functions.ts";
import { equal } from "./routine/equal-ops.ts";

/** An alias of round. */
export const around: typeof round = round;
/** An alias of equal. */
export const arrayEqual: typeof equal = equal;
/** An alias of tensorSplit. */
export const arraySplit: typeof tensorSplit = tensorSplit;
/** An alias of broadcastTensors. */
export const broadcastArrays: typeof broadcastTensors = broadcastTensors;
/** An alias of conj. */
export const conjugate: typeof conj = conj;
/** An alias of rad2deg. */
export const degrees: typeof rad2deg = rad2deg;
/** An alias of unsqueeze. */
export const expandDims: typeof unsqueeze = unsqueeze;
/** An alias of bitwiseNot. */
export const invert: typeof bitwiseNot = bitwiseNot;
/** An alias of bitwiseLeftShift. */
export const leftShift: typeof bitwiseLeftShift = bitwiseLeftShift;
/** An alias of remainder. */
export const mod: typeof remainder = remainder;
/** An alias of permute. */
export const permuteDims: typeof permute = permute;
/** An alias of pow. */
export const power: typeof pow = pow;
/** An alias of deg2rad. */
export const radians: typeof deg2rad = deg2rad;
/** An alias of bitwiseRightShift. */
export const rightShift: typeof bitwiseRightShift = bitwiseRightShift;
/** An alias of round. */
export const rint: typeof round = round;
/** An alias of takeAlongDim. */
export const takeAlongAxis: typeof takeAlongDim = takeAlongDim;
