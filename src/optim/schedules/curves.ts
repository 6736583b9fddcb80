/**
 * Learning-rate schedules with a formula: linear, polynomial, cosine, stepwise, exponential, constant and user-defined.
 */
import { checkNumber, OptimError, shown } from "../checks.ts";
import { type AnyOptimizer, checkOptimizer, LRScheduler } from "./scheduler.ts";

export interface LinearLROptions {
  readonly startFactor?: number;
  readonly endFactor?: number;
  readonly totalIters?: number;
}

/** Changes the learning rate linearly from `startFactor` (1/3) to `endFactor` (1) times its initial value, in `totalIters` (5) epochs. */
export class LinearLR extends LRScheduler {
  constructor(optimizer: AnyOptimizer, { startFactor = 1 / 3, endFactor = 1, totalIters = 5 }: LinearLROptions = {}) {
    checkNumber("LinearLR", "startFactor", startFactor, { max: 1 });
    checkNumber("LinearLR", "endFactor", endFactor, { max: 1 });
    checkNumber("LinearLR", "totalIters", totalIters, { min: 1 });
    super(
      optimizer,
      (base, epoch) => base * (startFactor + ((endFactor - startFactor) * Math.min(epoch, totalIters)) / totalIters),
    );
  }
}

/** Decays the learning rate to 0 in `totalIters` (5) epochs, by a polynomial of degree `power` (1). */
export class PolynomialLR extends LRScheduler {
  constructor(
    optimizer: AnyOptimizer,
    { totalIters = 5, power = 1 }: { readonly totalIters?: number; readonly power?: number } = {},
  ) {
    checkNumber("PolynomialLR", "totalIters", totalIters, { min: 1 });
    checkNumber("PolynomialLR", "power", power);
    super(optimizer, (base, epoch) => base * (1 - Math.min(epoch, totalIters) / totalIters) ** power);
  }
}

const cosine = (base: number, min: number, part: number): number =>
  min + ((base - min) * (1 + Math.cos(Math.PI * part))) / 2;

/** Decays the learning rate to `etaMin` (0) by half a cosine wave of `tMax` epochs, then raises it again. */
export class CosineAnnealingLR extends LRScheduler {
  constructor(optimizer: AnyOptimizer, options: { readonly tMax: number; readonly etaMin?: number }) {
    const { tMax, etaMin = 0 } = options ?? {};
    checkNumber("CosineAnnealingLR", "tMax", tMax, { min: 1 });
    checkNumber("CosineAnnealingLR", "etaMin", etaMin);
    super(optimizer, (base, epoch) => cosine(base, etaMin, epoch / tMax));
  }
}

/**
 * Decays the learning rate to `etaMin` (0) by half a cosine wave of `t0` epochs, then restarts with a wave `tMult` (1) times as long.
 * `step(epoch)` accepts fractional epochs.
 */
export class CosineAnnealingWarmRestarts extends LRScheduler {
  constructor(
    optimizer: AnyOptimizer,
    options: { readonly t0: number; readonly tMult?: number; readonly etaMin?: number },
  ) {
    const { t0, tMult = 1, etaMin = 0 } = options ?? {};
    checkNumber("CosineAnnealingWarmRestarts", "t0", t0, { min: 1, integer: true });
    checkNumber("CosineAnnealingWarmRestarts", "tMult", tMult, { min: 1, integer: true });
    checkNumber("CosineAnnealingWarmRestarts", "etaMin", etaMin);
    super(optimizer, (base, epoch) => {
      let [length, since] = [t0, epoch];
      if (tMult === 1) since %= t0;
      for (; since >= length; length *= tMult) since -= length;
      return cosine(base, etaMin, since / length);
    });
  }
}

/** Multiplies the learning rate by `gamma` (0.1) every `stepSize` epochs. */
export class StepLR extends LRScheduler {
  constructor(optimizer: AnyOptimizer, options: { readonly stepSize: number; readonly gamma?: number }) {
    const { stepSize, gamma = 0.1 } = options ?? {};
    checkNumber("StepLR", "stepSize", stepSize, { min: 1, integer: true });
    checkNumber("StepLR", "gamma", gamma);
    super(optimizer, (base, epoch) => base * gamma ** Math.floor(epoch / stepSize));
  }
}

/** Multiplies the learning rate by `gamma` (0.1) at each milestone; repeated milestones count repeatedly. */
export class MultiStepLR extends LRScheduler {
  constructor(optimizer: AnyOptimizer, options: { readonly milestones: readonly number[]; readonly gamma?: number }) {
    const { milestones, gamma = 0.1 } = options ?? {};
    if (!Array.isArray(milestones))
      throw new OptimError(
        `MultiStepLR: milestones must be a list of epochs, { milestones: [30, 80] }, got ${shown(milestones)}`,
      );
    for (const [k, milestone] of milestones.entries()) checkNumber("MultiStepLR", `milestones[${k}]`, milestone);
    checkNumber("MultiStepLR", "gamma", gamma);
    super(optimizer, (base, epoch) => base * gamma ** milestones.filter((milestone) => milestone <= epoch).length);
  }
}

/** Multiplies the learning rate by `gamma` in every epoch. */
export class ExponentialLR extends LRScheduler {
  constructor(optimizer: AnyOptimizer, options: { readonly gamma: number }) {
    const { gamma } = options ?? {};
    checkNumber("ExponentialLR", "gamma", gamma);
    super(optimizer, (base, epoch) => base * gamma ** epoch);
  }
}

/** Multiplies the learning rate by `factor` (1/3) for the first `totalIters` (5) epochs. */
export class ConstantLR extends LRScheduler {
  constructor(
    optimizer: AnyOptimizer,
    { factor = 1 / 3, totalIters = 5 }: { readonly factor?: number; readonly totalIters?: number } = {},
  ) {
    checkNumber("ConstantLR", "factor", factor, { max: 1 });
    checkNumber("ConstantLR", "totalIters", totalIters);
    super(optimizer, (base, epoch) => (epoch < totalIters ? base * factor : base));
  }
}

/** Multiplies the learning rate by a function of the epoch; one for all groups, or one for each. */
export class LambdaLR extends LRScheduler {
  constructor(optimizer: AnyOptimizer, lambda: ((epoch: number) => number) | readonly ((epoch: number) => number)[]) {
    checkOptimizer("LambdaLR", optimizer);
    const list = typeof lambda === "function" ? null : lambda;
    if (list !== null && !(Array.isArray(list) && list.every((each) => typeof each === "function")))
      throw new OptimError(`LambdaLR: needs a function of the epoch, or a list of functions, got ${shown(lambda)}`);
    if (list !== null && list.length !== optimizer.paramGroups.length)
      throw new OptimError(
        `LambdaLR: expected ${optimizer.paramGroups.length} functions, one for each group, got ${list.length}`,
      );
    super(optimizer, (base, epoch, group) => {
      const factor = (list === null ? lambda : list[group]) as (epoch: number) => number;
      return base * factor(epoch);
    });
  }
}
