/** Whether calls are recorded, for a scope. */
import { checkFunction, refusePromise } from "../base/arguments.ts";
import { counterOfNew } from "../storage/version.ts";
import { keySet } from "../tensor/dispatch/keys.ts";
import { isExcluded, withKeys } from "../tensor/dispatch/operator.ts";
import { setUnrecorded, unrecorded } from "../tensor/identity.ts";

/** The keys that recording is made of. */
export const recordingKeys = /* @__PURE__ */ keySet("autograd", "inPlaceOrView");

/** Runs a function without recording: its results ask for no gradients. */
export function noGrad<T>(fn: () => T): T {
  checkFunction("noGrad", fn);
  return refusePromise("noGrad", withoutGrad(fn));
}

/** The same, whatever the function returns. */
export const withoutGrad = <T>(fn: () => T): T =>
  withMark(isInferenceModeEnabled() ? unrecorded.inference : unrecorded.noGrad, () =>
    withKeys({ exclude: recordingKeys }, fn),
  );

/** Runs a function with recording, also inside `noGrad`; inside `inferenceMode` there is none. */
export function enableGrad<T>(fn: () => T): T {
  checkFunction("enableGrad", fn);
  return isInferenceModeEnabled()
    ? fn()
    : refusePromise(
        "enableGrad",
        withMark(0, () => withKeys({ allow: recordingKeys }, fn)),
      );
}

/** Runs a function with recording, or without. */
export const setGradEnabled = <T>(enabled: boolean, fn: () => T): T => (enabled ? enableGrad(fn) : noGrad(fn));

/** True if and only if tensors that are made here are inference tensors. */
export const isInferenceModeEnabled = (): boolean => counterOfNew() !== null;

/** Views that the function makes say where they were made. */
function withMark<T>(mark: number, fn: () => T): T {
  const before = setUnrecorded(mark);
  try {
    return fn();
  } finally {
    setUnrecorded(before);
  }
}

/** True if and only if calls are recorded here. */
export const isGradEnabled = (): boolean => !isExcluded(keySet("autograd"));
