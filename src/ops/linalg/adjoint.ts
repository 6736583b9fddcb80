/**
 * The algebra of matrices that gradients are written in: adjoints, products, and diagonals as factors, all through dispatch.
 */

import { keyShift } from "../../tensor/dispatch/keys.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { conjugate } from "../conjugate.ts";
import { matmul } from "../contract/matmul.ts";
import { mul } from "../elementwise/arithmetic.ts";
import { ne } from "../elementwise/comparison.ts";
import { any } from "../reduce/reduce.ts";
import { matrixTranspose, partView, unsqueeze } from "../views.ts";

/** The real part of complex numbers; real ones as they are. */
export const realPart = (t: Tensor): Tensor => (isComplexTensor(t) ? partView(t, "real") : t);
/** Transposed and conjugated. */
export const adjoint = (t: Tensor): Tensor => conjugate(matrixTranspose(t));
/** The product of matrices, from the left. */
export const times = (...factors: readonly [Tensor, ...Tensor[]]): Tensor => factors.reduce((a, b) => matmul(a, b));
/** A matrix times a diagonal one. */
export const timesDiagonal = (matrix: Tensor, diagonal: Tensor): Tensor => mul(matrix, unsqueeze(diagonal, -2));
/** A diagonal matrix times another one. */
export const diagonalTimes = (diagonal: Tensor, matrix: Tensor): Tensor => mul(unsqueeze(diagonal, -1), matrix);

/** False if a gradient is zeros without a history, as it is for a result that nothing was made of. */
export const isUsed = (g: Tensor): boolean =>
  g.bits >>> keyShift !== 0 || g.device.type !== "cpu" || any(ne(g, 0)).item() === true;
