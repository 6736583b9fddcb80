/**
 * Ops on the elements that a mask selects, the namespace `masked`: PyTorch's torch.masked. Elements where the mask is false are replaced
 * by a value that does not change the result; without a mask, all elements count. The mask is broadcast to the shape of the tensor.
 *
 * If the mask selects no element, the result is that of an empty reduction: 0 for sums, 1 for products, the limit of the dtype for
 * extremes, NaN for means.
 */
import { type DType, DTypeError, dtypes, isComplexDType, isFloatDType, type Value } from "../../storage/dtype.ts";
import type { Axis } from "../../tensor/axes.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { PairOp, Part, SameShapeOp } from "../composite/composite-types.ts";
import { softmin as plainSoftmin } from "../composite/gates.ts";
import { logSoftmax as plainLogSoftmax, softmax as plainSoftmax } from "../composite/softmax.ts";
import { logaddexp as plainLogaddexp, sqrt } from "../elementwise/arithmetic.ts";
import { maskedFill } from "../elementwise/choose.ts";
import { logicalNot } from "../elementwise/comparison.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import type { IndexDType } from "../indices.ts";
import { compositeOp } from "../op.ts";
import type { Axes } from "../reduce/axes.ts";
import * as reduce from "../reduce/reduce.ts";
import type { ReducedShape, ReduceOptions } from "../reduce/reduce-types.ts";
import { cumprod as plainCumprod, cumsum as plainCumsum } from "../reduce/scan.ts";
import { nanmedian, median as plainMedian } from "../routine/sort-ops.ts";
import { expand, to } from "../views.ts";

export interface MaskOption {
  /** True where an element counts. Default: all of them. */
  readonly mask?: Tensor | null | undefined;
}

/** The mask in the shape of a tensor. */
function maskOf(who: string, x: Tensor, mask: Tensor): Tensor {
  if (mask.dtype !== "bool")
    throw new DTypeError(`${who}: mask must be a bool tensor, got ${mask.dtype}. Compare it: mask.ne(0)`);
  return expand(mask, sizesOf(x));
}

/** Replaces the elements where the mask is false by a value. */
const filled = (who: string, x: Tensor, mask: Tensor | null | undefined, value: Value): Tensor =>
  mask == null ? x : maskedFill(x, logicalNot(maskOf(who, x, mask)), value);

/** The largest value of a dtype, or with a sign of -1 the smallest. */
function extremeOf(dtype: DType, sign: 1 | -1): Value {
  const { category, itemsize } = dtypes[dtype];
  if (category === "float" || category === "complex") return sign * Infinity;
  if (category === "bool") return sign === 1;
  const isSigned = dtype.startsWith("int");
  if (sign === -1 && !isSigned) return 0;
  const power = 2n ** BigInt(8 * itemsize - (isSigned ? 1 : 0));
  const value = sign === 1 ? power - 1n : -power;
  return itemsize === 8 ? value : Number(value);
}

/** The dtype of a result: float32 for integers. */
const floats = (x: Tensor): DType => (isFloatDType(x.dtype) || isComplexDType(x.dtype) ? x.dtype : "float32");

/** The op applied to x with a neutral value where the mask is false; options other than `mask` are passed on if given. */
function withFilling<F extends OpFunction>(
  name: string,
  options: string,
  op: unknown,
  value: (dtype: DType) => Value,
): F {
  return compositeOp(
    `masked.${name}(x: Tensor, axis; ${options}, mask: Tensor)`,
    (x: Tensor, axis: Axes, { mask, ...rest }: MaskedOptions = {}) => {
      const passed = Object.fromEntries(Object.entries(rest).filter(([, option]) => option !== undefined));
      return (op as Filled)(filled(`masked.${name}`, x, mask, value(x.dtype)), axis, passed);
    },
  );
}
type Filled = (x: Tensor, axis: Axes, options: object) => Tensor;
const withReduction = <F extends OpFunction>(name: string, reduction: unknown, value: (dtype: DType) => Value): F =>
  withFilling(name, "keepdims, dtype", reduction, value);
const withRows = (name: string, rows: unknown, value: number): MaskedRows =>
  withFilling(name, "dtype", rows, () => value);

export interface MaskedOptions extends MaskOption, Omit<ReduceOptions, "out"> {}

/** The type of masked reductions. */
export interface MaskedReduce<D extends DType = DType, More = object> extends OpFunction {
  <X extends Tensor, const A extends Axes = undefined, const O extends (MaskedOptions & More) | undefined = undefined>(
    x: X,
    axis?: A,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], A, O>, D>;
}

/** Returns the sum of the elements where the mask is true. */
export const sum: MaskedReduce = /* @__PURE__ */ withReduction("sum", reduce.sum, () => 0);
/** Returns the product of the elements where the mask is true. */
export const prod: MaskedReduce = /* @__PURE__ */ withReduction("prod", reduce.prod, () => 1);
/** Returns the maximum of the elements where the mask is true. */
export const amax: MaskedReduce = /* @__PURE__ */ withReduction("amax", reduce.amax, (dtype) => extremeOf(dtype, -1));
/** Returns the minimum of the elements where the mask is true. */
export const amin: MaskedReduce = /* @__PURE__ */ withReduction("amin", reduce.amin, (dtype) => extremeOf(dtype, 1));
/** Returns the index of the maximum of the elements where the mask is true. */
export const argmax: MaskedReduce<IndexDType> = /* @__PURE__ */ withReduction("argmax", reduce.argmax, (dtype) =>
  extremeOf(dtype, -1),
);
/** Returns the index of the minimum of the elements where the mask is true. */
export const argmin: MaskedReduce<IndexDType> = /* @__PURE__ */ withReduction("argmin", reduce.argmin, (dtype) =>
  extremeOf(dtype, 1),
);
/** Returns log(sum(exp(x))) of the elements where the mask is true, without overflow. */
export const logsumexp: MaskedReduce = /* @__PURE__ */ compositeOp(
  "masked.logsumexp(x: Tensor, axis; keepdims, dtype, mask: Tensor)",
  (x: Tensor, axis: Axes, { mask, keepdims = false, dtype = floats(x) }: MaskedOptions = {}) =>
    reduce.logsumexp(filled("masked.logsumexp", to(x, dtype), mask, -Infinity), axis, { keepdims }),
);

const quotient = /* @__PURE__ */ map<Part>("quotient(x, count, less)", "x / max(count - less, 0)");
const squared = /* @__PURE__ */ map<Part>("squared(x, middle)", "let d = abs(x - middle); d * d");

/** The number of elements where the mask is true. */
const counted = (who: string, x: Tensor, mask: Tensor, axis: Axes, keepdims: boolean): Tensor =>
  reduce.sum(maskOf(who, x, mask), axis, { keepdims });

/** Returns the mean of the elements where the mask is true. */
export const mean: MaskedReduce = /* @__PURE__ */ compositeOp(
  "masked.mean(x: Tensor, axis; keepdims, dtype, mask: Tensor)",
  (x: Tensor, axis: Axes, { mask, keepdims = false, dtype = floats(x) }: MaskedOptions = {}) =>
    meanOf("masked.mean", to(x, dtype), axis, mask, keepdims),
);
function meanOf(who: string, x: Tensor, axis: Axes, mask: Tensor | null | undefined, keepdims: boolean): Tensor {
  if (mask == null) return reduce.mean(x, axis, { keepdims });
  return quotient(reduce.sum(filled(who, x, mask, 0), axis, { keepdims }), counted(who, x, mask, axis, keepdims), 0);
}

interface CorrectionOption {
  /** The difference between the number of elements and the divisor. Default: 1. */
  readonly correction?: number | undefined;
  /** The correction as a boolean: 1 if true, 0 if false. */
  readonly unbiased?: boolean | undefined;
}
type Moments = MaskedReduce<DType, CorrectionOption>;
const moments = "keepdims, dtype, mask: Tensor, correction, unbiased";

function varianceOf(who: string, x: Tensor, axis: Axes, options: MaskedOptions & CorrectionOption): Tensor {
  const { mask, keepdims = false, dtype = floats(x), unbiased = true, correction = unbiased ? 1 : 0 } = options;
  const values = to(x, dtype);
  if (mask == null) return reduce.variance(values, axis, { keepdims, correction });
  const squaredDeviations = squared(values, meanOf(who, values, axis, mask, true));
  const total = reduce.sum(filled(who, squaredDeviations, mask, 0), axis, { keepdims });
  return quotient(total, counted(who, x, mask, axis, keepdims), correction);
}
/** Returns the variance of the elements where the mask is true. */
export const variance: Moments = /* @__PURE__ */ compositeOp(
  `masked.var(x: Tensor, axis; ${moments})`,
  (x: Tensor, axis: Axes, options: MaskedOptions & CorrectionOption = {}) => varianceOf("masked.var", x, axis, options),
);
/** Returns the standard deviation of the elements where the mask is true. */
export const std: Moments = /* @__PURE__ */ compositeOp(
  `masked.std(x: Tensor, axis; ${moments})`,
  (x: Tensor, axis: Axes, options: MaskedOptions & CorrectionOption = {}) =>
    sqrt(varianceOf("masked.std", x, axis, options)),
);

/** The type of the masked norm. */
interface MaskedNorm extends OpFunction {
  (x: Tensor, ord?: number, axis?: Axes, options?: MaskedOptions): Tensor<Shape, DType>;
}
/** Returns the vector norm of order `ord`, 2 by default, of the elements where the mask is true. */
export const norm: MaskedNorm = /* @__PURE__ */ compositeOp(
  "masked.norm(x: Tensor, ord, axis; keepdims, dtype, mask: Tensor)",
  (x: Tensor, ord = 2, axis?: Axes, { mask, keepdims = false, dtype = floats(x) }: MaskedOptions = {}) =>
    reduce.vectorNorm(filled("masked.norm", to(x, dtype), mask, ord < 0 ? Infinity : 0), axis, {
      ord,
      keepdims,
    }),
);

/** The type of the masked median. */
interface MaskedMedian extends OpFunction {
  <X extends Tensor>(x: X, axis?: Axis, options?: Omit<MaskedOptions, "dtype">): Tensor<Shape, X["dtype"]>;
}
/** Returns the median of the elements where the mask is true along an axis, by default the last; with a mask, NaN is also ignored. */
export const median: MaskedMedian = /* @__PURE__ */ compositeOp(
  "masked.median(x: Tensor, axis; keepdims, mask: Tensor)",
  (x: Tensor, axis: Axis = -1, { mask, keepdims = false }: MaskedOptions = {}) => {
    if (!isFloatDType(x.dtype))
      throw new DTypeError(
        `masked.median: x must be a floating point tensor, got ${x.dtype}. Convert it: to("float32")`,
      );
    if (mask == null) return plainMedian(x, axis, { keepdims }).values;
    return nanmedian(filled("masked.median", x, mask, NaN), axis, { keepdims }).values;
  },
);

interface RowOptions extends MaskOption {
  /** The dtype of the result; the elements are converted to it first. */
  readonly dtype?: DType | undefined;
}
/** The type of masked ops along an axis that keep the shape. */
interface MaskedRows extends OpFunction {
  <X extends Tensor>(x: X, axis: Axis, options?: RowOptions): Tensor<X["shape"], DType>;
}
/** Applies softmax along an axis to the elements where the mask is true; the others become 0. */
export const softmax: MaskedRows = /* @__PURE__ */ withRows("softmax", plainSoftmax, -Infinity);
/** Applies logSoftmax along an axis to the elements where the mask is true; the others become -Infinity. */
export const logSoftmax: MaskedRows = /* @__PURE__ */ withRows("logSoftmax", plainLogSoftmax, -Infinity);
/** Applies softmin along an axis to the elements where the mask is true; the others become 0. */
export const softmin: MaskedRows = /* @__PURE__ */ withRows("softmin", plainSoftmin, Infinity);
/** Returns the cumulative sum along an axis of the elements where the mask is true. */
export const cumsum: MaskedRows = /* @__PURE__ */ withRows("cumsum", plainCumsum, 0);
/** Returns the cumulative product along an axis of the elements where the mask is true. */
export const cumprod: MaskedRows = /* @__PURE__ */ withRows("cumprod", plainCumprod, 1);

interface NormalizeOptions extends MaskOption {
  /** A lower bound of the divisor. Default: 1e-12. */
  readonly eps?: number | undefined;
}
const byLength = /* @__PURE__ */ map<Part>("byLength(x, length, eps)", "x / max(length, 1.0 * eps)");
/** Divides vectors along an axis by their norm of order `ord`; elements where the mask is false count as 0. */
export const normalize: SameShapeOp<[ord: number, axis: Axis, options?: NormalizeOptions]> =
  /* @__PURE__ */ compositeOp(
    "masked.normalize(x: Tensor, ord: any, axis: any; eps, mask: Tensor)",
    (x: Tensor, ord: number, axis: Axis, { mask, eps = 1e-12 }: NormalizeOptions = {}) => {
      const left = filled("masked.normalize", x, mask, 0);
      const counting = ord < 0 ? filled("masked.normalize", x, mask, Infinity) : left;
      return byLength(left, reduce.vectorNorm(counting, axis, { ord, keepdims: true }), eps);
    },
  );

interface TwoMasks {
  /** True where an element of x counts. */
  readonly inputMask?: Tensor | null | undefined;
  /** True where an element of other counts. */
  readonly otherMask?: Tensor | null | undefined;
}
/** Returns log(exp(x) + exp(other)) of the elements where the masks are true, without overflow; -Infinity where both are false. */
export const logaddexp: PairOp<[options?: TwoMasks]> = /* @__PURE__ */ compositeOp(
  "masked.logaddexp(x: Tensor, other: Tensor; inputMask: Tensor, otherMask: Tensor)",
  (x: Tensor, other: Tensor, { inputMask, otherMask }: TwoMasks = {}) =>
    plainLogaddexp(
      filled("masked.logaddexp", to(x, floats(x)), inputMask, -Infinity),
      filled("masked.logaddexp", to(other, floats(other)), otherMask, -Infinity),
    ),
);

export { variance as var };
