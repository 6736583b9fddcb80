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
import { overwrites } from "./overlap.ts";
import { functionsOf } from "./spec-values.ts";
import { TaskList } from "./task-list.ts";

/** The largest number of functions of a map that is computed again for each of its users. */
const maxRepeated = 4;

/** Returns the tasks with maps fused into their users. `kept` are storages that are read after the tasks. */
export function fuse(tasks: readonly Task[], kept: ReadonlySet<ElementStorage>): Task[] {
  const list = new TaskList(tasks);
  for (let at = 0; at < list.length; at++) {
    const task = list.at(at);
    if (task === null || task.kind === "other") continue;
    if (task.kind === "map") {
      fuseForward(list, at, task, kept);
      if (list.at(at) === task) fuseOverwritten(list, at, task);
    } else if (task.kind === "rows") fuseBehind(list, at, task, kept);
  }
  fuseAllSiblings(list);
  // From here on, maps over products do not grow.
  for (let at = 0; at < list.length; at++) {
    const task = list.at(at);
    if (task?.kind === "contract" || task?.kind === "reduce" || (task?.kind === "other" && task.pieces !== undefined))
      fuseBehind(list, at, task, kept);
  }
  return list.rest;
}

/** Fuses a map into all tasks that read its result, if it can be fused into each of them. */
function fuseForward(list: TaskList, at: number, task: MapWork, kept: ReadonlySet<ElementStorage>): void {
  const { outputs, inputs } = task.operands;
  const { spec } = task.kernel;
  if (outputs.length !== 1 || spec.isMasked === true || outputs[0].storage.isScratch !== true) return;
  const { storage } = outputs[0];
  // A map that updates its result in place reads the value before.
  if (kept.has(storage) || inputs.some((input) => input.storage === storage) || list.isWrittenBefore(at, storage))
    return;
  const { readers, isWrittenAgain } = list.usersOf(at, storage);
  if (readers.length === 0 || isWrittenAgain) return;
  if (readers.length > 1 && functionsOf(task) > maxRepeated) return;
  // Maps that repeat it may become one kernel after the product.
  const areMaps = readers.every((k) => list.at(k)?.kind === "map");
  if (readers.length > 1 && !areMaps && mayFollowProduct(list, at, task)) return;
  const sources = inputs.map((input) => input.storage);
  const fused: Task[] = [];
  for (const k of readers) {
    const reader = list.at(k) as Task;
    if (reader.kind === "other" || list.isDisturbed(at, k, sources)) return;
    const result = reader.kind === "contract" ? fuseCopyInto(task, reader) : fuseInto(task, reader);
    if (result === null) return;
    fused.push({ ...result, nodes: nodesOf(task, reader) });
  }
  for (const [k, reader] of readers.entries()) list.set(reader, fused[k]);
  list.set(at, null);
}

/** Fuses a map into the next one that reads its result and writes to the same memory, as in-place ops do. */
function fuseOverwritten(list: TaskList, at: number, task: MapWork): void {
  const { outputs, inputs } = task.operands;
  const { spec } = task.kernel;
  if (outputs.length !== 1 || spec.isMasked === true) return;
  const [{ storage }] = outputs;
  const to = list.nextTouching(at, storage);
  const reader = to < list.length ? list.at(to) : null;
  if (reader?.kind !== "map" || reader.kernel.spec.isMasked === true || !overwrites(task, reader)) return;
  const sources = inputs.map((input) => input.storage).filter((each) => each !== storage);
  if (list.isDisturbed(at, to, sources)) return;
  const result = fuseInto(task, reader);
  if (result === null) return;
  list.set(to, { ...result, nodes: nodesOf(task, reader) });
  list.set(at, null);
}

/** True if a map can be computed after a product that only it reads, which is cheaper than computing it again for each of its users. */
function mayFollowProduct(list: TaskList, at: number, map: MapWork): boolean {
  for (const { storage } of map.operands.inputs)
    for (const k of list.writersOf(storage)) {
      const task = list.at(k);
      if (k >= at || task?.kind !== "contract" || task.operands.outputs[0].storage !== storage) continue;
      if (storage.isScratch !== true || list.usersOf(k, storage).readers.length !== 1) continue;
      if (fuseMapEpilogue(task, map) !== null) return true;
    }
  return false;
}

/** Fuses the only map over the result of a row kernel, a product, a reduction or an op of pieces into it. */
function fuseBehind(list: TaskList, at: number, task: Exclude<Task, MapWork>, kept: ReadonlySet<ElementStorage>): void {
  const { reads, writes } = storagesOf(task);
  const [storage] = writes;
  if (writes.length !== 1 || storage.isScratch !== true || kept.has(storage) || list.isWrittenBefore(at, storage))
    return;
  const { readers, isWrittenAgain } = list.usersOf(at, storage);
  if (readers.length !== 1 || isWrittenAgain) return;
  const reader = list.at(readers[0]) as Task;
  if (reader.kind !== "map" || reader.kernel.spec.isMasked === true) return;
  const mayHaveMore = task.kind === "contract" || task.kind === "other";
  if (!mayHaveMore && reader.kernel.spec.outputs.length !== 1) return;
  const result = combineBehind(task, reader);
  if (result === null || list.isDisturbed(at, readers[0], reads)) return;
  list.set(readers[0], { ...result, nodes: nodesOf(task, reader) });
  list.set(at, null);
}

function combineBehind(task: Exclude<Task, MapWork>, map: MapWork): Task | null {
  if (task.kind === "rows") return fuseRowEpilogue(task, map);
  if (task.kind === "other") return fusePieces(task, map);
  return fuseCopyOfResult(task, map) ?? (task.kind === "contract" ? fuseMapEpilogue(task, map) : null);
}
