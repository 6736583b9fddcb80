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

/** Same as round. */
export const around: typeof round = round;
/** Same as equal. */
export const arrayEqual: typeof equal = equal;
/** Same as tensorSplit. */
export const arraySplit: typeof tensorSplit = tensorSplit;
/** Same as broadcastTensors. */
export const broadcastArrays: typeof broadcastTensors = broadcastTensors;
/** Same as conj. */
export const conjugate: typeof conj = conj;
/** Same as rad2deg. */
export const degrees: typeof rad2deg = rad2deg;
/** Same as unsqueeze. */
export const expandDims: typeof unsqueeze = unsqueeze;
/** Same as bitwiseNot. */
export const invert: typeof bitwiseNot = bitwiseNot;
/** Same as bitwiseLeftShift. */
export const leftShift: typeof bitwiseLeftShift = bitwiseLeftShift;
/** Same as remainder. */
export const mod: typeof remainder = remainder;
/** Same as permute. */
export const permuteDims: typeof permute = permute;
/** Same as pow. */
export const power: typeof pow = pow;
/** Same as deg2rad. */
export const radians: typeof deg2rad = deg2rad;
/** Same as bitwiseRightShift. */
export const rightShift: typeof bitwiseRightShift = bitwiseRightShift;
/** Same as round. */
export const rint: typeof round = round;
/** Same as takeAlongDim. */
export const takeAlongAxis: typeof takeAlongDim = takeAlongDim;
