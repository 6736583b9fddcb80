/** The coalesced modes of a layout with the place each has in the 1-D index: what inverses send offsets back to. */
import { isBasis } from "./basis.ts";
import { flatModes, type Mode, mergeModes, openModes } from "./coalesce.ts";
import { composeWithSwizzle } from "./composition.ts";
import { formatLayout } from "./format.ts";
import { type Int, int, isZero, knownValue, mul } from "./int.ts";
import type { AnyLayout, ComposedLayout, Layout } from "./layout.ts";
import { isSwizzle } from "./swizzle.ts";
import { refuse, type Trace } from "./trace.ts";

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

/** (S o L) inverted is (L inverted) o S, because a swizzle is its own inverse. */
export function inverseOfComposed(
  who: string,
  layout: ComposedLayout,
  invert: (inner: Layout, trace?: Trace) => Layout,
  trace?: Trace,
): AnyLayout {
  if (!isSwizzle(layout.outer) || !isZero(layout.offset))
    throw refuse(
      who,
      "swizzle",
      { layout: formatLayout(layout) },
      `${formatLayout(layout)}: only a swizzle with offset 0 over a layout can be inverted`,
    );
  return composeWithSwizzle(invert(layout.inner, trace), layout.outer);
}
