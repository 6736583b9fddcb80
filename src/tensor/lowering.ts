/**
 * Tensors in programs: temporary tensors in the workspace, and copies and fills as steps.
 *
 * A scratch tensor has a shape, strides and a dtype, but no memory until the program runs, so all views of it can be formed and all ops can be
 * lowered over it. It lives as long as the bytes that it takes: until the enclosing call of `ProgramBuilder.workspace` ends, or the program.
 */
import { InternalError } from "../base/errors.ts";
import { product } from "../base/ints.ts";
import { lowerCopy, lowerFill } from "../kernel/copy.ts";
import type { Operand } from "../kernel/operand.ts";
import type { ProgramBuilder } from "../kernel/program/builder.ts";
import { type FlatLayout, refineFlat } from "../layout/flat.ts";
import { type DType, dtypes, type Value } from "../storage/dtype.ts";
import { rowMajorStrides } from "./contiguity.ts";
import { flatLayoutOf, isStaticTensor, sizesOf } from "./geometry.ts";
import { operandOf } from "./operand.ts";
import { type Tensor, tensorOver } from "./tensor.ts";
import { inferShape } from "./views/view-shape.ts";
import { tryView } from "./views/views-shape.ts";
import { wholeMemory } from "./whole-memory.ts";

/** Returns a row-major tensor in the workspace, with uninitialized elements. */
export function scratchTensor(builder: ProgramBuilder, dtype: DType, sizes: readonly number[]): Tensor {
  const storage = builder.scratch(product(sizes) * dtypes[dtype].itemsize);
  return tensorOver(storage, dtype, 0, sizes, rowMajorStrides(sizes));
}

/** Returns the flat layout that refines those of two tensors with storage and strides; undefined if there is none. */
export const commonLayout = (from: Tensor, to: Tensor): FlatLayout | undefined =>
  refineFlat([flatLayoutOf(from), flatLayoutOf(to)]);

/** Returns two tensors as operands over a layout that refines theirs. */
export function refinedOperands(from: Tensor, to: Tensor, { sizes, strides }: FlatLayout, who: string): Operand[] {
  const isStatic = isStaticTensor(from) && isStaticTensor(to);
  return [from, to].map((t, k) => ({
    storage: wholeMemory(t, who),
    dtype: t.dtype,
    offset: t.start,
    shape: sizes,
    stride: strides[k],
    isStatic,
  }));
}

/** Adds a copy of element i of `from` to element i of `to` for every i, converted to its dtype. Both have flat modes. */
export function lowerCopyAll(builder: ProgramBuilder, from: Tensor, to: Tensor, who: string): void {
  if (to.size === 0) return;
  const refined = commonLayout(from, to);
  if (refined === undefined)
    throw new InternalError(`${who}: tensors with flat modes of the same size have no common layout`);
  const [source, target] = refinedOperands(from, to, refined, who);
  lowerCopy(builder, source, target);
}

/** Adds a fill of every element with one value. */
export function lowerFillAll(builder: ProgramBuilder, t: Tensor, value: Value, who: string): void {
  lowerFill(builder, operandOf(t, who), value);
}

/** Returns the tensor in a dtype, or else a row-major copy in the workspace. */
export function lowerTo(builder: ProgramBuilder, t: Tensor, dtype: DType, who: string): Tensor {
  return t.dtype === dtype ? t : lowerClone(builder, t, who, dtype);
}

/** Returns a row-major copy in the workspace. */
export function lowerClone(builder: ProgramBuilder, t: Tensor, who: string, dtype: DType = t.dtype): Tensor {
  const copy = scratchTensor(builder, dtype, sizesOf(t));
  lowerCopyAll(builder, t, copy, who);
  return copy;
}

/** Returns the tensor itself if it is contiguous, else a copy in the workspace. */
export const lowerContiguous = (builder: ProgramBuilder, t: Tensor, who: string): Tensor =>
  t.isContiguous() ? t : lowerClone(builder, t, who);

/** Returns the elements in row-major order under a different shape: a view if the strides allow it, else a copy in the workspace. */
export function lowerReshape(builder: ProgramBuilder, t: Tensor, shape: readonly number[], who: string): Tensor {
  return (
    tryView(t, who, shape) ?? (tryView(lowerClone(builder, t, who), who, inferShape(who, shape, t.size)) as Tensor)
  );
}

/**
 * Calls `lower` with the tensor if `isFit`, else with a row-major tensor of the dtype in the workspace, which is then copied to it.
 */
export function lowerThrough(
  builder: ProgramBuilder,
  t: Tensor,
  dtype: DType,
  isFit: boolean,
  who: string,
  lower: (target: Tensor) => void,
): void {
  if (isFit && t.dtype === dtype) {
    lower(t);
    return;
  }
  builder.workspace(0, () => {
    const target = scratchTensor(builder, dtype, sizesOf(t));
    lower(target);
    lowerCopyAll(builder, target, t, who);
  });
}
