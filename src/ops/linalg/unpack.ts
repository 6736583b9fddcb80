/**
 * Functions on matrices that are no methods: packed LU factors taken apart, and factors of low rank.
 * PyTorch finds the latter from random samples; here they are the first of all singular vectors, so the answer is exact.
 */
import { StridewiseError } from "../../base/errors.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { sub } from "../elementwise/arithmetic.ts";
import { conj } from "../elementwise/functions.ts";
import { mean } from "../reduce/reduce.ts";
import { expand, matrixTranspose, narrow } from "../views.ts";
import type { GivesSome } from "./linalg-types.ts";
import { matrixOfOps } from "./matrix-op.ts";
import { matrixSizes } from "./matrix-rules.ts";
import { svd } from "./spectra.ts";

export { luUnpack } from "./lu-unpack.ts";

type LowRank = { U: "same"; S: "real"; V: "same" };
function firstOf(A: Tensor, q: number, niter: number, who: string): Record<keyof LowRank, unknown> {
  const least = Math.min(...matrixSizes(who, A));
  if (!Number.isInteger(q) || q < 0 || q > least)
    throw new StridewiseError(
      `${who}: q must be an integer from 0 to min(m, n)=${least}, got ${q}, the shape is ${showShape(A)}`,
    );
  if (!Number.isInteger(niter) || niter < 0)
    throw new StridewiseError(`${who}: niter must be an integer from 0, got ${niter}.`);
  const { U, S, Vh } = svd(A, false);
  return { U: narrow(U, -1, 0, q), S: narrow(S, -1, 0, q), V: conj(matrixTranspose(narrow(Vh, -2, 0, q))) };
}
export interface SvdLowrankOptions {
  /** How often samples are refined; the answer is exact without. */
  readonly niter?: number | undefined;
  /** Subtracted from A before; broadcast to its shape. */
  readonly M?: Tensor | null | undefined;
}
/** The q largest singular values of matrices with their vectors: A is near U S V^H. */
export const svdLowrank: GivesSome<LowRank, [q?: number, options?: SvdLowrankOptions]> = /* @__PURE__ */ matrixOfOps(
  "svdLowrank(A, q = 6; niter = 2, M = null)",
  ({ A, q, M, niter }: { A: Tensor; q: number; M: Tensor | null; niter: number }, who) => {
    matrixSizes(who, A);
    return firstOf(M === null ? A : sub(A, expand(M, sizesOf(A))), q, niter, who);
  },
);
export interface PcaLowrankOptions {
  /** Subtracts the mean of each column before; true unless given. */
  readonly center?: boolean | undefined;
  /** How often samples are refined; the answer is exact without. */
  readonly niter?: number | undefined;
}
/** The q main directions of the rows of matrices, as columns of V, with the singular values and U. */
export const pcaLowrank: GivesSome<LowRank, [q?: number | null, options?: PcaLowrankOptions]> =
  /* @__PURE__ */ matrixOfOps(
    "pcaLowrank(A, q = null; center = true, niter = 2)",
    ({ A, q, center, niter }: { A: Tensor; q: number | null; center: boolean; niter: number }, who) => {
      const sizes = matrixSizes(who, A);
      const x = center ? sub(A, mean(A, -2, { keepdims: true })) : A;
      return firstOf(x, q ?? Math.min(6, ...sizes), niter, who);
    },
  );
