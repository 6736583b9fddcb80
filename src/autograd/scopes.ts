/** Whether calls are recorded, for a scope. */
import { keySet } from "../tensor/dispatch/keys.ts";
import { isExcluded, withKeys } from "../tensor/dispatch/operator.ts";

const keys = /* @__PURE__ */ keySet("autograd", "inPlaceOrView");

/** Runs a function without recording: its results ask for no gradients. */
export const noGrad = <T>(fn: () => T): T => withKeys({ exclude: keys }, fn);

/** Runs a function with recording, also inside `noGrad`. */
export const enableGrad = <T>(fn: () => T): T => withKeys({ allow: keys }, fn);

/** True if and only if calls are recorded here. */
export const isGradEnabled = (): boolean => !isExcluded(keySet("autograd"));
