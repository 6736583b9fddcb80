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

/** Keeps a tensor beyond the scope in which it was made. */
export function keep<T>(value: T): T {
  if (active !== null) collect(value, active.kept, 0);
  return value;
}

/** Runs `fn` and disposes every tensor it made that does not leave with its result. */
export function scope<T>(fn: () => T): T {
  const inner: Scope = { made: [], kept: new Set(), outer: active };
  active = inner;
  let result: T;
  try {
    result = fn();
    if (isThenable(result))
      throw new StridewiseError(
        "scope: the function returned a promise, and tensors made after its first await are outside the scope. " +
          "Give each synchronous part a scope of its own, or use `using`.",
      );
    collect(result, inner.kept, 0);
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

const isThenable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

function collect(value: unknown, into: Set<unknown>, depth: number): void {
  if (typeof value !== "object" || value === null || depth > 16 || into.has(value)) return;
  into.add(value);
  if ("endWith" in value || ArrayBuffer.isView(value)) return;
  const items = Array.isArray(value) || value instanceof Set ? value : value instanceof Map ? value.values() : null;
  for (const item of items ?? Object.values(value)) collect(item, into, depth + 1);
}
