/**
 * Checks of matrix arguments: shapes, dtypes, pivots and right-hand sides.
 */

import { ShapeError } from "../../base/errors.ts";
import type { Int } from "../../layout/int.ts";
import { type DeviceOption, deviceOption } from "../../storage/device.ts";
import { type DType, DTypeError, dtypes, isHalf, realDType } from "../../storage/dtype.ts";
import { showShape } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { unsqueeze } from "../../tensor/views/views-axes.ts";
import { differingDTypes, notImplemented } from "../dtype-errors.ts";
import { mayEqual, shapeOf } from "../shape-rules.ts";

/** The sizes of a matrix, rows and columns. */
type MatrixSizes = readonly [rows: number, cols: number];

/** Returns the distance from 1 to the next number of a dtype. */
export const epsilonOf = (dtype: DType): number => (realDType(dtype) === "float64" ? 2 ** -52 : 2 ** -23);

/** Returns creation options for a tensor on the device of another, by default with its dtype. */
export const optionsLike = <D extends DType>(t: Tensor, dtype = t.dtype as D): { dtype: D; device: DeviceOption } => ({
  dtype,
  device: deviceOption(t.device),
});

/** Throws unless the dtype is float32, float64 or complex. */
export function checkFloating(who: string, t: unknown): asserts t is Tensor {
  checkTensor(who, t);
  const { category } = dtypes[t.dtype];
  if (category !== "float" && category !== "complex")
    throw new DTypeError(
      `${who}: expected a floating point or complex tensor, got ${t.dtype}. Convert it: to("float32")`,
    );
  if (isHalf(t.dtype)) throw notImplemented(who, t.dtype);
}

/** Returns the rows and columns of a tensor of matrices; throws if it is not one. */
export function matrixSizes(who: string, t: unknown, name = "A"): MatrixSizes {
  checkTensor(who, t);
  if (t.rank < 2) throw new ShapeError(`${who}: ${name} must have at least 2 axes, got shape ${showShape(t)}`);
  checkFloating(who, t);
  return shapeOf(t).slice(-2) as unknown as MatrixSizes;
}

/** Returns the rows of a tensor of square matrices; throws if it is not one. */
export function squareSize(who: string, t: unknown, name = "A"): number {
  const [rows, cols] = matrixSizes(who, t, name);
  if (!mayEqual(rows, cols)) throw new ShapeError(`${who}: ${name} must be square matrices, got ${rows} by ${cols}`);
  return rows;
}

/** Throws unless both tensors have the same dtype. */
export function checkSame(who: string, a: Tensor, b: unknown, names: readonly [string, string] = ["A", "B"]): void {
  checkTensor(who, b);
  if (a.dtype !== b.dtype) throw differingDTypes(who, names.join(" and "), a.dtype, b.dtype);
}

/** Throws unless the pivots fit the packed factors. */
export function checkPivots(who: string, LU: Tensor, pivots: unknown): asserts pivots is Tensor {
  checkTensor(who, pivots);
  if (pivots.dtype !== "int32")
    throw new DTypeError(`${who}: pivots must be int32, got ${pivots.dtype}. Pass those of the factorization`);
  const sizes = matrixSizes(who, LU, "LU");
  const count = shapeOf(pivots)[pivots.rank - 1] ?? 0;
  if (!mayEqual(count, Math.min(...sizes)))
    throw new ShapeError(`${who}: needs a pivot for each row, got ${count} for matrices of ${sizes.join(" by ")}`);
}

/** Throws unless two sizes of A and B are equal. */
export function checkFits(who: string, a: Tensor, b: Tensor, x: Int, y: Int): void {
  if (!mayEqual(x, y))
    throw new ShapeError(
      `${who}: sizes of A and B must match, got ${x} and ${y} in ${showShape(a)} and ${showShape(b)}`,
    );
}

/** Returns the right-hand sides of systems as matrices; a vector, or a batch of vectors, becomes one column each. */
export function columnsOf(who: string, a: Tensor, b: Tensor): { readonly columns: Tensor; readonly isVector: boolean } {
  checkSame(who, a, b);
  const [x, y] = [shapeOf(a), shapeOf(b)];
  const isVector = y.length === 1 || (y.length === x.length - 1 && y.every((size, axis) => mayEqual(size, x[axis])));
  if (!isVector) matrixSizes(who, b, "B");
  return { columns: isVector ? unsqueeze(b, -1) : b, isVector };
}
