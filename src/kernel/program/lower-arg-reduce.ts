/** Lowering argmax and argmin: the kernels made so far, one for each dtype. */
import { remember } from "../../base/remember.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Operand } from "../operand.ts";
import { type ArgReduction, makeArgReduction } from "../reduce/reductions.ts";
import type { ReduceKernel } from "../reduce/spec.ts";
import type { ProgramBuilder } from "./builder.ts";
import { lowerReduce } from "./lower-reduce.ts";

const kernels = /* @__PURE__ */ new Map<string, ReduceKernel>();

/**
 * Adds what sets each element of `out`, int32, to the number of the first extreme among the elements of the input that belong to it, in the
 * row-major order of the reduced axes; and of `values`, where they are wanted, to the extreme itself.
 */
export function lowerArgReduce(
  builder: ProgramBuilder,
  reduction: ArgReduction,
  out: Operand,
  input: Operand,
  values?: Operand,
): void {
  const kernel = argKernel(reduction, input.dtype, values !== undefined);
  lowerReduce(builder, kernel, values === undefined ? [out] : [out, values], [input]);
}

function argKernel(reduction: ArgReduction, dtype: DType, withValues: boolean): ReduceKernel {
  const key = `${reduction} ${dtype} ${withValues}`;
  return remember(kernels, key, () => makeArgReduction(reduction, reduction, dtype, withValues));
}
