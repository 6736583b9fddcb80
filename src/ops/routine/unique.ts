/**
 * Distinct rows, in lexicographic order or in the order of their runs. Distinct elements are distinct rows of length 1.
 * -0 equals 0; NaN equals nothing, so every row with NaN is distinct.
 */
import { fillKeys, type Keys, makeKeys, nanKey } from "./order-keys.ts";
import { makeSortSpace, sortByKeys } from "./radix-sort.ts";
import type { Values } from "./values.ts";

/** Groups of equal rows. */
interface RowGroups {
  /** The first row of each group. */
  readonly first: Int32Array;
  /** The group of each row. */
  readonly inverse: Int32Array;
  /** The number of rows of each group. */
  readonly counts: Int32Array;
}

/**
 * Returns the distinct rows of `values` (rows * n). Groups are in lexicographic order, or with `consecutive` runs of equal neighbors in
 * their order. `sorted` are the rows in the order of a stable sort, if they are known.
 *
 * Postconditions: row r equals row first[inverse[r]], and counts[g] rows have inverse g.
 */
export function uniqueRows(
  values: Values,
  rows: number,
  n: number,
  consecutive: boolean,
  sorted: Int32Array | null = null,
): RowGroups {
  const keys = makeKeys(values, rows);
  const order = sorted ?? Int32Array.from({ length: rows }, (_, row) => row);
  const isFilled = !consecutive && sorted === null;
  if (isFilled) {
    const space = makeSortSpace(rows);
    const work = new Uint32Array(rows);
    for (let column = n - 1; column >= 0; column--) {
      fillKeys(keys, column, n, rows, false);
      sortByKeys(order, keys, work, rows, space);
    }
  }
  const starts = new Uint8Array(rows);
  starts[0] = 1;
  for (let column = 0; column < n; column++) {
    if (column > 0 || !isFilled) fillKeys(keys, column, n, rows, false);
    markDifferences(keys, order, starts);
  }
  return groups(order, starts);
}

/** Sets starts[i] where row order[i] differs from the one before it in these keys. */
function markDifferences({ high, low, floating }: Keys, order: Int32Array, starts: Uint8Array): void {
  for (let i = 1; i < order.length; i++) {
    const a = order[i - 1]!;
    const b = order[i]!;
    if (high[a] !== high[b] || (low !== null && low[a] !== low[b]) || (floating && high[b] === nanKey)) starts[i] = 1;
  }
}

function groups(order: Int32Array, starts: Uint8Array): RowGroups {
  let count = 0;
  for (let i = 0; i < starts.length; i++) count += starts[i]!;
  const first = new Int32Array(count);
  const counts = new Int32Array(count);
  const inverse = new Int32Array(order.length);
  let group = -1;
  for (let i = 0; i < order.length; i++) {
    const row = order[i]!;
    if (starts[i] === 1) first[++group] = row;
    inverse[row] = group;
    counts[group]!++;
  }
  return { first, inverse, counts };
}
