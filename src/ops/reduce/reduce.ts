/**
 * Reductions over any axes: sums, products and means (`sums.ts`), extremes, tests, variances and norms. `reduction.ts` builds them from
 * rules; here are the rules, with their dtypes and their behavior on empty tensors, as in PyTorch.
 */

import { StridewiseError } from "../../base/errors.ts";
import { lowerResults } from "../../kernel/copy.ts";
import { lowerArgReduce } from "../../kernel/program/lower-arg-reduce.ts";
import { type Moment, makeMoments, momentDType } from "../../kernel/reduce/moments.ts";
import { makeNorm, normOf } from "../../kernel/reduce/norms.ts";
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
import { type IndexDType, indexDType } from "../indices.ts";
import { compositeOp, type Facts, type Result, structuredOp } from "../op.ts";
import { withNames } from "../routine/routine-op.ts";
import { shapeOf } from "../shape-rules.ts";
import { detach, partView, reshape } from "../views.ts";
import { type Axes, inputOperand, outputOperand, reducedAxes, reducedShape } from "./axes.ts";
import { realLogsumexp } from "./logsumexp.ts";
import { amaxGradient, maxGradient, momentsGradient, normGradient, pickedGradient } from "./reduce-gradient.ts";
import type {
  Extreme,
  NoDType,
  Reduce,
  ReduceFloat,
  ReduceOptions,
  ReduceSum,
  ReduceTo,
  ValuesIndices,
} from "./reduce-types.ts";
import { type Arguments, checkFloating, isFloating, plain, type Rule, reducedResult, reduction } from "./reduction.ts";
import * as sums from "./sums.ts";

type Which = "max" | "min";

/** Returns the sum of all elements, or over the given axes; integers are summed as int64. */
export const sum: ReduceSum = sums.sum;
/** Returns the product of all elements, or over the given axes; integers are multiplied as int64. */
export const prod: ReduceSum = sums.prod;
/** Returns the mean of all elements, or over the given axes, of a floating-point or complex tensor. */
export const mean: Reduce = sums.mean;

const extremeOf = (name: string, which: Which, gradient: GradientRule = amaxGradient): Reduce =>
  reduction(name, plain(which, { needsElements: () => true, gradient }, name));
/** Returns the maximum of all elements, or over the given axes; NaN if any element is NaN. */
export const amax: Reduce = /* @__PURE__ */ extremeOf("amax", "max");
/** Returns the minimum of all elements, or over the given axes; NaN if any element is NaN. */
export const amin: Reduce = /* @__PURE__ */ extremeOf("amin", "min");
/** Tests whether any element is nonzero, in the whole tensor or over the given axes. */
export const any: ReduceTo<"bool"> = /* @__PURE__ */ reduction("any", /* @__PURE__ */ plain("any"));
/** Tests whether all elements are nonzero, in the whole tensor or over the given axes. */
export const all: ReduceTo<"bool"> = /* @__PURE__ */ reduction("all", /* @__PURE__ */ plain("all"));
/** Counts the nonzero elements, in the whole tensor or over the given axes. */
export const countNonzero: ReduceTo<"int64"> = /* @__PURE__ */ reduction(
  "countNonzero",
  /* @__PURE__ */ plain("countNonzero"),
);
/** Returns log(sum(exp(x))) of all elements, or over the given axes, without overflow. */
export const logsumexp: ReduceFloat<NoDType> = /* @__PURE__ */ compositeOp(
  "logsumexp(x: Tensor, axis; keepdims, out)",
  (x: Tensor, axis?: Axes, options?: ReduceOptions) => {
    if (dtypes[x.dtype].category !== "complex") return realLogsumexp(x, axis, options);
    // Complex numbers have no order; subtracting the largest real part avoids overflow.
    const max = amax(partView(detach(x), "real"), axis, { keepdims: true });
    const total = log(sum(exp(sub(x, max)), axis, { keepdims: true }));
    const reduced = reducedAxes("logsumexp", x, axis);
    const shape = reducedShape(shapeOf(x), reduced, options?.keepdims === true) as number[];
    return add(reshape(total, shape), reshape(max, shape), { out: options?.out });
  },
  "reduce",
);

interface VarOptions extends Omit<ReduceOptions, "dtype"> {
  /** The difference between the number of elements and the divisor. Default: 1. */
  readonly correction?: number;
  /** The correction as a boolean: 1 if true, 0 if false. */
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
/** Returns the variance of all elements, or over the given axes; the divisor is n - correction. */
export const variance: Variance = /* @__PURE__ */ reduction(
  "var",
  /* @__PURE__ */ moments("var", ["var"]),
  corrections,
);
/** Returns the standard deviation of all elements, or over the given axes; the divisor is n - correction. */
export const std: Variance = /* @__PURE__ */ reduction("std", /* @__PURE__ */ moments("std", ["std"]), corrections);

/** The type of varMean. */
export interface TwoMoments extends OpFunction {
  (x: Tensor, axis?: Axes, options?: VarOptions): [variance: Tensor, mean: Tensor];
}
/** The type of stdMean. */
export interface StdAndMean extends OpFunction {
  (x: Tensor, axis?: Axes, options?: VarOptions): [std: Tensor, mean: Tensor];
}
/** Returns the variance and the mean of all elements, or over the given axes. */
export const varMean: TwoMoments = /* @__PURE__ */ reduction(
  "varMean",
  /* @__PURE__ */ moments("varMean", ["var", "mean"]),
  corrections,
  true,
);
/** Returns the standard deviation and the mean of all elements, or over the given axes. */
export const stdMean: StdAndMean = /* @__PURE__ */ reduction(
  "stdMean",
  /* @__PURE__ */ moments("stdMean", ["std", "mean"]),
  corrections,
  true,
);

interface NormOptions extends ReduceOptions {
  /** The order of the norm. Default: 2. */
  readonly ord?: number;
}
const vectorNormRule: Rule = {
  from: (dtype, options) => checkFloating("vectorNorm", options.dtype ?? dtype),
  results: (dtype, options) => {
    const ord = (options as NormOptions).ord ?? 2;
    if (typeof ord !== "number" || Number.isNaN(ord))
      throw new StridewiseError(`vectorNorm: ord must be a number, Infinity or -Infinity, got ${String(ord)}`);
    return [momentDType("var", dtype)];
  },
  kernel: (dtype, options) => makeNorm("vectorNorm", normOf((options as NormOptions).ord ?? 2), dtype),
  key: (options) => normOf((options as NormOptions).ord ?? 2),
  scalars: (_, options) => {
    const { ord = 2 } = options as NormOptions;
    return normOf(ord) === "power" ? [ord] : [];
  },
  // These norms of an empty vector are not defined.
  needsElements: ({ ord = 2 }: NormOptions) => ord < 0 || ord === Infinity,
  gradient: normGradient,
};
/** Returns the vector norm of order `ord` of all elements, or over the given axes. The default order 2 is the square root of the sum of squares. */
export const vectorNorm: ReduceTo<DType, NormOptions> = /* @__PURE__ */ reduction(
  "vectorNorm",
  vectorNormRule,
  "dtype, ord",
);

/** The index of an extreme, or with `isWithValue` the extreme and its index. The op is called `name`, and `who` in errors. */
function extremeIndices<F extends OpFunction>(
  name: string,
  who: string,
  which: Which,
  facts: Facts,
  isWithValue = false,
): F {
  return structuredOp<F, Arguments>(`${name}(x: Tensor, axis; keepdims)`, "reduce", {
    ...facts,
    infer(x, axis, options) {
      reducedDType(who, which, x.dtype);
      const left = reducedResult(who, x, axis, options);
      const index: Result = { dtype: indexDType, ...left, isIndex: true };
      return isWithValue ? [{ dtype: x.dtype, ...left }, index] : index;
    },
    lower(builder, outputs, x, axis, options) {
      const reduced = reducedAxes(who, x, axis);
      const results = outputs.map((out) => outputOperand(who, out, reduced, options?.keepdims === true));
      lowerResults(builder, results, isWithValue ? [x.dtype, indexDType] : [indexDType], (targets) => {
        const [index, extreme] = targets.toReversed();
        lowerArgReduce(builder, `arg${which}`, index, inputOperand(who, x, reduced), extreme);
      });
    },
  });
}

const argReduction = (which: Which): ReduceTo<IndexDType, NoDType> =>
  extremeIndices(`arg${which}`, `arg${which}`, which, { batch: "along 1=all" });
/** Returns the index of the maximum along an axis, or in the flattened tensor; the first one if there are several. */
export const argmax: ReduceTo<IndexDType, NoDType> = /* @__PURE__ */ argReduction("max");
/** Returns the index of the minimum along an axis, or in the flattened tensor; the first one if there are several. */
export const argmin: ReduceTo<IndexDType, NoDType> = /* @__PURE__ */ argReduction("min");

/** The extreme along an axis and its index. */
function alongAxis(which: Which): (x: Tensor, axis: Axis, options?: ReduceOptions) => ValuesIndices {
  const facts: Facts = { batch: "along 1", gradient: pickedGradient };
  const two = extremeIndices<OpFunction>(`${which}Along`, which, which, facts, true);
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
/** Returns the maximum of all elements, the maxima along an axis and their indices, or the elementwise maximum of two tensors. */
export const max: Extreme = /* @__PURE__ */ extreme("max");
/** Returns the minimum of all elements, the minima along an axis and their indices, or the elementwise minimum of two tensors. */
export const min: Extreme = /* @__PURE__ */ extreme("min");

/** The type of aminmax. */
export interface AMinMax extends OpFunction {
  (x: Tensor, axis?: Axes, options?: Omit<ReduceOptions, "out">): { readonly min: Tensor; readonly max: Tensor };
  readonly method: (
    this: Tensor,
    axis?: Axes,
    options?: Omit<ReduceOptions, "out">,
  ) => { readonly min: Tensor; readonly max: Tensor };
}
/** Returns the minimum and the maximum of all elements, or over the given axes. */
export const aminmax: AMinMax = /* @__PURE__ */ compositeOp(
  "aminmax(x: Tensor, axis; keepdims, dtype)",
  (x: Tensor, axis?: Axes, options?: ReduceOptions) => ({ min: amin(x, axis, options), max: amax(x, axis, options) }),
  "reduce",
);

const withoutNaN = (x: Tensor): Tensor => (isFloating(x.dtype) ? where(isnan(x), 0, x) : x);
/** Returns the sum of all elements, or over the given axes, treating NaN as 0. */
export const nansum: ReduceSum = /* @__PURE__ */ compositeOp(
  "nansum(x: Tensor, axis; keepdims, dtype, out)",
  (x: Tensor, axis?: Axes, options?: ReduceOptions) => sum(withoutNaN(x), axis, options),
  "reduce",
);
/** Returns the mean of all elements, or over the given axes, ignoring NaN. */
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
