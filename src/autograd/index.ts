/** Autograd: gradients by the way back. */

export { detectAnomaly } from "./anomaly.ts";
export { type BackwardOptions, type GradOptions, grad } from "./api.ts";
export { checkpoint } from "./checkpoint.ts";
export { AutogradError } from "./error.ts";
export { defineFunction, type FunctionContext, type FunctionDefinition } from "./function.ts";
export { gradOf, hessian, hvp, jacobian, jvp, valueAndGrad, vjp } from "./functional.ts";
export { type GradcheckOptions, gradcheck, gradgradcheck } from "./gradcheck.ts";
export type { GradNode, HookHandle, NodeHook, TensorHook } from "./node.ts";
export { enableGrad, isGradEnabled, noGrad } from "./scopes.ts";
