/**
 * The command that looks at memory: which cells of a storage a layout uses, and which of them a slice of it keeps.
 */
import { LayoutError } from "../../base/errors.ts";
import { type DrawnTensor, memoryPicture } from "../../draw/index.ts";
import {
  type AnyLayout,
  formatLayout,
  formatTuple,
  type Int,
  offsets,
  type SliceCoord,
  sizeInt,
  sliceAndOffset,
  valueOf,
} from "../../layout/index.ts";
import { type Given, valueOfOption } from "../arguments.ts";
import { type Command, command } from "../command.ts";
import { coord, layout, optional } from "../operands.ts";
import { UsageError } from "../usage-error.ts";
import { columns, mostListed } from "./answer.ts";

/** The value of an option that counts elements. */
function elements(given: Given, name: string): number | undefined {
  const text = valueOfOption(given, name);
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new UsageError(`--${name} is an integer from 0 up, not "${text}".`);
  return Number(text);
}

/** All cells that a layout uses, in the order of its indices; refused where there are too many, or no numbers. */
function cellsOf(of: AnyLayout, start: number): number[] {
  const count = sizeInt(of);
  if (!(Number(count) <= mostListed))
    throw new LayoutError(`memory: ${formatLayout(of)} has ${count} elements; up to ${mostListed} can be listed`);
  return offsets(of).map((offset) => start + offset);
}

/** The views to draw: A, and the slice of it if a coordinate was given. */
function viewsOf(of: AnyLayout, start: number, at: SliceCoord | undefined): readonly DrawnTensor[] {
  const whole: DrawnTensor = { layout: of, offset: start, name: "A" };
  if (at === undefined) return [whole];
  const [part, offset] = sliceAndOffset<SliceCoord, AnyLayout>(at, of);
  const text = formatTuple(at);
  const name = Array.isArray(at) ? `A${text}` : `A(${text})`;
  return [whole, { layout: part, offset: start + valueOf(offset as Int), name }];
}

const showMemory = command({
  name: "memory",
  operands: [layout("A"), optional(coord("COORD", "a coordinate in which _ keeps a mode: the slice is drawn too"))],
  summary: "the cells of memory that a layout uses, and those of a slice of it",
  options: {
    offset: { value: "N", about: "where A begins, in elements; 0 if left out" },
    length: { value: "N", about: "how many elements the memory has; up to the last cell of A if left out" },
  },
  examples: [
    { line: "memory '(3,4):(4,1)' '(_,1)'", about: "a row-major matrix and its column 1" },
    { line: "memory '(2,3):(8,2)' --offset 4 --length 24", about: "a part of a larger memory" },
  ],
  run: ([of, at], given) => {
    const start = elements(given, "offset") ?? 0;
    const cells = cellsOf(of, start);
    const [first, last] = [
      cells.reduce((a, b) => Math.min(a, b), Infinity),
      cells.reduce((a, b) => Math.max(a, b), -1),
    ];
    const length = elements(given, "length") ?? last + 1;
    const facts = {
      length,
      elements: cells.length,
      cells: new Set(cells).size,
      ...(cells.length === 0 ? {} : { first, last }),
    };
    const views = viewsOf(of, start, at);
    return {
      lines: [formatLayout(of), ...columns(Object.entries(facts))],
      data: { result: of, ...facts, views },
      picture: (options) => memoryPicture({ length, views }, options),
    };
  },
});

export const memoryCommands: readonly Command[] = [showMemory];
