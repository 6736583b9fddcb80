/**
 * Softmax along an axis, and its logarithm.
 */
import { type Softmax, softmaxOf } from "./softmax-form.ts";

/** Returns exp(x) divided by the sum of exp(x) along an axis, computed without overflow. */
export const softmax: Softmax = /* @__PURE__ */ softmaxOf("softmax", "plain");
/** Returns the logarithm of softmax along an axis, computed without underflow. */
export const logSoftmax: Softmax = /* @__PURE__ */ softmaxOf("logSoftmax", "log");

/** The ops that are methods of tensors. */
export default [softmax, logSoftmax];
