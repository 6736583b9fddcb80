/**
 * Norms of matrices, and the one function for all norms. Norms of vectors are a reduction (`../reduce/reduce.ts`), here with its arguments in
 * the order of `linalg`; those of matrices are made of it and of singular values.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import type { DType } from "../../storage/dtype.ts";
import { realDType } from "../../storage/dtype.ts";
import { type Axis, axesOf } from "../../tensor/axes.ts";
import { zeros } from "../../tensor/create/create.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { amax, amin, vectorNorm as reducedNorm, sum } from "../reduce/reduce.ts";
import type { ReduceOptions } from "../reduce/reduce-types.ts";
import { movedim, to, unsqueeze } from "../views.ts";
import type { Gives } from "./linalg-types.ts";
import { matrixOfOps } from "./matrix-op.ts";
import { beside, checkFloating } from "./matrix-rules.ts";
import { svdvals } from "./spectra.ts";

/** Frobenius, nuclear (sum of singular values), or 1 (columns), 2 (singular values), Infinity (rows); a negative one is the smallest. */
export type MatrixOrder = "fro" | "nuc" | number;
type NormOptions = Omit<ReduceOptions, "out">;

/** A result of zeros for matrices without elements. */
export const zeroNorms = (A: Tensor): Tensor =>
  zeros(sizesOf(A).slice(0, -2), { dtype: realDType(A.dtype), device: beside(A) });

interface MatrixNorm {
  readonly A: Tensor;
  readonly ord: MatrixOrder;
  readonly axis: readonly Axis[];
  readonly keepdims: boolean;
  readonly dtype: DType | null;
}
/** The norm of matrices: the root of the sum of squares, or with `ord` another one. */
export const matrixNorm: Gives<[ord?: MatrixOrder, axis?: readonly Axis[] | null, options?: NormOptions], "real"> =
  /* @__PURE__ */ matrixOfOps("linalg.matrixNorm(A, ord = fro, axis = null; keepdims = false, dtype = null)", norms);

function norms({ A, ord, axis, keepdims, dtype }: MatrixNorm, who: string): Tensor {
  checkFloating(who, A);
  if (A.rank < 2) throw new ShapeError(`${who}: A must have at least 2 dimensions, got shape ${showShape(A)}`);
  const places = axesOf(who, A, axis ?? [-2, -1]);
  if (places.length !== 2) throw new ShapeError(`${who}: dim must be a 2-tuple. Got ${show(places)}`);
  const x = movedim(dtype === null ? A : to(A, dtype), places, [-2, -1]);
  const result = orderOf(x, ord, who);
  if (!keepdims) return result;
  return [...places].sort((a, b) => a - b).reduce((t, place) => unsqueeze(t, place), result);
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
        `${who}: Order ${String(ord)} not supported. It is "fro", "nuc", 1, -1, 2, -2, Infinity or -Infinity`,
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

/** The norm of the elements as a vector, or of those along axes: the root of the sum of squares, or with `ord` another one. */
export const vectorNorm: Gives<[ord?: number, axis?: Axis | readonly Axis[] | null, options?: NormOptions], "real"> =
  /* @__PURE__ */ matrixOfOps(
    "linalg.vectorNorm(x, ord = 2, axis = null; keepdims = false, dtype = null)",
    vectorNorms,
  );
/** The norm of vectors or matrices: of one axis or all elements as a vector, of two axes with an order as a matrix. */
export const norm: Gives<
  [ord?: MatrixOrder | null, axis?: Axis | readonly Axis[] | null, options?: NormOptions],
  "real"
> = /* @__PURE__ */ matrixOfOps(
  "linalg.norm(x, ord = null, axis = null; keepdims = false, dtype = null)",
  ({ x, ord, axis, keepdims, dtype }: Norm<MatrixOrder | null>, who) => {
    checkTensor(who, x);
    const axes = axis === null ? null : [axis].flat();
    if (ord !== null && axes !== null && axes.length !== 1 && axes.length !== 2)
      throw new ShapeError(`${who}: If dim is specified, it must be of length 1 or 2. Got ${show(axes)}`);
    if (ord !== null && axes === null && x.rank !== 1 && x.rank !== 2)
      throw new ShapeError(`${who}: ord without an axis takes 1 or 2 axes, got ${x.rank}. Give an axis`);
    if (ord !== null && (axes?.length ?? x.rank) === 2)
      return norms({ A: x, ord, axis: axes ?? [0, 1], keepdims, dtype }, who);
    if (ord === "fro" || ord === "nuc")
      throw new ShapeError(`${who}: ${ord} is a norm of matrices, and one axis is a vector. Give two axes`);
    return vectorNorms({ x, ord: ord ?? 2, axis: axes, keepdims, dtype });
  },
);
