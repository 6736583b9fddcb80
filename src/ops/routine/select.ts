/**
 * Order statistics of rows: the element of a rank, the median, the largest k, the mode and quantiles.
 *
 * Selection needs no sort. One pass counts the leading digits of the keys, one keeps the keys of the digit where the rank falls, and so on
 * with the next digits; the key of the rank splits the row. Equal elements are selected by ascending index, as in a stable sort; PyTorch
 * leaves that open.
 */
import { fillKeys, type Keys, makeKeys, nanKey } from "./order-keys.ts";
import { makeSortSpace, orderByKeys, sortByKeys } from "./radix-sort.ts";
import { sortRows } from "./sort.ts";
import type { Values } from "./values.ts";

/** The key at a rank of a sorted row, and the number of elements up to that rank with that key. */
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

/** The largest number of words of an insertion sort. */
const fewWords = 64;

/** Returns the word of rank `rank` among the first `count` words, which are reordered. */
function selectWord({ words, counts }: SelectSpace, count: number, rank: number): number {
  for (let shift = 21; count > fewWords && shift >= 0; shift = shift === 10 ? 0 : shift - 11) {
    counts.fill(0);
    for (let i = 0; i < count; i++) counts[(words[i]! >>> shift) & 2047]!++;
    let digit = 0;
    for (; rank >= counts[digit]!; digit++) rank -= counts[digit]!;
    let passed = 0;
    for (let i = 0; i < count; i++) {
      const word = words[i]!;
      if (((word >>> shift) & 2047) === digit) words[passed++] = word;
    }
    count = passed;
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

/** Returns the index of the element of a rank in a stable sort; -1 if there is none. */
function indexOfRank(keys: Keys, n: number, rank: number, space: SelectSpace): number {
  const { high, low } = keys;
  const cut = cutAt(keys, n, rank, space);
  let ties = cut.ties;
  for (let i = 0; i < n; i++)
    if (high[i] === cut.high && (low === null || low[i] === cut.low) && --ties === 0) return i;
  return -1;
}

/** Writes the index of the element of rank `rank` of each row (0 is the smallest) to `indices` (rows). */
export function rankRows(values: Values, rows: number, n: number, rank: number, indices: Int32Array): void {
  const keys = makeKeys(values, n);
  const space = makeSelectSpace(n);
  for (let row = 0; row < rows; row++) {
    fillKeys(keys, row * n, 1, n, false);
    indices[row] = indexOfRank(keys, n, rank, space);
  }
}

/**
 * Writes the index of the median of each row, the lower of two, to `indices` (rows); n > 0.
 * The median of a row with NaN is its first NaN, or with `skipNaN` that of the other elements if there are any.
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
    indices[row] = indexOfRank(keys, n, rank, space);
  }
}

/**
 * Writes the indices of the `k` largest or smallest elements of each row to `indices` (rows * k): in order if `sorted`, otherwise by
 * ascending index.
 *
 * Postconditions: if `sorted`, the first k indices of a stable sort, descending if `largest`.
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

/**
 * Writes the index of the most frequent element of each row to `indices` (rows); n > 0. Of several it is the smallest element, at its last
 * index, as in PyTorch. NaN equals nothing, so it is the mode only of a row of NaN.
 */
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
      const isEqual = i < n && high[here] === high[next] && (low === null || low[here] === low[next]);
      if (isEqual && !(keys.floating && high[here] === nanKey)) continue;
      if (i - start > longest) {
        longest = i - start;
        indices[row] = here;
      }
      start = i;
    }
  }
}

/** The interpolation of a rank between two elements. */
export type Interpolation = "linear" | "lower" | "higher" | "midpoint" | "nearest";

/** Writes the quantiles of rows of n > 0 elements, as `quantilesOfSorted` does for sorted ones. */
export function quantileRows<V extends Float32Array | Float64Array>(
  values: V,
  rows: number,
  n: number,
  q: ArrayLike<number>,
  interpolation: Interpolation,
  skipNaN: boolean,
  out: V,
): void {
  const sorted = values.slice() as V;
  sortRows(values, rows, n, false, sorted);
  quantilesOfSorted(sorted, rows, n, q, interpolation, skipNaN, out);
}

/**
 * Writes the quantiles of sorted rows of n > 0 elements: out[j * rows + row] is quantile q[j] of the row, the element at rank q * (n - 1) or an
 * interpolation of its neighbors. A row with NaN gives NaN; with `skipNaN` ranks count the other elements, and a row of NaN gives NaN.
 */
export function quantilesOfSorted<V extends Float32Array | Float64Array>(
  sorted: V,
  rows: number,
  n: number,
  q: ArrayLike<number>,
  interpolation: Interpolation,
  skipNaN: boolean,
  out: V,
): void {
  // Ranks are rounded to the dtype, as in PyTorch: 0.1 * 10 is 1 in float32, although 0.1 is rounded up there.
  const round = sorted.BYTES_PER_ELEMENT === 4 ? Math.fround : Number;
  for (let row = 0; row < rows; row++) {
    const base = row * n;
    let count = n;
    while (count > 0 && Number.isNaN(sorted[base + count - 1])) count--;
    const isNaNRow = count === 0 || (count < n && !skipNaN);
    for (let j = 0; j < q.length; j++) {
      const rank = round(round(q[j]!) * (count - 1));
      out[j * rows + row] = isNaNRow ? NaN : between(sorted, base, rank, interpolation);
    }
  }
}

function between(
  sorted: Float32Array | Float64Array,
  base: number,
  rank: number,
  interpolation: Interpolation,
): number {
  const lower = Math.floor(rank);
  const a = sorted[base + lower]!;
  if (rank === lower || interpolation === "lower") return a;
  const b = sorted[base + lower + 1]!;
  const part = rank - lower;
  switch (interpolation) {
    case "higher":
      return b;
    case "nearest": // half rounds to the even rank
      return part < 0.5 || (part === 0.5 && lower % 2 === 0) ? a : b;
    case "midpoint":
      return mix(a, b, 0.5);
    case "linear":
      return mix(a, b, part);
    default:
      return interpolation satisfies never;
  }
}

/** a + part * (b - a), exact at both ends. */
const mix = (a: number, b: number, part: number): number =>
  part < 0.5 ? a + part * (b - a) : b - (b - a) * (1 - part);
