/**
 * A shape as panels: mode 0 runs down, mode 1 across; rank 1 is one row. Further modes select the panel: mode 2 across for rank 3; for rank 4
 * mode 2 down and mode 3 across, so that a flat division looks like the matrix it divides. Higher ranks stack their panels below. The caller
 * provides the cells.
 *
 * An axis is the header of one mode. A nested mode has one level per leaf, the slowest leaf outermost: the mode (2,3) has `0 1 2` over
 * `0 1 0 1 0 1`. Leaves of size 1 have no level.
 *
 * Guarantee: the labels over index i, from the innermost level outward, are the coordinate of i.
 */
import { ShapeError } from "../base/errors.ts";
import {
  type AnyLayout,
  formatTuple,
  type IntTuple,
  idx2crd,
  isComposed,
  isLayout,
  isStaticInt,
  leaves,
  size,
} from "../layout/index.ts";
import { isSymbolic } from "../layout/int.ts";
import type { Axis, Cell, Panel, PanelGroup, Span } from "./picture.ts";

export interface GridOptions {
  /** The title. Default: the layout in its notation. */
  readonly title?: string;
  /** The largest number of cells to draw; more is an error. Default: 4096. */
  readonly maxCells?: number;
}

/** The width in columns at which panels of rank 3 wrap. */
const wrapAt = 40;

/** Throws for symbols, which cannot be drawn. */
export function requireNumbers(who: string, ...of: readonly (IntTuple | AnyLayout)[]): void {
  const parts = (item: unknown): unknown[] => {
    if (isComposed(item)) return [item.offset, ...parts(item.outer), ...parts(item.inner)];
    return isLayout(item) ? [...parts(item.shape), ...parts(item.stride)] : leaves(item);
  };
  const value = (leaf: unknown) =>
    typeof leaf === "object" && leaf !== null && "value" in leaf && !isSymbolic(leaf) ? leaf.value : leaf;
  const symbolic = of.flatMap(parts).map(value).find(isSymbolic);
  if (symbolic)
    throw new ShapeError(`${who}: ${symbolic} is symbolic, and a picture needs numbers; give the symbol a value first`);
}

/** Returns the number of `things`; throws if it exceeds `maxCells`, before anything is enumerated. */
export function requireFew(
  who: string,
  shape: IntTuple,
  { maxCells = 4096 }: GridOptions,
  of: string = formatTuple(shape),
  things = "cells",
): number {
  const sizes = leaves(shape).map((leaf) => (isStaticInt(leaf) ? leaf.value : leaf));
  const count = countOf(who, sizes);
  if (!(count <= maxCells))
    throw new ShapeError(
      `${who}: ${of} has ${count} ${things}, more than maxCells = ${maxCells}. Draw a part of it, or pass { maxCells: ${count} }`,
    );
  return count;
}

/** The top-level modes; rank 1 has one, rank 0 one of size 1. */
export function modesOf(shape: IntTuple): readonly IntTuple[] {
  if (!Array.isArray(shape)) return [shape];
  return shape.length === 0 ? [1] : shape;
}

/** The axis of one mode. */
export const modeAxis = (mode: IntTuple): Axis => axisOf(leaves(mode).map((leaf) => size(leaf)));

/** A position in a shape: one index per mode, and the colexicographic index. */
type Position = readonly [coord: readonly number[], index: number];

/** The panels of a shape; `cell` returns the cell at each coordinate. Axes may be replaced, mode by mode. */
export function gridOf(
  who: string,
  shape: IntTuple,
  options: GridOptions,
  cell: (...position: Position) => Cell,
  axes: readonly (Axis | undefined)[] = [],
): PanelGroup {
  requireNumbers(who, shape);
  const count = requireFew(who, shape, options);
  const { title = formatTuple(shape) } = options;
  if (count === 0) {
    const none = bareAxis(0);
    return {
      title,
      panels: [{ title: "", rows: none, columns: none, cells: [], note: "no cells: a size is 0" }],
      across: 1,
    };
  }
  const modes = modesOf(shape);
  const sizes = modes.map((mode) => size(mode));
  const axisAt = (i: number): Axis => axes[i] ?? modeAxis(modes[i]);
  const flat = modes.length === 1;
  const rows = flat ? bareAxis(1) : axisAt(0);
  const columns = axisAt(flat ? 0 : 1);
  const [height, width] = [rows.length, columns.length];
  const inside = height * width;

  const panelAt = (outer: number): Panel => {
    const coord: number[] = [];
    for (let k = 2, rest = outer; k < sizes.length; rest = Math.floor(rest / sizes[k]), k++)
      coord.push(rest % sizes[k]);
    const cellAt = (i: number, j: number): Cell => cell(flat ? [j] : [i, j, ...coord], i + height * j + inside * outer);
    const cells = Array.from({ length: height }, (_r, i) => Array.from({ length: width }, (_c, j) => cellAt(i, j)));
    return { title: coord.length > 0 ? `(_,_,${coord.join(",")})` : "", rows, columns, cells };
  };

  const down = sizes[2] ?? 1;
  const across = sizes[3] ?? down;
  const panels = Array.from({ length: count / inside }, (_unused, n) => {
    if (sizes.length < 4) return panelAt(n);
    const block = Math.floor(n / (down * across));
    const within = n % (down * across);
    return panelAt(Math.floor(within / across) + down * (within % across) + down * across * block);
  });
  const fits = Math.max(1, Math.floor(wrapAt / (width + 2)));
  return { title, panels, across: sizes.length === 3 ? Math.min(across, fits) : across };
}

/** The coordinate of an index as text, in the nesting of the shape. */
export const coordText = (shape: IntTuple, index: number): string =>
  formatTuple(idx2crd(index, shape)).replaceAll("_", "");

/** The largest length of an axis, regardless of `maxCells`. */
const maxAxisLength = 2 ** 24;

/** The product of these sizes, rounded past 2^53. Throws unless each is a size. */
export function countOf(who: string, sizes: readonly unknown[]): number {
  return sizes.reduce((count: number, size) => {
    if (!(Number.isInteger(size) && (size as number) >= 0))
      throw new ShapeError(`${who}: ${size} is not a size; sizes are non-negative integers`);
    return count * (size as number);
  }, 1);
}

/** The runs of equal values. */
export function runs(values: readonly (number | string)[]): Span[] {
  const spans: { from: number; length: number; label: string }[] = [];
  values.forEach((value, i) => {
    const last = spans.at(-1);
    if (last && last.label === String(value)) last.length++;
    else spans.push({ from: i, length: 1, label: String(value) });
  });
  return spans;
}

/** An axis without a header: the one row of a layout of rank 1. */
export function bareAxis(...leaves: readonly number[]): Axis & { readonly breaks: number[] } {
  const length = countOf("axis", leaves);
  if (!(length <= maxAxisLength))
    throw new ShapeError(`axis: the length ${length} exceeds the limit of ${maxAxisLength}`);
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
