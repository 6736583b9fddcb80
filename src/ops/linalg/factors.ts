/**
 * Direct factorizations of matrices: LU, Cholesky, QR, LDL. Forms that end in `Ex` return an `info` for each matrix, 0 for success, and
 * throw only with `checkErrors`; the others always throw.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { add, mul, sub } from "../elementwise/arithmetic.ts";
import * as core from "../linalg-core/cholesky.ts";
import * as ldl from "../linalg-core/ldl.ts";
import * as lus from "../linalg-core/lu.ts";
import * as qrs from "../linalg-core/qr.ts";
import { tril, triu } from "../movement/diagonals.ts";
import { cat } from "../movement/join.ts";
import type { Result } from "../op.ts";
import { show } from "../shape-rules.ts";
import { narrow } from "../views.ts";
import { adjoint, rowsAndCols, times } from "./adjoint.ts";
import { checkInfo } from "./error.ts";
import type { CheckOption, Gives, GivesSome, HermitianOption, OutOf, Plain, UpperOption } from "./linalg-types.ts";
import { luShapes, luUnpack } from "./lu-unpack.ts";
import { type MatrixGradient, matrixOp, nothing, type Plan } from "./matrix-op.ts";
import { checkSame, matrixSizes, squareSize } from "./matrix-rules.ts";
import { householderGradient } from "./reflections-gradient.ts";
import { solveTriangular } from "./systems.ts";

// Gradients of the LU, Cholesky and QR factorizations. Each solves with the saved factors.

/** Returns L^-H X for a lower triangle L. */
const underLower = (L: Tensor, X: Tensor, unitriangular = false): Tensor =>
  solveTriangular(adjoint(L), X, { upper: true, unitriangular });
/** Returns X U^-H for an upper triangle U. */
const overUpper = (X: Tensor, U: Tensor): Tensor => solveTriangular(adjoint(U), X, { upper: false, left: false });

/** Returns the gradient of A = P L U. The part of A outside its leading square is handled separately. */
function luBackward(P: Tensor, L: Tensor, U: Tensor, gL: Tensor, gU: Tensor): Tensor {
  const [rows, cols] = [rowsAndCols(L)[0], rowsAndCols(U)[1]];
  const k = Math.min(rows, cols);
  const [top, below] = [(t: Tensor) => narrow(t, -2, 0, k), (t: Tensor) => narrow(t, -2, k, rows - k)];
  const [leftPart, rightPart] = [(t: Tensor) => narrow(t, -1, 0, k), (t: Tensor) => narrow(t, -1, k, cols - k)];
  let lower = times(adjoint(top(L)), top(gL));
  let upper = times(leftPart(gU), adjoint(leftPart(U)));
  if (cols > k) lower = sub(lower, times(rightPart(gU), adjoint(rightPart(U))));
  if (rows > k) upper = sub(upper, times(adjoint(below(L)), below(gL)));
  const inner = underLower(top(L), add(tril(lower, -1), triu(upper)), true);
  let result = overUpper(inner, leftPart(U));
  if (cols > k) result = cat([result, underLower(L, rightPart(gU), true)], -1);
  if (rows > k) result = cat([result, overUpper(below(gL), U)], -2);
  return times(P, result);
}

const luGradient: MatrixGradient<{ A: Tensor }> = (_, call) => {
  const [P, L, U] = [call.saveResult(0), call.saveResult(1), call.saveResult(2)];
  call.stop(0);
  return ([, gL, gU]) => ({ A: luBackward(P(), L(), U(), gL, gU) });
};

const luFactorGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const k = Math.min(...rowsAndCols(A));
  const [LU, pivots] = [call.saveResult(0), call.saveResult(1)];
  return ([g]) => {
    const { P, L, U } = luUnpack(LU(), pivots());
    return { A: luBackward(P, L, U, narrow(g, -1, 0, k), narrow(g, -2, 0, k)) };
  };
};

/** Returns the Hermitian part (t + t^H) / 2. */
const hermitian = (t: Tensor): Tensor => mul(add(t, adjoint(t)), 0.5);

const choleskyGradient: MatrixGradient<{ upper: boolean }> = ({ upper }, call) => {
  const factor = call.saveResult();
  return ([g]) => {
    const [L, gL] = upper ? [adjoint(factor()), adjoint(g)] : [factor(), g];
    const product = times(adjoint(L), gL);
    // The lower triangle, with the diagonal halved.
    const inner = mul(add(tril(product), tril(product, -1)), 0.5);
    return { A: hermitian(solveTriangular(L, underLower(L, inner), { upper: false, left: false })) };
  };
};

/** Returns the gradient of A = Q R with at least as many rows as columns. */
function qrBackward(Q: Tensor, R: Tensor, gQ: Tensor, gR: Tensor): Tensor {
  const inner = triu(sub(times(gR, adjoint(R)), times(adjoint(Q), gQ)));
  // The real part of the diagonal counts once, the imaginary part not at all.
  const whole = isComplexTensor(inner)
    ? sub(add(inner, adjoint(inner)), diagonalHalf(inner))
    : add(inner, adjoint(triu(inner, 1)));
  return overUpper(add(gQ, times(Q, whole)), R);
}
const diagonalHalf = (t: Tensor): Tensor => hermitian(tril(triu(t)));

const qrGradient: MatrixGradient<{ A: Tensor; mode: string }> = ({ A, mode }, call) => {
  const [rows, cols] = rowsAndCols(A);
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
    if (rows >= cols) return { A: qrBackward(Q, R, gQ, gR) };
    // A = [Q R1, Q R2]: the second part is R2 = Q^H A2.
    const [R1, R2] = [narrow(R, -1, 0, rows), narrow(R, -1, rows, cols - rows)];
    const [gR1, gR2] = [narrow(gR, -1, 0, rows), narrow(gR, -1, rows, cols - rows)];
    const all = add(gQ, times(Q, R2, adjoint(gR2)));
    return { A: cat([qrBackward(Q, R1, all, gR1), times(Q, gR2)], -1) };
  };
};

interface Arguments extends CheckOption, UpperOption {
  readonly A: Tensor;
  readonly pivot: boolean;
  readonly hermitian: boolean;
}
type WithOut<R, O = object> = [options?: OutOf<R> & O];

const infos: Result = { dtype: "int32", shape: [], isIndex: true };
const matrix = ({ dtype }: Tensor, rows: number, cols: number): Result => ({ dtype, shape: [rows, cols] });

// ---- LU ---------------------------------------------------------------------------------------------------------

interface PivotOption {
  /** Exchanges rows. Factorizations without pivoting are not implemented. */
  readonly pivot?: true | undefined;
}
function checkPivot(who: string, pivot: boolean): void {
  if (!pivot) throw new StridewiseError(`${who}: LU without pivoting is not implemented on the CPU. Omit pivot`);
}

const luPlan =
  (isChecked: boolean | null) =>
  ({ A, pivot, checkErrors }: Arguments, who: string): Plan => {
    const [rows, cols] = matrixSizes(who, A);
    checkPivot(who, pivot);
    return {
      inputs: [A],
      results: [matrix(A, rows, cols), { dtype: "int32", shape: [Math.min(rows, cols)], isIndex: true }, infos],
      run([a], prefix) {
        const { lu, pivots, info } = lus.luFactor(a);
        if (isChecked ?? checkErrors) checkInfo(who, prefix, "pivot", info);
        return [lu, { re: pivots }, { re: [info] }];
      },
    };
  };
type LuKinds = { LU: "same"; pivots: "int32" };
/** Returns the packed LU factorization of matrices, L below the diagonal and U on and above it, and the pivots: the row swapped at each step, counted from 1. */
export const luFactor: GivesSome<LuKinds, WithOut<LuKinds, PivotOption>> = /* @__PURE__ */ matrixOp(
  "linalg.luFactor(A; pivot = true)",
  /* @__PURE__ */ luPlan(true),
  ["LU", "pivots"],
  luFactorGradient,
);
type LuExKinds = LuKinds & { info: "int32" };
/** Returns the packed LU factorization of matrices, and `info`: for each matrix the 1-based index of the first zero pivot, or 0. */
export const luFactorEx: GivesSome<LuExKinds, WithOut<LuExKinds, PivotOption & CheckOption>> = /* @__PURE__ */ matrixOp(
  "linalg.luFactorEx(A; pivot = true, checkErrors = false)",
  /* @__PURE__ */ luPlan(null),
  ["LU", "pivots", "info"],
  luFactorGradient,
);
type LuParts = { P: "same"; L: "same"; U: "same" };
/** Returns the LU factorization A = P L U of matrices: a permutation matrix, a unit lower triangular and an upper triangular matrix. */
export const lu: GivesSome<LuParts, WithOut<LuParts, PivotOption>> = /* @__PURE__ */ matrixOp(
  "linalg.lu(A; pivot = true)",
  ({ A, pivot }: Arguments, who) => {
    const [rows, cols] = matrixSizes(who, A);
    checkPivot(who, pivot);
    return {
      inputs: [A],
      results: luShapes(A, rows, cols),
      run([a]) {
        const { lu: packed, pivots } = lus.luFactor(a);
        const { p, l, u } = lus.luUnpack(packed, pivots);
        return [p, l, u];
      },
    };
  },
  ["P", "L", "U"],
  luGradient,
);

// ---- Cholesky ---------------------------------------------------------------------------------------------------

const choleskyPlan =
  (isChecked: boolean | null) =>
  ({ A, upper, checkErrors }: Arguments, who: string): Plan => {
    const n = squareSize(who, A);
    return {
      inputs: [A],
      results: [matrix(A, n, n), infos],
      run([a], prefix) {
        const { factor, info } = core.cholesky(a, upper);
        if (isChecked ?? checkErrors) checkInfo(who, prefix, "definite", info);
        return [factor, { re: [info] }];
      },
    };
  };
/** Returns the Cholesky factor of Hermitian positive-definite matrices: the lower triangular L with A = L L^H, or with `upper` the upper triangular U with A = U^H U. */
export const cholesky: Gives<[options?: Plain[0] & UpperOption]> = /* @__PURE__ */ matrixOp(
  "linalg.cholesky(A; upper = false)",
  /* @__PURE__ */ choleskyPlan(true),
  null,
  choleskyGradient as never,
);
type CholeskyKinds = { L: "same"; info: "int32" };
/** Returns the Cholesky factor L, and for each matrix the order of the first leading minor that is not positive, or 0. */
export const choleskyEx: GivesSome<
  CholeskyKinds,
  WithOut<CholeskyKinds, UpperOption & CheckOption>
> = /* @__PURE__ */ matrixOp(
  "linalg.choleskyEx(A; upper = false, checkErrors = false)",
  /* @__PURE__ */ choleskyPlan(null),
  ["L", "info"],
  choleskyGradient as never,
);

// ---- QR ---------------------------------------------------------------------------------------------------------

/** The columns of Q: as many as needed, all, or none. */
type QrMode = "reduced" | "complete" | "r";
type QrKinds = { Q: "same"; R: "same" };
/** Returns the QR factorization A = Q R of matrices: a matrix with orthonormal columns and an upper triangular matrix. With mode "complete" Q is square; with "r" only R is computed. */
export const qr: GivesSome<QrKinds, [mode?: QrMode, options?: OutOf<QrKinds>]> = /* @__PURE__ */ matrixOp(
  "linalg.qr(A, mode = reduced)",
  ({ A, mode }: { A: Tensor; mode: QrMode }, who) => {
    const [rows, cols] = matrixSizes(who, A);
    if (mode !== "reduced" && mode !== "complete" && mode !== "r")
      throw new StridewiseError(`${who}: mode must be 'reduced', 'r' or 'complete', got '${String(mode)}'`);
    const k = mode === "complete" ? rows : Math.min(rows, cols);
    return {
      inputs: [A],
      results: [mode === "r" ? nothing(A.dtype) : matrix(A, rows, k), matrix(A, k, cols)],
      run([a]) {
        const { q, r } = qrs.qr(a, mode);
        return [q, r];
      },
    };
  },
  ["Q", "R"],
  qrGradient,
);
/** Returns the first columns of a product of Householder reflections, from reflectors as packed by geqrf: vectors below the diagonal, factors in tau. */
export const householderProduct: Gives<[tau: Tensor, options?: Plain[0]]> = /* @__PURE__ */ matrixOp(
  "linalg.householderProduct(A, tau)",
  ({ A, tau }: { A: Tensor; tau: Tensor }, who) => {
    const [rows, cols] = matrixSizes(who, A);
    const count = reflections(who, A, tau);
    if (rows < cols)
      throw new ShapeError(`${who}: A must have at least as many rows as columns, got ${rows} and ${cols}`);
    if (cols < count)
      throw new ShapeError(
        `${who}: A must have at least as many columns as tau has elements, got ${cols} and ${count}`,
      );
    return {
      inputs: [A, tau],
      axes: [2, 1],
      results: [matrix(A, rows, cols)],
      run: ([packed, factors]) => [qrs.householderProduct({ packed, tau: factors })],
    };
  },
  null,
  householderGradient,
  { batch: "vectors" },
);

/** Returns the number of reflections in tau; throws unless tau fits the matrices. */
export function reflections(who: string, A: Tensor, tau: Tensor): number {
  checkSame(who, A, tau, ["A", "tau"]);
  const [shape, taus] = [sizesOf(A), sizesOf(tau)];
  if (taus.length !== shape.length - 1 || taus.slice(0, -1).some((size, axis) => size !== shape[axis]))
    throw new ShapeError(
      `${who}: tau must have one axis fewer than A and the same batch, got ${show(taus)} for ${show(shape)}`,
    );
  return taus[taus.length - 1];
}

// ---- LDL --------------------------------------------------------------------------------------------------------

const ldlPlan = ({ A, hermitian }: Arguments, who: string): Plan => {
  const n = squareSize(who, A);
  return {
    inputs: [A],
    results: [matrix(A, n, n), { dtype: "int32", shape: [n], isIndex: true }, infos],
    run([a]) {
      const { ld, pivots, info } = ldl.ldlFactor(a, hermitian);
      return [ld, { re: pivots }, { re: [info] }];
    },
  };
};
type LdlKinds = { LD: "same"; pivots: "int32" };
/** Returns the packed factorization A = L D L^T of symmetric matrices, or L D L^H of Hermitian ones; D has blocks of one or two rows. */
export const ldlFactor: GivesSome<LdlKinds, WithOut<LdlKinds, HermitianOption>> = /* @__PURE__ */ matrixOp(
  "linalg.ldlFactor(A; hermitian = false)",
  ldlPlan,
  ["LD", "pivots"],
);
type LdlExKinds = LdlKinds & { info: "int32" };
/** Returns the packed factorization A = L D L^T or L D L^H, and `info`: for each matrix the 1-based index of the first zero block of D, or 0. */
export const ldlFactorEx: GivesSome<
  LdlExKinds,
  WithOut<LdlExKinds, HermitianOption & CheckOption>
> = /* @__PURE__ */ matrixOp("linalg.ldlFactorEx(A; hermitian = false, checkErrors = false)", ldlPlan, [
  "LD",
  "pivots",
  "info",
]);
