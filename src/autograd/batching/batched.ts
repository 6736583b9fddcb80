/**
 * Batched tensors: the arguments of a function under `vmap`. A batched tensor has the shape of one sample and represents all of them: its `value`
 * has one more axis, in front. Its elements cannot be read. It has the strides of its value, so that the test whether a view is possible is
 * right.
 *
 * Each running `vmap` is a level, nested in the one that was running before. A value may be batched itself, at an outer level. Values are
 * processed `below` their level, where only outer levels are visible.
 */

import { ShapeError } from "../../base/errors.ts";
import { runtime } from "../../base/runtime.ts";
import type { AnyLayout } from "../../layout/layout.ts";
import { rowMajorStrides } from "../../tensor/contiguity.ts";
import { keySet, keyShift } from "../../tensor/dispatch/keys.ts";
import { withKeys } from "../../tensor/dispatch/operator.ts";
import type { Engine } from "../../tensor/engine.ts";
import { longForm, modeStrides, setModes, sizesOf } from "../../tensor/geometry.ts";
import { setNames } from "../../tensor/names.ts";
import { keepUntil, presentScope, type Scope } from "../../tensor/scope.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { unbind } from "../../tensor/views/view-ops.ts";
import { VmapError } from "../error.ts";

export const batchedKey = /* @__PURE__ */ keySet("batched");

/** Whether random numbers differ between samples, are the same for all, or are an error. */
export type Randomness = "error" | "same" | "different";

/** A running `vmap`. */
export interface Level {
  /** The number of nested levels, including this one. */
  readonly depth: number;
  /** The number of samples. */
  readonly size: number;
  readonly randomness: Randomness;
  isOpen: boolean;
  /** The scope in which the level was opened: values created inside stay alive until its end. */
  readonly scope: Scope | null;
}

const state: { levels: readonly Level[] } = /* @__PURE__ */ runtime.own("autograd/batching/batched", { levels: [] });

/** The innermost level, or null outside of all. */
export const currentLevel = (): Level | null => state.levels[state.levels.length - 1] ?? null;

function atLevels<T>(now: readonly Level[], fn: () => T): T {
  const before = state.levels;
  state.levels = now;
  try {
    return withKeys(now.length > 0 ? { include: batchedKey, allow: batchedKey } : { exclude: batchedKey }, fn);
  } finally {
    state.levels = before;
  }
}

/** Runs a function at a new level. */
export function atNewLevel<T>(size: number, randomness: Randomness, fn: (level: Level) => T): T {
  const level: Level = { depth: state.levels.length + 1, size, randomness, isOpen: true, scope: presentScope() };
  try {
    return atLevels([...state.levels, level], () => fn(level));
  } finally {
    level.isOpen = false;
  }
}

/** Runs a function in which only the levels outside of this one are visible. */
export const atOuterLevels = <T>({ depth }: Level, fn: () => T): T => atLevels(state.levels.slice(0, depth - 1), fn);

const noElements = (): never => {
  throw new VmapError(
    "vmap: the elements of a tensor inside vmap cannot be read: it represents all samples of the batch. Choose by where(condition, a, b) instead, or read the result outside of vmap",
  );
};

/** The engine of batched tensors, which have no memory. */
const nowhere: Engine = {
  kind: "vmap",
  valueType: "number",
  space: "none",
  read: noElements,
  write: noElements,
  advance: noElements,
  describe: () => "vmap",
};

/** A sample of a batch, representing all of them. */
export class BatchedTensor extends Tensor {
  /** All samples, along the first axis. */
  declare readonly value: Tensor;
  declare readonly level: Level;
  readonly isStandIn = true;

  constructor(value: Tensor, level: Level, sizes: readonly number[], strides: readonly number[]) {
    const form: AnyLayout | null = longForm(sizes, strides);
    const count = sizes.reduce((all, size) => all * size, 1);
    super(nowhere, value.type, value.start, batchedKey << keyShift, sizes.length, count, form, null, null);
    this.value = value;
    this.level = level;
    setModes(this, sizes, strides);
    // Autograd uses the history of the value.
    Object.defineProperty(this, "history", {
      get: () => value.history,
      set: (history: object | null) => {
        value.history = history;
      },
    });
    Object.defineProperty(this, "grad", { get: () => (value.grad === null ? null : wrap(value.grad, level)) });
  }

  override toString(): string {
    return `BatchedTensor(level=${this.level.depth}, batch axis 0 of value=\n${this.value}\n)`;
  }

  override *[Symbol.iterator](): IterableIterator<Tensor> {
    if (this.rank === 0)
      throw new ShapeError("tensor: cannot iterate over a 0-d tensor, and its element cannot be read inside vmap");
    for (const part of unbind(this, 0)) yield part;
  }

  [/* @__PURE__ */ Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}

/** True if and only if a tensor is batched at a level. */
export const isBatched = (t: unknown, level: Level): t is BatchedTensor =>
  t instanceof BatchedTensor && t.level === level;

/** A tensor with the batch as its first axis, as one sample of it. */
export function wrap(value: Tensor, level: Level): BatchedTensor {
  keepUntil(value, level.scope);
  const [, ...sizes] = sizesOf(value);
  const strides = modeStrides(value);
  const t = new BatchedTensor(value, level, sizes, strides === null ? rowMajorStrides(sizes) : strides.slice(1));
  if (value.names !== null) setNames("vmap", t, value.names.slice(1));
  return t;
}
