/**
 * Singular values and eigenvalues of matrices, with their vectors or without. Signs and phases of vectors are free, as is the order of
 * eigenvalues of general matrices; singular values fall, eigenvalues of Hermitian matrices rise.
 */

import { StridewiseError } from "../../base/errors.ts";
import { complexDType, realDType } from "../../storage/dtype.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import * as general from "../linalg-core/eig.ts";
import * as hermitian from "../linalg-core/eigh.ts";
import type { Matrix } from "../linalg-core/matrix.ts";
import * as singular from "../linalg-core/svd.ts";
import { checkInfo, LinAlgError } from "./error.ts";
import type { Gives, GivesSome, OutOf, Plain } from "./linalg-types.ts";
import { matrixOp, type Part, type Plan } from "./matrix-op.ts";
import { matrixSizes, squareSize } from "./matrix-rules.ts";
import {
  eigGradient,
  eighGradient,
  eighTangent,
  eigvalsGradient,
  eigvalshGradient,
  svdGradient,
  svdvalsGradient,
} from "./spectra-gradient.ts";

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
        const { u, s, vh, info } = singular.svd(a as Matrix, fullMatrices ? "full" : "reduced");
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
        const { s, info } = singular.svd(a as Matrix, "values");
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
  (wantVectors: boolean) =>
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
        const { values, vectors, info } = hermitian.eigh(a as Matrix, side === "U", wantVectors);
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
  (wantVectors: boolean) =>
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
        const { values, vectors, info } = general.eig(a as Matrix, wantVectors);
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
