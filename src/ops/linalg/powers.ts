/**
 * Functions of square matrices: powers and the exponential, and inverses and systems of tensors viewed as matrices.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { type Axis, axesOf } from "../../tensor/axes.ts";
import { eye, zeros } from "../../tensor/create/create.ts";
import { showShape, sizeOf, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { storageOf, type Tensor } from "../../tensor/tensor.ts";
import { matmul } from "../contract/matmul.ts";
import { where } from "../elementwise/choose.ts";
import * as core from "../linalg-core/power.ts";
import { cat } from "../movement/join.ts";
import { clone, movedim, narrow, reshape } from "../views.ts";
import { adjoint } from "./adjoint.ts";
import type { Gives } from "./linalg-types.ts";
import { type MatrixGradient, matrixOfOps, matrixOp } from "./matrix-op.ts";
import { optionsLike, squareSize } from "./matrix-rules.ts";
import { inv, solve } from "./systems.ts";

/** Returns the n-th power of square matrices; a negative n uses the inverse. */
export const matrixPower: Gives<[n: number]> = /* @__PURE__ */ matrixOfOps(
  "linalg.matrixPower(A, n)",
  ({ A, n }: { A: Tensor; n: number }, who) => {
    checkTensor(who, A);
    const [rows, cols] = sizesOf(A).slice(-2);
    if (A.rank < 2 || rows !== cols)
      throw new ShapeError(
        A.rank < 2
          ? `${who}: A must have at least 2 axes, got shape ${showShape(A)}`
          : `${who}: A must be square matrices, got ${rows} by ${cols}`,
      );
    if (!Number.isSafeInteger(n)) throw new StridewiseError(`${who}: n must be an integer, got ${String(n)}`);
    storageOf(A, who);
    // The result depends on A but not on its elements, so that the gradient is zeros.
    if (n === 0) return where(zeros([], optionsLike(A, "bool")), A, eye(rows, rows, optionsLike(A)));
    let square = n < 0 ? inv(A) : A;
    let result: Tensor | null = null;
    for (let rest = Math.abs(n); rest > 0; rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) result = result === null ? square : matmul(result, square);
      if (rest > 1) square = matmul(square, square);
    }
    return result === A ? clone(A) : result;
  },
  { batch: "matrix" },
);

/** The gradient of e^A is the upper right block of e to the matrix [[A^H, g], [0, A^H]]. */
const matrixExpGradient: MatrixGradient<{ A: Tensor }> = ({ A }, call) => {
  const matrix = call.save(A);
  const n = sizesOf(A).at(-1) as number;
  return ([g]) => {
    const a = adjoint(matrix());
    const none = zeros(sizesOf(a), optionsLike(a));
    const block = cat([cat([a, g], -1), cat([none, a], -1)], -2);
    return { A: narrow(narrow(call.again(block) as Tensor, -2, 0, n), -1, n, n) };
  };
};

/** Returns the matrix exponential of square matrices. */
export const matrixExp: Gives = /* @__PURE__ */ matrixOp(
  "linalg.matrixExp(A)",
  ({ A }: { A: Tensor }, who) => {
    const n = squareSize(who, A);
    return {
      inputs: [A],
      results: [{ dtype: A.dtype, shape: [n, n] }],
      run: ([a]) => [core.matrixExp(a)],
    };
  },
  null,
  matrixExpGradient,
);

/** Returns the inverse of A under tensordot; the first `ind` axes of A are the rows of the inverted matrix. */
export const tensorinv: Gives<[ind?: number]> = /* @__PURE__ */ matrixOfOps(
  "linalg.tensorinv(A, ind = 2)",
  ({ A, ind }: { A: Tensor; ind: number }, who) => {
    checkTensor(who, A);
    if (!Number.isInteger(ind) || ind <= 0)
      throw new StridewiseError(`${who}: ind must be a positive integer, got ${String(ind)}`);
    const sizes = sizesOf(A);
    const [to, from] = [sizes.slice(0, ind), sizes.slice(ind)];
    if (sizeOf(to) !== sizeOf(from))
      throw new ShapeError(
        `${who}: the axes before and after ind must have the same product of sizes, got ${sizeOf(to)} and ${sizeOf(from)}`,
      );
    return reshape(inv(reshape(A, [sizeOf(to), sizeOf(from)])), [...from, ...to]);
  },
);
/** Returns the X that solves tensordot(A, X, X.rank) = B. */
export const tensorsolve: Gives<[B: Tensor, axes?: readonly Axis[] | null]> = /* @__PURE__ */ matrixOfOps(
  "linalg.tensorsolve(A, B, axes = null)",
  ({ A, B, axes }: { A: Tensor; B: Tensor; axes: readonly Axis[] | null }, who) => {
    checkTensor(who, A);
    checkTensor(who, B);
    const moved = axes === null ? [] : axesOf(who, A, axes);
    const x =
      moved.length === 0
        ? A
        : movedim(
            A,
            moved,
            moved.map((_, k) => A.rank - moved.length + k),
          );
    const [to, from] = [sizesOf(x).slice(0, B.rank), sizesOf(x).slice(B.rank)];
    if (sizeOf(to) !== sizeOf(from))
      throw new ShapeError(
        `${who}: the axes of B and the remaining axes of A must have the same product of sizes, got ${sizeOf(to)} and ${sizeOf(from)}`,
      );
    return reshape(solve(reshape(x, [sizeOf(to), sizeOf(from)]), reshape(B, [-1])), from);
  },
);
