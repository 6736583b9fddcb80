/**
 * Reductions: sums, products, means, extremes, tests and norms over any axes. The kernels are in `../../kernel/reduce`; here are
 * dtypes, axes, shapes, and what PyTorch says where there is nothing to reduce.
 */
import { StridewiseError } from "../../base/errors.ts";
import { runArgReduce } from "../../kernel/launch/run-arg-reduce.ts";
import { runReduce } from "../../kernel/launch/run-reduce.ts";
import { type Moment, makeMoments, momentDType } from "../../kernel/reduce/moments.ts";
import { makeLogSumExp, makeNorm, normOf } from "../../kernel/reduce/norms.ts";
import { makeReduction, type Reduction, reducedDType, type Test } from "../../kernel/reduce/reductions.ts";
import type { ReduceKernel } from "../../kernel/reduce/spec.ts";
import { checkDType, type DType, DTypeError, dtypes, type Value } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { to } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { reducedNames } from "../../tensor/names.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { partView } from "../../tensor/views/views-dtype.ts";
import { add, div, maximum, minimum, sub } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { isnan, logicalNot } from "../elementwise/comparison.ts";
import { exp, log } from "../elementwise/functions.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { remember } from "../formula/remember.ts";
import { compositeOp, fresh, structuredOp } from "../op.ts";
import { isOptions } from "../options.ts";
import { type PositionDType, positionDType } from "../positions.ts";
import { withNames } from "../routine/routine-op.ts";
import { shapeOf } from "../shape-rules.ts";
import { reshape } from "../views.ts";
import { type Axes, countReduced, inputOperand, outputOperand, reducedAxes, reducedShape } from "./axes.ts";
import type { Extreme, NoDType, Reduce, ReduceOptions, ReduceSum, ReduceTo, ValuesIndices } from "./reduce-types.ts";
import { sumGradient } from "./sum-gradient.ts";

/** What a reduction is, before axes are known. */
interface Rule {
  /** The dtype that elements are converted to first, if another. */
  from?(dtype: DType, options: ReduceOptions): DType;
  /** The dtypes of the results. */
  results(dtype: DType, options: ReduceOptions): readonly DType[];
  kernel(dtype: DType, options: ReduceOptions): ReduceKernel;
  /** What distinguishes kernels of one dtype. */
  key?(options: ReduceOptions): string;
  scalars?(count: number, options: ReduceOptions): readonly Value[];
  /** True if nothing cannot be reduced. */
  needsElements?: boolean;
  gradient?: GradientRule;
}

const noOptions: ReduceOptions = {};

/** The type of the arguments of every reduction. */
type Arguments = [x: Tensor, axis?: Axes, options?: ReduceOptions];

/** `x.sum({ keepdims: true })` leaves the axes away. */
const sorted = (axis: Axes | ReduceOptions, options: ReduceOptions | undefined): [Axes, ReduceOptions] =>
  isOptions(axis) ? [undefined, axis as ReduceOptions] : [axis as Axes, options ?? noOptions];

function reduction<F extends OpFunction>(name: string, rule: Rule, options = "dtype", isList = false): F {
  const kernels = new Map<string, ReduceKernel>();
  const dtypeOf = (x: Tensor, options: ReduceOptions): DType => rule.from?.(x.dtype, options) ?? x.dtype;
  return structuredOp<F, Arguments>(`${name}; 2 keepdims ${options}`, "reduce", {
    isLaunch: true,
    ...(rule.gradient === undefined ? {} : { gradient: rule.gradient }),
    infer(x, given, more) {
      checkTensor(name, x);
      const [axis, options] = sorted(given, more);
      const reduced = reducedAxes(name, x, axis);
      if (rule.needsElements === true && x.size === 0) checkElements(name, x, reduced, axis);
      const shape = reducedShape(shapeOf(x), reduced, options.keepdims === true);
      const names = reducedNames(x, reduced, options.keepdims === true);
      const results = rule.results(dtypeOf(x, options), options).map((dtype) => ({ dtype, shape, names }));
      return isList ? results : (results[0] as (typeof results)[0]);
    },
    fill(outputs, given, axes, more) {
      const [axis, options] = sorted(axes, more);
      const dtype = dtypeOf(given, options);
      const x = to(given, dtype);
      const reduced = reducedAxes(name, x, axis);
      const kernel = remember(kernels, `${dtype} ${rule.key?.(options) ?? ""}`, () => rule.kernel(dtype, options));
      // The kernel has its own dtypes; a given result of another gets a copy.
      const wanted = kernel.spec.outputs;
      const results = outputs.map((out, k) =>
        out.dtype === wanted[k] ? out : fresh(wanted[k] as DType, sizesOf(out)),
      );
      const operands = results.map((out) => outputOperand(name, out, reduced, options.keepdims === true));
      runReduce(kernel, operands, [inputOperand(name, x, reduced)], rule.scalars?.(countReduced(x, reduced), options));
      results.forEach((result, k) => {
        if (result !== outputs[k]) copyAll(result, outputs[k] as Tensor, name);
      });
    },
  });
}

function checkElements(name: string, x: Tensor, reduced: readonly number[], axis: Axes): void {
  if (axis === undefined || axis === null)
    throw new StridewiseError(
      `${name}: Expected reduction dim to be specified for input.numel() == 0. Specify the axis, or check the size first`,
    );
  const empty = reduced.find((at) => sizesOf(x)[at] === 0);
  if (empty !== undefined)
    throw new StridewiseError(
      `${name}: Expected reduction dim ${empty} to have non-zero size. The shape is [${sizesOf(x).join(", ")}]`,
    );
}

/** A reduction of the kernel room by its name; `who` asks for it. */
const plain = (name: Reduction | Test, more: Partial<Rule> = {}, who: string = name): Rule => ({
  from: (dtype, options) => (options.dtype === undefined ? dtype : checkDType(who, options.dtype)),
  results: (dtype) => [reducedDType(who, name, dtype)],
  kernel: (dtype) => makeReduction(who, name, dtype),
  ...more,
});

const isFloating = (dtype: DType): boolean =>
  dtypes[dtype].category === "float" || dtypes[dtype].category === "complex";

type Which = "max" | "min";

/** The sum of the elements; integers are added up as int64. */
export const sum: ReduceSum = /* @__PURE__ */ reduction(
  "sum",
  /* @__PURE__ */ plain("sum", { results: sumDType, gradient: sumGradient }),
);
/** The product of the elements; integers are multiplied as int64. */
export const prod: ReduceSum = /* @__PURE__ */ reduction("prod", /* @__PURE__ */ plain("prod", { results: sumDType }));

function sumDType(dtype: DType): readonly DType[] {
  return [isFloating(dtype) || dtype === "uint64" ? dtype : "int64"];
}

/** The mean of the elements, which are floats. */
export const mean: Reduce = /* @__PURE__ */ reduction(
  "mean",
  /* @__PURE__ */ plain("mean", {
    from: (dtype, options) => {
      const wanted = options.dtype ?? dtype;
      if (isFloating(wanted)) return wanted;
      throw new DTypeError(
        `mean: could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: ${dtypes[wanted].torchName}. Give { dtype: "float32" }`,
      );
    },
    results: (dtype) => [dtype],
    scalars: (count) => [count],
  }),
);
const extremeOf = (name: string, which: Which): Reduce => reduction(name, plain(which, { needsElements: true }, name));
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
  },
  "",
);
/** log(sum(exp(x))), without overflow. */
export const logsumexp: Reduce<NoDType> = /* @__PURE__ */ compositeOp(
  "logsumexp; 2 keepdims out",
  (x: Tensor, axis?: Axes, options?: ReduceOptions) => {
    checkTensor("logsumexp", x);
    if (dtypes[x.dtype].category !== "complex") return realLogsumexp(x, axis, options);
    // Complex numbers have no largest; the largest real part keeps the exponentials small.
    const most = amax(partView(x, "real"), axis, { keepdims: true }) as Tensor;
    const total = log(
      sum(exp(sub(x, most as never) as Tensor) as Tensor, axis, { keepdims: true }) as Tensor,
    ) as Tensor;
    const reduced = reducedAxes("logsumexp", x, axis);
    const shape = reducedShape(shapeOf(x), reduced, options?.keepdims === true) as number[];
    return add(reshape(total, shape), reshape(most, shape) as never, { out: options?.out });
  },
  "reduce",
);

interface VarOptions extends Omit<ReduceOptions, "dtype"> {
  /** What the number of elements is lessened by before dividing: 1 unless given. */
  readonly correction?: number;
  /** The correction as a boolean: 1 or 0. */
  readonly unbiased?: boolean;
}
const corrections = "correction unbiased";
const correctionOf = ({ correction, unbiased }: VarOptions): number => correction ?? (unbiased === false ? 0 : 1);

const moments = (name: string, which: readonly Moment[]): Rule => ({
  results: (dtype) => which.map((moment) => momentDType(moment, checkMoment(name, dtype))),
  kernel: (dtype) => makeMoments(name, dtype, which),
  scalars: (count, options) => [count, correctionOf(options as VarOptions)],
});

function checkMoment(name: string, dtype: DType): DType {
  if (isFloating(dtype)) return dtype;
  throw new DTypeError(
    `${name}: ${name} only support floating point and complex dtypes, got ${dtype}. Convert them first: to('float32')`,
  );
}

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
  from: (dtype, options) => {
    const wanted = options.dtype ?? dtype;
    if (isFloating(wanted)) return wanted;
    throw new DTypeError(
      `vectorNorm: Expected a floating point or complex tensor as input. Got ${dtypes[wanted].torchName}. Convert it first: to('float32')`,
    );
  },
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
};
/** The norm of the elements as a vector: the root of the sum of squares, or with `ord` another one. */
export const vectorNorm: ReduceTo<DType, NormOptions> = /* @__PURE__ */ reduction(
  "vectorNorm",
  vectorNormRule,
  "dtype ord",
);

function argReduction(which: Which): ReduceTo<PositionDType, NoDType> {
  const name = `arg${which}` as const;
  return structuredOp<ReduceTo<PositionDType, NoDType>, Arguments>(`${name}; 2 keepdims`, "reduce", {
    isLaunch: true,
    infer(x, axis, options) {
      checkTensor(name, x);
      reducedDType(name, which, x.dtype);
      const reduced = reducedAxes(name, x, axis);
      if (x.size === 0) checkElements(name, x, reduced, axis);
      const keepdims = options?.keepdims === true;
      const names = reducedNames(x, reduced, keepdims);
      return { dtype: positionDType, shape: reducedShape(shapeOf(x), reduced, keepdims), names };
    },
    fill([out], x, axis, options) {
      const reduced = reducedAxes(name, x, axis);
      const operand = outputOperand(name, out as Tensor, reduced, options?.keepdims === true);
      runArgReduce(name, operand, inputOperand(name, x, reduced));
    },
  });
}
/** The place of the largest element, the first of several; without an axis among all elements in row-major order. */
export const argmax: ReduceTo<PositionDType, NoDType> = /* @__PURE__ */ argReduction("max");
/** The place of the smallest element, the first of several; without an axis among all elements in row-major order. */
export const argmin: ReduceTo<PositionDType, NoDType> = /* @__PURE__ */ argReduction("min");

/** The extreme along an axis with its place. */
function alongAxis(which: Which): (x: Tensor, axis: Axis, options?: ReduceOptions) => ValuesIndices {
  const name = `${which}Along`;
  const two = structuredOp<OpFunction, [x: Tensor, axis: Axis, options?: ReduceOptions]>(
    `${name}; 2 keepdims`,
    "reduce",
    {
      isLaunch: true,
      infer(x, axis, options) {
        reducedDType(which, which, x.dtype);
        const reduced = reducedAxes(which, x, axis);
        if (x.size === 0) checkElements(which, x, reduced, axis);
        const keepdims = options?.keepdims === true;
        const shape = reducedShape(shapeOf(x), reduced, keepdims);
        const names = reducedNames(x, reduced, keepdims);
        return [
          { dtype: x.dtype, shape, names },
          { dtype: positionDType, shape, names },
        ];
      },
      fill([values, indices], x, axis, options) {
        const reduced = reducedAxes(which, x, axis);
        const keepdims = options?.keepdims === true;
        const operand = (t: Tensor): ReturnType<typeof outputOperand> => outputOperand(which, t, reduced, keepdims);
        runArgReduce(
          `arg${which}`,
          operand(indices as Tensor),
          inputOperand(which, x, reduced),
          operand(values as Tensor),
        );
      },
    },
  );
  const call = withNames(two, ["values", "indices"]) as unknown as (...args: unknown[]) => ValuesIndices;
  return (x, axis, options) => call(x, axisOf(which, x, axis), options);
}

function extreme(which: Which): Extreme {
  const along = alongAxis(which);
  const whole = which === "max" ? amax : amin;
  const ofTwo = which === "max" ? maximum : minimum;
  return compositeOp(
    `${which}; 2 keepdims out`,
    (x: Tensor, second?: Axis | Tensor, options?: ReduceOptions) => {
      if (second === undefined) return whole(x, second, options);
      return second instanceof Tensor ? ofTwo(x, second as never, options) : along(x, second, options);
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
  "aminmax; 2 keepdims dtype",
  (x: Tensor, axis?: Axes, options?: ReduceOptions) => ({ min: amin(x, axis, options), max: amax(x, axis, options) }),
  "reduce",
);

const withoutNaN = (x: Tensor): Tensor => (isFloating(x.dtype) ? (where(isnan(x) as Tensor, 0, x) as Tensor) : x);
/** The sum of the elements that are no NaN. */
export const nansum: ReduceSum = /* @__PURE__ */ compositeOp(
  "nansum; 2 keepdims dtype out",
  (x: Tensor, axis?: Axes, options?: ReduceOptions) => sum(withoutNaN(x), axis, options),
  "reduce",
);
/** The mean of the elements that are no NaN. */
export const nanmean: Reduce = /* @__PURE__ */ compositeOp(
  "nanmean; 2 keepdims dtype out",
  (x: Tensor, axis?: Axes, options?: ReduceOptions) => {
    checkTensor("nanmean", x);
    if (!isFloating(x.dtype))
      throw new DTypeError(
        `nanmean: nanmean(): expected input to have floating point or complex dtype but got ${dtypes[x.dtype].torchName}. Convert it first: to('float32')`,
      );
    const { dtype = x.dtype, out, ...rest } = options ?? {};
    const count = sum(logicalNot(isnan(x) as Tensor) as Tensor, axis, rest) as Tensor;
    return div(nansum(x, axis, { ...rest, dtype }) as Tensor, count as never, { out });
  },
  "reduce",
);
export { variance as var };
