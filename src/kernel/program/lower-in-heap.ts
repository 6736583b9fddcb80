/**
 * Copies operands that the backend cannot address to the workspace as a whole: those of products and reductions, and buffers of kernels that
 * may touch any element.
 */
import { product } from "../../base/ints.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { lowerCopy } from "../copy.ts";
import type { Operand } from "../operand.ts";
import type { Buffer, ProgramBuilder } from "./builder.ts";

/**
 * Calls `lower` with an addressable buffer: this one, or a copy of its elements from `low` to `high`. The copy is written back if `isWritten`.
 * Elements are copied as this dtype, which has the same itemsize.
 */
export function lowerInHeap(
  builder: ProgramBuilder,
  buffer: Buffer,
  dtype: DType,
  [low, high]: readonly [low: number, high: number],
  isWritten: boolean,
  lower: (inHeap: Buffer) => void,
): void {
  const { storage, start, itemsize } = buffer;
  const operand: Operand = { storage, dtype, offset: start + low, shape: [high - low + 1], stride: [1] };
  lowerAllInHeap(builder, [operand], isWritten ? 1 : 0, true, ([inHeap]) => {
    const { storage, offset } = inHeap;
    lower({ storage, start: offset - low, itemsize });
  });
}

/** Returns an operand with the same axes in the workspace: dense in the same order of axes, except for strides of 0, which stay. */
function inWorkspace(builder: ProgramBuilder, { dtype, shape, stride }: Operand): Operand {
  let count = 1;
  const dense = stride.slice();
  const axes = [...stride.keys()].reverse().sort((a, b) => Math.abs(stride[a]) - Math.abs(stride[b]));
  for (const axis of axes) {
    if (stride[axis] === 0) continue;
    dense[axis] = count;
    count *= shape[axis];
  }
  const { itemsize } = dtypes[dtype];
  const [storage, byteOffset] = builder.take(count * itemsize);
  return { storage, dtype, offset: byteOffset / itemsize, shape, stride: dense };
}

/** Returns the number of distinct elements of an operand. */
export const distinctElements = ({ shape, stride }: Operand): number =>
  product(shape.filter((_, axis) => stride[axis] !== 0));

/**
 * Calls `lower` with operands that are all addressable: these, or copies of their elements. Copies of the first `outputs` are written back;
 * their elements are also copied in if `areRead`.
 */
export function lowerAllInHeap(
  builder: ProgramBuilder,
  operands: readonly Operand[],
  outputs: number,
  areRead: boolean,
  lower: (inHeap: readonly Operand[]) => void,
): void {
  const copy = (from: Operand, to: Operand): void => {
    // A broadcast axis has stride 0 in the copy, too.
    const moves = <T>(list: readonly T[]): T[] => list.filter((_, axis) => from.stride[axis] !== 0);
    const shape = moves(from.shape);
    lowerCopy(builder, { ...from, shape, stride: moves(from.stride) }, { ...to, shape, stride: moves(to.stride) });
  };
  builder.workspace(0, () => {
    const inHeap = operands.map((operand, k) => {
      if (builder.canAddress(operand.storage)) return operand;
      builder.isCacheable = false;
      const to = inWorkspace(builder, operand);
      if (k >= outputs || areRead) copy(operand, to);
      return to;
    });
    lower(inHeap);
    for (let k = 0; k < outputs; k++) if (inHeap[k] !== operands[k]) copy(inHeap[k], operands[k]);
  });
}
