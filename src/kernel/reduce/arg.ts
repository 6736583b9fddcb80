/**
 * Where the largest or smallest element is: the first of them, or the first NaN if there is one, as in PyTorch.
 * A first phase finds the extreme, the second the smallest number among the elements that are equal to it. Numbers count the
 * reduced axes in row-major order. Of no elements there is no such number; that this is an error is for the caller to say.
 */

import { type DType, dtypes } from "../../storage/dtype.ts";
import { call, cast, constantScalar } from "../ir/scalar.ts";
import { shortName } from "../map/short-name.ts";
import { noOrder } from "../no-order.ts";
import { orderedDType } from "./reductions.ts";
import { ReduceKernel } from "./spec.ts";

export type ArgReduction = "argmax" | "argmin";

/** The kernel of an arg reduction: outputs are the number, an int32, and if they are wanted the values themselves. */
export function makeArgReduction(who: string, reduction: ArgReduction, dtype: DType, withValues = false): ReduceKernel {
  const { category } = dtypes[dtype];
  if (category === "complex") throw noOrder(who, reduction, dtype);
  const own = orderedDType(dtype);
  return new ReduceKernel({
    name: `${shortName(dtype)}_${reduction}${withValues ? "_value" : ""}`,
    outputs: withValues ? ["int32", dtype] : ["int32"],
    inputs: [dtype],
    scalars: [],
    isNumbered: true,
    before: [
      {
        accumulators: [{ fn: reduction === "argmax" ? "max" : "min", total: own }],
        terms: ([x]) => [cast(own, x)],
        settle: (extreme) => extreme,
      },
    ],
    accumulators: [{ fn: "min", total: "int32" }],
    terms: ([x], _, [extreme], number) => {
      const value = cast(own, x);
      const isEqual = call("eq", value, extreme);
      const isIt = category === "float" ? call("or", isEqual, call("ne", value, value)) : isEqual;
      return [call("select", isIt, number, constantScalar("int32", 2 ** 31 - 1))];
    },
    finish: ([number], _, [extreme]) => (withValues ? [number, cast(dtype, extreme)] : [number]),
  });
}
