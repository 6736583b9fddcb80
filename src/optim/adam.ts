/**
 * Adam and AdamW: running means of the gradient and of its square, both corrected for their start at 0.
 * They differ in where weights decay: in the gradient, or beside it.
 */
import { checkBetas, checkNumber } from "./checks.ts";
import { decayNumbers, descent, FusedOptimizer, type Plan } from "./fused.ts";
import type { GroupOptions, ParamGroup, Params } from "./optimizer.ts";

export interface AdamOptions extends Partial<GroupOptions> {
  /** How slowly the means of the gradient and of its square forget. */
  betas?: readonly [number, number];
  /** Keeps the division from going to 0. */
  eps?: number;
  /** Pulls weights to 0. */
  weightDecay?: number;
  /** Divides by the largest mean so far. */
  amsgrad?: boolean;
  /** Goes up instead of down. */
  maximize?: boolean;
}

type Options = AdamOptions & GroupOptions;

/** What Adam and AdamW share. */
abstract class AdamLike extends FusedOptimizer<Options> {
  protected abstract readonly isDecoupled: boolean;

  constructor(params: Params<Options>, defaultDecay: number, options: AdamOptions = {}) {
    const { lr = 1e-3, betas = [0.9, 0.999], eps = 1e-8 } = options;
    const { weightDecay = defaultDecay, amsgrad = false, maximize = false } = options;
    super(params, { lr, betas, eps, weightDecay, amsgrad, maximize }, options);
  }

  protected override check(who: string, options: Required<Options>): void {
    super.check(who, options);
    checkBetas(who, options.betas);
    checkNumber(who, "eps", options.eps);
    checkNumber(who, "weightDecay", options.weightDecay);
  }

  protected override plan(group: ParamGroup<Options>): Plan {
    const { lr, eps, weightDecay, amsgrad, maximize } = group;
    const [beta1, beta2] = group.betas;
    const { isDecoupled } = this;
    const isShrunk = isDecoupled && weightDecay !== 0;
    const decay = isDecoupled ? (isShrunk ? { shrink: 1 - lr * weightDecay } : {}) : decayNumbers(weightDecay);
    const largest = amsgrad ? "maxExpAvgSq = max(maxExpAvgSq, expAvgSq); " : "";
    return {
      formula:
        `${descent({ maximize, weightDecay: isDecoupled ? 0 : weightDecay })}` +
        "expAvg = beta1 * expAvg + new1 * d; expAvgSq = beta2 * expAvgSq + new2 * d * d; " +
        `${largest}p = ${isShrunk ? "shrink * p" : "p"} - rate * expAvg / (sqrt(${amsgrad ? "maxExpAvgSq" : "expAvgSq"}) / root + eps)`,
      state: amsgrad ? ["expAvg", "expAvgSq", "maxExpAvgSq"] : ["expAvg", "expAvgSq"],
      numbers: ({ step }) => ({
        beta1,
        beta2,
        new1: 1 - beta1,
        new2: 1 - beta2,
        rate: lr / (1 - beta1 ** step),
        root: Math.sqrt(1 - beta2 ** step),
        eps,
        ...decay,
      }),
    };
  }
}

/** Adam; weight decay is part of the gradient. */
export class Adam extends AdamLike {
  protected override readonly isDecoupled = false;

  constructor(params: Params<Options>, options: AdamOptions = {}) {
    super(params, 0, options);
  }
}

/** Adam with decoupled weight decay: weights shrink by `lr * weightDecay` (0.01) in each step, whatever their gradient. */
export class AdamW extends AdamLike {
  protected override readonly isDecoupled = true;

  constructor(params: Params<Options>, options: AdamOptions = {}) {
    super(params, 1e-2, options);
  }
}
