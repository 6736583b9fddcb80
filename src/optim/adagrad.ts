/**
 * Optimizers that scale steps by squared gradients: Adagrad by their sum, Adadelta and RMSprop by a running average.
 */
import { checkNumber } from "./checks.ts";
import { decayNumbers, descent, FusedOptimizer, type UpdateRule } from "./fused.ts";
import type { GroupOptions, ParamGroup, Params } from "./optimizer.ts";

interface SharedOptions extends Partial<GroupOptions> {
  /** Added to the denominator for numerical stability. */
  eps?: number;
  /** The weight of the L2 penalty, added to the gradient. */
  weightDecay?: number;
  /** Maximizes the objective instead of minimizing it. */
  maximize?: boolean;
}

export interface AdagradOptions extends SharedOptions {
  /** The decay of the learning rate: lr / (1 + steps * lrDecay). */
  lrDecay?: number;
  /** The initial value of the sum of squares. */
  initialAccumulatorValue?: number;
}

export interface AdadeltaOptions extends SharedOptions {
  /** The decay of the running averages of squares. */
  rho?: number;
}

export interface RMSpropOptions extends SharedOptions {
  /** The decay of the running average of squares. */
  alpha?: number;
  /** The momentum factor. */
  momentum?: number;
  /** Divides by the standard deviation of the gradient instead of its root mean square. */
  centered?: boolean;
}

/** Divides gradients by the square root of the sum of their squares. */
export class Adagrad extends FusedOptimizer<AdagradOptions & GroupOptions> {
  constructor(params: Params<AdagradOptions & GroupOptions>, options: AdagradOptions = {}) {
    const { lr = 1e-2, lrDecay = 0, weightDecay = 0 } = options;
    const { initialAccumulatorValue = 0, eps = 1e-10, maximize = false } = options;
    super(params, { lr, lrDecay, weightDecay, initialAccumulatorValue, eps, maximize }, options);
  }

  protected override check(who: string, options: Required<AdagradOptions & GroupOptions>): void {
    super.check(who, options);
    for (const name of ["lrDecay", "weightDecay", "initialAccumulatorValue", "eps"] as const)
      checkNumber(who, name, options[name]);
  }

  protected override updateRule(group: ParamGroup<AdagradOptions & GroupOptions>): UpdateRule {
    const { lr, lrDecay, weightDecay, initialAccumulatorValue, eps } = group;
    const decay = decayNumbers(weightDecay);
    return {
      formula: `${descent(group)}sum = sum + d * d; p = p - rate * d / (sqrt(sum) + eps)`,
      state: ["sum"],
      initial: initialAccumulatorValue,
      numbers: ({ step }) => ({ rate: lr / (1 + (step - 1) * lrDecay), eps, ...decay }),
    };
  }
}

/** Scales gradients by the ratio of the root mean squares of recent steps and recent gradients. */
export class Adadelta extends FusedOptimizer<AdadeltaOptions & GroupOptions> {
  constructor(params: Params<AdadeltaOptions & GroupOptions>, options: AdadeltaOptions = {}) {
    const { lr = 1, rho = 0.9, eps = 1e-6, weightDecay = 0, maximize = false } = options;
    super(params, { lr, rho, eps, weightDecay, maximize }, options);
  }

  protected override check(who: string, options: Required<AdadeltaOptions & GroupOptions>): void {
    super.check(who, options);
    checkNumber(who, "rho", options.rho, { max: 1 });
    checkNumber(who, "eps", options.eps);
    checkNumber(who, "weightDecay", options.weightDecay);
  }

  protected override updateRule(group: ParamGroup<AdadeltaOptions & GroupOptions>): UpdateRule {
    const { lr, rho, eps, weightDecay } = group;
    const numbers = { lr, rho, fresh: 1 - rho, eps, ...decayNumbers(weightDecay) };
    return {
      formula:
        `${descent(group)}squareAvg = rho * squareAvg + fresh * d * d; let move = sqrt(accDelta + eps) / sqrt(squareAvg + eps) * d; ` +
        "accDelta = rho * accDelta + fresh * move * move; p = p - lr * move",
      state: ["squareAvg", "accDelta"],
      numbers: () => numbers,
    };
  }
}

type Options = RMSpropOptions & GroupOptions;

/** Divides gradients by the root of the running average of their squares. */
export class RMSprop extends FusedOptimizer<Options> {
  constructor(params: Params<Options>, options: RMSpropOptions = {}) {
    const { lr = 1e-2, alpha = 0.99, eps = 1e-8, weightDecay = 0 } = options;
    const { momentum = 0, centered = false, maximize = false } = options;
    super(params, { lr, alpha, eps, weightDecay, momentum, centered, maximize }, options);
  }

  protected override check(who: string, options: Required<Options>): void {
    super.check(who, options);
    for (const name of ["alpha", "eps", "weightDecay", "momentum"] as const) checkNumber(who, name, options[name]);
  }

  protected override updateRule(group: ParamGroup<Options>): UpdateRule {
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
