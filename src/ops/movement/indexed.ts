/**
 * Elements met by index: the bridge from tensors to the kernel of indexed places.
 * Tensors whose axes have no single strides are copied on the way; what shares memory with the target is copied before.
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

/** The stride of each axis; null where kernels cannot step through the tensor: it has no storage, or an axis without a single stride. */
const stepsOf = (t: Tensor): number[] | null => (computedEngine(t, "index") === null ? modeStrides(t) : null);

/** Places of the far operand: strides in the axes of near, the step of an index, and how many indices there are. */
export interface Far {
  readonly stride: readonly number[];
  readonly step: number;
  readonly length: number;
}

/**
 * Each element of near meets an element of far. near and index have one shape, far and near one dtype; `placesIn` says where the
 * elements of far lie.
 */
export function meet(
  move: IndexedMove,
  far: Tensor,
  near: Tensor,
  index: Tensor,
  placesIn: (strides: readonly number[]) => Far,
): void {
  const isTake = move === "take";
  const written = isTake ? near : far;
  if (stepsOf(written) === null) {
    const copy = clone(written, "contiguous");
    if (isTake) meet(move, far, copy, index, placesIn);
    else meet(move, copy, near, index, placesIn);
    copyAll(copy, written, "index");
    return;
  }
  // What is read lies apart from what is written.
  const isApart = (t: Tensor): boolean => !mayMeet(written, t) && stepsOf(t) !== null;
  const from = !isTake || isApart(far) ? far : clone(far, "contiguous");
  const to = isTake || isApart(near) ? near : clone(near, "contiguous");
  const places = isApart(index) ? index : clone(index, "contiguous");
  const shape = sizesOf(to);
  const { stride, step, length } = placesIn(stepsOf(from) as number[]);
  moveIndexed(
    move,
    { storage: wholeMemory(from, "index"), dtype: from.dtype, offset: from.start, shape, stride, step, length },
    operand(to, shape),
    operand(places, shape),
  );
}

const operand = (t: Tensor, shape: readonly number[]): Operand => ({
  storage: wholeMemory(t, "index"),
  dtype: t.dtype,
  offset: t.start,
  shape,
  stride: stepsOf(t) as number[],
});

/** Each element of near meets the element of far that has its coordinate, except on one axis, where it has the index. */
export function meetAlong(move: IndexedMove, far: Tensor, axis: number, near: Tensor, index: Tensor): void {
  const length = far.rank === 0 ? 1 : sizeAt(far, axis);
  meet(move, far, near, index, (strides) => ({
    stride: strides.map((step, d) => (d === axis ? 0 : step)),
    step: strides[axis] ?? 0,
    length,
  }));
}

/** Each element of near meets the element of far with this index in row-major order. */
export function meetFlat(move: IndexedMove, far: Tensor, near: Tensor, index: Tensor): void {
  const shape = sizesOf(near);
  const dense = contiguous(far);
  meet(move, view(dense, [far.size]), near, index, () => ({
    stride: shape.map(() => 0),
    step: 1,
    length: far.size,
  }));
  if (dense !== far && move !== "take") copyAll(dense, far, "index");
}

/** The tensor, a scalar as a list of one element. */
export const withAxis = (t: Tensor): Tensor => (t.rank === 0 ? unsqueeze(t, 0) : t);

/** A list of indices as a tensor of the shape, the same for all coordinates of the other axes. */
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

/** Fills the result by `fill`, by way of a tensor of the right dtype if it has another. */
export function inDType(result: Tensor, like: Tensor, fill: (target: Tensor) => void): void {
  if (result.dtype === like.dtype) fill(result);
  else {
    const own = fresh(like.dtype, sizesOf(result));
    fill(own);
    copyAll(own, result, "index");
  }
}
