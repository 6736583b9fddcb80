/** Ranges of sizes: the sizes at which a program is lowered, those at which it is checked, and the parts of a range. */

/** A range of each size. */
export type Box = readonly { readonly min: number; readonly max: number; readonly step: number }[];

type Sizes = readonly number[];

/** Up to this number of sizes, all are lowered. */
const few = 24;
/** The number of sizes of a larger range that are lowered, and of further ones that are checked. */
const many = 14;
const further = 3;

/** The number of combinations of sizes. */
export const countOf = (box: Box): number =>
  box.reduce((product, { min, max, step }) => product * ((max - min) / step + 1), 1);

/** True if all sizes of a box are lowered. */
export const isWholeBox = (box: Box): boolean => countOf(box) <= few;

/** Returns the sizes to lower: all, or the ends, small ones, and some between. */
export function samplesOf(box: Box): Sizes[] {
  if (isWholeBox(box)) return allOf(box);
  const lists = box.map(({ min, max, step }) => {
    const size = (k: number): number => Math.min(max, min + k * step);
    const count = (max - min) / step;
    const ends = [size(0), size(1), size(2), size(3), Math.max(min, max - step), max];
    const between = [size(Math.round(Math.sqrt(count))), size(Math.round(count / 3))];
    // Powers of two show whether the steps depend on divisors of a size.
    const powers = Array.from({ length: 16 }, (_, k) => 2 ** k).filter((x) => x >= min && x <= max && x % step === 0);
    return distinct(box.length === 1 ? [...ends, ...between, ...powers] : [...ends, ...between]);
  });
  const samples = lists.length === 1 ? lists[0].map((size) => [size]) : linesOf(lists);
  const random = generator(`${box.map(({ min, max }) => [min, max])}`);
  while (samples.length < many + 4 * (box.length - 1)) samples.push(randomSizes(box, random));
  return distinctSizes(samples).sort((a, b) => a.reduce((sum, size, k) => sum || size - b[k], 0));
}

/** Returns further sizes of a box. */
export function heldOut(box: Box, samples: readonly Sizes[]): Sizes[] {
  const random = generator(`further ${box.map(({ min, max }) => [min, max])}`);
  const known = new Set(samples.map(String));
  return Array.from({ length: 4 * further }, () => randomSizes(box, random))
    .filter((sizes) => !known.has(String(sizes)))
    .slice(0, further);
}

/** The maximum number of sizes in which a change is looked for. */
const maxSearch = 4096;

/**
 * Returns the sizes on both sides of changes of a function of one size, with the others at their ends: the first change, the last one, and one
 * from the middle. A rounded quotient with a wrong divisor differs there from the right one.
 */
export function changesOf(box: Box, at: (sizes: Sizes) => number): Sizes[] {
  return box.flatMap(({ min, max, step }, axis) => {
    const others = box.map(({ max: end }) => end);
    const middle = min + Math.floor((max - min) / step / 2) * step;
    const search = (from: number, direction: number): Sizes[] => {
      for (let k = 0; k < maxSearch; k++) {
        const sizes = others.with(axis, from + k * direction);
        const next = others.with(axis, from + (k + 1) * direction);
        if (next[axis] < min || next[axis] > max) return [];
        if (at(sizes) !== at(next)) return [sizes, next];
      }
      return [];
    };
    return [...search(min, step), ...search(middle, step), ...search(max, -step)];
  });
}

/** Every value of each size, with the others at each of their ends; and the corners. */
function linesOf(lists: readonly (readonly number[])[]): Sizes[] {
  return lists.flatMap((values, axis) => {
    let ends: Sizes[] = [[]];
    lists.forEach((list, k) => {
      const own = k === axis ? values : [list[0], list[list.length - 1]];
      ends = ends.flatMap((sizes) => own.map((size) => [...sizes, size]));
    });
    return ends;
  });
}

/** All sizes of a box, the last one fastest. */
export function allOf(box: Box): Sizes[] {
  let all: Sizes[] = [[]];
  for (const { min, max, step } of box) {
    const sizes = Array.from({ length: (max - min) / step + 1 }, (_, k) => min + k * step);
    all = all.flatMap((before) => sizes.map((size) => [...before, size]));
  }
  return all;
}

const distinct = (values: readonly number[]): number[] => [...new Set(values)];

const distinctSizes = (all: readonly Sizes[]): Sizes[] => [
  ...new Map(all.map((sizes) => [String(sizes), sizes])).values(),
];

const randomSizes = (box: Box, random: () => number): Sizes =>
  box.map(({ min, max, step }) => {
    const count = (max - min) / step;
    // Small sizes are as likely as large ones.
    return min + Math.floor((count + 1) ** random() - 1 + 1e-9) * step;
  });

/** Random numbers that depend on a text only, so that a module is the same each time. */
function generator(seed: string): () => number {
  let state = [...seed].reduce((sum, each) => (Math.imul(sum, 31) + each.charCodeAt(0)) | 0, 7);
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Returns the last size before a change along an axis, between two points that differ in this size only. */
export function boundaryBetween(
  a: Sizes,
  b: Sizes,
  axis: number,
  step: number,
  isSame: (sizes: Sizes) => boolean,
): number {
  const before = isSame(a);
  let [low, high] = [a[axis], b[axis]];
  while (high - low > step) {
    const middle = low + Math.floor((high - low) / step / 2) * step;
    if (isSame(a.with(axis, middle)) === before) low = middle;
    else high = middle;
  }
  return low;
}

/** Splits a box after a size of an axis. */
export function splitAt(box: Box, axis: number, last: number): Box[] {
  const range = box[axis];
  return [box.with(axis, { ...range, max: last }), box.with(axis, { ...range, min: last + range.step })];
}

/** Splits a box along its longest axis, at the geometric mean of its ends; nothing for a box of one point. */
export function halves(box: Box): Box[] {
  const ratios = box.map(({ min, max }) => max / min);
  const axis = ratios.indexOf(Math.max(...ratios));
  if (axis < 0 || ratios[axis] === 1) return [];
  const { min, max, step } = box[axis];
  const middle = min + Math.floor((Math.sqrt(min * max) - min) / step) * step;
  return splitAt(box, axis, Math.min(middle, max - step));
}
