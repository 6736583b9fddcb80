/**
 * Low-rank factorizations of matrices, and luUnpack.
 * PyTorch approximates low-rank factors by random sampling; here they are the first singular vectors, so they are exact.
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
function largestValues(A: Tensor, q: number, niter: number, who: string): Record<keyof LowRank, unknown> {
  const min = Math.min(...matrixSizes(who, A));
  if (!Number.isInteger(q) || q < 0 || q > min)
    throw new StridewiseError(
      `${who}: q must be an integer from 0 to min(m, n)=${min}, got ${q} for shape ${showShape(A)}`,
    );
  if (!Number.isInteger(niter) || niter < 0)
    throw new StridewiseError(`${who}: niter must be a non-negative integer, got ${niter}`);
  const { U, S, Vh } = svd(A, false);
  return { U: narrow(U, -1, 0, q), S: narrow(S, -1, 0, q), V: conj(matrixTranspose(narrow(Vh, -2, 0, q))) };
}
export interface SvdLowrankOptions {
  /** Accepted for compatibility with PyTorch; the result is exact without iterations. */
  readonly niter?: number | undefined;
  /** Subtracted from A first; broadcast to its shape. */
  readonly M?: Tensor | null | undefined;
}
/** Returns the q largest singular values of matrices with their vectors, such that A is approximately U S V^H. */
export const svdLowrank: GivesSome<LowRank, [q?: number, options?: SvdLowrankOptions]> = /* @__PURE__ */ matrixOfOps(
  "svdLowrank(A, q = 6; niter = 2, M = null)",
  ({ A, q, M, niter }: { A: Tensor; q: number; M: Tensor | null; niter: number }, who) => {
    matrixSizes(who, A);
    return largestValues(M === null ? A : sub(A, expand(M, sizesOf(A))), q, niter, who);
  },
);
export interface PcaLowrankOptions {
  /** Subtracts the mean of each column first. Default: true. */
  readonly center?: boolean | undefined;
  /** Accepted for compatibility with PyTorch; the result is exact without iterations. */
  readonly niter?: number | undefined;
}
/** Returns the principal component analysis of the rows of matrices: q principal directions as columns of V, the singular values, and U. */
export const pcaLowrank: GivesSome<LowRank, [q?: number | null, options?: PcaLowrankOptions]> =
  /* @__PURE__ */ matrixOfOps(
    "pcaLowrank(A, q = null; center = true, niter = 2)",
    ({ A, q, center, niter }: { A: Tensor; q: number | null; center: boolean; niter: number }, who) => {
      const sizes = matrixSizes(who, A);
      const x = center ? sub(A, mean(A, -2, { keepdims: true })) : A;
      return largestValues(x, q ?? Math.min(6, ...sizes), niter, who);
    },
  );
