/**
 * Nested tuples of integers: their structure, not their arithmetic.
 * A tuple is a readonly array; a leaf is anything that is not an array. Layout-aware versions are in modes.ts.
 */
import { checkFunction, shown } from "../base/arguments.ts";
import { ShapeError } from "../base/errors.ts";
import { listOf } from "../base/list-of.ts";
import { _0, _1, add, type Int, maxInt, mul, wrongKind } from "./int.ts";

export type Nested<T> = T | readonly Nested<T>[];
/** An integer, or a tuple of IntTuples. */
export type IntTuple = Int | readonly IntTuple[];

/** True if and only if the value is an array, readonly ones included. */
export const isTuple: (value: unknown) => value is readonly unknown[] = Array.isArray;
/** Returns the modes of a tuple; a leaf is its own single mode. */
export const wrap = <T>(t: Nested<T>): readonly Nested<T>[] => (isTuple(t) ? t : [t]);
/** Returns the mode of a tuple with one mode, and other tuples unchanged. */
export const unwrap = <T>(t: Nested<T>): Nested<T> => (isTuple(t) && t.length === 1 ? unwrap(t[0]) : t);

/** Returns the error of two tuples of different ranks. */
export const differingRanks = (who: string, a: Nested<unknown>, b: Nested<unknown>): ShapeError =>
  new ShapeError(`${who}: ranks ${rankOf(a)} and ${rankOf(b)} of ${shown(a)} and ${shown(b)} differ`);

/** Returns the number of modes: 1 for a leaf. */
export const rankOf = (t: Nested<unknown>): number => (isTuple(t) ? t.length : 1);

/** Returns the depth of nesting: 0 for a leaf. */
export function depthOf(t: Nested<unknown>): number {
  if (!isTuple(t)) return 0;
  let depth = 0;
  for (const mode of t) depth = Math.max(depth, depthOf(mode));
  return depth + 1;
}

/** Returns the leaves from left to right. */
export function leaves<T>(t: Nested<T>, into: T[] = []): T[] {
  if (isTuple(t)) for (const mode of t) leaves(mode, into);
  else into.push(t);
  return into;
}

/** Returns all leaves in one flat tuple; a leaf stays a leaf. */
export const flattenTuple = <T>(t: Nested<T>): Nested<T> => (isTuple(t) ? leaves(t) : t);

/** Returns the modes of `flat` in the nesting of `profile`, which has as many leaves. */
export function unflattenTuple<T>(flat: Nested<T>, profile: Nested<unknown>): Nested<T> {
  const modes = wrap(flat);
  const count = leaves(profile).length;
  if (modes.length !== count)
    throw new ShapeError(
      `unflatten: ${modes.length} modes in ${shown(flat)} do not match ${count} leaves in ${shown(profile)}`,
    );
  let next = 0;
  return mapLeaves(profile, () => modes[next++]) as Nested<T>;
}

/** Applies `f` to every leaf and keeps the nesting. */
export function mapLeaves<T, U>(t: Nested<T>, f: (leaf: T) => U): Nested<U> {
  return isTuple(t) ? t.map((mode) => mapLeaves(mode, f)) : f(t);
}

/** Applies `f` to the leaves of the left tuple and the corresponding parts of the right one, which must be nested at least as deep. */
export function zipLeaves<T, U, R>(
  a: Nested<T>,
  b: Nested<U>,
  f: (x: T, y: Nested<U>) => Nested<R>,
  who: string,
): Nested<R> {
  if (!isTuple(a)) return f(a, b);
  if (!isTuple(b) || b.length !== a.length) throw differingRanks(who, a, b);
  return a.map((mode, i) => zipLeaves(mode, b[i], f, who));
}

/** Returns the mode at a path: `modeAt([4, [3, 6]], [1, 0])` is 3. */
export function modeAt<T>(who: string, t: Nested<T>, path: readonly number[]): Nested<T> {
  let mode = t;
  for (const i of path) {
    const next = wrap(mode)[i];
    if (next === undefined)
      throw new ShapeError(
        `${who}: there is no mode ${path.map(String)} in ${shown(t)}, only 0 to ${rankOf(mode) - 1}`,
      );
    mode = next;
  }
  return mode;
}

function checkRange(who: string, begin: number, end: number, rank: number): void {
  if (![begin, end].every(Number.isInteger) || begin < 0 || begin >= end || end > rank)
    throw wrongKind(who, `modes 0 <= begin < end <= ${rank}`, [begin, end]);
}

/** Returns modes begin to end (exclusive). */
export function takeModes<T>(t: Nested<T>, begin: number, end: number): readonly Nested<T>[] {
  checkRange("take", begin, end, rankOf(t));
  return wrap(t).slice(begin, end);
}

/** Returns the modes with these numbers, in this order. */
export function selectModes<T>(t: Nested<T>, modes: readonly number[]): readonly Nested<T>[] {
  return modes.map((i) => modeAt("select", wrap(t), [i]));
}

/** Groups modes begin to end (exclusive) into one nested mode. */
export function groupModes<T>(t: Nested<T>, begin: number, end: number): readonly Nested<T>[] {
  checkRange("group", begin, end, rankOf(t));
  const modes = wrap(t);
  return [...modes.slice(0, begin), modes.slice(begin, end), ...modes.slice(end)];
}

/** Returns the tuple with `extra` repeated at its end until it has `rank` modes (one more by default); unchanged if it has more. */
export function appendMode<T>(t: Nested<T>, extra: Nested<T>, rank = rankOf(t) + 1): Nested<T> {
  const missing = rank - rankOf(t);
  return missing <= 0 ? t : [...wrap(t), ...new Array<Nested<T>>(missing).fill(extra)];
}

/** Returns the tuple with mode `index` replaced. */
export function replaceMode<T>(t: Nested<T>, index: number, mode: Nested<T>): readonly Nested<T>[] {
  modeAt("replace", wrap(t), [index]);
  return wrap(t).map((other, i) => (i === index ? mode : other));
}

/** Transposes a tuple of tuples of equal rank: ((a,b),(x,y)) to ((a,x),(b,y)). */
export function zipModes<T>(t: Nested<T>): readonly Nested<T>[] {
  const rows = wrap(t).map((row) => wrap(row));
  const width = rows[0]?.length ?? 0;
  for (const row of rows) if (row.length !== width) throw differingRanks("zip", rows[0] ?? [], row);
  return listOf(width, (i) => rows.map((row) => row[i]));
}

/** Returns the modes from right to left. */
export const reverse = <T>(t: Nested<T>): Nested<T> => (isTuple(t) ? [...t].reverse() : t);
/** Applies `f` to every mode. */
export function transform<T, U>(t: Nested<T>, f: (mode: Nested<T>) => U): readonly U[] {
  checkFunction("transform", f);
  return wrap(t).map((mode) => f(mode));
}
/** Folds `f` over the modes from left to right. */
export function fold<T, A>(t: Nested<T>, start: A, f: (soFar: A, mode: Nested<T>) => A): A {
  checkFunction("fold", f);
  return wrap(t).reduce((soFar, mode) => f(soFar, mode), start);
}

/** Returns the product of all leaves. */
export function product(t: IntTuple): Int {
  if (!isTuple(t)) return t;
  let result: Int = _1;
  for (const mode of t) result = mul(result, product(mode));
  return result;
}

/** Returns the product of each top-level mode. */
export const productEach = (t: IntTuple): IntTuple => (isTuple(t) ? t.map(product) : t);
/** Returns the products of `t` at the leaves of `profile`. */
export const productLike = (t: IntTuple, profile: Nested<unknown>): IntTuple =>
  zipLeaves<unknown, Int, Int>(profile, t, (_leaf, part) => product(part), "productLike");
/** Returns the sum of all leaves. */
export const sum = (t: IntTuple): Int => leaves<Int>(t).reduce(add, _0);
/** Returns the largest leaf. */
export function tupleMax(t: IntTuple): Int {
  const all = leaves<Int>(t);
  if (all.length === 0) throw wrongKind("tupleMax", "a tuple with a leaf", t);
  return all.reduce(maxInt);
}
