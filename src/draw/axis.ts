/**
 * Axes: the header of one mode. A nested mode has one level per leaf, the slowest leaf outermost, so that the mode
 * (2,3) reads `0 1 2` over `0 1 0 1 0 1`. Leaves of size 1 carry no information and get no level.
 *
 * Promise: reading the labels over place i from the innermost level outwards gives the coordinate of index i.
 */
import type { Axis, Span } from "./picture.ts";

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

/** The axis of a mode with these leaves, fastest first. */
export function axisOf(leaves: readonly number[]): Axis {
  const length = leaves.reduce((a, b) => a * b, 1);
  const sizes = leaves.filter((size) => size !== 1);
  if (sizes.length === 0) sizes.push(1);
  let step = 1;
  const levels: Span[][] = [];
  const breaks = new Array<number>(length).fill(0);
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

/** An axis without a header: the one row of a layout of rank 1. */
export const bareAxis = (length: number): Axis => ({ length, levels: [], breaks: new Array<number>(length).fill(0) });
