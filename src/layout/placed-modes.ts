/** The coalesced modes of a layout with the place each has in the 1-D index: what inverses send offsets back to. */
import { isBasis } from "./basis.ts";
import { flatModes, type Mode, mergeModes, openModes } from "./coalesce.ts";
import { composeWithSwizzle } from "./composition.ts";
import { formatLayout } from "./format.ts";
import { type Int, int, isZero, knownValue, mul, valueOf } from "./int.ts";
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

/** Ascending by stride, among integer strides only. Equal strides keep the order in which CuTe's exchange sort leaves them. */
export function sortByStride(modes: readonly PlacedMode[]): PlacedMode[] {
  const sorted = modes.filter((mode) => !isBasis(mode.stride) && knownValue(mode.stride) !== undefined);
  const key = (i: number): number => valueOf((sorted[i] as PlacedMode).stride as Int);
  for (let i = 0; i < sorted.length; i++)
    for (let j = i + 1; j < sorted.length; j++)
      if (key(j) < key(i)) [sorted[i], sorted[j]] = [sorted[j] as PlacedMode, sorted[i] as PlacedMode];
  return sorted;
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
