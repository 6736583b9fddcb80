/**
 * Short names for the primitive functions of scalar values, in which the elementary functions are written.
 * A number as operand is a constant of the other operand's dtype. Each function is one instruction on most machines.
 */
import type { DType } from "../../../storage/dtype.ts";
import type { ScalarFunction } from "../../ir/functions.ts";
import { bitcast, call, constantScalar, type Scalar } from "../../ir/scalar.ts";

/** A value, or a number that becomes a constant. */
type ScalarLike = Scalar | number | bigint;

export const constant = (dtype: DType, value: number | bigint): Scalar =>
  constantScalar(dtype, dtype === "float32" ? Math.fround(Number(value)) : value);

const like = (dtype: DType, value: ScalarLike): Scalar => (typeof value === "object" ? value : constant(dtype, value));

const dtypeOf = (a: ScalarLike, b: ScalarLike): DType => (typeof a === "object" ? a : (b as Scalar)).dtype;

const binary =
  (fn: ScalarFunction) =>
  (a: ScalarLike, b: ScalarLike): Scalar => {
    const dtype = dtypeOf(a, b);
    return call(fn, like(dtype, a), like(dtype, b));
  };

const unary =
  (fn: ScalarFunction) =>
  (a: Scalar): Scalar =>
    call(fn, a);

export const add = binary("add");
export const sub = binary("sub");
export const mul = binary("mul");
export const div = binary("div");
export const eq = binary("eq");
export const ne = binary("ne");
export const lt = binary("lt");
export const le = binary("le");
export const gt = binary("gt");
export const ge = binary("ge");
export const min = binary("min");
export const max = binary("max");
export const and = binary("and");
export const or = binary("or");
export const xor = binary("xor");
export const shiftLeft = binary("shiftLeft");
export const shiftRight = binary("shiftRight");
export const copysign = binary("copysign");
export const neg = unary("neg");
export const abs = unary("abs");
export const sqrt = unary("sqrt");
export const floor = unary("floor");

export function select(condition: Scalar, a: ScalarLike, b: ScalarLike): Scalar {
  const dtype = dtypeOf(a, b);
  return call("select", condition, like(dtype, a), like(dtype, b));
}

/** The smaller of x and a bound; x if either is NaN. */
export const atMost = (x: Scalar, bound: ScalarLike): Scalar => select(lt(bound, x), bound, x);

/** The larger of x and a bound; x if either is NaN. */
export const atLeast = (x: Scalar, bound: ScalarLike): Scalar => select(gt(bound, x), bound, x);

/** The bits of a float as an integer. */
export const bitsOf = (x: Scalar): Scalar => bitcast(x.dtype === "float32" ? "int32" : "int64", x);

/** The bits of a float64 as an integer that shifts zeros in. */
export const wordOf = (x: Scalar): Scalar => bitcast("uint64", x);

/** The float with these bits. */
export const floatOf = (bits: Scalar): Scalar => bitcast(bits.dtype.endsWith("64") ? "float64" : "float32", bits);

/** c0 + c1 x + c2 x^2 + ... by Horner's rule. */
export function polynomial(x: Scalar, coefficients: readonly number[]): Scalar {
  let sum: Scalar = constant(x.dtype, coefficients.at(-1) as number);
  for (let i = coefficients.length - 2; i >= 0; i--) sum = add(mul(sum, x), coefficients[i]);
  return sum;
}

/** The same in pairs, (c0 + c1 x) + x^2 ((c2 + c3 x) + x^2 (...)), which a processor computes in parallel. */
export function pairedPolynomial(x: Scalar, square: Scalar, coefficients: readonly number[]): Scalar {
  let sum: Scalar | undefined;
  for (let i = (coefficients.length - 1) & ~1; i >= 0; i -= 2) {
    const pair = polynomial(x, coefficients.slice(i, i + 2));
    sum = sum === undefined ? pair : add(mul(square, sum), pair);
  }
  return sum as Scalar;
}

/** The first 12 bits of a float32: the product of two such numbers is exact. */
export const firstHalf = (x: Scalar): Scalar => floatOf(and(bitsOf(x), -4096));

/** x where y is positive, -x where y is negative, by their sign bits. */
export const withSignOf = (x: Scalar, y: Scalar): Scalar =>
  floatOf(xor(bitsOf(x), and(bitsOf(y), constantScalar("int32", -0x80000000))));

/** The value of a logarithm: `inside` for 0 < x < infinity, and the special values outside. */
export function onPositive(x: Scalar, inside: Scalar): Scalar {
  const outside = select(eq(x, 0), -Infinity, constant(x.dtype, NaN));
  return select(gt(x, 0), select(lt(x, Infinity), inside, x), outside);
}
