/**
 * Scalar functions on the values of a formula, with PyTorch's type promotion: operands are converted to their common dtype; `/`, exp and
 * similar functions convert integers to floats; comparisons return bool; on bool, + is or and * is and. Errors of the kernel's functions
 * become DTypeErrors. Functions of numbers alone are numbers.
 */
import { KernelError } from "../../kernel/ir/error.ts";
import type { ScalarFunction } from "../../kernel/ir/functions.ts";
import { call, cast, constantScalar, type Scalar } from "../../kernel/ir/scalar.ts";
import { complexDType, computedAs, type DType, DTypeError } from "../../storage/dtype.ts";
import { getDefaultDType } from "../../storage/promotion.ts";
import {
  commonType,
  fixedValue,
  floatOf,
  highestBucket,
  rankOf,
  type TypedValue,
  typedValue,
  widestAs,
} from "./value.ts";

type Values = readonly TypedValue[];
type Apply = (fn: ScalarFunction, args: Values) => TypedValue;

/** The message of a kernel function that is not defined on a dtype, for users. */
const reworded = (message: string): string =>
  message.replace(
    /^(\w+): takes (.+) values of one dtype, got (\w+).*/s,
    (_, fn: string, kinds: string, got: string) =>
      /^complex/.test(got) && /^([lg][te]|max|min)$/.test(fn)
        ? "complex numbers have no order. Compare abs(x) or real(x)"
        : `needs ${kinds.replace(/, (\w+)$/, " or $1")} values, got ${got}.${/^float/.test(got) ? ' Convert with to("int32")' : ""}`,
  );

/** fn of values that are all computed in one dtype. */
function scalarCall(fn: ScalarFunction, args: Values, dtype: DType): Scalar {
  const scalars = args.map((arg) => arg.as(dtype));
  try {
    return call(fn, ...scalars);
  } catch (error) {
    throw error instanceof KernelError ? new DTypeError(reworded(error.message)) : error;
  }
}

/** A value of this dtype: computed once if tensors take part; for numbers alone, in each requested dtype that can hold it. */
function inCommon(dtype: DType | null, args: Values, make: (dtype: DType) => Scalar): TypedValue {
  const bucket = highestBucket(args);
  if (bucket !== "number") {
    const common = dtype ?? getDefaultDType();
    return fixedValue(common, bucket, make(computedAs(common)));
  }
  return typedValue(dtype, bucket, (target) =>
    rankOf(target) >= Math.max(1, rankOf(dtype)) ? make(target) : cast(target, make(widestAs(dtype))),
  );
}

const onBool: Readonly<Partial<Record<ScalarFunction, ScalarFunction>>> = { add: "or", mul: "and" };
const notOnBool: Readonly<Partial<Record<ScalarFunction, string>>> = {
  sub: "bools cannot be subtracted. Use logicalXor(), or ^ in a formula",
  neg: "bools cannot be negated. Use logicalNot(), or ~ in a formula",
};

const arithmetic: Apply = (fn, args) => {
  const common = commonType(args);
  if (common === "bool") {
    const refusal = notOnBool[fn];
    if (refusal !== undefined) throw new DTypeError(refusal);
    return bitwise(onBool[fn] ?? fn, args);
  }
  return inCommon(common, args, (dtype) => scalarCall(fn, args, dtype));
};

const floating: Apply = (fn, args) => inCommon(floatOf(commonType(args)), args, (dtype) => scalarCall(fn, args, dtype));

/** Small powers are products, and the power 0.5 is a square root, as in PyTorch: faster than pow, and as exact. */
const pow: Apply = (fn, args) => {
  const [base, power] = args;
  const common = commonType(args);
  switch (power.literal) {
    case 2:
      return inCommon(common, args, (dtype) => scalarCall("mul", [base, base], dtype));
    case 3:
      return inCommon(common, args, (dtype) => call("mul", scalarCall("mul", [base, base], dtype), base.as(dtype)));
    case 0.5:
      return inCommon(common, args, (dtype) => scalarCall("sqrt", [base], dtype));
    default:
      return arithmetic(fn, args);
  }
};

const bitwise: Apply = (fn, args) => {
  const bucket = highestBucket(args);
  const common = commonType(args);
  const dtype = common ?? "int64";
  return fixedValue(dtype, bucket, scalarCall(fn, args, bucket === "number" ? widestAs(dtype) : dtype));
};

const comparing: Apply = (fn, args) => {
  const bucket = highestBucket(args);
  const common = commonType(args);
  const dtype = bucket === "number" ? widestAs(common) : computedAs(common as DType);
  return fixedValue("bool", bucket, scalarCall(fn, args, dtype));
};

/** Integers stay unchanged. */
const rounding: Apply = (fn, args) => {
  const [operand] = args;
  if (rankOf(operand.dtype) >= 2) return floating(fn, args);
  if (operand.bucket !== "number") return operand;
  return typedValue(operand.dtype, "number", (dtype) =>
    rankOf(dtype) <= 1 ? operand.as(dtype) : scalarCall(fn, args, dtype),
  );
};

const choosing: Apply = (fn, args) => {
  const [condition, yes, no] = args;
  if (condition.dtype !== "bool")
    throw new DTypeError(`the condition must be bool, got ${condition.dtype ?? "a number"}. Use ne(condition, 0)`);
  const branches = [yes, no];
  const common = commonType(branches);
  const make = (dtype: DType): Scalar => call(fn, condition.as("bool"), yes.as(dtype), no.as(dtype));
  if (highestBucket(branches) !== "number") {
    const dtype = common as DType;
    return fixedValue(dtype, highestBucket(args), make(computedAs(dtype)));
  }
  // A choice between two numbers is computed in the requested dtype.
  const dtype = condition.bucket === "number" ? common : (common ?? getDefaultDType());
  return typedValue(dtype, condition.bucket, make);
};

/** real, imag and conj, which are also defined on real numbers. */
const partOf: Apply = (fn, args) => {
  const [operand] = args;
  if (rankOf(operand.dtype) < 3)
    return fn === "imag"
      ? typedValue(operand.dtype, operand.bucket, (dtype) => constantScalar(dtype, rankOf(dtype) === 0 ? false : 0))
      : operand;
  const whole = operand.bucket === "number" ? "complex128" : (operand.dtype as DType);
  const scalar = scalarCall(fn, args, whole);
  return fixedValue(
    operand.bucket === "number" && fn !== "conj" ? getDefaultDType() : scalar.dtype,
    operand.bucket,
    scalar,
  );
};

const absolute: Apply = (fn, args) => (rankOf(args[0].dtype) === 3 ? partOf(fn, args) : arithmetic(fn, args));

const pairing: Apply = (fn, args) => {
  const bucket = highestBucket(args);
  const common = computedAs(floatOf(commonType(args)));
  const scalar = scalarCall(fn, args, bucket === "number" ? "float64" : common);
  return fixedValue(complexDType(common), bucket, scalar);
};

/** The dtype rules of functions; those that are not listed compute with floats. */
const rules: Readonly<Partial<Record<ScalarFunction, Apply>>> = {
  ...listed(arithmetic, "add", "sub", "mul", "truncDiv", "truncRem", "floorDiv", "floorMod", "min", "max", "neg"),
  ...listed(rounding, "floor", "ceil", "trunc", "round"),
  ...listed(comparing, "eq", "ne", "lt", "le", "gt", "ge"),
  ...listed(bitwise, "and", "or", "xor", "not", "shiftLeft", "shiftRight", "dotHalves"),
  ...listed(partOf, "real", "imag", "conj"),
  abs: absolute,
  pow,
  select: choosing,
  complex: pairing,
};

/** True if the function of integers is computed in their own dtype, so that they, or a number among them, may wrap around. */
export const mayWrap = (fn: ScalarFunction, args: Values): boolean => {
  const rule = rules[fn];
  const hasNumber = rule === comparing && args.some(({ bucket }) => bucket === "number");
  return hasNumber || rule === arithmetic || rule === pow || rule === absolute;
};

function listed(rule: Apply, ...names: readonly ScalarFunction[]): Partial<Record<ScalarFunction, Apply>> {
  return Object.fromEntries(names.map((name) => [name, rule]));
}

/** Returns fn of values; throws a DTypeError if it is not defined on them. */
export const applyFunction: Apply = (fn, args) => (rules[fn] ?? floating)(fn, args);

/** Converts a value to a dtype, which is its dtype from then on. */
export function convertTo(dtype: DType, operand: TypedValue): TypedValue {
  const isNumber = operand.bucket === "number";
  // The conversion to an integer truncates, so a number is computed as a float first.
  const isHeld = isNumber && rankOf(dtype) >= (operand.dtype === null ? 2 : rankOf(operand.dtype));
  const source = isHeld ? dtype : isNumber ? widestAs(operand.dtype) : (operand.dtype as DType);
  const scalar = cast(dtype, operand.as(computedAs(source)));
  return fixedValue(dtype, isNumber ? "zeroDim" : operand.bucket, cast(computedAs(dtype), scalar));
}

/** Converts a value to the dtype of another, with its bucket. */
export function likeOther(value: TypedValue, other: TypedValue): TypedValue {
  if (other.dtype === null || other.bucket === "number") return value;
  if (rankOf(value.dtype) > rankOf(other.dtype)) return convertTo(other.dtype, value);
  return fixedValue(other.dtype, highestBucket([value, other]), value.as(computedAs(other.dtype)));
}
