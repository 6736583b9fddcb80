/**
 * The functions of scalar values, with their arities and dtypes. A closed list, the same for every backend.
 *
 * Details:
 * - integers wrap around; an integer divided by 0 is 0, and so is the remainder; the smallest integer divided by -1 is itself;
 * - `truncDiv` and `truncRem` truncate (C), `floorDiv` and `floorMod` round down (Python); on floats `floorMod` has the sign of the divisor
 *   (a remainder of 0 that of the dividend) and `truncRem` is C's fmod;
 * - `min` and `max` are NaN if either operand is NaN; `smaller(a, b)` is b where b < a, else a, and `larger` likewise: faster, for callers that
 *   handle NaN themselves;
 * - `expNegative` is e^x for x up to 0, where results below the smallest normal number may be 0: faster than `exp`;
 * - `round` rounds half to even;
 * - a shift by the width or more (or by a negative number) is 0, or -1 for a negative number shifted right;
 * - `and`, `or`, `xor`, `not` are bitwise on integers and logical on bool;
 * - `select(condition, a, b)` computes both and returns a where the condition is true;
 * - `dotHalves` multiplies the low halves of two integers and the high halves, as signed integers of 16 bits, and adds the two products;
 * - an integer to a negative power is 1 / base^-power, truncated; `pow` of floats follows C (1 to any power is 1);
 * - a comparison with NaN is false, `ne` is true.
 */
import { type Category, type DType, dtypes, isHalf } from "../../storage/dtype.ts";
import { KernelError } from "./error.ts";

type DTypeRule = (fn: string, types: readonly DType[]) => DType;

export interface ScalarFunctionInfo {
  readonly arity: 1 | 2 | 3;
  /** Returns the dtype of the result; throws if the function is not defined on the dtypes. */
  readonly dtypeOf: DTypeRule;
}

function check(fn: string, types: readonly DType[], categories: readonly Category[]): DType {
  const first = types[0];
  const differs = types.some((dtype) => dtype !== first);
  if (differs || isHalf(first) || !categories.includes(dtypes[first].category))
    throw new KernelError(
      `${fn}: takes ${categories.join(", ")} values of one dtype, got ${types.join(", ")}.` +
        (isHalf(first) ? " Cast to float32 first." : differs ? " Cast one of them first." : ""),
    );
  return first;
}

const same =
  (...categories: Category[]): DTypeRule =>
  (fn, types) =>
    check(fn, types, categories);

const truth =
  (...categories: Category[]): DTypeRule =>
  (fn, types) => {
    check(fn, types, categories);
    return "bool";
  };

const select: DTypeRule = (fn, [condition, a, b]) => {
  if (condition !== "bool") throw new KernelError(`${fn}: the condition must be bool, got ${condition}.`);
  if (a !== b)
    throw new KernelError(`${fn}: both branches must have the same dtype, got ${a} and ${b}. Cast one of them first.`);
  return a;
};

const halves: DTypeRule = (fn, types) => {
  if (types.some((dtype) => dtype !== "int32"))
    throw new KernelError(`${fn}: takes int32 values, got ${types.join(", ")}. Cast them first.`);
  return "int32";
};

const partOf: DTypeRule = (fn, types) => (check(fn, types, ["complex"]) === "complex64" ? "float32" : "float64");
const complexOf: DTypeRule = (fn, types) => (check(fn, types, ["float"]) === "float32" ? "complex64" : "complex128");

const unary = (dtypeOf: DTypeRule): ScalarFunctionInfo => ({ arity: 1, dtypeOf });
const binary = (dtypeOf: DTypeRule): ScalarFunctionInfo => ({ arity: 2, dtypeOf });

const numbers = same("integer", "float", "complex");
const reals = same("integer", "float");
const floats = same("float");
const analytic = same("float", "complex");
const bits = same("bool", "integer");

export const scalarFunctions = {
  add: binary(numbers),
  sub: binary(numbers),
  mul: binary(numbers),
  div: binary(analytic),
  truncDiv: binary(reals),
  truncRem: binary(reals),
  floorDiv: binary(reals),
  floorMod: binary(reals),
  min: binary(same("bool", "integer", "float")),
  max: binary(same("bool", "integer", "float")),
  smaller: binary(floats),
  larger: binary(floats),
  pow: binary(same("integer", "float", "complex")),
  atan2: binary(floats),
  copysign: binary(floats),
  neg: unary(numbers),
  /** A float for complex numbers. */
  abs: unary((fn, types) => (dtypes[types[0]].category === "complex" ? partOf(fn, types) : reals(fn, types))),
  sqrt: unary(analytic),
  floor: unary(floats),
  ceil: unary(floats),
  trunc: unary(floats),
  round: unary(floats),
  exp: unary(analytic),
  expNegative: unary(floats),
  exp2: unary(floats),
  expm1: unary(floats),
  log: unary(analytic),
  log2: unary(floats),
  log10: unary(floats),
  log1p: unary(floats),
  sin: unary(analytic),
  cos: unary(analytic),
  tan: unary(analytic),
  asin: unary(floats),
  acos: unary(floats),
  atan: unary(floats),
  sinh: unary(analytic),
  cosh: unary(analytic),
  tanh: unary(analytic),
  asinh: unary(floats),
  acosh: unary(floats),
  atanh: unary(floats),
  erf: unary(floats),
  erfc: unary(floats),
  eq: binary(truth("bool", "integer", "float", "complex")),
  ne: binary(truth("bool", "integer", "float", "complex")),
  lt: binary(truth("bool", "integer", "float")),
  le: binary(truth("bool", "integer", "float")),
  gt: binary(truth("bool", "integer", "float")),
  ge: binary(truth("bool", "integer", "float")),
  and: binary(bits),
  or: binary(bits),
  xor: binary(bits),
  not: unary(bits),
  shiftLeft: binary(same("integer")),
  shiftRight: binary(same("integer")),
  dotHalves: binary(halves),
  select: { arity: 3, dtypeOf: select },
  real: unary(partOf),
  imag: unary(partOf),
  conj: unary(same("complex")),
  complex: binary(complexOf),
} as const satisfies Readonly<Record<string, ScalarFunctionInfo>>;

export type ScalarFunction = keyof typeof scalarFunctions;

export const isScalarFunction = (name: string): name is ScalarFunction => Object.hasOwn(scalarFunctions, name);
