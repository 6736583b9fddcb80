/** Autograd: gradients by the way back. */
export { type BackwardOptions, type GradOptions, grad } from "./api.ts";
export { AutogradError } from "./error.ts";
export type { GradNode, HookHandle, NodeHook, TensorHook } from "./node.ts";
export { enableGrad, isGradEnabled, noGrad } from "./scopes.ts";
