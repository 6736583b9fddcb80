/**
 * copyIf: element i of the source to element i of the destination wherever the predicate holds; the answer to ragged tiles.
 *
 * Promise: destination(i) = source(i) for every index i with predicate(i); where it does not hold nothing is read and
 * nothing is written, so layouts may reach past the memory there.
 */
import { indexWriter } from "../elements.ts";
import { checkNoOverlap } from "../operand.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { checkDestination, checkElements, checkSameSize, noteWrite } from "./destination.ts";
import { readerWhere } from "./in-order.ts";
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
  const write = indexWriter(destination, who);
  const isStored = computedEngine(destination, who) === null;
  const read = readerWhere(holds, source, destination, who, isStored ? "bigint" : "number");
  for (let i = 0; i < destination.size; i++) if (holds(i)) write(i, read(i));
  noteWrite(destination);
}
