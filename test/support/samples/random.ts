/** Samples of random ops, their arguments as text; a seed makes the results reproducible. */

const seeded = "{ generator: new Generator(1) }";

/** By name. */
export const random: Readonly<Record<string, readonly string[]>> = {
  bernoulli: [`tensor([0.1, 0.5, 0.9]), null, ${seeded}`],
  multinomial: [`tensor([1, 2, 3]), 2, false, ${seeded}`],
  normal: [`tensor([0, 100]), tensor([1, 10]), ${seeded}`],
  poisson: [`tensor([1, 10, 100]), ${seeded}`],
  binomial: [`tensor([10, 100]), tensor([0.5, 0.1]), ${seeded}`],
  standardGamma: [`tensor([0.5, 2, 10]), ${seeded}`],
  sampleBeta: [`tensor([1, 2]), tensor([1, 3]), ${seeded}`],
  sampleDirichlet: [`tensor([1, 2, 3]), ${seeded}`],
};
