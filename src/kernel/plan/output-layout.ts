/**
 * The strides of a new output, chosen as by PyTorch's TensorIterator: dense, in the memory order of the inputs.
 * Axes are in PyTorch's order, the last one the fastest by default. A negative stride counts as its absolute value (PyTorch has none).
 * Nested operands with one profile use this on their leaves.
 */

/**
 * Returns strides for an output of this shape. `inputs[k]` are the strides of input k, 0 in axes that it lacks or repeats. `sameShape` is true
 * if no input is broadcast; it affects only strides of axes of size 1.
 *
 * Postconditions: the result is dense (each offset below the size, once), and row-major unless an input orders two axes otherwise.
 */
export function outputStrides(
  shape: readonly number[],
  inputs: readonly (readonly number[])[],
  sameShape = true,
): number[] {
  if (sameShape) {
    if (areAllRowMajor(shape, inputs)) return rowMajorStrides(shape);
    if (shape.length === 4 && areAllChannelsLast(shape, inputs)) return denseStrides(shape, channelsLast, 1);
    if (areEqualAndDense(shape, inputs)) return inputs[0].slice();
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

/** The axes of an image batch (batch, channel, row, column) in the channels-last format, the fastest first. */
const channelsLast: readonly number[] = [1, 3, 2, 0];

/** Dense strides for axes in this order, the fastest first; sizes below `least` count as `least`. */
function denseStrides(shape: readonly number[], order: readonly number[], min: number): number[] {
  const strides = shape.slice();
  for (let i = 0, dense = 1; i < order.length; i++) {
    const axis = order[i];
    strides[axis] = dense;
    dense *= Math.max(shape[axis], min);
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
function areEqualAndDense(shape: readonly number[], inputs: readonly (readonly number[])[]): boolean {
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

/** The axes in the memory order of the inputs, the fastest first: an insertion sort in which two axes may be unordered. */
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
      // Unordered axes in between keep their positions, as in PyTorch.
      order[below] = outer;
      order[at] = inner;
      at = below;
    }
  }
  return order;
}

/** -1 if axis a is inside axis b, 1 if outside, 0 if no input orders them: an input that repeats along one of them does not. */
function compareAxes(shape: readonly number[], inputs: readonly (readonly number[])[], a: number, b: number): number {
  for (let k = 0; k < inputs.length; k++) {
    const input = inputs[k];
    const strideA = Math.abs(input[a]);
    const strideB = Math.abs(input[b]);
    if (strideA === 0 || strideB === 0) continue;
    if (strideA !== strideB) return strideA < strideB ? -1 : 1;
    if (shape[a] > shape[b]) return 1;
  }
  return 0;
}
