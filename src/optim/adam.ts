/**
 * Adam: running averages of the gradient and of its square, both corrected for their bias toward 0. AdamW decouples weight decay from the
 * gradient. Variants are Adamax (the infinity norm instead of the mean square), NAdam (with Nesterov momentum) and RAdam (without a warm-up).
 */
import { checkBetas, checkNumber } from "./checks.ts";
import { decayNumbers, descent, FusedOptimizer, type UpdateRule } from "./fused.ts";
import type { GroupOptions, ParamGroup, Params } from "./optimizer.ts";
import type { ParamState } from "./state-dict.ts";

export interface AdamVariantOptions extends Partial<GroupOptions> {
  /** The decay of the running averages of the gradient and of its square. */
  betas?: readonly [number, number];
  /** Added to the denominator for numerical stability. */
  eps?: number;
  /** The weight of the L2 penalty, added to the gradient; in AdamW, the decoupled decay. */
  weightDecay?: number;
  /** Maximizes the objective instead of minimizing it. */
  maximize?: boolean;
}

export interface AdamOptions extends AdamVariantOptions {
  /** Divides by the largest average of squares so far. */
  amsgrad?: boolean;
}

export interface NAdamOptions extends AdamVariantOptions {
  /** The decay of the momentum. */
  momentumDecay?: number;
}

type Options = AdamOptions & GroupOptions;
type VariantOptions = AdamVariantOptions & GroupOptions;
const means = "expAvg = beta1 * expAvg + new1 * d; expAvgSq = beta2 * expAvgSq + new2 * d * d; ";

/** The base class of Adam and its variants: options with betas, checked. */
abstract class AdamVariant<O extends VariantOptions> extends FusedOptimizer<O> {
  protected override check(who: string, options: Required<O>): void {
    super.check(who, options);
    const { betas, eps, weightDecay } = options as unknown as Required<VariantOptions>;
    checkBetas(who, betas);
    checkNumber(who, "eps", eps);
    checkNumber(who, "weightDecay", weightDecay);
  }
}

const withDefaults = (
  defaultLr: number,
  { lr = defaultLr, betas = [0.9, 0.999], eps = 1e-8, weightDecay = 0, maximize = false }: AdamVariantOptions,
): Required<VariantOptions> => ({ lr, betas, eps, weightDecay, maximize });

/** The base class of Adam and AdamW. */
abstract class AdamLike extends AdamVariant<Options> {
  protected abstract readonly isDecoupled: boolean;

  constructor(params: Params<Options>, defaultDecay: number, options: AdamOptions = {}) {
    const { weightDecay = defaultDecay, amsgrad = false } = options;
    super(params, { ...withDefaults(1e-3, options), weightDecay, amsgrad }, options);
  }

  protected override updateRule(group: ParamGroup<Options>): UpdateRule {
    const { lr, eps, weightDecay, amsgrad, maximize } = group;
    const [beta1, beta2] = group.betas;
    const { isDecoupled } = this;
    const isShrunk = isDecoupled && weightDecay !== 0;
    const decay = isDecoupled ? {} : decayNumbers(weightDecay);
    const largest = amsgrad ? "maxExpAvgSq = max(maxExpAvgSq, expAvgSq); " : "";
    return {
      formula:
        `${descent({ maximize, weightDecay: isDecoupled ? 0 : weightDecay })}${means}` +
        `${largest}p = ${isShrunk ? "shrink * p" : "p"} - rate * expAvg / (sqrt(${amsgrad ? "maxExpAvgSq" : "expAvgSq"}) / root + eps)`,
      state: amsgrad ? ["expAvg", "expAvgSq", "maxExpAvgSq"] : ["expAvg", "expAvgSq"],
      constants: { beta1, beta2, new1: 1 - beta1, new2: 1 - beta2, eps, ...decay },
      numbers: ({ step }) => ({
        rate: lr / (1 - beta1 ** step),
        root: Math.sqrt(1 - beta2 ** step),
        ...(isShrunk && { shrink: 1 - lr * weightDecay }),
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

/** Adam with decoupled weight decay: each step multiplies the weights by `1 - lr * weightDecay` (0.01), independent of the gradient. */
export class AdamW extends AdamLike {
  protected override readonly isDecoupled = true;

  constructor(params: Params<Options>, options: AdamOptions = {}) {
    super(params, 1e-2, options);
  }
}

/** Adam with the exponentially weighted infinity norm of the gradient instead of the mean square. */
export class Adamax extends AdamVariant<VariantOptions> {
  constructor(params: Params<VariantOptions>, options: AdamVariantOptions = {}) {
    super(params, withDefaults(2e-3, options), options);
  }

  protected override updateRule(group: ParamGroup<VariantOptions>): UpdateRule {
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
    super(params, { ...withDefaults(2e-3, options), momentumDecay: options.momentumDecay ?? 4e-3 }, options);
  }

  protected override check(who: string, options: Required<NAdamOptions & GroupOptions>): void {
    super.check(who, options);
    checkNumber(who, "momentumDecay", options.momentumDecay);
  }

  protected override updateRule(group: ParamGroup<NAdamOptions & GroupOptions>): UpdateRule {
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

/** Rectified Adam: uses momentum only until the variance of the mean square is small enough. */
export class RAdam extends AdamVariant<VariantOptions> {
  constructor(params: Params<VariantOptions>, options: AdamVariantOptions = {}) {
    super(params, withDefaults(1e-3, options), options);
  }

  protected override updateRule(group: ParamGroup<VariantOptions>): UpdateRule {
    const { lr, eps, weightDecay } = group;
    const [beta1, beta2] = group.betas;
    const decay = decayNumbers(weightDecay);
    const longest = 2 / (1 - beta2) - 1;
    return {
      formula: `${descent(group)}${means}p = p - rate * expAvg / (rectified > 0 ? sqrt(expAvgSq) + eps : 1)`,
      state: ["expAvg", "expAvgSq"],
      numbers: ({ step }) => {
        const correction = 1 - beta2 ** step;
        const length = longest - (2 * step * beta2 ** step) / correction;
        const rectified = length > 5 ? 1 : 0;
        const ratio = ((length - 4) * (length - 2) * longest) / ((longest - 4) * (longest - 2) * length);
        const rate = (lr / (1 - beta1 ** step)) * (rectified === 1 ? Math.sqrt(correction * ratio) : 1);
        return { beta1, beta2, new1: 1 - beta1, new2: 1 - beta2, rate, rectified, eps, ...decay };
      },
    };
  }
}
