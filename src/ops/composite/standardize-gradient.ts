/**
 * Gradients of the normalisations of rows, in one pass over each: with the row y as it is before the factor, r the inverse deviation
 * and g times the factor as h, they are r (h - mean(h) - y mean(h y)); without the mean(h) where no mean was taken off.
 */

import { remember } from "../../base/remember.ts";
import { makeStandardizeGradient } from "../../kernel/rows/gradients.ts";
import type { RowKernel } from "../../kernel/rows/spec.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { sum } from "../reduce/reduce.ts";
import { shapeOf } from "../shape-rules.ts";
import { sumTo } from "../sum-to.ts";
import { expand, to } from "../views.ts";
import { composedForGradients } from "./composed.ts";
import type { Maybe, Part } from "./composite-types.ts";
import { lowerRowKernel } from "./rows.ts";

/** What rows are normalised by. */
export interface Normalisation {
  /** What is added to the variance. */
  readonly eps: number;
  /** The mean is taken off. */
  readonly isCentred: boolean;
}
interface BackwardOptions extends Normalisation {
  /** The products of g and y are wanted, too. */
  readonly hasProducts: boolean;
}
type Arguments = [g: Tensor, x: Tensor, row: readonly number[], factor: Maybe, options: BackwardOptions];
interface StandardizeBackward extends OpFunction {
  (...args: Arguments): readonly Tensor[];
}

const kernels = /* @__PURE__ */ new Map<string, RowKernel>();
const product = /* @__PURE__ */ map<Part>("product(x, y)", "x * y");
const distance = /* @__PURE__ */ map<Part>("rowDistance(x, sum, count)", "x - sum / count");
const inverse = /* @__PURE__ */ map<Part>("inverseDeviation(squares, count, eps)", "1 / sqrt(squares / count + eps)");
const back = /* @__PURE__ */ map<Part>(
  "rowGradient(h, y, r, sum, products, count)",
  "r * (h - (sum + y * products) / count)",
);

const countOf = (x: Tensor, row: readonly number[]): number => {
  const sizes = sizesOf(x);
  return row.reduce((count, axis) => count * sizes[axis], 1);
};

/** The same by ops that have gradients: the gradient of x, and the rows before the factor. */
export function composedBackward(
  g: Tensor,
  x: Tensor,
  row: readonly number[],
  factor: Maybe,
  { eps, isCentred }: Normalisation,
): readonly [gradient: Tensor, rows: Tensor] {
  const count = countOf(x, row);
  const total = (t: Tensor): Tensor => sum(t, row as number[], { keepdims: true });
  const d = isCentred ? distance(x, total(x), count) : x;
  const r = inverse(total(product(d, d)), count, eps);
  const y = product(d, r);
  const h = factor ? product(g, factor) : g;
  return [to(back(h, y, r, isCentred ? total(h) : 0, total(product(h, y)), count), x.dtype), y];
}

/** The gradient of rows from that of the normalised ones, and if asked for the products of g and y, which the factor's is the sum of. */
export const standardizeBackward: StandardizeBackward = /* @__PURE__ */ composedForGradients(
  /* @__PURE__ */ structuredOp<StandardizeBackward, Arguments>(
    "standardizeBackward(g: Tensor, x: Tensor, ...; eps, isCentred, hasProducts)",
    "composite",
    {
      batch: "standardizeBackward",
      infer: (_g, x, _row, _factor, { hasProducts }) =>
        Array.from({ length: hasProducts ? 2 : 1 }, () => ({ dtype: x.dtype, shape: shapeOf(x) })),
      lower(builder, results, g, x, row, factor, { eps, isCentred, hasProducts }) {
        const kernel = remember(kernels, `${x.dtype} ${factor?.dtype} ${isCentred} ${hasProducts}`, () =>
          makeStandardizeGradient(x.dtype, isCentred, factor?.dtype ?? null, hasProducts),
        );
        const inputs = [x, g, ...(factor ? [expand(factor, sizesOf(x))] : [])];
        lowerRowKernel(builder, "standardize", kernel, results, inputs, row, [countOf(x, row), eps]);
      },
    },
  ),
  (...[g, x, row, factor, options]: Arguments) => {
    const [gradient, y] = composedBackward(g, x, row, factor, options);
    return options.hasProducts ? [gradient, product(g, y)] : [gradient];
  },
);

export const standardizeGradient: GradientRule = (call) => {
  const [x, row, factor, shift, { eps, isCentred }] = call.args as [
    Tensor,
    readonly number[],
    Maybe,
    Maybe,
    Normalisation,
  ];
  const [needsX, needsFactor] = [call.needs(x), call.needs(factor)];
  const keptX = needsX || needsFactor ? call.save(x) : null;
  const keptFactor = factor && needsX ? call.save(factor) : null;
  const summedTo = (t: Maybe): ((g: Tensor) => Tensor) | null => {
    if (!t || !call.needs(t)) return null;
    const { dtype } = t;
    const shape = sizesOf(t);
    return (g) => to(sumTo(g, shape), dtype);
  };
  const [factorOf, shiftOf] = [summedTo(factor), summedTo(shift)];
  return ([given]) => {
    const g = given;
    const [gradient = null, products] =
      keptX === null
        ? []
        : standardizeBackward(g, keptX(), row, keptFactor?.(), { eps, isCentred, hasProducts: factorOf !== null });
    return [gradient, null, factorOf?.(products), shiftOf?.(g)];
  };
};
