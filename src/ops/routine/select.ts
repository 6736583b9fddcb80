/**
 * Selection: what a sort would put at some rank, without sorting. One pass counts the leading digits of the keys, one keeps
 * the keys of the digit where the rank falls, and so on with the next digits; the rank's key cuts the row in two.
 *
 * Equal elements are taken as a stable sort orders them: by ascending position. PyTorch leaves that open.
 */
import { fillKeys, type Keys, makeKeys, nanKey } from "./order-keys.ts";
import { makeSortSpace, sortByKeys } from "./radix-sort.ts";
import type { Values } from "./values.ts";

/** Of a row in order: the key at some rank, and how many elements up to that rank have it. */
interface Cut {
  readonly high: number;
  readonly low: number;
  readonly ties: number;
}

interface SelectSpace {
  readonly words: Uint32Array;
  readonly counts: Uint32Array;
}

const makeSelectSpace = (n: number): SelectSpace => ({ words: new Uint32Array(n), counts: new Uint32Array(2048) });

/** Up to here words are sorted by insertion. */
const fewWords = 64;

/** The word of rank `rank` among the first `count` words of the space, whose order is lost. */
function selectWord({ words, counts }: SelectSpace, count: number, rank: number): number {
  for (let shift = 21; count > fewWords && shift >= 0; shift = shift === 10 ? 0 : shift - 11) {
    counts.fill(0);
    for (let i = 0; i < count; i++) counts[(words[i]! >>> shift) & 2047]!++;
    let digit = 0;
    for (; rank >= counts[digit]!; digit++) rank -= counts[digit]!;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const word = words[i]!;
      if (((word >>> shift) & 2047) === digit) words[kept++] = word;
    }
    count = kept;
    if (shift === 0) return words[0]!;
  }
  for (let i = 1; i < count; i++) {
    const word = words[i]!;
    let at = i;
    for (; at > 0 && words[at - 1]! > word; at--) words[at] = words[at - 1]!;
    words[at] = word;
  }
  return words[rank]!;
}

function cutAt({ high, low }: Keys, n: number, rank: number, space: SelectSpace): Cut {
  const { words } = space;
  for (let i = 0; i < n; i++) words[i] = high[i]!;
  const highCut = selectWord(space, n, rank);
  let below = 0;
  for (let i = 0; i < n; i++) if (high[i]! < highCut) below++;
  if (low === null) return { high: highCut, low: 0, ties: rank + 1 - below };
  let equal = 0;
  for (let i = 0; i < n; i++) if (high[i] === highCut) words[equal++] = low[i]!;
  const lowCut = selectWord(space, equal, rank - below);
  for (let i = 0; i < n; i++) if (high[i] === highCut && low[i]! < lowCut) below++;
  return { high: highCut, low: lowCut, ties: rank + 1 - below };
}

/** Where a stable sort finds the element of this rank; -1 if there is none. */
function positionOfRank(keys: Keys, n: number, rank: number, space: SelectSpace): number {
  const { high, low } = keys;
  const cut = cutAt(keys, n, rank, space);
  let ties = cut.ties;
  for (let i = 0; i < n; i++)
    if (high[i] === cut.high && (low === null || low[i] === cut.low) && --ties === 0) return i;
  return -1;
}

/** The position in each row of its element of rank `rank` (the smallest has 0), into `indices` (rows). */
export function rankRows(values: Values, rows: number, n: number, rank: number, indices: Int32Array): void {
  const keys = makeKeys(values, n);
  const space = makeSelectSpace(n);
  for (let row = 0; row < rows; row++) {
    fillKeys(keys, row * n, 1, n, false);
    indices[row] = positionOfRank(keys, n, rank, space);
  }
}

/**
 * The position in each row of its median, the lower one of two, into `indices` (rows); n > 0.
 * A row with NaN has the first NaN as its median, or the median of the others where `skipNaN` is set and there are any.
 */
export function medianRows(values: Values, rows: number, n: number, skipNaN: boolean, indices: Int32Array): void {
  const keys = makeKeys(values, n);
  const space = makeSelectSpace(n);
  for (let row = 0; row < rows; row++) {
    fillKeys(keys, row * n, 1, n, false);
    let nans = 0;
    if (keys.floating) for (let i = 0; i < n; i++) if (keys.high[i] === nanKey) nans++;
    const others = n - nans;
    const rank = others === 0 || (nans > 0 && !skipNaN) ? others : (others - 1) >> 1;
    indices[row] = positionOfRank(keys, n, rank, space);
  }
}

/**
 * The positions in each row of its `k` largest or smallest elements, into `indices` (rows * k): best first where `sorted`
 * is set, else by ascending position.
 *
 * Promises: where `sorted`, the first k positions of a stable sort, descending if `largest`.
 */
export function topkRows(
  values: Values,
  rows: number,
  n: number,
  k: number,
  largest: boolean,
  sorted: boolean,
  indices: Int32Array,
): void {
  if (k === 0) return;
  const keys = makeKeys(values, n);
  const { high, low } = keys;
  const space = makeSelectSpace(n);
  const sortSpace = makeSortSpace(k);
  const chosen = new Int32Array(k);
  for (let row = 0; row < rows; row++) {
    fillKeys(keys, row * n, 1, n, largest);
    const cut = cutAt(keys, n, k - 1, space);
    let ties = cut.ties;
    for (let i = 0, at = 0; i < n && at < k; i++) {
      const word = high[i]!;
      if (word > cut.high) continue;
      const tail = low === null || word < cut.high ? 0 : low[i]! - cut.low;
      if (word < cut.high || tail < 0 || (tail === 0 && ties-- > 0)) chosen[at++] = i;
    }
    if (sorted) sortByKeys(chosen, keys, space.words, k, sortSpace);
    indices.set(chosen, row * k);
  }
}
