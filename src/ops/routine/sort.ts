/**
 * Sorting rows. Always stable; NaN is the largest, -0 and 0 are equal.
 * Positions come out of one, values of the other; who wants both fetches the values with `takeRows`.
 */
import { fillKeys, type Keys, makeKeys } from "./order-keys.ts";
import { makeSortSpace, orderByKeys, sortWords } from "./radix-sort.ts";
import { bitsOf, isWide, takeRows, type Values } from "./values.ts";

/**
 * The positions of each row's elements in ascending or descending order, into `indices` (rows * n).
 *
 * Promises: a permutation of 0..n-1 per row, elements in order along it, equal elements by ascending position.
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

/** Each row's elements in ascending or descending order, into `out`, which is of the kind of `values` and not the same memory. */
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

/** Turns sorted keys back into numbers. Zeros lost their signs, and so come from the row itself, in the order they have there. */
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
