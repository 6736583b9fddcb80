/**
 * Gradients of products of reflections H = 1 - tau v v^H, whose vectors are below the diagonal of a matrix: of the product with other
 * matrices, and of its first columns. Each reflection is visited once, with the factors left and right of it.
 */

import { listOf } from "../../base/list-of.ts";
import { eye, zeros } from "../../tensor/create/create-ops.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { conjugate } from "../conjugate.ts";
import { add, mul, neg, sub } from "../elementwise/arithmetic.ts";
import { tril } from "../movement/diagonals.ts";
import { cat } from "../movement/join.ts";
import { narrow, squeeze, unsqueeze } from "../views.ts";
import { adjoint, rowsAndCols, times } from "./adjoint.ts";
import type { MatrixGradient } from "./matrix-op.ts";
import { optionsLike } from "./matrix-rules.ts";

/** Returns the gradients of the matrix of vectors, of tau, and of C in Q C, or in Q^H C if `isAdjoint`. */
function reflected(
  A: Tensor,
  tau: Tensor,
  C: Tensor,
  g: Tensor,
  isAdjoint: boolean,
): { A: Tensor | null; tau: Tensor | null; other: Tensor } {
  const [rows, cols] = rowsAndCols(A);
  const options = optionsLike(A);
  const count = sizesOf(tau).at(-1) as number;
  if (A.size === 0 || count === 0) return { A: null, tau: null, other: g };
  const lower = add(tril(A, -1), eye(rows, cols, options));
  const numbers = listOf(count, (k) => (isAdjoint ? count - 1 - k : k));
  const vectors = numbers.map((k) => narrow(lower, -1, k, 1));
  const factors = numbers.map((k) => {
    const factor = unsqueeze(narrow(tau, -1, k, 1), -1);
    return isAdjoint ? conjugate(factor) : factor;
  });
  const reflect = (k: number, t: Tensor, factor: Tensor): Tensor => {
    const v = vectors[k];
    return sub(t, mul(factor, times(v, times(adjoint(v), t))));
  };
  // The right factor of each reflection.
  const right: Tensor[] = [];
  let after = C;
  for (let k = count - 1; k >= 0; k--) {
    right[k] = after;
    after = reflect(k, after, factors[k]);
  }
  let left = g;
  const columns: Tensor[] = [];
  const taus: Tensor[] = [];
  numbers.forEach((at, k) => {
    const [v, factor, R] = [vectors[k], factors[k], right[k]];
    const forth = times(left, times(adjoint(R), v));
    const back = times(R, times(adjoint(left), v));
    columns[at] = neg(add(mul(conjugate(factor), forth), mul(factor, back)));
    const gTau = neg(squeeze(times(adjoint(v), forth), -1));
    taus[at] = isAdjoint ? conjugate(gTau) : gTau;
    left = reflect(k, left, conjugate(factor));
  });
  const none = zeros([...sizesOf(A).slice(0, -1), cols - count], options);
  return {
    A: tril(cat([...columns, none], -1), -1),
    tau: cat(taus, -1),
    other: left,
  };
}

export const householderGradient: MatrixGradient<{ A: Tensor; tau: Tensor }> = ({ A, tau }, call) => {
  const [vectors, factors] = [call.save(A), call.save(tau)];
  const [rows, cols] = rowsAndCols(A);
  const options = optionsLike(A);
  return ([g]) => {
    const { A: gA, tau: gTau } = reflected(vectors(), factors(), eye(rows, cols, options), g, false);
    return { A: gA, tau: gTau };
  };
};

/** The arguments of ormqr. */
export interface Reflected {
  readonly A: Tensor;
  readonly tau: Tensor;
  readonly other: Tensor;
  readonly left: boolean;
  readonly transpose: boolean;
}
export const ormqrGradient: MatrixGradient<Reflected> = ({ A, tau, other, left, transpose }, call) => {
  const [vectors, factors, c] = [call.save(A), call.save(tau), call.save(other)];
  // From the right: C Q is the adjoint of Q^H C^H.
  const turn = left ? (t: Tensor): Tensor => t : adjoint;
  return ([g]) => {
    const gradients = reflected(vectors(), factors(), turn(c()), turn(g), left === transpose);
    return { ...gradients, other: turn(gradients.other) };
  };
};
