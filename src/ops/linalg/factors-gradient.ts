/**
 * Gradients of factorisations without an iteration: LU, Cholesky, QR. Each solves with the factors that it has kept.
 */

import { StridewiseError } from "../../base/errors.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { add, mul, sub } from "../elementwise/arithmetic.ts";
import { tril, triu } from "../movement/diagonals.ts";
import { cat } from "../movement/join.ts";
import { narrow } from "../views.ts";
import { adjoint, times } from "./adjoint.ts";
import { luUnpack } from "./lu-unpack.ts";
import type { MatrixGradient } from "./matrix-op.ts";
import { solveTriangular } from "./systems.ts";

interface Of {
  readonly A: Tensor;
}
const sizes = (A: Tensor): [rows: number, cols: number] => sizesOf(A).slice(-2) as [number, number];

/** L^-H X of a lower triangle L. */
const underLower = (L: Tensor, X: Tensor, unitriangular = false): Tensor =>
  solveTriangular(adjoint(L), X, { upper: true, unitriangular });
/** X U^-H of an upper triangle U. */
const overUpper = (X: Tensor, U: Tensor): Tensor => solveTriangular(adjoint(U), X, { upper: false, left: false });

/** The gradient of A = P L U. What is longer than wide, or wider, goes with a square part. */
function luBackward(P: Tensor, L: Tensor, U: Tensor, gL: Tensor, gU: Tensor): Tensor {
  const [rows, cols] = [sizes(L)[0], sizes(U)[1]];
  const k = Math.min(rows, cols);
  const [top, below] = [(t: Tensor) => narrow(t, -2, 0, k), (t: Tensor) => narrow(t, -2, k, rows - k)];
  const [front, behind] = [(t: Tensor) => narrow(t, -1, 0, k), (t: Tensor) => narrow(t, -1, k, cols - k)];
  let lower = times(adjoint(top(L)), top(gL));
  let upper = times(front(gU), adjoint(front(U)));
  if (cols > k) lower = sub(lower, times(behind(gU), adjoint(behind(U))));
  if (rows > k) upper = sub(upper, times(adjoint(below(L)), below(gL)));
  const inner = underLower(top(L), add(tril(lower, -1), triu(upper)), true);
  let result = overUpper(inner, front(U));
  if (cols > k) result = cat([result, underLower(L, behind(gU), true)], -1);
  if (rows > k) result = cat([result, overUpper(below(gL), U)], -2);
  return times(P, result);
}

export const luGradient: MatrixGradient<Of> = (_, call) => {
  const [P, L, U] = [call.saveResult(0), call.saveResult(1), call.saveResult(2)];
  call.stop(0);
  return ([, gL, gU]) => ({ A: luBackward(P(), L(), U(), gL as Tensor, gU as Tensor) });
};

export const luFactorGradient: MatrixGradient<Of> = ({ A }, call) => {
  const k = Math.min(...sizes(A));
  const [LU, pivots] = [call.saveResult(0), call.saveResult(1)];
  return ([g]) => {
    const { P, L, U } = luUnpack(LU(), pivots());
    return { A: luBackward(P, L, U, narrow(g as Tensor, -1, 0, k), narrow(g as Tensor, -2, 0, k)) };
  };
};

/** Half of the sum with the adjoint. */
const hermitian = (t: Tensor): Tensor => mul(add(t, adjoint(t)), 0.5);

export const choleskyGradient: MatrixGradient<{ upper: boolean }> = ({ upper }, call) => {
  const factor = call.saveResult();
  return ([g]) => {
    const [L, gL] = upper ? [adjoint(factor()), adjoint(g as Tensor)] : [factor(), g as Tensor];
    const product = times(adjoint(L), gL);
    // The lower triangle, with half of the diagonal.
    const inner = mul(add(tril(product), tril(product, -1)), 0.5);
    return { A: hermitian(solveTriangular(L, underLower(L, inner), { upper: false, left: false })) };
  };
};

/** The gradient of A = Q R with as many rows as columns or more. */
function qrBackward(Q: Tensor, R: Tensor, gQ: Tensor, gR: Tensor): Tensor {
  const inner = triu(sub(times(gR, adjoint(R)), times(adjoint(Q), gQ)));
  // Of the diagonal, the real part counts once, and the other not at all.
  const whole = isComplexTensor(inner)
    ? sub(add(inner, adjoint(inner)), diagonalHalf(inner))
    : add(inner, adjoint(triu(inner, 1)));
  return overUpper(add(gQ, times(Q, whole)), R);
}
const diagonalHalf = (t: Tensor): Tensor => hermitian(tril(triu(t)));

export const qrGradient: MatrixGradient<{ A: Tensor; mode: string }> = ({ A, mode }, call) => {
  const [rows, cols] = sizes(A);
  const [q, r] = [call.saveResult(0), call.saveResult(1)];
  return ([gQ, gR]) => {
    if (mode === "r")
      throw new StridewiseError(
        "backward: the derivative of linalg.qr needs Q, which mode 'r' does not compute. Use linalg.qr(A, 'reduced')",
      );
    if (mode === "complete" && rows > cols)
      throw new StridewiseError(
        `backward: linalg.qr with mode 'complete' has no derivative for more rows than columns, got ${rows} and ${cols}. Use 'reduced'`,
      );
    const [Q, R] = [q(), r()];
    if (rows >= cols) return { A: qrBackward(Q, R, gQ as Tensor, gR as Tensor) };
    // A = [Q R1, Q R2]: the second part is R2 = Q^H A2.
    const [R1, R2] = [narrow(R, -1, 0, rows), narrow(R, -1, rows, cols - rows)];
    const [gR1, gR2] = [narrow(gR as Tensor, -1, 0, rows), narrow(gR as Tensor, -1, rows, cols - rows)];
    const all = add(gQ as Tensor, times(Q, R2, adjoint(gR2)));
    return { A: cat([qrBackward(Q, R1, all, gR1), times(Q, gR2)], -1) };
  };
};
