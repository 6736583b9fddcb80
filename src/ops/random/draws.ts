/**
 * New tensors of random draws: Bernoulli numbers by probabilities, and categories by weights.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { dtypes } from "../../storage/dtype.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { notImplemented } from "../dtype-errors.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { type IndexDType, indexDType } from "../indices.ts";
import type { Keeps } from "../movement/movement-types.ts";
import type { OutOption } from "../op-types.ts";
import { fillBernoulli } from "../random-core/inversion.ts";
import { fillMultinomial, type MultinomialFault } from "../random-core/multinomial.ts";
import { denseOf, elementsIn } from "../routine/dense-elements.ts";
import { routineOp } from "../routine/routine-op.ts";
import { drawNew, fillFloats, type GeneratorOption, nextDraw } from "./random-op.ts";

/** Returns a tensor of random 0s and 1s; the elements of x, or p for all of them, are the probabilities of a 1. */
export const bernoulli: Keeps<[p?: number | null, options?: OutOption & GeneratorOption]> = /* @__PURE__ */ drawNew({
  signature: "bernoulli(x, p = null)",
  parameters: ["p"],
  instead: { p: "x" },
  rules: { p: [(p) => p >= 0 && p <= 1, (p) => `probabilities must be in [0, 1], got ${p}`] },
  fill: fillBernoulli,
  linear: "none",
});

interface Multinomial {
  readonly x: Tensor;
  readonly numSamples: number;
  readonly replacement: boolean;
  readonly generator: GeneratorOption["generator"];
}
function faultText({ reason, row, value }: MultinomialFault, numSamples: number): string {
  switch (reason) {
    case "negative":
    case "not finite":
      return `the probabilities in row ${row} must be finite and at least 0, got ${value}`;
    case "all zero":
      return `the probabilities in row ${row} must not all be 0`;
    case "too few":
      return `cannot sample ${numSamples} without replacement: the number of probabilities above 0 in row ${row} is ${value}`;
  }
}
type Samples = Tensor<Shape, IndexDType>;
/** The type of multinomial. */
export interface MultinomialOp extends OpFunction {
  (x: Tensor, numSamples: number, replacement?: boolean, options?: OutOption & GeneratorOption): Samples;
  (x: Tensor, numSamples: number, options: OutOption & GeneratorOption): Samples;
}
/** Returns indices sampled from each row, whose elements are the weights and need not sum to 1; without `replacement` an index is sampled at most once. */
export const multinomial: MultinomialOp = /* @__PURE__ */ routineOp<MultinomialOp, Multinomial>(
  "multinomial(x, numSamples, replacement = false; generator = null)",
  ({ x, numSamples, replacement }) => {
    checkTensor("multinomial", x);
    const { category } = dtypes[x.dtype];
    if (x.rank !== 1 && x.rank !== 2)
      throw new ShapeError(`multinomial: x must have 1 or 2 axes, got shape ${showShape(x)}`);
    if (category !== "float") throw notImplemented("multinomial", x.dtype);
    if (!Number.isInteger(numSamples) || numSamples <= 0)
      throw new StridewiseError(`multinomial: numSamples must be a positive integer, got ${String(numSamples)}`);
    const sizes = sizesOf(x);
    if (!replacement && numSamples > sizes[sizes.length - 1])
      throw new StridewiseError(
        `multinomial: cannot sample ${numSamples} of ${sizes[sizes.length - 1]} without replacement`,
      );
    // Samples are drawn as float64.
    checkResultBytes("multinomial", (x.rank === 2 ? sizes[0] : 1) * numSamples, 8);
    return { dtype: indexDType, shape: [...sizes.slice(0, -1), numSamples], isIndex: true };
  },
  ([result], { x, numSamples, replacement, generator }) => {
    const categories = sizesOf(x)[x.rank - 1];
    const dense = denseOf(x, null, "float64");
    const draw = nextDraw(generator);
    fillFloats(result, "multinomial", (target) => {
      const weights = elementsIn(dense, "multinomial") as Float64Array;
      const rows = x.rank === 1 ? 1 : sizesOf(x)[0];
      const fault = fillMultinomial(target, draw, weights, rows, categories, numSamples, replacement);
      if (fault !== undefined) throw new StridewiseError(`multinomial: ${faultText(fault, numSamples)}`);
    });
  },
  { random: "values" },
);
