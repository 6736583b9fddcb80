/**
 * Optimizers that scale steps by squares of gradients: Adagrad by the sum of all, Adadelta and RMSprop by a running mean.
 */
import { checkNumber } from "./checks.ts";
import { decayNumbers, descent, FusedOptimizer, type Plan } from "./fused.ts";
import type { GroupOptions, ParamGroup, Params } from "./optimizer.ts";

interface SharedOptions extends Partial<GroupOptions> {
  /** Keeps the division from going to 0. */
  eps?: number;
  /** Pulls weights to 0, as part of the gradient. */
  weightDecay?: number;
  /** Goes up instead of down. */
  maximize?: boolean;
}

export interface AdagradOptions extends SharedOptions {
  /** How fast the learning rate falls: lr / (1 + steps * lrDecay). */
  lrDecay?: number;
  /** What the sum of squares starts from. */
  initialAccumulatorValue?: number;
}

export interface AdadeltaOptions extends SharedOptions {
  /** How slowly the mean squares forget. */
  rho?: number;
}

/** Gradients divided by the root of the sum of all their squares. */
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

  protected override plan(group: ParamGroup<AdagradOptions & GroupOptions>): Plan {
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

/** Steps as large as recent steps were, for gradients as large as recent gradients were. */
export class Adadelta extends FusedOptimizer<AdadeltaOptions & GroupOptions> {
  constructor(params: Params<AdadeltaOptions & GroupOptions>, options: AdadeltaOptions = {}) {
    const { lr = 1, rho = 0.9, eps = 1e-6, weightDecay = 0, maximize = false } = options;
    super(params, { lr, rho, eps, weightDecay, maximize }, options);
  }

  protected override check(who: string, options: Required<AdadeltaOptions & GroupOptions>): void {
    super.check(who, options);
    checkNumber(who, "rho", options.rho, { most: 1 });
    checkNumber(who, "eps", options.eps);
    checkNumber(who, "weightDecay", options.weightDecay);
  }

  protected override plan(group: ParamGroup<AdadeltaOptions & GroupOptions>): Plan {
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
