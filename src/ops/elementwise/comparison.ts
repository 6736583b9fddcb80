/**
 * Comparisons, logical and bitwise ops, and classification of numbers.
 */

import { StridewiseError } from "../../base/errors.ts";
import { DTypeError, isComplexDType, isFloatDType } from "../../storage/dtype.ts";
import { tensor } from "../../tensor/create/create-ops.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { Binary, BinaryBool, OutOption, Unary, UnaryBool } from "../op-types.ts";
import { mapInto, type OpFunction, map as plainMap } from "./map.ts";

/** The ops that are methods of tensors: all of this file. */
const methods: OpFunction[] = [];
export default methods;
const map = mapInto(methods);

/** A number as float64, with which any integer can be compared. Numbers outside of all integer dtypes are infinite. */
const doubleOf = (x: unknown): unknown => {
  if (Array.isArray(x)) return x.map(doubleOf);
  return Math.abs(Number(x)) < 2 ** 63 ? Number(x) : Number(x) * Infinity;
};

const areNumbers = (x: unknown): boolean =>
  Array.isArray(x) ? x.every(areNumbers) : typeof x === "number" || typeof x === "bigint";

/** Returns a number, or nested arrays of numbers, as a tensor of float64; other values as they are. */
const asDouble = (x: unknown): unknown => (areNumbers(x) ? tensor(doubleOf(x) as number, { dtype: "float64" }) : x);

/** Defines a comparison. A number that the integer dtype of the tensor does not hold is compared as float64. */
function comparison(name: string, sign: string): BinaryBool {
  const op = plainMap<BinaryBool>(`${name}(x, other)`, `x ${sign} other`);
  const call = (...args: Parameters<typeof op>): unknown => {
    try {
      return op(...args);
    } catch (error) {
      const wide = args.map(asDouble) as typeof args;
      if (!(error instanceof DTypeError) || wide.every((arg, k) => arg === args[k])) throw error;
      return op(...wide);
    }
  };
  const compared = Object.assign(call as BinaryBool, { operator: op.operator });
  methods.push(compared);
  return compared;
}

/** Returns x == other elementwise, as a bool tensor. */
export const eq: BinaryBool = comparison("eq", "==");
/** Returns x != other elementwise, as a bool tensor. */
export const ne: BinaryBool = comparison("ne", "!=");
/** Returns x < other elementwise, as a bool tensor. */
export const lt: BinaryBool = comparison("lt", "<");
/** Returns x <= other elementwise, as a bool tensor. */
export const le: BinaryBool = comparison("le", "<=");
/** Returns x > other elementwise, as a bool tensor. */
export const gt: BinaryBool = comparison("gt", ">");
/** Returns x >= other elementwise, as a bool tensor. */
export const ge: BinaryBool = comparison("ge", ">=");

/** Returns the logical AND of x and other; nonzero elements count as true. */
export const logicalAnd: BinaryBool = map("logicalAnd(x, other)", "(x != 0) & (other != 0)");
/** Returns the logical OR of x and other; nonzero elements count as true. */
export const logicalOr: BinaryBool = map("logicalOr(x, other)", "(x != 0) | (other != 0)");
/** Returns the logical XOR of x and other; nonzero elements count as true. */
export const logicalXor: BinaryBool = map("logicalXor(x, other)", "(x != 0) ^ (other != 0)");
/** Returns the logical NOT of each element; nonzero elements count as true. */
export const logicalNot: UnaryBool = map("logicalNot(x)", "x == 0");

/** Returns the bitwise AND of x and other, of bools or integers. */
export const bitwiseAnd: Binary = map("bitwiseAnd(x, other)", "x & other");
/** Returns the bitwise OR of x and other, of bools or integers. */
export const bitwiseOr: Binary = map("bitwiseOr(x, other)", "x | other");
/** Returns the bitwise XOR of x and other, of bools or integers. */
export const bitwiseXor: Binary = map("bitwiseXor(x, other)", "x ^ other");
/** Returns the bitwise NOT of each element, a bool or an integer. */
export const bitwiseNot: Unary = map("bitwiseNot(x)", "~x");
/** Shifts the bits of x to the left by other. */
export const bitwiseLeftShift: Binary = map("bitwiseLeftShift(x, other)", "x << other");
/** Shifts the bits of x to the right by other, keeping the sign. */
export const bitwiseRightShift: Binary = map("bitwiseRightShift(x, other)", "x >> other");

const isFloating = (x: unknown): boolean => x instanceof Tensor && (isFloatDType(x.dtype) || isComplexDType(x.dtype));

/** Tests each element for NaN. */
export const isnan: UnaryBool = map("isnan(x)", "x != x");
/** Tests each element for positive or negative infinity. */
export const isinf: UnaryBool = map("isinf(x)", ({ x }) =>
  isComplexTensor(x) ? "(abs(real(x)) == inf) | (abs(imag(x)) == inf)" : isFloating(x) ? "abs(x) == inf" : "x != x",
);
/** Tests whether each element is finite. */
export const isfinite: UnaryBool = map("isfinite(x)", ({ x }) => (isFloating(x) ? "isfinite(x)" : "x == x"));
/** Tests each element for positive infinity. */
export const isposinf: UnaryBool = map("isposinf(x)", ({ x }) => (isFloating(x) ? "x == inf" : "x != x"));
/** Tests each element for negative infinity. */
export const isneginf: UnaryBool = map("isneginf(x)", ({ x }) => (isFloating(x) ? "x == -inf" : "x != x"));
/** Tests whether each element is real, that is, has an imaginary part of 0. */
export const isreal: UnaryBool = map("isreal(x)", ({ x }) =>
  isComplexTensor(x) ? "imag(x) == 0" : isFloating(x) ? "(x == x) | (x != x)" : "x == x",
);
/** Tests whether the sign bit of each element is set: true for negative numbers and -0. */
export const signbit: UnaryBool = map("signbit(x)", ({ x }) =>
  isFloating(x) ? "copysign(like(1, x), x) < 0" : "x < 0",
);

/** Tests whether elements are close: |x - other| <= atol + rtol * |other|. */
export const isclose: BinaryClose = map(
  "isclose(x, other; rtol = 0.00001, atol = 0.00000001, equalNan = false)",
  ({ x, other, rtol, atol, equalNan }) => {
    for (const [name, tolerance] of Object.entries({ rtol, atol }))
      if (typeof tolerance === "number" && tolerance < 0)
        throw new StridewiseError(`isclose: ${name} must be at least 0, got ${describeValue(tolerance)}`);
    const wide = isComplexTensor(x) || isComplexTensor(other) ? "complex128" : "float64";
    const close = `let a = ${wide}(x); let b = ${wide}(other); (a == b) | ((b * 0 == 0) & (abs(a - b) <= atol + rtol * abs(b)))`;
    return equalNan ? `${close} | ((a != a) & (b != b))` : close;
  },
);

/** The type of isclose. */
export interface BinaryClose extends OpFunction {
  (x: Tensor, other: Tensor, options?: CloseOptions): Tensor<readonly number[], "bool">;
  readonly method: (this: Tensor, other: Tensor, options?: CloseOptions) => Tensor<readonly number[], "bool">;
}
export interface CloseOptions extends OutOption {
  readonly rtol?: number;
  readonly atol?: number;
  readonly equalNan?: boolean;
}
