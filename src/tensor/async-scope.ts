/**
 * Scopes of asynchronous code. `scope.async(fn)` disposes, when the promise of `fn` settles, every tensor created in `fn` that does not leave
 * with its result. `scope.open()` returns a handle for a scope that is closed by hand or by `using`.
 *
 * Guarantee: scopes that interleave never dispose each other's tensors. In Node, Deno and Bun an AsyncLocalStorage follows `fn` across `await`.
 * Browsers have no equivalent yet: there only the code up to the first `await` belongs to the scope, and later code must be passed to `run` of
 * the handle. A program that does so works everywhere.
 */

import { checkFunction } from "../base/arguments.ts";
import { StridewiseError } from "../base/errors.ts";
import { builtinModule } from "../base/host.ts";
import { once } from "../base/lazy.ts";
import { runtime } from "../base/runtime.ts";
import {
  endScope,
  inScope,
  keepIn,
  keepResult,
  presentScope,
  type Scope,
  type Scoped,
  setContextScope,
  scope as synchronous,
} from "./scope.ts";

/** A scope that stays open until it is closed. */
export interface OpenScope extends Disposable, AsyncDisposable {
  /** Runs `fn` in the scope: tensors that it creates live until the scope is closed. */
  run<T>(fn: () => T): T;
  /** Keeps a tensor, or all tensors in arrays, maps and plain objects, beyond the end of the scope. */
  keep<T>(value: T): T;
  /** Disposes every tensor of the scope that is not kept. Closing twice does nothing. */
  close(): void;
}

interface ContextStorage {
  run<T>(scope: Scope, fn: () => T): T;
  getStore(): Scope | undefined;
}

/** The storage of the asynchronous context; null where there is none. */
const contextStorage = /* @__PURE__ */ once((): ContextStorage | null => {
  const hooks = builtinModule("async_hooks") as { AsyncLocalStorage?: new () => ContextStorage } | undefined;
  return hooks?.AsyncLocalStorage ? new hooks.AsyncLocalStorage() : null;
});

/** The number of open scopes. */
const open = /* @__PURE__ */ runtime.own("tensor/async-scope", { count: 0 });

class AsyncScope implements Scope, OpenScope {
  created: Scoped[] = [];
  kept: Set<unknown> | null = null;
  readonly outer = presentScope();
  isClosed = false;

  constructor() {
    const context = contextStorage();
    if (++open.count === 1 && context !== null) setContextScope(() => context.getStore() ?? null);
  }

  run<T>(fn: () => T): T {
    checkFunction("scope.run", fn);
    if (this.isClosed) throw new StridewiseError("scope: this scope is closed. Open another with scope.open().");
    const context = contextStorage();
    if (context === null) return inScope(this, fn);
    return inScope(undefined, () => context.run(this, fn));
  }

  keep<T>(value: T): T {
    keepIn(this, value);
    return value;
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (--open.count === 0) setContextScope(null);
    endScope(this);
    this.created = [];
    this.kept = null;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}

async function runAsync<T>(fn: (scope: OpenScope) => Promise<T> | T): Promise<T> {
  checkFunction("scope.async", fn);
  const inner = new AsyncScope();
  try {
    return keepResult(inner, await inner.run(() => fn(inner)));
  } catch (error) {
    inner.kept = null;
    throw error;
  } finally {
    inner.close();
  }
}

/** Runs `fn` and disposes every tensor it created that does not leave with its result. */
export const scope: {
  <T>(fn: () => T): T;
  /**
   * The same for an asynchronous function: tensors end when its promise settles. Where no AsyncLocalStorage exists, code after an `await` runs in
   * `handle.run`.
   */
  async<T>(fn: (handle: OpenScope) => Promise<T> | T): Promise<T>;
  /** Opens a scope that ends with `close()`, `using` or `await using`. Code runs in it by `run`. */
  open(): OpenScope;
} = /* @__PURE__ */ Object.assign(<T>(fn: () => T): T => synchronous(fn), {
  async: runAsync,
  open: (): OpenScope => new AsyncScope(),
});
