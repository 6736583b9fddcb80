/**
 * The names of matrix ops outside of the namespace `linalg`, as in PyTorch. Some differ from those of `linalg`: `svd` returns V and not
 * its adjoint, `lu` returns the packed factors, `norm` is a vector norm of all elements.
 */

import { ShapeError } from "../../base/errors.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Axis } from "../../tensor/axes.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { add, neg, sub } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { lt } from "../elementwise/comparison.ts";
import { conj, log } from "../elementwise/functions.ts";
import { choleskyInverse as invertFactor, choleskySolve as solveFactor } from "../linalg-core/cholesky.ts";
import * as qrs from "../linalg-core/qr.ts";
import { triangularSolve as solveTriangle } from "../linalg-core/triangular.ts";
import { vectorNorm } from "../reduce/reduce.ts";
import type { ReduceOptions } from "../reduce/reduce-types.ts";
import { matrixTranspose } from "../views.ts";
import { adjoint, times } from "./adjoint.ts";
import * as determinants from "./determinants.ts";
import * as factors from "./factors.ts";
import type { Gives, GivesOfTwo, GivesSome, OutOf, Plain } from "./linalg-types.ts";
import { type MatrixGradient, matrixOfOps, matrixOp } from "./matrix-op.ts";
import { checkFits, checkSame, matrixSizes, squareSize } from "./matrix-rules.ts";
import * as norms from "./norms.ts";
import * as powers from "./powers.ts";
import { ormqrGradient, type Reflected } from "./reflections-gradient.ts";
import * as spectra from "./spectra.ts";
import * as systems from "./systems.ts";
import { triangularSolveGradient } from "./systems-gradient.ts";
import { crossProduct } from "./vectors.ts";

// Gradients of ops on a Cholesky factor. Like PyTorch's, they include the other triangle.

interface Triangles {
  readonly B: Tensor;
  readonly A: Tensor;
  readonly upper: boolean;
}

/** Returns the gradient of a factor L from that of A = L L^H. */
function ofFactor(gA: Tensor, L: Tensor, upper: boolean): Tensor {
  const both = add(gA, adjoint(gA));
  return neg(upper ? times(L, both) : times(both, L));
}

const choleskySolveGradient: MatrixGradient<Triangles> = ({ A, upper }, call) => {
  const factor = call.save(A);
  const x = call.needs(A) ? call.saveResult() : null;
  return ([g]) => {
    const B = call.again(g, factor(), upper) as Tensor;
    return { A: x && ofFactor(times(B, adjoint(x())), factor(), upper), B };
  };
};

const choleskyInverseGradient: MatrixGradient<Triangles> = ({ A, upper }, call) => {
  const [factor, inverse] = [call.save(A), call.saveResult()];
  return ([g]) => {
    const Y = inverse();
    return { A: ofFactor(times(Y, g, Y), factor(), upper) };
  };
};

/** Returns the inverse of square matrices; throws if one is singular. */
export const inverse: Gives = systems.inv;
/** Returns the determinant of square matrices. */
export const det: Gives = determinants.det;
/** Returns the sign of the determinant of square matrices and the natural logarithm of its absolute value. */
export const slogdet: typeof determinants.slogdet = determinants.slogdet;
/** Returns the n-th power of square matrices; a negative n uses the inverse. */
export const matrixPower: typeof powers.matrixPower = powers.matrixPower;
/** Returns the matrix exponential of square matrices. */
export const matrixExp: typeof powers.matrixExp = powers.matrixExp;

/** Returns the natural logarithm of the determinant of square matrices; NaN where a real determinant is negative. */
export const logdet: Gives<[]> = /* @__PURE__ */ matrixOfOps("logdet(A)", ({ A }: { A: Tensor }, who) => {
  squareSize(who, A);
  const { sign, logabsdet } = determinants.slogdet(A);
  return sign.dtype === logabsdet.dtype ? where(lt(sign, 0), NaN, logabsdet) : add(log(sign), logabsdet);
});

/** Returns the Cholesky factor of Hermitian positive-definite matrices: the lower triangular L with A = L L^H, or with `upper` the upper triangular U with A = U^H U. */
export const cholesky: Gives<[upper?: boolean]> = /* @__PURE__ */ matrixOfOps(
  "cholesky(A, upper = false)",
  ({ A, upper }: Triangles) => factors.cholesky(A, { upper }),
);
/** Returns the X that solves A X = B from the Cholesky factor of A. */
export const choleskySolve: Gives<[factor: Tensor, upper?: boolean, options?: Plain[0]]> = /* @__PURE__ */ matrixOp(
  "choleskySolve(B, A, upper = false)",
  ({ B, A, upper }: Triangles, who) => {
    const n = squareSize(who, A);
    const [rows, cols] = matrixSizes(who, B, "B");
    checkSame(who, A, B);
    checkFits(who, A, B, n, rows);
    return {
      inputs: [B, A],
      results: [{ dtype: A.dtype, shape: [rows, cols] }],
      run: ([b, factor]) => [solveFactor(b, factor, upper)],
    };
  },
  null,
  choleskySolveGradient,
  { batch: "last 1" },
);
/** Returns the inverse of A from its Cholesky factor. */
export const choleskyInverse: Gives<[upper?: boolean, options?: Plain[0]]> = /* @__PURE__ */ matrixOp(
  "choleskyInverse(A, upper = false)",
  ({ A, upper }: Triangles, who) => {
    const n = squareSize(who, A);
    return {
      inputs: [A],
      results: [{ dtype: A.dtype, shape: [n, n] }],
      run: ([factor]) => [invertFactor(factor, upper)],
    };
  },
  null,
  choleskyInverseGradient,
);

type TriangularKinds = { solution: "same"; clonedCoefficient: "same" };
interface Triangular extends Triangles {
  readonly transpose: boolean;
  readonly unitriangular: boolean;
}
/** Returns { solution, clonedCoefficient }: the X that solves A X = B, and a copy of A. Only one triangle of A is read, by default the upper one. */
export const triangularSolve: GivesSome<
  TriangularKinds,
  [A: Tensor, upper?: boolean, transpose?: boolean, unitriangular?: boolean, options?: OutOf<TriangularKinds>]
> = /* @__PURE__ */ matrixOp(
  "triangularSolve(B, A, upper = true, transpose = false, unitriangular = false)",
  ({ B, A, upper, transpose, unitriangular: unit }: Triangular, who) => {
    const n = squareSize(who, A);
    const [rows, cols] = matrixSizes(who, B, "b");
    checkSame(who, A, B, ["A", "b"]);
    checkFits(who, A, B, n, rows);
    return {
      inputs: [B, A],
      results: [
        { dtype: A.dtype, shape: [rows, cols] },
        { dtype: A.dtype, shape: [n, n] },
      ],
      run: ([b, a]) => [solveTriangle(a, b, { upper, unit, form: transpose ? "transpose" : "plain" }), a],
    };
  },
  ["solution", "clonedCoefficient"],
  triangularSolveGradient,
  { batch: "last 1" },
);

type QrKinds = { Q: "same"; R: "same" };
/** Returns the QR factorization A = Q R: a matrix with orthonormal columns and an upper triangular matrix. If `some` is false, Q is square. */
export const qr: GivesSome<QrKinds, [some?: boolean]> = /* @__PURE__ */ matrixOfOps(
  "qr(A, some = true)",
  ({ A, some }: { A: Tensor; some: boolean }) => factors.qr(A, some ? "reduced" : "complete"),
);
type PackedKinds = { a: "same"; tau: "same" };
/** Returns the QR factorization in LAPACK's packed form: R on and above the diagonal, the Householder vectors below it, and the scalar factors tau of the reflectors. */
export const geqrf: GivesSome<PackedKinds> = /* @__PURE__ */ matrixOp(
  "geqrf(A)",
  ({ A }: { A: Tensor }, who) => {
    const [rows, cols] = matrixSizes(who, A);
    return {
      inputs: [A],
      results: [
        { dtype: A.dtype, shape: [rows, cols] },
        { dtype: A.dtype, shape: [Math.min(rows, cols)] },
      ],
      run([a]) {
        const { packed, tau } = qrs.qrFactor(a);
        return [packed, tau];
      },
    };
  },
  ["a", "tau"],
);
/** Returns Q @ other, or other @ Q if `left` is false, from reflectors as packed by geqrf; with `transpose`, Q^H replaces Q. */
export const ormqr: Gives<[tau: Tensor, other: Tensor, left?: boolean, transpose?: boolean, options?: Plain[0]]> =
  /* @__PURE__ */ matrixOp(
    "ormqr(A, tau, other, left = true, transpose = false)",
    ({ A, tau, other, left, transpose }: Reflected, who) => {
      const [rows] = matrixSizes(who, A);
      factors.reflections(who, A, tau);
      const sizes = matrixSizes(who, other, "other");
      checkSame(who, A, other, ["A", "other"]);
      checkFits(who, A, other, rows, left ? sizes[0] : sizes[1]);
      return {
        inputs: [A, tau, other],
        axes: [2, 1, 2],
        results: [{ dtype: A.dtype, shape: sizes }],
        run: ([packed, taus, c]) => [qrs.applyQ({ packed, tau: taus }, c, left, transpose)],
      };
    },
    null,
    ormqrGradient,
    { batch: "vectors" },
  );
/** Returns the first columns of Q, from reflectors as packed by geqrf. */
export const orgqr: typeof factors.householderProduct = factors.householderProduct;

type SvdKinds = { U: "same"; S: "real"; V: "same" };
/** Returns the singular value decomposition A = U S V^H of matrices. If `some` is false, U and V are square. */
export const svd: GivesSome<SvdKinds, [some?: boolean]> = /* @__PURE__ */ matrixOfOps(
  "svd(A, some = true)",
  ({ A, some }: { A: Tensor; some: boolean }) => {
    const { U, S, Vh } = spectra.svd(A, !some);
    return { U, S, V: conj(matrixTranspose(Vh)) };
  },
);
/** Returns the pseudoinverse of matrices; singular values up to `rcond` times the largest are treated as 0. */
export const pinverse: Gives<[rcond?: number]> = /* @__PURE__ */ matrixOfOps(
  "pinverse(A, rcond = 1e-15)",
  ({ A, rcond }: { A: Tensor; rcond: number }) => systems.pinv(A, { rtol: rcond }),
);
type LuKinds = { LU: "same"; pivots: "int32" };
/** Returns the packed LU factorization of matrices and the pivots, the row swapped at each step, counted from 1; singular matrices do not throw. */
export const lu: GivesSome<LuKinds, []> = /* @__PURE__ */ matrixOfOps("lu(A)", ({ A }: { A: Tensor }) => {
  const { LU, pivots } = factors.luFactorEx(A);
  return { LU, pivots };
});
/** Returns the X that solves A X = B from the packed LU factors of A. */
export const luSolve: Gives<[LU: Tensor, pivots: Tensor]> = /* @__PURE__ */ matrixOfOps(
  "luSolve(B, LU, pivots)",
  ({ B, LU, pivots }: { B: Tensor; LU: Tensor; pivots: Tensor }) => systems.luSolve(LU, pivots, B),
);

interface Norm {
  readonly x: Tensor;
  readonly p: norms.MatrixOrder | null;
  readonly axis: Axis | readonly Axis[] | null;
  readonly keepdims: boolean;
  readonly dtype: DType | null;
}
type NormArguments = [
  p?: norms.MatrixOrder | null,
  axis?: Axis | readonly Axis[] | null,
  options?: Omit<ReduceOptions, "out">,
];
/** Returns the vector norm of order `p` of all elements or along axes. The default, "fro", is the square root of the sum of squares. */
export const norm: Gives<NormArguments, "real"> = /* @__PURE__ */ matrixOfOps(
  "norm(x, p = fro, axis = null; keepdims = false, dtype = null)",
  ({ x, p, axis, keepdims, dtype }: Norm) => {
    const options = { keepdims, ...(dtype === null ? {} : { dtype }) };
    if (p !== "nuc") return vectorNorm(x, axis, { ...options, ord: p === "fro" || p === null ? 2 : p });
    return norms.matrixNorm(x, p, axis as readonly Axis[] | null, options);
  },
);
/** Returns the p-norm of x - other. */
export const dist: GivesOfTwo<[p?: number], "real float"> = /* @__PURE__ */ matrixOfOps(
  "dist(x, other, p = 2)",
  ({ x, other, p }: { x: Tensor; other: Tensor; p: number }, who) => {
    checkTensor(who, x);
    return vectorNorm(sub(x, other), null, { ord: p });
  },
);
/** Returns the cross product of vectors of three elements along an axis, by default the first of size 3. */
export const cross: GivesOfTwo<[axis?: Axis]> = /* @__PURE__ */ matrixOfOps(
  "cross(x, other, axis = null)",
  ({ x, other, axis }: { x: Tensor; other: Tensor; axis: Axis | null }, who) => {
    checkTensor(who, x);
    const first = axis ?? sizesOf(x).indexOf(3);
    if (first === -1 && axis === null)
      throw new ShapeError(`${who}: x has no axis of size 3, got shape ${showShape(x)}`);
    return crossProduct({ x, other, axis: first }, who);
  },
);
