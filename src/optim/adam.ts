/**
 * Adam and AdamW: running means of the gradient and of its square, both corrected for their start at 0. They differ in where weights decay: in
 * the gradient, or beside it. Variants are Adamax (the largest gradient instead of the mean square), NAdam (with Nesterov momentum) and RAdam
 * (without a warm-up).
 */
import { checkBetas, checkNumber } from "./checks.ts";
import { decayNumbers, descent, FusedOptimizer, type Plan } from "./fused.ts";
import type { GroupOptions, ParamGroup, Params } from "./optimizer.ts";
import type { ParamState } from "./state-dict.ts";

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

export interface AdamVariantOptions extends Partial<GroupOptions> {
  /** How slowly the means of the gradient and of its square forget. */
  betas?: readonly [number, number];
  /** Keeps the division from going to 0. */
  eps?: number;
  /** Pulls weights to 0, as part of the gradient. */
  weightDecay?: number;
  /** Goes up instead of down. */
  maximize?: boolean;
}

export interface NAdamOptions extends AdamVariantOptions {
  /** How slowly the momentum grows. */
  momentumDecay?: number;
}

type VariantOptions = AdamVariantOptions & GroupOptions;
const means = "expAvg = beta1 * expAvg + new1 * d; expAvgSq = beta2 * expAvgSq + new2 * d * d; ";

abstract class AdamVariant<O extends VariantOptions> extends FusedOptimizer<O> {
  protected override check(who: string, options: Required<O>): void {
    super.check(who, options);
    const { betas, eps, weightDecay } = options as unknown as Required<VariantOptions>;
    checkBetas(who, betas);
    checkNumber(who, "eps", eps);
    checkNumber(who, "weightDecay", weightDecay);
  }
}

const filled = (lr: number, options: AdamVariantOptions): Required<VariantOptions> => ({
  lr: options.lr ?? lr,
  betas: options.betas ?? [0.9, 0.999],
  eps: options.eps ?? 1e-8,
  weightDecay: options.weightDecay ?? 0,
  maximize: options.maximize ?? false,
});

/** Adam with the largest gradient, slowly forgotten, in place of the mean square. */
export class Adamax extends AdamVariant<VariantOptions> {
  constructor(params: Params<VariantOptions>, options: AdamVariantOptions = {}) {
    super(params, filled(2e-3, options), options);
  }

  protected override plan(group: ParamGroup<VariantOptions>): Plan {
    const { lr, eps, weightDecay } = group;
    const [beta1, beta2] = group.betas;
    const decay = decayNumbers(weightDecay);
    return {
      formula: `${descent(group)}expAvg = beta1 * expAvg + new1 * d; expInf = max(beta2 * expInf, abs(d) + eps); p = p - rate * expAvg / expInf`,
      state: ["expAvg", "expInf"],
      numbers: ({ step }) => ({ beta1, new1: 1 - beta1, beta2, eps, rate: lr / (1 - beta1 ** step), ...decay }),
    };
  }
}

/** Adam with Nesterov momentum. */
export class NAdam extends AdamVariant<NAdamOptions & GroupOptions> {
  constructor(params: Params<NAdamOptions & GroupOptions>, options: NAdamOptions = {}) {
    super(params, { ...filled(2e-3, options), momentumDecay: options.momentumDecay ?? 4e-3 }, options);
  }

  protected override check(who: string, options: Required<NAdamOptions & GroupOptions>): void {
    super.check(who, options);
    checkNumber(who, "momentumDecay", options.momentumDecay);
  }

  protected override plan(group: ParamGroup<NAdamOptions & GroupOptions>): Plan {
    const { lr, eps, weightDecay, momentumDecay } = group;
    const [beta1, beta2] = group.betas;
    const decay = decayNumbers(weightDecay);
    const momentumAt = (step: number): number => beta1 * (1 - 0.5 * 0.96 ** (step * momentumDecay));
    return {
      formula: `${descent(group)}${means}let size = sqrt(expAvgSq / correction) + eps; p = p - now * d / size - next * expAvg / size`,
      state: ["expAvg", "expAvgSq"],
      numbers: (state: ParamState & { step: number }) => {
        const { step } = state;
        const momentum = momentumAt(step);
        const following = momentumAt(step + 1);
        const product = ((state["muProduct"] as number | undefined) ?? 1) * momentum;
        state["muProduct"] = product;
        return {
          beta1,
          beta2,
          new1: 1 - beta1,
          new2: 1 - beta2,
          correction: 1 - beta2 ** step,
          eps,
          now: (lr * (1 - momentum)) / (1 - product),
          next: (lr * following) / (1 - product * following),
          ...decay,
        };
      },
    };
  }
}

/** Adam that goes by the momentum alone until the mean square can be trusted. */
export class RAdam extends AdamVariant<VariantOptions> {
  constructor(params: Params<VariantOptions>, options: AdamVariantOptions = {}) {
    super(params, filled(1e-3, options), options);
  }

  protected override plan(group: ParamGroup<VariantOptions>): Plan {
    const { lr, eps, weightDecay } = group;
    const [beta1, beta2] = group.betas;
    const decay = decayNumbers(weightDecay);
    const longest = 2 / (1 - beta2) - 1;
    return {
      formula: `${descent(group)}${means}p = p - rate * expAvg / (trusted > 0 ? sqrt(expAvgSq) + eps : 1)`,
      state: ["expAvg", "expAvgSq"],
      numbers: ({ step }) => {
        const correction = 1 - beta2 ** step;
        const length = longest - (2 * step * beta2 ** step) / correction;
        const trusted = length > 5 ? 1 : 0;
        const ratio = ((length - 4) * (length - 2) * longest) / ((longest - 4) * (longest - 2) * length);
        const rate = (lr / (1 - beta1 ** step)) * (trusted === 1 ? Math.sqrt(correction * ratio) : 1);
        return { beta1, beta2, new1: 1 - beta1, new2: 1 - beta2, rate, trusted, eps, ...decay };
      },
    };
  }
}
