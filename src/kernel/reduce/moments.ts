/**
 * Mean, variance and standard deviation, in two phases: the mean, then the sum of squared deviations from it. And the sums for the gradient of
 * a normalization.
 *
 * Deviations are taken from the mean rounded to the dtype of the elements. Their sum, which would be 0 without that rounding, corrects both
 * results, so that elements far from 0 and close to each other lose no precision. The variance of complex numbers is real: that of both
 * parts together.
 */
import { type DType, isComplexDType, realDType } from "../../storage/dtype.ts";
import { call, cast, constantScalar, type Scalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { checkFloat, sumDTypes } from "./reductions.ts";
import { ReduceKernel } from "./spec.ts";

export type Moment = "mean" | "var" | "std";

/** The dtype of a moment of elements of a dtype. */
export const momentDType = (moment: Moment, dtype: DType): DType => (moment === "mean" ? dtype : realDType(dtype));

/** |x|^2. */
export function squared(x: Scalar): Scalar {
  if (!isComplexDType(x.dtype)) return call("mul", x, x);
  const [re, im] = [call("real", x), call("imag", x)];
  return call("add", call("mul", re, re), call("mul", im, im));
}

/**
 * Returns the kernel with one output for each moment. Its scalars, float64, are the number of elements of a result, and the correction, which
 * is subtracted from the divisor of the sum of squares (a divisor below 0 counts as 0).
 */
export function makeMoments(who: string, dtype: DType, moments: readonly Moment[]): ReduceKernel {
  checkFloat(who, moments.join(", "), dtype);
  const [lanes, total] = sumDTypes(dtype);
  const real = "float64";
  const zero = constantScalar(real, 0);
  return new ReduceKernel({
    name: `${shortName(dtype)}_${moments.join("_")}`,
    outputs: moments.map((moment) => momentDType(moment, dtype)),
    inputs: [dtype],
    scalars: [real, real],
    before: [
      {
        accumulators: [{ fn: "add", total }],
        terms: ([x]) => [cast(lanes, x)],
        finish: ([sum], [count]) => [cast(lanes, call("div", sum, cast(total, count)))],
      },
    ],
    accumulators: [
      { fn: "add", total },
      { fn: "add", total: real },
    ],
    terms: ([x], _, [mean]) => {
      const deviation = call("sub", cast(lanes, x), mean);
      return [deviation, squared(deviation)];
    },
    finish: ([sum, squares], [count, correction], [mean]) => {
      const shift = call("div", sum, cast(total, count));
      const excess = call("mul", squared(shift), count);
      const divisor = call("max", call("sub", count, correction), zero);
      const variance = call("div", call("max", call("sub", squares, excess), zero), divisor);
      // An infinite mean has no deviations.
      const rough = cast(total, mean);
      const whole = call("select", call("eq", shift, shift), call("add", rough, shift), rough);
      return moments.map((moment) => {
        if (moment === "mean") return cast(dtype, whole);
        return cast(realDType(dtype), moment === "var" ? variance : call("sqrt", variance));
      });
    },
  });
}

/** Returns the kernel of two sums over g and x, of one dtype: of g, and of g times the deviation of x from a held value of the same dtype. */
export function makeProductSums(dtype: DType): ReduceKernel {
  const [lanes, total] = sumDTypes(dtype);
  return new ReduceKernel({
    name: `${shortName(dtype)}_product_sums`,
    outputs: [lanes, lanes],
    inputs: [dtype, dtype],
    held: [dtype],
    scalars: [],
    accumulators: [
      { fn: "add", total },
      { fn: "add", total },
    ],
    terms: (inputs, _, [center]) => {
      const [g, x] = inputs.map((input) => cast(lanes, input));
      return [g, call("mul", g, call("sub", x, cast(lanes, center)))];
    },
    finish: (totals) => totals.map((sum) => cast(lanes, sum)),
  });
}
