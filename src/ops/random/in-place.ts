/**
 * Ops that fill a tensor in place with random numbers of a distribution.
 */

import { StridewiseError } from "../../base/errors.ts";
import { dtypes, isComplexDType } from "../../storage/dtype.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { fillBigIntegers, fillIntegers, fillNormal } from "../../tensor/create/random-draw.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { bumpVersion, checkNoSelfOverlap, checkTensor, checkWritable } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { Writes } from "../movement/movement-types.ts";
import { fresh, op } from "../op.ts";
import {
  fillBernoulli,
  fillCauchy,
  fillExponential,
  fillGeometric,
  fillUniformBetween,
} from "../random-core/inversion.ts";
import { fillLogNormal, fillNormalAround } from "../random-core/normals.ts";
import { elementsIn } from "../routine/dense-elements.ts";
import { readArguments, Signature } from "../signature.ts";
import { drawInPlace, fillFloats, fillParts, type GeneratorOption, nextDraw, type Rule } from "./random-op.ts";

/** The rule that a parameter is above 0. */
export const isPositive = (name: string): Rule => [
  (value) => value > 0,
  (value) => `${name} must be above 0, got ${value}`,
];
const real = ["float", "integer", "bool"] as const;

/** Fills the tensor with numbers from the uniform distribution over [from, to), by default [0, 1). */
export const uniform_: Writes<[from?: number, to?: number, options?: GeneratorOption]> = /* @__PURE__ */ drawInPlace({
  signature: "uniform_(x, from = 0, to = 1)",
  parameters: ["from", "to"],
  fault: (from: number, to: number) =>
    from <= to && Number.isFinite(Number(to) - Number(from))
      ? null
      : `from and to must be finite and from <= to, got ${from} and ${to}`,
  fill: fillUniformBetween,
});
/** Fills the tensor with numbers from the normal distribution with the given mean and standard deviation, by default 0 and 1. */
export const normal_: Writes<[mean?: number, std?: number, options?: GeneratorOption]> = /* @__PURE__ */ drawInPlace(
  {
    signature: "normal_(x, mean = 0, std = 1)",
    parameters: ["mean", "std"],
    fault: (_: number, std: number) => (std >= 0 ? null : `std must be at least 0, got ${std}`),
    fill: fillNormalAround,
  },
  // Each part of a complex number has half of the variance.
  (parts, args, who) =>
    fillParts(parts, args, who, (target, draw) => {
      fillNormal(target, draw);
      const scale = (args.std as number) * Math.SQRT1_2;
      for (let i = 0; i < target.length; i++) target[i] = target[i] * scale + (i % 2 === 0 ? (args.mean as number) : 0);
    }),
);
/** Fills the tensor with numbers from the log-normal distribution; the mean and standard deviation of the logarithm are 1 and 2 by default. */
export const logNormal_: Writes<[mean?: number, std?: number, options?: GeneratorOption]> = /* @__PURE__ */ drawInPlace(
  {
    signature: "logNormal_(x, mean = 1, std = 2)",
    parameters: ["mean", "std"],
    rules: { std: /* @__PURE__ */ isPositive("std") },
    fill: fillLogNormal,
  },
);
/** Fills the tensor with numbers from the exponential distribution with rate lambd, by default 1. */
export const exponential_: Writes<[lambd?: number, options?: GeneratorOption]> = /* @__PURE__ */ drawInPlace({
  signature: "exponential_(x, lambd = 1)",
  parameters: ["lambd"],
  rules: { lambd: /* @__PURE__ */ isPositive("lambd") },
  fill: fillExponential,
});
/** Fills the tensor with numbers from the Cauchy distribution with the given median and scale sigma, by default 0 and 1. */
export const cauchy_: Writes<[median?: number, sigma?: number, options?: GeneratorOption]> =
  /* @__PURE__ */ drawInPlace({
    signature: "cauchy_(x, median = 0, sigma = 1)",
    parameters: ["median", "sigma"],
    rules: { sigma: /* @__PURE__ */ isPositive("sigma") },
    fill: fillCauchy,
  });
/** Fills the tensor with numbers from the geometric distribution: the trials of probability p until the first success. */
export const geometric_: Writes<[p: number, options?: GeneratorOption]> = /* @__PURE__ */ drawInPlace({
  signature: "geometric_(x, p)",
  parameters: ["p"],
  rules: { p: [(p) => p > 0 && p < 1, (p) => `p must be in (0, 1), got ${p}`] },
  kinds: real,
  fill: fillGeometric,
});
/** Fills the tensor with 1 with probability p and 0 otherwise. p is a number, by default 0.5, or a tensor of probabilities. */
export const bernoulli_: Writes<[p?: number | Tensor, options?: GeneratorOption]> = /* @__PURE__ */ drawInPlace({
  signature: "bernoulli_(x, p = 0.5)",
  parameters: ["p"],
  rules: { p: [(p) => p >= 0 && p <= 1, (p) => `p must be in [0, 1], got ${p}`] },
  kinds: real,
  fill: fillBernoulli,
});

/** Returns the first positive integer that a dtype does not represent exactly. */
function endOf({ dtype }: Tensor): bigint {
  const { category, itemsize } = dtypes[dtype];
  if (category === "bool") return 2n;
  const bits = 8n * BigInt(itemsize);
  if (category === "integer") return 2n ** (dtype.startsWith("u") ? bits : bits - 1n);
  return { float16: 2n ** 11n, bfloat16: 2n ** 8n, float32: 2n ** 24n }[dtype as "float32"] ?? 2n ** 53n;
}
type Bound = number | bigint;
const signature = /* @__PURE__ */ new Signature("random_(x, from = null, to = null; generator = null)");
interface Random {
  readonly x: Tensor;
  readonly from: Bound | null;
  readonly to: Bound | null;
  readonly generator: GeneratorOption["generator"];
}

function readRandom(args: readonly unknown[]): Random & { readonly from: Bound; readonly to: Bound } {
  const { x, from, to, generator } = readArguments(signature, args).values as unknown as Random;
  checkTensor("random_", x);
  checkWritable(x, "random_");
  checkNoSelfOverlap(x, "random_");
  if (isComplexDType(x.dtype)) throw new StridewiseError(`random_: dtype must be real, got ${x.dtype}`);
  // A single bound is the upper one.
  const [low, high] = to === null ? [0, from ?? endOf(x)] : [from ?? 0, to];
  for (const bound of [low, high])
    if (typeof bound !== "bigint" && !Number.isInteger(bound))
      throw new StridewiseError(`random_: from and to must be integers, got ${describeValue(bound)}`);
  if (low >= high) throw new StridewiseError(`random_: from must be less than to, got ${low} and ${high}`);
  const last = endOf(x) - 1n;
  const first = dtypes[x.dtype].category === "bool" || x.dtype.startsWith("u") ? 0n : -last - 1n;
  if (BigInt(high) - 1n > last || BigInt(low) < first)
    throw new StridewiseError(
      `random_: [${low}, ${high}) is out of range for ${x.dtype}, which holds integers from ${first} to ${last}`,
    );
  return { x, from: low, to: high, generator };
}

function fillRandom({ x, from, to, generator }: ReturnType<typeof readRandom>): void {
  const draw = nextDraw(generator);
  const limit = 2n ** 53n;
  if (BigInt(from) >= -limit && BigInt(to) <= limit && BigInt(to) - BigInt(from) <= limit) {
    fillFloats(x, "random_", (target) => fillIntegers(target, draw, Number(from), Number(to)));
    return;
  }
  const isDense = x.isContiguous();
  const dense = isDense ? x : fresh(x.dtype, sizesOf(x));
  if (x.size === 0) return;
  fillBigIntegers(elementsIn(dense, "random_", true) as BigInt64Array, draw, BigInt(from), BigInt(to));
  if (!isDense) copyAll(dense, x, "random_");
}

/** The type of random_. */
export interface Randomize extends OpFunction {
  <X extends Tensor>(x: X, from?: Bound | null, to?: Bound | null, options?: GeneratorOption): X;
}
/** Fills the tensor with integers from the uniform distribution over [from, to). A single bound is the upper one; without bounds, the range is all non-negative integers that the dtype represents exactly. */
export const random_: Randomize = /* @__PURE__ */ op(
  signature,
  "routine",
  {
    cpu(...args: unknown[]) {
      const options = readRandom(args);
      fillRandom(options);
      bumpVersion(options.x);
      return options.x;
    },
    meta: (...args: unknown[]) => readRandom(args).x,
  },
  { linear: "none", random: "values" },
);
