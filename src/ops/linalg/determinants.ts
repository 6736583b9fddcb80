/**
 * One number for each matrix that follows from its elimination or its singular values: determinants, rank, condition.
 */

import { StridewiseError } from "../../base/errors.ts";
import { realDType } from "../../storage/dtype.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { abs, div, maximum, mul } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { gt } from "../elementwise/comparison.ts";
import * as lus from "../linalg-core/lu.ts";
import type { Matrix } from "../linalg-core/matrix.ts";
import { amax, sum } from "../reduce/reduce.ts";
import { select, unsqueeze } from "../views.ts";
import { detGradient, slogdetGradient } from "./determinants-gradient.ts";
import type { Gives, MethodGives, MethodGivesSome } from "./linalg-types.ts";
import { matrixOfOps, matrixOp } from "./matrix-op.ts";
import { epsilonOf, matrixSizes, squareSize } from "./matrix-rules.ts";
import { type MatrixOrder, matrixNorm, zeroNorms } from "./norms.ts";
import { eigvalsh, svdvals } from "./spectra.ts";
import { invEx, type ToleranceOptions } from "./systems.ts";

/** The determinant of square matrices. */
export const det: MethodGives = /* @__PURE__ */ matrixOp(
  "linalg.det(A)",
  ({ A }: { A: Tensor }, who) => {
    squareSize(who, A);
    return {
      inputs: [A],
      results: [{ dtype: A.dtype, shape: [] }],
      run([a]) {
        const { re, im } = lus.determinant(a as Matrix);
        return [{ re: [re], im: [im] }];
      },
    };
  },
  null,
  detGradient,
);
/** The determinant as a sign of absolute value 1 and the logarithm of its absolute value, which does not overflow. */
export const slogdet: MethodGivesSome<{ sign: "same"; logabsdet: "real" }> = /* @__PURE__ */ matrixOp(
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
        const { sign, logabs } = lus.slogdet(a as Matrix);
        return [{ re: [sign.re], im: [sign.im] }, { re: [logabs] }];
      },
    };
  },
  ["sign", "logabsdet"],
  slogdetGradient,
);

/** How many singular values of any matrices are not 0, as far as rounding shows. */
export const matrixRank: Gives<[options?: ToleranceOptions], "int64"> = /* @__PURE__ */ matrixOfOps(
  "linalg.matrixRank(A; atol = null, rtol = null, hermitian = false)",
  ({ A, atol, rtol, hermitian }: ToleranceOptions & { A: Tensor }, who) => {
    if (hermitian) squareSize(who, A);
    const [rows, cols] = matrixSizes(who, A);
    const values = hermitian ? abs(eigvalsh(A)) : svdvals(A);
    if (Math.min(rows, cols) === 0) return sum(gt(values, 0), -1);
    const least = atol ?? 0;
    const usual = epsilonOf(A.dtype) * Math.max(rows, cols);
    const share = rtol ?? (least instanceof Tensor ? where(gt(least, 0), 0, usual) : least > 0 ? 0 : usual);
    return sum(gt(values, unsqueeze(maximum(mul(amax(values, -1), share), least), -1)), -1);
  },
);

/** How much errors in B grow in the solution of A X = B: the norm of A times that of its inverse; Infinity for singular matrices. */
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
        `${who}: the order must be fro, nuc, 1, -1, 2, -2, Infinity or -Infinity, got ${String(order)}`,
      );
    if (squareSize(who, A) === 0) return zeroNorms(A);
    const { inverse, info } = invEx(A);
    const product = mul(matrixNorm(A, order), matrixNorm(inverse, order));
    return where(gt(info, 0), Infinity, product);
  },
);
