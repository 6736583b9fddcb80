/**
 * Scopes: `scope(fn)` disposes every tensor made inside that does not leave with the result.
 * A tensor leaves if the result is it, or holds it in arrays, maps or plain objects, or if it was passed to `keep`.
 * Counts of storages make this safe: what leaves keeps its storage, whoever else shared it.
 */
import { StridewiseError } from "../base/errors.ts";

/** What a scope can end. */
export interface Scoped {
  endWith(reason: string): void;
}

interface Scope {
  readonly made: Scoped[];
  readonly kept: Set<unknown>;
  readonly outer: Scope | null;
}

let active: Scope | null = null;

/** Notes a new tensor in the innermost scope, if there is one. */
export function enterScope(made: Scoped): void {
  if (active !== null) active.made.push(made);
}

/** Keeps a tensor beyond the innermost scope; an outer one still ends it, and so does a scope whose function throws. */
export function keep<T>(value: T): T {
  if (active !== null) collect(value, active.kept);
  return value;
}

/** Runs `fn` and disposes every tensor it made that does not leave with its result. */
export function scope<T>(fn: () => T): T {
  const inner: Scope = { made: [], kept: new Set(), outer: active };
  active = inner;
  let result: T;
  try {
    result = fn();
    if (isThenable(result)) {
      // What the promise does after its tensors ended is of no interest any more.
      result.then(undefined, () => undefined);
      throw new StridewiseError(
        "scope: the function returned a promise, and tensors made after its first await are outside the scope. " +
          "Give each synchronous part a scope of its own, or use `using`.",
      );
    }
    collect(result, inner.kept);
  } catch (error) {
    inner.kept.clear();
    active = inner.outer;
    end(inner);
    throw error;
  }
  active = inner.outer;
  end(inner);
  return result;
}

function end(scope: Scope): void {
  for (const made of scope.made) {
    if (!scope.kept.has(made)) made.endWith("disposed at the end of its scope");
    else if (active !== null) active.made.push(made);
  }
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

/** Adds a value and all objects in it, however deep; a list of what is still to look at, since a recursion has an end. */
function collect(value: unknown, into: Set<unknown>): void {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null || into.has(next)) continue;
    into.add(next);
    if ("endWith" in next || ArrayBuffer.isView(next)) continue;
    if (next instanceof Map) for (const [key, item] of next) waiting.push(key, item);
    else for (const item of Array.isArray(next) || next instanceof Set ? next : Object.values(next)) waiting.push(item);
  }
}
