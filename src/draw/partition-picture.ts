/**
 * Pictures of a tensor that threads share out: at each element the thread that holds it and as its how-manieth value.
 * The thread-value layout maps (thread, value) to the colexicographic index of an element; the tensor says where that
 * element lies, so the legend can give what each thread has as a layout of offsets.
 */
import { LayoutError } from "../base/errors.ts";
import {
  _,
  type AnyLayout,
  composition,
  formatLayout,
  type Int,
  type Layout,
  offsetAt,
  shapeOf,
  size,
  sliceAndOffset,
  valueOf,
} from "../layout/index.ts";
import { coordText, requireNumbers } from "./grid.ts";
import type { Picture } from "./picture.ts";
import { type DrawnTensor, drawnTensor, isCoordinateLayout, placesOf, tensorText } from "./targets.ts";
import { holdersPicture, type ThreadValueOptions } from "./thread-value-picture.ts";

/** The layout from (thread, value) to offset, if there is one. */
function offsetsByThread(layout: AnyLayout, threadValue: Layout): AnyLayout | undefined {
  try {
    return composition(layout, threadValue);
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

/** What one thread has: a layout and where it starts, or, where no layout says it, the offsets one by one. */
function shareOf(tensor: DrawnTensor, threadValue: Layout, thread: number, place: (index: number) => string): string {
  if (size(threadValue, 1) === 0) return "no values";
  const all = offsetsByThread(tensor.layout, threadValue);
  if (!all) {
    const values = Array.from({ length: size(threadValue, 1) }, (_unused, v) => offsetAt(threadValue, [thread, v]));
    return `offsets ${values.map(place).join(", ")}`;
  }
  const [share, start] = sliceAndOffset([thread, _], all);
  const from = isCoordinateLayout(tensor.layout)
    ? place(offsetAt(threadValue, [thread, 0]))
    : `offset ${valueOf(start as Int) + (tensor.offset ?? 0)}`;
  return `${formatLayout(share)} at ${from}`;
}

/**
 * The picture of a tensor partitioned by a thread-value layout: each element with its thread and value.
 * `highlight` fades all threads but one, and the legend then gives that thread's own layout.
 */
export function partitionPicture(
  of: DrawnTensor | AnyLayout,
  threadValue: Layout,
  options: ThreadValueOptions = {},
): Picture {
  const who = "partitionPicture";
  const tensor = drawnTensor(of);
  const { layout } = tensor;
  requireNumbers(who, layout, threadValue);
  const { highlight, title = `${tensorText(tensor)} by ${formatLayout(threadValue)}` } = options;
  const target = placesOf(who, tensor);
  const place = (index: number): string => target(index).label;
  const shape = shapeOf(layout);
  const picture = holdersPicture(
    who,
    threadValue,
    shape,
    { ...options, title },
    (index) => `${coordText(shape, index)} -> ${place(index)}`,
  );
  const all = highlight === undefined ? offsetsByThread(layout, threadValue) : undefined;
  const text =
    highlight !== undefined
      ? `T${highlight} has ${shareOf(tensor, threadValue, highlight, place)}`
      : all && `(thread, value) to offset: ${formatLayout(all)}${tensor.offset ? ` at offset ${tensor.offset}` : ""}`;
  return { ...picture, legend: [...(text ? [{ text, swatches: [] }] : []), ...picture.legend] };
}
