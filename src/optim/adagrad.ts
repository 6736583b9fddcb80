/** Adagrad and Adadelta: steps scaled by the squares of all gradients so far, or of the recent ones. */
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
