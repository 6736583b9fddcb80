/**
 * Fusion: the elements that a map computes are computed where they are used, so that they are not written to memory and read again. A map is
 * fused into maps, reductions and row kernels that read its result; a map over the result of a row kernel becomes part of that kernel. This file
 * decides which tasks are fused; the other files combine two calls of kernels.
 */

import type { ElementStorage } from "../../kernel/operand.ts";
import type { MapWork } from "../../kernel/program/builder.ts";
import { nodesOf, storagesOf, type Task } from "../lower/tasks.ts";
import { fuseCopyInto, fuseCopyOfResult, fuseMapEpilogue } from "./fuse-contract.ts";
import { fuseInto } from "./fuse-into.ts";
import { fusePieces } from "./fuse-pieces.ts";
import { fuseRowEpilogue } from "./fuse-row-epilogue.ts";
import { fuseAllSiblings } from "./fuse-siblings.ts";
import { mayShareBytes, overwrites } from "./overlap.ts";
import { functionsOf } from "./spec-values.ts";

/** The largest number of functions of a map that is computed again for each of its users. */
const maxRepeated = 4;

/** Returns the tasks with maps fused into their users. `kept` are storages that are read after the tasks. */
export function fuse(tasks: readonly Task[], kept: ReadonlySet<ElementStorage>): Task[] {
  const list: (Task | null)[] = tasks.slice();
  for (let at = 0; at < list.length; at++) {
    const task = list[at];
    if (task === null || task === undefined || task.kind === "other") continue;
    if (task.kind === "map") {
      fuseForward(list, at, task, kept);
      if (list[at] === task) fuseOverwritten(list, at, task);
    } else if (task.kind === "rows") fuseBehind(list, at, task, kept);
  }
  fuseAllSiblings(list);
  // From here on, maps over products do not grow.
  for (let at = 0; at < list.length; at++) {
    const task = list[at];
    if (task?.kind === "contract" || task?.kind === "reduce" || (task?.kind === "other" && task.pieces !== undefined))
      fuseBehind(list, at, task, kept);
  }
  return list.filter((task) => task !== null);
}

/** The tasks after one that use a storage, up to one that overwrites it without reading it. */
function usersOf(
  list: readonly (Task | null)[],
  at: number,
  storage: ElementStorage,
): { readonly readers: number[]; readonly isWrittenAgain: boolean } {
  const readers: number[] = [];
  for (let k = at + 1; k < list.length; k++) {
    const task = list[k];
    if (task === null || task === undefined) continue;
    const { reads, writes } = storagesOf(task);
    if (reads.includes(storage)) readers.push(k);
    if (writes.includes(storage)) return { readers, isWrittenAgain: true };
  }
  return { readers, isWrittenAgain: false };
}

/** True if tasks between two others, or the second one itself, write to a storage that the first one reads. */
function isDisturbed(
  list: readonly (Task | null)[],
  from: number,
  to: number,
  storages: readonly ElementStorage[],
): boolean {
  for (let k = from + 1; k <= to; k++) {
    const task = list[k];
    if (task === null || task === undefined) continue;
    if (storagesOf(task).writes.some((storage) => storages.some((other) => mayShareBytes(storage, other)))) return true;
  }
  return false;
}

/** Fuses a map into all tasks that read its result, if it can be fused into each of them. */
function fuseForward(list: (Task | null)[], at: number, task: MapWork, kept: ReadonlySet<ElementStorage>): void {
  const { outputs, inputs } = task.operands;
  const { spec } = task.kernel;
  if (outputs.length !== 1 || spec.isMasked === true || outputs[0].storage.isScratch !== true) return;
  const { storage } = outputs[0];
  // A map that updates its result in place reads the value before.
  if (kept.has(storage) || inputs.some((input) => input.storage === storage) || isWrittenBefore(list, at, storage))
    return;
  const { readers, isWrittenAgain } = usersOf(list, at, storage);
  if (readers.length === 0 || isWrittenAgain) return;
  if (readers.length > 1 && functionsOf(task) > maxRepeated) return;
  // Maps that repeat it may become one kernel after the product.
  const areMaps = readers.every((k) => list[k]?.kind === "map");
  if (readers.length > 1 && !areMaps && mayFollowProduct(list, at, task)) return;
  const sources = inputs.map((input) => input.storage);
  const fused: Task[] = [];
  for (const k of readers) {
    const reader = list[k] as Task;
    if (reader.kind === "other" || isDisturbed(list, at, k, sources)) return;
    const result = reader.kind === "contract" ? fuseCopyInto(task, reader) : fuseInto(task, reader);
    if (result === null) return;
    fused.push({ ...result, nodes: nodesOf(task, reader) });
  }
  for (const [k, reader] of readers.entries()) list[reader] = fused[k];
  list[at] = null;
}

/** Fuses a map into the next one that reads its result and writes to the same memory, as in-place ops do. */
function fuseOverwritten(list: (Task | null)[], at: number, task: MapWork): void {
  const { outputs, inputs } = task.operands;
  const { spec } = task.kernel;
  if (outputs.length !== 1 || spec.isMasked === true) return;
  const [{ storage }] = outputs;
  const isTouched = (other: Task): boolean => {
    const { reads, writes } = storagesOf(other);
    return [...reads, ...writes].some((each) => mayShareBytes(each, storage));
  };
  const to = list.findIndex((other, k) => k > at && other !== null && isTouched(other));
  const reader = list[to];
  if (reader?.kind !== "map" || reader.kernel.spec.isMasked === true || !overwrites(task, reader)) return;
  const sources = inputs.map((input) => input.storage).filter((each) => each !== storage);
  if (isDisturbed(list, at, to, sources)) return;
  const result = fuseInto(task, reader);
  if (result === null) return;
  list[to] = { ...result, nodes: nodesOf(task, reader) };
  list[at] = null;
}

/** True if a map can be computed after a product that only it reads, which is cheaper than computing it again for each of its users. */
function mayFollowProduct(list: readonly (Task | null)[], at: number, map: MapWork): boolean {
  const sources = map.operands.inputs.map(({ storage }) => storage);
  for (let k = 0; k < at; k++) {
    const task = list[k];
    if (task?.kind !== "contract") continue;
    const [{ storage }] = task.operands.outputs;
    if (!sources.includes(storage) || usersOf(list, k, storage).readers.length !== 1) continue;
    if (storage.isScratch === true && fuseMapEpilogue(task, map) !== null) return true;
  }
  return false;
}

function isWrittenBefore(list: readonly (Task | null)[], at: number, storage: ElementStorage): boolean {
  for (let k = 0; k < at; k++) {
    const task = list[k];
    if (task !== null && task !== undefined && storagesOf(task).writes.includes(storage)) return true;
  }
  return false;
}

/** Fuses the only map over the result of a row kernel, a product, a reduction or an op of pieces into it. */
function fuseBehind(
  list: (Task | null)[],
  at: number,
  task: Exclude<Task, MapWork>,
  kept: ReadonlySet<ElementStorage>,
): void {
  const { reads, writes } = storagesOf(task);
  const [storage] = writes;
  if (writes.length !== 1 || storage.isScratch !== true || kept.has(storage) || isWrittenBefore(list, at, storage))
    return;
  const { readers, isWrittenAgain } = usersOf(list, at, storage);
  if (readers.length !== 1 || isWrittenAgain) return;
  const reader = list[readers[0]] as Task;
  if (reader.kind !== "map" || reader.kernel.spec.isMasked === true) return;
  const mayHaveMore = task.kind === "contract" || task.kind === "other";
  if (!mayHaveMore && reader.kernel.spec.outputs.length !== 1) return;
  const result = combineBehind(task, reader);
  if (result === null || isDisturbed(list, at, readers[0], reads)) return;
  list[readers[0]] = { ...result, nodes: nodesOf(task, reader) };
  list[at] = null;
}

function combineBehind(task: Exclude<Task, MapWork>, map: MapWork): Task | null {
  if (task.kind === "rows") return fuseRowEpilogue(task, map);
  if (task.kind === "other") return fusePieces(task, map);
  return fuseCopyOfResult(task, map) ?? (task.kind === "contract" ? fuseMapEpilogue(task, map) : null);
}
