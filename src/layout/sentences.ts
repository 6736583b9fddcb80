/** The steps of a derivation in words: one sentence for each kind of step. A missing one does not compile. */
import { fromModes, type Mode } from "./algebra/coalesce.ts";
import type { SliceCoord } from "./coord.ts";
import { formatLayout, formatTuple } from "./format.ts";
import { dividesInt, type Int, isOne, mod } from "./int.ts";
import { isLayout } from "./layout.ts";
import type { Tiler } from "./tiler.ts";
import type { Step, Steps } from "./trace.ts";

const show = formatLayout;
const showModes = (modes: readonly Mode[]): string => show(fromModes(modes));
const showTiler = (tiler: Tiler): string => (isLayout(tiler) ? show(tiler) : formatTuple(tiler));
const showCoord = (coord: SliceCoord): string => formatTuple(coord);
const place = (mode: number, size: Int): string => `mode ${mode} of A (size ${size})`;

const sentences: { readonly [Rule in keyof Steps]: (data: Steps[Rule]) => string } = {
  "by mode": ({ mode, layout, tiler }) => `mode ${mode}: ${show(layout)} with ${showTiler(tiler)}`,
  "open modes": ({ part, layout, modes }) =>
    `${part} = ${show(layout)}, coalesced: ${showModes(modes)}; its last mode is open`,
  leaf: ({ leaf, size, stride }) => `${leaf} of B: ${size} steps of ${stride}`,
  "step over": ({ mode, size, step, next }) =>
    `${place(mode, size)}: the step ${step} is a multiple, so it is stepped over; step ${next} remains`,
  fill: ({ mode, size, step, taken, rest }) =>
    `${place(mode, size)}: ${taken} steps of ${step} fill it; left for the next modes: ${rest}`,
  "stay inside": ({ mode, size, step, taken }) => `${place(mode, size)}: all ${taken} steps of ${step} stay inside it`,
  "last mode": ({ step, taken }) => `the last mode of A takes the remaining ${taken} steps of ${step}`,
  uneven: ({ obstacle }) => `${obstacle}; the offsets themselves decide`,
  fit: ({ sizes, strides }) => `the offsets are those of (${sizes.join(",")}):(${strides.join(",")})`,
  "no carry": ({ mode, size, digits, total }) =>
    `${place(mode, size)}: the largest digits ${digits.join(" + ")} = ${total} stay below ${size}, so the modes of B do not disturb each other`,
  "no carry anywhere": () => "every sum of B's modes was compared with A: they do not disturb each other",
  filter: ({ layout, modes }) => `L = ${show(layout)}; the modes that move the offset: ${showModes(modes)}`,
  sort: ({ modes }) => `by ascending stride: ${showModes(modes)}`,
  gap: ({ size, stride, filled, gap }) =>
    dividesInt(filled, stride)
      ? isOne(gap)
        ? `mode ${size}:${stride} continues at ${filled}: no gap`
        : `before mode ${size}:${stride} there is a gap: ${gap} copies, ${filled} apart, fill it`
      : `before mode ${size}:${stride} there is room for ${gap} copies, ${filled} apart; ${mod(stride, filled)} offsets before it stay a gap`,
  copies: ({ filled, copies, target }) =>
    `${filled} offsets are filled; copies to reach the target ${formatTuple(target)}: ${copies}`,
  "complement of tile": ({ tile, layout }) =>
    `the tile is ${show(tile)}; its complement runs over the tiles of ${show(layout)}`,
  "read through": ({ layout, tile, rest }) =>
    `${show(layout)} is read through the tile ${show(tile)} and the rest ${show(rest)}`,
  "free places": ({ block, copies, target }) =>
    `the free places beside ${show(block)}, up to size(A) * cosize(${show(copies)}) = ${target}`,
  "place copies": ({ copies, free }) => `the copies ${show(copies)} choose among the free places ${show(free)}`,
  continue: ({ size, stride, place: start }) =>
    `mode ${size}:${stride} continues the offsets at ${stride}, and moves the index by ${start}`,
  stop: ({ reached, left }) =>
    left.length === 0
      ? `every mode is used; the offsets below ${reached} are reached`
      : `no mode has stride ${reached}; left over: ${left.map((mode) => `${mode.size}:${mode.stride}`).join(", ")}`,
  digit: ({ size, stride, place: start }) =>
    `mode ${size}:${stride}: the digit of the offset worth ${stride} moves the index by ${start}`,
  "other radix": ({ sizes, result }) =>
    `the strides do not divide each other; in the radix (${sizes.join(",")}) the way back is ${show(result)}`,
  projected: ({ projection, tiler, coord }) =>
    `the projection ${showCoord(projection)} keeps of tiler and coordinate: ${showTiler(tiler)} and ${showCoord(coord)}`,
  "thread coordinate": ({ index, threads, coord }) =>
    `thread ${index} of ${show(threads)} stands at ${showCoord(coord)}: its index divided by each stride, modulo the size`,
  "thread tile": ({ threads, tile }) =>
    `the tile is ${formatTuple(tile)}, the sizes of ${show(threads)}: one place for each thread`,
  "into tiles": ({ layout, tiler }) => `zippedDivide cuts ${show(layout)} into tiles of ${showTiler(tiler)}`,
  "keep the tile": ({ coord, rests }) =>
    `inner: ${showCoord(coord)} chooses among the tiles ${show(rests)}, and the tile itself stays`,
  "keep the rests": ({ coord, tiles }) =>
    `outer: ${showCoord(coord)} chooses a place inside the tile ${show(tiles)}, and all tiles stay`,
  "not a local partition": () =>
    "so the result is one whole tile, its elements side by side; localPartition would take one place of every tile",
  "not a local tile": () =>
    "so the result is one place of every tile, the elements dealt out like cards; localTile would take one whole tile",
  "by threads and values": ({ layout, threadValues }) =>
    `${show(layout)} is read through ${show(threadValues)}: mode 0 becomes the thread, mode 1 its values`,
  "keep the values": ({ thread, threads }) =>
    `${showCoord(thread)} chooses among the threads ${show(threads)}, and the values stay`,
  result: ({ result }) => `= ${show(result)}`,
};

/** A step as a sentence. */
export const sentenceOf = (step: Step): string => (sentences[step.rule] as (data: unknown) => string)(step.data);
