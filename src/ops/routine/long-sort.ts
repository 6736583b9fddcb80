/**
 * Sorts of long rows on the kernel of `kernel/sort.ts`. Short rows are sorted by the loops of `sort.ts`.
 */
import type { Operand } from "../../kernel/operand.ts";
import { execute } from "../../kernel/program/run-program.ts";
import { longRow, lowerSort, type Sorted } from "../../kernel/sort.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { wholeMemory } from "../../tensor/whole-memory.ts";
import { fresh } from "../op.ts";

/** True if rows of n elements are sorted by the kernel. */
export const isLongRow = (n: number): boolean => n >= longRow;

const rowsOf = (t: Tensor, n: number, who: string): Operand => ({
  storage: wholeMemory(t, who),
  dtype: t.dtype,
  offset: t.start,
  shape: [t.size / n, n],
  stride: [n, 1],
});

/** Sorts rows of n elements of a dense tensor into another one, which may be the same: its elements, or their indices in a row as int32. */
export function sortInto(sorted: Sorted, x: Tensor, n: number, result: Tensor, who: string, descending = false): void {
  const [from, to] = [rowsOf(x, n, who), rowsOf(result, n, who)];
  execute([to], [from], (builder) => lowerSort(builder, sorted, from, to, descending));
}

/** Returns the indices in their rows, in the order of a stable sort, as a new dense tensor. */
export function sortedIndices(x: Tensor, n: number, who: string, descending = false): Tensor {
  const result = fresh("int32", sizesOf(x));
  sortInto("indices", x, n, result, who, descending);
  return result;
}

/** Returns the elements of rows in ascending order, -0 before 0, as a new dense tensor. */
export function sortedValues(x: Tensor, n: number, who: string): Tensor {
  const result = fresh(x.dtype, sizesOf(x));
  sortInto("values", x, n, result, who);
  return result;
}
