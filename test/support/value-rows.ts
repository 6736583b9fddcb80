/**
 * Rows of elements of every kind for the laws of sorting and related ops, with many ties and with none, and their order
 * by definition.
 */
import fc from "fast-check";
import type { Values } from "../../src/ops/routine/values.ts";

type ArrayOf = (items: readonly (number | bigint)[]) => Values;

const kinds: Readonly<Record<string, { readonly of: ArrayOf; readonly low: number; readonly high: number }>> = {
  float32: { of: (items) => Float32Array.from(items as number[]), low: -1e3, high: 1e3 },
  float64: { of: (items) => Float64Array.from(items as number[]), low: -1e3, high: 1e3 },
  int8: { of: (items) => Int8Array.from(items as number[]), low: -128, high: 127 },
  uint8: { of: (items) => Uint8Array.from(items as number[]), low: 0, high: 255 },
  int16: { of: (items) => Int16Array.from(items as number[]), low: -(2 ** 15), high: 2 ** 15 - 1 },
  uint16: { of: (items) => Uint16Array.from(items as number[]), low: 0, high: 2 ** 16 - 1 },
  int32: { of: (items) => Int32Array.from(items as number[]), low: -(2 ** 31), high: 2 ** 31 - 1 },
  uint32: { of: (items) => Uint32Array.from(items as number[]), low: 0, high: 2 ** 32 - 1 },
  int64: { of: (items) => BigInt64Array.from(items as bigint[]), low: -(2 ** 52), high: 2 ** 52 },
  uint64: { of: (items) => BigUint64Array.from(items as bigint[]), low: 0, high: 2 ** 52 },
};
export const kindNames: readonly string[] = Object.keys(kinds);

const specials = [0, -0, Number.NaN, Infinity, -Infinity, 5e-324, -1e-310, 1e-40, 3.4e38, -1.5];

/** `rows` rows of `n` elements each. */
export interface ValueRows {
  readonly kind: string;
  readonly values: Values;
  readonly rows: number;
  readonly n: number;
}

/** Random numbers in [0, 1), the same for the same seed. */
export function seededNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Elements of a kind: few distinct ones, or any; some of the floating-point numbers are special values. */
export function randomValues(kind: string, count: number, few: boolean, seed: number, nans = true): Values {
  const { of, low, high } = kinds[kind]!;
  const next = seededNumbers(seed);
  const isFloat = kind.startsWith("float");
  const isBig = kind.endsWith("64") && !isFloat;
  const items: (number | bigint)[] = [];
  for (let i = 0; i < count; i++) {
    let item = low + next() * (high - low);
    if (few) item = Math.floor(next() * 5) - (low < 0 ? 2 : 0);
    if (isFloat && next() < 0.2) item = specials[Math.floor(next() * specials.length)]!;
    if (!nans && Number.isNaN(item)) item = 0;
    items.push(isBig ? BigInt(Math.round(item)) : isFloat ? item : Math.round(item));
  }
  return of(items);
}

/** Rows of every kind; lengths on both sides of each limit at which a sort changes its algorithm. */
export function arbitraryRows(shortest: number, kindsOnly: readonly string[] = kindNames): fc.Arbitrary<ValueRows> {
  const lengths = [0, 1, 2, 3, 7, 20, 64, 65, 96, 97, 300, 4095, 4096, 5000].filter((n) => n >= shortest);
  return fc
    .record({
      kind: fc.constantFrom(...kindsOnly),
      rows: fc.constantFrom(0, 1, 2, 3),
      n: fc.constantFrom(...lengths),
      few: fc.boolean(),
      nans: fc.boolean(),
      seed: fc.integer(),
    })
    .map(({ kind, rows, n, few, nans, seed }) => ({
      kind,
      rows,
      n,
      values: randomValues(kind, rows * n, few, seed, nans),
    }));
}

/** One row as an array. */
export const rowOf = ({ values, n }: ValueRows, row: number): (number | bigint)[] => [
  ...(values as Float64Array).slice(row * n, (row + 1) * n),
];

const isNaNValue = (value: number | bigint): boolean => typeof value === "number" && Number.isNaN(value);

/** PyTorch's order: NaN is the largest and equals NaN, -0 equals 0. */
export function compareValues(a: number | bigint, b: number | bigint): number {
  if (isNaNValue(a) || isNaNValue(b)) return Number(isNaNValue(a)) - Number(isNaNValue(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The indices of a row's elements in sorted order, by definition. */
export function sortedPositions(row: readonly (number | bigint)[], descending: boolean): number[] {
  const sign = descending ? -1 : 1;
  return row.map((_, i) => i).sort((a, b) => sign * compareValues(row[a]!, row[b]!) || a - b);
}
