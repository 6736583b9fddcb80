/**
 * Pictures of thread-value layouts: the thread that holds each element of a shape or a tensor, and the index of the element among its values.
 * The layout maps (thread, value) to the colexicographic index of an element. For a tensor, the legend shows the layout of offsets of a thread.
 */
import { LayoutError } from "../base/errors.ts";
import {
  _,
  type AnyLayout,
  composition,
  formatLayout,
  formatTuple,
  type Int,
  type IntTuple,
  type Layout,
  offsetAt,
  rank,
  shapeOf,
  size,
  sliceAndOffset,
  valueOf,
} from "../layout/index.ts";
import { coordText, type GridOptions, gridOf, requireFew, requireNumbers } from "./grid.ts";
import { colorClass, colorLegend, cycled } from "./palette.ts";
import type { Cell, Picture } from "./picture.ts";
import { type DrawnTensor, drawnTensor, isCoordinateLayout, positionsOf, tensorText } from "./targets.ts";

export interface ThreadValueOptions extends GridOptions {
  /** The number that colors represent. Default: "thread". */
  readonly colorBy?: "thread" | "value" | "none";
  /** Fades all threads but this one. */
  readonly highlight?: number;
}

interface Holder {
  readonly thread: number;
  readonly value: number;
}

/** The threads that hold each element, in order. */
function holdersOf(who: string, tv: AnyLayout, shape: IntTuple, count: number): readonly (readonly Holder[])[] {
  const holdersByIndex = Array.from({ length: count }, (): Holder[] => []);
  for (let thread = 0; thread < size(tv, 0); thread++)
    for (let value = 0; value < size(tv, 1); value++) {
      const index = offsetAt(tv, [thread, value]);
      const holders = holdersByIndex[index];
      if (!holders)
        throw new LayoutError(
          `${who}: ${formatLayout(tv)} maps thread ${thread}, value ${value} to ${index}, but ${formatTuple(shape)} has the elements 0 to ${count - 1}`,
        );
      holders.push({ thread, value });
    }
  return holdersByIndex;
}

/** "T4", or "T4+2" for an element that two more threads hold. */
const nameOf = (holders: readonly Holder[], shown: Holder): string =>
  `T${shown.thread}${holders.length > 1 ? `+${holders.length - 1}` : ""}`;

/**
 * The picture of a thread-value layout: each element of `shape` with its thread and the index of its value.
 * `maxCells` bounds the elements, and also the values of all threads together.
 */
export const threadValuePicture = (tv: AnyLayout, shape: IntTuple, options: ThreadValueOptions = {}): Picture =>
  holdersPicture("threadValuePicture", tv, shape, options, (index) => coordText(shape, index));

/** The picture of the threads of each element; `elementText` describes an element in a hint. */
function holdersPicture(
  who: string,
  tv: AnyLayout,
  shape: IntTuple,
  options: ThreadValueOptions,
  elementText: (index: number) => string,
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
  const holdersByIndex = holdersOf(who, tv, shape, count);

  const group = gridOf(who, shape, { ...options, title }, (_coord, index): Cell => {
    const holders = holdersByIndex[index] ?? [];
    const shown = holders.find((holder) => holder.thread === highlight) ?? holders[0];
    const at = elementText(index);
    if (!shown) return { label: "-", hint: `${at}: no thread` };
    const faded = highlight !== undefined && shown.thread !== highlight;
    const color = colorBy === "none" || faded ? {} : { color: colorClass(shown[colorBy]) };
    const hint = `${at}: ${holders.map((holder) => `T${holder.thread} V${holder.value}`).join(", ")}`;
    return { label: nameOf(holders, shown), second: `V${shown.value}`, hint, ...(faded ? { faded } : {}), ...color };
  });

  const many = holdersByIndex.some((holders) => holders.length > 1) ? "; T4+2: two more threads hold it" : "";
  const none = holdersByIndex.some((holders) => holders.length === 0) ? "; -: no thread holds it" : "";
  const words = `T: thread, V: its value${many}${none}`;
  const letter = colorBy === "value" ? "V" : "T";
  const colors = colorBy === "none" ? "" : `; color: ${cycled(colorBy, size(tv, colorBy === "value" ? 1 : 0))}`;
  const legend =
    highlight === undefined
      ? colorLegend(words + colors, group.panels, (color) => letter + color)
      : colorLegend(`${words}; colored: thread ${highlight}`, [], String);
  return { groups: [group], legend: [legend] };
}

/** The layout from (thread, value) to offset, if it exists. */
function offsetsByThread(layout: AnyLayout, threadValue: Layout): AnyLayout | undefined {
  try {
    return composition(layout, threadValue);
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

/** The elements of one thread: a layout and its offset, or a list of offsets if there is no such layout. */
function shareOf(tensor: DrawnTensor, threadValue: Layout, thread: number, labelOf: (index: number) => string): string {
  if (size(threadValue, 1) === 0) return "no values";
  const all = offsetsByThread(tensor.layout, threadValue);
  if (!all) {
    const values = Array.from({ length: size(threadValue, 1) }, (_unused, v) => offsetAt(threadValue, [thread, v]));
    return `offsets ${values.map(labelOf).join(", ")}`;
  }
  const [share, start] = sliceAndOffset([thread, _], all);
  const from = isCoordinateLayout(tensor.layout)
    ? labelOf(offsetAt(threadValue, [thread, 0]))
    : `offset ${valueOf(start as Int) + (tensor.offset ?? 0)}`;
  return `${formatLayout(share)} at ${from}`;
}

/**
 * The picture of a tensor partitioned by a thread-value layout: each element with its thread and value.
 * `highlight` fades all threads but one, and the legend shows the layout of that thread.
 */
export function partitionPicture(
  source: DrawnTensor | AnyLayout,
  threadValue: Layout,
  options: ThreadValueOptions = {},
): Picture {
  const who = "partitionPicture";
  const tensor = drawnTensor(who, source);
  const { layout } = tensor;
  requireNumbers(who, layout, threadValue);
  const { highlight, title = `${tensorText(tensor)} by ${formatLayout(threadValue)}` } = options;
  const target = positionsOf(who, tensor);
  const labelOf = (index: number): string => target(index).label;
  const shape = shapeOf(layout);
  const picture = holdersPicture(
    who,
    threadValue,
    shape,
    { ...options, title },
    (index) => `${coordText(shape, index)} -> ${labelOf(index)}`,
  );
  const all = highlight === undefined ? offsetsByThread(layout, threadValue) : undefined;
  const text =
    highlight !== undefined
      ? `T${highlight} has ${shareOf(tensor, threadValue, highlight, labelOf)}`
      : all && `(thread, value) to offset: ${formatLayout(all)}${tensor.offset ? ` at offset ${tensor.offset}` : ""}`;
  return { ...picture, legend: [...(text ? [{ text, swatches: [] }] : []), ...picture.legend] };
}
