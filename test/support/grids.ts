/**
 * The plain model of a tensor: a shape and its elements in row-major order, without strides or sharing. Every view is a
 * rule that maps an index to an element, written like its definition.
 */

/** Elements in row-major order. */
export interface Grid {
  readonly shape: readonly number[];
  readonly cells: readonly number[];
}

type Index = readonly number[];

/** The grid whose element at each index is the result of `cell`. */
export function grid(shape: readonly number[], cell: (index: Index) => number): Grid {
  const count = shape.reduce((a, b) => a * b, 1);
  const index = shape.map(() => 0);
  const cells: number[] = [];
  for (let i = 0; i < count; i++) {
    cells.push(cell(index));
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index[axis] = (index[axis] as number) + 1;
      if ((index[axis] as number) < (shape[axis] as number)) break;
      index[axis] = 0;
    }
  }
  return { shape: shape.slice(), cells };
}

/** The element at an index. */
export function cellAt({ shape, cells }: Grid, index: Index): number {
  let at = 0;
  for (let axis = 0; axis < shape.length; axis++) at = at * (shape[axis] as number) + (index[axis] as number);
  return cells[at] as number;
}

/** The grid of a different shape whose element at each index is that of `from` at the index that `source` returns. */
export const regrid = (from: Grid, shape: readonly number[], source: (index: Index) => Index): Grid =>
  grid(shape, (index) => cellAt(from, source(index)));

/** The same elements under a different shape. */
export const reshaped = (from: Grid, shape: readonly number[]): Grid => ({ shape, cells: from.cells });

export const permuted = (from: Grid, order: readonly number[]): Grid =>
  regrid(
    from,
    order.map((axis) => from.shape[axis] as number),
    (index) => from.shape.map((_size, axis) => index[order.indexOf(axis)] as number),
  );

export const selected = (from: Grid, axis: number, at: number): Grid =>
  regrid(from, from.shape.toSpliced(axis, 1), (index) => index.toSpliced(axis, 0, at));

/** The elements `list` of one axis. */
export const picked = (from: Grid, axis: number, list: readonly number[]): Grid =>
  regrid(from, from.shape.with(axis, list.length), (index) => index.with(axis, list[index[axis] as number] as number));

export const expanded = (from: Grid, shape: readonly number[]): Grid => {
  const added = shape.length - from.shape.length;
  return regrid(from, shape, (index) =>
    index.slice(added).map((i, axis) => ((from.shape[axis] as number) === 1 ? 0 : i)),
  );
};

/** The elements whose indices on two axes differ by `offset`, as the last axis. */
export function diagonalOf(from: Grid, offset: number, first: number, second: number): Grid {
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0; i < (from.shape[first] as number); i++)
    if (i + offset >= 0 && i + offset < (from.shape[second] as number)) pairs.push([i, i + offset]);
  const others = from.shape.map((_size, axis) => axis).filter((axis) => axis !== first && axis !== second);
  return regrid(from, [...others.map((axis) => from.shape[axis] as number), pairs.length], (index) => {
    const [i, j] = pairs[index.at(-1) as number] as readonly [number, number];
    return from.shape.map((_size, axis) =>
      axis === first ? i : axis === second ? j : (index[others.indexOf(axis)] as number),
    );
  });
}

/** Every window of `size` elements of one axis, `step` apart; the window is the last axis. */
export function windowsOf(from: Grid, axis: number, size: number, step: number): Grid {
  let count = 0;
  for (let start = 0; start + size <= (from.shape[axis] as number); start += step) count++;
  return regrid(from, [...from.shape.with(axis, count), size], (index) =>
    index.slice(0, -1).with(axis, (index[axis] as number) * step + (index.at(-1) as number)),
  );
}

/** The indices of a Python slice. */
export function sliceIndices(size: number, start: number | null, stop: number | null, step: number): number[] {
  const indices: number[] = [];
  const wrap = (bound: number): number => (bound < 0 ? bound + size : bound);
  const from = start === null ? (step > 0 ? 0 : size - 1) : wrap(start);
  const to = stop === null ? (step > 0 ? size : -1) : wrap(stop);
  // A start outside the axis is clamped to the nearest end.
  let i = step > 0 ? Math.max(from, 0) : Math.min(from, size - 1);
  for (; step > 0 ? i < Math.min(to, size) : i > Math.max(to, -1); i += step) indices.push(i);
  return indices;
}
