/**
 * Modes of recording: `noGrad`, `enableGrad` and `inferenceMode`.
 *
 * Tensors created in inference mode never take part in recording. They have no version, are not saved for gradients, and are written to
 * inside the mode only, so nothing is counted or checked for them. Views of other tensors are inference tensors
 * only if their base is. The mode is a version counter that new storages receive; code outside of it pays nothing.
 */
import { checkFunction, refusePromise } from "../base/arguments.ts";
import { once } from "../base/lazy.ts";
import { Storage } from "../storage/storage.ts";
import { counterOfNew, setCounterOfNew, VersionCounter } from "../storage/version.ts";
import { keySet } from "../tensor/dispatch/keys.ts";
import { isExcluded, withKeys } from "../tensor/dispatch/operator.ts";
import { setUnrecorded, unrecorded } from "../tensor/identity.ts";
import { counterOf, type Tensor } from "../tensor/tensor.ts";

const autogradKey = /* @__PURE__ */ keySet("autograd");
/** The dispatch keys of recording. */
export const recordingKeys = /* @__PURE__ */ keySet("autograd", "inPlaceOrView");

/** Runs a function without recording: its results do not require gradients. */
export function noGrad<T>(fn: () => T): T {
  checkFunction("noGrad", fn);
  return refusePromise("noGrad", withoutGrad(fn));
}

/** The same, without checks. */
const withoutGrad = <T>(fn: () => T): T =>
  withMark(isInferenceModeEnabled() ? unrecorded.inference : unrecorded.noGrad, () =>
    withKeys({ exclude: recordingKeys }, fn),
  );

/** Runs a function with recording, even inside `noGrad`; inside `inferenceMode` nothing is recorded. */
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

/** True if and only if new tensors are inference tensors. */
export const isInferenceModeEnabled = (): boolean => counterOfNew() !== null;

/** Runs a function whose views carry a mark in their bits. */
function withMark<T>(mark: number, fn: () => T): T {
  const before = setUnrecorded(mark);
  try {
    return fn();
  } finally {
    setUnrecorded(before);
  }
}

/** True if and only if calls are recorded. */
export const isGradEnabled = (): boolean => !isExcluded(autogradKey);

const disabled = /* @__PURE__ */ once(() => VersionCounter.disabled());

/** Runs a function as `noGrad` does; tensors created in it can never be part of a gradient. */
export function inferenceMode<T>(fn: () => T): T {
  checkFunction("inferenceMode", fn);
  const before = setCounterOfNew(disabled());
  try {
    return refusePromise("inferenceMode", withoutGrad(fn));
  } finally {
    setCounterOfNew(before);
  }
}

/** True for a tensor that was created in inference mode, and for its views. */
export const isInference = (t: Tensor): boolean => t.source instanceof Storage && !counterOf(t).enabled;
