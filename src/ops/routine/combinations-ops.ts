/**
 * Combinations of the elements of a list.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { showShape } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { onDeviceOf } from "../composite/tensors-like.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { indexDType } from "../indices.ts";
import { metaOutput } from "../meta-output.ts";
import { indexSelect } from "../movement/gather.ts";
import { reshape } from "../views.ts";
import { combinationCount, combinations as rowsOf } from "./combinations.ts";
import { indexTensor } from "./dense-elements.ts";
import { routineOfOps } from "./routine-op.ts";

/** The type of combinations. */
export interface Combinations extends OpFunction {
  <X extends Tensor>(
    x: X,
    r?: number,
    options?: { readonly withReplacement?: boolean | undefined },
  ): Tensor<Shape, X["dtype"]>;
}
interface CombinationsArguments {
  readonly x: Tensor;
  readonly r: number;
  readonly withReplacement: boolean;
}
/** Returns all combinations of r elements, by default 2, as rows in the order of the elements. */
export const combinations: Combinations = /* @__PURE__ */ routineOfOps(
  "combinations(x, r = 2; withReplacement = false)",
  ({ x, r, withReplacement }: CombinationsArguments) => {
    checkTensor("combinations", x);
    if (x.rank !== 1) throw new ShapeError(`combinations: x must have one axis, got shape ${showShape(x)}`);
    if (!Number.isInteger(r) || r < 0)
      throw new StridewiseError(`combinations: r must be a non-negative integer, got ${r}`);
    // There is one combination of no elements, which PyTorch returns as an empty list.
    const count = combinationCount(x.size, r, withReplacement);
    checkResultBytes("combinations", count * r);
    const shape = r === 0 ? [0] : [count, r];
    if (x.device.type === "meta") return metaOutput("combinations", x.dtype, shape, [x]);
    const rows = rowsOf(x.size, r, withReplacement);
    return reshape(
      indexSelect(
        x,
        0,
        onDeviceOf(x, indexDType, [rows.length], () => indexTensor(rows, [rows.length])),
      ),
      shape,
    );
  },
);
