/**
 * Mean, variance and standard deviation together, in two phases: the mean, then the sum of squared distances from it.
 *
 * The mean that distances are taken from is rounded to the dtype of the elements; the sum of the distances themselves, which would
 * be 0 without that rounding, corrects both results. So elements far from 0 and close to each other lose nothing. The variance of
 * complex numbers is a real number, that of their parts together.
 */
import { type DType, DTypeError, dtypes, isComplexDType, realDType } from "../../storage/dtype.ts";
import { call, cast, constantScalar, type Scalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { sumDTypes } from "./reductions.ts";
import { ReduceKernel } from "./spec.ts";

export type Moment = "mean" | "var" | "std";

/** The dtype of a moment of elements of a dtype. */
export const momentDType = (moment: Moment, dtype: DType): DType => (moment === "mean" ? dtype : realDType(dtype));

/** |x|^2. */
function squared(x: Scalar): Scalar {
  if (!isComplexDType(x.dtype)) return call("mul", x, x);
  const [re, im] = [call("real", x), call("imag", x)];
  return call("add", call("mul", re, re), call("mul", im, im));
}

/**
 * The kernel that makes one output of each moment. Its scalars, float64: how many elements a result is made of, and by how much less
 * the sum of squares is divided (the correction; a divisor below 0 counts as 0).
 */
export function makeMoments(who: string, dtype: DType, moments: readonly Moment[]): ReduceKernel {
  const { category } = dtypes[dtype];
  if (category !== "float" && category !== "complex")
    throw new DTypeError(
      `${who}: ${moments.join(", ")} of ${dtype}: only floats have one. Convert them first: to('float32')`,
    );
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
        settle: ([sum], [count]) => [cast(lanes, call("div", sum, cast(total, count)))],
      },
    ],
    accumulators: [
      { fn: "add", total },
      { fn: "add", total: real },
    ],
    terms: ([x], _, [mean]) => {
      const distance = call("sub", cast(lanes, x), mean);
      return [distance, squared(distance)];
    },
    finish: ([sum, squares], [count, correction], [mean]) => {
      const shift = call("div", sum, cast(total, count));
      const excess = call("mul", squared(shift), count);
      const divisor = call("max", call("sub", count, correction), zero);
      const variance = call("div", call("max", call("sub", squares, excess), zero), divisor);
      // From an infinite mean there are no distances.
      const rough = cast(total, mean);
      const whole = call("select", call("eq", shift, shift), call("add", rough, shift), rough);
      return moments.map((moment) => {
        if (moment === "mean") return cast(dtype, whole);
        return cast(realDType(dtype), moment === "var" ? variance : call("sqrt", variance));
      });
    },
  });
}
