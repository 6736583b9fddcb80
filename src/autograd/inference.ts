/**
 * Inference mode: nothing is recorded, and the tensors that are made in it never take part in recording either. They have no version,
 * are not kept for gradients, and are written to inside the mode only; so nothing has to be counted or checked for them. Views of
 * other tensors stay what those are. The mode is a counter that new storages get; others pay nothing for it.
 */

import { checkFunction, refusePromise } from "../base/arguments.ts";
import { once } from "../base/remember.ts";
import { Storage } from "../storage/storage.ts";
import { setCounterOfNew, VersionCounter } from "../storage/version.ts";
import { counterOf, type Tensor } from "../tensor/tensor.ts";
import { withoutGrad } from "./scopes.ts";

const silent = /* @__PURE__ */ once(() => VersionCounter.disabled());

/** Runs a function whose tensors are for computing alone: as `noGrad`, and they can never be part of a gradient. */
export function inferenceMode<T>(fn: () => T): T {
  checkFunction("inferenceMode", fn);
  const before = setCounterOfNew(silent());
  try {
    return refusePromise("inferenceMode", withoutGrad(fn));
  } finally {
    setCounterOfNew(before);
  }
}

/** True of a tensor that was made in inference mode, and of its views. */
export const isInference = (t: Tensor): boolean => t.source instanceof Storage && !counterOf(t).enabled;
