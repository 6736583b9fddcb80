/**
 * The op that normalizations over parts of one sample call: rows over some axes are shifted and scaled to mean 0 and variance 1 (or to a mean
 * square of 1), then multiplied by a factor and shifted. The gradientKernels are in `../../kernel/rows`.
 *
 * Gradients take one pass over each row: with the row y before the factor, r the inverse deviation and h the gradient times the factor, they
 * are r (h - mean(h) - y mean(h y)), without mean(h) if no mean was subtracted.
 */
import { ShapeError } from "../../base/errors.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { makeStandardizeGradient } from "../../kernel/rows/gradients.ts";
import type { RowKernel } from "../../kernel/rows/spec.ts";
import { makeStandardize } from "../../kernel/rows/standardize.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { sum } from "../reduce/reduce.ts";
import { shapeOf, show } from "../shape-rules.ts";
import { sumTo } from "../sum-to.ts";
import { expand, reshape, to } from "../views.ts";
import type { Maybe, Part } from "./composite-types.ts";
import { checkFloat, composedForGradients, lowerRowKernel } from "./rows.ts";

/** The options of a normalization of rows. */
interface Normalization {
  /** The number that is added to the variance. */
  readonly eps: number;
  /** The mean is subtracted. */
  readonly isCentered: boolean;
}
interface BackwardOptions extends Normalization {
  /** Returns the products of g and y, too. */
  readonly hasProducts: boolean;
}
type BackwardArguments = [g: Tensor, x: Tensor, row: readonly number[], factor: Maybe, options: BackwardOptions];
interface StandardizeBackward extends OpFunction {
  (...args: BackwardArguments): readonly Tensor[];
}

const gradientKernels = /* @__PURE__ */ new Map<string, RowKernel>();
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

/** The gradient by ops that have gradients themselves: the gradient of x, and the rows before the factor. */
export function composedBackward(
  g: Tensor,
  x: Tensor,
  row: readonly number[],
  factor: Maybe,
  { eps, isCentered }: Normalization,
): readonly [gradient: Tensor, rows: Tensor] {
  const count = countOf(x, row);
  const total = (t: Tensor): Tensor => sum(t, row as number[], { keepdims: true });
  const d = isCentered ? distance(x, total(x), count) : x;
  const r = inverse(total(product(d, d)), count, eps);
  const y = product(d, r);
  const h = factor ? product(g, factor) : g;
  return [to(back(h, y, r, isCentered ? total(h) : 0, total(product(h, y)), count), x.dtype), y];
}

/** The gradient of rows from that of the normalized ones, and if requested the products of g and y, whose sum is the gradient of the factor. */
const standardizeBackward: StandardizeBackward = /* @__PURE__ */ composedForGradients(
  /* @__PURE__ */ structuredOp<StandardizeBackward, BackwardArguments>(
    "standardizeBackward(g: Tensor, x: Tensor, ...; eps, isCentered, hasProducts)",
    "composite",
    {
      batch: "standardizeBackward",
      infer: (_g, x, _row, _factor, { hasProducts }) =>
        Array.from({ length: hasProducts ? 2 : 1 }, () => ({ dtype: x.dtype, shape: shapeOf(x) })),
      lower(builder, results, g, x, row, factor, { eps, isCentered, hasProducts }) {
        const kernel = getOrCompute(gradientKernels, `${x.dtype} ${factor?.dtype} ${isCentered} ${hasProducts}`, () =>
          makeStandardizeGradient(x.dtype, isCentered, factor?.dtype ?? null, hasProducts),
        );
        const inputs = [x, g, ...(factor ? [expand(factor, sizesOf(x))] : [])];
        lowerRowKernel(builder, "standardize", kernel, results, inputs, row, [countOf(x, row), eps]);
      },
    },
  ),
  (...[g, x, row, factor, options]: BackwardArguments) => {
    const [gradient, y] = composedBackward(g, x, row, factor, options);
    return options.hasProducts ? [gradient, product(g, y)] : [gradient];
  },
);

const standardizeGradient: GradientRule = (call) => {
  const [x, row, factor, shift, { eps, isCentered }] = call.args as [
    Tensor,
    readonly number[],
    Maybe,
    Maybe,
    Normalization,
  ];
  const [needsX, needsFactor] = [call.needs(x), call.needs(factor)];
  const savedX = needsX || needsFactor ? call.save(x) : null;
  const savedFactor = factor && needsX ? call.save(factor) : null;
  const summedTo = (t: Maybe): ((g: Tensor) => Tensor) | null => {
    if (!t || !call.needs(t)) return null;
    const { dtype } = t;
    const shape = sizesOf(t);
    return (g) => to(sumTo(g, shape), dtype);
  };
  const [factorOf, shiftOf] = [summedTo(factor), summedTo(shift)];
  return ([g]) => {
    const [gradient = null, products] =
      savedX === null
        ? []
        : standardizeBackward(g, savedX(), row, savedFactor?.(), { eps, isCentered, hasProducts: factorOf !== null });
    return [gradient, null, factorOf?.(products), shiftOf?.(g)];
  };
};

export interface EpsOption extends OutOption {
  /** The number that is added to the variance before its square root. */
  readonly eps?: number | undefined;
}

interface StandardizeOptions extends Normalization {
  readonly out?: Tensor | undefined;
}
type Arguments = [x: Tensor, row: readonly number[], factor: Maybe, shift: Maybe, options: StandardizeOptions];
interface Standardize extends OpFunction {
  <X extends Tensor>(x: X, ...more: Arguments extends [Tensor, ...infer P] ? P : never): Tensor<X["shape"], X["dtype"]>;
}

const kernels = /* @__PURE__ */ new Map<string, RowKernel>();

/** Normalizes rows of the given axes to mean 0 and variance 1, then multiplies by a factor and adds a shift, both broadcast. */
export const standardize: Standardize = /* @__PURE__ */ structuredOp<Standardize, Arguments>(
  "standardize(x: Tensor, ...; eps, isCentered)",
  "composite",
  {
    batch: "standardize",
    infer(x) {
      return { dtype: checkFloat("standardize", x.dtype), shape: shapeOf(x), names: x.names };
    },
    gradient: standardizeGradient,
    lower(builder, results, x, row, factor, shift, { eps, isCentered }) {
      const types = [factor?.dtype ?? null, shift?.dtype ?? null] as const;
      const kernel = getOrCompute(kernels, `${x.dtype} ${types.join(" ")} ${isCentered}`, () =>
        makeStandardize(x.dtype, isCentered, ...types),
      );
      const more = [factor, shift].flatMap((t) => (t ? [expand(t, sizesOf(x))] : []));
      lowerRowKernel(builder, "standardize", kernel, results, [x, ...more], row, [countOf(x, row), eps]);
    },
  },
);

/** Normalizes each group of channels of x, as rows of [samples, groups, channels of a group, positions]. */
export function inGroups(who: string, x: Tensor, groups: number, weight: Maybe, bias: Maybe, eps: number): Tensor {
  checkTensor(who, x);
  checkFloat(who, x.dtype);
  const sizes = sizesOf(x);
  const [samples, channels = 0] = sizes as [number, number?];
  if (sizes.length < 2) throw new ShapeError(`${who}: x must have at least 2 axes, got shape ${show(sizes)}`);
  if (!(groups > 0) || channels % groups !== 0)
    throw new ShapeError(
      `${who}: the number of channels must be divisible by groups, got shape ${show(sizes)} and ${groups} groups`,
    );
  for (const t of [weight, bias])
    if (t && (t.rank !== 1 || t.size !== channels))
      throw new ShapeError(
        `${who}: weight and bias must have an element for each channel, got ${show(sizesOf(t))} for shape ${show(sizes)}`,
      );
  const positions = sizes.slice(2).reduce((count, size) => count * size, 1);
  const inside = channels / groups;
  const perChannel = (t: Maybe): Maybe => t && reshape(t, [1, groups, inside, 1]);
  const rows = standardize(
    reshape(x, [samples, groups, inside, positions]),
    [2, 3],
    perChannel(weight),
    perChannel(bias),
    {
      eps,
      isCentered: true,
    },
  );
  return reshape(rows as Tensor, sizes);
}
