/**
 * copyIf: element i of the source to element i of the destination wherever the predicate holds; the answer to ragged tiles.
 *
 * Promise: destination(i) = source(i) for every index i with predicate(i); where it does not hold nothing is read and
 * nothing is written, so layouts may reach past the memory there.
 */
import { checkNoOverlap } from "../operand.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { checkDestination, checkElements, checkSameSize, elementWriter, noteWrite } from "./destination.ts";
import { visitWhere } from "./in-order.ts";
import { type Predicate, predicateOf } from "./predicate.ts";

export type { Predicate } from "./predicate.ts";

/** Copies the elements for which the predicate holds. */
export function copyIf(predicate: Predicate, source: Tensor, destination: Tensor): void {
  const who = "copyIf";
  checkDestination(destination, who);
  checkSameSize(who, source, destination);
  checkElements(who, source, destination);
  checkNoOverlap(destination, who);
  const holds = predicateOf(predicate, destination, who);
  const write = elementWriter(destination, who);
  const isStored = computedEngine(destination, who) === null;
  visitWhere(holds, source, destination, who, isStored ? "bigint" : "number", write);
  noteWrite(destination);
}
