/**
 * Summary statistics of NumPy: percentiles, weighted averages, ranges, and bins of elements. All are composite ops.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import type { DType } from "../../storage/dtype.ts";
import { item } from "../../tensor/access/access.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { toArray } from "../../tensor/convert/to-array.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { div, mul, sub } from "../elementwise/arithmetic.ts";
import { eq, gt, lt } from "../elementwise/comparison.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { IndexDType } from "../indices.ts";
import { flip } from "../movement/rearrange.ts";
import { compositeOp } from "../op.ts";
import type { FloatOf, Promote, ShapeIn } from "../op-types.ts";
import type { Axes } from "../reduce/axes.ts";
import { amax, amin, any, mean, sum } from "../reduce/reduce.ts";
import type { KeepOption, NoDType, Reduce, ReducedShape, ReduceOptions } from "../reduce/reduce-types.ts";
import { show } from "../shape-rules.ts";
import { narrow, reshape } from "../views.ts";
import { nanquantile, type Quantile, type QuantileOptions, quantile, type Shares } from "./quantile-ops.ts";
import { routineOfOps } from "./routine-op.ts";
import { bucketize } from "./search-ops.ts";
import { floating, floatsTogether } from "./sequence.ts";

const isMeta = (t: Tensor): boolean => t.device.type === "meta";
/** True if and only if an element is known to be true; on the meta device none is. */
const isAnywhere = (t: Tensor): boolean => !isMeta(t) && (item(any(t)) as boolean);

interface PercentileArguments extends QuantileOptions {
  readonly x: Tensor;
  readonly q: Shares;
  readonly axis: Axis | null;
}

function percentileOp(who: string, op: Quantile): Quantile {
  return routineOfOps(
    `${who}(x, q, axis = null; keepdims = false, interpolation = linear, out = null)`,
    ({ x, q, axis, ...options }: PercentileArguments) => {
      const list: readonly unknown[] = q instanceof Tensor ? (isMeta(q) ? [] : [toArray(q)].flat(2)) : [q].flat();
      const wrong = list.find(
        (one) => /^(number|bigint)$/.test(typeof one) && !(Number(one) >= 0 && Number(one) <= 100),
      );
      if (wrong !== undefined)
        throw new StridewiseError(
          `${who}: q must be from 0 to 100, got ${describeValue(wrong)}. For fractions use ${op.operator.name}`,
        );
      const shareOf = (one: number): number => (typeof one === "number" ? one / 100 : one);
      const shares =
        q instanceof Tensor ? div(q, 100) : Array.isArray(q) ? Array.from(q, shareOf) : shareOf(q as number);
      return op(x, shares, axis, options);
    },
  );
}
/** Returns the q-th percentiles of all elements or along an axis, interpolated between adjacent sorted elements. */
export const percentile: Quantile = /* @__PURE__ */ percentileOp("percentile", quantile);
/** Returns the q-th percentiles of all elements or along an axis, ignoring NaN. */
export const nanpercentile: Quantile = /* @__PURE__ */ percentileOp("nanpercentile", nanquantile);

/** The options of average. */
export interface AverageOptions extends KeepOption {
  /** A weight for each element, or for each index along the axis. Default: equal weights. */
  readonly weights?: Tensor | undefined;
}
/** The type of average. */
export interface Average extends OpFunction {
  <X extends Tensor, const O extends AverageOptions | undefined = undefined>(
    x: X,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], undefined, O>, Averaged<X, O>>;
  <X extends Tensor, const A extends Axes, const O extends AverageOptions | undefined = undefined>(
    x: X,
    axis: A,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], A, O>, Averaged<X, O>>;
}
/** The dtype of an average, with weights if there are any. */
type Averaged<X extends Tensor, O> = O extends { readonly weights: infer W extends Tensor }
  ? FloatOf<Promote<X["dtype"], W["dtype"]>>
  : O extends undefined | { readonly weights?: undefined }
    ? FloatOf<X["dtype"]>
    : DType;
interface AverageArguments {
  readonly x: Tensor;
  readonly axis: Axes;
  readonly weights: Tensor | null;
  readonly keepdims: boolean;
}

/** Returns the weights in a shape that broadcasts with x; a list of weights runs along the one axis `at`. */
function spreadWeights(w: Tensor, x: Tensor, at: number, axis: Axes): Tensor {
  const sizes = sizesOf(x);
  if (show(sizes) === showShape(w)) return w;
  if (w.rank !== 1 || w.size !== sizes[at])
    throw new ShapeError(
      `average: weights of shape ${showShape(w)} do not fit x of shape ${show(sizes)} with axis ${describeValue(axis)}. Pass weights of the same shape, or one for each index of one axis`,
    );
  return reshape(
    w,
    sizes.map((size, d) => (d === at ? size : 1)),
  );
}

/** Returns the weighted average of the elements; integers become floats. */
export const average: Average = /* @__PURE__ */ routineOfOps(
  "average(x, axis = null; weights = null, keepdims = false)",
  ({ x, axis, weights, keepdims }: AverageArguments) => {
    checkTensor("average", x);
    if (weights === null) return mean(floating(x), axis, { keepdims });
    checkTensor("average", weights);
    // Weights need no axis names.
    const axes = axis === null ? null : ([axis].flat() as Axis[]).map((one) => axisOf("average", x, one));
    const [values, alike] = floatsTogether(x, weights);
    const w = spreadWeights(alike, x, axes?.length === 1 ? axes[0] : -1, axis);
    const total = sum(w, axes, { keepdims });
    if (isAnywhere(eq(total, 0))) throw new StridewiseError("average: the weights sum to 0");
    return div(sum(mul(values, w), axes, { keepdims }), total);
  },
);

/** Returns the range of the elements: the maximum minus the minimum. */
export const ptp: Reduce<NoDType> = /* @__PURE__ */ compositeOp(
  "ptp(x: Tensor, axis; keepdims, out)",
  (x: Tensor, axis?: Axes, { out, ...rest }: ReduceOptions = {}) =>
    sub(amax(x, axis, rest), amin(x, axis, rest), { out }),
  "reduce",
);

/** The options of digitize. */
export interface DigitizeOptions {
  /** Bins include their right edge instead of the left one. Default: false. */
  readonly right?: boolean | undefined;
}
/** The type of digitize. */
export interface Digitize extends OpFunction {
  <X extends Tensor | number>(x: X, bins: Tensor, options?: DigitizeOptions): Tensor<ShapeIn<X>, IndexDType>;
}
interface DigitizeArguments {
  readonly x: Tensor | number;
  readonly bins: Tensor;
  readonly right: boolean;
}
/** Returns the index of the bin of each element, between ascending or descending edges; 0 is before the first edge. */
export const digitize: Digitize = /* @__PURE__ */ routineOfOps(
  "digitize(x, bins; right = false)",
  ({ x, bins, right }: DigitizeArguments) => {
    checkTensor("digitize", bins);
    if (bins.rank !== 1)
      throw new ShapeError(
        `digitize: bins must have one axis, got shape ${showShape(bins)}. Flatten them: flatten(bins)`,
      );
    const count = Math.max(bins.size - 1, 0);
    const [edges, next] = [narrow(bins, 0, 0, count), narrow(bins, 0, bins.size - count, count)];
    const search = (edges: Tensor): Tensor => bucketize(x, edges, { right: !right });
    if (!isAnywhere(lt(next, edges))) return search(bins);
    if (isAnywhere(gt(next, edges)))
      throw new StridewiseError("digitize: bins must be ascending or descending. Sort them: sort(bins).values");
    // k of the descending edges before an element are all but k of the ascending ones.
    return sub(bins.size, search(flip(bins, 0)));
  },
);
