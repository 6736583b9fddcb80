/**
 * Softmax and its logarithm as row kernels: the largest element first, then the sum of exp(x - largest), then the outputs.
 * A row whose largest element is infinite contains NaN, as in PyTorch; the safe form returns zeros for a row of -infinity, which is fully
 * masked.
 */
import { type DType, dtypes } from "../../storage/dtype.ts";
import { call, cast, constantScalar, type Scalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { sumDTypes } from "../reduce/reductions.ts";
import { RowKernel } from "./spec.ts";

export type SoftmaxForm = "plain" | "log" | "safe";

/** Returns the kernel over elements of a float dtype. */
export function makeSoftmax(dtype: DType, form: SoftmaxForm): RowKernel {
  const isLog = form === "log";
  const [lanes, total] = sumDTypes(dtype);
  const minusMax = (x: Scalar, max: Scalar): Scalar => call("sub", cast(lanes, x), max);
  const lowest = constantScalar(lanes, -Infinity);
  const inverse = (sum: Scalar): Scalar => {
    const value = call("div", constantScalar(total, 1), sum);
    const zero = constantScalar(total, 0);
    return form === "safe" ? call("select", call("eq", sum, zero), zero, value) : value;
  };
  return new RowKernel({
    name: `${shortName(dtype)}_${form === "plain" ? "" : `${form}_`}softmax`,
    outputs: [dtype],
    inputs: [dtype],
    scalars: [],
    read: 1,
    phases: [
      {
        // A NaN that `larger` skips appears again in the sum.
        accumulators: [{ fn: "larger", total: lanes }],
        terms: ([x]) => [cast(lanes, x)],
        finish: ([max]) =>
          form === "safe" ? [call("select", call("eq", max, lowest), constantScalar(lanes, 0), max)] : [max],
      },
      {
        accumulators: [{ fn: "add", total }],
        terms: ([x], _, [max]) => [call("expNegative", minusMax(x, max))],
        finish: ([sum]) => [cast(lanes, isLog ? call("log", sum) : inverse(sum))],
      },
    ],
    // Halves would lose bits.
    keeps: !isLog && dtypes[dtype].itemsize > 2,
    values: ([x], _, [max, rest], keptTerm) => {
      const distance = minusMax(x, max);
      const value = isLog ? call("sub", distance, rest) : call("mul", keptTerm ?? call("expNegative", distance), rest);
      return [cast(dtype, value)];
    },
  });
}
