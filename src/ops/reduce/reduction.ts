/**
 * Reductions from rules. A rule has the dtypes and the kernel of a reduction; axes, shapes, names and the option `dtype` are handled
 * here. The kernels are in `../../kernel/reduce`.
 */

import { StridewiseError } from "../../base/errors.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { lowerCast, lowerResults } from "../../kernel/copy.ts";
import { lowerReduce } from "../../kernel/program/lower-reduce.ts";
import { makeReduction, type Reduction, reducedDType, type Test } from "../../kernel/reduce/reductions.ts";
import type { ReduceKernel } from "../../kernel/reduce/spec.ts";
import { checkDType, type DType, DTypeError, dtypes, type Value } from "../../storage/dtype.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { reducedNames } from "../../tensor/names.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { type Facts, type Result, structuredOp } from "../op.ts";
import { shapeOf } from "../shape-rules.ts";
import { isOptions } from "../signature.ts";
import { type Axes, countReduced, inputOperand, outputOperand, reducedAxes, reducedShape } from "./axes.ts";
import type { ReduceOptions } from "./reduce-types.ts";

/** The definition of a reduction, independent of axes. */
export interface Rule extends Pick<Facts, "gradient" | "linear"> {
  /** The dtype that elements are converted to first; omitted if they are not. */
  from?(dtype: DType, options: ReduceOptions): DType;
  /** The dtypes of the results. */
  results(dtype: DType, options: ReduceOptions): readonly DType[];
  kernel(dtype: DType, options: ReduceOptions): ReduceKernel;
  /** The key that distinguishes kernels of one dtype. */
  key?(options: ReduceOptions): string;
  scalars?(count: number, options: ReduceOptions): readonly Value[];
  /** True if reducing an empty axis is an error. */
  needsElements?(options: ReduceOptions): boolean;
}

const noOptions: ReduceOptions = {};

/** The type of the arguments of every reduction. */
export type Arguments = [x: Tensor, axis?: Axes, options?: ReduceOptions];

/** The axes and the options of a call; axes may be omitted, as in `x.sum({ keepdims: true })`. */
const sorted = (axis: Axes | ReduceOptions, options: ReduceOptions | undefined): [Axes, ReduceOptions] =>
  isOptions(axis) ? [undefined, axis as ReduceOptions] : [axis as Axes, options ?? noOptions];

/** Returns the reduction that a rule defines; if `isList`, its results are a list. */
export function reduction<F extends OpFunction>(name: string, rule: Rule, options = "dtype", isList = false): F {
  const kernels = new Map<string, ReduceKernel>();
  const dtypeOf = (x: Tensor, options: ReduceOptions): DType => rule.from?.(x.dtype, options) ?? x.dtype;
  return structuredOp<F, Arguments>(`${name}(x: Tensor, axis; keepdims, ${options})`, "reduce", {
    batch: "along 1=all",
    linear: rule.linear,
    gradient: rule.gradient,
    infer(x, axes, more) {
      const [axis, options] = sorted(axes, more);
      const left = reducedResult(name, x, axis, options, rule.needsElements?.(options) ?? false);
      const results = rule.results(dtypeOf(x, options), options).map((dtype) => ({ dtype, ...left }));
      return isList ? results : results[0];
    },
    lower(builder, outputs, x, axes, more) {
      const [axis, options] = sorted(axes, more);
      const dtype = dtypeOf(x, options);
      const reduced = reducedAxes(name, x, axis);
      const kernel = getOrCompute(kernels, `${dtype} ${rule.key?.(options) ?? ""}`, () => rule.kernel(dtype, options));
      const input = lowerCast(builder, inputOperand(name, x, reduced), dtype);
      const scalars = rule.scalars?.(countReduced(x, reduced), options);
      const results = outputs.map((out) => outputOperand(name, out, reduced, options.keepdims === true));
      // The dtypes of the kernel's outputs may differ from those of the results.
      lowerResults(builder, results, kernel.spec.outputs, (targets) =>
        lowerReduce(builder, kernel, targets, [input], scalars),
      );
    },
  });
}

/** The shape and names of a reduction's result; throws if the reduced axes are empty and it needs elements. */
export function reducedResult(
  name: string,
  x: Tensor,
  axis: Axes,
  options: ReduceOptions | undefined,
  needsElements = true,
): Pick<Result, "shape" | "names"> {
  const reduced = reducedAxes(name, x, axis);
  if (x.size === 0 && needsElements) checkElements(name, x, reduced, axis);
  const keepdims = options?.keepdims === true;
  return { shape: reducedShape(shapeOf(x), reduced, keepdims), names: reducedNames(x, reduced, keepdims) };
}

function checkElements(name: string, x: Tensor, reduced: readonly number[], axis: Axes): void {
  if (axis === undefined || axis === null)
    throw new StridewiseError(`${name}: the tensor is empty. Pass an axis, or check the size first`);
  const empty = reduced.find((at) => sizesOf(x)[at] === 0);
  if (empty !== undefined)
    throw new StridewiseError(`${name}: axis ${empty} must not be empty, got shape [${sizesOf(x).join(", ")}]`);
}

/** The rule of a reduction of `kernel/reduce` by its name; `who` is its name in errors. */
export const plain = (name: Reduction | Test, more: Partial<Rule> = {}, who: string = name): Rule => ({
  from: (dtype, options) => (options.dtype === undefined ? dtype : checkDType(who, options.dtype)),
  results: (dtype) => [reducedDType(who, name, dtype)],
  kernel: (dtype) => makeReduction(who, name, dtype),
  ...more,
});

/** Returns the dtype; throws unless it is floating point or complex. */
export function checkFloating(who: string, dtype: DType): DType {
  if (isFloating(dtype)) return dtype;
  throw new DTypeError(`${who}: expected a floating point or complex tensor, got ${dtype}. Convert it: to("float32")`);
}

/** True for floating-point and complex dtypes. */
export const isFloating = (dtype: DType): boolean =>
  dtypes[dtype].category === "float" || dtypes[dtype].category === "complex";
