/**
 * The functions of formulas: the scalar functions of kernels, a conversion to each dtype, and composite functions, which are formulas over
 * those. A new function is one line in this table. `apply.ts` has the dtype rules of the scalar functions.
 */
import { isScalarFunction, type ScalarFunction, scalarFunctions } from "../../kernel/ir/functions.ts";
import { type DType, dtypeNames, isDType } from "../../storage/dtype.ts";
import { geluSingle, geluText, ndtrSingle, ndtrText } from "./normal.ts";

export interface CompositeFunction {
  /** The names of its parameters: "a, b". */
  readonly parameters: string;
  readonly body: string;
  /** True if integers are first converted to the default float. */
  readonly isFloat: boolean;
  /** The body for complex numbers. */
  readonly complex: string;
  /** The body for values that are computed in float32. */
  readonly single: string;
}

const define = (
  parameters: string,
  body: string,
  complex = body,
  isFloat = false,
  single = body,
): CompositeFunction => ({
  parameters,
  body,
  isFloat,
  complex,
  single,
});
const onFloats = (body: string, complex = body, single = body): CompositeFunction =>
  define("x", body, complex, true, single);

export const composites = {
  where: define("c, a, b", "c ? a : b"),
  clamp: define("x, lo, hi", "min(max(x, lo), hi)"),
  relu: define("x", "max(x, 0)"),
  square: define("x", "x * x"),
  mod: define("a, b", "a % b"),
  lerp: define("a, b, w", "a + w * (b - a)"),
  /** -1, 0 or 1 in the dtype of x; 0 where x is NaN. */
  sign: define("x", "like(x > 0 ? 1 : x < 0 ? -1 : 0, x)"),
  angle: define("z", "atan2(imag(z), real(z))"),
  reciprocal: define("x", "1 / x"),
  rsqrt: define("x", "1 / sqrt(x)"),
  // By exp(-|x|), which does not overflow, so that results reach the smallest numbers.
  sigmoid: onFloats("let e = exp(-abs(x)); (x < 0 ? e : 1) / (1 + e)", "1 / (1 + exp(-x))"),
  silu: onFloats("let e = exp(-abs(x)); (x < 0 ? x * e : x) / (1 + e)", "x / (1 + exp(-x))"),
  gelu: onFloats(geluText, geluText, geluSingle),
  /** The normal distribution function. */
  ndtr: onFloats(ndtrText, ndtrText, ndtrSingle),
  softplus: onFloats("max(x, 0) + log1p(exp(-abs(x)))"),
  isnan: onFloats("x != x"),
  /** The absolute value of a finite complex number may overflow, so it is not sufficient. */
  isinf: onFloats("(abs(x) == inf) & (x * 0 != 0)"),
  isfinite: onFloats("x * 0 == 0"),
} as const satisfies Readonly<Record<string, CompositeFunction>>;

export type FormulaFunction = ScalarFunction | keyof typeof composites | DType | "like";

/** The number of arguments of a function. */
interface Arity {
  readonly min: number;
  readonly max: number;
}

/** Returns the number of arguments of a function, or undefined if there is no such function. */
export function arityOf(name: string): Arity | undefined {
  if (name === "min" || name === "max") return { min: 2, max: Infinity };
  let count: number | undefined;
  if (isScalarFunction(name)) count = scalarFunctions[name].arity;
  else if (isDType(name)) count = 1;
  else if (name === "like") count = 2;
  else count = compositeOf(name)?.parameters.split(", ").length;
  return count === undefined ? undefined : { min: count, max: count };
}

const compositesByName: Readonly<Record<string, CompositeFunction>> = composites;

export const compositeOf = (name: string): CompositeFunction | undefined =>
  Object.hasOwn(composites, name) ? compositesByName[name] : undefined;

/** Returns the names of all functions. */
export const functionNames = (): string[] => [
  ...Object.keys(scalarFunctions),
  ...Object.keys(composites),
  ...dtypeNames,
  "like",
];
