/**
 * Selecting by a condition or a mask, and complex numbers from their parts.
 */

import { ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import type { Checked } from "../../layout/types/faults.ts";
import { type Complex, complex as complexOf, DTypeError, isComplex, type Value } from "../../storage/dtype.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { ComplexOf } from "../../tensor/types/shape-dtypes.ts";
import type { Broadcast } from "../../tensor/types/types.ts";
import { differingDTypes } from "../dtype-errors.ts";
import type { DTypeOf, ElementOperand, OutOption, ShapeIn, Together } from "../op-types.ts";
import { map, type OpFunction } from "./map.ts";

/** The message for a condition or mask that is known not to be bool. */
export type ConditionFault<C extends Tensor, Who extends string> = ["bool"] extends [C["dtype"]]
  ? undefined
  : `${Who}: the condition must be bool, got ${C["dtype"]}. Use ne(condition, 0)`;

/** The type of where. */
export interface Where extends OpFunction {
  <C extends Tensor, const A extends ElementOperand, const B extends ElementOperand>(
    condition: Checked<C, ConditionFault<C, "where">>,
    x: A,
    other: B,
    options?: OutOption,
  ): Tensor<Broadcast<ShapeIn<C>, Together<A, B>>, DTypeOf<A, B>>;
}
/** Selects elements of x where the condition is true, else of other. */
export const where: Where = /* @__PURE__ */ map("where(condition, x, other)", "condition ? x : other");

/** The type of complex. */
export interface ComplexPair extends OpFunction {
  <A extends Tensor, B extends Tensor>(
    real: A,
    imag: B,
    options?: OutOption,
  ): Tensor<Together<A, B>, ComplexOf<A["dtype"]>>;
}
/** The type of polar. */
export interface Polar extends OpFunction {
  <A extends Tensor, B extends Tensor>(
    abs: A,
    angle: B,
    options?: OutOption,
  ): Tensor<Together<A, B>, ComplexOf<A["dtype"]>>;
}
/** Returns complex numbers with the given real and imaginary parts; for two numbers, returns one complex number. */
export const complex: ComplexPair & ((re: number, im: number) => Complex) = /* @__PURE__ */ orNumber(
  /* @__PURE__ */ map("complex(real, imag)", ({ real, imag }) => {
    checkSameDType("complex", real, imag);
    return "complex(real_, imag_)";
  }),
);

/** Returns the op for tensors; two numbers become one complex number. */
function orNumber(op: ComplexPair): ComplexPair & ((re: number, im: number) => Complex) {
  const call = (a: unknown, b: unknown, options?: OutOption): unknown =>
    typeof a === "number" && typeof b === "number" ? complexOf(a, b) : op(a as Tensor, b as Tensor, options);
  return Object.assign(call, { operator: op.operator }) as never;
}
/** Returns complex numbers with the given absolute values and angles. */
export const polar: Polar = /* @__PURE__ */ map("polar(abs, angle)", ({ abs, angle }) => {
  checkSameDType("polar", abs, angle);
  return "complex(abs_ * cos(angle_), abs_ * sin(angle_))";
});

/** Throws unless both parts of complex numbers have the same dtype. */
function checkSameDType(who: string, first: unknown, second: unknown): void {
  if (!(first instanceof Tensor && second instanceof Tensor) || first.dtype === second.dtype) return;
  throw differingDTypes(who, "both tensors", first.dtype, second.dtype);
}

/** The type of maskedFill. */
export interface MaskedFill extends OpFunction {
  <X extends Tensor, M extends Tensor>(
    x: X,
    mask: Checked<M, ConditionFault<M, "maskedFill">>,
    value: Value | Tensor,
    options?: OutOption,
  ): Tensor<Broadcast<X["shape"], M["shape"]>, X["dtype"]>;
  readonly method: <X extends Tensor, M extends Tensor>(
    this: X,
    mask: Checked<M, ConditionFault<M, "maskedFill">>,
    value: Value | Tensor,
    options?: OutOption,
  ) => Tensor<Broadcast<X["shape"], M["shape"]>, X["dtype"]>;
}
/** Fills elements of x with a value where the mask is true; the result has the dtype of x. */
export const maskedFill: MaskedFill = /* @__PURE__ */ ofOneValue(
  /* @__PURE__ */ map("maskedFill(x, mask, value)", ({ x, value }) => {
    if (isComplexOne(value) && !isComplexOne(x))
      throw new DTypeError(
        `maskedFill: a complex value does not fit ${(x as Tensor).dtype}. Convert x: to("complex64")`,
      );
    return "mask ? like(value, x) : x";
  }),
);

/** Returns the op with a check that the value has no axes. Inside vmap, samples have none, so the check comes before dispatch. */
function ofOneValue(op: MaskedFill): MaskedFill {
  const call = (...args: Parameters<MaskedFill>): unknown => {
    const value = args[2];
    if (value instanceof Tensor && value.rank > 0)
      throw new ShapeError(
        `maskedFill: value must be a number or a 0-d tensor, got shape ${show(value.shape)}. Use where(mask, value, x).`,
      );
    return op(...args);
  };
  return Object.assign(call, { operator: op.operator }) as never;
}
const isComplexOne = (one: unknown): boolean => isComplexTensor(one) || isComplex(one);

/** The ops that are methods of tensors. */
export default [where, complex, polar, maskedFill];
