/**
 * Linear systems A X = B with square, triangular and factored matrices, least squares, inverses and pseudoinverses.
 */

import { StridewiseError } from "../../base/errors.ts";
import { realDType } from "../../storage/dtype.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import * as ldl from "../linalg-core/ldl.ts";
import * as min from "../linalg-core/least-squares.ts";
import * as lus from "../linalg-core/lu.ts";
import type { Matrix } from "../linalg-core/matrix.ts";
import { triangularSolve } from "../linalg-core/triangular.ts";
import type { OutOption } from "../op-types.ts";
import { checkInfo } from "./error.ts";
import type { CheckOption, Gives, GivesSome, HermitianOption, OutOf, Plain, UpperOption } from "./linalg-types.ts";
import { matrixOp, nothing, type Plan } from "./matrix-op.ts";
import { checkFits, checkPivots, checkSame, columnsOf, epsilonOf, matrixSizes, squareSize } from "./matrix-rules.ts";
import {
  inverseGradient,
  leastSquaresGradient,
  luSolveGradient,
  pseudoInverseGradient,
  solveGradient,
  solveTriangularGradient,
} from "./systems-gradient.ts";

export interface LeftOption {
  /** If false, the system is X A = B instead of A X = B. */
  readonly left?: boolean | undefined;
}
interface System extends LeftOption, CheckOption {
  readonly A: Tensor;
  readonly B: Tensor;
}

/** The plan of an op that returns X in the shape of B, from A (or its factors), `vectors`, and B. */
function systemPlan(
  who: string,
  A: Tensor,
  B: Tensor,
  left: boolean,
  run: (matrices: readonly Matrix[]) => Matrix,
  vectors: readonly Tensor[] = [],
): Plan {
  const n = squareSize(who, A);
  const [rows, cols] = matrixSizes(who, B, "B");
  checkSame(who, A, B);
  checkFits(who, A, B, n, left ? rows : cols);
  return {
    inputs: [A, ...vectors, B],
    axes: [2, ...vectors.map(() => 1), 2],
    results: [{ dtype: A.dtype, shape: [rows, cols] }],
    run: (matrices) => [run(matrices)],
  };
}

const solvePlan =
  (isChecked: boolean | null) =>
  ({ A, B, left = true, checkErrors }: System, who: string): Plan => {
    const n = squareSize(who, A);
    const { columns, isVector } = columnsOf(who, A, B);
    if (isVector && !left)
      throw new StridewiseError(
        `${who}: with left: false, B must be matrices, got shapes ${showShape(A)} and ${showShape(B)}. Write B.unsqueeze(-2)`,
      );
    const plan = systemPlan(who, A, columns, left, (matrices) => matrices[0]);
    const shape = isVector ? [n] : sizesOf(B).slice(-2);
    return {
      ...plan,
      results: [
        { dtype: A.dtype, shape },
        { dtype: "int32", shape: [], isIndex: true },
      ],
      run([a, b], prefix) {
        const { x, info } = lus.solve(a, b, left);
        if (isChecked ?? checkErrors) checkInfo(who, prefix, "solve", info);
        return [x, { re: [info] }];
      },
    };
  };
/** Returns the X that solves A X = B for square matrices A; B has one right-hand side or several. */
export const solve: Gives<[B: Tensor, options?: OutOption & LeftOption]> = /* @__PURE__ */ matrixOp(
  "linalg.solve(A, B; left = true)",
  /* @__PURE__ */ solvePlan(true),
  null,
  solveGradient,
  { linear: "1", batch: "solve" },
);
type SolveKinds = { result: "same"; info: "int32" };
/** Returns the X that solves A X = B, and `info`: for each matrix the 1-based index of the first zero pivot, or 0. */
export const solveEx: GivesSome<SolveKinds, [B: Tensor, options?: OutOf<SolveKinds> & LeftOption & CheckOption]> =
  /* @__PURE__ */ matrixOp(
    "linalg.solveEx(A, B; left = true, checkErrors = false)",
    /* @__PURE__ */ solvePlan(null),
    ["result", "info"],
    solveGradient,
    { batch: "solve" },
  );

const inversePlan =
  (isChecked: boolean | null) =>
  ({ A, checkErrors }: System, who: string): Plan => {
    const n = squareSize(who, A);
    return {
      inputs: [A],
      results: [
        { dtype: A.dtype, shape: [n, n] },
        { dtype: "int32", shape: [], isIndex: true },
      ],
      run([a], prefix) {
        const { x, info } = lus.inverse(a);
        if (isChecked ?? checkErrors) checkInfo(who, prefix, "inverse", info);
        return [x, { re: [info] }];
      },
    };
  };
/** Returns the inverse of square matrices; throws if one is singular. */
export const inv: Gives = /* @__PURE__ */ matrixOp(
  "linalg.inv(A)",
  /* @__PURE__ */ inversePlan(true),
  null,
  inverseGradient,
);
type InverseKinds = { inverse: "same"; info: "int32" };
/** Returns the inverse of square matrices, and `info`: for each matrix the 1-based index of the first zero pivot, or 0. */
export const invEx: GivesSome<InverseKinds, [options?: OutOf<InverseKinds> & CheckOption]> = /* @__PURE__ */ matrixOp(
  "linalg.invEx(A; checkErrors = false)",
  /* @__PURE__ */ inversePlan(null),
  ["inverse", "info"],
  inverseGradient,
);

export interface TriangularOptions extends OutOption, LeftOption, UpperOption {
  /** Reads the upper triangle of A, otherwise the lower one. */
  readonly upper: boolean;
  /** The diagonal is taken as ones and not read. */
  readonly unitriangular?: boolean | undefined;
}
/** Returns the X that solves A X = B, where A is triangular: only one triangle of A is read. */
export const solveTriangular: Gives<[B: Tensor, options: TriangularOptions]> = /* @__PURE__ */ matrixOp(
  "linalg.solveTriangular(A, B; upper, left = true, unitriangular = false)",
  ({ A, B, upper, left = true, unitriangular: unit = false }: TriangularOptions & System, who) =>
    systemPlan(who, A, B, left, ([a, b]) => triangularSolve(a, b, { upper, left, unit })),
  null,
  solveTriangularGradient as never,
  { batch: "last 1" },
);

export interface LuSolveOptions extends OutOption, LeftOption {
  /** Solves with A^H instead of A. */
  readonly adjoint?: boolean | undefined;
}
/** Returns the X that solves A X = B from the packed factors of luFactor. */
export const luSolve: Gives<[pivots: Tensor, B: Tensor, options?: LuSolveOptions]> = /* @__PURE__ */ matrixOp(
  "linalg.luSolve(LU, pivots, B; left = true, adjoint = false)",
  ({ LU, pivots, B, left = true, adjoint }: LuSolveOptions & { LU: Tensor; pivots: Tensor; B: Tensor }, who) => {
    checkPivots(who, LU, pivots);
    return systemPlan(who, LU, B, left, ([factors, steps, b]) => lus.luSolve(factors, steps.re, b, left, adjoint), [
      pivots,
    ]);
  },
  null,
  luSolveGradient as never,
  { batch: "vectors" },
);
/** Returns the X that solves A X = B from the packed factors of ldlFactor. */
export const ldlSolve: Gives<[pivots: Tensor, B: Tensor, options?: OutOption & HermitianOption]> =
  /* @__PURE__ */ matrixOp(
    "linalg.ldlSolve(LD, pivots, B; hermitian = false)",
    ({ LD, pivots, B, hermitian }: HermitianOption & { LD: Tensor; pivots: Tensor; B: Tensor }, who) => {
      checkPivots(who, LD, pivots);
      return systemPlan(who, LD, B, true, ([factors, steps, b]) => ldl.ldlSolve(factors, steps.re, b, hermitian), [
        pivots,
      ]);
    },
    null,
    null,
    { batch: "vectors" },
  );

/** PyTorch's names of algorithms; here they differ only in their results. */
export type Driver = "gels" | "gelsy" | "gelsd" | "gelss";
type LeastKinds = { solution: "same"; residuals: "real"; rank: "int64"; singularValues: "real" };
export interface LeastOptions extends OutOf<LeastKinds> {
  /** Singular values up to this multiple of the largest are treated as 0. */
  readonly rcond?: number | null | undefined;
  /** "gels" throws unless A has full rank and returns no rank; "gelsy", the default, returns no residuals; "gelsd" and "gelss" return all. */
  readonly driver?: Driver | null | undefined;
}
/** Returns the least-squares solution X of smallest norm of A X = B, with the residuals, the rank and the singular values. Results that the driver does not compute are empty. */
export const lstsq: GivesSome<LeastKinds, [B: Tensor, options?: LeastOptions]> = /* @__PURE__ */ matrixOp(
  "linalg.lstsq(A, B, rcond = null; driver = null)",
  ({ A, B, rcond, driver }: { A: Tensor; B: Tensor; rcond: number | null; driver: Driver | null }, who) => {
    const [rows, cols] = matrixSizes(who, A);
    const { columns, isVector } = columnsOf(who, A, B);
    const width = sizesOf(columns)[columns.rank - 1];
    checkFits(who, A, B, rows, sizesOf(columns)[columns.rank - 2]);
    const algorithm = driver ?? "gelsy";
    if (!["gels", "gelsy", "gelsd", "gelss"].includes(algorithm))
      throw new StridewiseError(`${who}: driver must be gels, gelsy, gelsd or gelss, got ${String(algorithm)}`);
    const real = realDType(A.dtype);
    const full = Math.min(rows, cols);
    const hasResiduals = rows > cols && algorithm !== "gelsy";
    const hasValues = algorithm === "gelsd" || algorithm === "gelss";
    return {
      inputs: [A, columns],
      results: [
        { dtype: A.dtype, shape: isVector ? [cols] : [cols, width] },
        hasResiduals ? { dtype: real, shape: [width] } : nothing(real),
        algorithm === "gels" ? nothing("int64") : { dtype: "int64", shape: [] },
        hasValues ? { dtype: real, shape: [full] } : nothing(real),
      ],
      run([a, b], prefix) {
        const result = min.lstsq(a, b, rcond ?? epsilonOf(A.dtype) * Math.max(rows, cols));
        checkInfo(who, prefix, "values", result.info);
        if (algorithm === "gels" && result.rank < full) checkInfo(who, prefix, "rank", result.rank + 1);
        return [result.x, { re: result.residuals }, { re: [result.rank] }, { re: result.s }];
      },
    };
  },
  ["solution", "residuals", "rank", "singularValues"],
  /* @__PURE__ */ leastSquaresGradient(() => pinv),
  { batch: "vectors" },
);

/** One number for all matrices, or one for each. */
type Tolerance = number | Tensor | null | undefined;
export interface ToleranceOptions extends HermitianOption {
  /** Singular values up to this are treated as 0. */
  readonly atol?: Tolerance;
  /** Singular values up to this multiple of the largest are treated as 0. Default: the rounding error. */
  readonly rtol?: Tolerance;
}
interface Inverse {
  readonly A: Tensor;
  readonly atol: Tolerance;
  readonly rtol: Tolerance;
  readonly hermitian: boolean;
}
/** Returns the Moore-Penrose pseudoinverse of matrices. */
export const pinv: Gives<[options?: Plain[0] & ToleranceOptions]> = /* @__PURE__ */ matrixOp(
  "linalg.pinv(A; atol = null, rtol = null, hermitian = false)",
  ({ A, atol, rtol, hermitian }: Inverse, who) => {
    if (hermitian) squareSize(who, A);
    const [rows, cols] = matrixSizes(who, A);
    const tensors = [atol, rtol].filter((one) => one instanceof Tensor);
    return {
      inputs: [A, ...tensors],
      axes: [2, 0, 0],
      results: [{ dtype: A.dtype, shape: [cols, rows] }],
      run([a, first, second], prefix) {
        const bound = atol instanceof Tensor ? first.re[0] : (atol ?? 0);
        const relative = rtol instanceof Tensor ? (tensors.length === 1 ? first : second)?.re[0] : rtol;
        const multiple = relative ?? (bound > 0 ? 0 : epsilonOf(A.dtype) * Math.max(rows, cols));
        const { x, info } = min.pseudoInverse(a, bound, multiple, hermitian);
        checkInfo(who, prefix, "values", info);
        return [x];
      },
    };
  },
  null,
  pseudoInverseGradient,
);
