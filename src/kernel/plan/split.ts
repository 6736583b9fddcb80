/**
 * Plans too large for one kernel call, cut in two. Kernels count elements, units and offsets in 32 bits; a call whose plan stays under
 * the limit here cannot overflow them.
 */
import { extentOf, type FlatLayout, sliceMode } from "../../layout/flat.ts";

// Half of what fits in 31 bits: loop bounds such as "start of the tile + tile" reach past the size itself.
const limit = 2 ** 30;

/** Two plans that visit together what this one visits, each with less in its outermost mode; undefined if it needs no cut. */
export function splitPlan(plan: FlatLayout): readonly [FlatLayout, FlatLayout] | undefined {
  if (isSmall(plan)) return undefined;
  const size = plan.sizes.at(-1) as number;
  const half = Math.floor(size / 2);
  const last = plan.sizes.length - 1;
  return [sliceMode(plan, last, 0, half), sliceMode(plan, last, half, size - half)];
}

function isSmall({ sizes, strides }: FlatLayout): boolean {
  let count = 1;
  for (let d = 0; d < sizes.length; d++) count *= sizes[d];
  if (count > limit) return false;
  return strides.every((of) => extentOf(sizes, of) <= limit);
}
