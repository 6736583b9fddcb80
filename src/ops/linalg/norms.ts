/**
 * Norms of vectors and matrices. Norms of vectors are a reduction (`../reduce/reduce.ts`), here with the argument order of `linalg`;
 * norms of matrices are composed of it and of singular values.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { type DType, realDType } from "../../storage/dtype.ts";
import { type Axis, axesOf } from "../../tensor/axes.ts";
import { zeros } from "../../tensor/create/create.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { amax, amin, vectorNorm as reducedNorm, sum } from "../reduce/reduce.ts";
import type { ReduceOptions } from "../reduce/reduce-types.ts";
import { movedim, to, unsqueeze } from "../views.ts";
import type { Gives } from "./linalg-types.ts";
import { matrixOfOps } from "./matrix-op.ts";
import { matrixSizes, optionsLike } from "./matrix-rules.ts";
import { svdvals } from "./spectra.ts";

/** Frobenius, nuclear (sum of singular values), or the largest of 1 (columns), 2 (singular values), Infinity (rows); negative orders are the smallest. */
export type MatrixOrder = "fro" | "nuc" | number;
type NormOptions = Omit<ReduceOptions, "out">;

/** Returns zeros, the norms of matrices without elements. */
export const zeroNorms = (A: Tensor): Tensor => zeros(sizesOf(A).slice(0, -2), optionsLike(A, realDType(A.dtype)));

interface MatrixNorm {
  readonly A: Tensor;
  readonly ord: MatrixOrder;
  readonly axis: readonly Axis[];
  readonly keepdims: boolean;
  readonly dtype: DType | null;
}
/** Returns the matrix norm of order `ord`, by default the Frobenius norm. */
export const matrixNorm: Gives<[ord?: MatrixOrder, axis?: readonly Axis[] | null, options?: NormOptions], "real"> =
  /* @__PURE__ */ matrixOfOps("linalg.matrixNorm(A, ord = fro, axis = null; keepdims = false, dtype = null)", norms);

function norms({ A, ord, axis, keepdims, dtype }: MatrixNorm, who: string): Tensor {
  matrixSizes(who, A);
  const axes = axesOf(who, A, axis ?? [-2, -1]);
  if (axes.length !== 2) throw new ShapeError(`${who}: axis must be two axes, got ${show(axes)}`);
  const x = movedim(dtype === null ? A : to(A, dtype), axes, [-2, -1]);
  const result = orderOf(x, ord, who);
  if (!keepdims) return result;
  return [...axes].sort((a, b) => a - b).reduce((t, at) => unsqueeze(t, at), result);
}

function orderOf(x: Tensor, ord: MatrixOrder, who: string): Tensor {
  if (ord === "fro") return reducedNorm(x, [-2, -1]);
  if (ord === "nuc") return sum(svdvals(x), -1);
  const extreme = ord > 0 ? amax : amin;
  switch (typeof ord === "number" ? Math.abs(ord) : ord) {
    case 2:
      return extreme(svdvals(x), -1);
    case 1:
      return extreme(reducedNorm(x, -2, { ord: 1 }), -1);
    case Infinity:
      return extreme(reducedNorm(x, -1, { ord: 1 }), -1);
    default:
      throw new StridewiseError(
        `${who}: Order ${String(ord)} not supported. Must be one of "fro", "nuc", 1, -1, 2, -2, Infinity, -Infinity`,
      );
  }
}

interface Norm<O> {
  readonly x: Tensor;
  readonly ord: O;
  readonly axis: Axis | readonly Axis[] | null;
  readonly keepdims: boolean;
  readonly dtype: DType | null;
}
const vectorNorms = ({ x, ord, axis, keepdims, dtype }: Norm<number>): Tensor =>
  reducedNorm(x, axis, { ord, keepdims, ...(dtype === null ? {} : { dtype }) });

/** Returns the vector norm of order `ord`, by default 2, of all elements or along axes. */
export const vectorNorm: Gives<[ord?: number, axis?: Axis | readonly Axis[] | null, options?: NormOptions], "real"> =
  /* @__PURE__ */ matrixOfOps(
    "linalg.vectorNorm(x, ord = 2, axis = null; keepdims = false, dtype = null)",
    vectorNorms,
  );
/** Returns a vector or matrix norm. With `ord`, it is a matrix norm for two axes or a matrix. Otherwise it is a vector norm, by default the 2-norm, along the axes or of all elements. */
export const norm: Gives<
  [ord?: MatrixOrder | null, axis?: Axis | readonly Axis[] | null, options?: NormOptions],
  "real"
> = /* @__PURE__ */ matrixOfOps(
  "linalg.norm(x, ord = null, axis = null; keepdims = false, dtype = null)",
  ({ x, ord, axis, keepdims, dtype }: Norm<MatrixOrder | null>, who) => {
    checkTensor(who, x);
    const axes = axis === null ? null : [axis].flat();
    if (ord !== null && axes !== null && axes.length !== 1 && axes.length !== 2)
      throw new ShapeError(`${who}: axis must be one or two axes, got ${show(axes)}`);
    if (ord !== null && axes === null && x.rank !== 1 && x.rank !== 2)
      throw new ShapeError(`${who}: with ord and without axis, x must have 1 or 2 axes, got ${x.rank}. Pass an axis`);
    if (ord !== null && (axes?.length ?? x.rank) === 2)
      return norms({ A: x, ord, axis: axes ?? [0, 1], keepdims, dtype }, who);
    if (ord === "fro" || ord === "nuc")
      throw new ShapeError(`${who}: ${ord} is a matrix norm, and one axis is a vector. Pass two axes`);
    return vectorNorms({ x, ord: ord ?? 2, axis: axes, keepdims, dtype });
  },
);
