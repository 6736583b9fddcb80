/** Two sums at once, of g and of g times the distance of x from a value that is held: what the gradient of a normalisation needs. */
import type { DType } from "../../storage/dtype.ts";
import { call, cast, type Scalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { sumDTypes } from "./reductions.ts";
import { ReduceKernel } from "./spec.ts";

/** The kernel over g and x, which have the same dtype; the value of each output that is held has it, too. */
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
    terms: (inputs, _, [middle]) => {
      const [g, x] = inputs.map((input) => cast(lanes, input)) as [Scalar, Scalar];
      return [g, call("mul", g, call("sub", x, cast(lanes, middle)))];
    },
    finish: (totals) => totals.map((sum) => cast(lanes, sum)),
  });
}
