/**
 * Matrix algebra for gradients: adjoints, products, and diagonal factors, all through dispatch.
 */

import { keyShift } from "../../tensor/dispatch/keys.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { conjugate } from "../conjugate.ts";
import { matmul } from "../contract/matmul.ts";
import { mul } from "../elementwise/arithmetic.ts";
import { ne } from "../elementwise/comparison.ts";
import { any } from "../reduce/reduce.ts";
import { matrixTranspose, partView, unsqueeze } from "../views.ts";

/** Returns the number of rows and columns of matrices. */
export const rowsAndCols = (A: Tensor): [rows: number, cols: number] => sizesOf(A).slice(-2) as [number, number];

/** Returns the real part of a complex tensor; real tensors are returned unchanged. */
export const realPart = (t: Tensor): Tensor => (isComplexTensor(t) ? partView(t, "real") : t);
/** Returns the conjugate transpose of matrices. */
export const adjoint = (t: Tensor): Tensor => conjugate(matrixTranspose(t));
/** Returns the product of matrices, multiplied from the left. */
export const times = (...factors: readonly [Tensor, ...Tensor[]]): Tensor => factors.reduce((a, b) => matmul(a, b));
/** Multiplies a matrix by a diagonal matrix. */
export const timesDiagonal = (matrix: Tensor, diagonal: Tensor): Tensor => mul(matrix, unsqueeze(diagonal, -2));
/** Multiplies a diagonal matrix by a matrix. */
export const diagonalTimes = (diagonal: Tensor, matrix: Tensor): Tensor => mul(unsqueeze(diagonal, -1), matrix);

/** False if a gradient is zeros without a history, as for a result that was not used. */
export const isUsed = (g: Tensor): boolean =>
  g.bits >>> keyShift !== 0 || g.device.type !== "cpu" || any(ne(g, 0)).item() === true;
