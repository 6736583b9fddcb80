/**
 * Reductions and scans that leave NaN out, with NumPy's meaning; nansum and nanmean are in `../reduce/reduce.ts`. Functions only, no
 * methods; all made of other ops. Integers have no NaN, and go to the op of the name without `nan`.
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
import { compositeOp } from "../op.ts";
import type { PositionDType } from "../positions.ts";
import type { Axes } from "../reduce/axes.ts";
import { all, amax, amin, any, argmax, argmin, nanmean, prod, std, sum, variance } from "../reduce/reduce.ts";
import type { NoDType, Reduce, ReduceOptions, ReduceSum, ReduceTo } from "../reduce/reduce-types.ts";
import { isFloating } from "../reduce/reduction.ts";
import { cumprod, cumsum, type RunningSum } from "../reduce/scan.ts";
import { to } from "../views.ts";

/** What variances take besides other reductions. */
export interface CorrectionOption {
  /** What the number of elements is lessened by before dividing: 1 unless given. */
  readonly correction?: number | undefined;
}
/** The type of variances and standard deviations without NaN. */
export type NanVariance = ReduceTo<DType, CorrectionOption & NoDType>;

type Options = Omit<ReduceOptions, "dtype"> & CorrectionOption;
type Call = (x: Tensor, axis?: Axes, options?: Options) => Tensor;

/** An op that is `usual` for integers, and else made of the tensor and where it is NaN. */
function leavingOut<F extends OpFunction>(
  text: string,
  usual: OpFunction,
  make: (call: Call, x: Tensor, isHole: Tensor, axis: Axes, options: Options) => Tensor,
): F {
  const call = usual as unknown as Call;
  return compositeOp(
    text,
    (x: Tensor, axis?: Axes, options: Options = {}) =>
      isFloating(x.dtype) ? make(call, x, isnan(x), axis, options) : call(x, axis, options),
    "reduce",
  );
}

/** The op with a number in the place of NaN that changes nothing. */
const filled = <F extends OpFunction>(text: string, usual: OpFunction, neutral: number): F =>
  leavingOut(text, usual, (call, x, isHole, axis, options) => call(where(isHole, neutral, x), axis, options));

const extreme = (name: string, usual: OpFunction, neutral: number): Reduce<NoDType> =>
  leavingOut(`${name}(x: Tensor, axis; keepdims, out)`, usual, (call, x, isHole, axis, { out, ...rest }) =>
    where(all(isHole, axis, rest), NaN, call(where(isHole, neutral, x), axis, rest), { out }),
  );

/**
 * With the mean in the place of NaN the sum of squares stays; what it is divided by is another number. The mean is taken away first, because
 * it is rounded, and its square may be large beside the variance.
 */
const moment = (name: string, usual: OpFunction, factorOf: (ratio: Tensor) => Tensor): NanVariance =>
  leavingOut(
    `${name}(x: Tensor, axis; keepdims, correction, out)`,
    usual,
    (call, x, isHole, axis, { keepdims, correction, out }) => {
      if (typeof (correction ?? 1) !== "number")
        throw new StridewiseError(`${name}: correction is a number, got ${describeValue(correction)}`);
      const meanOf = (t: Tensor): Tensor => nanmean(t, axis, { keepdims: true });
      const centered: Tensor = sub(x, meanOf(x));
      const even = where(isHole, meanOf(centered), centered);
      const spread = call(even, axis, { keepdims, correction: 0 });
      const divisor = sub(sum(logicalNot(isHole), axis, { keepdims, dtype: "float64" }), correction ?? 1);
      const ratio = div(x.size / spread.size, where(gt(divisor, 0), divisor, NaN));
      return mul(spread, to(factorOf(ratio), spread.dtype), { out });
    },
  );

/** The place of the first element that equals the extreme, so that infinities are not taken for what NaN would be replaced by. */
const place = (name: string, usual: OpFunction, best: Reduce<NoDType>): ReduceTo<PositionDType, NoDType> =>
  leavingOut(`${name}(x: Tensor, axis; keepdims, out)`, usual, (_, x, _isHole, axis, options) => {
    const found = best(x, axis, { keepdims: true });
    if (found.device.type !== "meta" && item(any(isnan(found))))
      throw new StridewiseError(`${name}: a slice has only NaN. Replace NaN first: nanToNum(x)`);
    return argmax(eq(x, found), axis, options);
  });

/** The smallest of the elements that are no NaN; NaN if there are none. */
export const nanmin: Reduce<NoDType> = /* @__PURE__ */ extreme("nanmin", amin, Infinity);
/** The largest of the elements that are no NaN; NaN if there are none. */
export const nanmax: Reduce<NoDType> = /* @__PURE__ */ extreme("nanmax", amax, -Infinity);
/** The product of the elements that are no NaN; integers are multiplied as int64. */
export const nanprod: ReduceSum = /* @__PURE__ */ filled("nanprod(x: Tensor, axis; keepdims, dtype, out)", prod, 1);
/** The variance of the elements that are no NaN; divided by one less than their number, as in PyTorch, unless `correction` says otherwise. */
export const nanvar: NanVariance = /* @__PURE__ */ moment("nanvar", variance, (ratio) => ratio);
/** The standard deviation of the elements that are no NaN, the root of nanvar; its `correction` is 1, as in PyTorch, unless given. */
export const nanstd: NanVariance = /* @__PURE__ */ moment("nanstd", std, sqrt);
/** The place of the smallest element that is no NaN, the first of several; without an axis among all elements in row-major order. */
export const nanargmin: ReduceTo<PositionDType, NoDType> = /* @__PURE__ */ place("nanargmin", argmin, nanmin);
/** The place of the largest element that is no NaN, the first of several; without an axis among all elements in row-major order. */
export const nanargmax: ReduceTo<PositionDType, NoDType> = /* @__PURE__ */ place("nanargmax", argmax, nanmax);
/** The sums of the elements up to each along an axis, NaN counted as 0. */
export const nancumsum: RunningSum = /* @__PURE__ */ filled("nancumsum(x: Tensor, axis; dtype, out)", cumsum, 0);
/** The products of the elements up to each along an axis, NaN counted as 1. */
export const nancumprod: RunningSum = /* @__PURE__ */ filled("nancumprod(x: Tensor, axis; dtype, out)", cumprod, 1);
