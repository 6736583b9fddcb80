/**
 * What the coordinates of a layout map to: an offset, or, with basis strides, a coordinate.
 */
import {
  type AnyLayout,
  coordAt,
  coshape,
  crd2idx,
  formatTuple,
  type Int,
  isBasis,
  isComposed,
  type Layout,
  leaves,
  type Nested,
  offsetAt,
  valueOf,
} from "../layout/index.ts";

/** The label, and a number for it: the offset, or the colexicographic index of the coordinate in the coshape. */
export interface Target {
  readonly label: string;
  readonly offset: number;
}

/** True if and only if the layout maps to coordinates. */
export const isCoordinateLayout = (layout: AnyLayout): layout is Layout =>
  !isComposed(layout) && leaves(layout.stride as Nested<unknown>).some(isBasis);

/** The layout as a function of the colexicographic index. */
export function targetsOf(layout: AnyLayout): (index: number) => Target {
  if (!isCoordinateLayout(layout))
    return (index) => {
      const offset = offsetAt(layout, index);
      return { label: String(offset), offset };
    };
  const within = coshape(layout);
  return (index) => {
    const coord = coordAt(layout, index);
    const label = formatTuple(coord as Nested<unknown>).replaceAll("_", "");
    return { label, offset: valueOf(crd2idx(coord, within) as Int) };
  };
}
