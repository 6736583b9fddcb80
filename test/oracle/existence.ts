/**
 * Whether an answer exists at all, by brute force: is a function a layout, and where copies of a layout lie side by side.
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

/** Where copies of a layout lie side by side. */
export interface Filling {
  /** t(0) = 0, t(1), ... in ascending order. */
  readonly starts: readonly number[];
  /** The ends of the periods, ascending, and how many starts lie before each. */
  readonly full: readonly { readonly length: number; readonly copies: number }[];
}

/**
 * The copies of a layout up to `reach`, by the definition of a complement: below each stride as many as fit, then period after
 * period. Undefined if a mode starts inside what smaller strides fill.
 */
export function fill(l: PlainLayout, reach: number): Filling | undefined {
  const strides = leavesOf(l.stride);
  const modes = leavesOf(l.shape)
    .map((size, i) => ({ size, stride: strides[i] as number }))
    .filter(({ size, stride }) => size !== 1 && stride !== 0)
    .sort((a, b) => a.stride - b.stride);
  let offsets = [0];
  let filled = 1;
  for (const { size, stride } of modes) {
    if (stride < filled) return undefined;
    const fitting = Array.from({ length: Math.floor(stride / filled) }, (_unused, k) => k * filled);
    offsets = fitting.flatMap((start) => offsets.map((offset) => start + offset));
    filled = size * stride;
  }
  const starts: number[] = [];
  const full: { length: number; copies: number }[] = [];
  do {
    const begin = full.length * filled;
    starts.push(...offsets.map((offset) => begin + offset));
    full.push({ length: begin + filled, copies: starts.length });
  } while (full.length * filled < reach);
  return { starts, full };
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
