/**
 * The functions of scalar values: how many values each takes, and which dtypes. A closed list, the same for every backend.
 *
 * Meaning, where it is not plain:
 * - integers wrap around; dividing an integer by 0 gives 0, and so does the rest; the smallest integer divided by -1 is itself;
 * - `truncDiv` and `truncRem` cut towards 0 (C), `floorDiv` and `floorMod` round down (Python); on floats `floorMod` has the sign
 *   of the divisor (a rest of 0 that of the dividend) and `truncRem` is C's fmod;
 * - `min` and `max` give NaN if either operand is NaN; `smaller(a, b)` is b where b < a, else a, and `larger` likewise: quicker, and for
 *   those who look for NaN themselves;
 * - `expNegative` is e^x for x up to 0, where results below the smallest normal number may be 0: quicker than `exp`;
 * - `round` goes to the nearest integer, halves to the even one;
 * - a shift by the width or more (or by a negative number) gives 0, or -1 for a negative number shifted right;
 * - `and`, `or`, `xor`, `not` work on the bits of integers, and on bool as logic;
 * - `select(condition, a, b)` computes both and takes a where the condition is true;
 * - an integer to a negative power is 1 / base^-power cut towards 0; `pow` of floats follows C (1 to any power is 1);
 * - a comparison with NaN is false, `ne` is true.
 */
import { type Category, type DType, dtypes, isHalf } from "../../storage/dtype.ts";
import { KernelError } from "./error.ts";

type DTypeRule = (fn: string, given: readonly DType[]) => DType;

export interface ScalarFunctionInfo {
  readonly arity: 1 | 2 | 3;
  /** The dtype of the result; refuses what the function is not defined on. */
  readonly dtypeOf: DTypeRule;
}

function check(fn: string, given: readonly DType[], categories: readonly Category[]): DType {
  const first = given[0];
  const differs = given.some((dtype) => dtype !== first);
  if (differs || isHalf(first) || !categories.includes(dtypes[first].category))
    throw new KernelError(
      `${fn}: takes ${categories.join(", ")} values of one dtype, got ${given.join(", ")}.` +
        (isHalf(first) ? " Cast to float32 first." : differs ? " Cast one of them first." : ""),
    );
  return first;
}

const same =
  (...categories: Category[]): DTypeRule =>
  (fn, given) =>
    check(fn, given, categories);

const truth =
  (...categories: Category[]): DTypeRule =>
  (fn, given) => {
    check(fn, given, categories);
    return "bool";
  };

const select: DTypeRule = (fn, [condition, a, b]) => {
  if (condition !== "bool") throw new KernelError(`${fn}: the condition is ${condition}, and must be bool.`);
  if (a !== b) throw new KernelError(`${fn}: chooses between ${a} and ${b}. Cast one of them first.`);
  return a;
};

const partOf: DTypeRule = (fn, given) => (check(fn, given, ["complex"]) === "complex64" ? "float32" : "float64");
const complexOf: DTypeRule = (fn, given) => (check(fn, given, ["float"]) === "float32" ? "complex64" : "complex128");

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
  /** Of a complex number: its length, a float. */
  abs: unary((fn, given) => (dtypes[given[0]].category === "complex" ? partOf(fn, given) : reals(fn, given))),
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
  select: { arity: 3, dtypeOf: select },
  real: unary(partOf),
  imag: unary(partOf),
  conj: unary(same("complex")),
  complex: binary(complexOf),
} as const satisfies Readonly<Record<string, ScalarFunctionInfo>>;

export type ScalarFunction = keyof typeof scalarFunctions;

export const isScalarFunction = (name: string): name is ScalarFunction => Object.hasOwn(scalarFunctions, name);
