/**
 * Reductions of the elements that a mask leaves. Where it leaves none, the result is what a reduction of nothing is: 0 for sums, 1 for
 * products, the end of the range for extremes, NaN for means.
 */
import { type DType, DTypeError, isFloatDType, type Value } from "../../storage/dtype.ts";
import type { Axis } from "../../tensor/axes.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { Part } from "../composite/composite-types.ts";
import { sqrt } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { map } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import type { PositionDType } from "../positions.ts";
import type { Axes } from "../reduce/axes.ts";
import * as reduce from "../reduce/reduce.ts";
import type { ReducedShape, ReduceOptions } from "../reduce/reduce-types.ts";
import { nanmedian, median as plainMedian } from "../routine/sort-ops.ts";
import { to } from "../views.ts";
import { extremeOf, filled, floats, type MaskOption, maskOf } from "./mask.ts";

export interface MaskedOptions extends MaskOption, Omit<ReduceOptions, "out"> {}

/** A reduction of what a mask leaves. */
export interface MaskedReduce<D extends DType = DType, More = object> extends OpFunction {
  <X extends Tensor, const A extends Axes = undefined, const O extends (MaskedOptions & More) | undefined = undefined>(
    x: X,
    axis?: A,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], A, O>, D, "none">;
}

type Reduction = (x: Tensor, axis: Axes, options: ReduceOptions) => Tensor;

/** A reduction to which elements of one value make no difference. */
function withFilling<F extends OpFunction>(name: string, reduction: unknown, value: (dtype: DType) => Value): F {
  return compositeOp(
    `masked.${name}(x: Tensor, axis; keepdims, dtype, mask: Tensor)`,
    (x: Tensor, axis: Axes, options: MaskedOptions = {}) => {
      const { mask, keepdims, dtype } = options;
      const given = { ...(keepdims === undefined ? {} : { keepdims }), ...(dtype === undefined ? {} : { dtype }) };
      return (reduction as Reduction)(filled(`masked.${name}`, x, mask, value(x.dtype)), axis, given);
    },
  );
}

/** The sum of the elements that the mask leaves. */
export const sum: MaskedReduce = /* @__PURE__ */ withFilling("sum", reduce.sum, () => 0);
/** The product of the elements that the mask leaves. */
export const prod: MaskedReduce = /* @__PURE__ */ withFilling("prod", reduce.prod, () => 1);
/** The largest of the elements that the mask leaves. */
export const amax: MaskedReduce = /* @__PURE__ */ withFilling("amax", reduce.amax, (dtype) => extremeOf(dtype, -1));
/** The smallest of the elements that the mask leaves. */
export const amin: MaskedReduce = /* @__PURE__ */ withFilling("amin", reduce.amin, (dtype) => extremeOf(dtype, 1));
/** The place of the largest of the elements that the mask leaves. */
export const argmax: MaskedReduce<PositionDType> = /* @__PURE__ */ withFilling("argmax", reduce.argmax, (dtype) =>
  extremeOf(dtype, -1),
);
/** The place of the smallest of the elements that the mask leaves. */
export const argmin: MaskedReduce<PositionDType> = /* @__PURE__ */ withFilling("argmin", reduce.argmin, (dtype) =>
  extremeOf(dtype, 1),
);
/** log(sum(exp(x))) of the elements that the mask leaves, without overflow. */
export const logsumexp: MaskedReduce = /* @__PURE__ */ compositeOp(
  "masked.logsumexp(x: Tensor, axis; keepdims, dtype, mask: Tensor)",
  (x: Tensor, axis: Axes, { mask, keepdims = false, dtype = floats(x) }: MaskedOptions = {}) =>
    reduce.logsumexp(filled("masked.logsumexp", to(x, dtype), mask, -Infinity), axis, { keepdims }),
);

const quotient = /* @__PURE__ */ map<Part>("quotient(x, count, less)", "x / max(count - less, 0)");
const squared = /* @__PURE__ */ map<Part>("squared(x, middle)", "let d = abs(x - middle); d * d");

/** How many elements count. */
const counted = (who: string, x: Tensor, mask: Tensor, axis: Axes, keepdims: boolean): Tensor =>
  reduce.sum(maskOf(who, x, mask), axis, { keepdims });

/** The mean of the elements that the mask leaves. */
export const mean: MaskedReduce = /* @__PURE__ */ compositeOp(
  "masked.mean(x: Tensor, axis; keepdims, dtype, mask: Tensor)",
  (x: Tensor, axis: Axes, { mask, keepdims = false, dtype = floats(x) }: MaskedOptions = {}) =>
    meanOf("masked.mean", to(x, dtype), axis, mask, keepdims),
);
function meanOf(who: string, x: Tensor, axis: Axes, mask: Tensor | null | undefined, keepdims: boolean): Tensor {
  if (mask === null || mask === undefined) return reduce.mean(x, axis, { keepdims });
  return quotient(reduce.sum(filled(who, x, mask, 0), axis, { keepdims }), counted(who, x, mask, axis, keepdims), 0);
}

interface CorrectionOption {
  /** What the number of elements is lessened by before dividing: 1 unless given. */
  readonly correction?: number | undefined;
  /** The correction as a boolean: 1 or 0. */
  readonly unbiased?: boolean | undefined;
}
type Moments = MaskedReduce<DType, CorrectionOption>;
const moments = "keepdims, dtype, mask: Tensor, correction, unbiased";

function varianceOf(who: string, x: Tensor, axis: Axes, options: MaskedOptions & CorrectionOption): Tensor {
  const { mask, keepdims = false, dtype = floats(x), unbiased = true, correction = unbiased ? 1 : 0 } = options;
  const values = to(x, dtype);
  if (mask === null || mask === undefined) return reduce.variance(values, axis, { keepdims, correction });
  const apart = squared(values, meanOf(who, values, axis, mask, true));
  const total = reduce.sum(filled(who, apart, mask, 0), axis, { keepdims });
  return quotient(total, counted(who, x, mask, axis, keepdims), correction);
}
/** The variance of the elements that the mask leaves. */
export const variance: Moments = /* @__PURE__ */ compositeOp(
  `masked.var(x: Tensor, axis; ${moments})`,
  (x: Tensor, axis: Axes, options: MaskedOptions & CorrectionOption = {}) => varianceOf("masked.var", x, axis, options),
);
/** The standard deviation of the elements that the mask leaves. */
export const std: Moments = /* @__PURE__ */ compositeOp(
  `masked.std(x: Tensor, axis; ${moments})`,
  (x: Tensor, axis: Axes, options: MaskedOptions & CorrectionOption = {}) =>
    sqrt(varianceOf("masked.std", x, axis, options)),
);

/** Norms of what a mask leaves. */
export interface MaskedNorm extends OpFunction {
  (x: Tensor, ord?: number, axis?: Axes, options?: MaskedOptions): Tensor<Shape, DType, "none">;
}
/** The norm of the elements that the mask leaves, taken as a vector; of order 2 unless given. */
export const norm: MaskedNorm = /* @__PURE__ */ compositeOp(
  "masked.norm(x: Tensor, ord, axis; keepdims, dtype, mask: Tensor)",
  (x: Tensor, ord = 2, axis?: Axes, { mask, keepdims = false, dtype = floats(x) }: MaskedOptions = {}) =>
    reduce.vectorNorm(filled("masked.norm", to(x, dtype), mask, ord < 0 ? Infinity : 0), axis, {
      ord,
      keepdims,
    }),
);

/** Medians of what a mask leaves. */
export interface MaskedMedian extends OpFunction {
  <X extends Tensor>(x: X, axis?: Axis, options?: Omit<MaskedOptions, "dtype">): Tensor<Shape, X["dtype"], "none">;
}
/** The median along an axis, the last unless given, of the elements that the mask leaves; with a mask, NaN is left out, too. */
export const median: MaskedMedian = /* @__PURE__ */ compositeOp(
  "masked.median(x: Tensor, axis; keepdims, mask: Tensor)",
  (x: Tensor, axis: Axis = -1, { mask, keepdims = false }: MaskedOptions = {}) => {
    if (!isFloatDType(x.dtype))
      throw new DTypeError(`masked.median: takes floats, got ${x.dtype}. Convert them: to('float32')`);
    if (mask === null || mask === undefined) return plainMedian(x, axis, { keepdims }).values;
    return nanmedian(filled("masked.median", x, mask, NaN), axis, { keepdims }).values;
  },
);
