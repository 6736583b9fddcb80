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

/** Fills `out` from tensors of its shape; `row` has the axes of one row. */
export function fillRows(
  who: string,
  kernel: RowKernel,
  out: Tensor,
  inputs: readonly Tensor[],
  row: readonly number[],
  scalars?: readonly Value[],
): void {
  const [dtype] = kernel.spec.outputs as readonly [DType];
  const result = out.dtype === dtype && (out.bits & nestedBit) === 0 ? out : fresh(dtype, sizesOf(out));
  const operands = inputs.map((input) => inputOperand(who, input, row));
  runRows(kernel, row.length, [inputOperand(who, result, row)], operands, scalars);
  if (result !== out) copyAll(result, out, who);
}

/** Refuses a dtype that is no real float. */
export function checkFloat(who: string, dtype: DType): DType {
  if (dtypes[dtype].category === "float") return dtype;
  throw new DTypeError(`${who}: not implemented for '${dtypes[dtype].torchName}'. Convert it first: to('float32')`);
}
