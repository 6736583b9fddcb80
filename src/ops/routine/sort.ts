/**
 * Sorting rows, and searching sorted ones. Sorts are stable; NaN is the largest number, and -0 equals 0.
 * There is one sort for indices and one for values; callers that need both gather the values with `takeRows`. Boundaries and values of a
 * search have one dtype.
 */
import { fillKeys, type Keys, keysOf, makeKeys, nanKey } from "./order-keys.ts";
import { makeSortSpace, orderByKeys, sortWords } from "./radix-sort.ts";
import { bitsOf, isWide, takeRows, type Values } from "./values.ts";

/**
 * Writes the indices of each row's elements in ascending or descending order to `indices` (rows * n).
 *
 * Postconditions: a permutation of 0..n-1 per row, elements in order along it, equal elements by ascending index.
 */
export function argsortRows(values: Values, rows: number, n: number, descending: boolean, indices: Int32Array): void {
  const keys = makeKeys(values, n);
  const space = makeSortSpace(n);
  const order = rows === 1 ? indices : new Int32Array(n);
  for (let row = 0; row < rows; row++) {
    fillKeys(keys, row * n, 1, n, descending);
    orderByKeys(keys, order, n, space);
    if (order !== indices) indices.set(order, row * n);
  }
}

/** Writes each row's elements in ascending or descending order to `out`, an array of the same type in other memory. */
export function sortRows<V extends Values>(values: V, rows: number, n: number, descending: boolean, out: V): void {
  if (isWide(values)) {
    const indices = new Int32Array(rows * n);
    argsortRows(values, rows, n, descending, indices);
    takeRows(values, rows, n, indices, n, out);
    return;
  }
  const keys = makeKeys(values, n);
  const space = makeSortSpace(n, true);
  const bits = bitsOf(out);
  for (let row = 0; row < rows; row++) {
    fillKeys(keys, row * n, 1, n, descending);
    const sorted = sortWords(keys.high, n, space);
    const flip = descending ? -1 : 0;
    if (keys.floating) writeFloats(keys, sorted, flip, bits as Int32Array, row * n, n);
    else for (let i = 0; i < n; i++) bits[row * n + i] = sorted[i]! ^ flip ^ keys.bias;
  }
}

/** Turns sorted keys back into numbers. Keys do not have the signs of zeros, so zeros are read from the row, in its order. */
function writeFloats(keys: Keys, sorted: Uint32Array, flip: number, out: Int32Array, begin: number, n: number): void {
  let from = begin;
  for (let i = 0; i < n; i++) {
    const key = sorted[i]! ^ flip;
    let word = key ^ (~(key >> 31) | -0x80000000);
    if (word === 0) {
      while ((keys.bits[from]! & 0x7fffffff) !== 0) from++;
      word = keys.bits[from++]!;
    }
    out[begin + i] = word;
  }
}

/**
 * Writes the insertion index of each value in its row of sorted boundaries to `out` (rows * per). Boundaries that all
 * values share are one row.
 *
 * Postconditions: out = the number of boundaries before the value, or with `right` before it or equal to it.
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
    for (let i = row * per; i < (row + 1) * per; i++)
      out[i] = insertionIndex(bounds, row * n, n, keys, i, right) - row * n;
}

/** Returns the first index from `begin` whose bound is not before the key, or with `right` is after it. */
function insertionIndex(bounds: Keys, begin: number, n: number, keys: Keys, i: number, right: boolean): number {
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
    const at = insertionIndex(bounds, 0, n, keys, i, false);
    const isSame = at < n && bounds.high[at] === high && (bounds.low === null || bounds.low[at] === keys.low![i]);
    out[i] = isSame && !(keys.floating && high === nanKey) ? 1 : 0;
  }
}
