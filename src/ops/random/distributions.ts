/**
 * New tensors of random numbers. The parameters of a distribution are tensors, with a value per element, or numbers.
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
import { isPositive, normal_ } from "./in-place.ts";
import { type Argument, drawNew, type GeneratorOption } from "./random-op.ts";

type Options = OutOption & GeneratorOption;
/** The type of poisson and of other distributions with one tensor of parameters. */
export interface DrawsOf extends OpFunction {
  <X extends Tensor>(x: X, options?: Options): Tensor<X["shape"], X["dtype"]>;
}
/** The type of binomial. Of the two parameters at least one is a tensor. */
export interface Binomial extends OpFunction {
  (count: Argument, prob: Argument, options?: Options): Tensor;
}
/** The type of sampleBeta. Of the two parameters at least one is a tensor. */
export interface Beta extends OpFunction {
  (alpha: Argument, beta: Argument, options?: Options): Tensor;
}

/** Returns samples from Poisson distributions with the elements of rate as rates. */
export const poisson: DrawsOf = /* @__PURE__ */ drawNew({
  signature: "poisson(rate)",
  parameters: ["rate"],
  rules: {
    rate: [(rate) => rate >= 0, (rate) => `rate must be at least 0, got ${rate}`],
  },
  fill: fillPoisson,
  linear: "none",
});
/** Returns random numbers from binomial distributions: the number of successes in `count` trials of probability `prob`. */
export const binomial: Binomial = /* @__PURE__ */ drawNew({
  signature: "binomial(count, prob)",
  parameters: ["count", "prob"],
  rules: {
    count: [
      (count) => count >= 0 && Number.isInteger(count),
      (count) => `count must be a non-negative integer, got ${count}`,
    ],
    prob: [(prob) => prob >= 0 && prob <= 1, (prob) => `prob must be in [0, 1], got ${prob}`],
  },
  fill: fillBinomial,
});
/** Returns samples from gamma distributions with the elements of alpha as shape parameters and scale 1. */
export const standardGamma: DrawsOf = /* @__PURE__ */ drawNew({
  signature: "standardGamma(alpha)",
  parameters: ["alpha"],
  rules: { alpha: /* @__PURE__ */ isPositive("alpha") },
  fill: fillGamma,
});
/** Returns random numbers from beta distributions with the shape parameters alpha and beta. */
export const sampleBeta: Beta = /* @__PURE__ */ drawNew({
  signature: "sampleBeta(alpha, beta)",
  parameters: ["alpha", "beta"],
  rules: { alpha: /* @__PURE__ */ isPositive("alpha"), beta: /* @__PURE__ */ isPositive("beta") },
  fill: fillBeta,
});
/** Returns samples from Dirichlet distributions along the last axis, with the elements of concentration as parameters. The samples sum to 1. */
export const sampleDirichlet: DrawsOf = /* @__PURE__ */ dirichlet();

function dirichlet(): DrawsOf {
  const whole = drawNew<OpFunction>({
    signature: "sampleDirichlet(concentration; categories)",
    parameters: ["concentration", "categories"],
    rules: { concentration: isPositive("concentration") },
    fill: fillDirichlet,
  }) as unknown as (x: Tensor, options: object) => Tensor;
  const call = (x: Tensor, options: Options = {}): Tensor => {
    if (!(x instanceof Tensor) || x.rank === 0)
      throw new StridewiseError(`sampleDirichlet: needs a tensor with at least one axis, got ${describeValue(x)}`);
    return whole(x, { ...options, categories: sizesOf(x)[x.rank - 1] });
  };
  return Object.assign(call, { operator: (whole as unknown as OpFunction).operator }) as DrawsOf;
}

const normalOp: OpFunction = /* @__PURE__ */ drawNew({
  signature: "normal(mean, std = 1)",
  parameters: ["mean", "std"],
  rules: { std: [(std) => std >= 0, (std) => `std must be at least 0, got ${std}`] },
  fill: fillNormalAround,
});
/** The type of normal. */
export interface Normal extends OpFunction {
  /** Returns random numbers from normal distributions with a mean and a standard deviation for each element. */
  (mean: Argument, std?: Argument, options?: Options): Tensor;
  /** Returns a tensor of the given size with random numbers from one normal distribution. */
  (
    mean: number,
    std: number,
    size: readonly number[],
    options?: GeneratorOption & { readonly dtype?: DType },
  ): Tensor<Shape>;
}
/** Returns samples from normal distributions. mean and std are tensors or numbers; if both are numbers, pass a size. */
export const normal: Normal = /* @__PURE__ */ Object.assign(
  (mean: Argument, std: Argument | Options = 1, size?: readonly number[] | Options, options: object = {}): Tensor => {
    if (!Array.isArray(size))
      return (normalOp as unknown as (...args: unknown[]) => Tensor)(mean, std, ...(size === undefined ? [] : [size]));
    if (typeof mean !== "number" || typeof std !== "number" || !(std >= 0))
      throw new StridewiseError(
        `normal: with a size, mean must be a number and std a number of at least 0, got ${describeValue(mean)} and ${describeValue(std)}`,
      );
    const { generator } = (options ?? {}) as GeneratorOption;
    return normal_(empty(size, options ?? {}, "normal"), mean, std, { generator });
  },
  { operator: /* @__PURE__ */ operatorOf(normalOp) },
) as Normal;

function operatorOf({ operator }: OpFunction): OpFunction["operator"] {
  return operator;
}
