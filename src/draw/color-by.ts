/**
 * What the colours of a layout's picture stand for: the number behind each cell, and the words of the legend.
 */
import { LayoutError } from "../base/errors.ts";
import { type AnyLayout, cosize, type IntTuple, shapeOf, size } from "../layout/index.ts";
import { modeAxis, modesOf } from "./grid.ts";
import { cycled } from "./legend.ts";
import { colorClass } from "./palette.ts";

/** A number for a cell, which repeats its colour modulo eight. `coord` has one index per mode. */
export type ColorFunction = (coord: readonly number[], offset: number) => number;

/**
 * "offset"; "row" and "column": the place in a panel; "mode": the block, that is, the coordinates of the outer leaves of
 * nested modes and of the modes that choose the panel; "none"; or a function.
 */
export type ColorBy = "offset" | "row" | "column" | "mode" | "none" | ColorFunction;

export interface Coloring {
  /** What the colour is, for the legend; empty: there are no colours. */
  readonly meaning: string;
  readonly colorOf: (coord: readonly number[], offset: number) => number | undefined;
}

/** Over the indices of one mode, the block each is in. */
function blocksOf(mode: IntTuple, choosesPanel: boolean): readonly number[] {
  let block = 0;
  return modeAxis(mode).breaks.map((weight, i) => (choosesPanel ? i : weight > 0 ? ++block : block));
}

/** All blocks of a shape, numbered colexicographically; none if it has no cells, however large its other modes. */
function blockNumber(shape: IntTuple): { readonly count: number; readonly of: ColorFunction } {
  const modes = size(shape) === 0 ? [] : modesOf(shape).map((mode, i) => blocksOf(mode, i >= 2));
  const counts = modes.map((blocks) => (blocks.at(-1) ?? 0) + 1);
  const of: ColorFunction = (coord) =>
    coord.reduceRight((sum, c, i) => sum * (counts[i] as number) + (modes[i]?.[c] ?? 0), 0);
  return { count: counts.reduce((a, b) => a * b, 1), of };
}

/** The colouring that an option names; `offsetName` is what the layout maps to. */
export function coloringOf(layout: AnyLayout, colorBy: ColorBy, offsetName: string): Coloring {
  const shape = shapeOf(layout);
  const modes = modesOf(shape);
  const make = (name: string, count: number, number: ColorFunction): Coloring => ({
    meaning: cycled(name, count),
    colorOf: (coord, offset) => colorClass(number(coord, offset)),
  });
  if (typeof colorBy === "function") return make("colorBy", Infinity, colorBy);
  const column = modes.length > 1 ? 1 : 0;
  switch (colorBy) {
    case "offset":
      return make(offsetName, cosize(layout), (_coord, offset) => offset);
    case "row":
      return make("row", column === 0 ? 1 : size(modes[0] as IntTuple), (coord) =>
        column === 0 ? 0 : (coord[0] as number),
      );
    case "column":
      return make("column", size(modes[column] as IntTuple), (coord) => coord[column] as number);
    case "mode": {
      const blocks = blockNumber(shape);
      return make("block", blocks.count, blocks.of);
    }
    case "none":
      return { meaning: "", colorOf: () => undefined };
    default:
      throw new LayoutError(
        `colorBy is "offset", "row", "column", "mode", "none" or a function, got ${String(colorBy satisfies never)}`,
      );
  }
}
