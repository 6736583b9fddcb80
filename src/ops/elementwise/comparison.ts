/**
 * Questions with yes or no for an answer: comparisons, logic, what kind of number an element is; choosing by the answer; and bits.
 */

import { StridewiseError } from "../../base/errors.ts";
import { isComplexDType, isFloatDType } from "../../storage/dtype.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { Binary, BinaryBool, OutOption, Unary, UnaryBool } from "../op-types.ts";
import { mapInto, type OpFunction } from "./map.ts";

/** The ops that are methods of tensors: all of this file. */
const methods: OpFunction[] = [];
export default methods;
const map = mapInto(methods);

/** True where both are equal. */
export const eq: BinaryBool = map("eq(x, other)", "x == other");
/** True where they differ. */
export const ne: BinaryBool = map("ne(x, other)", "x != other");
/** True where x is smaller. */
export const lt: BinaryBool = map("lt(x, other)", "x < other");
/** True where x is smaller or equal. */
export const le: BinaryBool = map("le(x, other)", "x <= other");
/** True where x is larger. */
export const gt: BinaryBool = map("gt(x, other)", "x > other");
/** True where x is larger or equal. */
export const ge: BinaryBool = map("ge(x, other)", "x >= other");

/** True where both are not 0. */
export const logicalAnd: BinaryBool = map("logicalAnd(x, other)", "(x != 0) & (other != 0)");
/** True where one of both is not 0. */
export const logicalOr: BinaryBool = map("logicalOr(x, other)", "(x != 0) | (other != 0)");
/** True where exactly one of both is not 0. */
export const logicalXor: BinaryBool = map("logicalXor(x, other)", "(x != 0) ^ (other != 0)");
/** True where x is 0. */
export const logicalNot: UnaryBool = map("logicalNot(x)", "x == 0");

/** The bits that both have. */
export const bitwiseAnd: Binary = map("bitwiseAnd(x, other)", "x & other");
/** The bits that one of both has. */
export const bitwiseOr: Binary = map("bitwiseOr(x, other)", "x | other");
/** The bits in which they differ. */
export const bitwiseXor: Binary = map("bitwiseXor(x, other)", "x ^ other");
/** All bits turned over. */
export const bitwiseNot: Unary = map("bitwiseNot(x)", "~x");
/** The bits moved up. */
export const bitwiseLeftShift: Binary = map("bitwiseLeftShift(x, other)", "x << other");
/** The bits moved down, the sign kept. */
export const bitwiseRightShift: Binary = map("bitwiseRightShift(x, other)", "x >> other");

const isFloating = (x: unknown): boolean => x instanceof Tensor && (isFloatDType(x.dtype) || isComplexDType(x.dtype));

/** True where x is not a number. */
export const isnan: UnaryBool = map("isnan(x)", "x != x");
/** True where x is infinite. */
export const isinf: UnaryBool = map("isinf(x)", ({ x }) =>
  isComplexTensor(x) ? "(abs(real(x)) == inf) | (abs(imag(x)) == inf)" : isFloating(x) ? "abs(x) == inf" : "x != x",
);
/** True where x is neither infinite nor NaN. */
export const isfinite: UnaryBool = map("isfinite(x)", ({ x }) => (isFloating(x) ? "isfinite(x)" : "x == x"));
/** True where x is infinite and positive. */
export const isposinf: UnaryBool = map("isposinf(x)", ({ x }) => (isFloating(x) ? "x == inf" : "x != x"));
/** True where x is infinite and negative. */
export const isneginf: UnaryBool = map("isneginf(x)", ({ x }) => (isFloating(x) ? "x == -inf" : "x != x"));
/** True where the imaginary part is 0. */
export const isreal: UnaryBool = map("isreal(x)", ({ x }) =>
  isComplexTensor(x) ? "imag(x) == 0" : isFloating(x) ? "(x == x) | (x != x)" : "x == x",
);
/** True where x has a minus, that of -0 included. */
export const signbit: UnaryBool = map("signbit(x)", ({ x }) =>
  isFloating(x) ? "copysign(like(1, x), x) < 0" : "x < 0",
);

/** True where both are close: |x - other| <= atol + rtol * |other|. */
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

/** Comparisons with tolerances. */
export interface BinaryClose extends OpFunction {
  (x: Tensor, other: Tensor, options?: CloseOptions): Tensor<readonly number[], "bool", "none">;
  readonly method: (this: Tensor, other: Tensor, options?: CloseOptions) => Tensor<readonly number[], "bool", "none">;
}
export interface CloseOptions extends OutOption {
  readonly rtol?: number;
  readonly atol?: number;
  readonly equalNan?: boolean;
}
