/** Kin of Adam: Adamax (the largest gradient in place of the mean square), NAdam (with Nesterov's look ahead), RAdam (without a warm-up). */
import { checkBetas, checkNumber } from "./checks.ts";
import { decayNumbers, descent, FusedOptimizer, type Plan } from "./fused.ts";
import type { GroupOptions, ParamGroup, Params } from "./optimizer.ts";
import type { ParamState } from "./state-dict.ts";

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

type Options = AdamVariantOptions & GroupOptions;
const means = "expAvg = beta1 * expAvg + new1 * d; expAvgSq = beta2 * expAvgSq + new2 * d * d; ";

abstract class AdamVariant<O extends Options> extends FusedOptimizer<O> {
  protected override check(who: string, options: Required<O>): void {
    super.check(who, options);
    const { betas, eps, weightDecay } = options as unknown as Required<Options>;
    checkBetas(who, betas);
    checkNumber(who, "eps", eps);
    checkNumber(who, "weightDecay", weightDecay);
  }
}

const filled = (lr: number, options: AdamVariantOptions): Required<Options> => ({
  lr: options.lr ?? lr,
  betas: options.betas ?? [0.9, 0.999],
  eps: options.eps ?? 1e-8,
  weightDecay: options.weightDecay ?? 0,
  maximize: options.maximize ?? false,
});

/** Adam with the largest gradient, slowly forgotten, in place of the mean square. */
export class Adamax extends AdamVariant<Options> {
  constructor(params: Params<Options>, options: AdamVariantOptions = {}) {
    super(params, filled(2e-3, options), options);
  }

  protected override plan(group: ParamGroup<Options>): Plan {
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
export class RAdam extends AdamVariant<Options> {
  constructor(params: Params<Options>, options: AdamVariantOptions = {}) {
    super(params, filled(1e-3, options), options);
  }

  protected override plan(group: ParamGroup<Options>): Plan {
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
