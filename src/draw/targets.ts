/**
 * The targets of a layout's coordinates: offsets, or coordinates if the strides are basis elements.
 * A tensor in a picture is a layout, its offset in the storage and a name; its memory is neither read nor owned. Guarantee: the element with
 * index i is at offset + layout(i) of the storage, counted in elements.
 */
import { ShapeError } from "../base/errors.ts";
import {
  type AnyLayout,
  coordAt,
  coshape,
  crd2idx,
  formatLayout,
  formatTuple,
  type Int,
  isBasis,
  isComposed,
  type Layout,
  leaves,
  offsetAt,
  valueOf,
} from "../layout/index.ts";
import { checkLayout } from "../layout/layout.ts";

/** The label of a target, and its number: the offset, or the colexicographic index of the coordinate in the coshape. */
export interface Target {
  readonly label: string;
  readonly offset: number;
}

/** True if and only if the layout maps to coordinates. */
export const isCoordinateLayout = (layout: AnyLayout): layout is Layout =>
  !isComposed(layout) && leaves(layout.stride).some(isBasis);

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
    const label = formatTuple(coord).replaceAll("_", "");
    return { label, offset: valueOf(crd2idx(coord, within) as Int) };
  };
}

/** The properties of a tensor that pictures use: a layout and its offset. Every tensor has them. */
export interface DrawnTensor {
  readonly layout: AnyLayout;
  /** The position of offset 0 of the layout in the storage, in elements. Default: 0. */
  readonly offset?: number | undefined;
  readonly name?: string | undefined;
  /** The names of these properties in a tensor. */
  readonly storageOffset?: number | undefined;
  readonly label?: string | null | undefined;
}

/** Converts a tensor, its description, or a layout at offset 0, to plain data. Errors name `who`. */
export function drawnTensor(who: string, source: DrawnTensor | AnyLayout): DrawnTensor {
  if (!Object(source).layout) checkLayout(who, source);
  if (!("layout" in source)) return { layout: source, offset: 0 };
  const { layout, storageOffset, label } = source;
  // A layout of coordinates has no storage.
  const start = isCoordinateLayout(layout) ? undefined : storageOffset;
  return { layout, offset: source.offset ?? start, name: source.name ?? label ?? undefined };
}

/** The name, if any, the layout, and the offset unless it is 0: A = (4,8):(8,1) at offset 16. */
export function tensorText({ layout, offset = 0, name }: DrawnTensor): string {
  const start = offset === 0 ? "" : ` at offset ${offset}`;
  return `${name === undefined ? "" : `${name} = `}${formatLayout(layout)}${start}`;
}

/** The position of each index in the storage; for a layout of coordinates, the coordinate it maps to. */
export function positionsOf(who: string, { layout, offset = 0 }: DrawnTensor): (index: number) => Target {
  if (!Number.isSafeInteger(offset))
    throw new ShapeError(`${who}: the offset of a tensor must be an integer number of elements, got ${offset}`);
  const targetOf = targetsOf(layout);
  if (offset === 0) return targetOf;
  if (isCoordinateLayout(layout))
    throw new ShapeError(
      `${who}: ${formatLayout(layout)} maps to coordinates, which have no offset in a storage, got ${offset}; omit it`,
    );
  return (index) => {
    const at = targetOf(index).offset + offset;
    return { label: String(at), offset: at };
  };
}
