/**
 * The flat layout: sizes, and the strides and first element of several operands, as plain numbers. Loops, kernels, copies, reductions and
 * products take layouts in this form. A hierarchical layout becomes flat by listing its leaves. A swizzled layout has no strides, so callers
 * handle it separately.
 *
 * The element of operand k at coordinate c is at starts[k] + sum over d of c[d] * strides[k][d]. If the order of elements matters, mode 0 is
 * the fastest: the coordinate of index i has the digits of i in the mixed radix of `sizes`, lowest digit first.
 */

export interface FlatLayout {
  readonly sizes: readonly number[];
  /** `strides[k][d]` is the step of operand k in mode d. */
  readonly strides: readonly (readonly number[])[];
  /** The first element of each operand. */
  readonly starts: readonly number[];
}

/** Returns the layout of one operand. */
export const flatLayout = (sizes: readonly number[], strides: readonly number[], start = 0): FlatLayout => ({
  sizes,
  strides: [strides],
  starts: [start],
});

/** Returns the modes in the opposite order: converts row-major axes to modes, and back. */
export const reversed = ({ sizes, strides, starts }: FlatLayout): FlatLayout => ({
  sizes: sizes.toReversed(),
  strides: strides.map((operandStrides) => operandStrides.toReversed()),
  starts,
});

/**
 * Returns `size` coordinates of a mode, starting at coordinate `from`. With size 1 the mode is removed.
 *
 * Postconditions: for each operand, coordinate c of the result is coordinate c + from (in this mode) of the argument.
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

/** Returns the strides of an operand broadcast to the sizes `to`: 0 where it repeats. */
export function expandStrides(
  sizes: readonly number[],
  strides: readonly number[],
  to: readonly number[],
): readonly number[] {
  const added = to.length - sizes.length;
  return to.map((size, axis) => (axis < added || sizes[axis - added] !== size ? 0 : strides[axis - added]));
}

/** Returns the lowest and highest offset of a layout without empty modes. */
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

/** Returns the distance from the lowest to the highest offset. */
export function extentOf(sizes: readonly number[], strides: readonly number[]): number {
  const [low, high] = reachOf(sizes, strides);
  return high - low;
}

/**
 * Drops modes of size 1, and merges adjacent modes that every operand traverses as one.
 *
 * Postconditions: every operand has the same offset at every index; no two neighbors of the result can be merged.
 */
export function coalesceFlat(layout: FlatLayout): FlatLayout {
  const { sizes, strides, starts } = layout;
  const axes: number[] = [];
  for (let d = 0; d < sizes.length; d++) if (sizes[d] !== 1) axes.push(d);
  return mergeInOrder(axes, sizes, starts, strides, false);
}

/**
 * Moves the modes in which every operand is contiguous to mode 0, the run; it may have size 1.
 *
 * Postconditions: all operands have stride 1 in mode 0, and no other mode of the result continues it for all of them.
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
    strides: strides.map((operandStrides) => [1, ...rest.map((d) => operandStrides[d])]),
    starts,
  };
}

/** Returns true if and only if all operands have this step in a mode. */
function isStep(strides: FlatLayout["strides"], mode: number, step: number): boolean {
  for (let k = 0; k < strides.length; k++) if (strides[k][mode] !== step) return false;
  return true;
}

/**
 * Returns a layout with as few modes as possible, for kernels to iterate over; the order of elements may change. Modes of size 1 are dropped.
 * The others are sorted by the step of the first operand that moves in them (outputs come first), smallest step innermost; reversed where
 * this step is negative; and merged. The modes may be in any order (row-major is the fastest), and no size is 0. With `idempotent`, visiting
 * an element twice has no effect, and modes in which no operand moves are dropped.
 *
 * Postconditions: the tuples of offsets over all coordinates are those of the argument, each as often as before, except for dropped modes.
 * Simplifying the result returns an equal layout.
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
 * Returns one layout for the operands of several layouts that split the same index range differently, or undefined if there is none. It
 * exists if and only if, after coalescing each layout, of any two boundaries between modes the smaller divides the larger.
 *
 * Postconditions: every operand of every layout has the same offset at every index; undefined if and only if no flat layout does that.
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
  // For each layout: the current mode, the part of its size that is done, and the part that is left.
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

/** Returns the modes in `axes`, in this order, merged where they continue each other. With `reverseDescending`, descending modes are reversed. */
function mergeInOrder(
  axes: readonly number[],
  shape: readonly number[],
  starts: readonly number[],
  strides: FlatLayout["strides"],
  reverseDescending: boolean,
): FlatLayout {
  // Copies are overwritten: they have the right length at once, and growing arrays takes more time and memory.
  const sizes = axes.slice();
  const steps = strides.slice() as number[][];
  for (let k = 0; k < steps.length; k++) steps[k] = axes.slice();
  const moved = starts.slice();
  let last = -1;
  for (let i = 0; i < axes.length; i++) {
    const axis = axes[i];
    const size = shape[axis];
    const sign = reverseDescending ? directionOf(strides, axis) : 1;
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
/** Returns true if every operand is dense in row-major order: the common case, and the fastest to plan. */
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

/** Returns the axes that become modes, innermost first. */
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
 * Returns true if and only if axis a belongs inside axis b: by the first operand that moves in each, then all operands in turn, then size,
 * then direction.
 */
function isInside(shape: readonly number[], strides: readonly (readonly number[])[], a: number, b: number): boolean {
  let difference = firstStep(strides, a) - firstStep(strides, b);
  for (let k = 0; difference === 0 && k < strides.length; k++) {
    const operandStrides = strides[k];
    difference = Math.abs(operandStrides[a]) - Math.abs(operandStrides[b]);
  }
  if (difference !== 0) return difference < 0;
  difference = shape[a] - shape[b];
  const signA = directionOf(strides, a);
  const signB = directionOf(strides, b);
  for (let k = 0; difference === 0 && k < strides.length; k++) {
    const operandStrides = strides[k];
    difference = signA * operandStrides[a] - signB * operandStrides[b];
  }
  return difference < 0;
}

/** Returns the absolute step of the first operand that moves in the axis, or the largest integer if none does. */
function firstStep(strides: readonly (readonly number[])[], axis: number): number {
  for (let k = 0; k < strides.length; k++) {
    const stride = strides[k][axis];
    if (stride !== 0) return Math.abs(stride);
  }
  return Number.MAX_SAFE_INTEGER;
}

/** Returns the sign of the first nonzero stride in the axis, or 0 if there is none. */
function directionOf(strides: readonly (readonly number[])[], axis: number): number {
  for (let k = 0; k < strides.length; k++) {
    const stride = strides[k][axis];
    if (stride !== 0) return stride < 0 ? -1 : 1;
  }
  return 0;
}

/** Returns true if and only if, for every operand, one step in the axis equals `size` steps of mode `last`. */
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
