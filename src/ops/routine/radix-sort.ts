/**
 * A stable sort of indices by one word of their keys. Sorts by several words run one after the other, the least significant first: low
 * words before high words, last columns before first ones.
 *
 * Long rows take a radix sort, least significant digit first, which skips digits that all keys share; short rows an insertion sort.
 */
import type { Keys } from "./order-keys.ts";

/** Scratch arrays of a sort. */
interface SortSpace {
  readonly keys: Uint32Array;
  readonly order: Int32Array;
  readonly counts: Uint32Array;
}

/** The largest row of an insertion sort. */
const fewKeys = 96;
/** The smallest row with digits of 11 bits instead of 8, which need longer tables. */
const manyKeys = 4096;

/** Allocates scratch arrays for sorts of up to `count` indices, or of words alone. */
export function makeSortSpace(count: number, wordsOnly = false): SortSpace {
  const spare = count > fewKeys ? count : 0;
  return {
    keys: new Uint32Array(spare),
    order: new Int32Array(wordsOnly ? 0 : spare),
    counts: new Uint32Array(spare === 0 ? 0 : 1 << (count < manyKeys ? 8 : 11)),
  };
}

/** Writes the indices 0 to count - 1 to `order` in the order of their keys, equal ones ascending. The keys are overwritten. */
export function orderByKeys({ high, low }: Keys, order: Int32Array, count: number, space: SortSpace): void {
  for (let i = 0; i < count; i++) order[i] = i;
  sortPairs(low ?? high, order, count, space);
  if (low !== null) refineOrder(order, high, low, count, space);
}

/** Sorts the first `count` indices of `order` by their keys; equal keys keep their order. */
export function sortByKeys(order: Int32Array, keys: Keys, work: Uint32Array, count: number, space: SortSpace): void {
  if (keys.low !== null) refineOrder(order, keys.low, work, count, space);
  refineOrder(order, keys.high, work, count, space);
}

function refineOrder(order: Int32Array, words: Uint32Array, work: Uint32Array, count: number, space: SortSpace): void {
  for (let i = 0; i < count; i++) work[i] = words[order[i]!]!;
  sortPairs(work, order, count, space);
}

function sortPairs(keys: Uint32Array, order: Int32Array, count: number, space: SortSpace): void {
  if (count <= fewKeys) insertAll(keys, order, count);
  else if (sortByDigits(keys, order, space.keys, space.order, count, space.counts) !== keys)
    order.set(space.order.length === count ? space.order : space.order.subarray(0, count));
}

/** Sorts the first `count` words; returns the array that holds them, `words` or a scratch array. */
export function sortWords(words: Uint32Array, count: number, space: SortSpace): Uint32Array {
  if (count > fewKeys) return sortByDigits(words, null, space.keys, null, count, space.counts);
  insertAll(words, null, count);
  return words;
}

function insertAll(keys: Uint32Array, order: Int32Array | null, count: number): void {
  for (let i = 1; i < count; i++) {
    const key = keys[i]!;
    if (keys[i - 1]! <= key) continue;
    let at = i;
    for (; at > 0 && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!;
    keys[at] = key;
    if (order === null) continue;
    const index = order[i]!;
    for (let j = i; j > at; j--) order[j] = order[j - 1]!;
    order[at] = index;
  }
}

/** Sorts back and forth between two arrays; returns the one that holds the keys. Their order ends in the matching array. */
function sortByDigits(
  keys: Uint32Array,
  order: Int32Array | null,
  spareKeys: Uint32Array,
  spareOrder: Int32Array | null,
  count: number,
  counts: Uint32Array,
): Uint32Array {
  const first = keys[0]!;
  let differing = 0;
  for (let i = 1; i < count; i++) differing |= keys[i]! ^ first;
  const mask = counts.length - 1;
  const width = mask === 255 ? 8 : 11;
  for (let shift = 0; shift < 32; shift += width) {
    if (((differing >>> shift) & mask) === 0) continue;
    startsOfDigits(keys, count, shift, counts);
    if (order === null) moveKeys(keys, spareKeys, count, shift, counts);
    else moveKeysAndOrder(keys, order, spareKeys, spareOrder!, count, shift, counts);
    const keysBefore = keys;
    const orderBefore = order;
    keys = spareKeys;
    order = spareOrder;
    spareKeys = keysBefore;
    spareOrder = orderBefore;
  }
  return keys;
}

/** Computes the start of the keys of each digit. */
function startsOfDigits(keys: Uint32Array, count: number, shift: number, counts: Uint32Array): void {
  const mask = counts.length - 1;
  counts.fill(0);
  for (let i = 0; i < count; i++) counts[(keys[i]! >>> shift) & mask]!++;
  let start = 0;
  for (let digit = 0; digit <= mask; digit++) {
    const next = start + counts[digit]!;
    counts[digit] = start;
    start = next;
  }
}

function moveKeys(from: Uint32Array, to: Uint32Array, count: number, shift: number, starts: Uint32Array): void {
  const mask = starts.length - 1;
  for (let i = 0; i < count; i++) {
    const key = from[i]!;
    to[starts[(key >>> shift) & mask]!++] = key;
  }
}

function moveKeysAndOrder(
  from: Uint32Array,
  fromOrder: Int32Array,
  to: Uint32Array,
  toOrder: Int32Array,
  count: number,
  shift: number,
  starts: Uint32Array,
): void {
  const mask = starts.length - 1;
  for (let i = 0; i < count; i++) {
    const key = from[i]!;
    const at = starts[(key >>> shift) & mask]!++;
    to[at] = key;
    toOrder[at] = fromOrder[i]!;
  }
}
