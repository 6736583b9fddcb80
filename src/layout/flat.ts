/**
 * The flat layout: sizes, and for each of several operands its strides and its first element, as plain numbers. It is the form in which
 * loops, kernels, copies, reductions and products take layouts. A hierarchical layout becomes a flat one by listing its leaves; a swizzled
 * one has no strides and is handled where it is met.
 *
 * Operand k has its element of coordinate c at starts[k] + sum over d of c[d] * strides[k][d]. Where the order of the elements matters, mode
 * 0 is the fastest: index i has the coordinate whose digits in the mixed radix of `sizes` are i, the first the lowest.
 */

export interface FlatLayout {
  readonly sizes: readonly number[];
  /** `strides[k][d]` is the step of operand k in mode d. */
  readonly strides: readonly (readonly number[])[];
  /** The first element of each operand. */
  readonly starts: readonly number[];
}

/** The layout of one operand. */
export const flatLayout = (sizes: readonly number[], strides: readonly number[], start = 0): FlatLayout => ({
  sizes,
  strides: [strides],
  starts: [start],
});

/** The same modes in the opposite order: from row-major axes to modes, and back. */
export const reversed = ({ sizes, strides, starts }: FlatLayout): FlatLayout => ({
  sizes: sizes.toReversed(),
  strides: strides.map((of) => of.toReversed()),
  starts,
});

/**
 * The part of a layout with `size` rounds of a mode from round `from`. A mode of one round disappears.
 *
 * Promises: for each operand, coordinate c of the part is coordinate c + from (in this mode) of the whole.
 */
export function sliceMode(
  { sizes, strides, starts }: FlatLayout,
  mode: number,
  from: number,
  size: number,
): FlatLayout {
  const without = <T>(list: readonly T[]): T[] => list.filter((_, d) => d !== mode);
  return {
    sizes: size === 1 ? without(sizes) : sizes.with(mode, size),
    strides: size === 1 ? strides.map(without) : strides,
    starts: starts.map((start, k) => start + from * stepOf(strides, k, mode)),
  };
}

/** The strides of an operand over other sizes, whose last axes it has, or 1 in their place; 0 where it repeats. */
export function expandStrides(
  sizes: readonly number[],
  strides: readonly number[],
  to: readonly number[],
): readonly number[] {
  const added = to.length - sizes.length;
  return to.map((size, axis) => (axis < added || sizes[axis - added] !== size ? 0 : strides[axis - added]));
}

/** The lowest and highest offset that sizes, none of them 0, reach with these strides from `start`. */
export function reachOf(
  sizes: readonly number[],
  strides: readonly number[],
  start = 0,
): readonly [low: number, high: number] {
  let low = start;
  let high = start;
  for (let d = 0; d < sizes.length; d++) {
    const reach = (sizes[d] - 1) * strides[d];
    if (reach < 0) low += reach;
    else high += reach;
  }
  return [low, high];
}

/** Offsets from the lowest to the highest element, the first one not counted. */
export function extentOf(sizes: readonly number[], strides: readonly number[]): number {
  const [low, high] = reachOf(sizes, strides);
  return high - low;
}

/**
 * The layout with modes of size 1 dropped, and neighbors merged where every operand steps through two as through one.
 *
 * Promises: every operand has the same offset at every index; no two neighbors of the result can be merged.
 */
export function coalesceFlat(layout: FlatLayout): FlatLayout {
  const { sizes, strides, starts } = layout;
  const axes: number[] = [];
  for (let d = 0; d < sizes.length; d++) if (sizes[d] !== 1) axes.push(d);
  return mergeInOrder(axes, sizes, starts, strides, false);
}

/**
 * The layout with the modes through which every operand goes on in memory, element after element, as mode 0, the run; it may have size 1.
 *
 * Promises: all operands have stride 1 in mode 0, and no other mode of the result continues it for all of them.
 */
export function runFirst({ sizes, strides, starts }: FlatLayout): FlatLayout {
  const rest: number[] = [];
  for (let d = 0; d < sizes.length; d++) if (sizes[d] !== 1) rest.push(d);
  let run = 1;
  for (let at = 0; at < rest.length; at++) {
    if (!isStep(strides, rest[at], run)) continue;
    run *= sizes[rest[at]];
    rest.splice(at, 1);
    at = -1;
  }
  return {
    sizes: [run, ...rest.map((d) => sizes[d])],
    strides: strides.map((of) => [1, ...rest.map((d) => of[d])]),
    starts,
  };
}

/** True if and only if all operands have this step in a mode. */
function isStep(strides: FlatLayout["strides"], mode: number, step: number): boolean {
  for (let k = 0; k < strides.length; k++) if (strides[k][mode] !== step) return false;
  return true;
}

/**
 * The layout with as few modes as possible, in any order of its elements: what a kernel iterates over. Modes of size 1 vanish; the others
 * are sorted by the first operand that moves in them (outputs come first), its smallest step innermost; turned so that this operand moves
 * upwards; and merged. The modes may be listed in any order, row-major ones are the quickest, and no size is 0. With `idempotent`,
 * visiting an element twice is as good as once, and modes in which no operand moves are dropped.
 *
 * Promises: the tuples of offsets over all coordinates are those of the argument, each as often as before, or once in place of each dropped
 * round; simplifying the result returns an equal layout. The order of the elements may change.
 */
export function simplifyFlat(
  sizes: readonly number[],
  starts: readonly number[],
  strides: readonly (readonly number[])[],
  idempotent = false,
): FlatLayout {
  if (areDense(sizes, strides)) return oneMode(sizes, starts, strides);
  return mergeInOrder(sortedAxes(sizes, strides, idempotent), sizes, starts, strides, true);
}

/**
 * One layout for the operands of several, which cut the same index range differently; undefined if there is none. There is one if and only
 * if, once each layout is coalesced, of any two cuts the smaller one divides the larger one.
 *
 * Promises: every operand of every layout has the same offset at every index; undefined if and only if no flat layout does that.
 */
export function refineFlat(layouts: readonly FlatLayout[]): FlatLayout | undefined {
  const starts: number[] = [];
  for (let l = 0; l < layouts.length; l++) starts.push(...layouts[l].starts);
  if (areCongruent(layouts)) {
    const strides: (readonly number[])[] = [];
    for (let l = 0; l < layouts.length; l++) strides.push(...layouts[l].strides);
    return { sizes: layouts[0].sizes, strides, starts };
  }
  const merged = layouts.map(coalesceFlat);
  // Of each layout: the mode in hand, the part of it that is already cut off, and what is left of its size.
  const modes = merged.map(() => 0);
  const done = merged.map(() => 1);
  const left = merged.map((layout) => layout.sizes[0] ?? 1);
  const strides: number[][] = starts.map(() => []);
  const sizes: number[] = [];
  for (;;) {
    const size = Math.min(...left);
    if (left.some((rest) => (size <= 1 ? rest !== 1 : rest % size !== 0))) return undefined;
    if (size <= 1) return { sizes, strides, starts };
    sizes.push(size);
    let operand = 0;
    for (let l = 0; l < merged.length; l++) {
      const layout = merged[l];
      for (let k = 0; k < layout.strides.length; k++)
        strides[operand++].push(done[l] * stepOf(layout.strides, k, modes[l]));
      done[l] = done[l] * size;
      left[l] = left[l] / size;
      if (left[l] !== 1) continue;
      modes[l] = modes[l] + 1;
      done[l] = 1;
      left[l] = layout.sizes[modes[l]] ?? 1;
    }
  }
}

const stepOf = (strides: FlatLayout["strides"], operand: number, mode: number): number => strides[operand][mode];

/** The modes in `axes`, in this order, merged where they continue each other; turned upwards if `isTurned`. */
function mergeInOrder(
  axes: readonly number[],
  shape: readonly number[],
  starts: readonly number[],
  strides: FlatLayout["strides"],
  isTurned: boolean,
): FlatLayout {
  // Copies, to be overwritten, have the right length at once; arrays that grow from nothing take more time and memory.
  const sizes = axes.slice();
  const steps = strides.slice() as number[][];
  for (let k = 0; k < steps.length; k++) steps[k] = axes.slice();
  const moved = starts.slice();
  let last = -1;
  for (let i = 0; i < axes.length; i++) {
    const axis = axes[i];
    const size = shape[axis];
    const sign = isTurned ? directionOf(strides, axis) : 1;
    const merges = last >= 0 && continues(steps, last, sizes[last], strides, axis, sign);
    if (!merges) last++;
    sizes[last] = merges ? sizes[last] * size : size;
    for (let k = 0; k < strides.length; k++) {
      const stride = stepOf(strides, k, axis);
      if (sign < 0) moved[k] = moved[k] + (size - 1) * stride;
      if (!merges) steps[k][last] = sign < 0 ? 0 - stride : stride;
    }
  }
  while (sizes.length > last + 1) {
    sizes.pop();
    for (let k = 0; k < steps.length; k++) steps[k].pop();
  }
  return { sizes, strides: steps, starts: moved };
}

function areCongruent(layouts: readonly FlatLayout[]): boolean {
  const { sizes } = layouts[0];
  for (let l = 1; l < layouts.length; l++) {
    const other = layouts[l].sizes;
    if (other.length !== sizes.length) return false;
    for (let d = 0; d < sizes.length; d++) if (other[d] !== sizes[d]) return false;
  }
  return true;
}
/** True if every operand is dense in row-major order: the usual case, and the quickest to plan. */
function areDense(shape: readonly number[], strides: readonly (readonly number[])[]): boolean {
  let dense = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis];
    if (size === 1) continue;
    for (let k = 0; k < strides.length; k++) if (strides[k][axis] !== dense) return false;
    dense *= size;
  }
  return true;
}

const noSteps: readonly number[] = [];
const unitStep: readonly number[] = [1];

function oneMode(
  shape: readonly number[],
  starts: readonly number[],
  strides: readonly (readonly number[])[],
): FlatLayout {
  let count = 1;
  for (let axis = 0; axis < shape.length; axis++) count *= shape[axis];
  const steps = strides.slice();
  for (let k = 0; k < steps.length; k++) steps[k] = count === 1 ? noSteps : unitStep;
  return { sizes: count === 1 ? noSteps : [count], strides: steps, starts: starts.slice() };
}

/** The axes that become modes, innermost first. */
function sortedAxes(
  shape: readonly number[],
  strides: readonly (readonly number[])[],
  idempotent: boolean,
): readonly number[] {
  const axes = shape.slice();
  let count = 0;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] === 1 || (idempotent && directionOf(strides, axis) === 0)) continue;
    let at = count++;
    for (; at > 0 && isInside(shape, strides, axis, axes[at - 1]); at--) axes[at] = axes[at - 1];
    axes[at] = axis;
  }
  while (axes.length > count) axes.pop();
  return axes;
}

/**
 * True if and only if axis a belongs inside axis b: by the first operand that moves in each, then all operands in turn, then size,
 * then direction. Only axes alike in all of these are unordered.
 */
function isInside(shape: readonly number[], strides: readonly (readonly number[])[], a: number, b: number): boolean {
  let difference = firstStep(strides, a) - firstStep(strides, b);
  for (let k = 0; difference === 0 && k < strides.length; k++) {
    const of = strides[k];
    difference = Math.abs(of[a]) - Math.abs(of[b]);
  }
  if (difference !== 0) return difference < 0;
  difference = shape[a] - shape[b];
  const signA = directionOf(strides, a);
  const signB = directionOf(strides, b);
  for (let k = 0; difference === 0 && k < strides.length; k++) {
    const of = strides[k];
    difference = signA * of[a] - signB * of[b];
  }
  return difference < 0;
}

/** How far the first operand that moves in the axis goes in one step; without one, farther than any. */
function firstStep(strides: readonly (readonly number[])[], axis: number): number {
  for (let k = 0; k < strides.length; k++) {
    const stride = strides[k][axis];
    if (stride !== 0) return Math.abs(stride);
  }
  return Number.MAX_SAFE_INTEGER;
}

/** 1 if the first operand that moves in the axis moves upwards, -1 if downwards, 0 if none moves. */
function directionOf(strides: readonly (readonly number[])[], axis: number): number {
  for (let k = 0; k < strides.length; k++) {
    const stride = strides[k][axis];
    if (stride !== 0) return stride < 0 ? -1 : 1;
  }
  return 0;
}

/** True if and only if, for every operand, one step in the axis is as far as all `size` steps of mode `last`. */
function continues(
  steps: readonly (readonly number[])[],
  last: number,
  size: number,
  strides: readonly (readonly number[])[],
  axis: number,
  sign: number,
): boolean {
  for (let k = 0; k < steps.length; k++) if (size * steps[k][last] !== sign * strides[k][axis]) return false;
  return true;
}
