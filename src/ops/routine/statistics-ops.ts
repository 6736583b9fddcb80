/**
 * Covariances and correlations of variables, which are rows with an observation in each column; and differences of neighbors.
 * All are composite ops.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { type DType, DTypeError, dtypes } from "../../storage/dtype.ts";
import { item } from "../../tensor/access/access.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { matmul } from "../contract/matmul.ts";
import { notImplemented } from "../dtype-errors.ts";
import { clamp, clampMin, div, mul, sqrt, sub } from "../elementwise/arithmetic.ts";
import { logicalXor } from "../elementwise/comparison.ts";
import { conj } from "../elementwise/functions.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { cat } from "../movement/join.ts";
import { amin, sum } from "../reduce/reduce.ts";
import {
  clone,
  diagonal,
  narrow,
  reshape,
  select,
  squeeze,
  transpose,
  unsqueeze,
  viewAsComplex,
  viewAsReal,
} from "../views.ts";
import { routineOfOps } from "./routine-op.ts";

const hasCategory = (dtype: DType, category: string): boolean => dtypes[dtype].category === category;

function checkMatrix(who: string, x: Tensor): void {
  checkTensor(who, x);
  if (x.rank > 2) throw new ShapeError(`${who}: x must have at most 2 axes, got ${x.rank}`);
}

function checkWeights(name: "fweights" | "aweights", w: Tensor, count: number): void {
  checkTensor("cov", w);
  if (w.rank > 1) throw new ShapeError(`cov: ${name} must have at most one axis, got ${w.rank}`);
  const [category, words] = name === "fweights" ? ["integer", "integral"] : ["float", "floating point"];
  if (!hasCategory(w.dtype, category)) throw new DTypeError(`cov: ${name} must have ${words} dtype, got ${w.dtype}`);
  if (w.size !== count)
    throw new ShapeError(`cov: ${name} must have an element for each of ${count} observations, got ${w.size}`);
  if (count > 0 && w.device.type !== "meta" && (item(amin(w)) as number) < 0)
    throw new StridewiseError(`cov: ${name} cannot be negative`);
}

/** The options of cov. */
export interface CovOptions {
  /** The number that is subtracted from the number of observations in the divisor. Default: 1. */
  readonly correction?: number | undefined;
  /** The number of occurrences of each observation. */
  readonly fweights?: Tensor | undefined;
  /** The weight of each observation. */
  readonly aweights?: Tensor | undefined;
}
/** The type of cov. */
export interface Cov extends OpFunction {
  (x: Tensor, options?: CovOptions): Tensor;
}
interface CovArguments {
  readonly x: Tensor;
  readonly correction: number;
  readonly fweights: Tensor | null;
  readonly aweights: Tensor | null;
}
/** Returns the covariance matrix of the variables in the rows of x, with an observation in each column. */
export const cov: Cov = /* @__PURE__ */ routineOfOps(
  "cov(x; correction = 1, fweights = null, aweights = null)",
  ({ x, correction, fweights, aweights }: CovArguments) => {
    checkMatrix("cov", x);
    if (x.dtype === "bool") throw notImplemented("cov", "bool");
    const rows = x.rank < 2 ? reshape(x, [1, x.size]) : x;
    const count = sizeAt(rows, 1);
    if (fweights !== null) checkWeights("fweights", fweights, count);
    if (aweights !== null) checkWeights("aweights", aweights, count);
    const weights = fweights === null || aweights === null ? (fweights ?? aweights) : mul(fweights, aweights);
    const weighted = (t: Tensor): Tensor => (weights === null ? t : mul(t, weights));
    const total = weights === null ? count : sum(weights);
    const centered = sub(rows, unsqueeze(div(sum(weighted(rows), 1), total), 1));
    const products = matmul(centered, conj(transpose(weighted(centered), 0, 1)));
    if (weights === null) return squeeze(div(products, Math.max(count - correction, 0)));
    const excess =
      aweights === null || correction === 0 ? correction : div(mul(sum(mul(weights, aweights)), correction), total);
    return squeeze(div(products, clampMin(sub(total, excess), 0)));
  },
);

/** The type of corrcoef. */
export interface Corrcoef extends OpFunction {
  (x: Tensor): Tensor;
}
/** Returns the Pearson correlation coefficients of the variables in the rows of x, with an observation in each column. */
export const corrcoef: Corrcoef = /* @__PURE__ */ routineOfOps("corrcoef(x)", ({ x }: { readonly x: Tensor }) => {
  checkMatrix("corrcoef", x);
  const c = cov(x);
  if (c.rank === 0) return div(c, c);
  const isComplex = hasCategory(c.dtype, "complex");
  const d = diagonal(c);
  const deviations = sqrt(isComplex ? select(viewAsReal(d), -1, 0) : d);
  const shares = div(div(c, unsqueeze(deviations, 1)), unsqueeze(deviations, 0));
  return isComplex ? viewAsComplex(clamp(viewAsReal(shares), -1, 1)) : clamp(shares, -1, 1);
});

/** The options of diff. */
export interface DiffOptions {
  /** Prepended to the tensor. */
  readonly prepend?: Tensor | undefined;
  /** Appended to the tensor. */
  readonly append?: Tensor | undefined;
}
/** The type of diff. */
export interface Diff extends OpFunction {
  <X extends Tensor>(x: X, n?: number, axis?: Axis, options?: DiffOptions): Tensor<Shape, X["dtype"]>;
  readonly method: <X extends Tensor>(
    this: X,
    n?: number,
    axis?: Axis,
    options?: DiffOptions,
  ) => Tensor<Shape, X["dtype"]>;
}
interface DiffArguments {
  readonly x: Tensor;
  readonly n: number;
  readonly axis: Axis;
  readonly prepend: Tensor | null;
  readonly append: Tensor | null;
}

function checkJoined(x: Tensor, other: Tensor, axis: number): void {
  checkTensor("diff", other);
  if (other.rank !== x.rank)
    throw new ShapeError(`diff: prepend and append must have as many axes as x, got ${other.rank} for ${x.rank}`);
  const sizes = sizesOf(x);
  const wrong = sizes.findIndex((size, d) => d !== axis && sizeAt(other, d) !== size);
  if (wrong >= 0)
    throw new ShapeError(
      `diff: prepend and append must have the sizes of x except along the axis, got ${sizeAt(other, wrong)} instead of ${sizes[wrong]} at axis ${wrong}`,
    );
}
/** Returns the n-th discrete differences along an axis: by default the differences of adjacent elements along the last axis. */
export const diff: Diff = /* @__PURE__ */ routineOfOps(
  "diff(x, n = 1, axis = -1; prepend = null, append = null)",
  ({ x, n, axis, prepend, append }: DiffArguments) => {
    checkTensor("diff", x);
    if (x.rank === 0) throw new ShapeError("diff: x must have at least 1 axis");
    if (!Number.isInteger(n) || n < 0) throw new StridewiseError(`diff: n must be a non-negative integer, got ${n}`);
    const at = axisOf("diff", x, axis);
    for (const other of [prepend, append]) if (other !== null) checkJoined(x, other, at);
    if (n === 0) return clone(x);
    const parts = [prepend, x, append].filter((part) => part !== null);
    let result = parts.length === 1 ? x : cat(parts, at);
    for (let size = sizeAt(result, at), k = Math.min(n, size); k > 0; k--) {
      size--;
      const [low, high] = [narrow(result, at, 0, size), narrow(result, at, 1, size)];
      result = x.dtype === "bool" ? logicalXor(high, low) : sub(high, low);
    }
    return result;
  },
);
