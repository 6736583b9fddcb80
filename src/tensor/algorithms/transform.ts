/**
 * transform applies a function to every element, in-place or from one or two sources into a destination.
 *
 * Postconditions: destination(i) = f(a(i)) or f(a(i), b(i)) for every 1-D index i, called in the order of i, converted to
 * the destination's dtype, and as if all sources had been read before the first write.
 *
 * fill and clear set every element to one value, on any writable engine.
 *
 * Postcondition: tensor(i) = value for every i. Elements may share an address. Throws if the dtype cannot hold the value.
 *
 * forEach calls a function with every element and its 1-D index, in the order of indices (the first mode varies fastest).
 * It works on every engine; coordinates are passed as tuples.
 */
import { exactValue } from "../../kernel/checked-value.ts";
import type { IntegerForm } from "../../kernel/element.ts";
import { type DType, DTypeError, type Value, type ValueOf } from "../../storage/dtype.ts";
import { fillUnchecked } from "../in-place.ts";
import { checkNoSelfOverlap, checkTensor } from "../operand.ts";
import { computedEngine, describeBriefly, Tensor } from "../tensor.ts";
import type { Shape } from "../types/types.ts";
import { checkDestination, checkFunction, checkSameSize, converter, noteWrite } from "./destination.ts";
import { mapInOrder, visitInOrder } from "./in-order.ts";

/** The type of elements passed to a function: int64 and uint64 are numbers, or bigints with the form "bigint". */
export type CallbackValue<D extends DType, F extends IntegerForm> = F extends "bigint"
  ? D extends "int64" | "uint64"
    ? bigint
    : ValueOf<D>
  : ValueOf<D>;

type Of<D extends DType> = Tensor<Shape, D>;

/** Replaces every element x by f(x). */
export function transform<D extends DType, F extends IntegerForm = "number">(
  tensor: Of<D>,
  f: (value: CallbackValue<D, F>) => Value,
  form?: F,
): void;
/** Sets every element of the destination to f of the element of the source with the same 1-D index. */
export function transform<D extends DType, F extends IntegerForm = "number">(
  source: Of<D>,
  destination: Tensor,
  f: (value: CallbackValue<D, F>) => Value,
  form?: F,
): void;
/** Sets every element of the destination to f of the elements of two sources with the same 1-D index. */
export function transform<A extends DType, B extends DType, F extends IntegerForm = "number">(
  a: Of<A>,
  b: Of<B>,
  destination: Tensor,
  f: (x: CallbackValue<A, F>, y: CallbackValue<B, F>) => Value,
  form?: F,
): void;
export function transform(first: Tensor, ...rest: readonly unknown[]): void {
  const tensors: Tensor[] = [first];
  while (rest[tensors.length - 1] instanceof Tensor) tensors.push(rest[tensors.length - 1] as Tensor);
  const f = rest[tensors.length - 1] as (...values: Value[]) => Value;
  const form = (rest[tensors.length] ?? "number") as IntegerForm;
  const destination = tensors[tensors.length - 1];
  const sources = tensors.length === 1 ? tensors : tensors.slice(0, -1);
  checkDestination(destination, "transform");
  for (const source of sources) checkSameSize("transform", source, destination);
  checkFunction(f, "transform");
  checkNoSelfOverlap(destination, "transform");
  mapInOrder(destination, sources, f, form, "transform");
  noteWrite(destination);
}

/** Sets every element to one value. */
export function fill(tensor: Tensor, value: Value): void {
  fillAs(tensor, value, "fill");
}

/** Sets every element to 0. */
export function clear(tensor: Tensor): void {
  checkTensor("clear", tensor);
  if (tensor.type === null)
    throw new DTypeError(
      `clear: the elements of ${describeBriefly(tensor)} are of type ${computedEngine(tensor, "clear")?.valueType ?? "coord"}, which has no 0; use fill(tensor, value)`,
    );
  fillAs(tensor, 0, "clear");
}

function fillAs(tensor: Tensor, value: Value, who: string): void {
  checkDestination(tensor, who);
  const checked = tensor.type === null ? value : exactValue(who, value, tensor.type);
  const stored = computedEngine(tensor, who) === null ? checked : converter(tensor.type)(checked);
  if (tensor.size > 0) fillUnchecked(tensor, stored, who);
  noteWrite(tensor);
}

/** Calls f with every element and its 1-D index; int64 and uint64 are passed in the form `form`. */
export function forEach<D extends DType, F extends IntegerForm = "number">(
  tensor: Tensor<Shape, D>,
  f: (value: CallbackValue<D, F>, index: number) => void,
  form?: F,
): void;
export function forEach(tensor: Tensor, f: (value: never, index: number) => void, form: IntegerForm = "number"): void {
  checkTensor("forEach", tensor);
  checkFunction(f, "forEach");
  visitInOrder(tensor, f as (value: unknown, index: number) => void, form, "forEach");
}
