/**
 * Reductions and scans that ignore NaN, as in NumPy; nansum and nanmean are in `../reduce/reduce.ts`. All are composite ops. Integers have
 * no NaN and use the op without `nan` in its name.
 */
import { StridewiseError } from "../../base/errors.ts";
import type { DType } from "../../storage/dtype.ts";
import { item } from "../../tensor/access/access.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { div, mul, sqrt, sub } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { eq, gt, isnan, logicalNot } from "../elementwise/comparison.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { IndexDType } from "../indices.ts";
import { compositeOp } from "../op.ts";
import type { Axes } from "../reduce/axes.ts";
import { all, amax, amin, any, argmax, argmin, nanmean, prod, std, sum, variance } from "../reduce/reduce.ts";
import type { NoDType, Reduce, ReduceOptions, ReduceSum, ReduceTo } from "../reduce/reduce-types.ts";
import { isFloating } from "../reduce/reduction.ts";
import { cumprod, cumsum, type RunningSum } from "../reduce/scan.ts";
import { to } from "../views.ts";

/** The option of variances. */
export interface CorrectionOption {
  /** The number that is subtracted from the number of elements in the divisor. Default: 1. */
  readonly correction?: number | undefined;
}
/** The type of nanvar and nanstd. */
export type NanVariance = ReduceTo<DType, CorrectionOption & NoDType>;

type Options = Omit<ReduceOptions, "dtype"> & CorrectionOption;
type Call = (x: Tensor, axis?: Axes, options?: Options) => Tensor;

/** Defines an op that is `usual` for integers, and for floats computed from x and a mask of its NaN. */
function ignoringNaN<F extends OpFunction>(
  text: string,
  usual: OpFunction,
  compute: (call: Call, x: Tensor, isNaNAt: Tensor, axis: Axes, options: Options) => Tensor,
): F {
  const call = usual as unknown as Call;
  return compositeOp(
    text,
    (x: Tensor, axis?: Axes, options: Options = {}) =>
      isFloating(x.dtype) ? compute(call, x, isnan(x), axis, options) : call(x, axis, options),
    "reduce",
  );
}

/** Defines an op that replaces NaN by its neutral element. */
const filled = <F extends OpFunction>(text: string, usual: OpFunction, neutral: number): F =>
  ignoringNaN(text, usual, (call, x, isNaNAt, axis, options) => call(where(isNaNAt, neutral, x), axis, options));

const extreme = (name: string, usual: OpFunction, neutral: number): Reduce<NoDType> =>
  ignoringNaN(`${name}(x: Tensor, axis; keepdims, out)`, usual, (call, x, isNaNAt, axis, { out, ...rest }) =>
    where(all(isNaNAt, axis, rest), NaN, call(where(isNaNAt, neutral, x), axis, rest), { out }),
  );

/**
 * Replacing NaN by the mean keeps the sum of squares; only the divisor differs. The mean is subtracted first, because it is rounded, and its
 * square may be large compared with the variance.
 */
const moment = (name: string, usual: OpFunction, factorOf: (ratio: Tensor) => Tensor): NanVariance =>
  ignoringNaN(
    `${name}(x: Tensor, axis; keepdims, correction, out)`,
    usual,
    (call, x, isNaNAt, axis, { keepdims, correction, out }) => {
      if (typeof (correction ?? 1) !== "number")
        throw new StridewiseError(`${name}: correction must be a number, got ${describeValue(correction)}`);
      const meanOf = (t: Tensor): Tensor => nanmean(t, axis, { keepdims: true });
      const centered: Tensor = sub(x, meanOf(x));
      const even = where(isNaNAt, meanOf(centered), centered);
      const spread = call(even, axis, { keepdims, correction: 0 });
      const divisor = sub(sum(logicalNot(isNaNAt), axis, { keepdims, dtype: "float64" }), correction ?? 1);
      const ratio = div(x.size / spread.size, where(gt(divisor, 0), divisor, NaN));
      return mul(spread, to(factorOf(ratio), spread.dtype), { out });
    },
  );

/** Finds the first element that equals the extreme, so that infinities are not mistaken for replaced NaN. */
const index = (name: string, usual: OpFunction, best: Reduce<NoDType>): ReduceTo<IndexDType, NoDType> =>
  ignoringNaN(`${name}(x: Tensor, axis; keepdims, out)`, usual, (_, x, _isNaNAt, axis, options) => {
    const extremes = best(x, axis, { keepdims: true });
    if (extremes.device.type !== "meta" && item(any(isnan(extremes))))
      throw new StridewiseError(`${name}: all elements of a slice are NaN. Replace NaN first: nanToNum(x)`);
    return argmax(eq(x, extremes), axis, options);
  });

/** Returns the minimum of the elements, ignoring NaN; NaN if all are NaN. */
export const nanmin: Reduce<NoDType> = /* @__PURE__ */ extreme("nanmin", amin, Infinity);
/** Returns the maximum of the elements, ignoring NaN; NaN if all are NaN. */
export const nanmax: Reduce<NoDType> = /* @__PURE__ */ extreme("nanmax", amax, -Infinity);
/** Returns the product of the elements, treating NaN as 1; integers are multiplied as int64. */
export const nanprod: ReduceSum = /* @__PURE__ */ filled("nanprod(x: Tensor, axis; keepdims, dtype, out)", prod, 1);
/** Returns the variance of the elements that are not NaN. `correction` is 1 by default, while NumPy's `ddof` is 0. */
export const nanvar: NanVariance = /* @__PURE__ */ moment("nanvar", variance, (ratio) => ratio);
/** Returns the standard deviation of the elements that are not NaN. `correction` is 1 by default, while NumPy's `ddof` is 0. */
export const nanstd: NanVariance = /* @__PURE__ */ moment("nanstd", std, sqrt);
/** Returns the index of the minimum, ignoring NaN; the first one if there are several. Without an axis, it is the index into the flattened tensor. */
export const nanargmin: ReduceTo<IndexDType, NoDType> = /* @__PURE__ */ index("nanargmin", argmin, nanmin);
/** Returns the index of the maximum, ignoring NaN; the first one if there are several. Without an axis, it is the index into the flattened tensor. */
export const nanargmax: ReduceTo<IndexDType, NoDType> = /* @__PURE__ */ index("nanargmax", argmax, nanmax);
/** Returns the cumulative sum along an axis, treating NaN as 0. */
export const nancumsum: RunningSum = /* @__PURE__ */ filled("nancumsum(x: Tensor, axis; dtype, out)", cumsum, 0);
/** Returns the cumulative product along an axis, treating NaN as 1. */
export const nancumprod: RunningSum = /* @__PURE__ */ filled("nancumprod(x: Tensor, axis; dtype, out)", cumprod, 1);
