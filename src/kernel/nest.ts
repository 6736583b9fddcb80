/**
 * The loop nest that visits several strided operands of one shape together, in as few loops as possible.
 * Loops of size 1 vanish and neighbours merge where every operand steps through them as through one. If the order of visits
 * is free, loops are also sorted, smallest strides innermost, turned to run upwards, and dropped where no operand moves.
 * Which elements meet never changes: operand k of a visit is always at the same coordinate as operand 0.
 */

/** Loops outermost first; `strides[k][d]` is the step of operand k in loop d, `starts[k]` where operand k begins. */
export interface Nest {
  readonly sizes: number[];
  readonly strides: number[][];
  readonly starts: number[];
}

/** Whether visits follow the row-major order of the shape, or any order that is fast. */
export type VisitOrder = "row-major" | "free";

/** The nest of operands of one shape without a 0 in it; the first operand decides the order when that is free. */
export function planNest(
  shape: readonly number[],
  starts: readonly number[],
  strides: readonly (readonly number[])[],
  order: VisitOrder,
): Nest {
  const operands = strides.length;
  if (areDense(shape, strides)) return oneLoop(shape, starts, operands);
  const nest: Nest = { sizes: [], strides: [], starts: starts.slice() };
  for (let k = 0; k < operands; k++) nest.strides.push([]);
  const axes = loopAxes(shape, strides, order);
  for (let i = 0; i < axes.length; i++) {
    const axis = axes[i] as number;
    const size = shape[axis] as number;
    const turned = order === "free" && runsDown(strides, axis);
    const last = nest.sizes.length - 1;
    const merges = last >= 0 && continues(nest, last, strides, axis, size, turned);
    if (merges) nest.sizes[last] = (nest.sizes[last] as number) * size;
    else nest.sizes.push(size);
    for (let k = 0; k < operands; k++) {
      const stride = (strides[k] as readonly number[])[axis] as number;
      if (turned) nest.starts[k] = (nest.starts[k] as number) + (size - 1) * stride;
      (nest.strides[k] as number[])[merges ? last : last + 1] = turned ? -stride : stride;
    }
  }
  return nest;
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

function oneLoop(shape: readonly number[], starts: readonly number[], operands: number): Nest {
  let count = 1;
  for (let axis = 0; axis < shape.length; axis++) count *= shape[axis] as number;
  const nest: Nest = { sizes: count === 1 ? [] : [count], strides: [], starts: starts.slice() };
  for (let k = 0; k < operands; k++) nest.strides.push(count === 1 ? [] : [1]);
  return nest;
}

/** The axes that need a loop, outermost first. */
function loopAxes(shape: readonly number[], strides: readonly (readonly number[])[], order: VisitOrder): number[] {
  const axes: number[] = [];
  for (let axis = 0; axis < shape.length; axis++) {
    if (shape[axis] === 1 || (order === "free" && isStill(strides, axis))) continue;
    let at = axes.length;
    axes.push(axis);
    if (order === "free")
      for (; at > 0 && isInside(strides, axes[at - 1] as number, axis); at--) axes[at] = axes[at - 1] as number;
    axes[at] = axis;
  }
  return axes;
}

function isStill(strides: readonly (readonly number[])[], axis: number): boolean {
  for (let k = 0; k < strides.length; k++) if ((strides[k] as readonly number[])[axis] !== 0) return false;
  return true;
}

/** True if and only if the loop over `a` belongs inside the loop over `b`, by the first operand that tells them apart. */
function isInside(strides: readonly (readonly number[])[], a: number, b: number): boolean {
  for (let k = 0; k < strides.length; k++) {
    const of = strides[k] as readonly number[];
    const difference = Math.abs(of[a] as number) - Math.abs(of[b] as number);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function runsDown(strides: readonly (readonly number[])[], axis: number): boolean {
  for (let k = 0; k < strides.length; k++) {
    const stride = (strides[k] as readonly number[])[axis] as number;
    if (stride !== 0) return stride < 0;
  }
  return false;
}

/** True if and only if, for every operand, one step of loop `last` is `size` steps of the axis. */
function continues(
  nest: Nest,
  last: number,
  strides: readonly (readonly number[])[],
  axis: number,
  size: number,
  turned: boolean,
): boolean {
  const sign = turned ? -1 : 1;
  for (let k = 0; k < strides.length; k++)
    if ((nest.strides[k] as number[])[last] !== sign * size * ((strides[k] as readonly number[])[axis] as number))
      return false;
  return true;
}

/**
 * Moves `positions` to the next turn of all loops but the `held` innermost, counting in `turns`; false after the last one.
 * Both arrays are the caller's: `turns` starts as zeros, `positions` as the starts.
 */
export function nextTurn(nest: Nest, held: number, turns: number[], positions: number[]): boolean {
  for (let d = nest.sizes.length - 1 - held; d >= 0; d--) {
    const size = nest.sizes[d] as number;
    const isLast = turns[d] === size - 1;
    turns[d] = isLast ? 0 : (turns[d] as number) + 1;
    const steps = isLast ? 1 - size : 1;
    for (let k = 0; k < positions.length; k++)
      positions[k] = (positions[k] as number) + steps * ((nest.strides[k] as number[])[d] as number);
    if (!isLast) return true;
  }
  return false;
}
