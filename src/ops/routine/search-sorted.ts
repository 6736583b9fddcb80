/**
 * Binary search in sorted rows, and membership. NaN is the largest number, -0 equals 0, as in a sort.
 * Boundaries and values are of one kind; who has two dtypes converts.
 */

import { type Keys, keysOf, nanKey } from "./order-keys.ts";
import { sortRows } from "./sort.ts";
import type { Values } from "./values.ts";

/**
 * Where each value would be inserted into its row of sorted boundaries, into `out` (rows * per). Boundaries that all
 * values share are one row.
 *
 * Promises: out = the number of boundaries before the value, or where `right` is set, before it or equal to it.
 */
export function searchSortedRows(
  boundaries: Values,
  rows: number,
  n: number,
  values: Values,
  per: number,
  right: boolean,
  out: Int32Array,
): void {
  const bounds = keysOf(boundaries);
  const keys = keysOf(values);
  for (let row = 0; row < rows; row++)
    for (let i = row * per; i < (row + 1) * per; i++) out[i] = place(bounds, row * n, n, keys, i, right) - row * n;
}

/** The first position from `begin` whose bound is not before the key, or where `right` is set, is after it. */
function place(bounds: Keys, begin: number, n: number, keys: Keys, i: number, right: boolean): number {
  const { high, low } = bounds;
  const keyHigh = keys.high[i]!;
  const keyLow = low === null ? 0 : keys.low![i]!;
  let end = begin + n;
  while (begin < end) {
    const middle = (begin + end) >>> 1;
    const boundHigh = high[middle]!;
    let difference = boundHigh - keyHigh;
    if (difference === 0 && low !== null) difference = low[middle]! - keyLow;
    if (difference < 0 || (right && difference === 0)) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

/** out[i] = 1 if some element of `among` equals values[i], else 0; NaN equals nothing. */
export function isin<V extends Values>(values: V, among: V, out: Uint8Array): void {
  const n = among.length;
  const sorted = among.slice() as V;
  sortRows(among, 1, n, false, sorted);
  const bounds = keysOf(sorted);
  const keys = keysOf(values);
  for (let i = 0; i < values.length; i++) {
    const high = keys.high[i]!;
    const at = place(bounds, 0, n, keys, i, false);
    const isSame = at < n && bounds.high[at] === high && (bounds.low === null || bounds.low[at] === keys.low![i]);
    out[i] = isSame && !(keys.floating && high === nanKey) ? 1 : 0;
  }
}
