/**
 * Ops that are row kernels: how tensors become the operands of one. Nested layouts become flat ones in a copy, and a result of
 * another dtype gets a copy, too.
 */
import { runRows } from "../../kernel/rows/run-rows.ts";
import type { RowKernel } from "../../kernel/rows/spec.ts";
import { type DType, DTypeError, dtypes, type Value } from "../../storage/dtype.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { nestedBit, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { fresh } from "../op.ts";
import { inputOperand } from "../reduce/axes.ts";

/** Fills results from tensors of their shape; `row` has the axes of one row. */
export function fillRows(
  who: string,
  kernel: RowKernel,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  row: readonly number[],
  scalars?: readonly Value[],
): void {
  const results = outputs.map((out, k) => {
    const dtype = kernel.spec.outputs[k] as DType;
    return out.dtype === dtype && (out.bits & nestedBit) === 0 ? out : fresh(dtype, sizesOf(out));
  });
  const operands = (list: readonly Tensor[]) => list.map((t) => inputOperand(who, t, row));
  runRows(kernel, row.length, operands(results), operands(inputs), scalars);
  results.forEach((result, k) => {
    if (result !== outputs[k]) copyAll(result, outputs[k] as Tensor, who);
  });
}

/** Refuses a dtype that is no real float. */
export function checkFloat(who: string, dtype: DType): DType {
  if (dtypes[dtype].category === "float") return dtype;
  throw new DTypeError(`${who}: not implemented for '${dtype}'. Convert it: to('float32')`);
}
