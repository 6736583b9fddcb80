/**
 * Plans too large for one kernel call, cut in two. Kernels count elements, units and offsets in 32 bits; a call whose plan stays under
 * the limit here cannot overflow them.
 */
import type { Plan } from "./plan.ts";

// Half of what fits in 31 bits: loop bounds such as "start of the tile + tile" reach past the size itself.
const limit = 2 ** 30;

/** Two plans that visit together what this one visits, each with less in its outermost mode; undefined if it needs no cut. */
export function splitPlan(plan: Plan): readonly [Plan, Plan] | undefined {
  if (isSmall(plan)) return undefined;
  const size = plan.sizes.at(-1) as number;
  const half = Math.floor(size / 2);
  return [part(plan, 0, half), part(plan, half, size - half)];
}

function isSmall({ sizes, strides }: Plan): boolean {
  let count = 1;
  for (let d = 0; d < sizes.length; d++) count *= sizes[d] as number;
  if (count > limit) return false;
  for (let k = 0; k < strides.length; k++) {
    let reach = 0;
    for (let d = 0; d < sizes.length; d++)
      reach += ((sizes[d] as number) - 1) * Math.abs((strides[k] as readonly number[])[d] as number);
    if (reach > limit) return false;
  }
  return true;
}

/** `size` rounds of the outermost mode from round `from`. */
function part({ sizes, strides, starts }: Plan, from: number, size: number): Plan {
  const last = sizes.length - 1;
  return {
    sizes: size === 1 ? sizes.slice(0, last) : [...sizes.slice(0, last), size],
    strides: size === 1 ? strides.map((of) => of.slice(0, last)) : strides,
    starts: starts.map((start, k) => start + from * ((strides[k] as readonly number[])[last] as number)),
  };
}
