/**
 * Whether the elements of a tensor are of about one size. Ways to compute that add elements which the definition keeps apart need that: what
 * is left of a large one after it is subtracted again is an error in the others, and what is left of an infinite one is NaN.
 */
import { remember } from "../../base/remember.ts";
import { call, cast } from "../../kernel/ir/scalar.ts";
import { shortName } from "../../kernel/map/short-name.ts";
import { runReduce } from "../../kernel/program/lower-reduce.ts";
import { ReduceKernel } from "../../kernel/reduce/spec.ts";
import type { DType } from "../../storage/dtype.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { fresh } from "../op.ts";

/** The largest absolute value may be so many times the mean one, and this large itself. */
const mostTimes = 512;
const most = 2 ** 60;

const kernels = new Map<DType, ReduceKernel>();

/** The largest absolute value and the sum of all. */
const sizesKernel = (dtype: DType): ReduceKernel =>
  new ReduceKernel({
    name: `${shortName(dtype)}_sizes`,
    outputs: ["float64", "float64"],
    inputs: [dtype],
    scalars: [],
    accumulators: [
      { fn: "max", total: dtype },
      { fn: "add", total: "float64" },
    ],
    terms: ([x]) => {
      const size = call("abs", x);
      return [size, size];
    },
    finish: ([largest, sum]) => [cast("float64", largest), sum],
  });

/** True if and only if no element of a float tensor is much larger than the mean, infinite or NaN. */
export function isEven(x: Tensor): boolean {
  const found = [fresh("float64", []), fresh("float64", [])] as const;
  runReduce(
    remember(kernels, x.dtype, sizesKernel),
    found.map((each) => operandOf(each, "conv")),
    [operandOf(x, "conv")],
  );
  const [largest, sum] = found.map((each) => each.item() as number) as [number, number];
  for (const each of found) each.dispose();
  return largest * x.size <= mostTimes * sum && largest < most;
}
