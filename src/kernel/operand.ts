/**
 * A strided region of a storage, as kernels take it. Offset and strides count elements of the dtype; strides may be negative or 0.
 * Every element is trusted to lie in its storage.
 */
import { expandStrides } from "../layout/flat.ts";
import type { DType } from "../storage/dtype.ts";
import type { Memory } from "../storage/memory.ts";

/** What kernels ask of a storage: its memory, and the byte where it begins, valid once the memory was asked for. */
export interface ElementStorage {
  readable(): Memory;
  writable(): Memory;
  readonly byteOffset: number;
}

export interface Operand {
  readonly storage: ElementStorage;
  readonly dtype: DType;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
  /** True if shape and strides are static integers: part of the kernel, where all operands are so. */
  readonly isStatic?: boolean;
}

/** An operand broadcast to sizes, of which it has the last ones, or 1 in their place. */
export const expandOperand = (operand: Operand, sizes: readonly number[]): Operand => ({
  ...operand,
  shape: sizes,
  stride: expandStrides(operand.shape, operand.stride, sizes),
});
