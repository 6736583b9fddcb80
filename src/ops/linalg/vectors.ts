/**
 * Products of vectors along an axis, Vandermonde matrices, and diagonals of matrices.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { dtypes, isComplexDType } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { ones } from "../../tensor/create/create.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { mul, sub } from "../elementwise/arithmetic.ts";
import { conj } from "../elementwise/functions.ts";
import { cat } from "../movement/join.ts";
import { roll } from "../movement/rearrange.ts";
import { sum } from "../reduce/reduce.ts";
import { cumprod } from "../reduce/scan.ts";
import { broadcastSizes } from "../shape-rules.ts";
import { diagonal as diagonalView, expand, reshape, to, unsqueeze } from "../views.ts";
import type { Gives, GivesOfTwo } from "./linalg-types.ts";
import { matrixOfOps } from "./matrix-op.ts";
import { optionsLike } from "./matrix-rules.ts";

export interface AxisOption {
  /** The axis of the vectors. Default: the last. */
  readonly axis?: Axis | undefined;
}
interface Pair {
  readonly x: Tensor;
  readonly other: Tensor;
  readonly axis: Axis;
}

/** x[i + 1] y[i + 2] - x[i + 2] y[i + 1], indices modulo 3. */
export function crossProduct({ x, other, axis }: Pair, who: string): Tensor {
  checkTensor(who, x);
  checkTensor(who, other);
  if (x.rank !== other.rank)
    throw new ShapeError(
      `${who}: x and other must have the same number of axes, got ${x.rank} and ${other.rank}. Add axes of size 1: unsqueeze`,
    );
  const at = axisOf(who, x, axis);
  const [first, second] = [sizesOf(x)[at], sizesOf(other)[at]];
  if (first !== 3 || second !== 3)
    throw new ShapeError(`${who}: axis ${axis} of both tensors must have size 3, got ${first} and ${second}`);
  const shape = broadcastSizes(who, sizesOf(x), sizesOf(other)) as number[];
  const [a, b] = [expand(x, shape), expand(other, shape)];
  const rolled = (t: Tensor, shift: number): Tensor => roll(t, shift, at);
  return sub(mul(rolled(a, 2), rolled(b, 1)), mul(rolled(a, 1), rolled(b, 2)));
}
/** Returns the cross product of vectors of three elements along an axis. */
export const cross: GivesOfTwo<[options?: AxisOption]> = /* @__PURE__ */ matrixOfOps(
  "linalg.cross(x, other, axis = -1)",
  crossProduct,
);
/** Returns the dot product of vectors along an axis; the first vector is conjugated. */
export const vecdot: Gives<[other: Tensor, options?: AxisOption]> = /* @__PURE__ */ matrixOfOps(
  "linalg.vecdot(x, other, axis = -1)",
  ({ x, other, axis }: Pair, who) => {
    checkTensor(who, x);
    checkTensor(who, other);
    const first = isComplexDType(x.dtype) ? conj(x) : x;
    return sum(mul(first, other), axis, { dtype: x.dtype });
  },
);
/** Returns the Vandermonde matrix: the powers 0 to N - 1 of each number as a row. N is the number of elements by default. */
export const vander: Gives<[options?: { readonly N?: number | null }], "sum"> = /* @__PURE__ */ matrixOfOps(
  "linalg.vander(x, N = null)",
  ({ x, N }: { x: Tensor; N: number | null }, who) => {
    checkTensor(who, x);
    const numbers = x.rank === 0 ? reshape(x, [1]) : x;
    const { category } = dtypes[x.dtype];
    const dtype = category === "bool" || category === "integer" ? "int64" : x.dtype;
    const count = N ?? sizesOf(numbers)[numbers.rank - 1];
    if (!Number.isInteger(count) || count <= 1)
      throw new StridewiseError(`${who}: N must be an integer above 1, got ${String(count)}`);
    const shape = sizesOf(numbers);
    const column = unsqueeze(to(numbers, dtype), -1);
    const powers = cumprod(expand(column, [...shape, count - 1]), -1);
    return cat([ones([...shape, 1], optionsLike(x, dtype)), powers], -1);
  },
);

interface Diagonal {
  readonly A: Tensor;
  readonly offset: number;
  readonly axis1: Axis;
  readonly axis2: Axis;
}
/** Returns a view of the diagonals of matrices, by default over the last two axes; a positive offset is above the main diagonal. */
export const diagonal: Gives<[options?: { readonly offset?: number; readonly axis1?: Axis; readonly axis2?: Axis }]> =
  /* @__PURE__ */ matrixOfOps(
    "linalg.diagonal(A; offset = 0, axis1 = -2, axis2 = -1)",
    ({ A, offset, axis1, axis2 }: Diagonal) => diagonalView(A, offset, axis1, axis2),
  );
