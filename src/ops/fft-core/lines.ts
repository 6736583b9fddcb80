/**
 * The lines of an array of outer x length x inner values, copied in batches to interleaved blocks for the passes and back. Every axis
 * of a row-major array is such a set of lines, so none needs a transposed copy.
 */
import type { Plan } from "./plan.ts";

/** An array of real numbers, or of complex ones as pairs, real part first. */
export type Floats = Float32Array | Float64Array;

/** The lines of a transform: outer * inner of them, of `length` values each, truncated or zero-padded to n >= 1. */
export interface FourierLines {
  readonly outer: number;
  readonly length: number;
  readonly n: number;
  readonly inner: number;
}

/** Some lines: the start of the first, the strides within a line and between lines, and the number of lines. */
export interface Block {
  readonly data: Floats;
  start: number;
  readonly element: number;
  readonly line: number;
  lines: number;
}

/** Returns the number of lines that a plan transforms together. */
export function batchOf(plan: Plan, { outer, inner }: FourierLines): number {
  return Math.max(1, Math.min(plan.batch, inner === 1 ? outer : inner));
}

/** Calls `visit` for blocks of lines, of `length` values in the source and `resultLength` in the target. Offsets count values. */
export function eachBlock(
  source: Floats,
  target: Floats,
  { outer, length, inner }: FourierLines,
  resultLength: number,
  batch: number,
  visit: (from: Block, to: Block) => void,
): void {
  const isRows = inner === 1;
  const groups = isRows ? 1 : outer;
  const count = isRows ? outer : inner;
  const from: Block = { data: source, start: 0, element: inner, line: isRows ? length : 1, lines: 0 };
  const to: Block = { data: target, start: 0, element: inner, line: isRows ? resultLength : 1, lines: 0 };
  for (let group = 0; group < groups; group++)
    for (let first = 0; first < count; first += batch) {
      from.lines = to.lines = Math.min(batch, count - first);
      from.start = group * length * inner + first * from.line;
      to.start = group * resultLength * inner + first * to.line;
      visit(from, to);
    }
}

/** Reads the first `length` complex values of each line, then zeros up to n; imaginary parts are multiplied by the sign. */
export function loadComplex(a: Float64Array, from: Block, length: number, n: number, sign: number): void {
  const { data, start, element, line, lines } = from;
  for (let q = 0; q < lines; q++)
    for (let k = 0, at = 2 * (start + q * line), to = 2 * q; k < length; k++, at += 2 * element, to += 2 * lines) {
      a[to] = data[at]!;
      a[to + 1] = sign * data[at + 1]!;
    }
  a.fill(0, 2 * length * lines, 2 * n * lines);
}

/** Writes the first n complex values of each line, times the scale; imaginary parts are multiplied by the sign. */
export function storeComplex(a: Float64Array, to: Block, n: number, sign: number, scale: number): void {
  const { data, start, element, line, lines } = to;
  for (let q = 0; q < lines; q++)
    for (let k = 0, at = 2 * (start + q * line), from = 2 * q; k < n; k++, at += 2 * element, from += 2 * lines) {
      data[at] = scale * a[from]!;
      data[at + 1] = scale * sign * a[from + 1]!;
    }
}

/** Reads the first `length` real numbers of each line, then zeros up to n; number k goes to slot k / perSlot of its block. */
export function loadReal(a: Float64Array, from: Block, length: number, n: number, perSlot: 1 | 2): void {
  const { data, start, element, line, lines } = from;
  a.fill(0, 0, (2 * n * lines) / perSlot);
  for (let q = 0; q < lines; q++)
    for (let k = 0, at = start + q * line; k < length; k++, at += element)
      a[perSlot === 1 ? 2 * (k * lines + q) : 2 * ((k >> 1) * lines + q) + (k & 1)] = data[at]!;
}

/** Writes the first n real numbers of each line, times the scale; the inverse of `loadReal`. */
export function storeReal(a: Float64Array, to: Block, n: number, perSlot: 1 | 2, scale: number): void {
  const { data, start, element, line, lines } = to;
  for (let q = 0; q < lines; q++)
    for (let k = 0, at = start + q * line; k < n; k++, at += element)
      data[at] = scale * a[perSlot === 1 ? 2 * (k * lines + q) : 2 * ((k >> 1) * lines + q) + (k & 1)]!;
}
