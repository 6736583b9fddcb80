/**
 * Losses with a value per element: differences, likelihoods, divergences. Each is a formula and a reduction.
 */
import { StridewiseError } from "../../base/errors.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { div } from "../elementwise/arithmetic.ts";
import { type Body, type Gradients, map } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { sum } from "../reduce/reduce.ts";
import { broadcastSizes, shapeOf } from "../shape-rules.ts";
import { detach, unsqueeze } from "../views.ts";
import type { Part } from "./composite-types.ts";
import { checkReduction, checkSameShape, type Loss, type LossOptions, type LossWith, reduced } from "./loss.ts";

interface Details {
  readonly check?: (options: Readonly<Record<string, unknown>>, x: Tensor, target: Tensor) => void;
  /** Gradients that replace the derived ones. */
  readonly gradients?: Gradients;
  /** The target only selects a formula and has no gradient. */
  readonly isChoice?: boolean;
}

/** Defines a loss by a formula of x, target and numbers, which are options. */
function elementLoss<O extends object>(
  name: string,
  numbers: Readonly<Record<string, unknown>>,
  body: Body,
  { check, gradients = {}, isChoice = false }: Details = {},
): Loss<O> {
  const parameters = Object.keys(numbers).map((one) => `${one} = null`);
  const each = map<Part>(`${name}Each(${["x", "target", ...parameters].join(", ")})`, body, gradients);
  return compositeOp(
    `${name}(x: Tensor, target: Tensor; ${[...Object.keys(numbers), "reduction"].join(", ")})`,
    (x: Tensor, target: Tensor, options: LossOptions & Record<string, unknown> = {}) => {
      const values: Record<string, unknown> = {};
      for (const one in numbers) values[one] = options[one] ?? numbers[one];
      check?.(values, x, target);
      checkReduction(name, options.reduction ?? "mean");
      broadcastSizes(name, shapeOf(x), shapeOf(target));
      return reduced(
        name,
        each(x, isChoice ? detach(target) : target, ...(Object.values(values) as never[])),
        options.reduction,
      );
    },
  );
}

export interface BetaOption {
  /** The largest difference with a quadratic loss. Default: 1. */
  readonly beta?: number;
}
export interface DeltaOption {
  /** The largest difference with a quadratic loss. Default: 1. */
  readonly delta?: number;
}
export interface HingeOption {
  /** The smallest x without a loss where the target is -1. Default: 1. */
  readonly margin?: number;
}
export interface PoissonOptions {
  /** x holds logarithms of rates. Default: true. */
  readonly logInput?: boolean;
  /** Includes the Stirling approximation of the constant term. Default: false. */
  readonly full?: boolean;
  /** The number that is added to rates before their logarithm. Default: 1e-8. */
  readonly eps?: number;
}

/** Returns the mean squared error between x and target. */
export const mseLoss: Loss = /* @__PURE__ */ elementLoss("mseLoss", {}, "let d = x - target; d * d");
/** Returns the mean absolute error between x and target. */
export const l1Loss: Loss = /* @__PURE__ */ elementLoss("l1Loss", {}, "abs(x - target)");
/** Returns the smooth L1 loss of d = x - target: 0.5 * d^2 / beta where |d| < beta, else |d| - beta / 2. */
export const smoothL1Loss: Loss<BetaOption> = /* @__PURE__ */ elementLoss(
  "smoothL1Loss",
  { beta: 1 },
  ({ beta }) =>
    beta === 0 ? "abs(x - target)" : "let d = x - target; abs(d) < beta ? 0.5 * d * d / beta : abs(d) - 0.5 * beta",
  {
    check: ({ beta }) => {
      if (!((beta as number) >= 0)) throw new StridewiseError(`smoothL1Loss: beta must be at least 0, got ${beta}`);
    },
  },
);
/** Returns the Huber loss of d = x - target: 0.5 * d^2 where |d| <= delta, else delta * (|d| - delta / 2). */
export const huberLoss: Loss<DeltaOption> = /* @__PURE__ */ elementLoss(
  "huberLoss",
  { delta: 1 },
  "let d = x - target; abs(d) <= delta ? 0.5 * d * d : delta * (abs(d) - 0.5 * delta)",
  {
    check: ({ delta }) => {
      if (!((delta as number) > 0)) throw new StridewiseError(`huberLoss: delta must be above 0, got ${delta}`);
    },
  },
);
/** Returns the soft margin loss log(1 + exp(-target * x)) for targets of 1 and -1. */
export const softMarginLoss: Loss = /* @__PURE__ */ elementLoss("softMarginLoss", {}, "log1p(exp(-target * x))", {
  gradients: { x: "-g * target * sigmoid(-target * x)", target: "-g * x * sigmoid(-target * x)" },
});
/** Returns the hinge embedding loss: x where the target is 1, max(0, margin - x) where it is -1. */
export const hingeEmbeddingLoss: Loss<HingeOption> = /* @__PURE__ */ elementLoss(
  "hingeEmbeddingLoss",
  { margin: 1 },
  "(target != 1 ? max(margin - x, 0.0) : 0.0) + (target != -1 ? x * 1.0 : 0.0)",
  {
    isChoice: true,
    // The gradient is -g where x equals the margin.
    gradients: { x: "((target != 1) & (x <= margin) ? -g : 0) + (target != -1 ? g : 0)" },
  },
);
/** Returns the binary cross entropy between probabilities x and targets from 0 to 1. */
export const binaryCrossEntropy: Loss<{ weight?: Tensor }> = /* @__PURE__ */ elementLoss(
  "binaryCrossEntropy",
  { weight: null },
  ({ weight }) =>
    `${weight === null ? "" : "weight * "}-(target * max(log(x), -100) + (1 - target) * max(log1p(-x), -100))`,
  {
    check: (_, x, target) => checkSameShape("binaryCrossEntropy", x, target),
    // Finite where x is 0 or 1.
    gradients: ({ weight }) => ({
      x: `g ${weight === null ? "" : "* weight "}* (x - target) / max((1 - x) * x, 1e-12)`,
    }),
  },
);
/** Returns the binary cross entropy between sigmoid(x) and targets from 0 to 1, computed without overflow. */
export const binaryCrossEntropyWithLogits: Loss<{ weight?: Tensor; posWeight?: Tensor }> = /* @__PURE__ */ elementLoss(
  "binaryCrossEntropyWithLogits",
  { weight: null, posWeight: null },
  ({ weight, posWeight }) => {
    const rest = "softplus(-x)";
    const value =
      posWeight === null
        ? `((1 - target) * x + ${rest})`
        : `((1 - target) * x + ((posWeight - 1) * target + 1) * ${rest})`;
    return weight === null ? value : `weight * ${value}`;
  },
  { check: (_, x, target) => checkSameShape("binaryCrossEntropyWithLogits", x, target) },
);
/** Returns the negative log likelihood of Poisson counts with rates exp(x), or x if logInput is false. */
export const poissonNllLoss: Loss<PoissonOptions> = /* @__PURE__ */ elementLoss(
  "poissonNllLoss",
  { logInput: true, full: false, eps: 1e-8 },
  ({ logInput, full }) => {
    const value = logInput === true ? "exp(x) - target * x" : "x - target * log(x + eps)";
    const stirling = "(target <= 1 ? 0.0 : target * log(target) - target + 0.5 * log(2 * pi * target))";
    return full === true ? `${value} + ${stirling}` : value;
  },
);

interface DivergenceOptions {
  readonly reduction?: "mean" | "sum" | "none" | "batchmean" | undefined;
  /** The target is the logarithm of probabilities. */
  readonly logTarget?: boolean | undefined;
}
const divergence = /* @__PURE__ */ map<Part>(
  "divergence(x, target, logTarget)",
  ({ logTarget }) =>
    logTarget === true ? "exp(target) * (target - x)" : "(target == 0 ? 0.0 : target * log(target)) - target * x",
  // NaN where the target is 0, as in PyTorch.
  ({ logTarget }) => (logTarget === true ? {} : { target: "g * (log(target) + target / target - x)" }),
);
/** Returns the Kullback-Leibler divergence target * (log(target) - x), where x holds log-probabilities. */
export const klDiv: LossWith<[options?: DivergenceOptions]> = /* @__PURE__ */ compositeOp(
  "klDiv(x: Tensor, target: Tensor; reduction, logTarget)",
  (x: Tensor, target: Tensor, { reduction = "mean", logTarget = false }: DivergenceOptions = {}) => {
    checkReduction("klDiv", reduction, ["batchmean"]);
    const values = divergence(x, target, logTarget as never);
    if (reduction !== "batchmean") return reduced("klDiv", values, reduction);
    const total = sum(values);
    return x.rank === 0 ? total : div(total, sizesOf(x)[0] as never);
  },
);

interface GaussianOptions extends LossOptions {
  /** Includes the constant term. */
  readonly full?: boolean | undefined;
  /** The smallest variance. Default: 1e-6. */
  readonly eps?: number | undefined;
}
const gaussian = /* @__PURE__ */ map<Part>(
  "gaussian(x, target, variance, eps, full)",
  ({ full }) => {
    const value = "let v = max(variance, eps); let d = x - target; 0.5 * (log(v) + d * d / v)";
    return full === true ? `${value} + 0.9189385332046727` : value;
  },
  // Variances below eps have gradients, too.
  { variance: "g * 0.5 * (1 - (x - target) * (x - target) / max(variance, eps)) / max(variance, eps)" },
);
/** Returns the negative log likelihood of the target under normal distributions with means x and the given variances. */
export const gaussianNllLoss: LossWith<[variance: Tensor | number, options?: GaussianOptions]> =
  /* @__PURE__ */ compositeOp(
    "gaussianNllLoss(x: Tensor, target: Tensor, variance: any; full, eps, reduction)",
    (x: Tensor, target: Tensor, variance: Tensor | number, options: GaussianOptions = {}) => {
      const { full = false, eps = 1e-6, reduction } = options;
      checkReduction("gaussianNllLoss", reduction ?? "mean");
      const sizes = sizesOf(x);
      const isShort =
        variance instanceof Tensor && variance.rank > 0 && String(sizesOf(variance)) === String(sizes.slice(0, -1));
      return reduced(
        "gaussianNllLoss",
        gaussian(x, target, isShort ? unsqueeze(variance, -1) : variance, eps, full as never),
        reduction,
      );
    },
  );
