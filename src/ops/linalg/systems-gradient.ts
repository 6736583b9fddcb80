/**
 * Gradients of systems and inverses. In A X = B, the gradient of B solves the adjoint system, and that of A follows from it and X.
 */

import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { conjugate } from "../conjugate.ts";
import { add, mul, neg, sub } from "../elementwise/arithmetic.ts";
import { tril, triu } from "../movement/diagonals.ts";
import { matrixTranspose, squeeze, unsqueeze } from "../views.ts";
import { adjoint, isUsed, rowsAndCols, times } from "./adjoint.ts";
import { luUnpack, packed } from "./lu-unpack.ts";
import type { MatrixGradient } from "./matrix-op.ts";
import { columnsOf } from "./matrix-rules.ts";

interface System {
  readonly A: Tensor;
  readonly B: Tensor;
  readonly left?: boolean | undefined;
}

const firstOf = (results: unknown): Tensor => (Array.isArray(results) ? results[0] : results) as Tensor;

/** The gradient of A in A X = B, or in X A = B, from that of B. */
const ofMatrix = (gB: Tensor, x: Tensor, left: boolean): Tensor =>
  neg(left ? times(gB, adjoint(x)) : times(adjoint(x), gB));

export const solveGradient: MatrixGradient<System> = ({ A, B, left = true }, call) => {
  const { isVector } = columnsOf("solve", A, B);
  const column = (t: Tensor): Tensor => (isVector ? unsqueeze(t, -1) : t);
  const a = call.save(A);
  const x = call.needs(A) ? call.saveResult() : null;
  return ([g]) => {
    const gB = firstOf(call.again(adjoint(a()), column(g), { left }));
    return { A: x && ofMatrix(gB, column(x()), left), B: isVector ? squeeze(gB, -1) : gB };
  };
};

export const inverseGradient: MatrixGradient<unknown> = (_, call) => {
  const inverse = call.saveResult();
  return ([g]) => {
    const back = adjoint(inverse());
    return { A: neg(times(back, g, back)) };
  };
};

/** Returns the triangle of a gradient that is used, without a unit diagonal. */
const triangle = (g: Tensor, upper: boolean, unit: boolean): Tensor =>
  upper ? triu(g, unit ? 1 : 0) : tril(g, unit ? -1 : 0);

interface Triangular extends System {
  readonly upper: boolean;
  readonly unitriangular?: boolean;
}
export const solveTriangularGradient: MatrixGradient<Triangular> = (
  { A, upper, left = true, unitriangular = false },
  call,
) => {
  const a = call.save(A);
  const x = call.needs(A) ? call.saveResult() : null;
  return ([g]) => {
    const B = firstOf(call.again(adjoint(a()), g, { upper: !upper, left, unitriangular }));
    return { A: x && triangle(ofMatrix(B, x(), left), upper, unitriangular), B };
  };
};

/** For the older form, whose triangle may be transposed; its second result is the triangle itself. */
export const triangularSolveGradient: MatrixGradient<Triangular & { transpose: boolean }> = (
  { A, upper, transpose, unitriangular = false },
  call,
) => {
  const a = call.save(A);
  const x = call.needs(A) ? call.saveResult() : null;
  return ([g, gCopy]) => {
    const B = firstOf(call.again(g, conjugate(a()), upper, !transpose, unitriangular));
    if (x === null) return { A: null, B };
    const full = ofMatrix(B, x(), true);
    return { A: add(triangle(transpose ? matrixTranspose(full) : full, upper, unitriangular), gCopy), B };
  };
};

interface Factored {
  readonly LU: Tensor;
  readonly pivots: Tensor;
  readonly B: Tensor;
  readonly left?: boolean;
  readonly adjoint?: boolean;
}
export const luSolveGradient: MatrixGradient<Factored> = (
  { LU, pivots, left = true, adjoint: isAdjoint = false },
  call,
) => {
  const [factors, steps] = [call.save(LU), call.save(pivots)];
  const n = sizesOf(LU).at(-1) as number;
  const x = call.needs(LU) ? call.saveResult() : null;
  return ([g]) => {
    const B = firstOf(call.again(factors(), steps(), g, { left, adjoint: !isAdjoint }));
    if (x === null) return { LU: null, B };
    const { P, L, U } = luUnpack(factors(), steps());
    const inner = ofMatrix(B, x(), left);
    const gA = times(matrixTranspose(P), isAdjoint ? adjoint(inner) : inner);
    return { LU: packed(times(gA, adjoint(U)), times(adjoint(L), gA), n, n), B };
  };
};

/** Returns the gradient of A from that of its pseudoinverse P. */
function pseudoInverseBackward(g: Tensor, P: Tensor, A: Tensor): Tensor {
  const [rows, cols] = rowsAndCols(A);
  const [gh, Ph] = [adjoint(g), adjoint(P)];
  if (rows <= cols) {
    const K = times(gh, P);
    const KPh = times(K, Ph);
    const rest = sub(KPh, times(A, times(P, KPh)));
    return add(sub(rest, adjoint(times(P, K))), times(Ph, times(P, sub(gh, times(K, A)))));
  }
  const K = times(P, gh);
  const PhK = times(Ph, K);
  const rest = sub(PhK, times(times(PhK, P), A));
  return add(sub(rest, adjoint(times(K, P))), times(times(sub(gh, times(A, K)), P), Ph));
}

export const pseudoInverseGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const [a, inverse] = [call.save(A), call.saveResult()];
  return ([g]) => ({ A: pseudoInverseBackward(g, inverse(), a()) });
};

/** Least squares: X is the pseudoinverse of A times B, and the residuals are the sums of squares of A X - B. */
export const leastSquaresGradient =
  (pinv: () => (A: Tensor) => Tensor): MatrixGradient<System> =>
  ({ A, B }, call) => {
    const { isVector } = columnsOf("lstsq", A, B);
    const column = (t: Tensor): Tensor => (isVector ? unsqueeze(t, -1) : t);
    const [a, b] = [call.save(A), call.save(B)];
    const x = call.saveResult();
    return ([g, gResiduals]) => {
      const [matrix, right, gX] = [a(), column(b()), column(g)];
      const inverse = pinv()(matrix);
      let gA = pseudoInverseBackward(times(gX, adjoint(right)), inverse, matrix);
      let gB = times(adjoint(inverse), gX);
      if (gResiduals.size > 0 && isUsed(gResiduals)) {
        const solution = column(x());
        const rest = mul(sub(times(matrix, solution), right), mul(unsqueeze(gResiduals, -2), 2));
        gA = add(gA, times(rest, adjoint(solution)));
        gB = sub(gB, rest);
      }
      return { A: gA, B: isVector ? squeeze(gB, -1) : gB };
    };
  };
