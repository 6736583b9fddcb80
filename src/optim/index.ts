/** The public API of optimization: optimizers, learning-rate schedules and gradient clipping. */
export {
  Adadelta,
  type AdadeltaOptions,
  Adagrad,
  type AdagradOptions,
  RMSprop,
  type RMSpropOptions,
} from "./adagrad.ts";
export {
  Adam,
  Adamax,
  type AdamOptions,
  type AdamVariantOptions,
  AdamW,
  NAdam,
  type NAdamOptions,
  RAdam,
} from "./adam.ts";
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
export {
  ConstantLR,
  CosineAnnealingLR,
  CosineAnnealingWarmRestarts,
  ExponentialLR,
  LambdaLR,
  LinearLR,
  type LinearLROptions,
  MultiStepLR,
  PolynomialLR,
  StepLR,
} from "./schedules/curves.ts";
export { OneCycleLR, type OneCycleLROptions } from "./schedules/one-cycle.ts";
export { type PlateauState, ReduceLROnPlateau, type ReduceLROnPlateauOptions } from "./schedules/plateau.ts";
export { type AnyOptimizer, LRScheduler, type Schedule, type SchedulerState } from "./schedules/scheduler.ts";
export { SequentialLR, type SequentialState, type WarmupOptions, warmup } from "./schedules/sequential.ts";
export { SGD, type SGDOptions } from "./sgd.ts";
export { type FlatState, flattenState, type OptimizerState, type ParamState, unflattenState } from "./state-dict.ts";
