/**
 * Reads and writes of elements by index: the one way from tensors to the indexed kernel, which gathers, scatters, adds and combines.
 * Tensors whose axes have no single strides are copied first, and so are operands that share memory with the tensor that is written.
 */

import type { Operand } from "../../kernel/operand.ts";
import type { IndexedMove } from "../../kernel/scatter.ts";
import { moveIndexed } from "../../kernel/scatter.ts";
import { clone, contiguous } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { modeStrides, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { mayMeet } from "../../tensor/operand.ts";
import { computedEngine, type Tensor } from "../../tensor/tensor.ts";
import { unsqueeze } from "../../tensor/views/views-axes.ts";
import { expand, view } from "../../tensor/views/views-shape.ts";
import { wholeMemory } from "../../tensor/whole-memory.ts";
import { fresh } from "../op.ts";

/** The stride of each axis; null if kernels cannot step through the tensor: it has no storage, or an axis has no single stride. */
const stepsOf = (t: Tensor): number[] | null => (computedEngine(t, "index") === null ? modeStrides(t) : null);

/** How indices address the target: its strides in the axes of the values, the step of an index, and the number of valid indices. */
export interface Addressing {
  readonly stride: readonly number[];
  readonly step: number;
  readonly length: number;
}

/**
 * Moves each element of `values` to, or for "take" from, the element of `target` that its index addresses. Values and index have one
 * shape, target and values one dtype; `addressing` gets the strides of the target.
 */
export function moveByIndex(
  move: IndexedMove,
  target: Tensor,
  values: Tensor,
  index: Tensor,
  addressing: (strides: readonly number[]) => Addressing,
): void {
  const isTake = move === "take";
  const written = isTake ? values : target;
  if (stepsOf(written) === null) {
    const copy = clone(written, "contiguous");
    if (isTake) moveByIndex(move, target, copy, index, addressing);
    else moveByIndex(move, copy, values, index, addressing);
    copyAll(copy, written, "index");
    return;
  }
  // Operands that are read must not share memory with the one that is written.
  const isApart = (t: Tensor): boolean => !mayMeet(written, t) && stepsOf(t) !== null;
  const indexed = !isTake || isApart(target) ? target : clone(target, "contiguous");
  const elements = isTake || isApart(values) ? values : clone(values, "contiguous");
  const indices = isApart(index) ? index : clone(index, "contiguous");
  const shape = sizesOf(elements);
  const { stride, step, length } = addressing(stepsOf(indexed) as number[]);
  moveIndexed(
    move,
    {
      storage: wholeMemory(indexed, "index"),
      dtype: indexed.dtype,
      offset: indexed.start,
      shape,
      stride,
      step,
      length,
    },
    operand(elements, shape),
    operand(indices, shape),
  );
}

const operand = (t: Tensor, shape: readonly number[]): Operand => ({
  storage: wholeMemory(t, "index"),
  dtype: t.dtype,
  offset: t.start,
  shape,
  stride: stepsOf(t) as number[],
});

/** Moves each value to or from the element of the target with its own coordinate, except on one axis, where the index replaces it. */
export function moveAlong(move: IndexedMove, target: Tensor, axis: number, values: Tensor, index: Tensor): void {
  const length = target.rank === 0 ? 1 : sizeAt(target, axis);
  moveByIndex(move, target, values, index, (strides) => ({
    stride: strides.map((step, d) => (d === axis ? 0 : step)),
    step: strides[axis] ?? 0,
    length,
  }));
}

/** Moves each value to or from the element of the target with this index in row-major order. */
export function moveFlat(move: IndexedMove, target: Tensor, values: Tensor, index: Tensor): void {
  const shape = sizesOf(values);
  const dense = contiguous(target);
  moveByIndex(move, view(dense, [target.size]), values, index, () => ({
    stride: shape.map(() => 0),
    step: 1,
    length: target.size,
  }));
  if (dense !== target && move !== "take") copyAll(dense, target, "index");
}

/** Returns the tensor, or a scalar as a tensor of shape [1]. */
export const withAxis = (t: Tensor): Tensor => (t.rank === 0 ? unsqueeze(t, 0) : t);

/** A one-dimensional index expanded to a shape: the same for all coordinates of the other axes. */
export function alongAxis(index: Tensor, axis: number, shape: readonly number[]): Tensor {
  if (shape.length === 0) return view(index, []);
  return expand(
    view(
      index,
      shape.map((_, d) => (d === axis ? index.size : 1)),
    ),
    shape,
  );
}

/** Fills the result, or a tensor of the dtype of `like` that is then copied to it. */
export function inDType(result: Tensor, like: Tensor, fill: (target: Tensor) => void): void {
  if (result.dtype === like.dtype) fill(result);
  else {
    const own = fresh(like.dtype, sizesOf(result));
    fill(own);
    copyAll(own, result, "index");
  }
}
