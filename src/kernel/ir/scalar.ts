/**
 * Scalar values of a kernel: the computation for one element.
 * They are plain readonly data and form a directed graph: a value that is used twice is one object, and is computed once. Every node has a
 * dtype, and the makers check those of operands, so every value is well typed. Arithmetic is not defined on float16 and bfloat16, which are
 * cast to float32 after a load and back before a store. `functions.ts` defines the functions.
 */
import type { Expr } from "../../expr/expr.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { KernelError } from "./error.ts";
import { type ScalarFunction, scalarFunctions } from "./functions.ts";

export type Scalar =
  | ConstantScalar
  | ParameterScalar
  | LoadScalar
  | IndexScalar
  | NamedScalar
  | CallScalar
  | CastScalar;

/** A constant of the kernel. */
export interface ConstantScalar {
  readonly kind: "constant";
  readonly dtype: DType;
  readonly value: Value;
}

/** An argument of the call. */
export interface ParameterScalar {
  readonly kind: "parameter";
  readonly dtype: DType;
  readonly name: string;
}

/** An element of a buffer, `index` elements from its start. With a mask, memory is accessed only where the mask is true. */
export interface LoadScalar {
  readonly kind: "load";
  readonly dtype: DType;
  readonly buffer: string;
  readonly index: Expr;
  readonly mask?: Scalar;
  /** The value where the mask is false. */
  readonly otherwise?: Scalar;
}

/** An integer expression as a value. */
export interface IndexScalar {
  readonly kind: "index";
  readonly dtype: DType;
  readonly value: Expr;
}

/** The value of a `let` or of an accumulator. */
export interface NamedScalar {
  readonly kind: "named";
  readonly dtype: DType;
  readonly name: string;
}

export interface CallScalar {
  readonly kind: "call";
  readonly dtype: DType;
  readonly fn: ScalarFunction;
  readonly args: readonly Scalar[];
}

/** A value as a different dtype; "bits" keeps the bits and requires equal sizes. */
export interface CastScalar {
  readonly kind: "cast";
  readonly dtype: DType;
  readonly how: "value" | "bits";
  readonly of: Scalar;
}

export const constantScalar = (dtype: DType, value: Value): Scalar => ({ kind: "constant", dtype, value });
export const parameterScalar = (dtype: DType, name: string): Scalar => ({ kind: "parameter", dtype, name });
export const indexScalar = (dtype: DType, value: Expr): Scalar => ({ kind: "index", dtype, value });
export const namedScalar = (dtype: DType, name: string): Scalar => ({ kind: "named", dtype, name });

export function loadScalar(dtype: DType, buffer: string, index: Expr, mask?: Scalar, otherwise?: Scalar): Scalar {
  if (mask === undefined) return { kind: "load", dtype, buffer, index };
  if (mask.dtype !== "bool") throw new KernelError(`load of ${buffer}: the mask must be bool, got ${mask.dtype}.`);
  const other = otherwise ?? constantScalar(dtype, 0);
  if (other.dtype !== dtype)
    throw new KernelError(`load of ${buffer}: the value where the mask is false must be ${dtype}, got ${other.dtype}.`);
  return { kind: "load", dtype, buffer, index, mask, otherwise: other };
}

/** Returns fn(...args); throws if the function is not defined on these dtypes. */
export function call(fn: ScalarFunction, ...args: readonly Scalar[]): Scalar {
  const { dtypeOf, arity } = scalarFunctions[fn];
  if (args.length !== arity) throw new KernelError(`${fn}: takes ${arity} values, got ${args.length}.`);
  return {
    kind: "call",
    dtype: dtypeOf(
      fn,
      args.map((arg) => arg.dtype),
    ),
    fn,
    args,
  };
}

/** Returns the value as a different dtype: fractions are truncated, integers wrap, NaN and infinity become the integer 0. */
export function cast(dtype: DType, of: Scalar): Scalar {
  return of.dtype === dtype ? of : { kind: "cast", dtype, how: "value", of };
}

/** Returns the same bits as a different dtype of the same size. */
export function bitcast(dtype: DType, of: Scalar): Scalar {
  if (of.dtype === dtype) return of;
  if (dtypes[dtype].itemsize !== dtypes[of.dtype].itemsize)
    throw new KernelError(`bitcast: ${of.dtype} and ${dtype} have different sizes.`);
  return { kind: "cast", dtype, how: "bits", of };
}
