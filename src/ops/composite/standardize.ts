/**
 * What the normalisations over parts of one sample have in common: rows made of some axes are brought to mean 0 and variance 1 (or to
 * a mean square of 1), then multiplied and shifted. The kernels are in `../../kernel/rows`.
 */

import type { RowKernel } from "../../kernel/rows/spec.ts";
import { makeStandardize } from "../../kernel/rows/standardize.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { scope } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { remember } from "../formula/remember.ts";
import { structuredOp } from "../op.ts";
import { shapeOf } from "../shape-rules.ts";
import { expand } from "../views.ts";
import type { Maybe } from "./composite-types.ts";
import { checkFloat, fillRows } from "./rows.ts";

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
  "standardize",
  "composite",
  {
    infer(x) {
      checkTensor("standardize", x);
      return { dtype: checkFloat("standardize", x.dtype), shape: shapeOf(x) };
    },
    fill([out], x, row, factor, shift, { eps, isCentred }) {
      const types = [factor?.dtype ?? null, shift?.dtype ?? null] as const;
      const kernel = remember(kernels, `${x.dtype} ${types.join(" ")} ${isCentred}`, () =>
        makeStandardize(x.dtype, isCentred, ...types),
      );
      const sizes = sizesOf(x);
      const count = row.reduce((product, axis) => product * (sizes[axis] as number), 1);
      scope(() => {
        const more = [factor, shift].flatMap((given) => (given ? [expand(given, sizes)] : []));
        fillRows("standardize", kernel, out as Tensor, [x, ...more], row, [count, eps]);
      });
    },
  },
);
