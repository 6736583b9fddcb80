/**
 * How the two operands of a nest lie in one memory: apart, exactly on each other, or across.
 * "Apart" is decided by the lowest and highest byte of each, so operands that interleave without meeting count as across:
 * never wrongly apart, sometimes wrongly across.
 */
import type { Nest } from "./nest.ts";

/** How two operands of one memory meet. */
export type Overlap = "apart" | "in place" | "across";

/** How the target (operand 0) and the source (operand 1) of a nest meet, given their element sizes in bytes. */
export function overlapOf(nest: Nest, toSize: number, fromSize: number): Overlap {
  if (
    lowest(nest, 0) * toSize >= (highest(nest, 1) + 1) * fromSize ||
    lowest(nest, 1) * fromSize >= (highest(nest, 0) + 1) * toSize
  )
    return "apart";
  return toSize === fromSize && isSamePath(nest) ? "in place" : "across";
}

/** The smallest position that an operand reaches. */
function lowest(nest: Nest, k: number): number {
  const strides = nest.strides[k] as number[];
  let low = nest.starts[k] as number;
  for (let d = 0; d < strides.length; d++) {
    const stride = strides[d] as number;
    if (stride < 0) low += ((nest.sizes[d] as number) - 1) * stride;
  }
  return low;
}

/** The largest position that an operand reaches. */
function highest(nest: Nest, k: number): number {
  const strides = nest.strides[k] as number[];
  let high = nest.starts[k] as number;
  for (let d = 0; d < strides.length; d++) {
    const stride = strides[d] as number;
    if (stride > 0) high += ((nest.sizes[d] as number) - 1) * stride;
  }
  return high;
}

function isSamePath(nest: Nest): boolean {
  const to = nest.strides[0] as number[];
  const from = nest.strides[1] as number[];
  if (nest.starts[0] !== nest.starts[1]) return false;
  for (let d = 0; d < to.length; d++) if (to[d] !== from[d]) return false;
  return true;
}
