/**
 * The kept and the reduced axes of a reduction, and tensors as operands with their axes in that order.
 */
import { listOf } from "../../base/list-of.ts";
import type { Operand } from "../../kernel/operand.ts";
import type { Int } from "../../layout/int.ts";
import { type Axis, axesOf, axisOf } from "../../tensor/axes.ts";
import { withFlatModes } from "../../tensor/clone.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { type Sizes, shapeOf } from "../shape-rules.ts";

/** The axes of a reduction: one, several, or all of them if omitted. */
export type Axes = Axis | readonly Axis[] | null | undefined;

/** The indices of the reduced axes; an empty list means all of them, as in PyTorch. */
export function reducedAxes(who: string, t: Tensor, axes: Axes): number[] {
  const all = listOf(t.rank, (axis) => axis);
  if (axes === undefined || axes === null || (Array.isArray(axes) && axes.length === 0)) return all;
  const list = Array.isArray(axes) ? axesOf(who, t, axes as readonly Axis[]) : [axisOf(who, t, axes as Axis)];
  return t.rank === 0 ? [] : list;
}

/** The shape of the result: without the reduced axes, or with size 1 for each of them. */
export function reducedShape(shape: Sizes, reduced: readonly number[], keepdims: boolean): Int[] {
  return shape.flatMap((size, axis) => (reduced.includes(axis) ? (keepdims ? [1] : []) : [size]));
}

/** The number of elements that each result is computed from. */
export function countReduced(t: Tensor, reduced: readonly number[]): number {
  const shape = shapeOf(t) as readonly number[];
  return reduced.reduce((count, axis) => count * shape[axis], 1);
}

/** The input as an operand: the kept axes, then the reduced ones, in their order. */
export function inputOperand(who: string, t: Tensor, reduced: readonly number[]): Operand {
  const operand = operandOf(withFlatModes(t), who);
  return withAxes(operand, keptAxes(operand, reduced).concat(reduced));
}

const keptAxes = ({ shape }: Operand, reduced: readonly number[]): number[] =>
  [...shape.keys()].filter((axis) => !reduced.includes(axis));

const withAxes = (operand: Operand, axes: readonly number[]): Operand => ({
  ...operand,
  shape: axes.map((axis) => operand.shape[axis]),
  stride: axes.map((axis) => operand.stride[axis]),
  isStatic: false,
});

/** The operand of a scan: the scanned axis last, reversed if `isBackwards`. A 0-d tensor has one of size 1. */
export function scanOperand(who: string, t: Tensor, axis: number, isBackwards = false): Operand {
  const operand = inputOperand(who, t, t.rank === 0 ? [] : [axis]);
  if (t.rank === 0) return { ...operand, shape: [1], stride: [1] };
  if (!isBackwards) return operand;
  const { shape, stride, offset } = operand;
  const [size, step] = [shape.at(-1) as number, stride.at(-1) as number];
  return { ...operand, offset: offset + Math.max(0, size - 1) * step, stride: stride.with(-1, -step) };
}

/** The result as an operand, without the axes of size 1 that `keepdims` keeps. */
export function outputOperand(who: string, t: Tensor, reduced: readonly number[], keepdims: boolean): Operand {
  const operand = operandOf(t, who);
  return keepdims ? withAxes(operand, keptAxes(operand, reduced)) : { ...operand, isStatic: false };
}
