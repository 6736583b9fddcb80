/**
 * The loop nest that visits several strided operands of one shape together in row-major order, in as few loops as possible.
 * Loops of size 1 vanish and neighbours merge where every operand steps through them as through one. For kernels, whose order
 * of visits is free, there is `plan/plan.ts`.
 */

/** Loops outermost first; `strides[k][d]` is the step of operand k in loop d, `starts[k]` where operand k begins. */
export interface Nest {
  readonly sizes: number[];
  readonly strides: number[][];
  readonly starts: number[];
}

/** The nest of operands of one shape without a 0 in it. */
export function planNest(
  shape: readonly number[],
  starts: readonly number[],
  strides: readonly (readonly number[])[],
): Nest {
  const nest: Nest = { sizes: [], strides: strides.map(() => []), starts: starts.slice() };
  for (let axis = 0; axis < shape.length; axis++) {
    const size = shape[axis] as number;
    if (size === 1) continue;
    const last = nest.sizes.length - 1;
    const merges = last >= 0 && continues(nest, last, strides, axis, size);
    if (merges) nest.sizes[last] = (nest.sizes[last] as number) * size;
    else nest.sizes.push(size);
    for (let k = 0; k < strides.length; k++)
      (nest.strides[k] as number[])[merges ? last : last + 1] = (strides[k] as readonly number[])[axis] as number;
  }
  return nest;
}

/** True if and only if, for every operand, one step of loop `last` is `size` steps of the axis. */
function continues(
  nest: Nest,
  last: number,
  strides: readonly (readonly number[])[],
  axis: number,
  size: number,
): boolean {
  for (let k = 0; k < strides.length; k++)
    if ((nest.strides[k] as number[])[last] !== size * ((strides[k] as readonly number[])[axis] as number))
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
