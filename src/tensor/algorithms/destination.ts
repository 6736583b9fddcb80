/**
 * Checks before an algorithm writes: the destination is writable, has as many elements as the source, and can hold them.
 * After the write, its version is incremented. A computed engine is writable if it has a `write`; it has no version.
 */

import { ShapeError, StridewiseError, WriteError } from "../../base/errors.ts";
import { rounder } from "../../kernel/element.ts";
import { formatLayout } from "../../layout/format.ts";
import { type DType, DTypeError, type Value } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { indexWriter } from "../elements.ts";
import { bumpVersion, checkTensor, checkWritable } from "../operand.ts";
import { computedEngine, describeBriefly, type Tensor } from "../tensor.ts";

/** Throws unless the destination is writable, whatever its engine. */
export function checkDestination(t: Tensor, who: string): void {
  checkTensor(who, t);
  const engine = computedEngine(t, who);
  if (engine === null) {
    checkWritable(t, who);
    return;
  }
  if (engine.write === undefined)
    throw new WriteError(
      `${who}: ${describeBriefly(t)} has a read-only ${engine.kind} engine. Write to a tensor with memory`,
    );
  if (t.ownership === "const")
    throw new WriteError(`${who}: ${describeBriefly(t)} is a const view and not writable. Write to a copy: clone()`);
}

/** Throws unless two tensors have the same size: elements correspond by their 1-D index. */
export function checkSameSize(who: string, source: Tensor, destination: Tensor): void {
  checkTensor(who, source);
  if (source.size === destination.size) return;
  throw new ShapeError(
    `${who}: sizes differ, the source ${formatLayout(source.layout)} has ${source.size} elements and the destination ${formatLayout(destination.layout)} has ${destination.size}. ` +
      `Elements correspond by 1-D index; slice or tile the larger one first`,
  );
}

/** Throws if the destination stores numbers and the elements of the source are not numbers. */
export function checkElements(who: string, source: Tensor, destination: Tensor): void {
  if (source.type !== null || destination.type === null) return;
  throw new DTypeError(
    `${who}: the source has elements of type ${computedEngine(source, who)?.valueType ?? "coord"}, but the destination is ${destination.type}, which holds numbers`,
  );
}

/** Returns the dtype of a tensor; throws if its elements are not numbers. */
export function numberType(t: Tensor, who: string): DType {
  if (t.type !== null) return t.type;
  throw new DTypeError(
    `${who}: ${describeBriefly(t)} has elements of type ${computedEngine(t, who)?.valueType ?? "coord"}, not numbers`,
  );
}

/**
 * Returns the function that converts values to elements of a computed engine: rounded to its dtype, 64-bit integers as numbers if these
 * are exact and as bigints otherwise. Without a dtype, values are passed unchanged.
 */
export function converter(dtype: DType | null): (value: Value) => Value {
  if (dtype === null) return (value) => value;
  const rounded = rounder(dtype);
  return (value) => {
    const element = rounded(value);
    return typeof element === "bigint" && Number.isSafeInteger(Number(element)) ? Number(element) : element;
  };
}

/** Returns a function that writes elements by 1-D index, converted to the dtype of the tensor, whatever its engine. */
export function elementWriter(t: Tensor, who: string): (index: number, value: Value) => void {
  const write = indexWriter(t, who);
  if (t.type === null || computedEngine(t, who) === null) return write;
  const convert = converter(t.type);
  return (index, value) => write(index, convert(value));
}

/** Throws unless `f` is a function. */
export function checkFunction(f: unknown, who: string): void {
  if (typeof f !== "function")
    throw new StridewiseError(`${who}: needs a function of the elements, got ${describeArgument(f)}`);
}

/** Formats a wrong argument for an error. */
export const describeArgument = (value: unknown): string => (Array.isArray(value) ? "an array" : String(value));

/** Increments the version of the tensor. */
export function noteWrite(t: Tensor): void {
  if (t.source instanceof Storage) bumpVersion(t);
}
