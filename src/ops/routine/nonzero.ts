/**
 * Indices of the elements of a mask that are set, and coordinates of flat indices. Both orders are row-major.
 */

/** Returns the indices of the elements that are not 0, ascending. */
export function nonzeroIndices(mask: Uint8Array): Int32Array {
  let count = 0;
  for (let i = 0; i < mask.length; i++) if (mask[i] !== 0) count++;
  const indices = new Int32Array(count);
  for (let i = 0, at = 0; at < count; i++) if (mask[i] !== 0) indices[at++] = i;
  return indices;
}

/**
 * Returns the coordinates of row-major indices in a shape: one row of shape.length numbers per index, or with `byAxis` one row of
 * indices.length numbers per axis.
 */
export function unravelIndices(indices: Int32Array, shape: readonly number[], byAxis: boolean): Int32Array {
  const count = indices.length;
  const rank = shape.length;
  const coords = new Int32Array(count * rank);
  const perIndex = byAxis ? 1 : rank;
  const perAxis = byAxis ? count : 1;
  for (let i = 0; i < count; i++) {
    let rest = indices[i]!;
    for (let axis = rank - 1; axis >= 0; axis--) {
      const size = shape[axis]!;
      const outer = Math.floor(rest / size);
      coords[i * perIndex + axis * perAxis] = rest - outer * size;
      rest = outer;
    }
  }
  return coords;
}
