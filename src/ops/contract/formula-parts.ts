/**
 * Formulas in programs, over parts of tensors that are known to fit: they have the same shape, and outputs do not overlap each other or
 * inputs. Nothing is checked and no view is created, so that many small parts are fast.
 */

import type { Operand } from "../../kernel/operand.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMap } from "../../kernel/program/lower-map.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { wholeMemory } from "../../tensor/whole-memory.ts";
import type { FormulaKernels } from "../formula-kernels.ts";

/** A strided part of a tensor: the offset of its first element, and its strides. */
export interface Part {
  readonly of: Tensor;
  readonly offset: number;
  readonly stride: readonly number[];
}

/** Adds the steps that compute outputs of the same shape from inputs in the order of the formula's operands. */
export function lowerFormulaParts(
  builder: ProgramBuilder,
  kernels: FormulaKernels,
  shape: readonly number[],
  outputs: readonly Part[],
  inputs: readonly Part[],
): void {
  const { who } = kernels.formula;
  const { kernel, inputs: order } = kernels.variantFor(
    inputs.map(({ of }) => of),
    outputs.map(({ of }) => of),
  );
  const operandOf = ({ of, offset, stride }: Part): Operand => ({
    storage: wholeMemory(of, who),
    dtype: of.dtype,
    offset,
    shape,
    stride,
  });
  lowerMap(builder, kernel, [...outputs.map(operandOf), ...order.map((k) => operandOf(inputs[k]))]);
}
