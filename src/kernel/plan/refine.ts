/**
 * Common refinement: operands whose leaf modes cut the same 1-D index range differently, brought to one list of sizes.
 * A list can be found if and only if, once each operand is coalesced, of any two cuts the smaller one divides the larger one.
 * What the caller does when there is none is its own business.
 */

/** Leaf modes, the first one the fastest. */
export interface Leaves {
  readonly shape: readonly number[];
  readonly stride: readonly number[];
}

/** Sizes, the first one the fastest, and for each operand its stride in each of them: `strides[operand][mode]`. */
export interface Refined {
  readonly sizes: readonly number[];
  readonly strides: readonly (readonly number[])[];
}

/**
 * One list of sizes that serves all operands (at least one, none of size 0), or undefined if there is none.
 *
 * Promises: with c the digits of i in the mixed radix of `sizes` (the first the lowest digit), for every operand k and every
 * 0 <= i < size, operands[k](i) = sum over d of c[d] * strides[k][d]; undefined if and only if no list of sizes and strides does that.
 */
export function commonRefinement(operands: readonly Leaves[]): Refined | undefined {
  const first = operands[0] as Leaves;
  const strides: number[][] = [];
  if (areCongruent(operands)) {
    for (let k = 0; k < operands.length; k++) strides.push((operands[k] as Leaves).stride as number[]);
    return { sizes: first.shape, strides };
  }
  // Of each operand: the next leaf to read, what is left of the size in hand, and its stride.
  const next: number[] = [];
  const left: number[] = [];
  const step: number[] = [];
  for (let k = 0; k < operands.length; k++) {
    next.push(0);
    left.push(1);
    step.push(0);
    strides.push([]);
  }
  const sizes: number[] = [];
  for (;;) {
    let size = Infinity;
    for (let k = 0; k < operands.length; k++) {
      if (left[k] === 1) readMode(operands[k] as Leaves, k, next, left, step);
      size = Math.min(size, left[k] as number);
    }
    for (let k = 0; k < operands.length; k++) if (size <= 1 ? left[k] !== 1 : (left[k] as number) % size !== 0) return;
    if (size <= 1) return { sizes, strides };
    sizes.push(size);
    for (let k = 0; k < operands.length; k++) {
      const stride = step[k] as number;
      (strides[k] as number[]).push(stride);
      left[k] = (left[k] as number) / size;
      step[k] = stride * size;
    }
  }
}

function areCongruent(operands: readonly Leaves[]): boolean {
  const { shape } = operands[0] as Leaves;
  for (let k = 1; k < operands.length; k++) {
    const other = (operands[k] as Leaves).shape;
    if (other.length !== shape.length) return false;
    for (let d = 0; d < shape.length; d++) if (other[d] !== shape[d]) return false;
  }
  return true;
}

/** Takes operand k's next leaf in hand, with all leaves after it that continue it; leaves 1 in hand if there is none. */
function readMode({ shape, stride }: Leaves, k: number, next: number[], left: number[], step: number[]): void {
  let at = next[k] as number;
  while (at < shape.length && shape[at] === 1) at++;
  if (at < shape.length) {
    let size = shape[at] as number;
    const unit = stride[at++] as number;
    for (; at < shape.length && (shape[at] === 1 || stride[at] === size * unit); at++) size *= shape[at] as number;
    left[k] = size;
    step[k] = unit;
  }
  next[k] = at;
}
