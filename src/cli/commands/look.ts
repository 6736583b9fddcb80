/**
 * Commands that look at one layout: what it is, where a coordinate goes, who holds which element.
 */
import { LayoutError } from "../../base/errors.ts";
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
  shapeOf,
  sizeInt,
} from "../../layout/index.ts";
import { type Command, command } from "../command.ts";
import { coord, layout, shape } from "../operands.ts";
import { UsageError } from "../usage-error.ts";
import { columns, drawLayout, drawThreadValues, mostListed } from "./answer.ts";

const text = (t: IntTuple): string => formatTuple(t);
const mapsToCoords = (of: AnyLayout): boolean => !isComposed(of) && leaves(of.stride).some(isBasis);

/** The layout as a function: true, false, or undefined where that cannot be told. */
function properties(of: AnyLayout): Record<"injective" | "compact" | "bijective", boolean | undefined> {
  try {
    if (!isComposed(of)) return { injective: isInjective(of), compact: isCompact(of), bijective: isBijective(of) };
    if (Number(sizeInt(of)) <= mostListed) {
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

const said = (answer: boolean | undefined): string => (answer === undefined ? "not known" : answer ? "yes" : "no");

const showLayout = command({
  name: "layout",
  operands: [layout("A")],
  summary: "what a layout is: rank, size, injective or not, its picture",
  examples: [
    { line: "layout '(4,8):(8,1)'", about: "a row-major matrix" },
    { line: "layout '(4,(2,4))'", about: "a shape alone is column-major" },
    { line: "layout 'Sw<2,0,2> o 0 o (4,4):(4,1)'", about: "a swizzle, before and after" },
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
      ["cosize", text(facts.cosize)],
      ["injective", said(facts.injective)],
      ["compact", said(facts.compact)],
      ["bijective", said(facts.bijective)],
      ["coalesced", formatLayout(facts.coalesced)],
    ]);
    return { lines: [formatLayout(of), ...rows], data: { result: of, ...facts }, picture: drawLayout(of) };
  },
});

/** A number where there is one; an expression, or a coordinate for coordinate strides. */
function offsetOf(of: AnyLayout, at: Coord): IntTuple {
  if (isComposed(of)) return offsetAt(of, at);
  return mapsToCoords(of) ? coordAt(of, at) : crd2idx(at, of.shape, of.stride);
}

const showOffset = command({
  name: "offset",
  operands: [layout("A"), coord("COORD", "an integer (colexicographic), or one coordinate for each mode: (2,3)")],
  summary: "the offset of a coordinate",
  details: ["The coordinate is not checked against the shape: a layout continues past its last element."],
  examples: [
    { line: "offset '(4,8):(8,1)' '(2,3)'", about: "row 2, column 3" },
    { line: "offset '(4,8):(8,1)' 14", about: "the coordinate with index 14" },
    { line: "offset '(4,n):(n,1)' '(i,j)'", about: "as an expression" },
  ],
  run: ([of, at]) => {
    if (hasUnderscore(at))
      throw new UsageError(`offset: the coordinate ${text(at as IntTuple)} has _; slice keeps such modes.`);
    const offset = offsetOf(of, at as Coord);
    return { lines: [text(offset)], data: { offset } };
  },
});

const showThreadValues = command({
  name: "tv",
  operands: [
    layout("LAYOUT", "maps (thread, value) to the index of an element"),
    shape("SHAPE", "the shape of the elements, counted colexicographically"),
  ],
  summary: "which thread holds which element: a thread-value layout over a shape",
  examples: [
    { line: "tv '((4,8),2):((16,1),8)' '(16,8)' --no-picture", about: "32 threads with 2 values each" },
    { line: "tv '((2,4),2):((8,1),4)' '(8,4)'", about: "8 threads that hold half of the elements" },
  ],
  run: ([of, over]) => {
    if (rank(of) !== 2)
      throw new LayoutError(
        `tv: ${formatLayout(of)} has rank ${rank(of)}; a layout (thread, value) of rank 2 is needed`,
      );
    const facts = { threads: sizeInt(shapeOf(of, 0)), values: sizeInt(shapeOf(of, 1)), elements: sizeInt(over) };
    return {
      lines: [`${formatLayout(of)} over ${text(over)}`, ...columns(Object.entries(facts))],
      data: { result: of, shape: over, ...facts },
      picture: drawThreadValues(of, over),
    };
  },
});

export const lookCommands: readonly Command[] = [showLayout, showOffset, showThreadValues];
