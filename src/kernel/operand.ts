/**
 * A strided region of a storage: the operand of a kernel. Offset and strides count elements of the dtype; strides may be negative or 0.
 * Every element is trusted to be inside the storage.
 */
import { expandStrides } from "../layout/flat.ts";
import type { DType } from "../storage/dtype.ts";
import type { Memory } from "../storage/memory.ts";

/** The part of a storage that kernels need: its memory, and its first byte there, which is valid once the memory was requested. */
export interface ElementStorage {
  readable(): Memory;
  writable(): Memory;
  readonly byteOffset: number;
  /** True for a part of the workspace of a program; `byteOffset` counts from the start of the workspace. */
  readonly isScratch?: boolean;
}

export interface Operand {
  readonly storage: ElementStorage;
  readonly dtype: DType;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
  /** True if shape and strides are static integers; the kernel is specialized if those of all operands are. */
  readonly isStatic?: boolean;
}

/** Broadcasts an operand to these sizes. */
export const expandOperand = (operand: Operand, sizes: readonly number[]): Operand => ({
  ...operand,
  shape: sizes,
  stride: expandStrides(operand.shape, operand.stride, sizes),
});
