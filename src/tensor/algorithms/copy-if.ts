/**
 * copyIf: element i of the source to element i of the destination wherever the predicate holds; the answer to ragged tiles.
 *
 * Promise: destination(i) = source(i) for every index i with predicate(i); where it does not hold nothing is read and
 * nothing is written, so layouts may reach past the memory there.
 */
import { checkNoOverlap } from "../operand.ts";
import { computedEngine, Tensor } from "../tensor.ts";
import { arithmeticKernel, runWhere } from "./arithmetic-kernels.ts";
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
  if (predicate instanceof Tensor && onKernel(predicate, source, destination, who)) {
    noteWrite(destination);
    return;
  }
  const holds = predicateOf(predicate, destination, who);
  const write = elementWriter(destination, who);
  const isStored = computedEngine(destination, who) === null;
  visitWhere(holds, source, destination, who, isStored ? "bigint" : "number", write);
  noteWrite(destination);
}

function onKernel(predicate: Tensor, source: Tensor, destination: Tensor, who: string): boolean {
  if (source.type === null || destination.type === null || predicate.type === null) return false;
  const kernel = arithmeticKernel("copy", "real", destination.type, [source.type], 0, predicate.type);
  return destination.size > 0 && runWhere(kernel, destination, [source], predicate, [], who);
}
