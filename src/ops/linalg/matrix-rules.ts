/**
 * What matrices must be before an op takes them, and the dtypes of results.
 */

import { ShapeError } from "../../base/errors.ts";
import type { Int } from "../../layout/int.ts";
import { type DType, DTypeError, dtypes, isHalf, realDType } from "../../storage/dtype.ts";
import { showShape } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { unsqueeze } from "../../tensor/views/views-axes.ts";
import { differingDTypes, notImplemented } from "../dtype-errors.ts";
import { mayEqual, shapeOf } from "../shape-rules.ts";

/** The sizes of a matrix, rows and columns. */
export type MatrixSizes = readonly [rows: number, cols: number];

/** The distance from 1 to the next number. */
export const epsilonOf = (dtype: DType): number => (realDType(dtype) === "float64" ? 2 ** -52 : 2 ** -23);

/** Where a tensor made beside another belongs. */
export const beside = (t: Tensor): "cpu" | "meta" => t.device.type as "cpu" | "meta";

/** Refuses all but float32, float64 and complex numbers of them. */
export function checkFloating(who: string, t: unknown): asserts t is Tensor {
  checkTensor(who, t);
  const { category } = dtypes[t.dtype];
  if (category !== "float" && category !== "complex")
    throw new DTypeError(
      `${who}: expected a floating point or complex tensor, got ${t.dtype}. Convert it: to('float32')`,
    );
  if (isHalf(t.dtype)) throw notImplemented(who, t.dtype);
}

/** The rows and columns of a tensor of matrices. */
export function matrixSizes(who: string, t: unknown, name = "A"): MatrixSizes {
  checkTensor(who, t);
  if (t.rank < 2) throw new ShapeError(`${who}: ${name} must have at least 2 dimensions, got shape ${showShape(t)}`);
  checkFloating(who, t);
  return shapeOf(t).slice(-2) as unknown as MatrixSizes;
}

/** The rows of a tensor of square matrices. */
export function squareSize(who: string, t: unknown, name = "A"): number {
  const [rows, cols] = matrixSizes(who, t, name);
  if (!mayEqual(rows, cols)) throw new ShapeError(`${who}: ${name} must be square matrices, got ${rows} by ${cols}`);
  return rows;
}

/** Refuses a second tensor of another dtype. */
export function checkSame(who: string, a: Tensor, b: unknown, names: readonly [string, string] = ["A", "B"]): void {
  checkTensor(who, b);
  if (a.dtype !== b.dtype) throw differingDTypes(who, names.join(" and "), a.dtype, b.dtype);
}

/** Refuses exchanges of rows that no factorisation gave. */
export function checkPivots(who: string, LU: Tensor, pivots: unknown): asserts pivots is Tensor {
  checkTensor(who, pivots);
  if (pivots.dtype !== "int32")
    throw new DTypeError(`${who}: pivots must be int32, got ${pivots.dtype}. Give those of the factorization`);
  const sizes = matrixSizes(who, LU, "LU");
  const count = shapeOf(pivots)[pivots.rank - 1] ?? 0;
  if (!mayEqual(count, Math.min(...sizes)))
    throw new ShapeError(`${who}: needs a pivot for each row, got ${count} for matrices of ${sizes.join(" by ")}`);
}

/** Refuses sizes that do not go together. */
export function checkFits(who: string, a: Tensor, b: Tensor, x: Int, y: Int): void {
  if (!mayEqual(x, y))
    throw new ShapeError(`${who}: shapes of A and B do not fit: ${showShape(a)} and ${showShape(b)} need ${x} = ${y}`);
}

/** The right-hand sides of systems as matrices: a vector, or a batch of them that goes with the matrices, is one column each. */
export function columnsOf(who: string, a: Tensor, b: Tensor): { readonly columns: Tensor; readonly isVector: boolean } {
  checkSame(who, a, b);
  const [x, y] = [shapeOf(a), shapeOf(b)];
  const isVector = y.length === 1 || (y.length === x.length - 1 && y.every((size, axis) => mayEqual(size, x[axis])));
  if (!isVector) matrixSizes(who, b, "B");
  return { columns: isVector ? unsqueeze(b, -1) : b, isVector };
}
