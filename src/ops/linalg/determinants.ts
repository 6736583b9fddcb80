/**
 * Determinants, ranks and condition numbers of matrices.
 */

import { StridewiseError } from "../../base/errors.ts";
import { realDType } from "../../storage/dtype.ts";
import { arange, eye, ones } from "../../tensor/create/create-ops.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { conjugate } from "../conjugate.ts";
import { abs, div, maximum, mul, sub } from "../elementwise/arithmetic.ts";
import { complex, where } from "../elementwise/choose.ts";
import { gt, isfinite, le, logicalAnd, logicalNot } from "../elementwise/comparison.ts";
import * as lus from "../linalg-core/lu.ts";
import { diagEmbed } from "../movement/diagonals.ts";
import { amax, any, prod, sum, vectorNorm } from "../reduce/reduce.ts";
import { detach, expand, partView, select, unsqueeze } from "../views.ts";
import { adjoint, times, timesDiagonal } from "./adjoint.ts";
import type { Gives, GivesSome } from "./linalg-types.ts";
import { type MatrixGradient, matrixOfOps, matrixOp } from "./matrix-op.ts";
import { epsilonOf, matrixSizes, optionsLike, squareSize } from "./matrix-rules.ts";
import { type MatrixOrder, matrixNorm, zeroNorms } from "./norms.ts";
import { eigvalsh, svd, svdvals } from "./spectra.ts";
import { invEx, solveEx, type ToleranceOptions } from "./systems.ts";

// Gradients of determinants. The gradient of det(A) is conj(det(A)) A^-H. Where A is singular, or nearly so, it is computed from the
// singular vectors, since the matrix of cofactors exists there, too.

const matrices = (numbers: Tensor): Tensor => unsqueeze(unsqueeze(numbers, -1), -1);

/** Returns the adjoint of the inverse, times a number for each matrix. */
const inverseTimes = (numbers: Tensor, A: Tensor): Tensor =>
  solveEx(adjoint(A), diagEmbed(expand(unsqueeze(numbers, -1), sizesOf(A).slice(0, -1)))).result;

const size = (A: Tensor): Tensor => vectorNorm(detach(A), [-2, -1]);

/**
 * True for matrices whose determinant times their inverse would lose more than half of the digits. False for matrices with NaN or
 * infinite elements, which have no singular vectors either.
 */
function nearSingular(A: Tensor, inverse: Tensor): Tensor {
  const length = size(A);
  return logicalAnd(isfinite(length), logicalNot(le(mul(length, size(inverse)), epsilonOf(A.dtype) ** -0.5)));
}

/** Returns the conjugated cofactors times a number for each matrix, from the products of all singular values but one. */
function cofactorsTimes(again: (A: Tensor) => Tensor, numbers: Tensor, A: Tensor, unit: Tensor): Tensor {
  const { U, S, Vh } = svd(A);
  const others = prod(where(unit, 1, expand(unsqueeze(S, -2), sizesOf(A))), -1);
  const factor = mul(conjugate(mul(again(U), again(Vh))), numbers);
  return times(timesDiagonal(U, mul(unsqueeze(factor, -1), others)), Vh);
}

const detGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const [matrix, result] = [call.save(A), call.saveResult()];
  return ([g]) => {
    const [a, det] = [matrix(), result()];
    if (a.size === 0) return { A: null };
    const n = sizesOf(a).at(-1) as number;
    const options = optionsLike(a);
    const inverse = (t: Tensor): Tensor => inverseTimes(ones([], options), t);
    const times = (t: Tensor): Tensor => mul(matrices(mul(g, conjugate(det))), t);
    const plain = inverse(a);
    const isSingular = nearSingular(a, plain);
    if (a.device.type !== "cpu" || any(isSingular).item() !== true) return { A: times(plain) };
    // Each formula sees a regular matrix in place of those that it does not hold for.
    const unit = eye(n, n, optionsLike(a, "bool"));
    const mask = matrices(isSingular);
    const spread = diagEmbed(arange(1, n + 1, 1, options));
    const cofactors = cofactorsTimes((t) => call.again(t) as Tensor, g, where(mask, a, spread), unit);
    return { A: where(mask, cofactors, times(inverse(where(mask, eye(n, n, options), a)))) };
  };
};

const slogdetGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const matrix = call.save(A);
  const sign = isComplexTensor(A) ? call.saveResult(0) : null;
  return ([gSign, gLog]) => {
    if (sign === null) return { A: inverseTimes(gLog, matrix()) };
    const turn = partView(mul(conjugate(gSign), sign()), "imag");
    return { A: inverseTimes(complex(gLog, sub(0, turn)), matrix()) };
  };
};

/** Returns the determinant of square matrices. */
export const det: Gives = /* @__PURE__ */ matrixOp(
  "linalg.det(A)",
  ({ A }: { A: Tensor }, who) => {
    squareSize(who, A);
    return {
      inputs: [A],
      results: [{ dtype: A.dtype, shape: [] }],
      run([a]) {
        const { re, im } = lus.determinant(a);
        return [{ re: [re], im: [im] }];
      },
    };
  },
  null,
  detGradient,
);
/** Returns the sign of the determinant of square matrices and the natural logarithm of its absolute value. */
export const slogdet: GivesSome<{ sign: "same"; logabsdet: "real" }> = /* @__PURE__ */ matrixOp(
  "linalg.slogdet(A)",
  ({ A }: { A: Tensor }, who) => {
    squareSize(who, A);
    return {
      inputs: [A],
      results: [
        { dtype: A.dtype, shape: [] },
        { dtype: realDType(A.dtype), shape: [] },
      ],
      run([a]) {
        const { sign, logabs } = lus.slogdet(a);
        return [{ re: [sign.re], im: [sign.im] }, { re: [logabs] }];
      },
    };
  },
  ["sign", "logabsdet"],
  slogdetGradient,
);

/** Returns the numerical rank of matrices: the number of singular values above a tolerance. */
export const matrixRank: Gives<[options?: ToleranceOptions], "int64"> = /* @__PURE__ */ matrixOfOps(
  "linalg.matrixRank(A; atol = null, rtol = null, hermitian = false)",
  ({ A, atol, rtol, hermitian }: ToleranceOptions & { A: Tensor }, who) => {
    if (hermitian) squareSize(who, A);
    const [rows, cols] = matrixSizes(who, A);
    const values = hermitian ? abs(eigvalsh(A)) : svdvals(A);
    if (Math.min(rows, cols) === 0) return sum(gt(values, 0), -1);
    const min = atol ?? 0;
    const usual = epsilonOf(A.dtype) * Math.max(rows, cols);
    const share = rtol ?? (min instanceof Tensor ? where(gt(min, 0), 0, usual) : min > 0 ? 0 : usual);
    return sum(gt(values, unsqueeze(maximum(mul(amax(values, -1), share), min), -1)), -1);
  },
);

/** Returns the condition number of matrices: the norm of A times the norm of its inverse, Infinity for singular matrices. */
export const cond: Gives<[p?: MatrixOrder | null], "real"> = /* @__PURE__ */ matrixOfOps(
  "linalg.cond(A, p = null)",
  ({ A, p }: { A: Tensor; p: MatrixOrder | null }, who) => {
    const order = p ?? 2;
    if (order === 2 || order === -2) {
      matrixSizes(who, A);
      if (A.size === 0) return zeroNorms(A);
      const values = svdvals(A);
      const [first, last] = [select(values, -1, 0), select(values, -1, -1)];
      return order === 2 ? div(first, last) : div(last, first);
    }
    if (
      typeof order === "string"
        ? order !== "fro" && order !== "nuc"
        : Math.abs(order) !== 1 && Math.abs(order) !== Infinity
    )
      throw new StridewiseError(
        `${who}: p must be "fro", "nuc", 1, -1, 2, -2, Infinity or -Infinity, got ${String(order)}`,
      );
    if (squareSize(who, A) === 0) return zeroNorms(A);
    const { inverse, info } = invEx(A);
    const product = mul(matrixNorm(A, order), matrixNorm(inverse, order));
    return where(gt(info, 0), Infinity, product);
  },
);
