/**
 * Scopes: `scope(fn)` disposes every tensor created inside that does not leave with the result.
 * A tensor leaves if the result is it, or holds it in arrays, maps or plain objects, or if it was passed to `keep`.
 * Counts of storages make this safe: a tensor that leaves keeps its storage, whatever else shared it.
 *
 * A synchronous scope is a field, `scopes.active`. Scopes of asynchronous functions (`async-scope.ts`) stay open across turns and interleave,
 * so while one is open and no synchronous scope is, the asynchronous context determines the scope of a new tensor.
 */

import { checkFunction, refusePromise, silencePromise } from "../base/arguments.ts";
import { runtime } from "../base/runtime.ts";

/** An object that a scope can dispose. */
export interface Scoped {
  endWith(reason: string): void;
  /** The autograd metadata. A gradient that belongs to the tensor is disposed with it. */
  readonly history?: object | null;
  /** True for a stand-in of another tensor, to which the gradient belongs. */
  readonly isStandIn?: boolean;
}

/** An open scope. */
export interface Scope {
  readonly created: Scoped[];
  /** The tensors that leave the scope; null if there are none. */
  kept: Set<unknown> | null;
  readonly outer: Scope | null;
  /** True for a list by `createdIn`. */
  readonly isList?: boolean;
  /** True for the scope of an asynchronous function that has ended. */
  readonly isClosed?: boolean;
}

/** The scopes that are open. */
interface OpenScopes {
  /** The innermost synchronous scope; null outside of all; undefined if the asynchronous context decides. */
  active: Scope | null | undefined;
  /** Returns the scope of the asynchronous context; null while no asynchronous scope is open. */
  context: (() => Scope | null) | null;
}

const scopes: OpenScopes = /* @__PURE__ */ runtime.own("tensor/scope", { active: undefined, context: null });

/** Sets the function that returns the scope of the asynchronous context, or null. */
export function setContextScope(find: (() => Scope | null) | null): void {
  scopes.context = find;
}

/** Returns the innermost scope. */
export function presentScope(): Scope | null {
  if (scopes.active !== undefined) return scopes.active;
  let innermost = scopes.context === null ? null : scopes.context();
  // An asynchronous function may continue after its scope has ended.
  while (innermost?.isClosed === true) innermost = innermost.outer;
  return innermost;
}

/** Adds a new tensor to the innermost scope, if there is one. */
export function enterScope(created: Scoped): void {
  if (scopes.active != null) scopes.active.created.push(created);
  else if (scopes.context !== null) presentScope()?.created.push(created);
}

/** Keeps a tensor beyond the innermost scope. An outer scope still disposes it, and so does a scope whose function throws. */
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

/** Keeps all tensors in the result of a scope. Throws if it contains a promise, whose tensors the end of the scope would dispose. */
export function keepResult<T>(scope: Scope, result: T): T {
  if (typeof result !== "object" || result === null) return result;
  scope.kept ??= new Set();
  const promises = collect(result, scope.kept)?.filter(silencePromise) ?? [];
  if (promises.length > 0)
    refusePromise("scope", promises[0], "Use scope.async(async () => ...) and await each promise in it");
  return result;
}

/** Keeps a tensor until the end of an open scope, beyond the scopes inside of it. */
export function keepUntil(value: unknown, last: Scope | null): void {
  for (let inner = presentScope(); inner !== last && inner !== null; inner = inner.outer) {
    inner.kept ??= new Set();
    inner.kept.add(value);
  }
}

/** Runs `fn` and adds every tensor it creates to a list; they belong to no scope until `enterScope` adds them to one. */
export function createdIn<T>(fn: () => T, created: Scoped[]): T {
  return inScope({ created, kept: null, outer: presentScope(), isList: true }, fn);
}

/** A reusable form of `createdIn`: adds the tensors that are created from `open` to `close`. */
export class CreatedList implements Scope {
  created: Scoped[] = [];
  kept: Set<unknown> | null = null;
  readonly outer: Scope | null = presentScope();
  readonly isList = true;
  #before: Scope | null | undefined;

  open(created: Scoped[]): void {
    this.created = created;
    this.#before = scopes.active;
    scopes.active = this;
  }

  close(): void {
    scopes.active = this.#before;
    this.kept = null;
  }
}

/** Runs `fn` in the innermost scope that a user has opened: its tensors are not added to lists by `createdIn`. */
export function insideScope<T>(fn: () => T): T {
  let open = presentScope();
  while (open?.isList === true) open = open.outer;
  return inScope(open, fn);
}

/** Runs `fn` outside all scopes: its tensors are freed by `dispose()` or by garbage collection. */
export function outsideScopes<T>(fn: () => T): T {
  checkFunction("outsideScopes", fn);
  return inScope(null, fn);
}

/** Runs `fn` in an open scope, or for undefined in that of the asynchronous context. */
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
  const inner: Scope = { created: [], kept: null, outer: presentScope() };
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

/** Disposes all tensors of a scope except the kept ones, which move to the next open scope outside. */
export function endScope({ created, kept, outer }: Scope): void {
  let next = outer;
  while (next?.isClosed === true) next = next.outer;
  for (const t of created) {
    if (kept?.has(t) === true) {
      next?.created.push(t);
      continue;
    }
    const { history } = t as { history?: { ownsGrad?: boolean; readonly grad?: Scoped | null } | null };
    if (history?.ownsGrad === true && history.grad != null && t.isStandIn !== true) {
      // The gradient of a tensor lives as long as the tensor, unless it leaves by itself.
      history.ownsGrad = false;
      if (kept?.has(history.grad) !== true) history.grad.endWith(atEnd);
      else next?.created.push(history.grad);
    }
    t.endWith(atEnd);
  }
}

const atEnd = "disposed at the end of its scope (return or keep() it)";

/** Adds a value and all objects in it, at any depth, and returns the promises among them, or null. Iterative, because recursion has a limit. */
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
