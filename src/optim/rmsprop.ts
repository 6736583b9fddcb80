/** RMSprop: gradients divided by the root of their running mean square. */
import { checkNumber } from "./checks.ts";
import { decayNumbers, descent, FusedOptimizer, type Plan } from "./fused.ts";
import type { GroupOptions, ParamGroup, Params } from "./optimizer.ts";

export interface RMSpropOptions extends Partial<GroupOptions> {
  /** How slowly the mean square forgets. */
  alpha?: number;
  /** Keeps the division from going to 0. */
  eps?: number;
  /** Pulls weights to 0, as part of the gradient. */
  weightDecay?: number;
  /** How much of the last steps goes on. */
  momentum?: number;
  /** Divides by the deviation from the mean gradient. */
  centered?: boolean;
  /** Goes up instead of down. */
  maximize?: boolean;
}

type Options = RMSpropOptions & GroupOptions;

/** Gradients divided by the root of their running mean square. */
export class RMSprop extends FusedOptimizer<Options> {
  constructor(params: Params<Options>, options: RMSpropOptions = {}) {
    const { lr = 1e-2, alpha = 0.99, eps = 1e-8, weightDecay = 0 } = options;
    const { momentum = 0, centered = false, maximize = false } = options;
    super(params, { lr, alpha, eps, weightDecay, momentum, centered, maximize }, options);
  }

  protected override check(who: string, options: Required<Options>): void {
    super.check(who, options);
    const { alpha, eps, weightDecay, momentum } = options;
    checkNumber(who, "alpha", alpha);
    checkNumber(who, "eps", eps);
    checkNumber(who, "weightDecay", weightDecay);
    checkNumber(who, "momentum", momentum);
  }

  protected override plan(group: ParamGroup<Options>): Plan {
    const { lr, alpha, eps, weightDecay, momentum, centered } = group;
    const hasMomentum = momentum > 0;
    const numbers = {
      lr,
      alpha,
      fresh: 1 - alpha,
      eps,
      ...decayNumbers(weightDecay),
      ...(hasMomentum && { momentum }),
    };
    const mean = centered ? "gradAvg = alpha * gradAvg + fresh * d; " : "";
    const spread = centered ? "squareAvg - gradAvg * gradAvg" : "squareAvg";
    const state = ["squareAvg"];
    if (centered) state.push("gradAvg");
    if (hasMomentum) state.push("momentumBuffer");
    const move = hasMomentum
      ? "momentumBuffer = momentum * momentumBuffer + d / size; p = p - lr * momentumBuffer"
      : "p = p - lr * d / size";
    return {
      formula: `${descent(group)}squareAvg = alpha * squareAvg + fresh * d * d; ${mean}let size = sqrt(${spread}) + eps; ${move}`,
      state,
      numbers: () => numbers,
    };
  }
}
