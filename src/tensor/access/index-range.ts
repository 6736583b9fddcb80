/**
 * Checks of index tensors before they are used. One kernel computes the smallest and the largest index, and these two are compared with
 * the bounds.
 */

import { IndexError } from "../../base/errors.ts";
import { reader } from "../../kernel/element.ts";
import type { Buffer, ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerReduce } from "../../kernel/program/lower-reduce.ts";
import type { HostRule, HostStep, IndexBounds } from "../../kernel/program/program.ts";
import { execute } from "../../kernel/program/run-program.ts";
import { ReduceKernel } from "../../kernel/reduce/spec.ts";
import { type DType, DTypeError, dtypes } from "../../storage/dtype.ts";
import type { Memory } from "../../storage/memory.ts";
import { withFlatModes } from "../clone.ts";
import { scratchTensor } from "../lowering.ts";
import { isFlatAndDense, operandOf } from "../operand.ts";
import { storageOf, type Tensor } from "../tensor.ts";
import { select } from "../views/views-parts.ts";
import { wholeMemory } from "../whole-memory.ts";

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

/** The smallest and the largest index. */
type Range = readonly [min: number, max: number];

/** The smallest and the largest of a few contiguous indices, at an address. */
function rangeOfFew(memory: Memory, address: number, size: number, words: 1 | 2): Range {
  const array = memory.array("i32");
  let at = address / 4;
  let [min, max] = [Infinity, -Infinity];
  for (let i = 0; i < size; i++, at += words) {
    const low = array[at];
    const value = words === 1 ? low : array[at + 1] * 2 ** 32 + (low >>> 0);
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return [min, max];
}

/**
 * Adds steps that compute the smallest and the largest of integers and pass them to `use`. The tensor has flat modes and elements. `bounds` are
 * those that `use` checks.
 */
function lowerRange(
  builder: ProgramBuilder,
  who: string,
  index: Tensor,
  use: (range: Range) => void,
  bounds: IndexBounds | null = null,
): void {
  const { dtype, size } = index;
  const { itemsize } = dtypes[dtype];
  const name = `${who}: check indices`;
  const ruleAt = (buffer: Buffer, count: number): BoundsRule => {
    const [slot, shift] = [builder.slotOf(buffer.storage), builder.shiftOf(buffer)];
    return { kind: "bounds", slot, shift, dtype, count, who, bounds };
  };
  if (size <= few && (dtype === "int64" || dtype === "int32") && isFlatAndDense(index)) {
    const rule = ruleAt({ storage: wholeMemory(index, who), start: index.start, itemsize }, size);
    builder.add({ kind: "host", name, run: passRangeOfFew(rule, dtype === "int64" ? 2 : 1, use), rule });
    return;
  }
  builder.workspace(0, () => {
    const ends = scratchTensor(builder, dtype, [2]);
    const [min, max] = [0, 1].map((k) => operandOf(select(ends, 0, k), who));
    lowerReduce(builder, extremes(dtype), [min, max], [operandOf(index, who)]);
    const rule = ruleAt({ storage: storageOf(ends, who), start: 0, itemsize }, 2);
    builder.add({ kind: "host", name, run: passRange(rule, use), rule });
  });
}

type BoundsRule = Extract<HostRule, { kind: "bounds" }>;

type Run = HostStep["run"];

// The functions of cached programs, outside of others, so that their closures hold numbers and no tensors.

/** Passes the range of a few contiguous indices to `use`. */
const passRangeOfFew =
  ({ slot, shift, count }: BoundsRule, words: 1 | 2, use: (range: Range) => void): Run =>
  ({ memories, addresses }) =>
    use(rangeOfFew(memories[slot], addresses[slot] + shift, count, words));

/** Passes the range that a kernel has written to the workspace to `use`. */
function passRange({ slot, shift, dtype }: BoundsRule, use: (range: Range) => void): Run {
  const { itemsize, array } = dtypes[dtype];
  const read = reader(dtype, "bigint");
  return ({ memories, addresses }) => {
    const at = (addresses[slot] + shift) / itemsize;
    const values = memories[slot].array(array);
    use([Number(read(values, at)), Number(read(values, at + 1))]);
  };
}

/** Returns the smallest and the largest of integers; the tensor must not be empty. */
export function indexRange(who: string, index: Tensor): Range {
  let range: Range = [0, 0];
  const source = withFlatModes(index);
  execute([], [operandOf(source, who)], (builder) =>
    lowerRange(builder, who, source, (result) => {
      range = result;
    }),
  );
  return range;
}

/** Throws unless the dtype of indices is int32 or int64, or one of those that the op accepts. */
export function checkIndexDType(
  who: string,
  { dtype }: Tensor,
  accepted: readonly DType[] = ["int64", "int32"],
  rule = "index must be integers",
): void {
  if (!accepted.includes(dtype)) throw new DTypeError(`${who}: ${rule}, got ${dtype}. Convert it: index.to("int64")`);
}

function checkRange(who: string, [min, max]: Range, bounds: IndexBounds): void {
  const { size, isNegativeAllowed = false, outside = "out of bounds" } = bounds;
  if (max >= size || min < (isNegativeAllowed ? -size : 0))
    throw new IndexError(`${who}: index ${max >= size ? max : min} is ${outside} for ${bounds.what}`);
}

/** Throws if an index is out of bounds. */
export function checkIndices(who: string, index: Tensor, bounds: IndexBounds): void {
  if (index.size > 0) checkRange(who, indexRange(who, index), bounds);
}

/** Adds the same check to a program. The tensor has flat modes. */
export function lowerIndexCheck(builder: ProgramBuilder, who: string, index: Tensor, bounds: IndexBounds): void {
  if (index.size > 0) lowerRange(builder, who, index, (range) => checkRange(who, range, bounds), bounds);
}

/** The bounds of indices along an axis. */
export const alongBounds = (size: number, axis: number, isNegativeAllowed = false): IndexBounds => ({
  size,
  what: `axis ${axis} with size ${size}`,
  isNegativeAllowed,
});

/** The bounds of indices of rows. */
export const rowBounds = (size: number, isNegativeAllowed = false): IndexBounds => ({
  size,
  what: `size ${size}`,
  isNegativeAllowed,
});

/** The bounds of indices of all elements in row-major order; negative ones count from the end. */
export const flatBounds = (size: number): IndexBounds => ({ size, what: `${size} elements`, isNegativeAllowed: true });
