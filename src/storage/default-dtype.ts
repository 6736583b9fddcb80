/**
 * The default dtype in the type checker. It types creation functions without a `dtype`, and `setDefaultDType` accepts only the declared
 * dtype, so that types are right. A program that sets another default declares it once. There is no run-time code.
 */
import type { DType } from "./dtype.ts";

/**
 * Declares another default dtype to the type checker, by declaration merging:
 * `declare module "stridewise" { interface DefaultTypes { dtype: "float64" } }`.
 * A program that sets more than one declares their union.
 */
// biome-ignore lint/suspicious/noEmptyInterface: users add to it
export interface DefaultTypes {}

/** The dtype of plain numbers: float32, or the one that `DefaultTypes` declares. */
export type DefaultDType = DefaultTypes extends { readonly dtype: infer D extends DType } ? D : "float32";

/** The dtype of plain complex numbers. */
export type DefaultComplexDType = ComplexFor<DefaultDType>;
type ComplexFor<D> = D extends "float64" ? "complex128" : "complex64";

/** undefined, or the error message for a default dtype that is not declared. */
export type DefaultFault<D> = [D] extends [DefaultDType]
  ? undefined
  : D extends "float16" | "bfloat16" | "float32" | "float64"
    ? DeclareFirst<D>
    : "setDefaultDType: the default must be a floating-point dtype";
type DeclareFirst<D extends DType> =
  `setDefaultDType: declare it first, so that types are right: declare module "stridewise" { interface DefaultTypes { dtype: "${D}" } }`;
