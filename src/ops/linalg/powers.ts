/**
 * Functions of square matrices, and tensors read as such: powers, the exponential, inverses and systems of tensors.
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
import { clone, movedim, reshape } from "../views.ts";
import type { Gives, MethodGives } from "./linalg-types.ts";
import { matrixOfOps, matrixOp } from "./matrix-op.ts";
import { beside, squareSize } from "./matrix-rules.ts";
import { matrixExpGradient } from "./powers-gradient.ts";
import { inv, solve } from "./systems.ts";

/** Square matrices multiplied by themselves n times; of a negative n their inverses. */
export const matrixPower: MethodGives<[n: number]> = /* @__PURE__ */ matrixOfOps(
  "linalg.matrixPower(A, n)",
  ({ A, n }: { A: Tensor; n: number }, who) => {
    checkTensor(who, A);
    const [rows, cols] = sizesOf(A).slice(-2);
    if (A.rank < 2 || rows !== cols)
      throw new ShapeError(
        A.rank < 2
          ? `${who}: A must have at least 2 dimensions, got shape ${showShape(A)}`
          : `${who}: A must be square matrices, got ${rows} by ${cols}`,
      );
    if (!Number.isSafeInteger(n)) throw new StridewiseError(`${who}: n is an integer, got ${String(n)}`);
    storageOf(A, who);
    // Not of the elements, but of the tensor, so that its gradient is zeros.
    if (n === 0) return where(zeros([], { dtype: "bool", device: beside(A) }), A, unit(A, rows));
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

const unit = (A: Tensor, n: number): Tensor => eye(n, n, { dtype: A.dtype, device: beside(A) });

/** e^A of square matrices, the sum of A^k / k!. */
export const matrixExp: MethodGives = /* @__PURE__ */ matrixOp(
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

/** The inverse of a tensor that maps tensors to tensors: `ind` says how many of the first axes belong to the results. */
export const tensorinv: Gives<[ind?: number]> = /* @__PURE__ */ matrixOfOps(
  "linalg.tensorinv(A, ind = 2)",
  ({ A, ind }: { A: Tensor; ind: number }, who) => {
    checkTensor(who, A);
    if (!Number.isInteger(ind) || ind <= 0)
      throw new StridewiseError(`${who}: Expected a strictly positive integer for 'ind', but got ${String(ind)}`);
    const sizes = sizesOf(A);
    const [to, from] = [sizes.slice(0, ind), sizes.slice(ind)];
    if (sizeOf(to) !== sizeOf(from))
      throw new ShapeError(
        `${who}: the axes before and after ind must have equal products of sizes, got ${sizeOf(to)} and ${sizeOf(from)}`,
      );
    return reshape(inv(reshape(A, [sizeOf(to), sizeOf(from)])), [...from, ...to]);
  },
);
/** The X for which the sum of products of A with it, over its axes, is B. */
export const tensorsolve: Gives<[B: Tensor, axes?: readonly Axis[] | null]> = /* @__PURE__ */ matrixOfOps(
  "linalg.tensorsolve(A, B, axes = null)",
  ({ A, B, axes }: { A: Tensor; B: Tensor; axes: readonly Axis[] | null }, who) => {
    checkTensor(who, A);
    checkTensor(who, B);
    const places = axes === null ? [] : axesOf(who, A, axes);
    const x =
      places.length === 0
        ? A
        : movedim(
            A,
            places,
            places.map((_, k) => A.rank - places.length + k),
          );
    const [to, from] = [sizesOf(x).slice(0, B.rank), sizesOf(x).slice(B.rank)];
    if (sizeOf(to) !== sizeOf(from))
      throw new ShapeError(
        `${who}: the axes of other and the remaining ones must have equal products of sizes, got ${sizeOf(to)} and ${sizeOf(from)}`,
      );
    return reshape(solve(reshape(x, [sizeOf(to), sizeOf(from)]), reshape(B, [-1])), from);
  },
);
