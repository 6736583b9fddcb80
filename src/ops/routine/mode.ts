/**
 * The most frequent element of each row: the smallest of several, at its last position, as in PyTorch.
 * NaN equals nothing, so it wins only in a row that has nothing else.
 */
import { fillKeys, makeKeys, nanKey } from "./order-keys.ts";
import { makeSortSpace, orderByKeys } from "./radix-sort.ts";
import type { Values } from "./values.ts";

/** The position of each row's most frequent element, into `indices` (rows); n > 0. */
export function modeRows(values: Values, rows: number, n: number, indices: Int32Array): void {
  const keys = makeKeys(values, n);
  const { high, low } = keys;
  const space = makeSortSpace(n);
  const order = new Int32Array(n);
  for (let row = 0; row < rows; row++) {
    fillKeys(keys, row * n, 1, n, false);
    orderByKeys(keys, order, n, space);
    fillKeys(keys, row * n, 1, n, false);
    let longest = 0;
    let start = 0;
    for (let i = 1; i <= n; i++) {
      const here = order[i - 1]!;
      const next = order[i]!;
      const goes = i < n && high[here] === high[next] && (low === null || low[here] === low[next]);
      if (goes && !(keys.floating && high[here] === nanKey)) continue;
      if (i - start > longest) {
        longest = i - start;
        indices[row] = here;
      }
      start = i;
    }
  }
}
