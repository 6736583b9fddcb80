/**
 * Whether an answer exists at all, by brute force: is a function a layout, and what fills an interval together with a set.
 */
import { coordOf, isTuple, leavesOf, type PlainLayout, sizeOf, type Tuple, valuesOf } from "./plain.ts";

/** True if and only if some layout of size n has the values f(0), ..., f(n - 1). Tries every way to split n. */
export function isLayoutFunction(f: readonly number[]): boolean {
  const n = f.length;
  if (n === 0) return true;
  if (f[0] !== 0) return false;
  if (n === 1) return true;
  const step = f[1] as number;
  let run = 1;
  while (run < n && f[run] === run * step) run++;
  if (run === n) return true;
  for (let s = 2; s <= run; s++) {
    if (n % s !== 0) continue;
    const outer = Array.from({ length: n / s }, (_unused, q) => f[q * s] as number);
    if (
      f.every((value, i) => value === (i % s) * step + (outer[Math.floor(i / s)] as number)) &&
      isLayoutFunction(outer)
    )
      return true;
  }
  return false;
}

/** True if and only if some layout compatible with `shape` has the value f(i) at every index i. */
export function existsOver(shape: Tuple, f: (index: number) => number): boolean {
  const sizes = leavesOf(shape);
  const count = sizeOf(shape);
  const scales = sizes.map((_size, k) => sizes.slice(0, k).reduce((a, b) => a * b, 1));
  const parts = sizes.map((n, k) => Array.from({ length: n }, (_unused, c) => f(c * (scales[k] as number))));
  for (let i = 0; i < count; i++) {
    const coords = leavesOf(isTuple(shape) ? coordOf(i, sizes) : i);
    if (f(i) !== coords.reduce((sum, c, k) => sum + (parts[k]?.[c] as number), 0)) return false;
  }
  return parts.every(isLayoutFunction);
}

/** What fills the gaps of a set: the numbers t with set + t side by side, as long as they fill whole intervals. */
export interface Filling {
  /** t(0) = 0, t(1), ... in ascending order. */
  readonly starts: readonly number[];
  /** The lengths N at which [0, N) is exactly filled, ascending, and how many starts fill it. */
  readonly full: readonly { readonly length: number; readonly copies: number }[];
}

/**
 * Fills intervals from 0 with copies of `set`, each where the first gap is: what can fill an interval is forced.
 * Stops when an interval of at least `reach` is full. Undefined if two copies collide or no interval is ever full.
 */
export function fill(set: readonly number[], reach: number): Filling | undefined {
  if (new Set(set).size !== set.length || Math.min(...set) !== 0) return undefined;
  const limit = Math.max(4 * (Math.max(...set) + 1), 0) + 2 * reach + 1;
  const taken = new Set<number>();
  const starts: number[] = [];
  const full: { length: number; copies: number }[] = [];
  let gap = 0;
  while (gap <= limit) {
    starts.push(gap);
    for (const x of set) {
      if (taken.has(gap + x)) return undefined;
      taken.add(gap + x);
    }
    while (taken.has(gap)) gap++;
    if (taken.size !== gap) continue;
    full.push({ length: gap, copies: starts.length });
    if (gap >= reach) return { starts, full };
  }
  return undefined;
}

/** The offsets of a layout without the repetitions of its stride-0 modes. */
export function filteredValues(l: PlainLayout): number[] {
  const strides = leavesOf(l.stride);
  return valuesOf({ shape: leavesOf(l.shape).map((s, i) => (strides[i] === 0 ? 1 : s)), stride: strides });
}

/**
 * A layout R with L(R(x)) = x for every offset x of L and R(x) in the domain of L, or undefined if there is none. Tries
 * every chain of sizes and every stride that the offsets allow; "undecided" when that takes too long.
 */
export function findLeftInverse(l: PlainLayout, budget = 1_000_000): PlainLayout | "undecided" | undefined {
  const before = new Map<number, Set<number>>();
  for (const [i, x] of valuesOf(l).entries()) {
    const found = before.get(x);
    if (found) found.add(i);
    else before.set(x, new Set([i]));
  }
  const offsets = [...before.keys()].sort((a, b) => a - b);
  if ((offsets[0] as number) < 0) return undefined;
  const last = offsets.at(-1) as number;
  const count = sizeOf(l.shape);
  let steps = 0;
  /** The further modes, given R on [0, extent): the next one has stride d and some size s. */
  const extend = (inverse: readonly number[]): readonly (readonly [number, number])[] | undefined => {
    const extent = inverse.length;
    if (last < extent) return [];
    const next = offsets.find((x) => x >= extent) as number;
    const digit = Math.floor(next / extent);
    const grow = (d: number, s: number): readonly (readonly [number, number])[] | undefined => {
      if (++steps > budget) return undefined;
      const longer = Array.from(
        { length: extent * s },
        (_unused, x) => (inverse[x % extent] as number) + Math.floor(x / extent) * d,
      );
      const rest = extend(longer);
      return rest && [[s, d], ...rest];
    };
    for (const i of before.get(next) as Set<number>) {
      const d = (i - (inverse[next % extent] as number)) / digit;
      if (!Number.isInteger(d)) continue;
      const wrong = offsets.find((x) => {
        steps++;
        return x >= extent && !before.get(x)?.has((inverse[x % extent] as number) + Math.floor(x / extent) * d);
      });
      if (wrong === undefined) return [[Math.floor(last / extent) + 1, d]];
      for (let s = digit + 1; s * extent <= wrong; s++) {
        const rest = grow(d, s);
        if (rest) return rest;
      }
    }
    // A size that stops short of the next offset leaves its stride open: later offsets decide it.
    for (let s = 2; s <= digit; s++)
      for (let d = 1 - count; d < count; d++) {
        const rest = steps > budget ? undefined : grow(d, s);
        if (rest) return rest;
      }
    return undefined;
  };
  const modes = extend([0]);
  if (modes) return { shape: modes.map(([s]) => s), stride: modes.map(([, d]) => d) };
  return steps > budget ? "undecided" : undefined;
}
