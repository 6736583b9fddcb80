/**
 * The plan of a kernel over several strided operands of one shape: as few modes as possible, the fastest first.
 * Modes of size 1 vanish; the others are sorted by the first operand that moves in them (outputs come first among the operands), its
 * smallest step innermost; turned so that this operand moves upwards; and merged where every operand steps through two as through one.
 * Order is all that changes: the operands meet at the same elements, so whoever depends on the order of visits cannot use a plan.
 */

/** Modes fastest first, all sizes above 1; `strides[k][d]` is operand k's step in mode d, `starts[k]` its first element. */
export interface Plan {
  readonly sizes: readonly number[];
  readonly strides: readonly (readonly number[])[];
  readonly starts: readonly number[];
}

/**
 * The plan of operands with these strides in the axes of `shape`, which has no 0 in it; a single element has no modes. Axes may
 * be listed in any order, the result is the same; row-major ones are the quickest. `idempotent` says that visiting the same elements
 * twice is as good as once: axes in which no operand moves are then dropped.
 *
 * Promises: the tuples (starts[k] + sum over d of c[d] * strides[k][d]) for all coordinates c are those of the arguments, each as
 * often as before, or once in place of each dropped round; planning a plan gives the same plan.
 */
export function planModes(
  shape: readonly number[],
  starts: readonly number[],
  strides: readonly (readonly number[])[],
  idempotent = false,
): Plan {
  if (areDense(shape, strides)) return oneMode(shape, starts, strides);
  const axes = sortedAxes(shape, strides, idempotent);
  // Copies, to be overwritten, have the right length at once; arrays that grow from nothing take more time and memory.
  const sizes = axes.slice();
  const steps = strides.slice() as number[][];
  for (let k = 0; k < steps.length; k++) steps[k] = axes.slice();
  const moved = starts.slice();
  let last = -1;
  for (let i = 0; i < axes.length; i++) {
    const axis = axes[i] as number;
    const size = shape[axis] as number;
    const sign = directionOf(strides, axis);
    const merges = last >= 0 && continues(steps, last, sizes[last] as number, strides, axis, sign);
    if (!merges) last++;
    sizes[last] = merges ? (sizes[last] as number) * size : size;
    for (let k = 0; k < strides.length; k++) {
      const stride = (strides[k] as readonly number[])[axis] as number;
      if (sign < 0) moved[k] = (moved[k] as number) + (size - 1) * stride;
      if (!merges) (steps[k] as number[])[last] = sign < 0 ? 0 - stride : stride;
    }
  }
  while (sizes.length > last + 1) {
    sizes.pop();
    for (let k = 0; k < steps.length; k++) (steps[k] as number[]).pop();
  }
  return { sizes, strides: steps, starts: moved };
}

/** True if every operand is dense in row-major order: the usual case, and the quickest to plan. */
function areDense(shape: readonly number[], strides: readonly (readonly number[])[]): boolean {
  let dense = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] as number;
    if (size === 1) continue;
    for (let k = 0; k < strides.length; k++) if ((strides[k] as readonly number[])[axis] !== dense) return false;
    dense *= size;
  }
  return true;
}

const noSteps: readonly number[] = [];
const unitStep: readonly number[] = [1];

function oneMode(shape: readonly number[], starts: readonly number[], strides: readonly (readonly number[])[]): Plan {
  let count = 1;
  for (let axis = 0; axis < shape.length; axis++) count *= shape[axis] as number;
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
    for (; at > 0 && isInside(shape, strides, axis, axes[at - 1] as number); at--) axes[at] = axes[at - 1] as number;
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
    const of = strides[k] as readonly number[];
    difference = Math.abs(of[a] as number) - Math.abs(of[b] as number);
  }
  if (difference !== 0) return difference < 0;
  difference = (shape[a] as number) - (shape[b] as number);
  const signA = directionOf(strides, a);
  const signB = directionOf(strides, b);
  for (let k = 0; difference === 0 && k < strides.length; k++) {
    const of = strides[k] as readonly number[];
    difference = signA * (of[a] as number) - signB * (of[b] as number);
  }
  return difference < 0;
}

/** How far the first operand that moves in the axis goes in one step; without one, farther than any. */
function firstStep(strides: readonly (readonly number[])[], axis: number): number {
  for (let k = 0; k < strides.length; k++) {
    const stride = (strides[k] as readonly number[])[axis] as number;
    if (stride !== 0) return Math.abs(stride);
  }
  return Number.MAX_SAFE_INTEGER;
}

/** 1 if the first operand that moves in the axis moves upwards, -1 if downwards, 0 if none moves. */
function directionOf(strides: readonly (readonly number[])[], axis: number): number {
  for (let k = 0; k < strides.length; k++) {
    const stride = (strides[k] as readonly number[])[axis] as number;
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
  for (let k = 0; k < steps.length; k++)
    if (
      size * ((steps[k] as readonly number[])[last] as number) !==
      sign * ((strides[k] as readonly number[])[axis] as number)
    )
      return false;
  return true;
}
