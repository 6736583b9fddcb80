/**
 * What the normalisations over parts of one sample have in common: rows made of some axes are brought to mean 0 and variance 1 (or to
 * a mean square of 1), then multiplied and shifted. The kernels are in `../../kernel/rows`.
 */

import { ShapeError } from "../../base/errors.ts";
import { remember } from "../../base/remember.ts";
import type { RowKernel } from "../../kernel/rows/spec.ts";
import { makeStandardize } from "../../kernel/rows/standardize.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { shapeOf, show } from "../shape-rules.ts";
import { expand, reshape } from "../views.ts";
import type { Maybe } from "./composite-types.ts";
import { checkFloat, lowerRowKernel } from "./rows.ts";
import { standardizeGradient } from "./standardize-gradient.ts";

export interface EpsOption extends OutOption {
  /** What is added to the variance before its root is taken. */
  readonly eps?: number | undefined;
}

/** Rows, factor, shift; what is added to the variance; whether the mean is taken off. */
export interface StandardizeOptions {
  readonly eps: number;
  readonly isCentred: boolean;
  readonly out?: Tensor | undefined;
}
type Arguments = [x: Tensor, row: readonly number[], factor: Maybe, shift: Maybe, options: StandardizeOptions];
interface Standardize extends OpFunction {
  <X extends Tensor>(
    x: X,
    ...more: Arguments extends [Tensor, ...infer P] ? P : never
  ): Tensor<X["shape"], X["dtype"], "none">;
}

const kernels = /* @__PURE__ */ new Map<string, RowKernel>();

/** Rows of the given axes with mean 0 and variance 1, times a factor, plus a shift, both broadcast. */
export const standardize: Standardize = /* @__PURE__ */ structuredOp<Standardize, Arguments>(
  "standardize(x: Tensor, ...; eps, isCentred)",
  "composite",
  {
    batch: "standardize",
    infer(x) {
      return { dtype: checkFloat("standardize", x.dtype), shape: shapeOf(x), names: x.names };
    },
    gradient: standardizeGradient,
    lower(builder, results, x, row, factor, shift, { eps, isCentred }) {
      const types = [factor?.dtype ?? null, shift?.dtype ?? null] as const;
      const kernel = remember(kernels, `${x.dtype} ${types.join(" ")} ${isCentred}`, () =>
        makeStandardize(x.dtype, isCentred, ...types),
      );
      const sizes = sizesOf(x);
      const count = row.reduce((product, axis) => product * sizes[axis], 1);
      const more = [factor, shift].flatMap((given) => (given ? [expand(given, sizes)] : []));
      lowerRowKernel(builder, "standardize", kernel, results, [x, ...more], row, [count, eps]);
    },
  },
);

/** x with each group of its channels standardized: rows of [samples, groups, channels of a group, places]. */
export function inGroups(who: string, x: Tensor, groups: number, weight: Maybe, bias: Maybe, eps: number): Tensor {
  checkTensor(who, x);
  checkFloat(who, x.dtype);
  const sizes = sizesOf(x);
  const [samples, channels = 0] = sizes as [number, number?];
  if (sizes.length < 2) throw new ShapeError(`${who}: expected at least 2 axes, got ${show(sizes)}`);
  if (!(groups > 0) || channels % groups !== 0)
    throw new ShapeError(`${who}: channels must be divisible by numGroups, got an input ${show(sizes)} and ${groups}`);
  for (const given of [weight, bias])
    if (given && (given.rank !== 1 || given.size !== channels))
      throw new ShapeError(
        `${who}: weight and bias need an element for each channel, got ${show(sizesOf(given))} for an input ${show(sizes)}`,
      );
  const places = sizes.slice(2).reduce((count, size) => count * size, 1);
  const inside = channels / groups;
  const perChannel = (given: Maybe): Maybe => given && reshape(given, [1, groups, inside, 1]);
  const rows = standardize(
    reshape(x, [samples, groups, inside, places]),
    [2, 3],
    perChannel(weight),
    perChannel(bias),
    {
      eps,
      isCentred: true,
    },
  );
  return reshape(rows as Tensor, sizes);
}
