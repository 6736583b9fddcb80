/**
 * Axes: the header of one mode. A nested mode has one level per leaf, the slowest leaf outermost, so that the mode
 * (2,3) reads `0 1 2` over `0 1 0 1 0 1`. Leaves of size 1 carry no information and get no level.
 *
 * Promise: reading the labels over place i from the innermost level outwards gives the coordinate of index i.
 */
import { ShapeError } from "../base/errors.ts";
import type { Axis, Span } from "./picture.ts";

/** The most places of an axis, whatever `maxCells` allows. */
const mostPlaces = 2 ** 24;

/** How many places these sizes have together, rounded past 2^53. Refuses what is no size. */
export function countOf(who: string, sizes: readonly unknown[]): number {
  return sizes.reduce((count: number, size) => {
    if (!(Number.isInteger(size) && (size as number) >= 0))
      throw new ShapeError(`${who}: ${size} is not a size; sizes are integers from 0 up`);
    return count * (size as number);
  }, 1);
}

/** The runs of equal values. */
export function runs(values: readonly (number | string)[]): Span[] {
  const found: { from: number; length: number; label: string }[] = [];
  values.forEach((value, i) => {
    const last = found.at(-1);
    if (last && last.label === String(value)) last.length++;
    else found.push({ from: i, length: 1, label: String(value) });
  });
  return found;
}

/** An axis without a header: the one row of a layout of rank 1. */
export function bareAxis(...leaves: readonly number[]): Axis & { readonly breaks: number[] } {
  const length = countOf("axis", leaves);
  if (!(length <= mostPlaces))
    throw new ShapeError(`axis: ${length} places are more than ${mostPlaces}, the most that an axis can hold`);
  return { length, levels: [], breaks: new Array<number>(length).fill(0) };
}

/** The axis of a mode with these leaves, fastest first. */
export function axisOf(leaves: readonly number[]): Axis {
  const { length, breaks } = bareAxis(...leaves);
  const sizes = leaves.filter((size) => size !== 1);
  if (sizes.length === 0) sizes.push(1);
  let step = 1;
  const levels: Span[][] = [];
  for (const size of sizes) {
    const width = step;
    levels.unshift(
      Array.from({ length: length / width || 0 }, (_unused, i) => ({
        from: i * width,
        length: width,
        label: String(i % size),
      })),
    );
    if (width > 1) for (let i = width; i < length; i += width) breaks[i] = (breaks[i] ?? 0) + 1;
    step *= size;
  }
  return { length, levels, breaks };
}
