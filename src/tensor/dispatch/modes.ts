/**
 * Modes: user-defined functions that intercept every op before it reaches the backend, and may change its arguments and results.
 *
 * Modes nest: the innermost one receives a call first, and `next` passes it to the enclosing one. Ops that a mode calls itself are passed to
 * the enclosing modes only. Modes receive the ops that a composite op calls, not the composite op.
 *
 * The functions on keys here check their arguments; the library itself calls the unchecked ones in operator.ts.
 */
import { refusePromise } from "../../base/arguments.ts";
import { StridewiseError } from "../../base/errors.ts";
import { runtime } from "../../base/runtime.ts";
import { describeValue } from "../describe-value.ts";
import { checkTensor } from "../operand.ts";
import type { Tensor } from "../tensor.ts";
import { type DispatchKey, type KeySet, keySet } from "./keys.ts";
import type { Arguments, Operator } from "./operator.ts";
import * as operators from "./operator.ts";

/** An object whose `call` runs in place of an op; `next` runs the op. */
export interface Mode {
  call(op: Operator, args: Arguments, next: (args?: Arguments) => unknown): unknown;
}

/** The active modes, the innermost last. */
const present: { modes: readonly Mode[] } = /* @__PURE__ */ runtime.own("tensor/dispatch/modes", { modes: [] });

function throughModes(op: Operator, keys: KeySet, args: Arguments): unknown {
  const mode = present.modes[present.modes.length - 1];
  if (mode === undefined) return op.callBelow("mode", keys, args);
  let computed: unknown = null;
  const next = (changed: Arguments = args): unknown => {
    computed = op.call(changed);
    return computed;
  };
  const result = withModes(present.modes.slice(0, -1), () => mode.call(op, args, next));
  if (result === undefined && computed !== undefined)
    throw new StridewiseError(`withMode: the mode returned nothing for ${op.name}. Return its result: return next()`);
  return result;
}

function withModes<T>(modes: readonly Mode[], fn: () => T): T {
  const before = present.modes;
  present.modes = modes;
  try {
    const key = keySet("mode");
    return operators.withKeys(modes.length > 0 ? { include: key, allow: key } : { exclude: key }, fn);
  } finally {
    present.modes = before;
  }
}

/** Runs `fn` outside of all modes: no mode receives its calls. */
export const outsideModes = <T>(fn: () => T): T => withModes([], fn);

/** Runs `fn` with a mode that intercepts every op called in it. */
export function withMode<T>(mode: Mode, fn: () => T): T {
  if (typeof mode === "function" || typeof mode?.call !== "function" || typeof fn !== "function")
    throw new StridewiseError(
      `withMode: takes a mode, an object with call(op, args, next), and a function to run in it, got ${describeValue(mode)} and ${describeValue(fn)}. Write withMode(mode, () => ...)`,
    );
  operators.setFallback("mode", throughModes);
  return refusePromise("withMode", withModes([...present.modes, mode], fn));
}

/** Runs `fn` with keys included in, or excluded from, all calls. Exclusion wins over inclusion, at every nesting level. */
export function withKeys<T>(guard: operators.KeyGuard, fn: () => T): T {
  if (typeof guard !== "object" || guard === null || typeof fn !== "function")
    throw new operators.DispatchError(
      `withKeys: takes { include, exclude, allow } and a function, got ${describeValue(guard)} and ${describeValue(fn)}. Write withKeys({ exclude: keySet("autograd") }, () => ...)`,
    );
  for (const [name, keys] of Object.entries(guard))
    if (!["include", "exclude", "allow"].includes(name) || !(keys === undefined || Number.isInteger(keys)))
      throw new operators.DispatchError(
        `withKeys: takes { include, exclude, allow }, each a set of keys, got ${name}: ${describeValue(keys)}. Write withKeys({ exclude: keySet("autograd") }, () => ...)`,
      );
  return refusePromise("withKeys", operators.withKeys(guard, fn));
}

/** Sets the function that handles a key for ops without a kernel for it; null removes it. It receives the ops that composite ops call. */
export function setFallback(
  key: DispatchKey,
  fallback: operators.Fallback | null,
  options?: {
    /** True if the function receives composite ops themselves, not the ops that they call. */
    readonly above?: boolean;
  },
): void;
/** @deprecated Pass `{ above: true }` instead of a boolean. */
export function setFallback(key: DispatchKey, fallback: operators.Fallback | null, isAbove: boolean): void;
export function setFallback(
  key: DispatchKey,
  fallback: operators.Fallback | null,
  options: { readonly above?: boolean } | boolean = false,
): void {
  if (fallback !== null && typeof fallback !== "function")
    throw new operators.DispatchError(
      `setFallback: the fallback of "${String(key)}" must be a function of (op, keys, args) or null, got ${describeValue(fallback)}`,
    );
  operators.setFallback(key, fallback, typeof options === "object" ? options.above : options);
}

/** Returns the keys of a tensor. */
export function keysOf(t: Tensor): KeySet {
  checkTensor("keysOf", t);
  return operators.keysOf(t);
}
