/** A buffer in memory that the backend does not reach, copied whole to the workspace: for kernels that may touch any of its elements. */
import type { DType } from "../../storage/dtype.ts";
import { lowerCopy } from "../copy.ts";
import type { Operand } from "../operand.ts";
import type { Buffer, ProgramBuilder } from "./builder.ts";

/**
 * Calls `lower` with a buffer in reach: this one, or a copy of its elements from `low` to `high`. What the steps in between write is copied
 * back if `isWritten`. Elements are moved as this dtype, which has as many bytes.
 */
export function lowerNear(
  builder: ProgramBuilder,
  buffer: Buffer,
  dtype: DType,
  [low, high]: readonly [low: number, high: number],
  isWritten: boolean,
  lower: (near: Buffer) => void,
): void {
  if (builder.reaches(buffer.storage)) {
    lower(buffer);
    return;
  }
  const { storage, start, itemsize } = buffer;
  const length = high - low + 1;
  builder.workspace(length * itemsize, (workspace, byteOffset) => {
    const first = byteOffset / itemsize;
    const far: Operand = { storage, dtype, offset: start + low, shape: [length], stride: [1] };
    const near: Operand = { ...far, storage: workspace, offset: first };
    lowerCopy(builder, far, near);
    lower({ storage: workspace, start: first - low, itemsize });
    if (isWritten) lowerCopy(builder, near, far);
  });
}
