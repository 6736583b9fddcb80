/**
 * Modes: functions of the user's that see every op on its way to the backend, and may change arguments and results.
 *
 * Modes nest, the innermost sees a call first, and `next` hands it on to the one around it. Inside a mode the ops that it calls itself
 * are seen by the modes around it only. Composite ops are seen as the ops that they are made of.
 *
 * The functions on keys here check what users pass; the library itself calls the functions behind them, without the checks.
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

/** Sees calls: runs instead of them, and may call them by `next`. */
export interface Mode {
  call(op: Operator, args: Arguments, next: (args?: Arguments) => unknown): unknown;
}

/** The modes that see calls, the innermost last. */
const present: { modes: readonly Mode[] } = /* @__PURE__ */ runtime.own("tensor/dispatch/modes", { modes: [] });

function throughModes(op: Operator, keys: KeySet, args: Arguments): unknown {
  const mode = present.modes[present.modes.length - 1];
  if (mode === undefined) return op.callBelow("mode", keys, args);
  let given: unknown = null;
  const next = (changed: Arguments = args): unknown => {
    given = op.call(changed);
    return given;
  };
  const result = withModes(present.modes.slice(0, -1), () => mode.call(op, args, next));
  if (result === undefined && given !== undefined)
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

/** Runs `fn` with a mode that sees every op called in it. */
export function withMode<T>(mode: Mode, fn: () => T): T {
  if (typeof mode === "function" || typeof mode?.call !== "function" || typeof fn !== "function")
    throw new StridewiseError(
      `withMode: takes a mode, an object with call(op, args, next), and a function to run in it, got ${describeValue(mode)} and ${describeValue(fn)}. Write withMode(mode, () => ...)`,
    );
  operators.setFallback("mode", throughModes);
  return refusePromise("withMode", withModes([...present.modes, mode], fn));
}

/** Runs `fn` with keys included in, or excluded from, all calls; what is excluded, here or around it, is not seen even if it is included. */
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

/** Sets the function that serves a key where ops have no kernel for it; null for none. It sees the ops that composite ops call. */
export function setFallback(
  key: DispatchKey,
  fallback: operators.Fallback | null,
  options?: {
    /** True if the function sees composite ops themselves, instead of the ops that they call. */
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
      `setFallback: the fallback of "${String(key)}" must be a function of (op, keys, args), or null for none, got ${describeValue(fallback)}`,
    );
  operators.setFallback(key, fallback, typeof options === "object" ? options.above : options);
}

/** The keys of a tensor. */
export function keysOf(t: Tensor): KeySet {
  checkTensor("keysOf", t);
  return operators.keysOf(t);
}
