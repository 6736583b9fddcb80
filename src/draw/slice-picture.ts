/**
 * Pictures of a slice: the grid of the whole tensor, with the cells of the slice colored and its first element marked.
 * `sliceAndOffset` defines the slice `A(2,_)`; an index is in the slice if and only if it agrees with every integer of the coordinate, at any
 * depth.
 */
import { ShapeError } from "../base/errors.ts";
import {
  type AnyLayout,
  formatLayout,
  formatTuple,
  type Int,
  type IntTuple,
  isUnderscore,
  type SliceCoord,
  shapeOf,
  size,
  sliceAndOffset,
  valueOf,
} from "../layout/index.ts";
import { coordText, type GridOptions, gridOf, requireFew, requireNumbers } from "./grid.ts";
import type { Cell, Picture } from "./picture.ts";
import { type DrawnTensor, drawnTensor, isCoordinateLayout, positionsOf, tensorText } from "./targets.ts";

const isList = (coord: SliceCoord): coord is readonly SliceCoord[] => Array.isArray(coord);

/** True if and only if the index is in the slice. */
function isInside(coord: SliceCoord, shape: IntTuple, index: number): boolean {
  if (isUnderscore(coord)) return true;
  if (!isList(coord)) return index === valueOf(coord);
  let rest = index;
  return coord.every((each, i) => {
    const mode = (shape as readonly IntTuple[])[i];
    const at = rest % size(mode);
    rest = Math.floor(rest / size(mode));
    return isInside(each, mode, at);
  });
}

/** The first integer of the coordinate that is outside of its mode, and that mode. */
function misfitOf(coord: SliceCoord, shape: IntTuple): readonly [at: number, mode: IntTuple] | undefined {
  if (isUnderscore(coord)) return undefined;
  if (isList(coord)) {
    for (const [i, each] of coord.entries()) {
      const misfit = misfitOf(each, (shape as readonly IntTuple[])[i]);
      if (misfit) return misfit;
    }
    return undefined;
  }
  const at = valueOf(coord);
  return at >= 0 && at < size(shape) ? undefined : [at, shape];
}

/** The picture of a slice: the offsets of the whole tensor, with those of the slice colored and its first element marked. */
export function slicePicture(source: DrawnTensor | AnyLayout, coord: SliceCoord, options: GridOptions = {}): Picture {
  const who = "slicePicture";
  const tensor = drawnTensor(who, source);
  const { layout, offset = 0, name = "the slice " } = tensor;
  requireNumbers(who, layout, coord as IntTuple);
  const shape = shapeOf(layout);
  const count = requireFew(who, shape, options);
  const positionOf = positionsOf(who, tensor);
  const [part, start] = sliceAndOffset<SliceCoord, typeof layout>(coord, layout);
  const requested = formatTuple(coord);
  const misfit = count === 0 ? undefined : misfitOf(coord, shape);
  if (misfit)
    throw new ShapeError(
      `${who}: ${requested} has ${misfit[0]} where the shape has ${formatTuple(misfit[1])}; coordinates there are 0 to ${size(misfit[1]) - 1}`,
    );

  const { title = tensorText(tensor) } = options;
  let first = 0;
  while (first < count && !isInside(coord, shape, first)) first++;
  const group = gridOf(who, shape, { ...options, title }, (_coord, index): Cell => {
    const { label } = positionOf(index);
    const hint = `${coordText(shape, index)} -> ${label}`;
    if (!isInside(coord, shape, index)) return { label, faded: true, hint };
    return { label, color: 0, hint, ...(index === first ? { marked: true } : {}) };
  });
  const isCoordinate = isCoordinateLayout(layout);
  const what = isCoordinate ? "cell: coordinate" : "number: offset";
  const corner = count === 0 ? formatTuple(start) : positionOf(first).label;
  const base = isCoordinate ? corner : `offset ${offset + valueOf(start as Int)}`;
  const result = `${name}${isList(coord) ? requested : `(${requested})`} = ${formatLayout(part)} at ${base}`;
  return {
    groups: [group],
    legend: [
      { text: result, swatches: [] },
      { text: `${what}; colored: the slice; framed or in brackets: its first element`, swatches: [] },
    ],
  };
}
