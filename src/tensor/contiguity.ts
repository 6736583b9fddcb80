/**
 * The flags of a tensor as exact definitions on sizes and strides: contiguity in three memory formats, density, overlap,
 * and the strides of a new tensor in some format. Pure functions on numbers; the Tensor caches their results.
 */

import { ShapeError } from "../base/errors.ts";
import { rowMajorStrides } from "../kernel/plan/output-layout.ts";

export { rowMajorStrides };

/** contiguous: the last axis varies fastest; channelsLast (rank 4) and channelsLast3d (rank 5): the second axis varies fastest. */
export type MemoryFormat = "contiguous" | "channelsLast" | "channelsLast3d";
/** preserve: the strides of the source if it is dense, otherwise compact strides in the same order. */
export type CopyFormat = MemoryFormat | "preserve";

type Numbers = readonly number[];

/** From the fastest axis to the slowest. */
const channelOrders: Readonly<Record<Exclude<MemoryFormat, "contiguous">, Numbers>> = {
  channelsLast: [1, 3, 2, 0],
  channelsLast3d: [1, 4, 3, 2, 0],
};

/** The order of the axes in a channels-last format. */
function orderOf(who: string, format: keyof typeof channelOrders): Numbers {
  if (Object.hasOwn(channelOrders, format)) return channelOrders[format];
  throw new ShapeError(
    `${who}: memory format must be "contiguous", "channelsLast" or "channelsLast3d", got "${String(format)}"`,
  );
}

/** True if and only if the axes whose size is not 1, taken in `order`, have the strides of a compact array. */
function isCompactIn(sizes: Numbers, strides: Numbers, order: Numbers): boolean {
  let expected = 1;
  for (const axis of order) {
    const size = sizes[axis];
    if (size === 1) continue;
    if (strides[axis] !== expected) return false;
    expected *= size;
  }
  return true;
}

/** True if and only if the elements are adjacent in row-major order; axes of size 1 may have any stride. */
export function isRowMajor(sizes: Numbers, strides: Numbers): boolean {
  if (sizes.includes(0)) return true;
  let expected = 1;
  for (let axis = sizes.length - 1; axis >= 0; axis--) {
    const size = sizes[axis];
    if (size === 1) continue;
    if (strides[axis] !== expected) return false;
    expected *= size;
  }
  return true;
}

/**
 * True if and only if contiguous in the format. False if the rank is not that of the format. An empty tensor is contiguous; in the
 * channels-last formats its strides are checked like any other's, as in PyTorch.
 */
export function isContiguousIn(format: MemoryFormat, sizes: Numbers, strides: Numbers): boolean {
  if (format === "contiguous") return isRowMajor(sizes, strides);
  const order = orderOf("isContiguous", format);
  return sizes.length === order.length && isCompactIn(sizes, strides, order);
}

/** Axes with more than one element, the smallest stride first. */
function byStride(sizes: Numbers, strides: Numbers): number[] {
  const order: number[] = [];
  for (let axis = 0; axis < sizes.length; axis++) {
    if (sizes[axis] < 2) continue;
    let at = order.length;
    while (at > 0 && strides[order[at - 1]] > strides[axis]) at--;
    order.splice(at, 0, axis);
  }
  return order;
}

/** The absolute values of the strides. */
const forward = (strides: Numbers): Numbers => (strides.some((stride) => stride < 0) ? strides.map(Math.abs) : strides);

/** True if and only if the elements fill a range of memory, each address once, in some order of the axes, forward or backward. */
export function isDense(sizes: Numbers, strides: Numbers): boolean {
  if (isRowMajor(sizes, strides)) return true;
  const steps = forward(strides);
  return isCompactIn(sizes, steps, byStride(sizes, steps));
}

/** Whether two elements share an address: no (dense), yes (a stride of 0), or not decided by these rules. */
export type Overlap = "no" | "yes" | "unknown";

export function selfOverlap(sizes: Numbers, strides: Numbers): Overlap {
  if (isDense(sizes, strides)) return "no";
  for (let axis = 0; axis < sizes.length; axis++) if (sizes[axis] > 1 && strides[axis] === 0) return "yes";
  return "unknown";
}

/** The strides of a new tensor of these sizes in a memory format. */
export function formatStrides(who: string, format: MemoryFormat, sizes: Numbers): number[] {
  if (format === "contiguous") return rowMajorStrides(sizes);
  const order = orderOf(who, format);
  if (sizes.length !== order.length)
    throw new ShapeError(`${who}: ${format} needs ${order.length} axes, got [${sizes}]`);
  return compactStrides(sizes, order);
}

/** Compact strides, the first axis of the order the fastest. */
function compactStrides(sizes: Numbers, order: Numbers): number[] {
  const strides = new Array<number>(sizes.length);
  let step = 1;
  for (const axis of order) {
    strides[axis] = step;
    step *= Math.max(sizes[axis], 1);
  }
  return strides;
}

/**
 * The strides of a fresh tensor that keeps the order of another: the same strides if it is dense, else compact strides in
 * the order of its strides, in which axes of stride 0 keep their order. All strides are positive.
 */
export function preservedStrides(sizes: Numbers, source: Numbers): number[] {
  const strides = forward(source);
  if (isDense(sizes, strides)) return strides.slice();
  // Insertion sort from the fastest (last) axis; an ambiguous pair is left as it is.
  const order: number[] = [];
  for (let axis = sizes.length - 1; axis >= 0; axis--) order.push(axis);
  for (let i = 1; i < order.length; i++) {
    let held = i;
    for (let j = i - 1; j >= 0; j--) {
      const verdict = slower(sizes, strides, order[j], order[held]);
      if (verdict > 0) {
        const swap = order[j];
        order[j] = order[held];
        order[held] = swap;
        held = j;
      } else if (verdict < 0) break;
    }
  }
  return compactStrides(sizes, order);
}

/** Positive if axis a is slower than b and must come after it; negative if faster; 0 if undecided. */
function slower(sizes: Numbers, strides: Numbers, a: number, b: number): number {
  const strideA = strides[a];
  const strideB = strides[b];
  if (strideA === 0 || strideB === 0) return 0;
  if (strideA !== strideB) return strideA < strideB ? -1 : 1;
  return sizes[a] > sizes[b] ? 1 : 0;
}
