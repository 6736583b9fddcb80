/**
 * Makes plans and tables of roots, and caches the most recently used ones: 32 MB of plans, and 2 MB of tables alone.
 */
import { passOf } from "./passes.ts";
import { blockSize, execute, type Plan } from "./plan.ts";
import { type Powers, powersOf, rootTable, writeRoot } from "./roots.ts";

/** The largest number of lines that are transformed together; more would gain nothing. */
const maxLines = 32;
/** The largest prime whose pass, of quadratic cost, is less work than a chirp. */
const largestRadix = 47;

/** Values by length, least recently used first, with the sum of their sizes and its limit. */
export interface Recent<T> {
  readonly entries: Map<number, { readonly value: T; readonly size: number }>;
  readonly limit: number;
  used: number;
}

/** Returns the cached value of length n, or makes it; a value larger than the limit is not kept. */
export function recall<T>(recent: Recent<T>, n: number, make: (n: number) => T, sizeOf: (value: T) => number): T {
  const { entries, limit } = recent;
  let entry = entries.get(n);
  if (entry === undefined) {
    const value = make(n);
    entry = { value, size: sizeOf(value) };
    if (entry.size > limit) return value;
    recent.used += entry.size;
  } else entries.delete(n);
  entries.set(n, entry);
  for (const [oldest, { size }] of entries) {
    if (recent.used <= limit) break;
    entries.delete(oldest);
    recent.used -= size;
  }
  return entry.value;
}

const plans: Recent<Plan> = { entries: new Map(), limit: 2 ** 22, used: 0 };
const powers: Recent<Powers> = { entries: new Map(), limit: 2 ** 18, used: 0 };

/** Returns the plan for sequences of length n >= 1. */
export function planFor(n: number): Plan {
  return recall(plans, n, makePlan, tableSize);
}

/** Returns the tables for all roots of n. */
export function powersFor(n: number): Powers {
  return recall(powers, n, powersOf, powersSize);
}

const powersSize = ({ coarse, fine }: Powers): number => coarse.length + fine.length;

function tableSize(plan: Plan): number {
  switch (plan.kind) {
    case "passes":
      return plan.roots.length;
    case "split":
      return powersSize(plan.powers);
    case "chirp":
      return plan.chirp.length + plan.spectrum.length;
    default:
      return plan satisfies never;
  }
}

function makePlan(n: number): Plan {
  const radices = primesOf(n);
  const largest = radices.at(-1) ?? 1;
  if (largest > largestRadix) return largest === n ? chirpPlan(n) : splitPlan(n, n / largest);
  if (n > blockSize) return splitPlan(n, divisorNearRoot(n));
  // Two passes of 2 are one of 4.
  while (radices[0] === 2 && radices[1] === 2) {
    radices.splice(0, 2);
    radices.push(4);
  }
  return {
    kind: "passes",
    n,
    batch: Math.max(1, Math.min(maxLines, Math.floor(blockSize / n))),
    passes: radices.reverse().map(passOf),
    roots: rootTable(n),
  };
}

const splitPlan = (n: number, rows: number): Plan => ({
  kind: "split",
  n,
  batch: 1,
  first: planFor(rows),
  second: planFor(n / rows),
  powers: powersOf(n),
});

function chirpPlan(n: number): Plan {
  const inner = planFor(friendlyLength(2 * n - 1));
  const size = inner.n;
  const chirp = new Float64Array(2 * n);
  const a = new Float64Array(2 * size);
  // The square of k, modulo 2 n, from the previous square: exact for every n.
  for (let k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), k++) {
    writeRoot(chirp, 2 * k, square, 2 * n);
    const back = k === 0 ? 0 : size - k;
    a[2 * k] = a[2 * back] = chirp[2 * k]! / size;
    a[2 * k + 1] = a[2 * back + 1] = -chirp[2 * k + 1]! / size;
  }
  const spectrum = execute(inner, a, new Float64Array(2 * size), 1);
  for (let i = 1; i < spectrum.length; i += 2) spectrum[i] = -spectrum[i]!;
  return { kind: "chirp", n, batch: inner.batch, chirp, spectrum, inner };
}

/** The prime factors of n, smallest first. */
function primesOf(n: number): number[] {
  const primes: number[] = [];
  let rest = n;
  for (let prime = 2; prime * prime <= rest; prime++)
    while (rest % prime === 0) {
      primes.push(prime);
      rest /= prime;
    }
  if (rest > 1) primes.push(rest);
  return primes;
}

function divisorNearRoot(n: number): number {
  let divisor = Math.floor(Math.sqrt(n));
  while (n % divisor !== 0) divisor--;
  return divisor;
}

/** The smallest product of twos, threes and fives that is at least `least`. */
function friendlyLength(min: number): number {
  let best = 2 ** Math.ceil(Math.log2(min));
  for (let five = 1; five < best; five *= 5)
    for (let three = five; three < best; three *= 3) {
      let length = three;
      while (length < min) length *= 2;
      best = Math.min(best, length);
    }
  return best;
}
