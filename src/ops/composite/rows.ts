/**
 * Parts that ops of this folder share: row kernels over tensors, gradients that are ops, and the check for floats.
 */
import { lowerCast, lowerResults } from "../../kernel/copy.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerRows } from "../../kernel/program/lower-rows.ts";
import type { RowKernel } from "../../kernel/rows/spec.ts";
import { type DType, DTypeError, dtypes, type Value } from "../../storage/dtype.ts";
import type { OpKernel } from "../../tensor/dispatch/operator.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { inputOperand } from "../reduce/axes.ts";

/** Adds a row kernel to a program: `row` has the axes of one row, and inputs and results are converted as the kernel requires. */
export function lowerRowKernel(
  builder: ProgramBuilder,
  who: string,
  kernel: RowKernel,
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  row: readonly number[],
  scalars?: readonly Value[],
): void {
  const types = kernel.spec.inputs;
  const read = inputs.map((t, k) => lowerCast(builder, inputOperand(who, t, row), types[k]));
  const results = outputs.map((t) => inputOperand(who, t, row));
  lowerResults(builder, results, kernel.spec.outputs, (targets) =>
    lowerRows(builder, kernel, row.length, targets, read, scalars),
  );
}

/** Returns the dtype; throws unless it is a real float. */
export function checkFloat(who: string, dtype: DType): DType {
  if (dtypes[dtype].category === "float") return dtype;
  throw new DTypeError(`${who}: not implemented for '${dtype}'. Convert it: to("float32")`);
}

/**
 * Gives an op that computes a gradient in one pass a second definition, by composite ops, which runs when its own gradient is recorded.
 */
export function composedForGradients<F extends OpFunction>(op: F, kernel: OpKernel): F {
  op.operator.setKernel("autograd", kernel);
  return op;
}
