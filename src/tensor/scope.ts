/**
 * Scopes: `scope(fn)` disposes every tensor created inside that does not leave with the result.
 * A tensor leaves if the result is it, or holds it in arrays, maps or plain objects, or if it was passed to `keep`.
 * Counts of storages make this safe: a tensor that leaves keeps its storage, whatever else shared it.
 *
 * A synchronous scope is a field, `scopes.active`. Scopes of asynchronous functions (`async-scope.ts`) stay open across turns and interleave,
 * so while one is open and no synchronous scope is, the asynchronous context tells which scope a new tensor belongs to.
 */
import { checkFunction, refusePromise, silencePromise } from "../base/arguments.ts";

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
  /** Created when something is kept. */
  kept: Set<unknown> | null;
  readonly outer: Scope | null;
  /** True of a list by `madeIn`. */
  readonly isList?: boolean;
  /** True of the scope of an asynchronous function that has ended. */
  readonly isClosed?: boolean;
}

/** The scopes that are open. */
interface OpenScopes {
  /** The innermost synchronous scope; null outside of all; undefined if the asynchronous context decides. */
  active: Scope | null | undefined;
  /** Finds the scope of the asynchronous context; null while no asynchronous scope is open. */
  context: (() => Scope | null) | null;
}

const scopes: OpenScopes = { active: undefined, context: null };

/** Sets the function that finds the scope of the asynchronous context, or null. */
export function setContextScope(find: (() => Scope | null) | null): void {
  scopes.context = find;
}

/** The innermost scope. */
export function presentScope(): Scope | null {
  if (scopes.active !== undefined) return scopes.active;
  let found = scopes.context === null ? null : scopes.context();
  // An asynchronous function may go on after its scope has ended.
  while (found?.isClosed === true) found = found.outer;
  return found;
}

/** Adds a new tensor to the innermost scope, if there is one. */
export function enterScope(made: Scoped): void {
  if (scopes.active != null) scopes.active.made.push(made);
  else if (scopes.context !== null) presentScope()?.made.push(made);
}

/** Keeps a tensor beyond the innermost scope; an outer one still ends it, and so does a scope whose function throws. */
export function keep<T>(value: T): T {
  const present = presentScope();
  if (present !== null) keepIn(present, value);
  return value;
}

/** Keeps all tensors in a value beyond a scope. */
export function keepIn(scope: Scope, value: unknown): void {
  scope.kept ??= new Set();
  collect(value, scope.kept);
}

/** Keeps all tensors in the result of a scope; throws if a promise is in it, whose tensors the end of the scope would dispose. */
export function keepResult<T>(scope: Scope, result: T): T {
  if (typeof result !== "object" || result === null) return result;
  scope.kept ??= new Set();
  const promises = collect(result, scope.kept)?.filter(silencePromise) ?? [];
  if (promises.length > 0)
    refusePromise("scope", promises[0], "Use scope.async(async () => ...) and await each promise in it");
  return result;
}

/** Keeps a tensor until the end of a scope that is open, beyond those inside of it. */
export function keepUntil(value: unknown, last: Scope | null): void {
  for (let inner = presentScope(); inner !== last && inner !== null; inner = inner.outer) {
    inner.kept ??= new Set();
    inner.kept.add(value);
  }
}

/** Runs `fn` and adds every tensor it made to a list; they belong to no scope until `enterScope` says so. */
export function madeIn<T>(fn: () => T, made: Scoped[]): T {
  return inScope({ made, kept: null, outer: presentScope(), isList: true }, fn);
}

/** The same for frequent use inside the present scope: adds the tensors created from `open` to `close`. */
export class MadeList implements Scope {
  made: Scoped[] = [];
  kept: Set<unknown> | null = null;
  readonly outer: Scope | null = presentScope();
  readonly isList = true;
  #before: Scope | null | undefined;

  open(made: Scoped[]): void {
    this.made = made;
    this.#before = scopes.active;
    scopes.active = this;
  }

  close(): void {
    scopes.active = this.#before;
    this.kept = null;
  }
}

/** Runs `fn` in the innermost scope that a user has opened: what it makes is not added to lists by `madeIn`. */
export function insideScope<T>(fn: () => T): T {
  let found = presentScope();
  while (found?.isList === true) found = found.outer;
  return inScope(found, fn);
}

/** Runs `fn` outside all scopes: what it makes ends when it is disposed, or when nobody refers to it any more. */
export function outsideScopes<T>(fn: () => T): T {
  checkFunction("outsideScopes", fn);
  return inScope(null, fn);
}

/** Runs `fn` in an open scope, whichever are open inside of it; undefined: in that of the asynchronous context. */
export function inScope<T>(scope: Scope | null | undefined, fn: () => T): T {
  const before = scopes.active;
  scopes.active = scope;
  try {
    return fn();
  } finally {
    scopes.active = before;
  }
}

/** Runs `fn` and disposes every tensor it created that does not leave with its result. */
export function scope<T>(fn: () => T): T {
  checkFunction("scope", fn);
  const inner: Scope = { made: [], kept: null, outer: presentScope() };
  let result: T;
  try {
    result = keepResult(inner, inScope(inner, fn));
  } catch (error) {
    inner.kept = null;
    endScope(inner);
    throw error;
  }
  endScope(inner);
  return result;
}

/** Disposes all tensors of a scope but those that are kept, which become tensors of the next scope outside that is open. */
export function endScope({ made, kept, outer }: Scope): void {
  let next = outer;
  while (next?.isClosed === true) next = next.outer;
  for (const t of made) {
    if (kept?.has(t) === true) {
      next?.made.push(t);
      continue;
    }
    const { history } = t as { history?: { ownsGrad?: boolean; readonly grad?: Scoped | null } | null };
    if (history?.ownsGrad === true && history.grad != null && t.isStandIn !== true) {
      // The gradient of a tensor lives as long as the tensor, unless it leaves by itself.
      history.ownsGrad = false;
      if (kept?.has(history.grad) !== true) history.grad.endWith(atEnd);
      else next?.made.push(history.grad);
    }
    t.endWith(atEnd);
  }
}

const atEnd = "disposed at the end of its scope (return or keep() it)";

/** Adds a value and all objects in it, however deep, and gives the promises among them, or null. A list of what is left to look at: a recursion has an end. */
function collect(value: unknown, into: Set<unknown>): object[] | null {
  const waiting: unknown[] = [value];
  let promises: object[] | null = null;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null || into.has(next)) continue;
    into.add(next);
    if ("endWith" in next || ArrayBuffer.isView(next)) continue;
    if ("then" in next) promises = [...(promises ?? []), next];
    if (next instanceof Map) for (const [key, item] of next) waiting.push(key, item);
    else for (const item of Array.isArray(next) || next instanceof Set ? next : Object.values(next)) waiting.push(item);
  }
  return promises;
}
