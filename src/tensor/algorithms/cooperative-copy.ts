/**
 * cooperativeCopy: one thread's share of a copy that many threads do together.
 *
 * Promise: when every thread of 0 <= threadIndex < threadCount has made its call, each element was copied exactly once.
 * Neighbouring threads take neighbouring vectors of memory. Threads come before vectors: a vector shrinks until every thread
 * has one, if there are enough elements. Source and destination must not share memory, for the order of threads is open.
 */

import { IndexError, WriteError } from "../../base/errors.ts";
import { gcd } from "../../base/ints.ts";
import { indexReader } from "../elements.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { copyPath } from "./copy-path.ts";
import { elementWriter, noteWrite } from "./destination.ts";
import { mayDisturb } from "./in-order.ts";
import { moveVectors } from "./vectors.ts";

/** Copies the part of the source that belongs to one of `threadCount` threads. */
export function cooperativeCopy(threadCount: number, threadIndex: number, source: Tensor, destination: Tensor): void {
  const who = "cooperativeCopy";
  if (!Number.isInteger(threadCount) || threadCount < 1)
    throw new IndexError(`${who}: the number of threads is ${String(threadCount)} and must be an integer from 1 up`);
  if (!Number.isInteger(threadIndex) || threadIndex < 0 || threadIndex >= threadCount)
    throw new IndexError(
      `${who}: thread ${String(threadIndex)} does not exist, ${threadCount} threads have the numbers 0..${threadCount - 1}`,
    );
  const path = copyPath(source, destination, who);
  if (mayDisturb(destination, source, who))
    throw new WriteError(
      `${who}: source and destination share memory, and a thread may overwrite what another has still to read. Copy from a clone()`,
    );
  if (path.shape !== null && destination.size > 0) {
    const vector = sharedVector(path.vector, destination.size, threadCount);
    moveVectors(source, destination, path, vector, threadIndex, threadCount, who);
  } else {
    const isStored = computedEngine(destination, who) === null;
    const read = indexReader(source, who, isStored ? "bigint" : "number");
    const write = elementWriter(destination, who);
    for (let i = threadIndex; i < destination.size; i += threadCount) write(i, read(i));
  }
  noteWrite(destination);
}

/** The widest vector that leaves one for every thread. */
function sharedVector(vector: number, size: number, threads: number): number {
  if (size % threads === 0) return gcd(vector, size / threads);
  let shared = vector;
  while (shared > 1 && size / shared < threads) shared /= 2;
  return shared;
}
