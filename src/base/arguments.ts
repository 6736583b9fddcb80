/**
 * Checks of arguments for all folders: the kind of a value, suggestions for misspelled names, and results that must not be
 * promises. Each error names the caller and the value.
 */
import { StridewiseError } from "./errors.ts";
import { listOf } from "./list-of.ts";

/** A short text of a value for an error message, lists to this depth. Never shows the elements of a tensor, and never throws. */
export const shown = (value: unknown, depth = 3): string =>
  Object(value).rank >= 0
    ? "a tensor"
    : typeof value === "string"
      ? `"${value}"`
      : Array.isArray(value)
        ? `[${depth > 0 ? value.map((item) => shown(item, depth - 1)) : "..."}]`
        : String(Object(value).toString ? value : {}).replace("[object Object]", "an object");

/** Returns the error for an argument of the wrong kind. */
export const wrongKind = (who: string, needed: string, value: unknown): StridewiseError =>
  new StridewiseError(`${who}: needs ${needed}, got ${typeof value === "function" ? "a function" : shown(value)}`);

/** Throws unless `value` is a function. */
export function checkFunction(who: string, value: unknown): void {
  if (typeof value !== "function") throw wrongKind(who, `a function: ${who}(() => ...)`, value);
}

/** Throws unless `value` is an object; `needed` describes it. */
export function checkObject(who: string, needed: string, value: unknown): void {
  if (typeof value !== "object" || value === null) throw wrongKind(who, needed, value);
}

/** The candidate with the fewest edits (insert, delete, replace) from `name`, if at most a third of the name differs. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let min = Math.floor((name.length + 1) / 3) + 1;
  for (const candidate of candidates) {
    const edits = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (edits < min) [best, min] = [candidate, edits];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = listOf(b.length + 1, (j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (a[i] === b[j] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

/** Returns true for a promise, and ignores its rejection. */
export function silencePromise(value: unknown): boolean {
  if (typeof (value as { then?: unknown } | null)?.then !== "function") return false;
  (value as PromiseLike<unknown>).then(undefined, () => undefined);
  return true;
}

/** Returns the result of a callback that must be synchronous; throws if it is a promise. */
export function refusePromise<T>(
  who: string,
  result: T,
  remedy = `Await before: const data = await load(); ${who}(() => ...)`,
): T {
  if (!silencePromise(result)) return result;
  throw new StridewiseError(
    `${who}: the function returned a promise, and after its first await it runs outside of ${who}. ${remedy}`,
  );
}
