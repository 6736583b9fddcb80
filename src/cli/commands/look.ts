/**
 * Commands that show one layout: its properties, the offset of a coordinate, the thread of each element, the cells of memory that it and a
 * slice of it use.
 */
import { LayoutError } from "../../base/errors.ts";
import { type DrawnTensor, memoryPicture } from "../../draw/index.ts";
import { hasUnderscore } from "../../layout/coord.ts";
import {
  type AnyLayout,
  type Coord,
  coalesce,
  coordAt,
  coshape,
  cosizeInt,
  crd2idx,
  depth,
  formatLayout,
  formatTuple,
  type Int,
  type IntTuple,
  isBasis,
  isBijective,
  isCompact,
  isComposed,
  isInjective,
  leaves,
  offsetAt,
  offsets,
  rank,
  type SliceCoord,
  shapeOf,
  sizeInt,
  sliceAndOffset,
  valueOf,
} from "../../layout/index.ts";
import { integerOption, UsageError } from "../arguments.ts";
import { type Command, command } from "../command.ts";
import { coord, layout, optional, shape } from "../operands.ts";
import { columns, drawLayout, drawThreadValues, maxListed } from "./answer.ts";

const mapsToCoords = (of: AnyLayout): boolean => !isComposed(of) && leaves(of.stride).some(isBasis);

/** The properties of the layout as a function; undefined where they are not known. */
function properties(of: AnyLayout): Record<"injective" | "compact" | "bijective", boolean | undefined> {
  try {
    if (!isComposed(of)) return { injective: isInjective(of), compact: isCompact(of), bijective: isBijective(of) };
    if (Number(sizeInt(of)) <= maxListed) {
      const all = offsets(of);
      const distinct = new Set(all);
      const injective = distinct.size === all.length;
      const compact = all.every((offset) => offset >= 0 && offset < distinct.size);
      return { injective, compact, bijective: injective && compact };
    }
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
  }
  return { injective: undefined, compact: undefined, bijective: undefined };
}

const yesOrNo = (answer: boolean | undefined): string => (answer === undefined ? "not known" : answer ? "yes" : "no");

const showLayout = command({
  name: "layout",
  operands: [layout("A")],
  summary: "show the properties of a layout and its picture",
  examples: [
    { line: "layout '(4,8):(8,1)'", about: "a row-major matrix" },
    { line: "layout '(4,(2,4))'", about: "a shape alone is column-major" },
    { line: "layout 'Sw<2,0,2> o 0 o (4,4):(4,1)'", about: "a swizzled layout, before and after" },
  ],
  run: ([of]) => {
    const facts = {
      rank: rank(of),
      depth: depth(of),
      size: sizeInt(of),
      cosize: mapsToCoords(of) ? coshape(of) : cosizeInt(of),
      ...properties(of),
      coalesced: coalesce(of),
    };
    const rows = columns([
      ["rank", facts.rank],
      ["depth", facts.depth],
      ["size", facts.size],
      ["cosize", formatTuple(facts.cosize)],
      ["injective", yesOrNo(facts.injective)],
      ["compact", yesOrNo(facts.compact)],
      ["bijective", yesOrNo(facts.bijective)],
      ["coalesced", formatLayout(facts.coalesced)],
    ]);
    return { lines: [formatLayout(of), ...rows], data: { result: of, ...facts }, picture: drawLayout(of) };
  },
});

/** The offset as a number or an expression, or as a coordinate if the strides are coordinates. */
function offsetOf(of: AnyLayout, at: Coord): IntTuple {
  if (isComposed(of)) return offsetAt(of, at);
  return mapsToCoords(of) ? coordAt(of, at) : crd2idx(at, of.shape, of.stride);
}

const showOffset = command({
  name: "offset",
  operands: [layout("A"), coord("COORD", "an integer (colexicographic), or one coordinate for each mode: (2,3)")],
  summary: "compute the offset of a coordinate",
  details: ["The coordinate is not checked against the shape: a layout continues past its last element."],
  examples: [
    { line: "offset '(4,8):(8,1)' '(2,3)'", about: "row 2, column 3" },
    { line: "offset '(4,8):(8,1)' 14", about: "the coordinate with index 14" },
    { line: "offset '(4,n):(n,1)' '(i,j)'", about: "as an expression" },
  ],
  run: ([of, at]) => {
    if (hasUnderscore(at))
      throw new UsageError(`offset: the coordinate ${formatTuple(at as IntTuple)} has _. Use slice to keep a mode.`);
    const offset = offsetOf(of, at as Coord);
    return { lines: [formatTuple(offset)], data: { offset } };
  },
});

const showThreadValues = command({
  name: "tv",
  operands: [
    layout("LAYOUT", "maps (thread, value) to the index of an element"),
    shape("SHAPE", "the shape of the elements, counted colexicographically"),
  ],
  summary: "show which thread holds which element: a thread-value layout over a shape",
  examples: [
    { line: "tv '((4,8),2):((16,1),8)' '(16,8)' --no-picture", about: "32 threads with 2 values each" },
    { line: "tv '((2,4),2):((8,1),4)' '(8,4)'", about: "8 threads that hold half of the elements" },
  ],
  run: ([of, over]) => {
    if (rank(of) !== 2)
      throw new LayoutError(
        `tv: ${formatLayout(of)} has rank ${rank(of)}, but a layout (thread, value) of rank 2 is needed`,
      );
    const facts = { threads: sizeInt(shapeOf(of, 0)), values: sizeInt(shapeOf(of, 1)), elements: sizeInt(over) };
    return {
      lines: [`${formatLayout(of)} over ${formatTuple(over)}`, ...columns(Object.entries(facts))],
      data: { result: of, shape: over, ...facts },
      picture: drawThreadValues(of, over),
    };
  },
});

/** The cells that a layout uses, in the order of its indices. Throws if they are too many or symbolic. */
function cellsOf(of: AnyLayout, start: number): number[] {
  const count = sizeInt(of);
  if (!(Number(count) <= maxListed))
    throw new LayoutError(`memory: ${formatLayout(of)} has ${count} elements, but at most ${maxListed} can be listed`);
  return offsets(of).map((offset) => start + offset);
}

/** The views to draw: A, and the slice of it at the coordinate, if any. */
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
  operands: [layout("A"), optional(coord("COORD", "a coordinate in which _ keeps a mode; the slice is drawn too"))],
  summary: "show the cells of memory that a layout and a slice of it use",
  options: {
    offset: { value: "N", about: "the first element of A in memory (default: 0)" },
    length: { value: "N", about: "the number of elements of the memory (default: up to the last cell of A)" },
  },
  examples: [
    { line: "memory '(3,4):(4,1)' '(_,1)'", about: "a row-major matrix and its column 1" },
    { line: "memory '(2,3):(8,2)' --offset 4 --length 24", about: "a part of a larger memory" },
  ],
  run: ([of, at], options) => {
    const start = integerOption(options, "offset") ?? 0;
    const cells = cellsOf(of, start);
    const [first, last] = [
      cells.reduce((a, b) => Math.min(a, b), Infinity),
      cells.reduce((a, b) => Math.max(a, b), -1),
    ];
    const length = integerOption(options, "length") ?? last + 1;
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

export const lookCommands: readonly Command[] = [showLayout, showOffset, showThreadValues, showMemory];
