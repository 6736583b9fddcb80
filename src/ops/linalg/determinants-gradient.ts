/**
 * Gradients of determinants. That of det(A) is conj(det(A)) A^-H; where A is singular, or nearly so, it follows from the singular vectors,
 * since the matrix of cofactors exists there, too.
 */

import { arange, eye, ones } from "../../tensor/create/create-ops.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { conjugate } from "../conjugate.ts";
import { mul, sub } from "../elementwise/arithmetic.ts";
import { complex, where } from "../elementwise/choose.ts";
import { isfinite, le, logicalAnd, logicalNot } from "../elementwise/comparison.ts";
import { diagEmbed } from "../movement/diagonals.ts";
import { any, prod, vectorNorm } from "../reduce/reduce.ts";
import { detach, expand, partView, unsqueeze } from "../views.ts";
import { adjoint, times, timesDiagonal } from "./adjoint.ts";
import type { MatrixGradient } from "./matrix-op.ts";
import { beside, epsilonOf } from "./matrix-rules.ts";
import { svd } from "./spectra.ts";
import { solveEx } from "./systems.ts";

const matrices = (numbers: Tensor): Tensor => unsqueeze(unsqueeze(numbers, -1), -1);

/** The adjoint of the inverse, times a number for each matrix. */
const inverseTimes = (numbers: Tensor, A: Tensor): Tensor =>
  solveEx(adjoint(A), diagEmbed(expand(unsqueeze(numbers, -1), sizesOf(A).slice(0, -1)))).result;

const size = (A: Tensor): Tensor => vectorNorm(detach(A), [-2, -1]) as Tensor;

/**
 * The matrices whose determinant times their inverse would lose more than half of the digits. Those with NaN or infinite elements are not
 * among them: they have no singular vectors either.
 */
function nearSingular(A: Tensor, inverse: Tensor): Tensor {
  const length = size(A);
  return logicalAnd(isfinite(length), logicalNot(le(mul(length, size(inverse)), epsilonOf(A.dtype) ** -0.5)));
}

/** The cofactors, conjugated, times a number for each matrix: every product of all singular values but one. */
function cofactorsTimes(again: (A: Tensor) => Tensor, numbers: Tensor, A: Tensor, unit: Tensor): Tensor {
  const { U, S, Vh } = svd(A);
  const others = prod(where(unit, 1, expand(unsqueeze(S, -2), sizesOf(A))), -1);
  const factor = mul(conjugate(mul(again(U), again(Vh))), numbers);
  return times(timesDiagonal(U, mul(unsqueeze(factor, -1), others)), Vh);
}

export const detGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const [matrix, result] = [call.save(A), call.saveResult()];
  return ([g]) => {
    const [a, det] = [matrix(), result()];
    if (a.size === 0) return { A: null };
    const n = sizesOf(a).at(-1) as number;
    const place = { dtype: a.dtype, device: beside(a) };
    const inverse = (t: Tensor): Tensor => inverseTimes(ones([], place), t);
    const times = (t: Tensor): Tensor => mul(matrices(mul(g as Tensor, conjugate(det))), t);
    const plain = inverse(a);
    const isSingular = nearSingular(a, plain);
    if (a.device.type !== "cpu" || any(isSingular).item() !== true) return { A: times(plain) };
    // Where one formula does not hold, its matrix is replaced by one that it holds for.
    const unit = eye(n, n, { dtype: "bool", device: beside(a) });
    const mask = matrices(isSingular);
    const spread = diagEmbed(arange(1, n + 1, 1, place));
    const cofactors = cofactorsTimes((t) => call.again(t) as Tensor, g as Tensor, where(mask, a, spread), unit);
    return { A: where(mask, cofactors, times(inverse(where(mask, eye(n, n, place), a)))) };
  };
};

export const slogdetGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const matrix = call.save(A);
  const sign = isComplexTensor(A) ? call.saveResult(0) : null;
  return ([gSign, gLog]) => {
    const real = gLog as Tensor;
    if (sign === null) return { A: inverseTimes(real, matrix()) };
    const turn = partView(mul(conjugate(gSign as Tensor), sign()), "imag");
    return { A: inverseTimes(complex(real as never, sub(0 as never, turn) as never) as Tensor, matrix()) };
  };
};
