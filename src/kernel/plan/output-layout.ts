/**
 * The strides of a fresh output, chosen as PyTorch's TensorIterator chooses them: dense, in the memory order of the inputs.
 * Axes are listed as in torch, the last one the fastest where nothing else is known. A step down counts as a step up of the same
 * length (PyTorch has none). Nested operands of one profile use this on their leaves; that is the caller's business.
 */

/**
 * Strides for an output of this shape; `inputs[k]` are the strides of input k, 0 in each axis that it lacks or repeats.
 * `sameShape` says that every input has exactly this shape without being broadcast; it changes only strides of axes of size 1.
 *
 * Promises: the result is dense (each offset below the size, once); row-major if no input tells axes apart in another order.
 */
export function outputStrides(
  shape: readonly number[],
  inputs: readonly (readonly number[])[],
  sameShape = true,
): number[] {
  if (sameShape) {
    if (areAllRowMajor(shape, inputs)) return rowMajorStrides(shape);
    if (shape.length === 4 && areAllChannelsLast(shape, inputs)) return denseStrides(shape, channelsLast, 1);
    if (areAlikeAndDense(shape, inputs)) return inputs[0].slice();
  }
  const order = memoryOrder(shape, inputs);
  for (let i = 0; i < order.length; i++) if (order[i] !== order.length - 1 - i) return denseStrides(shape, order, 0);
  return rowMajorStrides(shape);
}

/** Dense strides, the last axis the fastest; an axis of size 0 counts as 1. */
export function rowMajorStrides(shape: readonly number[]): number[] {
  const strides = shape.slice();
  for (let axis = shape.length - 1, dense = 1; axis >= 0; axis--) {
    strides[axis] = dense;
    dense *= Math.max(shape[axis], 1);
  }
  return strides;
}

/** The axes of an image batch (batch, channel, row, column), the fastest first, where all channels of a pixel lie together. */
const channelsLast: readonly number[] = [1, 3, 2, 0];

/** Dense strides of axes listed the fastest first; sizes count at least as `least`. */
function denseStrides(shape: readonly number[], order: readonly number[], least: number): number[] {
  const strides = shape.slice();
  for (let i = 0, dense = 1; i < order.length; i++) {
    const axis = order[i];
    strides[axis] = dense;
    dense *= Math.max(shape[axis], least);
  }
  return strides;
}

function areAllRowMajor(shape: readonly number[], inputs: readonly (readonly number[])[]): boolean {
  let dense = 1;
  let fits = true;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis];
    if (size === 0) return true;
    if (size === 1 || !fits) continue;
    for (let k = 0; k < inputs.length; k++) if (inputs[k][axis] !== dense) fits = false;
    dense *= size;
  }
  return fits;
}

function areAllChannelsLast(shape: readonly number[], inputs: readonly (readonly number[])[]): boolean {
  let dense = 1;
  for (let i = 0; i < 4; i++) {
    const axis = channelsLast[i];
    if (shape[axis] === 1) continue;
    for (let k = 0; k < inputs.length; k++) if (inputs[k][axis] !== dense) return false;
    dense *= shape[axis];
  }
  return true;
}

/** True if and only if all inputs have the same strides, and those are dense in some order of the axes. */
function areAlikeAndDense(shape: readonly number[], inputs: readonly (readonly number[])[]): boolean {
  const first = inputs[0];
  if (first === undefined) return false;
  let count = 1;
  for (let axis = 0; axis < shape.length; axis++) {
    count *= shape[axis];
    for (let k = 1; k < inputs.length; k++) if (inputs[k][axis] !== first[axis]) return false;
  }
  let dense = 1;
  while (dense < count) {
    let axis = 0;
    while (axis < shape.length && (first[axis] !== dense || shape[axis] === 1)) axis++;
    if (axis === shape.length) return false;
    dense *= shape[axis];
  }
  return true;
}

/** The axes in the order of the inputs' memory, the fastest first: an insertion sort in which two axes may stay unordered. */
function memoryOrder(shape: readonly number[], inputs: readonly (readonly number[])[]): number[] {
  const order: number[] = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) order.push(axis);
  for (let i = 1; i < order.length; i++) {
    let at = i;
    for (let below = i - 1; below >= 0; below--) {
      const inner = order[below];
      const outer = order[at];
      const comparison = compareAxes(shape, inputs, inner, outer);
      if (comparison < 0) break;
      if (comparison === 0) continue;
      // Unordered axes in between stay where they are, as in PyTorch.
      order[below] = outer;
      order[at] = inner;
      at = below;
    }
  }
  return order;
}

/** -1 if axis a is inside axis b, 1 if outside, 0 if no input tells: one that repeats along either axis does not. */
function compareAxes(shape: readonly number[], inputs: readonly (readonly number[])[], a: number, b: number): number {
  for (let k = 0; k < inputs.length; k++) {
    const of = inputs[k];
    const strideA = Math.abs(of[a]);
    const strideB = Math.abs(of[b]);
    if (strideA === 0 || strideB === 0) continue;
    if (strideA !== strideB) return strideA < strideB ? -1 : 1;
    if (shape[a] > shape[b]) return 1;
  }
  return 0;
}
