/**
 * Singular values and eigenvalues of matrices, with or without their vectors. Signs and phases of vectors are arbitrary, and so is the
 * order of eigenvalues of general matrices. Singular values descend, eigenvalues of Hermitian matrices ascend.
 */

import { StridewiseError } from "../../base/errors.ts";
import { complexDType, realDType } from "../../storage/dtype.ts";
import { eye } from "../../tensor/create/create-ops.ts";
import type { TangentRule } from "../../tensor/dispatch/facts.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { conjugate } from "../conjugate.ts";
import { abs, add, div, mul, sub } from "../elementwise/arithmetic.ts";
import { gt } from "../elementwise/comparison.ts";
import * as general from "../linalg-core/eig.ts";
import * as hermitian from "../linalg-core/eigh.ts";
import type { Matrix } from "../linalg-core/matrix.ts";
import * as singular from "../linalg-core/svd.ts";
import { diagEmbed } from "../movement/diagonals.ts";
import { any } from "../reduce/reduce.ts";
import { diagonal, narrow, partView, unsqueeze } from "../views.ts";
import { adjoint, diagonalTimes, isUsed, realPart, rowsAndCols, times, timesDiagonal } from "./adjoint.ts";
import { checkInfo, LinAlgError } from "./error.ts";
import type { Gives, GivesSome, OutOf, Plain } from "./linalg-types.ts";
import { type MatrixGradient, matrixOp, type Part, type Plan } from "./matrix-op.ts";
import { matrixSizes, optionsLike, squareSize } from "./matrix-rules.ts";
import { solve } from "./systems.ts";

// Gradients of singular values and eigenvalues with their vectors. Gradients of vectors exist where values differ, and for complex
// vectors only if the loss does not depend on their arbitrary phases; otherwise they throw.

const diagonalOf = (t: Tensor): Tensor => diagonal(t, 0, -2, -1);
const skew = (t: Tensor): Tensor => sub(t, adjoint(t));

/** Returns values[k] - values[j] in row j and column k, and 1 on the diagonal. */
function distances(values: Tensor): Tensor {
  const n = sizesOf(values).at(-1) as number;
  const unit = eye(n, n, optionsLike(values));
  return add(sub(unsqueeze(values, -2), unsqueeze(values, -1)), unit);
}

/** Throws if a gradient depends on phases: the imaginary parts of `numbers` must be 0. */
function checkPhases(who: string, vectors: string, numbers: Tensor): void {
  if (!isComplexTensor(numbers) || numbers.device.type !== "cpu") return;
  if (any(gt(abs(partView(numbers, "imag")), 1e-2)).item() === true)
    throw new StridewiseError(
      `${who}: complex ${vectors} are defined up to a factor e^{i phi}, and the loss depends on it, so it is ill-defined`,
    );
}

const svdGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const [rows, cols] = rowsAndCols(A);
  const k = Math.min(rows, cols);
  const [u, s, vh] = [call.saveResult(0), call.saveResult(1), call.saveResult(2)];
  return ([gAllU, gS, gAllVh]) => {
    const [U, S, V] = [narrow(u(), -1, 0, k), s(), adjoint(narrow(vh(), -2, 0, k))];
    const [hasU, hasV] = [isUsed(gAllU), isUsed(gAllVh)];
    if (!hasU && !hasV) return { A: times(timesDiagonal(U, gS), adjoint(V)) };
    const gU = narrow(gAllU, -1, 0, k);
    const gV = adjoint(narrow(gAllVh, -2, 0, k));
    const [inU, inV] = [times(adjoint(U), gU), times(adjoint(V), gV)];
    checkPhases("svdBackward", "singular vectors", add(diagonalOf(inU), diagonalOf(inV)));
    let inner = add(divided(skew(inU), skew(inV), S, distances(mul(S, S))), diagEmbed(gS));
    if (isComplexTensor(inner)) inner = add(inner, diagEmbed(div(diagonalOf(skew(inU)), mul(S, 2))));
    let result = times(U, inner, adjoint(V));
    if (rows > k) result = add(result, times(div(sub(gU, times(U, inU)), unsqueeze(S, -2)), adjoint(V)));
    if (cols > k) result = add(result, times(U, div(adjoint(sub(gV, times(V, inV))), unsqueeze(S, -1))));
    return { A: result };
  };
};

/** (X / E) S + S (Y / E); for complex matrices without the diagonal, which depends on phases only. */
function divided(X: Tensor, Y: Tensor, S: Tensor, E: Tensor): Tensor {
  const sum = add(timesDiagonal(div(X, E), S), diagonalTimes(S, div(Y, E)));
  return isComplexTensor(sum) ? sub(sum, diagEmbed(diagonalOf(sum))) : sum;
}

const svdvalsGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const a = call.save(A);
  return ([g]) => {
    const { U, Vh } = svd(a(), false);
    return { A: times(timesDiagonal(U, g), Vh) };
  };
};

const eighGradient: MatrixGradient<unknown> = (_, call) => {
  const [values, vectors] = [call.saveResult(0), call.saveResult(1)];
  return ([gL, gV]) => {
    const V = vectors();
    if (!isUsed(gV)) return { A: times(timesDiagonal(V, gL), adjoint(V)) };
    const inV = times(adjoint(V), gV);
    checkPhases("eighBackward", "eigenvectors", diagonalOf(inV));
    const inner = div(mul(skew(inV), 0.5), distances(values()));
    const numbers = sub(gL, diagonalOf(inner));
    return { A: times(V, add(inner, diagEmbed(numbers)), adjoint(V)) };
  };
};

const eigvalshGradient: MatrixGradient<Eigh> = ({ A, UPLO }, call) => {
  const a = call.save(A);
  return ([g]) => {
    const { eigenvectors: V } = eigh(a(), UPLO);
    return { A: times(timesDiagonal(V, g), adjoint(V)) };
  };
};

/** Returns V^-H X V^H, or its real part if A is real. */
function fromEigen(V: Tensor, X: Tensor, isReal: boolean): Tensor {
  const result = solve(adjoint(V), times(X, adjoint(V)));
  return isReal ? realPart(result) : result;
}

const eigGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const isReal = !isComplexTensor(A);
  const [values, vectors] = [call.saveResult(0), call.saveResult(1)];
  return ([gL, gV]) => {
    const V = vectors();
    if (!isUsed(gV)) return { A: fromEigen(V, diagEmbed(gL), isReal) };
    const inV = times(adjoint(V), gV);
    checkPhases("eigBackward", "eigenvectors", diagonalOf(inV));
    const rest = sub(inV, timesDiagonal(times(adjoint(V), V), realPart(diagonalOf(inV))));
    const inner = div(rest, conjugate(distances(values())));
    return { A: fromEigen(V, add(inner, diagEmbed(sub(gL, diagonalOf(inner)))), isReal) };
  };
};

const eigvalsGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const isReal = !isComplexTensor(A);
  const a = call.save(A);
  return ([g]) => ({ A: fromEigen(eig(a()).eigenvectors, diagEmbed(g), isReal) });
};

/** PyTorch's tangents of eigenvalues and eigenvectors, which assume a Hermitian tangent. */
const eighTangent: TangentRule = (tangent, results) => {
  const [L, V] = results as readonly [Tensor, Tensor];
  const inV = times(adjoint(V), tangent, V);
  const own = diagonalOf(inV);
  return [realPart(own), times(V, div(sub(inV, diagEmbed(own, 0, -2, -1)), distances(L)))];
};

/** The elements of a result that was not requested. */
const none: Part = { re: [] };

interface Svd {
  readonly A: Tensor;
  readonly fullMatrices: boolean;
}
type SvdKinds = { U: "same"; S: "real"; Vh: "same" };
/** Returns the singular value decomposition A = U S Vh of matrices; U and Vh are square unless `fullMatrices` is false. */
export const svd: GivesSome<SvdKinds, [fullMatrices?: boolean, options?: OutOf<SvdKinds>]> = /* @__PURE__ */ matrixOp(
  "linalg.svd(A, fullMatrices = true)",
  ({ A, fullMatrices }: Svd, who) => {
    const [rows, cols] = matrixSizes(who, A);
    const k = Math.min(rows, cols);
    return {
      inputs: [A],
      results: [
        { dtype: A.dtype, shape: [rows, fullMatrices ? rows : k] },
        { dtype: realDType(A.dtype), shape: [k] },
        { dtype: A.dtype, shape: [fullMatrices ? cols : k, cols] },
      ],
      run([a], prefix) {
        const { u, s, vh, info } = singular.svd(a, fullMatrices ? "full" : "reduced");
        checkInfo(who, prefix, "values", info);
        return [u as Matrix, { re: s }, vh as Matrix];
      },
    };
  },
  ["U", "S", "Vh"],
  svdGradient,
);
/** Returns the singular values of matrices in descending order. */
export const svdvals: Gives<Plain, "real"> = /* @__PURE__ */ matrixOp(
  "linalg.svdvals(A)",
  ({ A }: { A: Tensor }, who) => {
    const [rows, cols] = matrixSizes(who, A);
    return {
      inputs: [A],
      results: [{ dtype: realDType(A.dtype), shape: [Math.min(rows, cols)] }],
      run([a], prefix) {
        const { s, info } = singular.svd(a, "values");
        checkInfo(who, prefix, "values", info);
        return [{ re: s }];
      },
    };
  },
  null,
  svdvalsGradient,
);

/** The triangle that is read: the lower or the upper one. */
type Triangle = "L" | "U";
interface Eigh {
  readonly A: Tensor;
  readonly UPLO: Triangle;
}
const eighPlan =
  (withVectors: boolean) =>
  ({ A, UPLO }: Eigh, who: string): Plan => {
    const n = squareSize(who, A);
    const side = String(UPLO).toUpperCase();
    if (side !== "L" && side !== "U") throw new StridewiseError(`${who}: UPLO must be 'L' or 'U', got ${String(UPLO)}`);
    return {
      inputs: [A],
      results: [
        { dtype: realDType(A.dtype), shape: [n] },
        { dtype: A.dtype, shape: [n, n] },
      ],
      run([a], prefix) {
        const { values, vectors, info } = hermitian.eigh(a, side === "U", withVectors);
        checkInfo(who, prefix, "values", info);
        return [{ re: values }, vectors ?? none];
      },
    };
  };
type EighKinds = { eigenvalues: "real"; eigenvectors: "same" };
/** Returns the eigenvalues of Hermitian or symmetric matrices in ascending order, and their eigenvectors as columns; only one triangle is read. */
export const eigh: GivesSome<EighKinds, [UPLO?: Triangle, options?: OutOf<EighKinds>]> = /* @__PURE__ */ matrixOp(
  "linalg.eigh(A, UPLO = L)",
  /* @__PURE__ */ eighPlan(true),
  ["eigenvalues", "eigenvectors"],
  eighGradient,
  { batch: "matrix", tangent: eighTangent },
);
/** Returns the eigenvalues of Hermitian or symmetric matrices in ascending order; only one triangle is read. */
export const eigvalsh: Gives<[UPLO?: Triangle, options?: Plain[0]], "real"> = /* @__PURE__ */ matrixOp(
  "linalg.eigvalsh(A, UPLO = L)",
  /* @__PURE__ */ eighPlan(false),
  null,
  eigvalshGradient,
);

const eigPlan =
  (withVectors: boolean) =>
  ({ A }: { A: Tensor }, who: string): Plan => {
    const n = squareSize(who, A);
    const dtype = complexDType(A.dtype);
    return {
      inputs: [A],
      results: [
        { dtype, shape: [n] },
        { dtype, shape: [n, n] },
      ],
      run([a], prefix) {
        const { values, vectors, info } = general.eig(a, withVectors);
        if (info < 0) throw new LinAlgError(`${who}: ${prefix}the input has infinite or NaN elements`);
        checkInfo(who, prefix, "values", info);
        return [values, vectors ?? none];
      },
    };
  };
type EigKinds = { eigenvalues: "complex"; eigenvectors: "complex" };
/** Returns the complex eigenvalues of square matrices and their eigenvectors as columns of norm 1. */
export const eig: GivesSome<EigKinds> = /* @__PURE__ */ matrixOp(
  "linalg.eig(A)",
  /* @__PURE__ */ eigPlan(true),
  ["eigenvalues", "eigenvectors"],
  eigGradient,
);
/** Returns the complex eigenvalues of square matrices. */
export const eigvals: Gives<Plain, "complex"> = /* @__PURE__ */ matrixOp(
  "linalg.eigvals(A)",
  /* @__PURE__ */ eigPlan(false),
  null,
  eigvalsGradient,
);
