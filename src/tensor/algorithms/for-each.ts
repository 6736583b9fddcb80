/**
 * forEach: shows every element with its 1-D index, in the order of indices (the first mode varies fastest).
 * Works on every engine; elements that are coordinates are given as tuples.
 */
import type { IntegerForm } from "../../kernel/element.ts";
import type { DType } from "../../storage/dtype.ts";
import { checkTensor } from "../operand.ts";
import type { Tensor } from "../tensor.ts";
import type { Shape } from "../types/types.ts";
import { checkFunction } from "./destination.ts";
import { visitInOrder } from "./in-order.ts";
import type { Given } from "./transform.ts";

/** Calls f for every element; int64 and uint64 are given as `form` says. */
export function forEach<D extends DType, F extends IntegerForm = "number">(
  tensor: Tensor<Shape, D>,
  f: (value: Given<D, F>, index: number) => void,
  form?: F,
): void;
export function forEach(tensor: Tensor, f: (value: never, index: number) => void, form: IntegerForm = "number"): void {
  checkTensor("forEach", tensor);
  checkFunction(f, "forEach");
  visitInOrder(tensor, f as (value: unknown, index: number) => void, form, "forEach");
}
