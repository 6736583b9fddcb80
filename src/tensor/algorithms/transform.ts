/**
 * transform: a function of every element, in place or from one or two sources into a destination.
 *
 * Promises: destination(i) = f(a(i)) or f(a(i), b(i)) for every 1-D index i, called in the order of i, converted to
 * the destination's dtype, and as if all sources had been read before the first write.
 */
import type { IntegerForm } from "../../kernel/element.ts";
import type { DType, Value, ValueOf } from "../../storage/dtype.ts";
import { checkNoOverlap } from "../operand.ts";
import { Tensor } from "../tensor.ts";
import type { Shape } from "../types/types.ts";
import { checkDestination, checkFunction, checkSameSize, noteWrite } from "./destination.ts";
import { mapInOrder } from "./in-order.ts";

/** What a function of elements is given: int64 and uint64 as numbers, or as bigints where that is asked for. */
export type Given<D extends DType, F extends IntegerForm> = F extends "bigint"
  ? D extends "int64" | "uint64"
    ? bigint
    : ValueOf<D>
  : ValueOf<D>;

type Of<D extends DType> = Tensor<Shape, D>;

/** Replaces every element by f of it. */
export function transform<D extends DType, F extends IntegerForm = "number">(
  tensor: Of<D>,
  f: (value: Given<D, F>) => Value,
  form?: F,
): void;
/** Sets every element of the destination to f of the element of the source with the same 1-D index. */
export function transform<D extends DType, F extends IntegerForm = "number">(
  source: Of<D>,
  destination: Tensor,
  f: (value: Given<D, F>) => Value,
  form?: F,
): void;
/** The same for two sources. */
export function transform<A extends DType, B extends DType, F extends IntegerForm = "number">(
  a: Of<A>,
  b: Of<B>,
  destination: Tensor,
  f: (x: Given<A, F>, y: Given<B, F>) => Value,
  form?: F,
): void;
export function transform(first: Tensor, ...rest: readonly unknown[]): void {
  const tensors: Tensor[] = [first];
  while (rest[tensors.length - 1] instanceof Tensor) tensors.push(rest[tensors.length - 1] as Tensor);
  const f = rest[tensors.length - 1] as (...values: Value[]) => Value;
  const form = (rest[tensors.length] ?? "number") as IntegerForm;
  const destination = tensors[tensors.length - 1] as Tensor;
  const sources = tensors.length === 1 ? tensors : tensors.slice(0, -1);
  checkDestination(destination, "transform");
  for (const source of sources) checkSameSize("transform", source, destination);
  checkFunction(f, "transform");
  checkNoOverlap(destination, "transform");
  mapInOrder(destination, sources, f, form, "transform");
  noteWrite(destination);
}
