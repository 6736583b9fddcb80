/**
 * Questions about a layout as a function. Each is decided exactly for numbers, without listing large domains where the
 * strides alone decide; symbolic layouts are refused by name.
 */
import { flatModes } from "./coalesce.ts";
import { encodeModes } from "./encode.ts";
import type { Layout } from "./layout.ts";
import { offsets, size } from "./queries.ts";

interface Step {
  readonly size: number;
  readonly stride: number;
}

function steps(who: string, layout: Layout): Step[] {
  const { sizes, strides } = encodeModes(flatModes(layout), who);
  return sizes.map((size, i) => ({ size, stride: strides[i] as number }));
}

/** True if and only if no two coordinates have the same offset. */
export function isInjective(layout: Layout): boolean {
  const modes = steps("isInjective", layout).filter((mode) => mode.size !== 1);
  if (modes.some((mode) => mode.size === 0)) return true;
  if (modes.some((mode) => mode.stride === 0)) return false;
  const sorted = modes
    .map(({ size: count, stride }) => ({ size: count, stride: Math.abs(stride) }))
    .sort((a, b) => b.stride - a.stride);
  // Two coordinates collide exactly if their difference (|delta| < size in each mode) is not zero and moves by 0.
  const reach = sorted.map((_mode, i) => sorted.slice(i).reduce((sum, mode) => sum + (mode.size - 1) * mode.stride, 0));
  const collides = (i: number, sum: number, moved: boolean): boolean => {
    if (i === sorted.length) return moved && sum === 0;
    const { size: count, stride } = sorted[i] as Step;
    const left = reach[i + 1] ?? 0;
    const low = Math.max(moved ? 1 - count : 0, Math.ceil((-left - sum) / stride));
    const high = Math.min(count - 1, Math.floor((left - sum) / stride));
    for (let delta = low; delta <= high; delta++)
      if (collides(i + 1, sum + delta * stride, moved || delta !== 0)) return true;
    return false;
  };
  return !collides(0, 0, false);
}

/** True if and only if the offsets are exactly 0 to cosize - 1: no gap and none below 0. */
export function isCompact(layout: Layout): boolean {
  const modes = steps("isCompact", layout).filter((mode) => mode.size !== 1 && mode.stride !== 0);
  if (modes.some((mode) => mode.size === 0)) return true;
  if (modes.some((mode) => mode.stride < 0)) return false;
  let covered = 1;
  for (const mode of modes.sort((a, b) => a.stride - b.stride)) {
    if (mode.stride > covered) return false;
    covered += (mode.size - 1) * mode.stride;
  }
  return true;
}

/** True if and only if coordinates and the offsets 0 to size - 1 correspond one to one. */
export const isBijective = (layout: Layout): boolean => isInjective(layout) && isCompact(layout);

/** True if and only if no offset but 0 belongs to both layouts. */
export function areDisjoint(a: Layout, b: Layout): boolean {
  steps("areDisjoint", a);
  steps("areDisjoint", b);
  const [small, large] = size(a) <= size(b) ? [a, b] : [b, a];
  const taken = new Set(offsets(small));
  taken.delete(0);
  return !offsets(large).some((offset) => taken.has(offset));
}
