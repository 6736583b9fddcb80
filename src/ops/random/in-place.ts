/**
 * Filling a tensor with random numbers of a distribution, in place.
 */

import { StridewiseError } from "../../base/errors.ts";
import { dtypes, isComplexDType } from "../../storage/dtype.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { fillBigIntegers, fillIntegers, fillNormal } from "../../tensor/create/random-draw.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { bumpVersion, checkNoOverlap, checkTensor, checkWritable } from "../../tensor/operand.ts";
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
import { parseSignature, readArguments } from "../signature.ts";
import { drawInPlace, fillFloats, fillParts, type GeneratorOption, nextDraw, type Rule } from "./random-op.ts";

/** The rule that a parameter is above 0. */
export const isPositive = (name: string): Rule => [
  (value) => value > 0,
  (value) => `expects ${name} > 0.0, but found ${name}=${value}`,
];
const real = ["float", "integer", "bool"] as const;

/** Fills with numbers uniform in [from, to), between 0 and 1 unless given. */
export const uniform_: Writes<[from?: number, to?: number, options?: GeneratorOption]> = /* @__PURE__ */ drawInPlace({
  signature: "uniform_(x, from = 0, to = 1)",
  parameters: ["from", "to"],
  fault: (from: number, to: number) =>
    from <= to && Number.isFinite(Number(to) - Number(from))
      ? null
      : `expects finite from <= to, got ${from} and ${to}`,
  fill: fillUniformBetween,
});
/** Fills with numbers of the normal distribution with a mean and a standard deviation, 0 and 1 unless given. */
export const normal_: Writes<[mean?: number, std?: number, options?: GeneratorOption]> = /* @__PURE__ */ drawInPlace(
  {
    signature: "normal_(x, mean = 0, std = 1)",
    parameters: ["mean", "std"],
    fault: (_: number, std: number) => (std >= 0 ? null : `normal expects std >= 0.0, but found std ${std}`),
    fill: fillNormalAround,
  },
  // The variance of a complex number is half in each part.
  (parts, given, who) =>
    fillParts(parts, given, who, (target, draw) => {
      fillNormal(target, draw);
      const scale = (given.std as number) * Math.SQRT1_2;
      for (let i = 0; i < target.length; i++)
        target[i] = target[i] * scale + (i % 2 === 0 ? (given.mean as number) : 0);
    }),
);
/** Fills with numbers whose logarithm has the normal distribution with a mean and a standard deviation, 1 and 2 unless given. */
export const logNormal_: Writes<[mean?: number, std?: number, options?: GeneratorOption]> = /* @__PURE__ */ drawInPlace(
  {
    signature: "logNormal_(x, mean = 1, std = 2)",
    parameters: ["mean", "std"],
    rules: { std: /* @__PURE__ */ isPositive("std") },
    fill: fillLogNormal,
  },
);
/** Fills with numbers of the exponential distribution of a rate, 1 unless given. */
export const exponential_: Writes<[lambda?: number, options?: GeneratorOption]> = /* @__PURE__ */ drawInPlace({
  signature: "exponential_(x, lambda = 1)",
  parameters: ["lambda"],
  rules: { lambda: /* @__PURE__ */ isPositive("lambda") },
  fill: fillExponential,
});
/** Fills with numbers of the Cauchy distribution around a median with a width, 0 and 1 unless given. */
export const cauchy_: Writes<[median?: number, sigma?: number, options?: GeneratorOption]> =
  /* @__PURE__ */ drawInPlace({
    signature: "cauchy_(x, median = 0, sigma = 1)",
    parameters: ["median", "sigma"],
    rules: { sigma: /* @__PURE__ */ isPositive("sigma") },
    fill: fillCauchy,
  });
/** Fills with the numbers of trials until the first success, each of probability p. */
export const geometric_: Writes<[p: number, options?: GeneratorOption]> = /* @__PURE__ */ drawInPlace({
  signature: "geometric_(x, p)",
  parameters: ["p"],
  rules: { p: [(p) => p > 0 && p < 1, (p) => `expects p to be in (0, 1), but got p=${p}`] },
  kinds: real,
  fill: fillGeometric,
});
/** Fills with 1 of probability p, one half unless given, else 0; p may be a tensor of probabilities. */
export const bernoulli_: Writes<[p?: number | Tensor, options?: GeneratorOption]> = /* @__PURE__ */ drawInPlace({
  signature: "bernoulli_(x, p = 0.5)",
  parameters: ["p"],
  rules: { p: [(p) => p >= 0 && p <= 1, (p) => `expects p to be in [0, 1], but got p=${p}`] },
  kinds: real,
  fill: fillBernoulli,
});

/** Integers that a dtype holds exactly: the first that is too large. */
function endOf({ dtype }: Tensor): bigint {
  const { category, itemsize } = dtypes[dtype];
  if (category === "bool") return 2n;
  const bits = 8n * BigInt(itemsize);
  if (category === "integer") return 2n ** (dtype.startsWith("u") ? bits : bits - 1n);
  return { float16: 2n ** 11n, bfloat16: 2n ** 8n, float32: 2n ** 24n }[dtype as "float32"] ?? 2n ** 53n;
}
type Bound = number | bigint;
const signature = /* @__PURE__ */ parseSignature("random_(x, from = null, to = null; generator = null)");
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
  checkNoOverlap(x, "random_");
  if (isComplexDType(x.dtype)) throw new StridewiseError(`random_: random integers need a real dtype, got ${x.dtype}`);
  // One bound is the upper one.
  const [low, high] = to === null ? [0, from ?? endOf(x)] : [from ?? 0, to];
  for (const bound of [low, high])
    if (typeof bound !== "bigint" && !Number.isInteger(bound))
      throw new StridewiseError(`random_: bounds are integers, got ${describeValue(bound)}`);
  if (low >= high)
    throw new StridewiseError(`random_: expects 'from' to be less than 'to', but got from=${low} >= to=${high}`);
  const last = endOf(x) - 1n;
  const first = dtypes[x.dtype].category === "bool" || x.dtype.startsWith("u") ? 0n : -last - 1n;
  if (BigInt(high) - 1n > last || BigInt(low) < first)
    throw new StridewiseError(
      `random_: from ${low} to ${high} is out of bounds for ${x.dtype}, which holds integers from ${first} to ${last}`,
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

/** Filling with integers. */
export interface Randomize extends OpFunction {
  <X extends Tensor>(x: X, from?: Bound | null, to?: Bound | null, options?: GeneratorOption): X;
  readonly method: <X extends Tensor>(this: X, from?: Bound | null, to?: Bound | null, options?: GeneratorOption) => X;
}
/** Fills with integers from <= n < to; one bound alone is the upper one, and none is all integers from 0 that the dtype holds. */
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
