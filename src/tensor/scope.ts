/**
 * Scopes: `scope(fn)` disposes every tensor made inside that does not leave with the result.
 * A tensor leaves if the result is it, or holds it in arrays, maps or plain objects, or if it was passed to `keep`.
 * Counts of storages make this safe: what leaves keeps its storage, whoever else shared it.
 */
import { refusePromise } from "./refuse-promise.ts";

/** What a scope can end. */
export interface Scoped {
  endWith(reason: string): void;
  /** What is known of its gradient; one that was made for it ends with it. */
  readonly history?: object | null;
  /** True of what stands for another, to which the gradient belongs. */
  readonly isStandIn?: boolean;
}

/** A scope that is open; null outside of all. */
export interface Scope {
  readonly made: Scoped[];
  /** Made when something is kept. */
  kept: Set<unknown> | null;
  readonly outer: Scope | null;
  /** True of a list by `madeIn`. */
  readonly isList?: boolean;
}

let active: Scope | null = null;

/** Notes a new tensor in the innermost scope, if there is one. */
export function enterScope(made: Scoped): void {
  if (active !== null) active.made.push(made);
}

/** Keeps a tensor beyond the innermost scope; an outer one still ends it, and so does a scope whose function throws. */
export function keep<T>(value: T): T {
  if (active !== null) {
    active.kept ??= new Set();
    collect(value, active.kept);
  }
  return value;
}

/** Keeps a tensor until the end of a scope that is open, beyond those inside of it. */
export function keepUntil(value: unknown, last: Scope | null): void {
  for (let inner = active; inner !== last && inner !== null; inner = inner.outer) {
    inner.kept ??= new Set();
    inner.kept.add(value);
  }
}

/** The innermost scope. */
export const presentScope = (): Scope | null => active;

/** Runs `fn` and adds every tensor it made to a list; they belong to no scope until `enterScope` says so. */
export function madeIn<T>(fn: () => T, made: Scoped[]): T {
  const outer = active;
  active = { made, kept: null, outer, isList: true };
  try {
    return fn();
  } finally {
    active = outer;
  }
}

/** The same for whoever does it often: adds what is made from `open` to `close`. */
export class MadeList implements Scope {
  made: Scoped[] = [];
  kept: Set<unknown> | null = null;
  outer: Scope | null = null;
  readonly isList = true;

  open(made: Scoped[]): void {
    this.made = made;
    this.outer = active;
    active = this;
  }

  close(): void {
    active = this.outer;
    this.kept = null;
  }
}

/** Runs `fn` in the innermost scope that a user has opened: what it makes is not added to lists by `madeIn`. */
export function insideScope<T>(fn: () => T): T {
  let found = active;
  while (found?.isList === true) found = found.outer;
  return inScope(found, fn);
}

/** Runs `fn` outside all scopes: what it makes ends when it is disposed, or when nobody refers to it any more. */
export const outsideScopes = <T>(fn: () => T): T => inScope(null, fn);

/** Runs `fn` in a scope that is open, whichever are open inside of it: what it makes ends with that one. */
export function inScope<T>(scope: Scope | null, fn: () => T): T {
  const inner = active;
  active = scope;
  try {
    return fn();
  } finally {
    active = inner;
  }
}

/** Runs `fn` and disposes every tensor it made that does not leave with its result. */
export function scope<T>(fn: () => T): T {
  const inner: Scope = { made: [], kept: null, outer: active };
  active = inner;
  let result: T;
  try {
    result = refusePromise("scope", fn());
    inner.kept ??= new Set();
    collect(result, inner.kept);
  } catch (error) {
    inner.kept = null;
    active = inner.outer;
    end(inner);
    throw error;
  }
  active = inner.outer;
  end(inner);
  return result;
}

function end(scope: Scope): void {
  const { kept } = scope;
  for (const made of scope.made) {
    if (kept?.has(made) === true) {
      if (active !== null) active.made.push(made);
      continue;
    }
    const { history } = made as { history?: { ownsGrad?: boolean; readonly grad?: Scoped | null } | null };
    if (history?.ownsGrad === true && history.grad != null && made.isStandIn !== true) {
      // The gradient of a tensor lives as long as the tensor, unless it leaves by itself.
      history.ownsGrad = false;
      if (kept?.has(history.grad) !== true) history.grad.endWith(atEnd);
      else if (active !== null) active.made.push(history.grad);
    }
    made.endWith(atEnd);
  }
}

const atEnd = "disposed at the end of its scope";

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
