/**
 * What every algorithm asks before it writes: that the destination may be written, that it has as many elements as the
 * source, that it can hold them. And what it does afterwards: the version goes up by one.
 * Computed engines count as writable when they have a `write`; they have no version.
 */

import { ShapeError, StridewiseError, WriteError } from "../../base/errors.ts";
import { rounder } from "../../kernel/element.ts";
import { formatLayout } from "../../layout/format.ts";
import { type DType, DTypeError, type Value } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { indexWriter } from "../elements.ts";
import { bumpVersion, checkTensor, checkWritable } from "../operand.ts";
import { computedEngine, describeBriefly, type Tensor } from "../tensor.ts";

/** Refuses a destination that may not be written, whatever its engine is. */
export function checkDestination(t: Tensor, who: string): void {
  checkTensor(who, t);
  const engine = computedEngine(t, who);
  if (engine === null) {
    checkWritable(t, who);
    return;
  }
  if (engine.write === undefined)
    throw new WriteError(
      `${who}: ${describeBriefly(t)} has a ${engine.kind} engine, whose elements cannot be written. Write to a tensor with memory`,
    );
  if (t.ownership === "const")
    throw new WriteError(`${who}: ${describeBriefly(t)} is a const view and not writable. Write to a copy`);
}

/** Refuses two tensors of different sizes: elements correspond by their 1-D index. */
export function checkSameSize(who: string, source: Tensor, destination: Tensor): void {
  checkTensor(who, source);
  if (source.size === destination.size) return;
  throw new ShapeError(
    `${who}: sizes differ, the source ${formatLayout(source.layout)} has ${source.size} elements and the destination ${formatLayout(destination.layout)} has ${destination.size}. ` +
      `Elements correspond by 1-D index; slice or tile the larger one first`,
  );
}

/** Refuses to store elements that are no numbers where numbers are stored. */
export function checkElements(who: string, source: Tensor, destination: Tensor): void {
  if (source.type !== null || destination.type === null) return;
  throw new DTypeError(
    `${who}: the source has elements of the type ${computedEngine(source, who)?.valueType ?? "coord"} and the destination is ${destination.type}, which holds numbers only`,
  );
}

/** The dtype of a tensor of numbers, or an error that says what its elements are. */
export function numberType(t: Tensor, who: string): DType {
  if (t.type !== null) return t.type;
  throw new DTypeError(
    `${who}: ${describeBriefly(t)} has elements of the type ${computedEngine(t, who)?.valueType ?? "coord"}, and this needs numbers`,
  );
}

/**
 * The function that turns values into elements of a computed engine: rounded to its dtype, 64-bit integers as numbers where these
 * are exact and as bigints elsewhere. Engines of no dtype are given what comes.
 */
export function converter(dtype: DType | null): (value: Value) => Value {
  if (dtype === null) return (value) => value;
  const rounded = rounder(dtype);
  return (value) => {
    const element = rounded(value);
    return typeof element === "bigint" && Number.isSafeInteger(Number(element)) ? Number(element) : element;
  };
}

/** Writes elements by 1-D index, converted to the dtype of the tensor, whatever its engine is. */
export function elementWriter(t: Tensor, who: string): (index: number, value: Value) => void {
  const write = indexWriter(t, who);
  if (t.type === null || computedEngine(t, who) === null) return write;
  const convert = converter(t.type);
  return (index, value) => write(index, convert(value));
}

/** Refuses what cannot be called for each element. */
export function checkFunction(f: unknown, who: string): void {
  if (typeof f !== "function")
    throw new StridewiseError(`${who}: needs a function of the elements, got ${describeGiven(f)}`);
}

/** A value that was given for something else, in a word. */
export const describeGiven = (value: unknown): string => (Array.isArray(value) ? "an array" : String(value));

/** Notes one write to the tensor. */
export function noteWrite(t: Tensor): void {
  if (t.source instanceof Storage) bumpVersion(t);
}
