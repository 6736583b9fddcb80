/** The public face of optimisers: those themselves, schedules of learning rates, and clipping of gradients. */
export { Adadelta, type AdadeltaOptions, Adagrad, type AdagradOptions } from "./adagrad.ts";
export { Adam, type AdamOptions, AdamW } from "./adam.ts";
export { Adamax, type AdamVariantOptions, NAdam, type NAdamOptions, RAdam } from "./adam-variants.ts";
export { OptimError } from "./checks.ts";
export { type ClipOptions, clipGradNorm_, clipGradValue_ } from "./clip.ts";
export { LBFGS, type LBFGSOptions } from "./lbfgs.ts";
export {
  type GroupInput,
  type GroupOptions,
  Optimizer,
  type ParamGroup,
  type Params,
} from "./optimizer.ts";
export { RMSprop, type RMSpropOptions } from "./rmsprop.ts";
export {
  CosineAnnealingLR,
  CosineAnnealingWarmRestarts,
  LinearLR,
  type LinearLROptions,
  PolynomialLR,
} from "./schedules/curves.ts";
export { OneCycleLR, type OneCycleLROptions } from "./schedules/one-cycle.ts";
export { type PlateauState, ReduceLROnPlateau, type ReduceLROnPlateauOptions } from "./schedules/plateau.ts";
export { type AnyOptimizer, LRScheduler, type Schedule, type SchedulerState } from "./schedules/scheduler.ts";
export { SequentialLR, type SequentialState, type WarmupOptions, warmup } from "./schedules/sequential.ts";
export { ConstantLR, ExponentialLR, LambdaLR, MultiStepLR, StepLR } from "./schedules/steps.ts";
export { SGD, type SGDOptions } from "./sgd.ts";
export type { OptimizerState, ParamState } from "./state-dict.ts";
export { type FlatState, flattenState, unflattenState } from "./state-file.ts";
