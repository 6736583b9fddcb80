/**
 * Singular values and eigenvalues of matrices, with their vectors or without. Signs and phases of vectors are free, as is the order of
 * eigenvalues of general matrices; singular values fall, eigenvalues of Hermitian matrices rise.
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
import { adjoint, diagonalTimes, isUsed, realPart, times, timesDiagonal } from "./adjoint.ts";
import { checkInfo, LinAlgError } from "./error.ts";
import type { Gives, GivesSome, OutOf, Plain } from "./linalg-types.ts";
import { type MatrixGradient, matrixOp, type Part, type Plan } from "./matrix-op.ts";
import { beside, matrixSizes, squareSize } from "./matrix-rules.ts";
import { solve } from "./systems.ts";

// Gradients of singular values and eigenvalues with their vectors. Those of vectors exist where values differ, and of complex ones
// only for what does not depend on their phases, which are free: anything else is refused.

const diagonalOf = (t: Tensor): Tensor => diagonal(t, 0, -2, -1);
const skew = (t: Tensor): Tensor => sub(t, adjoint(t));

/** values[k] - values[j] in row j and column k, and 1 on the diagonal. */
function distances(values: Tensor): Tensor {
  const n = sizesOf(values).at(-1) as number;
  const unit = eye(n, n, { dtype: values.dtype, device: beside(values) });
  return add(sub(unsqueeze(values, -2), unsqueeze(values, -1)), unit);
}

/** Refuses a gradient that depends on phases: the numbers whose imaginary parts must be 0. */
function checkPhases(who: string, vectors: string, numbers: Tensor): void {
  if (!isComplexTensor(numbers) || numbers.device.type !== "cpu") return;
  if (any(gt(abs(partView(numbers, "imag")), 1e-2)).item() === true)
    throw new StridewiseError(
      `${who}: complex ${vectors} are defined up to a factor e^{i phi}, and the loss depends on it, so it is ill-defined.`,
    );
}

const svdGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const [rows, cols] = sizesOf(A).slice(-2) as [number, number];
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

/** (X / E) S + S (Y / E), without the diagonal, where phases alone would count. */
function divided(X: Tensor, Y: Tensor, S: Tensor, E: Tensor): Tensor {
  const sum = add(timesDiagonal(div(X, E), S), diagonalTimes(S, div(Y, E)));
  return isComplexTensor(sum) ? sub(sum, diagEmbed(diagonalOf(sum))) : sum;
}

/** Of singular values alone, by their vectors. */
const svdvalsGradient =
  (
    svd: () => (A: Tensor, fullMatrices: boolean) => { readonly U: Tensor; readonly Vh: Tensor },
  ): MatrixGradient<{
    A: Tensor;
  }> =>
  ({ A }, call) => {
    const a = call.save(A);
    return ([g]) => {
      const { U, Vh } = svd()(a(), false);
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

const eigvalshGradient =
  (
    eigh: () => (A: Tensor, UPLO: never) => { readonly eigenvectors: Tensor },
  ): MatrixGradient<{ A: Tensor; UPLO: string }> =>
  ({ A, UPLO }, call) => {
    const a = call.save(A);
    return ([g]) => {
      const { eigenvectors: V } = eigh()(a(), UPLO as never);
      return { A: times(timesDiagonal(V, g), adjoint(V)) };
    };
  };

/** V^-H X V^H, of a real matrix the real part. */
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

const eigvalsGradient =
  (eig: () => (A: Tensor) => { readonly eigenvectors: Tensor }): MatrixGradient<{ A: Tensor }> =>
  ({ A }, call) => {
    const isReal = !isComplexTensor(A);
    const a = call.save(A);
    return ([g]) => ({ A: fromEigen(eig()(a()).eigenvectors, diagEmbed(g), isReal) });
  };

/** PyTorch's tangents of eigenvalues and eigenvectors, which do not ask whether the tangent is Hermitian. */
const eighTangent: TangentRule = (tangent, results) => {
  const [L, V] = results as readonly [Tensor, Tensor];
  const inV = times(adjoint(V), tangent, V);
  const own = diagonalOf(inV);
  return [realPart(own), times(V, div(sub(inV, diagEmbed(own, 0, -2, -1)), distances(L)))];
};

/** The part of a result that nobody asked for. */
const none: Part = { re: [] };

interface Svd {
  readonly A: Tensor;
  readonly fullMatrices: boolean;
}
type SvdKinds = { U: "same"; S: "real"; Vh: "same" };
/** The factors A = U S Vh of any matrices: columns at right angles, singular values, rows at right angles. */
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
      run([a], place) {
        const { u, s, vh, info } = singular.svd(a, fullMatrices ? "full" : "reduced");
        checkInfo(who, place, "values", info);
        return [u as Matrix, { re: s }, vh as Matrix];
      },
    };
  },
  ["U", "S", "Vh"],
  svdGradient,
);
/** The singular values of any matrices, from the largest down. */
export const svdvals: Gives<Plain, "real"> = /* @__PURE__ */ matrixOp(
  "linalg.svdvals(A)",
  ({ A }: { A: Tensor }, who) => {
    const [rows, cols] = matrixSizes(who, A);
    return {
      inputs: [A],
      results: [{ dtype: realDType(A.dtype), shape: [Math.min(rows, cols)] }],
      run([a], place) {
        const { s, info } = singular.svd(a, "values");
        checkInfo(who, place, "values", info);
        return [{ re: s }];
      },
    };
  },
  null,
  /* @__PURE__ */ svdvalsGradient(() => svd),
);

/** The triangle that is read: the lower or the upper one. */
export type Triangle = "L" | "U";
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
      run([a], place) {
        const { values, vectors, info } = hermitian.eigh(a, side === "U", withVectors);
        checkInfo(who, place, "values", info);
        return [{ re: values }, vectors ?? none];
      },
    };
  };
type EighKinds = { eigenvalues: "real"; eigenvectors: "same" };
/** The eigenvalues of Hermitian or symmetric matrices, rising, and their eigenvectors as columns; one triangle is read. */
export const eigh: GivesSome<EighKinds, [UPLO?: Triangle, options?: OutOf<EighKinds>]> = /* @__PURE__ */ matrixOp(
  "linalg.eigh(A, UPLO = L)",
  /* @__PURE__ */ eighPlan(true),
  ["eigenvalues", "eigenvectors"],
  eighGradient,
  { batch: "matrix", tangent: eighTangent },
);
/** The eigenvalues of Hermitian or symmetric matrices, rising; one triangle is read. */
export const eigvalsh: Gives<[UPLO?: Triangle, options?: Plain[0]], "real"> = /* @__PURE__ */ matrixOp(
  "linalg.eigvalsh(A, UPLO = L)",
  /* @__PURE__ */ eighPlan(false),
  null,
  /* @__PURE__ */ eigvalshGradient(() => eigh),
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
      run([a], place) {
        const { values, vectors, info } = general.eig(a, withVectors);
        if (info < 0) throw new LinAlgError(`${who}: ${place}the input has infs or NaNs.`);
        checkInfo(who, place, "values", info);
        return [values, vectors ?? none];
      },
    };
  };
type EigKinds = { eigenvalues: "complex"; eigenvectors: "complex" };
/** The eigenvalues of square matrices and their eigenvectors as columns of length 1; both complex. */
export const eig: GivesSome<EigKinds> = /* @__PURE__ */ matrixOp(
  "linalg.eig(A)",
  /* @__PURE__ */ eigPlan(true),
  ["eigenvalues", "eigenvectors"],
  eigGradient,
);
/** The eigenvalues of square matrices, complex. */
export const eigvals: Gives<Plain, "complex"> = /* @__PURE__ */ matrixOp(
  "linalg.eigvals(A)",
  /* @__PURE__ */ eigPlan(false),
  null,
  /* @__PURE__ */ eigvalsGradient(() => eig),
);
