/**
 * Checks of index tensors before they are used. One kernel computes the smallest and the largest index, and these two are compared with
 * the bounds.
 */

import { IndexError } from "../../base/errors.ts";
import { fixedStorage } from "../../kernel/copy.ts";
import { reader } from "../../kernel/element.ts";
import type { Operand } from "../../kernel/operand.ts";
import { runReduce } from "../../kernel/program/lower-reduce.ts";
import { withWorkspace } from "../../kernel/program/run-program.ts";
import { ReduceKernel } from "../../kernel/reduce/spec.ts";
import { type DType, DTypeError, dtypes } from "../../storage/dtype.ts";
import { clone, to } from "../../tensor/clone.ts";
import { isComposedTensor } from "../../tensor/geometry.ts";
import { isFlatAndDense, operandOf } from "../../tensor/operand.ts";
import { storageOf, type Tensor } from "../../tensor/tensor.ts";
import { add } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { lt } from "../elementwise/comparison.ts";

const kernels = /* @__PURE__ */ new Map<DType, ReduceKernel>();

function extremes(dtype: DType): ReduceKernel {
  let kernel = kernels.get(dtype);
  if (kernel === undefined) {
    kernel = new ReduceKernel({
      name: `${dtype}_extremes`,
      outputs: [dtype, dtype],
      inputs: [dtype],
      scalars: [],
      accumulators: [
        { fn: "min", total: dtype },
        { fn: "max", total: dtype },
      ],
      terms: ([x]) => [x as never, x as never],
      finish: (totals) => totals,
    });
    kernels.set(dtype, kernel);
  }
  return kernel;
}

/** Up to this number of indices, a loop is faster than a kernel launch. */
const few = 8192;

/** The smallest and the largest of a few contiguous indices. */
function rangeOfFew(who: string, index: Tensor, words: 1 | 2): readonly [min: number, max: number] {
  const { start, size } = index;
  const storage = storageOf(index, who);
  const memory = storage.readable().array("i32");
  let at = storage.byteOffset / 4 + start * words;
  let [min, max] = [Infinity, -Infinity];
  for (let i = 0; i < size; i++, at += words) {
    const low = memory[at];
    const value = words === 1 ? low : memory[at + 1] * 2 ** 32 + (low >>> 0);
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return [min, max];
}

/** Returns the smallest and the largest of integers; the tensor must not be empty. */
export function indexRange(who: string, index: Tensor): readonly [min: number, max: number] {
  const { dtype } = index;
  if (index.size <= few && (dtype === "int64" || dtype === "int32") && isFlatAndDense(index))
    return rangeOfFew(who, index, dtype === "int64" ? 2 : 1);
  const { itemsize, array } = dtypes[dtype];
  const source = operandOf(isComposedTensor(index) ? clone(index, "contiguous") : index, who);
  return withWorkspace(32, (memory, byteOffset) => {
    const one = (at: number): Operand => ({
      storage: fixedStorage(memory, at),
      dtype,
      offset: 0,
      shape: [],
      stride: [],
    });
    runReduce(extremes(dtype), [one(byteOffset), one(byteOffset + 16)], [source]);
    const read = reader(dtype, "bigint");
    const values = memory.array(array);
    return [Number(read(values, byteOffset / itemsize)), Number(read(values, (byteOffset + 16) / itemsize))];
  });
}

/** Throws unless the dtype of indices is int32 or int64, or one of those that the op accepts. */
export function checkIndexDType(
  who: string,
  { dtype }: Tensor,
  accepted: readonly DType[] = ["int64", "int32"],
  rule = "index must be int32 or int64",
): void {
  if (!accepted.includes(dtype)) throw new DTypeError(`${who}: ${rule}, got ${dtype}. Convert it: index.to("int64")`);
}

/**
 * Returns the indices, all of them from 0 to size - 1; throws if one is out of bounds for `what`. Negative indices count from the end
 * where `isNegativeAllowed`.
 */
export function checkedIndices(
  who: string,
  index: Tensor,
  size: number,
  what: string,
  isNegativeAllowed = false,
): Tensor {
  if (index.size === 0) return index;
  const [min, max] = indexRange(who, index);
  if (max >= size || min < (isNegativeAllowed ? -size : 0))
    throw new IndexError(`${who}: index ${max >= size ? max : min} is out of bounds for ${what}`);
  if (min >= 0) return index;
  const wide = to(index, "int64");
  return where(lt(wide, 0), add(wide, size), wide);
}

/** Checks indices along an axis. */
export const indicesAlong = (
  who: string,
  index: Tensor,
  size: number,
  axis: number,
  isNegativeAllowed = false,
): Tensor => checkedIndices(who, index, size, `axis ${axis} with size ${size}`, isNegativeAllowed);

/** Checks indices of rows. */
export const indicesOfRows = (who: string, index: Tensor, size: number, isNegativeAllowed = false): Tensor =>
  checkedIndices(who, index, size, `size ${size}`, isNegativeAllowed);

/** Checks indices of all elements in row-major order; negative ones count from the end. */
export const flatIndices = (who: string, index: Tensor, size: number): Tensor =>
  checkedIndices(who, index, size, `${size} elements`, true);
