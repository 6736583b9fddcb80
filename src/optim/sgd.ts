/** Stochastic gradient descent, optionally with momentum. */
import { checkNumber, OptimError } from "./checks.ts";
import { decayNumbers, descent, FusedOptimizer, type UpdateRule } from "./fused.ts";
import type { GroupOptions, ParamGroup, Params } from "./optimizer.ts";

export interface SGDOptions extends GroupOptions {
  /** The momentum factor: 0 to below 1, usually 0.9. */
  momentum?: number;
  /** The fraction of the gradient that momentum ignores. */
  dampening?: number;
  /** The weight of the L2 penalty, added to the gradient. */
  weightDecay?: number;
  /** Uses Nesterov momentum. */
  nesterov?: boolean;
  /** Maximizes the objective instead of minimizing it. */
  maximize?: boolean;
}

/** Stochastic gradient descent. */
export class SGD extends FusedOptimizer<SGDOptions> {
  constructor(params: Params<SGDOptions>, options: SGDOptions) {
    const { lr, momentum = 0, dampening = 0, weightDecay = 0, nesterov = false, maximize = false } = options ?? {};
    super(params, { lr, momentum, dampening, weightDecay, nesterov, maximize }, options);
  }

  protected override check(who: string, options: Required<SGDOptions>): void {
    super.check(who, options);
    const { momentum, dampening, weightDecay, nesterov } = options;
    checkNumber(who, "momentum", momentum);
    checkNumber(who, "dampening", dampening, { min: -Infinity });
    checkNumber(who, "weightDecay", weightDecay);
    if (nesterov && (momentum <= 0 || dampening !== 0))
      throw new OptimError(
        `${who}: nesterov momentum requires a momentum and zero dampening, got momentum ${momentum}, dampening ${dampening}. Pass { momentum: 0.9, nesterov: true }`,
      );
  }

  protected override updateRule(group: ParamGroup<SGDOptions>): UpdateRule {
    const { lr, momentum, dampening, weightDecay, nesterov } = group;
    const decay = decayNumbers(weightDecay);
    const start = descent(group);
    if (momentum === 0) return { formula: `${start}p = p - lr * d`, state: [], numbers: () => ({ lr, ...decay }) };
    return {
      formula: `${start}momentumBuffer = kept * momentumBuffer + taken * d; p = p - lr * ${nesterov ? "(d + momentum * momentumBuffer)" : "momentumBuffer"}`,
      state: ["momentumBuffer"],
      // The first momentum is the first gradient, without dampening.
      numbers: ({ step }) => ({
        lr,
        kept: step === 1 ? 0 : momentum,
        taken: step === 1 ? 1 : 1 - dampening,
        ...(nesterov && { momentum }),
        ...decay,
      }),
    };
  }
}
