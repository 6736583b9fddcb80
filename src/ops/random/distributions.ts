/**
 * New tensors of random numbers whose parameters are tensors or numbers, one for each element: functions only.
 */
import { StridewiseError } from "../../base/errors.ts";
import type { DType } from "../../storage/dtype.ts";
import { empty } from "../../tensor/create/create.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { OutOption } from "../op-types.ts";
import { fillBinomial, fillPoisson } from "../random-core/counts.ts";
import { fillBeta, fillDirichlet, fillGamma } from "../random-core/gammas.ts";
import { fillNormalAround } from "../random-core/normals.ts";
import type { Parameter } from "../random-core/uniform-words.ts";
import { isPositive, normal_ } from "./in-place.ts";
import { type Argument, drawNew, type GeneratorOption } from "./random-op.ts";

type Options = OutOption & GeneratorOption;
/** Of one tensor of parameters. */
export interface DrawsOf extends OpFunction {
  <X extends Tensor>(x: X, options?: Options): Tensor<X["shape"], X["dtype"], "none">;
}
/** The type of binomial: of two parameters, tensors or numbers, one is a tensor. */
export interface Binomial extends OpFunction {
  (count: Argument, prob: Argument, options?: Options): Tensor;
}
/** The type of sampleBeta: of two parameters, tensors or numbers, one is a tensor. */
export interface Beta extends OpFunction {
  (alpha: Argument, beta: Argument, options?: Options): Tensor;
}

/** Counts of events in a time in which each element says how many are expected. */
export const poisson: DrawsOf = /* @__PURE__ */ drawNew({
  signature: "poisson(rate)",
  parameters: ["rate"],
  rules: {
    rate: [(rate) => rate >= 0, (rate) => `the rate must be at least 0, got ${rate}`],
  },
  fill: fillPoisson,
  linear: "none",
});
/** Counts of successes among `count` trials, each with the probability `prob`. */
export const binomial: Binomial = /* @__PURE__ */ drawNew({
  signature: "binomial(count, prob)",
  parameters: ["count", "prob"],
  rules: {
    count: [
      (count) => count >= 0 && Number.isInteger(count),
      (count) => `count must be an integer from 0, got ${count}`,
    ],
    prob: [(prob) => prob >= 0 && prob <= 1, (prob) => `expects prob to be in [0, 1], but found prob=${prob}`],
  },
  fill: fillBinomial,
});
/** Numbers of the gamma distribution with the shapes that the elements say and scale 1. */
export const standardGamma: DrawsOf = /* @__PURE__ */ drawNew({
  signature: "standardGamma(alpha)",
  parameters: ["alpha"],
  rules: { alpha: /* @__PURE__ */ isPositive("alpha") },
  fill: (target, draw, alpha: Parameter) => fillGamma(target, draw, alpha),
});
/** Numbers between 0 and 1 of the beta distribution with two shapes. */
export const sampleBeta: Beta = /* @__PURE__ */ drawNew({
  signature: "sampleBeta(alpha, beta)",
  parameters: ["alpha", "beta"],
  rules: { alpha: /* @__PURE__ */ isPositive("alpha"), beta: /* @__PURE__ */ isPositive("beta") },
  fill: fillBeta,
});
/** Shares along the last axis that sum to 1, of the Dirichlet distribution with the concentrations that the elements say. */
export const sampleDirichlet: DrawsOf = /* @__PURE__ */ dirichlet();

function dirichlet(): DrawsOf {
  const whole = drawNew<OpFunction>({
    signature: "sampleDirichlet(concentration; categories)",
    parameters: ["concentration", "categories"],
    rules: { concentration: isPositive("concentration") },
    fill: (target, draw, concentration: Parameter, categories: number) =>
      fillDirichlet(target, draw, concentration, categories),
  }) as unknown as (x: Tensor, options: object) => Tensor;
  const call = (x: Tensor, options: Options = {}): Tensor => {
    if (!(x instanceof Tensor) || x.rank === 0)
      throw new StridewiseError(`sampleDirichlet: needs a tensor with at least one axis, got ${describeValue(x)}`);
    return whole(x, { ...options, categories: sizesOf(x)[x.rank - 1] });
  };
  return Object.assign(call, { operator: (whole as unknown as OpFunction).operator }) as DrawsOf;
}

const around: OpFunction = /* @__PURE__ */ drawNew({
  signature: "normal(mean, std = 1)",
  parameters: ["mean", "std"],
  rules: { std: [(std) => std >= 0, (std) => `normal expects std >= 0.0, but found std ${std}`] },
  fill: fillNormalAround,
});
/** Normal numbers. */
export interface Normal extends OpFunction {
  /** Normal random numbers with the means and standard deviations given for each. */
  (mean: Argument, std?: Argument, options?: Options): Tensor;
  /** Normal random numbers of one mean and standard deviation, in the given shape. */
  (
    mean: number,
    std: number,
    size: readonly number[],
    options?: GeneratorOption & { readonly dtype?: DType },
  ): Tensor<Shape>;
}
/** Numbers of the normal distribution with means and standard deviations: one for each element, or for all of a tensor of a given size. */
export const normal: Normal = /* @__PURE__ */ Object.assign(
  (mean: Argument, std: Argument | Options = 1, size?: readonly number[] | Options, options: object = {}): Tensor => {
    if (!Array.isArray(size))
      return (around as unknown as (...args: unknown[]) => Tensor)(mean, std, ...(size === undefined ? [] : [size]));
    if (typeof mean !== "number" || typeof std !== "number" || !(std >= 0))
      throw new StridewiseError(
        `normal: with a size, mean is a number and std one of at least 0, got ${describeValue(mean)} and ${describeValue(std)}`,
      );
    const { generator } = (options ?? {}) as GeneratorOption;
    return normal_(empty(size, options ?? {}, "normal"), mean, std, { generator });
  },
  { operator: /* @__PURE__ */ operatorOf(around) },
) as Normal;

function operatorOf({ operator }: OpFunction): OpFunction["operator"] {
  return operator;
}
