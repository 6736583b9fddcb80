/**
 * Gradients of products of reflections H = 1 - tau v v^H, whose vectors stand below the diagonal of a matrix: the product with other
 * matrices, or its own first columns. Each reflection is met once, between what stands left of it and what stands right of it.
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
import { adjoint, times } from "./adjoint.ts";
import type { MatrixGradient } from "./matrix-op.ts";
import { beside } from "./matrix-rules.ts";

/** The gradients of the matrix of vectors, of tau, and of C in Q C, or in Q^H C if it is turned. */
function reflected(
  A: Tensor,
  tau: Tensor,
  C: Tensor,
  g: Tensor,
  isTurned: boolean,
): { A: Tensor | null; tau: Tensor | null; other: Tensor } {
  const [rows, cols] = sizesOf(A).slice(-2) as [number, number];
  const place = { dtype: A.dtype, device: beside(A) };
  const count = sizesOf(tau).at(-1) as number;
  if (A.size === 0 || count === 0) return { A: null, tau: null, other: g };
  const lower = add(tril(A, -1), eye(rows, cols, place));
  const numbers = listOf(count, (k) => (isTurned ? count - 1 - k : k));
  const vectors = numbers.map((k) => narrow(lower, -1, k, 1));
  const factors = numbers.map((k) => {
    const factor = unsqueeze(narrow(tau, -1, k, 1), -1);
    return isTurned ? conjugate(factor) : factor;
  });
  const reflect = (k: number, t: Tensor, factor: Tensor): Tensor => {
    const v = vectors[k];
    return sub(t, mul(factor, times(v, times(adjoint(v), t))));
  };
  // What each reflection is multiplied with.
  const right: Tensor[] = [];
  let behind = C;
  for (let k = count - 1; k >= 0; k--) {
    right[k] = behind;
    behind = reflect(k, behind, factors[k]);
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
    taus[at] = isTurned ? conjugate(gTau) : gTau;
    left = reflect(k, left, conjugate(factor));
  });
  const none = zeros([...sizesOf(A).slice(0, -1), cols - count], place);
  return {
    A: tril(cat([...columns, none], -1), -1),
    tau: cat(taus, -1),
    other: left,
  };
}

export const householderGradient: MatrixGradient<{ A: Tensor; tau: Tensor }> = ({ A, tau }, call) => {
  const [vectors, factors] = [call.save(A), call.save(tau)];
  const [rows, cols] = sizesOf(A).slice(-2) as [number, number];
  const place = { dtype: A.dtype, device: beside(A) };
  return ([g]) => {
    const { A: gA, tau: gTau } = reflected(vectors(), factors(), eye(rows, cols, place), g, false);
    return { A: gA, tau: gTau };
  };
};

interface Reflected {
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
    const found = reflected(vectors(), factors(), turn(c()), turn(g), left === transpose);
    return { ...found, other: turn(found.other) };
  };
};
