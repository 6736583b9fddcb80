/** Stochastic gradient descent, with momentum if asked for. */
import { checkNumber, OptimError } from "./checks.ts";
import { decayNumbers, descent, FusedOptimizer, type Plan } from "./fused.ts";
import type { GroupOptions, ParamGroup, Params } from "./optimizer.ts";

export interface SGDOptions extends GroupOptions {
  /** How much of the last steps goes on: 0 to below 1, usually 0.9. */
  momentum?: number;
  /** How much of the gradient is left out of the momentum. */
  dampening?: number;
  /** Pulls weights to 0, as part of the gradient. */
  weightDecay?: number;
  /** Looks ahead: the gradient counts where the momentum leads. */
  nesterov?: boolean;
  /** Goes up instead of down. */
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
    checkNumber(who, "dampening", dampening, { least: -Infinity });
    checkNumber(who, "weightDecay", weightDecay);
    if (nesterov && (momentum <= 0 || dampening !== 0))
      throw new OptimError(
        `${who}: nesterov momentum requires a momentum and zero dampening, got momentum ${momentum}, dampening ${dampening}. Give { momentum: 0.9, nesterov: true }`,
      );
  }

  protected override plan(group: ParamGroup<SGDOptions>): Plan {
    const { lr, momentum, dampening, weightDecay, nesterov } = group;
    const decay = decayNumbers(weightDecay);
    const start = descent(group);
    if (momentum === 0) return { formula: `${start}p = p - lr * d`, state: [], numbers: () => ({ lr, ...decay }) };
    return {
      formula: `${start}momentumBuffer = kept * momentumBuffer + taken * d; p = p - lr * ${nesterov ? "(d + momentum * momentumBuffer)" : "momentumBuffer"}`,
      state: ["momentumBuffer"],
      // The first gradient is the first momentum, whole.
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
