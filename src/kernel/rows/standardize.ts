/**
 * Normalisations as row kernels: elements less their mean, divided by the standard deviation; or elements divided by the root of the mean
 * of their squares. Then a factor and a shift for each element, where they are given.
 *
 * As in `../reduce/moments.ts`, distances are taken from a mean that is rounded to the dtype of the elements, and the rest of it is
 * corrected afterwards. Scalars, float64: how many elements a row has, and what is added to the variance.
 */
import type { DType } from "../../storage/dtype.ts";
import { call, cast, constantScalar, type Scalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { sumDTypes } from "../reduce/reductions.ts";
import type { EarlierPhase } from "../reduce/spec.ts";
import { RowKernel } from "./spec.ts";

const real = "float64";
const squared = (x: Scalar): Scalar => call("mul", x, x);
const rootOf = (variance: Scalar, eps: Scalar): Scalar =>
  call("div", constantScalar(real, 1), call("sqrt", call("add", variance, eps)));

/** Mean and variance: settles the rounded mean, the factor, and what is added behind it. */
function centred(lanes: DType): EarlierPhase[] {
  return [
    {
      accumulators: [{ fn: "add", total: real }],
      terms: ([x]) => [cast(lanes, x)],
      settle: ([sum], [count]) => [cast(lanes, call("div", sum, count))],
    },
    {
      accumulators: [
        { fn: "add", total: real },
        { fn: "add", total: real },
      ],
      terms: ([x], _, [mean]) => {
        const distance = call("sub", cast(lanes, x), mean);
        return [distance, squared(distance)];
      },
      settle: ([sum, squares], [count, eps]) => {
        const shift = call("div", sum, count);
        const mean = call("sub", call("div", squares, count), squared(shift));
        const factor = rootOf(call("max", mean, constantScalar(real, 0)), eps);
        return [cast(lanes, factor), cast(lanes, call("neg", call("mul", shift, factor)))];
      },
    },
  ];
}

/** The mean of the squares alone. */
function about0(lanes: DType): EarlierPhase[] {
  return [
    {
      accumulators: [{ fn: "add", total: real }],
      terms: ([x]) => [squared(cast(lanes, x))],
      settle: ([squares], [count, eps]) => [cast(lanes, rootOf(call("div", squares, count), eps))],
    },
  ];
}

/** The kernel over elements of a float dtype; factors and shifts have the dtypes that are given, or are left away. */
export function makeStandardize(
  dtype: DType,
  isCentred: boolean,
  factor: DType | null,
  shift: DType | null,
): RowKernel {
  const [lanes] = sumDTypes(dtype);
  const phases = isCentred ? centred(lanes) : about0(lanes);
  const more = [factor, shift].filter((given) => given !== null);
  return new RowKernel({
    name: `${shortName(dtype)}_${isCentred ? "standardize" : "by_rms"}${factor === null ? "" : "_factor"}${shift === null ? "" : "_shift"}`,
    outputs: [dtype],
    inputs: [dtype, ...more],
    scalars: [real, real],
    read: 1,
    phases,
    ahead: phases.length,
    values: ([x, ...rest], _, known) => {
      const element = cast(lanes, x);
      let value: Scalar;
      if (isCentred) {
        const [mean, by, behind] = known as [Scalar, Scalar, Scalar];
        value = call("add", call("mul", call("sub", element, mean), by), behind);
      } else value = call("mul", element, known[0]);
      if (factor !== null) value = call("mul", value, cast(lanes, rest[0]));
      if (shift !== null) value = call("add", value, cast(lanes, rest[rest.length - 1]));
      return [cast(dtype, value)];
    },
  });
}
