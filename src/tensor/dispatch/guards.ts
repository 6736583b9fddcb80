/** What users say to dispatch about keys, checked: the library itself calls the functions behind these, which every call pays for. */

import { refusePromise } from "../../base/arguments.ts";
import { describeValue } from "../describe-value.ts";
import { checkTensor } from "../operand.ts";
import type { Tensor } from "../tensor.ts";
import type { DispatchKey, KeySet } from "./keys.ts";
import * as operators from "./operator.ts";

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

/**
 * Says what serves a key where ops have no kernel for it; null for nothing. It sees ops that are made of others, too, if `isAbove` is
 * true, and else what they are made of.
 */
export function setFallback(key: DispatchKey, fallback: operators.Fallback | null, isAbove = false): void {
  if (fallback !== null && typeof fallback !== "function")
    throw new operators.DispatchError(
      `setFallback: the fallback of "${String(key)}" is a function of (op, keys, args), or null for none, got ${describeValue(fallback)}`,
    );
  operators.setFallback(key, fallback, isAbove);
}

/** The keys of a tensor. */
export function keysOf(t: Tensor): KeySet {
  checkTensor("keysOf", t);
  return operators.keysOf(t);
}
