/** Schedules that fall in steps or by a factor, and those of the user's own. */
import { checkNumber, OptimError, told } from "../checks.ts";
import { type AnyOptimizer, checkOptimizer, LRScheduler } from "./scheduler.ts";

/** Times `gamma` (0.1) every `stepSize` epochs. */
export class StepLR extends LRScheduler {
  constructor(optimizer: AnyOptimizer, options: { readonly stepSize: number; readonly gamma?: number }) {
    const { stepSize, gamma = 0.1 } = options ?? {};
    checkNumber("StepLR", "stepSize", stepSize, { least: 1, integer: true });
    checkNumber("StepLR", "gamma", gamma);
    super(optimizer, (base, epoch) => base * gamma ** Math.floor(epoch / stepSize));
  }
}

/** Times `gamma` (0.1) at each of the milestones; one that is named twice counts twice. */
export class MultiStepLR extends LRScheduler {
  constructor(optimizer: AnyOptimizer, options: { readonly milestones: readonly number[]; readonly gamma?: number }) {
    const { milestones, gamma = 0.1 } = options ?? {};
    if (!Array.isArray(milestones))
      throw new OptimError(
        `MultiStepLR: milestones is a list of epochs, { milestones: [30, 80] }, got ${told(milestones)}`,
      );
    for (const [k, milestone] of milestones.entries()) checkNumber("MultiStepLR", `milestones[${k}]`, milestone);
    checkNumber("MultiStepLR", "gamma", gamma);
    super(optimizer, (base, epoch) => base * gamma ** milestones.filter((milestone) => milestone <= epoch).length);
  }
}

/** Times `gamma` in every epoch. */
export class ExponentialLR extends LRScheduler {
  constructor(optimizer: AnyOptimizer, options: { readonly gamma: number }) {
    const { gamma } = options ?? {};
    checkNumber("ExponentialLR", "gamma", gamma);
    super(optimizer, (base, epoch) => base * gamma ** epoch);
  }
}

/** Times `factor` (1/3) for the first `totalIters` (5) epochs. */
export class ConstantLR extends LRScheduler {
  constructor(
    optimizer: AnyOptimizer,
    { factor = 1 / 3, totalIters = 5 }: { readonly factor?: number; readonly totalIters?: number } = {},
  ) {
    checkNumber("ConstantLR", "factor", factor, { most: 1 });
    checkNumber("ConstantLR", "totalIters", totalIters);
    super(optimizer, (base, epoch) => (epoch < totalIters ? base * factor : base));
  }
}

/** Times a function of the epoch; one for all groups, or one for each. */
export class LambdaLR extends LRScheduler {
  constructor(optimizer: AnyOptimizer, lambda: ((epoch: number) => number) | readonly ((epoch: number) => number)[]) {
    checkOptimizer("LambdaLR", optimizer);
    const list = typeof lambda === "function" ? null : lambda;
    if (list !== null && !(Array.isArray(list) && list.every((each) => typeof each === "function")))
      throw new OptimError(`LambdaLR: a function of the epoch, or a list of them, is needed, got ${told(lambda)}`);
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
