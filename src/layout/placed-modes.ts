/** The coalesced modes of a layout with the place each has in the 1-D index: what inverses send offsets back to. */
import { isBasis } from "./basis.ts";
import { flatModes, type Mode, mergeModes, openModes } from "./coalesce.ts";
import { formatLayout } from "./format.ts";
import { type Int, int, isZero, knownValue, mul } from "./int.ts";
import type { ComposedLayout, Layout } from "./layout.ts";
import { isSwizzle, type Swizzle } from "./swizzle.ts";
import { refuse } from "./trace.ts";

/** A mode and the index step that moves it by one. */
export interface PlacedMode extends Mode {
  readonly start: Int;
}

/** The modes with their places. `open` keeps a last mode of size 1: beyond the domain, an index goes on counting there. */
export function placedModes(layout: Layout, open = false): PlacedMode[] {
  let start: Int = int(1);
  return (open ? openModes(layout) : mergeModes(flatModes(layout))).map((mode) => {
    const placed = { ...mode, start };
    start = mul(start, mode.size);
    return placed;
  });
}

/** Ascending by stride, among the modes whose stride is a number. */
export function sortByStride(modes: readonly PlacedMode[]): PlacedMode[] {
  const key = (mode: PlacedMode): number | undefined => (isBasis(mode.stride) ? undefined : knownValue(mode.stride));
  return modes.filter((mode) => key(mode) !== undefined).sort((a, b) => (key(a) as number) - (key(b) as number));
}

/** The swizzle of S o L, whose inverse is (L inverted) o S because a swizzle is its own inverse; refused unless the layout has that form. */
export function swizzleToInvert(who: string, layout: ComposedLayout): Swizzle {
  if (!isSwizzle(layout.outer) || !isZero(layout.offset))
    throw refuse(
      who,
      "swizzle",
      {},
      `${formatLayout(layout)}: only a swizzle over a layout with offset 0 can be inverted`,
    );
  return layout.outer;
}
