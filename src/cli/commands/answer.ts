/**
 * The common results of commands, a layout or a layout at an offset, and their pictures. Pictures throw if they cannot be drawn.
 */
import { LayoutError, ShapeError } from "../../base/errors.ts";
import {
  type GridOptions,
  layoutPicture,
  type Picture,
  slicePicture,
  swizzlePicture,
  threadValuePicture,
  tilingPicture,
  valuesPicture,
} from "../../draw/index.ts";
import {
  type AnyLayout,
  formatLayout,
  formatTuple,
  type Int,
  type IntTuple,
  isComposed,
  isSwizzle,
  type SliceCoord,
  sizeInt,
  type Tiler,
  valueOf,
} from "../../layout/index.ts";
import type { Outcome } from "../command.ts";

/** An outcome that can be drawn. */
type DrawnOutcome = Outcome & Required<Pick<Outcome, "picture">>;

export const layoutOutcome = (result: AnyLayout, picture = drawLayout(result)): Outcome => ({
  lines: [formatLayout(result)],
  data: { result },
  picture,
});

export const partOutcome = ([part, offset]: readonly [part: AnyLayout, offset: IntTuple]): DrawnOutcome => ({
  lines: [formatLayout(part), `offset ${formatTuple(offset)}`],
  data: { result: part, offset },
  picture: Array.isArray(offset) ? drawLayout(part) : drawFrom(part, offset as Int),
});

/** The picture of a part of A, with the offsets of its elements in A. */
const drawFrom =
  (part: AnyLayout, start: Int): DrawnOutcome["picture"] =>
  (options) =>
    valuesPicture(part, (offset) => valueOf(start) + offset, {
      ...options,
      colorBy: "offset",
      legend: `number: offset in A, from ${valueOf(start)}`,
    });

/** Names and values in two columns. */
export function columns(rows: readonly (readonly [name: string, value: unknown])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

/** The largest number of coordinates that are enumerated. */
export const maxListed: number = 2 ** 20;

/** The picture of any layout; that of a swizzled layout shows the offsets before and after. */
export const drawLayout =
  (layout: AnyLayout) =>
  (options: GridOptions): Picture =>
    isComposed(layout) && isSwizzle(layout.outer) ? swizzlePicture(layout, options) : layoutPicture(layout, options);

/** The picture of a thread-value layout over the shape of its elements. */
export const drawThreadValues =
  (layout: AnyLayout, shape: IntTuple) =>
  (options: GridOptions): Picture => {
    const count = sizeInt(layout);
    if (Number(count) > maxListed)
      throw new LayoutError(`${formatLayout(layout)} has ${count} values, more than ${maxListed}`);
    return threadValuePicture(layout, shape, options);
  };

/** Draws the first picture, or the second one if the first cannot be drawn. */
const firstOf =
  (draw: (options: GridOptions) => Picture, otherwise: (options: GridOptions) => Picture) =>
  (options: GridOptions): Picture => {
    try {
      return draw(options);
    } catch (error) {
      if (error instanceof LayoutError || error instanceof ShapeError) return otherwise(options);
      throw error;
    }
  };

/** The picture of a division: the layout with its tiles marked, or else the result. */
export const drawTiling = (layout: AnyLayout, tiler: Tiler, result: AnyLayout) =>
  // A tile may reach far past the layout, and its coordinates are enumerated.
  Number(sizeInt(result)) <= maxListed
    ? firstOf((options) => tilingPicture(layout, tiler, options), drawLayout(result))
    : drawLayout(result);

/** The picture of a slice: the layout with the slice colored, or else the slice alone. */
export const drawSlice = (layout: AnyLayout, coord: SliceCoord, alone: (options: GridOptions) => Picture) =>
  firstOf((options) => slicePicture({ layout, name: "A" }, coord, options), alone);
