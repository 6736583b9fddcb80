/**
 * Reductions: extremes, tests, variances and norms over any axes, and from `sums.ts` sums, products and means. How they are made is
 * `reduction.ts`; here are dtypes, and what PyTorch says where there is nothing to reduce.
 */

import { StridewiseError } from "../../base/errors.ts";
import { lowerResults } from "../../kernel/copy.ts";
import { lowerArgReduce } from "../../kernel/program/lower-reduce.ts";
import { type Moment, makeMoments, momentDType } from "../../kernel/reduce/moments.ts";
import { makeLogSumExp, makeNorm, normOf } from "../../kernel/reduce/norms.ts";
import { reducedDType } from "../../kernel/reduce/reductions.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { add, div, maximum, minimum, sub } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { isnan, logicalNot } from "../elementwise/comparison.ts";
import { exp, log } from "../elementwise/functions.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp, type Facts, type Result, structuredOp } from "../op.ts";
import { type PositionDType, positionDType } from "../positions.ts";
import { withNames } from "../routine/routine-op.ts";
import { shapeOf } from "../shape-rules.ts";
import { detach, partView, reshape } from "../views.ts";
import { type Axes, inputOperand, outputOperand, reducedAxes, reducedShape } from "./axes.ts";
import { amaxGradient, maxGradient, pickedGradient } from "./extreme-gradient.ts";
import { momentsGradient } from "./moments-gradient.ts";
import { logsumexpGradient, normGradient } from "./norm-gradient.ts";
import type { Extreme, NoDType, Reduce, ReduceOptions, ReduceSum, ReduceTo, ValuesIndices } from "./reduce-types.ts";
import { type Arguments, checkFloating, isFloating, plain, type Rule, reducedResult, reduction } from "./reduction.ts";
import * as sums from "./sums.ts";

type Which = "max" | "min";

/** The sum of the elements; integers are added up as int64. */
export const sum: ReduceSum = sums.sum;
/** The product of the elements; integers are multiplied as int64. */
export const prod: ReduceSum = sums.prod;
/** The mean of the elements, which are floats. */
export const mean: Reduce = sums.mean;

const extremeOf = (name: string, which: Which, gradient: GradientRule = amaxGradient): Reduce =>
  reduction(name, plain(which, { needsElements: () => true, gradient }, name));
/** The largest element; NaN if one is NaN. */
export const amax: Reduce = /* @__PURE__ */ extremeOf("amax", "max");
/** The smallest element; NaN if one is NaN. */
export const amin: Reduce = /* @__PURE__ */ extremeOf("amin", "min");
/** True if one of the elements is not 0. */
export const any: ReduceTo<"bool"> = /* @__PURE__ */ reduction("any", /* @__PURE__ */ plain("any"));
/** True if no element is 0. */
export const all: ReduceTo<"bool"> = /* @__PURE__ */ reduction("all", /* @__PURE__ */ plain("all"));
/** How many elements are not 0. */
export const countNonzero: ReduceTo<"int64"> = /* @__PURE__ */ reduction(
  "countNonzero",
  /* @__PURE__ */ plain("countNonzero"),
);
const realLogsumexp: Reduce = /* @__PURE__ */ reduction(
  "logsumexp",
  {
    from: (dtype) => (isFloating(dtype) ? dtype : "float32"),
    results: (dtype) => [dtype],
    kernel: (dtype) => makeLogSumExp("logsumexp", dtype),
    gradient: logsumexpGradient,
  },
  "",
);
/** log(sum(exp(x))), without overflow. */
export const logsumexp: Reduce<NoDType> = /* @__PURE__ */ compositeOp(
  "logsumexp(x: Tensor, axis; keepdims, out)",
  (x: Tensor, axis?: Axes, options?: ReduceOptions) => {
    if (dtypes[x.dtype].category !== "complex") return realLogsumexp(x, axis, options);
    // Complex numbers have no largest; the largest real part keeps the exponentials small.
    const most = amax(partView(detach(x), "real"), axis, { keepdims: true });
    const total = log(sum(exp(sub(x, most)), axis, { keepdims: true }));
    const reduced = reducedAxes("logsumexp", x, axis);
    const shape = reducedShape(shapeOf(x), reduced, options?.keepdims === true) as number[];
    return add(reshape(total, shape), reshape(most, shape), { out: options?.out });
  },
  "reduce",
);

interface VarOptions extends Omit<ReduceOptions, "dtype"> {
  /** What the number of elements is lessened by before dividing: 1 unless given. */
  readonly correction?: number;
  /** The correction as a boolean: 1 or 0. */
  readonly unbiased?: boolean;
}
const corrections = "correction, unbiased";
const correctionOf = ({ correction, unbiased }: VarOptions): number => correction ?? (unbiased === false ? 0 : 1);

const moments = (name: string, which: readonly Moment[]): Rule => ({
  results: (dtype) => which.map((moment) => momentDType(moment, checkFloating(name, dtype))),
  kernel: (dtype) => makeMoments(name, dtype, which),
  scalars: (count, options) => [count, correctionOf(options as VarOptions)],
  gradient: momentsGradient(name, correctionOf),
});

/** The type of variances and standard deviations. */
export type Variance = ReduceTo<DType, VarOptions & NoDType>;
/** The variance, computed stably; divided by one less than the number of elements unless `correction` says otherwise. */
export const variance: Variance = /* @__PURE__ */ reduction(
  "var",
  /* @__PURE__ */ moments("var", ["var"]),
  corrections,
);
/** The standard deviation, the root of the variance. */
export const std: Variance = /* @__PURE__ */ reduction("std", /* @__PURE__ */ moments("std", ["std"]), corrections);

/** Two moments at once. */
export interface TwoMoments extends OpFunction {
  (x: Tensor, axis?: Axes, options?: VarOptions): [variance: Tensor, mean: Tensor];
}
/** The variance and the mean. */
export const varMean: TwoMoments = /* @__PURE__ */ reduction(
  "varMean",
  /* @__PURE__ */ moments("varMean", ["var", "mean"]),
  corrections,
  true,
);
/** The standard deviation and the mean. */
export const stdMean: TwoMoments = /* @__PURE__ */ reduction(
  "stdMean",
  /* @__PURE__ */ moments("stdMean", ["std", "mean"]),
  corrections,
  true,
);

interface NormOptions extends ReduceOptions {
  readonly ord?: number;
}
const vectorNormRule: Rule = {
  from: (dtype, options) => checkFloating("vectorNorm", options.dtype ?? dtype),
  results: (dtype, options) => {
    const ord = (options as NormOptions).ord ?? 2;
    if (typeof ord !== "number" || Number.isNaN(ord))
      throw new StridewiseError(
        `vectorNorm: Order ${String(ord)} not supported. It is 0, 1, 2, Infinity, -Infinity or another number`,
      );
    return [momentDType("var", dtype)];
  },
  kernel: (dtype, options) => makeNorm("vectorNorm", normOf((options as NormOptions).ord ?? 2), dtype),
  key: (options) => normOf((options as NormOptions).ord ?? 2),
  scalars: (_, options) => {
    const { ord = 2 } = options as NormOptions;
    return normOf(ord) === "power" ? [ord] : [];
  },
  // Of nothing, the largest is no norm, nor is what divides by 0.
  needsElements: ({ ord = 2 }: NormOptions) => ord < 0 || ord === Infinity,
  gradient: normGradient,
};
/** The norm of the elements as a vector: the root of the sum of squares, or with `ord` another one. */
export const vectorNorm: ReduceTo<DType, NormOptions> = /* @__PURE__ */ reduction(
  "vectorNorm",
  vectorNormRule,
  "dtype, ord",
);

/** The place of an extreme; with `isWithValue` behind the extreme itself. The op is `name`, and speaks as `who`. */
function places<F extends OpFunction>(name: string, who: string, which: Which, facts: Facts, isWithValue = false): F {
  return structuredOp<F, Arguments>(`${name}(x: Tensor, axis; keepdims)`, "reduce", {
    ...facts,
    infer(x, axis, options) {
      reducedDType(who, which, x.dtype);
      const left = reducedResult(who, x, axis, options);
      const place: Result = { dtype: positionDType, ...left, isIndex: true };
      return isWithValue ? [{ dtype: x.dtype, ...left }, place] : place;
    },
    lower(builder, outputs, x, axis, options) {
      const reduced = reducedAxes(who, x, axis);
      const results = outputs.map((out) => outputOperand(who, out, reduced, options?.keepdims === true));
      lowerResults(builder, results, isWithValue ? [x.dtype, positionDType] : [positionDType], (targets) => {
        const [place, extreme] = targets.toReversed();
        lowerArgReduce(builder, `arg${which}`, place, inputOperand(who, x, reduced), extreme);
      });
    },
  });
}

const argReduction = (which: Which): ReduceTo<PositionDType, NoDType> =>
  places(`arg${which}`, `arg${which}`, which, { batch: "along 1=all" });
/** The place of the largest element, the first of several; without an axis among all elements in row-major order. */
export const argmax: ReduceTo<PositionDType, NoDType> = /* @__PURE__ */ argReduction("max");
/** The place of the smallest element, the first of several; without an axis among all elements in row-major order. */
export const argmin: ReduceTo<PositionDType, NoDType> = /* @__PURE__ */ argReduction("min");

/** The extreme along an axis with its place. */
function alongAxis(which: Which): (x: Tensor, axis: Axis, options?: ReduceOptions) => ValuesIndices {
  const facts: Facts = { batch: "along 1", gradient: pickedGradient };
  const two = places<OpFunction>(`${which}Along`, which, which, facts, true);
  const call = withNames(two, ["values", "indices"]) as unknown as (...args: unknown[]) => ValuesIndices;
  return (x, axis, options) => call(x, axisOf(which, x, axis), options);
}

function extreme(which: Which): Extreme {
  const along = alongAxis(which);
  const whole = extremeOf(which, which, maxGradient);
  const ofTwo = which === "max" ? maximum : minimum;
  return compositeOp(
    `${which}(x: Tensor, axis; keepdims, out)`,
    (x: Tensor, second?: Axis | Tensor, options?: ReduceOptions) => {
      if (second === undefined) return whole(x, second, options);
      return second instanceof Tensor ? ofTwo(x, second, options) : along(x, second, options);
    },
    "reduce",
  );
}
/** The largest element; along an axis, with its place; or of two tensors the larger elements. */
export const max: Extreme = /* @__PURE__ */ extreme("max");
/** The smallest element; along an axis, with its place; or of two tensors the smaller elements. */
export const min: Extreme = /* @__PURE__ */ extreme("min");

/** Both extremes. */
export interface AMinMax extends OpFunction {
  (x: Tensor, axis?: Axes, options?: Omit<ReduceOptions, "out">): { readonly min: Tensor; readonly max: Tensor };
  readonly method: (
    this: Tensor,
    axis?: Axes,
    options?: Omit<ReduceOptions, "out">,
  ) => { readonly min: Tensor; readonly max: Tensor };
}
/** The smallest and the largest element. */
export const aminmax: AMinMax = /* @__PURE__ */ compositeOp(
  "aminmax(x: Tensor, axis; keepdims, dtype)",
  (x: Tensor, axis?: Axes, options?: ReduceOptions) => ({ min: amin(x, axis, options), max: amax(x, axis, options) }),
  "reduce",
);

const withoutNaN = (x: Tensor): Tensor => (isFloating(x.dtype) ? where(isnan(x), 0, x) : x);
/** The sum of the elements that are no NaN. */
export const nansum: ReduceSum = /* @__PURE__ */ compositeOp(
  "nansum(x: Tensor, axis; keepdims, dtype, out)",
  (x: Tensor, axis?: Axes, options?: ReduceOptions) => sum(withoutNaN(x), axis, options),
  "reduce",
);
/** The mean of the elements that are no NaN. */
export const nanmean: Reduce = /* @__PURE__ */ compositeOp(
  "nanmean(x: Tensor, axis; keepdims, dtype, out)",
  (x: Tensor, axis?: Axes, options?: ReduceOptions) => {
    const own = checkFloating("nanmean", x.dtype);
    const { dtype = own, out, ...rest } = options ?? {};
    const count = sum(logicalNot(isnan(x)), axis, rest);
    return div(nansum(x, axis, { ...rest, dtype }), count, { out });
  },
  "reduce",
);
export { variance as var };

/** The ops that are methods of tensors. */
export default [
  sum,
  prod,
  mean,
  amax,
  amin,
  any,
  all,
  countNonzero,
  logsumexp,
  variance,
  std,
  varMean,
  stdMean,
  vectorNorm,
  argmax,
  argmin,
  max,
  min,
  aminmax,
  nansum,
  nanmean,
];
