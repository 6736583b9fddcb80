/**
 * Tensors with the layouts of views, for tests of ops: axes in any order, steps, gaps, negative strides; small integers
 * as elements.
 */
import { arange, range, type Tensor } from "stridewise";
import { type DType, dtypes } from "../../src/storage/dtype.ts";
import type { Dice } from "./operands.ts";

/** A tensor of this shape in a random layout, its elements from 0 up in some order of memory, converted to the dtype. */
export function stridedTensor(roll: Dice, shape: readonly number[], dtype: DType = "float32"): Tensor {
  const order = shape.map((_, axis) => axis).sort(() => roll(0, 1) - 0.5);
  const steps = shape.map(() => roll(1, 2));
  const wide = shape.map((size, axis) => size * (steps[axis] as number) + roll(0, 1));
  const total = wide.reduce((a, b) => a * b, 1);
  const base = arange(total)
    .to(dtype)
    .reshape(order.map((axis) => wide[axis] as number)) as Tensor;
  const inOrder = base.permute(shape.map((_, axis) => order.indexOf(axis))) as Tensor;
  const parts = shape.map((size, axis) => {
    const step = steps[axis] as number;
    return roll(0, 3) === 0 && size > 0
      ? range((size - 1) * step, null, -step)
      : range(0, Math.max((size - 1) * step + 1, 0), step);
  });
  return (shape.length === 0 ? inOrder : inOrder.at(...parts)) as Tensor;
}

/** All coordinates of a shape, in row-major order. */
export function coordsOf(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (coords, size) => coords.flatMap((coord) => Array.from({ length: size }, (_, i) => [...coord, i])),
    [[]],
  );
}

/** The elements in row-major order. */
export const elementsIn = (t: Tensor): unknown[] =>
  t.size === 0 ? [] : ((t.clone("contiguous") as Tensor).reshape(-1).toArray() as unknown[]);

/** The element at a coordinate. */
export const elementAt = (t: Tensor, coord: readonly number[]): unknown => t.get(...coord);

/** The dtypes for tests of ops on every kind of element: each size in bytes, and each category. */
export const everySize: readonly DType[] = (Object.keys(dtypes) as DType[]).filter((dtype) =>
  ["bool", "int16", "float32", "int64", "complex128"].includes(dtype),
);
