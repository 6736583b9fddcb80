/**
 * Pictures of thread-value layouts: which thread holds which element of a tile, and as its how-manieth value.
 * The layout maps (thread, value) to the colexicographic index of an element of `shape`.
 */
import { LayoutError } from "../base/errors.ts";
import {
  type AnyLayout,
  formatLayout,
  formatTuple,
  type IntTuple,
  offsetAt,
  rank,
  shapeOf,
  size,
} from "../layout/index.ts";
import { coordText, type GridOptions, gridOf, requireFew, requireNumbers } from "./grid.ts";
import { colorClass, colorLegend, cycled } from "./palette.ts";
import type { Cell, Picture } from "./picture.ts";

export interface ThreadValueOptions extends GridOptions {
  /** "thread" unless given. */
  readonly colorBy?: "thread" | "value" | "none";
  /** Only this thread keeps its colour. */
  readonly highlight?: number;
}

interface Holder {
  readonly thread: number;
  readonly value: number;
}

/** For each element the threads that hold it, in the order of threads. */
function holdersOf(who: string, tv: AnyLayout, shape: IntTuple, count: number): readonly (readonly Holder[])[] {
  const held = Array.from({ length: count }, (): Holder[] => []);
  for (let thread = 0; thread < size(tv, 0); thread++)
    for (let value = 0; value < size(tv, 1); value++) {
      const index = offsetAt(tv, [thread, value]);
      const holders = held[index];
      if (!holders)
        throw new LayoutError(
          `${who}: ${formatLayout(tv)} maps thread ${thread}, value ${value} to ${index}, but ${formatTuple(shape)} has the elements 0 to ${count - 1}`,
        );
      holders.push({ thread, value });
    }
  return held;
}

/** T4, or T4+2 for an element that two more threads hold. */
const nameOf = (holders: readonly Holder[], shown: Holder): string =>
  `T${shown.thread}${holders.length > 1 ? `+${holders.length - 1}` : ""}`;

/**
 * The picture of a thread-value layout: at each element of `shape` the thread and the number of its value.
 * `maxCells` bounds the elements, and also the values of all threads together.
 */
export const threadValuePicture = (tv: AnyLayout, shape: IntTuple, options: ThreadValueOptions = {}): Picture =>
  holdersPicture("threadValuePicture", tv, shape, options, (index) => coordText(shape, index));

/** The same for any caller; `placeOf` says in a hint which element an index is. */
export function holdersPicture(
  who: string,
  tv: AnyLayout,
  shape: IntTuple,
  options: ThreadValueOptions,
  placeOf: (index: number) => string,
): Picture {
  requireNumbers(who, tv, shape);
  if (rank(tv) !== 2)
    throw new LayoutError(
      `${who}: a layout of rank 2, (thread, value), is needed, got ${formatLayout(tv)} of rank ${rank(tv)}`,
    );
  const { colorBy = "thread", highlight, title = `${formatLayout(tv)} over ${formatTuple(shape)}` } = options;
  const count = requireFew(who, shape, options);
  requireFew(who, shapeOf(tv), options, formatLayout(tv), "values");
  const threads = size(tv, 0);
  if (highlight !== undefined && !(highlight >= 0 && highlight < threads))
    throw new LayoutError(
      `${who}: there is no thread ${highlight} to highlight; there are threads 0 to ${threads - 1}`,
    );
  const held = holdersOf(who, tv, shape, count);

  const group = gridOf(who, shape, { ...options, title }, (_coord, index): Cell => {
    const holders = held[index] ?? [];
    const shown = holders.find((holder) => holder.thread === highlight) ?? holders[0];
    const at = placeOf(index);
    if (!shown) return { label: "-", hint: `${at}: no thread` };
    const faded = highlight !== undefined && shown.thread !== highlight;
    const color = colorBy === "none" || faded ? {} : { color: colorClass(shown[colorBy]) };
    const hint = `${at}: ${holders.map((holder) => `T${holder.thread} V${holder.value}`).join(", ")}`;
    return { label: nameOf(holders, shown), second: `V${shown.value}`, hint, ...(faded ? { faded } : {}), ...color };
  });

  const many = held.some((holders) => holders.length > 1) ? "; T4+2: two more threads hold it" : "";
  const none = held.some((holders) => holders.length === 0) ? "; -: no thread holds it" : "";
  const words = `T: thread, V: its value${many}${none}`;
  const letter = colorBy === "value" ? "V" : "T";
  const colors = colorBy === "none" ? "" : `; colour: ${cycled(colorBy, size(tv, colorBy === "value" ? 1 : 0))}`;
  const legend =
    highlight === undefined
      ? colorLegend(words + colors, group.panels, (color) => letter + color)
      : colorLegend(`${words}; coloured: thread ${highlight}`, [], String);
  return { groups: [group], legend: [legend] };
}
