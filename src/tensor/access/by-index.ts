/**
 * Reads and writes of elements by index: the one way from tensors to the indexed kernel, which gathers, scatters, adds and combines.
 * Indices are checked when the program runs (`index-range.ts`). All tensors have flat modes; operands that share memory with the tensor that
 * is written are copied to the workspace first.
 */

import type { Operand } from "../../kernel/operand.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { execute } from "../../kernel/program/run-program.ts";
import { type IndexedMove, lowerIndexed } from "../../kernel/scatter.ts";
import { withFlatModes } from "../clone.ts";
import { copyAll } from "../copy-all.ts";
import { sizeAt, sizesOf } from "../geometry.ts";
import { lowerClone, lowerContiguous, lowerCopyAll } from "../lowering.ts";
import { mayOverlap, operandOf } from "../operand.ts";
import type { Tensor } from "../tensor.ts";
import { unsqueeze } from "../views/views-axes.ts";
import { expand, view } from "../views/views-shape.ts";

/** The addressing of the target by indices: its strides in the axes of the values, the step of an index, and the number of valid indices. */
export interface Addressing {
  readonly stride: readonly number[];
  readonly step: number;
  readonly length: number;
  /** True if negative indices count from `length` down. */
  readonly wraps?: boolean;
  /** Elements from the first element of the target to the one with index 0. */
  readonly shift?: number;
}

/**
 * Adds steps that move each element of `values` to, or for "take" from, the element of `target` that its index addresses. Values and index have
 * one shape, target and values one dtype; `addressing` gets the strides of the target.
 */
export function lowerByIndex(
  builder: ProgramBuilder,
  move: IndexedMove,
  target: Tensor,
  values: Tensor,
  index: Tensor,
  addressing: (strides: readonly number[]) => Addressing,
): void {
  const isTake = move === "take";
  const written = isTake ? values : target;
  const apart = (t: Tensor): Tensor => (t !== written && mayOverlap(written, t) ? lowerClone(builder, t, "index") : t);
  builder.workspace(0, () => {
    const indexed = operandOf(isTake ? apart(target) : target, "index");
    const elements = operandOf(isTake ? values : apart(values), "index");
    const indices: Operand = operandOf(apart(index), "index");
    const { shape } = elements;
    const { shift = 0, ...steps } = addressing(indexed.stride);
    const far = { ...indexed, offset: indexed.offset + shift, shape, ...steps };
    lowerIndexed(builder, move, far, elements, { ...indices, shape });
  });
}

/** Adds steps that move each value to or from the element of the target with its own coordinate, except on one axis, where the index replaces it. */
export function lowerAlong(
  builder: ProgramBuilder,
  move: IndexedMove,
  target: Tensor,
  axis: number,
  values: Tensor,
  index: Tensor,
  wraps = false,
): void {
  const length = target.rank === 0 ? 1 : sizeAt(target, axis);
  lowerByIndex(builder, move, target, values, index, (strides) => ({
    stride: strides.map((step, d) => (d === axis ? 0 : step)),
    step: strides[axis] ?? 0,
    length,
    wraps,
  }));
}

/** Adds steps that move each value to or from the element of the target with this index in row-major order. Negative indices count from the end. */
export function lowerFlat(
  builder: ProgramBuilder,
  move: IndexedMove,
  target: Tensor,
  values: Tensor,
  index: Tensor,
): void {
  const shape = sizesOf(values);
  builder.workspace(0, () => {
    const dense = lowerContiguous(builder, target, "index");
    lowerByIndex(builder, move, view(dense, [target.size]), values, index, () => ({
      stride: shape.map(() => 0),
      step: 1,
      length: target.size,
      wraps: true,
    }));
    if (dense !== target && move !== "take") lowerCopyAll(builder, dense, target, "index");
  });
}

/** Moves elements in this way at once. */
export function moveFlat(move: IndexedMove, target: Tensor, values: Tensor, index: Tensor): void {
  const [flatTarget, flatValues, flatIndex] = [target, values, index].map(withFlatModes);
  const [written, ...read] =
    move === "take" ? [flatValues, flatTarget, flatIndex] : [flatTarget, flatValues, flatIndex];
  const stored = (t: Tensor): { readonly storage: Operand["storage"] } => operandOf(t, "index");
  execute([stored(written)], read.map(stored), (builder) =>
    lowerFlat(builder, move, flatTarget, flatValues, flatIndex),
  );
  const unflat = move === "take" ? values : target;
  if (written !== unflat) copyAll(written, unflat, "index");
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
