/** Autograd: reverse and forward mode, and vmap. */

export { detectAnomaly } from "./anomaly.ts";
export { type BackwardOptions, type GradOptions, grad } from "./api.ts";
export { type MappedAxes, type OfBatch, type VmapOptions, vmap } from "./batching/vmap.ts";
export { checkpoint } from "./checkpoint.ts";
export { AutogradError, VmapError } from "./error.ts";
export { dualLevel, makeDual, type UnpackedDual, unpackDual } from "./forward-api.ts";
export { defineFunction, type FunctionContext, type FunctionDefinition } from "./function.ts";
export { gradOf, hessian, hvp, type JacobianOptions, jacobian, jvp, valueAndGrad, vjp } from "./functional.ts";
export { type GradcheckOptions, gradcheck, gradgradcheck } from "./gradcheck.ts";
export type { GradNode, HookHandle, NodeHook, NodePrehook, TensorHook } from "./node.ts";
export { type SavedTensorHooks, savedTensorHooks } from "./saved.ts";
export {
  enableGrad,
  inferenceMode,
  isGradEnabled,
  isInferenceModeEnabled,
  noGrad,
  setGradEnabled,
} from "./scopes.ts";
