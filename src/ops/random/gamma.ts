/**
 * Random numbers from the gamma distribution in a tensor of a given shape. It takes no tensors, so it is a plain function, not an op.
 */
import { StridewiseError } from "../../base/errors.ts";
import { full, type ShapedOptions } from "../../tensor/create/create.ts";
import type { Generator } from "../../tensor/create/generator.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { mul } from "../elementwise/arithmetic.ts";
import { standardGamma } from "./distributions.ts";

export interface GammaOptions extends ShapedOptions {
  /** The source of the random numbers. Default: the default generator. */
  readonly generator?: Generator | undefined;
}

/** Returns random numbers from the gamma distribution with shape parameter alpha and the given scale; the mean is alpha * scale. */
export function gamma(shape: readonly number[], alpha: number, scale = 1, options: GammaOptions = {}): Tensor {
  for (const [name, value] of [
    ["alpha", alpha],
    ["scale", scale],
  ] as const)
    if (typeof value !== "number" || !(value > 0))
      throw new StridewiseError(`gamma: ${name} must be above 0, got ${describeValue(value)}`);
  const drawn = standardGamma(full(shape, alpha, options, "gamma"), { generator: options.generator });
  return scale === 1 ? drawn : mul(drawn, scale);
}
