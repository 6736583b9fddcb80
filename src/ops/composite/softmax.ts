/**
 * Softmax along an axis, and its logarithm.
 */
import { type Softmax, softmaxOf } from "./softmax-form.ts";

/** exp(x) divided by the sum of exp(x) along an axis, without overflow. */
export const softmax: Softmax = /* @__PURE__ */ softmaxOf("softmax", "plain");
/** The logarithm of softmax, computed without underflow. */
export const logSoftmax: Softmax = /* @__PURE__ */ softmaxOf("logSoftmax", "log");

/** The ops that are methods of tensors. */
export default [softmax, logSoftmax];
