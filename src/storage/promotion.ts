/**
 * Type promotion, as in PyTorch, and the default dtype.
 * Operands are in three buckets: tensors with axes, 0-d tensors, plain numbers. A lower bucket matters only if
 * its category is higher (bool < integer < float < complex). Float numbers count as the default dtype.
 * One difference: there is no complex32, so float16 and a complex number promote to complex64.
 */

import { foreign } from "../base/foreign.ts";
import { epoch, runtime } from "../base/runtime.ts";
import type { Checked } from "../layout/types/faults.ts";
import type { DefaultDType, DefaultFault } from "./default-dtype.ts";
import {
  checkDType,
  complexDType,
  type DType,
  DTypeError,
  dtypeOfArray,
  dtypes,
  isComplex,
  isFloatDType,
} from "./dtype.ts";

/** The kind of an operand: a tensor with axes, a 0-d tensor, or a plain number. */
export type Bucket = "tensor" | "zeroDim" | "number";

/** The properties of an operand that promotion uses. */
export interface TypedOperand {
  readonly dtype: DType;
  readonly bucket: Bucket;
}

/** The defaults of this process. */
const defaults: { dtype: DType } = /* @__PURE__ */ runtime.own("storage/promotion", { dtype: "float32" });

/** Returns the dtype of plain numbers, float32 by default. */
export function getDefaultDType(): DefaultDType {
  return defaults.dtype as DefaultDType;
}

/** Returns the dtype of plain complex numbers: complex128 if the default dtype is float64, else complex64. */
export function getDefaultComplexDType(): DType {
  return complexDType(defaults.dtype);
}

/** Sets the dtype of plain numbers. The compiler accepts float32, or the dtype that the program declares in `DefaultTypes`. */
export function setDefaultDType<const D extends DType>(dtype: Checked<D, DefaultFault<D>>): void {
  const checked = checkDType("setDefaultDType", dtype);
  if (!isFloatDType(checked))
    throw new DTypeError(`setDefaultDType: the default must be a floating-point dtype, got ${checked}`);
  defaults.dtype = checked;
  epoch.now++;
}

const isWideUnsigned = (dtype: DType): boolean => dtype === "uint16" || dtype === "uint32" || dtype === "uint64";

/** Returns the smallest dtype that both promote to; throws for uint16, uint32 or uint64 with other integers. */
export function promoteTypes(a: DType, b: DType): DType {
  if (a === b) return a;
  const { category: ofA, itemsize: sizeOfA } = dtypes[checkDType("promoteTypes", a)];
  const { category: ofB, itemsize: sizeOfB } = dtypes[checkDType("promoteTypes", b)];
  if (isWideUnsigned(a) || isWideUnsigned(b)) {
    if (ofA === "float") return a;
    if (ofB === "float") return b;
    throw new DTypeError(`promoteTypes: there is no common dtype of ${a} and ${b}. Convert one first.`);
  }
  if (ofA === "complex" || ofB === "complex") {
    const isDouble = a === "complex128" || b === "complex128" || a === "float64" || b === "float64";
    return isDouble ? "complex128" : "complex64";
  }
  if (ofA === "float" && ofB === "float") return a === "float64" || b === "float64" ? "float64" : "float32";
  if (ofA === "float") return a;
  if (ofB === "float") return b;
  if (a === "bool") return b;
  if (b === "bool") return a;
  // Of the remaining integers only uint8 and int8 have the same size, and int16 holds both.
  if (sizeOfA === sizeOfB) return "int16";
  return sizeOfA > sizeOfB ? a : b;
}

/** True if and only if a result of dtype `from` may be stored in `to` in place: never in a lower category. */
export function canCast(from: DType, to: DType): boolean {
  const source = dtypes[checkDType("canCast", from)].category;
  const target = dtypes[checkDType("canCast", to)].category;
  if (source === "complex") return target === "complex";
  if (source === "float") return target === "float" || target === "complex";
  return source === "bool" || target !== "bool";
}

/** Throws if an output of dtype `to` cannot hold results of dtype `from`. */
export function checkCast(who: string, from: DType, to: DType, remedy = "Omit out"): void {
  if (canCast(from, to)) return;
  throw new DTypeError(`${who}: a ${from} result cannot be cast to the output dtype ${to}. ${remedy}`);
}

/** Returns the dtype of an operation on these operands. */
export function resultType(...operands: readonly TypedOperand[]): DType {
  let tensors: DType | undefined;
  let zeroDims: DType | undefined;
  let numbers: DType | undefined;
  for (let i = 0; i < operands.length; i++) {
    const { dtype, bucket } = operands[i];
    if (bucket === "tensor") tensors = promoteKnown(tensors, dtype);
    else if (bucket === "zeroDim") zeroDims = promoteKnown(zeroDims, dtype);
    else numbers = promoteKnown(numbers, numberType(dtype));
  }
  const result = combine(tensors, combine(zeroDims, numbers));
  if (result !== undefined) return result;
  throw new DTypeError("resultType: at least one operand is needed, got none.");
}

function numberType(dtype: DType): DType {
  const { category } = dtypes[dtype];
  return category === "float" ? defaults.dtype : category === "complex" ? getDefaultComplexDType() : dtype;
}

function promoteKnown(a: DType | undefined, b: DType | undefined): DType | undefined {
  return a === undefined ? b : b === undefined ? a : promoteTypes(a, b);
}

/** The dtype of a higher bucket, promoted by a lower one only if that has a higher category. */
function combine(higher: DType | undefined, lower: DType | undefined): DType | undefined {
  if (higher === undefined || lower === undefined) return higher ?? lower;
  const { category } = dtypes[higher];
  const below = dtypes[lower].category;
  if (category === "complex") return higher;
  if (category === "float") {
    if (below !== "complex") return higher;
    return complexDType(higher);
  }
  const isHigher = below === "float" || below === "complex";
  return category === "bool" || isHigher ? promoteTypes(higher, lower) : higher;
}

/**
 * The dtype of nested data: numbers have the default dtype, booleans bool, bigints int64, complex numbers the default complex
 * dtype, typed arrays their own; mixed data promote. A number's value never matters. Empty data have the default dtype.
 */
export function inferDType(values: unknown, who = "tensor"): DType {
  return inferNested(values, who, undefined) ?? defaults.dtype;
}

function inferNested(value: unknown, who: string, known: DType | undefined): DType | undefined {
  switch (typeof value) {
    case "number":
      return known === defaults.dtype ? known : promoteKnown(known, defaults.dtype);
    case "boolean":
      return known ?? "bool";
    case "bigint":
      return promoteKnown(known, "int64");
  }
  if (Array.isArray(value)) {
    let joined = known;
    for (let i = 0; i < value.length; i++) joined = inferNested(value[i], who, joined);
    return joined;
  }
  const ofArray = dtypeOfArray(value);
  if (ofArray !== undefined) return promoteKnown(known, ofArray);
  if (isComplex(value)) return promoteKnown(known, getDefaultComplexDType());
  const isIterable = typeof value === "object" && value !== null && Symbol.iterator in value;
  const got =
    value instanceof Promise
      ? "a promise; await it"
      : foreign(value) || (isIterable ? "an iterable. Spread it: [...values]" : value && typeof value);
  throw new DTypeError(
    `${who}: an element must be a number, bigint, boolean or { re, im }, got ${typeof value === "string" ? `"${value}"` : got}.`,
  );
}
