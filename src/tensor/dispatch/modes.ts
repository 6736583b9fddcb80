/**
 * Modes: functions of the user's that see every op on its way to the backend, and may change arguments and results.
 *
 * Modes nest, the innermost sees a call first, and `next` hands it on to the one around it. Inside a mode the ops that it calls itself
 * are seen by the modes around it only. Composite ops are seen as the ops that they are made of.
 */

import { refusePromise } from "../../base/arguments.ts";
import { StridewiseError } from "../../base/errors.ts";
import { describeValue } from "../describe-value.ts";
import { type KeySet, keySet } from "./keys.ts";
import { type Arguments, type Operator, setFallback, withKeys } from "./operator.ts";

/** Sees calls: runs instead of them, and may call them by `next`. */
export interface Mode {
  call(op: Operator, args: Arguments, next: (args?: Arguments) => unknown): unknown;
}

let active: readonly Mode[] = [];

function throughModes(op: Operator, keys: KeySet, args: Arguments): unknown {
  const mode = active[active.length - 1];
  if (mode === undefined) return op.callBelow("mode", keys, args);
  let given: unknown = null;
  const next = (changed: Arguments = args): unknown => {
    given = op.call(changed);
    return given;
  };
  const result = withModes(active.slice(0, -1), () => mode.call(op, args, next));
  if (result === undefined && given !== undefined)
    throw new StridewiseError(
      `withMode: the mode gave nothing as the result of ${op.name}. Its function returns what the op gives: return next()`,
    );
  return result;
}

function withModes<T>(modes: readonly Mode[], fn: () => T): T {
  const before = active;
  active = modes;
  try {
    const key = keySet("mode");
    return withKeys(modes.length > 0 ? { include: key, allow: key } : { exclude: key }, fn);
  } finally {
    active = before;
  }
}

/** Runs `fn` with a mode that sees every op called in it. */
export function withMode<T>(mode: Mode, fn: () => T): T {
  if (typeof mode === "function" || typeof mode?.call !== "function" || typeof fn !== "function")
    throw new StridewiseError(
      `withMode: takes a mode, an object with call(op, args, next), and a function to run in it, got ${describeValue(mode)} and ${describeValue(fn)}. Write withMode(mode, () => ...)`,
    );
  setFallback("mode", throughModes);
  return refusePromise("withMode", withModes([...active, mode], fn));
}
