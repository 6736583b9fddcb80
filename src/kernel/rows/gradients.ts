/**
 * Gradients of softmax and of the normalisations as row kernels: one reading of a row for its sums, then every element.
 *
 * A gradient of a normalisation takes its mean and variance again, as `standardize.ts` does, in the readings that it needs anyway.
 * Scalars of those, float64: how many elements a row has, and what is added to the variance.
 */
import type { DType } from "../../storage/dtype.ts";
import { call, cast, constantScalar, type Scalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { sumDTypes } from "../reduce/reductions.ts";
import type { Accumulation, EarlierPhase } from "../reduce/spec.ts";
import { RowKernel } from "./spec.ts";

const real = "float64";
const times = (a: Scalar, b: Scalar): Scalar => call("mul", a, b);
const less = (a: Scalar, b: Scalar): Scalar => call("sub", a, b);
const over = (a: Scalar, b: Scalar): Scalar => call("div", a, b);
const sums = (count: number): Accumulation[] => Array.from({ length: count }, () => ({ fn: "add", total: real }));

/** y (g - sum(g y)) of gradients g and results y of softmax; of its logarithm g - exp(y) sum(g). */
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
        terms: ([g, y]) => {
          const given = cast(lanes, g);
          return [isLog ? given : times(given, cast(lanes, y))];
        },
        settle: ([sum]) => [cast(lanes, sum)],
      },
    ],
    values: (inputs, _, [sum]) => {
      const [g, y] = inputs.map((input) => cast(lanes, input)) as [Scalar, Scalar];
      const total = sum;
      return [cast(dtype, isLog ? less(g, times(call("exp", y), total)) : times(y, less(g, total)))];
    },
  });
}

const rootOf = (variance: Scalar, eps: Scalar): Scalar =>
  over(constantScalar(real, 1), call("sqrt", call("add", variance, eps)));
const cubed = (x: Scalar): Scalar => times(times(x, x), x);

/**
 * From rows x, gradients g and factors, if there are any: the gradient of x, and if asked for the products of g with the row as it was
 * before the factor. All phases settle to the same: what x is less by, the inverse deviation r, and the gradient as r g + a x + b.
 */
export function makeStandardizeGradient(
  dtype: DType,
  isCentred: boolean,
  factor: DType | null,
  hasProducts: boolean,
): RowKernel {
  const [lanes] = sumDTypes(dtype);
  const distance = (x: Scalar | undefined, mean: Scalar | undefined): Scalar =>
    isCentred ? less(cast(lanes, x as Scalar), mean as Scalar) : cast(lanes, x as Scalar);
  const weighted = ([, g, by]: readonly Scalar[]): Scalar =>
    by === undefined ? cast(lanes, g) : times(cast(lanes, g), cast(lanes, by));
  const meanPhase: EarlierPhase = {
    accumulators: sums(1),
    terms: ([x]) => [cast(lanes, x)],
    settle: ([sum], [count]) => [cast(lanes, over(sum, count))],
  };
  const sumPhase: EarlierPhase = {
    accumulators: sums(isCentred ? 4 : 2),
    terms: (inputs, _, [mean]) => {
      const [d, g] = [distance(inputs[0], mean), weighted(inputs)];
      return [times(d, d), times(g, d), ...(isCentred ? [d, g] : [])];
    },
    settle: (totals, [count, eps]) => {
      const [squares, products, far, given] = totals.map((sum) => over(sum, count));
      if (!isCentred) {
        const r = rootOf(squares, eps);
        return [r, call("neg", times(cubed(r), products))].map((value) => cast(lanes, value));
      }
      const [shift, mean] = [far, given];
      const variance = call("max", less(squares, times(shift, shift)), constantScalar(real, 0));
      const r = rootOf(variance, eps);
      const a = times(cubed(r), less(times(shift, mean), products));
      const b = call("neg", call("add", times(shift, a), times(r, mean)));
      return [r, a, b, times(shift, r)].map((value) => cast(lanes, value));
    },
  };
  return new RowKernel({
    name: `${shortName(dtype)}_${isCentred ? "standardize" : "by_rms"}${factor === null ? "" : "_factor"}_gradient`,
    outputs: hasProducts ? [dtype, dtype] : [dtype],
    inputs: factor === null ? [dtype, dtype] : [dtype, dtype, factor],
    scalars: [real, real],
    read: factor === null ? 2 : 3,
    phases: isCentred ? [meanPhase, sumPhase] : [sumPhase],
    values: (inputs, _, known) => {
      const [mean, r, a, b, behind] = (isCentred ? known : [undefined, ...known]) as [
        Scalar,
        Scalar,
        Scalar,
        Scalar,
        Scalar,
      ];
      const d = distance(inputs[0], mean);
      let value = call("add", times(weighted(inputs), r), times(d, a));
      if (isCentred) value = call("add", value, b);
      if (!hasProducts) return [cast(dtype, value)];
      const row = isCentred ? less(times(d, r), behind) : times(d, r);
      return [value, times(cast(lanes, inputs[1]), row)].map((each) => cast(dtype, each));
    },
  });
}
