/**
 * The names that matrix ops had before there was a namespace for them; all are methods of tensors, too. Some differ from those of
 * `linalg`: `svd` gives V and not its adjoint, `lu` the packed factors, `norm` takes all elements as one vector.
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
import type { MethodGives, MethodGivesSome, OutOf, Plain } from "./linalg-types.ts";
import { type MatrixGradient, matrixOfOps, matrixOp } from "./matrix-op.ts";
import { checkFits, checkSame, matrixSizes, squareSize } from "./matrix-rules.ts";
import * as norms from "./norms.ts";
import * as powers from "./powers.ts";
import { ormqrGradient } from "./reflections-gradient.ts";
import * as spectra from "./spectra.ts";
import * as systems from "./systems.ts";
import { triangularSolveGradient } from "./systems-gradient.ts";
import { crossProduct } from "./vectors.ts";

// Gradients of what is solved or inverted by a Cholesky factor. As PyTorch's, they do not leave away the other triangle.

interface Triangles {
  readonly B: Tensor;
  readonly A: Tensor;
  readonly upper: boolean;
}

/** The gradient of a factor L from that of A = L L^H. */
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

/** The inverse of square matrices that are not singular. */
export const inverse: MethodGives = systems.inv as never;
/** The determinant of square matrices. */
export const det: MethodGives = determinants.det;
/** The determinant as a sign of absolute value 1 and the logarithm of its absolute value, which does not overflow. */
export const slogdet: typeof determinants.slogdet = determinants.slogdet;
/** Square matrices multiplied by themselves n times; of a negative n their inverses. */
export const matrixPower: typeof powers.matrixPower = powers.matrixPower;
/** e^A of square matrices, the sum of A^k / k!. */
export const matrixExp: typeof powers.matrixExp = powers.matrixExp;

/** The logarithm of the determinant of square matrices; NaN where a real determinant is negative. */
export const logdet: MethodGives<[]> = /* @__PURE__ */ matrixOfOps("logdet(A)", ({ A }: { A: Tensor }, who) => {
  squareSize(who, A);
  const { sign, logabsdet } = determinants.slogdet(A);
  return sign.dtype === logabsdet.dtype ? where(lt(sign, 0), NaN, logabsdet) : add(log(sign), logabsdet);
});

interface Triangles {
  readonly B: Tensor;
  readonly A: Tensor;
  readonly upper: boolean;
}
/** The lower (or upper) triangle L with A = L L^H of matrices that are Hermitian and positive definite. */
export const cholesky: MethodGives<[upper?: boolean]> = /* @__PURE__ */ matrixOfOps(
  "cholesky(A, upper = false)",
  ({ A, upper }: Triangles) => factors.cholesky(A, { upper }),
);
/** The X with A X = B from the Cholesky factor of A. */
export const choleskySolve: MethodGives<[factor: Tensor, upper?: boolean, options?: Plain[0]]> =
  /* @__PURE__ */ matrixOp(
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
/** The inverse of A from its Cholesky factor. */
export const choleskyInverse: MethodGives<[upper?: boolean, options?: Plain[0]]> = /* @__PURE__ */ matrixOp(
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
/** The X with A X = B, where only one triangle of A counts, the upper one unless told; and A. */
export const triangularSolve: MethodGivesSome<
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
/** The factors A = Q R: columns of length 1 at right angles, all of them unless `some`, and an upper triangle. */
export const qr: MethodGivesSome<QrKinds, [some?: boolean]> = /* @__PURE__ */ matrixOfOps(
  "qr(A, some = true)",
  ({ A, some }: { A: Tensor; some: boolean }) => factors.qr(A, some ? "reduced" : "complete"),
);
type PackedKinds = { a: "same"; tau: "same" };
/** The factors of Q R as LAPACK packs them: R on and above the diagonal, reflections below it, and their factors. */
export const geqrf: MethodGivesSome<PackedKinds> = /* @__PURE__ */ matrixOp(
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
interface Reflected {
  readonly A: Tensor;
  readonly tau: Tensor;
  readonly other: Tensor;
  readonly left: boolean;
  readonly transpose: boolean;
}
/** The product of Q, packed as geqrf gives it, with other matrices; or with `left` false of them with Q, or with Q^H. */
export const ormqr: MethodGives<[tau: Tensor, other: Tensor, left?: boolean, transpose?: boolean, options?: Plain[0]]> =
  /* @__PURE__ */ matrixOp(
    "ormqr(A, tau, other, left = true, transpose = false)",
    ({ A, tau, other, left, transpose }: Reflected, who) => {
      checkTensor(who, A);
      if (A.rank < 2) throw new ShapeError(`${who}: A must have at least 2 dimensions, got shape ${showShape(A)}`);
      const [rows] = matrixSizes(who, A);
      factors.reflections(who, A, tau);
      const sizes = matrixSizes(who, other, "other");
      checkSame(who, A, other, ["input", "other"]);
      checkFits(who, A, other, rows, left ? sizes[0] : sizes[1]);
      return {
        inputs: [A, tau, other],
        axes: [2, 1, 2],
        results: [{ dtype: A.dtype, shape: sizes }],
        run: ([packed, taus, c]) => [qrs.applyQ({ packed: packed, tau: taus }, c, left, transpose)],
      };
    },
    null,
    ormqrGradient,
    { batch: "vectors" },
  );
/** The first columns of Q, packed as geqrf gives it. */
export const orgqr: MethodGives<[tau: Tensor, options?: Plain[0]]> = factors.householderProduct as never;

type SvdKinds = { U: "same"; S: "real"; V: "same" };
/** The factors A = U S V^H of any matrices: columns at right angles, singular values, columns at right angles. */
export const svd: MethodGivesSome<SvdKinds, [some?: boolean]> = /* @__PURE__ */ matrixOfOps(
  "svd(A, some = true)",
  ({ A, some }: { A: Tensor; some: boolean }) => {
    const { U, S, Vh } = spectra.svd(A, !some);
    return { U, S, V: conj(matrixTranspose(Vh)) };
  },
);
/** The pseudo-inverse of any matrices; singular values up to `rcond` times the largest count as 0. */
export const pinverse: MethodGives<[rcond?: number]> = /* @__PURE__ */ matrixOfOps(
  "pinverse(A, rcond = 1e-15)",
  ({ A, rcond }: { A: Tensor; rcond: number }) => systems.pinv(A, { rtol: rcond }),
);
type LuKinds = { LU: "same"; pivots: "int32" };
/** The packed LU factors of any matrices, and which row was exchanged at each step, counted from 1; singular ones are not refused. */
export const lu: MethodGivesSome<LuKinds, []> = /* @__PURE__ */ matrixOfOps("lu(A)", ({ A }: { A: Tensor }) => {
  const { LU, pivots } = factors.luFactorEx(A);
  return { LU, pivots };
});
/** The X with A X = B from the packed LU factors of A. */
export const luSolve: MethodGives<[LU: Tensor, pivots: Tensor]> = /* @__PURE__ */ matrixOfOps(
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
/** The norm of all elements as a vector, or of those along axes: the root of the sum of squares, or with `p` another one. */
export const norm: MethodGives<NormArguments, "real"> = /* @__PURE__ */ matrixOfOps(
  "norm(x, p = fro, axis = null; keepdims = false, dtype = null)",
  ({ x, p, axis, keepdims, dtype }: Norm) => {
    const options = { keepdims, ...(dtype === null ? {} : { dtype }) };
    if (p !== "nuc") return vectorNorm(x, axis, { ...options, ord: p === "fro" || p === null ? 2 : p });
    return norms.matrixNorm(x, p, axis as readonly Axis[] | null, options);
  },
);
/** The norm of the difference of two tensors. */
export const dist: MethodGives<[other: Tensor, p?: number], "real"> = /* @__PURE__ */ matrixOfOps(
  "dist(x, other, p = 2)",
  ({ x, other, p }: { x: Tensor; other: Tensor; p: number }, who) => {
    checkTensor(who, x);
    return vectorNorm(sub(x, other), null, { ord: p });
  },
);
/** The cross product of vectors of three elements, along the first axis of that size unless told. */
export const cross: MethodGives<[other: Tensor, axis?: Axis]> = /* @__PURE__ */ matrixOfOps(
  "cross(x, other, axis = null)",
  ({ x, other, axis }: { x: Tensor; other: Tensor; axis: Axis | null }, who) => {
    checkTensor(who, x);
    const first = axis ?? sizesOf(x).indexOf(3);
    if (first === -1 && axis === null)
      throw new ShapeError(`${who}: no dimension of size 3 in input, the shape is ${showShape(x)}`);
    return crossProduct({ x, other, axis: first }, who);
  },
);
