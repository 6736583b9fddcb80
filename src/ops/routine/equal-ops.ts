/**
 * Comparisons of two tensors as a whole, which return a boolean instead of a tensor.
 */
import { StridewiseError } from "../../base/errors.ts";
import { item } from "../../tensor/access/access.ts";
import { showShape } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { eq, isclose } from "../elementwise/comparison.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { all } from "../reduce/reduce.ts";
import { routineOfOps } from "./routine-op.ts";

interface EqualArguments {
  readonly x: Tensor;
  readonly other: Tensor;
}

/** The type of equal. */
export interface Equal extends OpFunction {
  (x: Tensor, other: Tensor): boolean;
  readonly method: (this: Tensor, other: Tensor) => boolean;
}
/** Returns true if both tensors have the same shape and elements. */
export const equal: Equal = /* @__PURE__ */ routineOfOps("equal(x, other)", ({ x, other }: EqualArguments) => {
  checkTensor("equal", x);
  checkTensor("equal", other);
  return showShape(x) === showShape(other) && item(all(eq(x, other)));
});

/** The tolerances of allclose. */
export interface AllcloseOptions {
  readonly rtol?: number | undefined;
  readonly atol?: number | undefined;
  /** Treats NaN as close to NaN. */
  readonly equalNan?: boolean | undefined;
}
/** The type of allclose. */
export interface Allclose extends OpFunction {
  (x: Tensor, other: Tensor, options?: AllcloseOptions): boolean;
  readonly method: (this: Tensor, other: Tensor, options?: AllcloseOptions) => boolean;
}
interface AllcloseArguments extends EqualArguments {
  readonly rtol: number;
  readonly atol: number;
  readonly equalNan: boolean;
}
/** Returns true if all elements are close: |x - other| <= atol + rtol * |other|. */
export const allclose: Allclose = /* @__PURE__ */ routineOfOps(
  "allclose(x, other; rtol = 0.00001, atol = 0.00000001, equalNan = false)",
  ({ x, other, rtol, atol, equalNan }: AllcloseArguments) => {
    for (const [name, value] of [
      ["rtol", rtol],
      ["atol", atol],
    ])
      if (!((value as number) >= 0)) throw new StridewiseError(`allclose: ${name} must be at least 0, got ${value}`);
    return item(all(isclose(x, other, { rtol, atol, equalNan })));
  },
);

/** The ops that are methods of tensors. */
export default [equal, allclose];
