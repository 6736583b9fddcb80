/**
 * Storages that never change, such as the weights of a model that was loaded from a file. A trace makes their tensors constants of its graph;
 * other captured tensors are inputs, which a program reads where they are in each call.
 */
import { runtime } from "../../base/runtime.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Tensor } from "../../tensor/tensor.ts";

const state = /* @__PURE__ */ runtime.own("graph/trace/constants", { storages: new WeakSet<Storage>() });

/** Marks the storage of a tensor as constant: it will not be written to. */
export function markConstant(t: Tensor): void {
  state.storages.add(t.source as Storage);
}

/** True if `markConstant` was called for a tensor of the storage. */
export const isConstantStorage = (storage: Storage): boolean => state.storages.has(storage);
