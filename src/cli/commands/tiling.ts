/**
 * Commands that divide layouts into tiles, repeat them, and slice them.
 */
import { explain } from "../../layout/explain.ts";
import {
  blockedProduct,
  flatDivide,
  flatProduct,
  formatLayout,
  formatTuple,
  type Int,
  type IntTuple,
  innerPartition,
  isInt,
  isLayout,
  type Layout,
  LayoutLeft,
  LayoutRight,
  leaves,
  localPartition,
  localTile,
  logicalDivide,
  logicalProduct,
  makeLayout,
  type Nested,
  offsets,
  outerPartition,
  rakedProduct,
  type SliceCoord,
  sliceAndOffset,
  type Tiler,
  tiledDivide,
  tiledProduct,
  tileToShape,
  valueOf,
  zippedDivide,
  zippedProduct,
} from "../../layout/index.ts";
import { type NotationOptions, parseCoord, parseLayout, parseTiler, parseTuple } from "../../layout/notation.ts";
import { choiceOption, listed, type OptionValues, optionValue, UsageError } from "../arguments.ts";
import { type Command, command } from "../command.ts";
import { coord, layout, plainLayout, raw, requirePlain, shape, tiler } from "../operands.ts";
import { drawSlice, drawTiling, layoutOutcome, partOutcome } from "./answer.ts";

const dividers = {
  logical: { name: "logicalDivide", run: logicalDivide },
  zipped: { name: "zippedDivide", run: zippedDivide },
  tiled: { name: "tiledDivide", run: tiledDivide },
  flat: { name: "flatDivide", run: flatDivide },
} as const;

const tilerProducts = {
  logical: { name: "logicalProduct", run: logicalProduct },
  zipped: { name: "zippedProduct", run: zippedProduct },
  tiled: { name: "tiledProduct", run: tiledProduct },
  flat: { name: "flatProduct", run: flatProduct },
} as const;

/** Products that pair the modes of both operands, so that B is one layout. */
const pairedProducts = {
  blocked: { name: "blockedProduct", run: blockedProduct },
  raked: { name: "rakedProduct", run: rakedProduct },
} as const;

const namesOf = <T extends object>(table: T): (keyof T & string)[] => Object.keys(table) as (keyof T & string)[];
const kindsOfDivide = namesOf(dividers);
const kindsOfProduct = [...namesOf(tilerProducts), ...namesOf(pairedProducts)];
const kindOption = (kinds: readonly string[]) => ({
  kind: { value: "KIND", about: `${listed(kinds)} (default: ${kinds[0]})` },
});

const dividerOf = (options: OptionValues) => dividers[choiceOption(options, "kind", kindsOfDivide)];

/** The product of `--kind`, with B parsed as it needs it. */
function productOf(options: OptionValues, [text, notation]: readonly [text: string, notation: NotationOptions]) {
  const kind = choiceOption(options, "kind", kindsOfProduct);
  if (kind === "blocked" || kind === "raked")
    return { paired: pairedProducts[kind], by: requirePlain(text, parseLayout(text, notation)) };
  return { tiled: tilerProducts[kind], by: parseTiler(text, notation) };
}

const divide = command({
  name: "divide",
  operands: [layout("A"), tiler("TILER")],
  summary: "divide A into tiles: mode 0 runs inside a tile, mode 1 over the tiles",
  details: [
    "logical  (tile, rest), in each mode if the tiler has several; the other kinds rearrange it",
    "zipped   ((tiles), (rests)): one mode inside the tile, one over the tiles",
    "tiled    ((tiles), rest, rest, ...)",
    "flat     (tile, tile, ..., rest, rest, ...)",
  ],
  options: kindOption(kindsOfDivide),
  examples: [
    { line: "divide '(4,8):(8,1)' '(2,4)'", about: "2 x 4 tiles of a matrix" },
    {
      line: "divide '(4,8):(8,1)' '<2:2,(2,2):(1,4)>' --kind zipped",
      about: "strided tiles",
    },
    { line: "divide 16 4:2", about: "along the index" },
  ],
  run: ([a, t], options) => {
    const result = dividerOf(options).run(a, t);
    return layoutOutcome(result, drawTiling(a, t, result));
  },
  explain: ([a, t], options) => explain(dividerOf(options).name, a, t),
});

const product = command({
  name: "product",
  operands: [layout("A"), raw("B", "the number and order of the copies: a tiler; for blocked and raked, a layout")],
  summary: "repeat A over B",
  details: [
    "logical  (A, copies); for a B of several modes, (A, copies) in each mode",
    "zipped   ((As), (copies))",
    "tiled    ((As), copies, copies, ...)",
    "flat     (A, A, ..., copies, copies, ...)",
    "blocked  mode i is (A i, copies i): whole blocks side by side",
    "raked    mode i is (copies i, A i): the blocks interleaved",
    "A shape alone for B applies mode by mode, but is a column-major layout for blocked and raked.",
  ],
  options: kindOption(kindsOfProduct),
  examples: [
    { line: "product '(2,2):(4,1)' '6:1'", about: "six consecutive copies" },
    { line: "product '(2,2):(2,1)' '(2,3):(3,1)' --kind blocked", about: "2 x 3 blocks, row by row" },
    { line: "product '(2,2):(2,1)' '(2,3):(3,1)' --kind raked", about: "the same, interleaved" },
  ],
  run: ([a, b], options) => {
    const chosen = productOf(options, b);
    return layoutOutcome(chosen.paired ? chosen.paired.run(a, chosen.by) : chosen.tiled.run(a, chosen.by));
  },
  explain: ([a, b], options) => {
    const chosen = productOf(options, b);
    return chosen.paired ? explain(chosen.paired.name, a, chosen.by) : explain(chosen.tiled.name, a, chosen.by);
  },
});

const repeat = command({
  name: "tile-to-shape",
  operands: [layout("A"), shape("SHAPE", "the shape of the result, a multiple of A's in each mode")],
  summary: "repeat A until it has a shape",
  options: {
    order: {
      value: "ORDER",
      about: "left, right, or the order of the modes, smallest stride first: (1,0) (default: left)",
    },
  },
  examples: [
    { line: "tile-to-shape '(2,4):(4,1)' '(4,8)'", about: "blocks down the columns" },
    { line: "tile-to-shape '(2,4):(4,1)' '(4,8)' --order '(1,0)'", about: "blocks along the rows" },
  ],
  run: ([a, target], options) => {
    const order = optionValue(options, "order") ?? LayoutLeft;
    const read = order === LayoutLeft || order === LayoutRight ? order : parseTuple(order);
    return layoutOutcome(tileToShape(a, target, read));
  },
});

const takeSlice = command({
  name: "slice",
  operands: [layout("A"), coord("COORD", "a coordinate in which _ keeps a mode: (2,_)")],
  summary: "keep the modes at _; show the offset of the other coordinates",
  examples: [
    { line: "slice '(4,8):(8,1)' '(2,_)'", about: "row 2" },
    { line: "slice '(4,(2,4)):(8,(1,2))' '(_,(1,_))'", about: "slice a nested mode" },
  ],
  run: ([a, at]) => {
    const part = partOutcome(sliceAndOffset(at, a));
    return { ...part, picture: drawSlice(a, at, part.picture) };
  },
});

/** The layout of threads of `partition --threads`; a shape alone is column-major. */
function threadsOf(tiler: Tiler): Layout {
  if (isLayout(tiler)) return tiler;
  if (leaves(tiler as Nested<unknown>).every(isInt)) return makeLayout(tiler as IntTuple) as Layout;
  throw new UsageError("partition: with --threads, TILER must be a layout of threads, such as (4,8):(8,1).");
}

function threadIndex(coord: SliceCoord, threads: Layout): Int {
  if (!isInt(coord)) throw new UsageError(`the index of a thread must be an integer, got ${formatTuple(coord)}.`);
  const all = offsets(threads);
  if (all.includes(valueOf(coord))) return coord;
  throw new UsageError(
    `there is no thread ${coord}: ${formatLayout(threads)} has ${all.length} threads with indices up to ${Math.max(...all)}.`,
  );
}

const partition = command({
  name: "partition",
  operands: [
    layout("A"),
    tiler("TILER"),
    coord("COORD", "the coordinate of a tile; with --outer, a coordinate in every tile; with --threads, a thread"),
  ],
  summary: "select one tile of A, or with --outer one element of every tile",
  options: {
    outer: { about: "select the element at COORD of every tile" },
    threads: { about: "select the elements of thread COORD in every tile; TILER is a layout of threads" },
  },
  examples: [
    { line: "partition '(8,8):(8,1)' '(4,4)' '(1,0)'", about: "the tile in row 1 of the tiles" },
    { line: "partition '(8,8):(8,1)' '(4,4)' '(1,0)' --outer", about: "element (1,0) of every tile" },
    { line: "partition '(8,24)' '(4,8):(8,1)' 9 --threads", about: "the elements of thread 9 of 4 x 8 threads" },
  ],
  run: ([a, t, at], options) =>
    partOutcome(
      options.has("threads")
        ? localPartition(a, threadsOf(t), threadIndex(at, threadsOf(t)))
        : (options.has("outer") ? outerPartition : innerPartition)(a, t, at),
    ),
  explain: ([a, t, at], options) =>
    options.has("threads")
      ? explain("localPartition", a, threadsOf(t), threadIndex(at, threadsOf(t)))
      : explain(options.has("outer") ? "outerPartition" : "innerPartition", a, t, at),
});

const projection = {
  projection: { value: "MODES", about: "the modes of the tiler and the coordinate to use: (1,_,1) (default: all)" },
};

/** The value of `--projection`, or undefined. */
function projectionOf(options: OptionValues): SliceCoord | undefined {
  const text = optionValue(options, "projection");
  return text === undefined ? undefined : parseCoord(text);
}

const tileOf = command({
  name: "local-tile",
  operands: [layout("A"), tiler("TILER"), coord("COORD", "the coordinate of a tile; _ keeps all tiles of a mode")],
  summary: "select the tile of A that a block of threads works on",
  options: projection,
  examples: [
    { line: "local-tile '(64,32)' '(16,8)' '(1,_)'", about: "row 1 of the tiles" },
    { line: "local-tile '(64,32)' '(16,8,4)' '(1,0,_)' --projection '(1,_,1)'", about: "the modes M and K of (M,N,K)" },
  ],
  run: ([a, t, at], options) => partOutcome(localTile(a, t, at, projectionOf(options))),
  explain: ([a, t, at], options) => explain("localTile", a, t, at, projectionOf(options)),
});

const partOfThread = command({
  name: "local-partition",
  operands: [
    layout("A"),
    plainLayout("THREADS", "the layout of the threads; a shape alone is column-major"),
    coord("INDEX", "the index of a thread"),
  ],
  summary: "select the elements of one thread in every tile of A",
  options: projection,
  examples: [{ line: "local-partition '(8,24)' '(4,8):(8,1)' 9", about: "the elements of thread 9 of 4 x 8 threads" }],
  run: ([a, threads, index], options) =>
    partOutcome(localPartition(a, threads, threadIndex(index, threads), projectionOf(options))),
  explain: ([a, threads, index], options) =>
    explain("localPartition", a, threads, threadIndex(index, threads), projectionOf(options)),
});

export const tilingCommands: readonly Command[] = [divide, product, repeat, takeSlice, partition, tileOf, partOfThread];
