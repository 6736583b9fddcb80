/**
 * Gradients of softmax and of normalizations as row kernels: a pass over a row for its sums, then every element.
 *
 * The gradient of a normalization recomputes mean and variance as `standardize.ts` does, in passes that it needs anyway, and has the same
 * scalars.
 */
import { listOf } from "../../base/list-of.ts";
import type { DType } from "../../storage/dtype.ts";
import { call, cast, constantScalar, type Scalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { sumDTypes } from "../reduce/reductions.ts";
import type { Accumulation, EarlierPhase } from "../reduce/spec.ts";
import { RowKernel } from "./spec.ts";
import { inverseDeviation } from "./standardize.ts";

const real = "float64";
const times = (a: Scalar, b: Scalar): Scalar => call("mul", a, b);
const less = (a: Scalar, b: Scalar): Scalar => call("sub", a, b);
const over = (a: Scalar, b: Scalar): Scalar => call("div", a, b);
const sums = (count: number): Accumulation[] => listOf(count, () => ({ fn: "add", total: real }));

/** Returns the kernel of y (g - sum(g y)), for gradients g and results y of softmax, or with `isLog` of g - exp(y) sum(g). */
export function makeSoftmaxGradient(dtype: DType, isLog: boolean): RowKernel {
  const [lanes] = sumDTypes(dtype);
  return new RowKernel({
    name: `${shortName(dtype)}_${isLog ? "log_" : ""}softmax_gradient`,
    outputs: [dtype],
    inputs: [dtype, dtype],
    scalars: [],
    read: 2,
    phases: [
      {
        accumulators: sums(1),
        terms: ([g, y]) => [isLog ? cast(lanes, g) : times(cast(lanes, g), cast(lanes, y))],
        finish: ([sum]) => [cast(lanes, sum)],
      },
    ],
    values: (inputs, _, [sum]) => {
      const [g, y] = inputs.map((input) => cast(lanes, input));
      return [cast(dtype, isLog ? less(g, times(call("exp", y), sum)) : times(y, less(g, sum)))];
    },
  });
}

const cubed = (x: Scalar): Scalar => times(times(x, x), x);

/**
 * Returns the kernel over rows x, gradients g and optional factors: the gradient of x, and with `hasProducts` the products of g with the
 * normalized row. The phases settle the mean, the inverse deviation r, and the coefficients of the gradient r g + a x + b.
 */
export function makeStandardizeGradient(
  dtype: DType,
  isCentered: boolean,
  factor: DType | null,
  hasProducts: boolean,
): RowKernel {
  const [lanes] = sumDTypes(dtype);
  const deviation = (x: Scalar, mean: Scalar): Scalar => (isCentered ? less(cast(lanes, x), mean) : cast(lanes, x));
  const weighted = ([, g, by]: readonly Scalar[]): Scalar =>
    by === undefined ? cast(lanes, g) : times(cast(lanes, g), cast(lanes, by));
  const meanPhase: EarlierPhase = {
    accumulators: sums(1),
    terms: ([x]) => [cast(lanes, x)],
    finish: ([sum], [count]) => [cast(lanes, over(sum, count))],
  };
  const sumPhase: EarlierPhase = {
    accumulators: sums(isCentered ? 4 : 2),
    terms: (inputs, _, [mean]) => {
      const [d, g] = [deviation(inputs[0], mean), weighted(inputs)];
      return [times(d, d), times(g, d), ...(isCentered ? [d, g] : [])];
    },
    finish: (totals, [count, eps]) => {
      const [squares, products, shift, mean] = totals.map((sum) => over(sum, count));
      if (!isCentered) {
        const r = inverseDeviation(squares, eps);
        return [r, call("neg", times(cubed(r), products))].map((value) => cast(lanes, value));
      }
      const variance = call("max", less(squares, times(shift, shift)), constantScalar(real, 0));
      const r = inverseDeviation(variance, eps);
      const a = times(cubed(r), less(times(shift, mean), products));
      const b = call("neg", call("add", times(shift, a), times(r, mean)));
      return [r, a, b, times(shift, r)].map((value) => cast(lanes, value));
    },
  };
  return new RowKernel({
    name: `${shortName(dtype)}_${isCentered ? "standardize" : "by_rms"}${factor === null ? "" : "_factor"}_gradient`,
    outputs: hasProducts ? [dtype, dtype] : [dtype],
    inputs: factor === null ? [dtype, dtype] : [dtype, dtype, factor],
    scalars: [real, real],
    read: factor === null ? 2 : 3,
    phases: isCentered ? [meanPhase, sumPhase] : [sumPhase],
    values: (inputs, _, known) => {
      const [r, a, b, correction] = isCentered ? known.slice(1) : known;
      const d = deviation(inputs[0], known[0]);
      let value = call("add", times(weighted(inputs), r), times(d, a));
      if (isCentered) value = call("add", value, b);
      if (!hasProducts) return [cast(dtype, value)];
      const row = isCentered ? less(times(d, r), correction) : times(d, r);
      return [value, times(cast(lanes, inputs[1]), row)].map((each) => cast(dtype, each));
    },
  });
}
