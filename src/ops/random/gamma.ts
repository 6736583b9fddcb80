/**
 * Numbers of the gamma distribution in a tensor of a given shape. It takes numbers only, so it is a plain function, not an op.
 */
import { StridewiseError } from "../../base/errors.ts";
import { full, type ShapedOptions } from "../../tensor/create/create.ts";
import type { Generator } from "../../tensor/create/generator.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { mul } from "../elementwise/arithmetic.ts";
import { standardGamma } from "./distributions.ts";

export interface GammaOptions extends ShapedOptions {
  /** Where the numbers come from: the default generator unless given. */
  readonly generator?: Generator | undefined;
}

/** New float numbers above 0 of the gamma distribution with this shape parameter and scale; their mean is the product of both. */
export function gamma(shape: readonly number[], alpha: number, scale = 1, options: GammaOptions = {}): Tensor {
  for (const [name, value] of [
    ["alpha", alpha],
    ["scale", scale],
  ] as const)
    if (typeof value !== "number" || !(value > 0))
      throw new StridewiseError(`gamma: expects ${name} > 0.0, but found ${name}=${describeValue(value)}`);
  const drawn = standardGamma(full(shape, alpha, options, "gamma"), { generator: options.generator });
  return scale === 1 ? drawn : mul(drawn, scale);
}
