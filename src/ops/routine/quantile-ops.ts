/**
 * Quantiles along an axis or of all elements, with or without NaN. Several quantiles at once are the first axis of the result.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { DTypeError } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { fromData } from "../../tensor/create/from-data.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { Backward, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { reducedNames } from "../../tensor/names.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { add, clampMin, mul, sub } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { eq, lt } from "../elementwise/comparison.ts";
import { ceil, floor, round } from "../elementwise/functions.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { gatherUnchecked, scatterAddUnchecked } from "../movement/gather-scatter.ts";
import { fresh, type Result } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { countReduced, reducedAxes, reducedShape } from "../reduce/axes.ts";
import { sum } from "../reduce/reduce.ts";
import type { KeepOption, ReducedShape } from "../reduce/reduce-types.ts";
import { shapeOf } from "../shape-rules.ts";
import { movedim, reshape, to } from "../views.ts";
import { denseOf, elementsIn, writeTo } from "./dense-elements.ts";
import { isLongRow, sortInto } from "./long-sort.ts";
import { routineOp } from "./routine-op.ts";
import { type Interpolation, quantileRows, quantilesOfSorted } from "./select.ts";
import { sort } from "./sort-ops.ts";

// Gradients of quantiles: the gradient is split between the two elements around a rank by their weights, and that of q is the slope between
// them. The backward pass sorts rows again.

/** The rank of the selected element, for interpolations that do not mix two. */
const chosen: Readonly<Partial<Record<Interpolation, (rank: Tensor) => Tensor>>> = {
  lower: (rank) => floor(rank),
  higher: (rank) => ceil(rank),
  nearest: (rank) => round(rank),
};

/** The gradient of quantile, and with `skipNaN` of nanquantile. */
const quantileGradient =
  (skipNaN: boolean) =>
  ({ x, q, axis, interpolation }: QuantileArguments, call: RecordedCall): Backward => {
    const [shape, { dtype, rank }] = [sizesOf(x), x];
    const at = axis === null || rank === 0 ? null : axisOf("quantile", x, axis);
    const saved = call.save(x);
    const needsQ = call.needs(q) && interpolation === "linear";
    const shares = q instanceof Tensor ? call.save(q) : () => fromData([q].flat(), { dtype }, "quantile");
    return ([gradient]) => {
      const rows = at === null ? reshape(saved(), [-1]) : movedim(saved(), at, -1);
      const sizes = sizesOf(rows);
      const last = sizes.length - 1;
      const n = sizes[last];
      const { values, indices } = sort(rows, -1) as { values: Tensor; indices: Tensor };
      const list = reshape(shares(), [-1]);
      const counts = sum(to(eq(values, values), dtype), -1, { keepdims: true });
      const ends = skipNaN ? sub(counts, 1) : n - 1;
      const exact = mul(list, ends);
      const ranks = skipNaN ? clampMin(exact, 0) : where(lt(counts, n), n - 1, exact);
      const g = movedim(reshape(gradient, [list.size, ...sizes.slice(0, last)]), 0, -1);
      const indicesOf = (rank: Tensor): Tensor => to(rank, "int32");
      const back = (part: Tensor, rank: Tensor): Tensor =>
        scatterAddUnchecked(part, last, gatherUnchecked(indices, last, indicesOf(rank)), sizes);
      const whole = (t: Tensor): Tensor => (at === null ? reshape(t, shape) : movedim(t, -1, at));
      const one = chosen[interpolation];
      if (one !== undefined) return [whole(back(g, one(ranks)))];
      const [low, high] = [floor(ranks), ceil(ranks)];
      const part = interpolation === "midpoint" ? 0.5 : sub(ranks, low);
      const second = mul(g, part);
      const total = add(back(sub(g, second), low), back(second, high));
      if (!needsQ) return [whole(total)];
      const slope = sub(gatherUnchecked(values, last, indicesOf(high)), gatherUnchecked(values, last, indicesOf(low)));
      const each = reshape(mul(mul(g, slope), ends), [-1, list.size]);
      return [whole(total), reshape(sum(each, 0), sizesOf(shares()))];
    };
  };

const interpolations: readonly Interpolation[] = ["linear", "lower", "higher", "midpoint", "nearest"];

/** The options of quantiles. */
export interface QuantileOptions extends OutOption, KeepOption {
  /** The interpolation between two elements. Default: "linear". */
  readonly interpolation?: Interpolation | undefined;
}
/** One probability from 0 to 1, or several. */
export type Shares = number | readonly number[] | Tensor;
/** The type of quantiles. */
export interface Quantile extends OpFunction {
  <X extends Tensor, const A extends Axis | null, const O extends QuantileOptions | undefined = undefined>(
    x: X,
    q: number,
    axis: A,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], A, O>, X["dtype"]>;
  <X extends Tensor, const O extends QuantileOptions | undefined = undefined>(
    x: X,
    q: number,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], undefined, O>, X["dtype"]>;
  <X extends Tensor>(x: X, q: Shares, axis?: Axis | null, options?: QuantileOptions): Tensor<Shape, X["dtype"]>;
  <X extends Tensor>(x: X, q: Shares, options?: QuantileOptions): Tensor<Shape, X["dtype"]>;
  readonly method: QuantileMethod;
}
/** The same as a method. */
interface QuantileMethod {
  <X extends Tensor, const A extends Axis | null, const O extends QuantileOptions | undefined = undefined>(
    this: X,
    q: number,
    axis: A,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], A, O>, X["dtype"]>;
  <X extends Tensor, const O extends QuantileOptions | undefined = undefined>(
    this: X,
    q: number,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], undefined, O>, X["dtype"]>;
  <X extends Tensor>(this: X, q: Shares, axis?: Axis | null, options?: QuantileOptions): Tensor<Shape, X["dtype"]>;
  <X extends Tensor>(this: X, q: Shares, options?: QuantileOptions): Tensor<Shape, X["dtype"]>;
}
interface QuantileArguments {
  readonly x: Tensor;
  readonly q: Shares;
  readonly axis: Axis | null;
  readonly keepdims: boolean;
  readonly interpolation: Interpolation;
}

function inferQuantile(who: string, { x, q, axis, keepdims, interpolation }: QuantileArguments): Result {
  checkTensor(who, x);
  const shape = shapeOf(x);
  if (x.dtype !== "float32" && x.dtype !== "float64")
    throw new DTypeError(`${who}: dtype must be float32 or float64, got ${x.dtype}. Convert it: to("float32")`);
  if (x.size === 0) throw new ShapeError(`${who}: x must not be empty, got shape ${show(shape)}`);
  if (!interpolations.includes(interpolation))
    throw new StridewiseError(
      `${who}: interpolation must be linear, lower, higher, midpoint or nearest, got ${String(interpolation)}`,
    );
  if (Array.isArray(axis))
    throw new StridewiseError(`${who}: axis must be one axis, got ${show(axis)}. Join several: flatten(...)`);
  const reduced = reducedAxes(who, x, axis);
  const left = reducedShape(shape, reduced, keepdims);
  const names = reducedNames(x, reduced, keepdims);
  if (typeof q === "number") return { dtype: x.dtype, shape: left, names };
  if (!(q instanceof Tensor || (Array.isArray(q) && Array.from(q).every((one) => typeof one === "number"))))
    throw new StridewiseError(`${who}: q must be a number, a list of numbers or a tensor, got ${describeValue(q)}`);
  const first = q instanceof Tensor ? shapeOf(q) : [q.length];
  const result = { dtype: x.dtype, shape: [...first, ...left], names: names && [...first.map(() => null), ...names] };
  if (!(q instanceof Tensor)) return result;
  if (q.rank > 1) throw new ShapeError(`${who}: q must have at most one axis, got shape [${shapeOf(q).join(", ")}]`);
  if (q.dtype !== x.dtype)
    throw new DTypeError(`${who}: x and q must have the same dtype, got ${x.dtype} and ${q.dtype}`);
  return result;
}

function sharesOf(who: string, q: Shares): ArrayLike<number> {
  const shares = q instanceof Tensor ? (elementsIn(denseOf(q), who).slice() as Float64Array) : [q].flat();
  for (let j = 0; j < shares.length; j++)
    if (!(shares[j] >= 0 && shares[j] <= 1))
      throw new StridewiseError(`${who}: q must be from 0 to 1, got ${shares[j]}`);
  return shares as ArrayLike<number>;
}

function quantileOp(who: "quantile" | "nanquantile"): Quantile {
  return routineOp<Quantile, QuantileArguments>(
    `${who}(x, q, axis = null; keepdims = false, interpolation = linear)`,
    (args) => inferQuantile(who, args),
    ([result], { x, q, axis, interpolation }) => {
      const shares = sharesOf(who, q);
      const reduced = reducedAxes(who, x, axis);
      const dense = denseOf(x, axis === null ? null : (reduced[0] ?? null));
      const n = countReduced(x, reduced);
      // Long rows are sorted by a kernel, in place if they are a copy.
      const isLong = isLongRow(n);
      const sorted = isLong && dense.source === x.source ? fresh(x.dtype, sizesOf(dense)) : dense;
      if (isLong) sortInto("values", dense, n, sorted, who);
      writeTo(result, x.dtype, null, who, (out) => {
        const target = elementsIn(out, who, true) as Float64Array;
        const values = elementsIn(sorted, who) as Float64Array;
        const fill = isLong ? quantilesOfSorted : quantileRows;
        fill(values, dense.size / n, n, shares, interpolation, who === "nanquantile", target);
      });
      for (const t of [dense, sorted]) if (t.source !== x.source) t.endWith("a copy for the length of one call");
    },
    { gradient: quantileGradient(who === "nanquantile"), batch: "quantile" },
  );
}
/** Returns the q-quantiles of all elements or along an axis, interpolated between adjacent sorted elements. */
export const quantile: Quantile = /* @__PURE__ */ quantileOp("quantile");
/** Returns the q-quantiles of all elements or along an axis, ignoring NaN. */
export const nanquantile: Quantile = /* @__PURE__ */ quantileOp("nanquantile");
