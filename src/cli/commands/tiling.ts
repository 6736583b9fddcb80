/**
 * Commands that cut layouts into tiles, repeat them, and take parts of them.
 */
import { explain } from "../../layout/explain.ts";
import {
  blockedProduct,
  flatDivide,
  flatProduct,
  formatLayout,
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
import { choose, type Given, has, listed, valueOfOption } from "../arguments.ts";
import { type Command, command } from "../command.ts";
import { coord, layout, plainLayout, raw, requirePlain, shape, tiler } from "../operands.ts";
import { UsageError } from "../usage-error.ts";
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

/** These pair the modes of both sides, so their right side is one layout. */
const pairedProducts = {
  blocked: { name: "blockedProduct", run: blockedProduct },
  raked: { name: "rakedProduct", run: rakedProduct },
} as const;

const namesOf = <T extends object>(table: T): (keyof T & string)[] => Object.keys(table) as (keyof T & string)[];
const kindsOfDivide = namesOf(dividers);
const kindsOfProduct = [...namesOf(tilerProducts), ...namesOf(pairedProducts)];
const kindOption = (kinds: readonly string[]) => ({
  kind: { value: "KIND", about: `${listed(kinds)}; ${kinds[0]} if left out` },
});

const dividerOf = (given: Given) => dividers[choose(given, "kind", kindsOfDivide, "logical")];

/** Both kinds of products, each with its own reading of the right side. */
function productOf(given: Given, [text, notation]: readonly [text: string, notation: NotationOptions]) {
  const kind = choose(given, "kind", kindsOfProduct, "logical");
  if (kind === "blocked" || kind === "raked")
    return { paired: pairedProducts[kind], by: requirePlain(text, parseLayout(text, notation)) };
  return { tiled: tilerProducts[kind], by: parseTiler(text, notation) };
}

const divide = command({
  name: "divide",
  operands: [layout("A"), tiler("TILER")],
  summary: "A cut into tiles: mode 0 runs inside a tile, mode 1 over the tiles",
  details: [
    "logical  (tile, rest), for a tiler of several modes in each mode; what the other kinds rearrange",
    "zipped   ((tiles), (rests)): one mode inside the tile, one over the tiles",
    "tiled    ((tiles), rest, rest, ...)",
    "flat     (tile, tile, ..., rest, rest, ...)",
  ],
  options: kindOption(kindsOfDivide),
  examples: [
    { line: "divide '(4,8):(8,1)' '(2,4)'", about: "2 x 4 tiles of a matrix" },
    {
      line: "divide '(4,8):(8,1)' '<2:2,(2,2):(1,4)>' --kind zipped",
      about: "tiles with strides of their own",
    },
    { line: "divide 16 4:2", about: "along the index" },
  ],
  run: ([a, t], given) => {
    const result = dividerOf(given).run(a, t);
    return layoutOutcome(result, drawTiling(a, t, result));
  },
  explain: ([a, t], given) => explain(dividerOf(given).name, a, t),
});

const product = command({
  name: "product",
  operands: [layout("A"), raw("B", "how often and in which order: a tiler; for blocked and raked, a layout")],
  summary: "A repeated over B",
  details: [
    "logical  (A, copies); for a B of several modes, (A, copies) in each mode",
    "zipped   ((As), (copies))",
    "tiled    ((As), copies, copies, ...)",
    "flat     (A, A, ..., copies, copies, ...)",
    "blocked  mode i is (A i, copies i): whole blocks side by side",
    "raked    mode i is (copies i, A i): the blocks interleaved",
    "A shape alone for B works mode by mode, but is column-major for blocked and raked.",
  ],
  options: kindOption(kindsOfProduct),
  examples: [
    { line: "product '(2,2):(4,1)' '6:1'", about: "six copies one after the other" },
    { line: "product '(2,2):(2,1)' '(2,3):(3,1)' --kind blocked", about: "2 x 3 blocks, row by row" },
    { line: "product '(2,2):(2,1)' '(2,3):(3,1)' --kind raked", about: "the same, interleaved" },
  ],
  run: ([a, b], given) => {
    const chosen = productOf(given, b);
    return layoutOutcome(chosen.paired ? chosen.paired.run(a, chosen.by) : chosen.tiled.run(a, chosen.by));
  },
  explain: ([a, b], given) => {
    const chosen = productOf(given, b);
    return chosen.paired ? explain(chosen.paired.name, a, chosen.by) : explain(chosen.tiled.name, a, chosen.by);
  },
});

const repeat = command({
  name: "tile-to-shape",
  operands: [layout("A"), shape("SHAPE", "the shape to reach, a multiple of A's in each mode")],
  summary: "A repeated until it has a shape",
  options: {
    order: { value: "ORDER", about: "left, right, or the order of the modes, smallest first: (1,0); left if left out" },
  },
  examples: [
    { line: "tile-to-shape '(2,4):(4,1)' '(4,8)'", about: "blocks down the columns" },
    { line: "tile-to-shape '(2,4):(4,1)' '(4,8)' --order '(1,0)'", about: "blocks along the rows" },
  ],
  run: ([a, target], given) => {
    const order = valueOfOption(given, "order") ?? LayoutLeft;
    const read = order === LayoutLeft || order === LayoutRight ? order : parseTuple(order);
    return layoutOutcome(tileToShape(a, target, read));
  },
});

const takeSlice = command({
  name: "slice",
  operands: [layout("A"), coord("COORD", "a coordinate in which _ keeps a mode: (2,_)")],
  summary: "the modes under _, and the offset of the fixed coordinates",
  examples: [
    { line: "slice '(4,8):(8,1)' '(2,_)'", about: "row 2" },
    { line: "slice '(4,(2,4)):(8,(1,2))' '(_,(1,_))'", about: "inside a nested mode" },
  ],
  run: ([a, at]) => {
    const part = partOutcome(sliceAndOffset(at, a));
    return { ...part, picture: drawSlice(a, at, part.picture) };
  },
});

/** The threads of `partition --threads`: a shape alone is column-major, as for layouts. */
function threadsOf(tiler: Tiler): Layout {
  if (isLayout(tiler)) return tiler;
  if (leaves(tiler as Nested<unknown>).every(isInt)) return makeLayout(tiler as IntTuple) as Layout;
  throw new UsageError("partition: with --threads, TILER is a layout of threads: (4,8):(8,1).");
}

function threadIndex(coord: SliceCoord, threads: Layout): Int {
  if (!isInt(coord)) throw new UsageError("the number of a thread is an integer.");
  const all = offsets(threads);
  if (all.includes(valueOf(coord))) return coord;
  throw new UsageError(
    `there is no thread ${coord}: ${formatLayout(threads)} numbers ${all.length} threads, up to ${Math.max(...all)}.`,
  );
}

const partition = command({
  name: "partition",
  operands: [
    layout("A"),
    tiler("TILER"),
    coord("COORD", "which tile; with --outer, which place in every tile; with --threads, which thread"),
  ],
  summary: "one tile of A, or with --outer one element of every tile",
  options: {
    outer: { about: "COORD is a place inside the tile, and the tiles remain" },
    threads: { about: "TILER is a layout of threads, COORD the number of one: what that thread gets of every tile" },
  },
  examples: [
    { line: "partition '(8,8):(8,1)' '(4,4)' '(1,0)'", about: "the tile in row 1 of the tiles" },
    { line: "partition '(8,8):(8,1)' '(4,4)' '(1,0)' --outer", about: "place (1,0) of every tile" },
    { line: "partition '(8,24)' '(4,8):(8,1)' 9 --threads", about: "what thread 9 of 4 x 8 gets" },
  ],
  run: ([a, t, at], given) =>
    partOutcome(
      has(given, "threads")
        ? localPartition(a, threadsOf(t), threadIndex(at, threadsOf(t)))
        : (has(given, "outer") ? outerPartition : innerPartition)(a, t, at),
    ),
  explain: ([a, t, at], given) =>
    has(given, "threads")
      ? explain("localPartition", a, threadsOf(t), threadIndex(at, threadsOf(t)))
      : explain(has(given, "outer") ? "outerPartition" : "innerPartition", a, t, at),
});

const projection = {
  projection: { value: "MODES", about: "which modes of the tiler and the coordinate count: (1,_,1); all if left out" },
};

/** The projection of an option, or undefined. */
function projectionOf(given: Given): SliceCoord | undefined {
  const text = valueOfOption(given, "projection");
  return text === undefined ? undefined : parseCoord(text);
}

const tileOf = command({
  name: "local-tile",
  operands: [layout("A"), tiler("TILER"), coord("COORD", "which tile; _ keeps all tiles of a mode")],
  summary: "the tile of A that a block of threads works on",
  options: projection,
  examples: [
    { line: "local-tile '(64,32)' '(16,8)' '(1,_)'", about: "row 1 of the tiles" },
    { line: "local-tile '(64,32)' '(16,8,4)' '(1,0,_)' --projection '(1,_,1)'", about: "the modes M and K of (M,N,K)" },
  ],
  run: ([a, t, at], given) => partOutcome(localTile(a, t, at, projectionOf(given))),
  explain: ([a, t, at], given) => explain("localTile", a, t, at, projectionOf(given)),
});

const partOfThread = command({
  name: "local-partition",
  operands: [
    layout("A"),
    plainLayout("THREADS", "the layout of the threads; a shape alone is column-major"),
    coord("INDEX", "the number of a thread"),
  ],
  summary: "what one thread gets of every tile of A",
  options: projection,
  examples: [{ line: "local-partition '(8,24)' '(4,8):(8,1)' 9", about: "what thread 9 of 4 x 8 gets" }],
  run: ([a, threads, index], given) =>
    partOutcome(localPartition(a, threads, threadIndex(index, threads), projectionOf(given))),
  explain: ([a, threads, index], given) =>
    explain("localPartition", a, threads, threadIndex(index, threads), projectionOf(given)),
});

export const tilingCommands: readonly Command[] = [divide, product, repeat, takeSlice, partition, tileOf, partOfThread];
