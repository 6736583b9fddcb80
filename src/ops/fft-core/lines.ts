/**
 * The lines of an array of outer x length x inner values, a few at a time: brought side by side into a block for the passes, and
 * written back. Any axis of a row-major array is such a set of lines, so no axis needs a copy to be transformed.
 */
import type { Plan } from "./plan.ts";

/** An array of real numbers, or of complex ones as pairs, real part first. */
export type Floats = Float32Array | Float64Array;

/** Which lines are transformed: outer * inner of them, of `given` values each, cut or continued by zeros to n >= 1. */
export interface FourierLines {
  readonly outer: number;
  readonly given: number;
  readonly n: number;
  readonly inner: number;
}

/** Some lines: where the first begins, the distances of values in a line and of lines, and how many there are. */
export interface Block {
  readonly data: Floats;
  start: number;
  readonly element: number;
  readonly line: number;
  lines: number;
}

/** How many lines a plan takes at once here. */
export function batchOf(plan: Plan, { outer, inner }: FourierLines): number {
  return Math.max(1, Math.min(plan.batch, inner === 1 ? outer : inner));
}

/** Calls `visit` for blocks of lines, of `given` values in the source and `made` in the target. Positions count values. */
export function eachBlock(
  source: Floats,
  target: Floats,
  { outer, given, inner }: FourierLines,
  made: number,
  batch: number,
  visit: (from: Block, to: Block) => void,
): void {
  const isRows = inner === 1;
  const groups = isRows ? 1 : outer;
  const count = isRows ? outer : inner;
  const from: Block = { data: source, start: 0, element: inner, line: isRows ? given : 1, lines: 0 };
  const to: Block = { data: target, start: 0, element: inner, line: isRows ? made : 1, lines: 0 };
  for (let group = 0; group < groups; group++)
    for (let first = 0; first < count; first += batch) {
      from.lines = to.lines = Math.min(batch, count - first);
      from.start = group * given * inner + first * from.line;
      to.start = group * made * inner + first * to.line;
      visit(from, to);
    }
}

/** The first `given` complex values of each line, then zeros up to n; imaginary parts times the sign. */
export function loadComplex(a: Float64Array, from: Block, given: number, n: number, sign: number): void {
  const { data, start, element, line, lines } = from;
  for (let q = 0; q < lines; q++)
    for (let k = 0, at = 2 * (start + q * line), to = 2 * q; k < given; k++, at += 2 * element, to += 2 * lines) {
      a[to] = data[at]!;
      a[to + 1] = sign * data[at + 1]!;
    }
  a.fill(0, 2 * given * lines, 2 * n * lines);
}

/** Writes the first n complex values of each line, times the scale; imaginary parts times the sign. */
export function storeComplex(a: Float64Array, to: Block, n: number, sign: number, scale: number): void {
  const { data, start, element, line, lines } = to;
  for (let q = 0; q < lines; q++)
    for (let k = 0, at = 2 * (start + q * line), from = 2 * q; k < n; k++, at += 2 * element, from += 2 * lines) {
      data[at] = scale * a[from]!;
      data[at + 1] = scale * sign * a[from + 1]!;
    }
}

/** The first `given` real numbers of each line, then zeros up to n, number k of a line at slot k / perSlot of its block. */
export function loadReal(a: Float64Array, from: Block, given: number, n: number, perSlot: 1 | 2): void {
  const { data, start, element, line, lines } = from;
  a.fill(0, 0, (2 * n * lines) / perSlot);
  for (let q = 0; q < lines; q++)
    for (let k = 0, at = start + q * line; k < given; k++, at += element)
      a[perSlot === 1 ? 2 * (k * lines + q) : 2 * ((k >> 1) * lines + q) + (k & 1)] = data[at]!;
}

/** Writes the first n real numbers of each line, times the scale, from where `loadReal` would put them. */
export function storeReal(a: Float64Array, to: Block, n: number, perSlot: 1 | 2, scale: number): void {
  const { data, start, element, line, lines } = to;
  for (let q = 0; q < lines; q++)
    for (let k = 0, at = start + q * line; k < n; k++, at += element)
      data[at] = scale * a[perSlot === 1 ? 2 * (k * lines + q) : 2 * ((k >> 1) * lines + q) + (k & 1)]!;
}
