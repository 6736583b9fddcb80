/**
 * The prefix codes of DEFLATE, as lookup tables.
 * A table maps the next 10 bits of the stream to (symbol << 4 | length); codes longer than that are found bit by bit from the
 * canonical order. Lengths that over-subscribe the code, or leave it incomplete (but for a single code of one bit, or none), have no table.
 */
export const fastBits = 10;
const longest = 15;

export interface HuffmanTable {
  /** By the next `fastBits` bits: symbol << 4 | length, or 0 where a longer code or none starts so. */
  readonly fast: Uint16Array;
  /** How many codes have each length. */
  readonly counts: Uint16Array;
  /** The symbols in canonical order. */
  readonly symbols: Uint16Array;
}

/** The table of a code given by the length of each symbol's code (0: unused); undefined if no such code exists. */
export function huffmanTable(lengths: Uint8Array): HuffmanTable | undefined {
  const counts = new Uint16Array(longest + 1);
  for (const length of lengths) counts[length] = (counts[length] as number) + 1;
  const used = lengths.length - (counts[0] as number);
  counts[0] = 0;
  let left = 1;
  const next = new Uint16Array(longest + 2);
  const starts = new Uint16Array(longest + 2);
  for (let length = 1; length <= longest; length++) {
    left = left * 2 - (counts[length] as number);
    if (left < 0) return undefined;
    starts[length + 1] = (starts[length] as number) + (counts[length] as number);
    next[length + 1] = ((next[length] as number) + (counts[length] as number)) << 1;
  }
  if (left > 0 && used > 1) return undefined;
  if (left > 0 && used === 1 && counts[1] !== 1) return undefined;
  const symbols = new Uint16Array(used);
  const fast = new Uint16Array(1 << fastBits);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol] as number;
    if (length === 0) continue;
    const place = starts[length] as number;
    symbols[place] = symbol;
    starts[length] = place + 1;
    const code = next[length] as number;
    next[length] = code + 1;
    if (length > fastBits) continue;
    // The stream gives a code from its first bit on, so tables are indexed by reversed codes.
    let reversed = 0;
    for (let bit = 0; bit < length; bit++) reversed |= ((code >>> bit) & 1) << (length - 1 - bit);
    for (let index = reversed; index < fast.length; index += 1 << length) fast[index] = (symbol << 4) | length;
  }
  return { fast, counts, symbols };
}

/** (symbol << 4 | length) of the code that the bits start with, first bit lowest; 0 if none does. For codes past the fast table. */
export function findCode(table: HuffmanTable, bits: number): number {
  let code = 0;
  let first = 0;
  let index = 0;
  for (let length = 1; length <= longest; length++) {
    code |= (bits >>> (length - 1)) & 1;
    const count = table.counts[length] as number;
    if (code - count < first) return ((table.symbols[index + (code - first)] as number) << 4) | length;
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  return 0;
}
