/** The steps of a derivation as text: one sentence for each kind of step. A missing sentence is a compile error. */
import { fromModes, type Mode } from "./algebra/coalesce.ts";
import type { SliceCoord } from "./coord.ts";
import { formatLayout, formatTuple } from "./format.ts";
import { dividesInt, type Int, isOne, mod } from "./int.ts";
import { isLayout, type Tiler } from "./layout.ts";
import type { Step, Steps } from "./trace.ts";

const show = formatLayout;
const showModes = (modes: readonly Mode[]): string => show(fromModes(modes));
const showTiler = (tiler: Tiler): string => (isLayout(tiler) ? show(tiler) : formatTuple(tiler));
const showCoord = (coord: SliceCoord): string => formatTuple(coord);
const modeOfA = (mode: number, size: Int): string => `mode ${mode} of A (size ${size})`;

const sentences: { readonly [Rule in keyof Steps]: (data: Steps[Rule]) => string } = {
  "by mode": ({ mode, layout, tiler }) => `mode ${mode}: ${show(layout)} with ${showTiler(tiler)}`,
  "open modes": ({ part, layout, modes }) =>
    `${part} = ${show(layout)}, coalesced: ${showModes(modes)}; its last mode is unbounded`,
  leaf: ({ leaf, size, stride }) => `${leaf} of B: ${size} steps of ${stride}`,
  "step over": ({ mode, size, step, next }) =>
    `${modeOfA(mode, size)}: the step ${step} is a multiple, so it is stepped over; step ${next} remains`,
  fill: ({ mode, size, step, taken, rest }) =>
    `${modeOfA(mode, size)}: ${taken} steps of ${step} fill it; left for the next modes: ${rest}`,
  "stay inside": ({ mode, size, step, taken }) =>
    `${modeOfA(mode, size)}: all ${taken} steps of ${step} stay inside it`,
  "last mode": ({ step, taken }) => `the last mode of A takes the remaining ${taken} steps of ${step}`,
  uneven: ({ obstacle }) => `${obstacle}; the offsets decide`,
  fit: ({ sizes, strides }) => `the offsets are those of (${sizes.join(",")}):(${strides.join(",")})`,
  "no carry": ({ mode, size, digits, total }) =>
    `${modeOfA(mode, size)}: the largest digits ${digits.join(" + ")} = ${total} stay below ${size}, so the modes of B do not carry into each other`,
  "no carry anywhere": () => "every sum of B's modes was compared with A: none carries",
  filter: ({ layout, modes }) => `L = ${show(layout)}; the modes that move the offset: ${showModes(modes)}`,
  sort: ({ modes }) => `by ascending stride: ${showModes(modes)}`,
  gap: ({ size, stride, filled, gap }) =>
    dividesInt(filled, stride)
      ? isOne(gap)
        ? `mode ${size}:${stride} continues at ${filled}: no gap`
        : `before mode ${size}:${stride} there is a gap: ${gap} copies, ${filled} apart, fill it`
      : `before mode ${size}:${stride} there is space for ${gap} copies, ${filled} apart; ${mod(stride, filled)} offsets before it stay a gap`,
  copies: ({ filled, copies, target }) =>
    `${filled} offsets are filled; copies to reach the target ${formatTuple(target)}: ${copies}`,
  "complement of tile": ({ tile, layout }) =>
    `the tile is ${show(tile)}; its complement runs over the tiles of ${show(layout)}`,
  "read through": ({ layout, tile, rest }) =>
    `${show(layout)} is read through the tile ${show(tile)} and the rest ${show(rest)}`,
  "free offsets": ({ block, copies, target }) =>
    `the free offsets between copies of ${show(block)}, up to cosize(A) * cosize(${show(copies)}) = ${target}`,
  "place copies": ({ copies, free }) => `the copies ${show(copies)} select among the free offsets ${show(free)}`,
  continue: ({ size, stride, step }) =>
    `mode ${size}:${stride} continues the offsets at ${stride}, and moves the index by ${step}`,
  stop: ({ reached, left }) =>
    left.length === 0
      ? `every mode is used; the offsets below ${reached} are reached`
      : `no mode has stride ${reached}; left over: ${left.map((mode) => `${mode.size}:${mode.stride}`).join(", ")}`,
  digit: ({ size, stride, step }) =>
    `mode ${size}:${stride}: the digit of the offset worth ${stride} moves the index by ${step}`,
  "other radix": ({ sizes, result }) =>
    `the strides do not divide each other; in the radix (${sizes.join(",")}) the inverse is ${show(result)}`,
  projected: ({ projection, tiler, coord }) =>
    `the projection ${showCoord(projection)} keeps of tiler and coordinate: ${showTiler(tiler)} and ${showCoord(coord)}`,
  "thread coordinate": ({ index, threads, coord }) =>
    `thread ${index} of ${show(threads)} has the coordinate ${showCoord(coord)}: its index divided by each stride, modulo the size`,
  "thread tile": ({ threads, tile }) =>
    `the tile is ${formatTuple(tile)}, the sizes of ${show(threads)}: one element for each thread`,
  "into tiles": ({ layout, tiler }) => `zippedDivide cuts ${show(layout)} into tiles of ${showTiler(tiler)}`,
  "keep the tile": ({ coord, rests }) =>
    `inner: ${showCoord(coord)} selects among the tiles ${show(rests)}, and the tile itself stays`,
  "keep the rests": ({ coord, tiles }) =>
    `outer: ${showCoord(coord)} selects an element inside the tile ${show(tiles)}, and all tiles stay`,
  "not a local partition": () =>
    "so the result is one whole tile of adjacent elements; localPartition would take one element of every tile",
  "not a local tile": () =>
    "so the result is one element of every tile, in round-robin order; localTile would take one whole tile",
  "by threads and values": ({ layout, threadValues }) =>
    `${show(layout)} is read through ${show(threadValues)}: mode 0 becomes the thread, mode 1 its values`,
  "keep the values": ({ thread, threads }) =>
    `${showCoord(thread)} selects among the threads ${show(threads)}, and the values stay`,
  result: ({ result }) => `= ${show(result)}`,
};

/** Returns a step as a sentence. */
export const sentenceOf = (step: Step): string => (sentences[step.rule] as (data: unknown) => string)(step.data);
