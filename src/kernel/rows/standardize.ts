/**
 * Normalizations as row kernels: (x - mean) / standard deviation, or x / root mean square; then an optional factor and shift for each element.
 *
 * As in `../reduce/moments.ts`, deviations are taken from a mean that is rounded to the dtype of the elements, and corrected afterward. The
 * scalars, float64, are the number of elements of a row, and eps, which is added to the variance.
 */
import type { DType } from "../../storage/dtype.ts";
import { call, cast, constantScalar, type Scalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { sumDTypes } from "../reduce/reductions.ts";
import type { EarlierPhase } from "../reduce/spec.ts";
import { RowKernel } from "./spec.ts";

const real = "float64";
const squared = (x: Scalar): Scalar => call("mul", x, x);
/** 1 / sqrt(variance + eps). */
export const inverseDeviation = (variance: Scalar, eps: Scalar): Scalar =>
  call("div", constantScalar(real, 1), call("sqrt", call("add", variance, eps)));

/** Mean and variance: settles the rounded mean, the factor, and the correction that is added after it. */
function centered(lanes: DType): EarlierPhase[] {
  return [
    {
      accumulators: [{ fn: "add", total: real }],
      terms: ([x]) => [cast(lanes, x)],
      finish: ([sum], [count]) => [cast(lanes, call("div", sum, count))],
    },
    {
      accumulators: [
        { fn: "add", total: real },
        { fn: "add", total: real },
      ],
      terms: ([x], _, [mean]) => {
        const deviation = call("sub", cast(lanes, x), mean);
        return [deviation, squared(deviation)];
      },
      finish: ([sum, squares], [count, eps]) => {
        const shift = call("div", sum, count);
        const variance = call("sub", call("div", squares, count), squared(shift));
        const factor = inverseDeviation(call("max", variance, constantScalar(real, 0)), eps);
        return [cast(lanes, factor), cast(lanes, call("neg", call("mul", shift, factor)))];
      },
    },
  ];
}

/** The mean of the squares. */
function meanSquare(lanes: DType): EarlierPhase[] {
  return [
    {
      accumulators: [{ fn: "add", total: real }],
      terms: ([x]) => [squared(cast(lanes, x))],
      finish: ([squares], [count, eps]) => [cast(lanes, inverseDeviation(call("div", squares, count), eps))],
    },
  ];
}

/** Returns the kernel over elements of a float dtype; `factor` and `shift` are their dtypes, or null to omit them. */
export function makeStandardize(
  dtype: DType,
  isCentered: boolean,
  factor: DType | null,
  shift: DType | null,
): RowKernel {
  const [lanes] = sumDTypes(dtype);
  const phases = isCentered ? centered(lanes) : meanSquare(lanes);
  const more = [factor, shift].filter((type) => type !== null);
  return new RowKernel({
    name: `${shortName(dtype)}_${isCentered ? "standardize" : "by_rms"}${factor === null ? "" : "_factor"}${shift === null ? "" : "_shift"}`,
    outputs: [dtype],
    inputs: [dtype, ...more],
    scalars: [real, real],
    read: 1,
    phases,
    ahead: phases.length,
    values: ([x, ...rest], _, known) => {
      const element = cast(lanes, x);
      let value: Scalar;
      if (isCentered) {
        const [mean, by, correction] = known;
        value = call("add", call("mul", call("sub", element, mean), by), correction);
      } else value = call("mul", element, known[0]);
      if (factor !== null) value = call("mul", value, cast(lanes, rest[0]));
      if (shift !== null) value = call("add", value, cast(lanes, rest[rest.length - 1]));
      return [cast(dtype, value)];
    },
  });
}
