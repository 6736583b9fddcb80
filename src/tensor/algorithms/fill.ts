/**
 * fill and clear: one value everywhere, on any engine that can be written.
 *
 * Promise: tensor(i) = value for every i. Elements that share a place are no matter. A value that the dtype cannot hold is
 * refused, as when a tensor is made from it.
 */

import { exactValue } from "../../kernel/checked-value.ts";
import { DTypeError, type Value } from "../../storage/dtype.ts";
import { fillUnchecked } from "../in-place.ts";
import { checkTensor } from "../operand.ts";
import { computedEngine, describeBriefly, type Tensor } from "../tensor.ts";
import { checkDestination, converter, noteWrite } from "./destination.ts";

/** Sets every element to one value. */
export function fill(tensor: Tensor, value: Value): void {
  fillAs(tensor, value, "fill");
}

/** Sets every element to 0. */
export function clear(tensor: Tensor): void {
  checkTensor("clear", tensor);
  if (tensor.type === null)
    throw new DTypeError(
      `clear: the elements of ${describeBriefly(tensor)} are of the type ${computedEngine(tensor, "clear")?.valueType ?? "coord"}, which has no 0 here; use fill(tensor, value)`,
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
