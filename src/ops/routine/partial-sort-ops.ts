/**
 * Partial sorts, and sorts by several keys. All are composite ops.
 * A partition is a full sort here: to select both of its sides takes as long.
 */

import { ShapeError } from "../../base/errors.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { showShape } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { type IndexArgument, type IndexDType, normalizeIndices } from "../indices.ts";
import { gather } from "../movement/gather.ts";
import { onTensors } from "../movement/tensor-list.ts";
import { shapeOf } from "../shape-rules.ts";
import { rowLength } from "./dense-elements.ts";
import { routineOfOps } from "./routine-op.ts";
import { argsort, type Picked, sort } from "./sort-ops.ts";

/** The type of partition. */
export interface Partition extends OpFunction {
  <X extends Tensor>(x: X, kth: IndexArgument, axis?: Axis): Tensor<X["shape"], X["dtype"]>;
}
/** The type of argpartition. */
export interface Argpartition extends OpFunction {
  <X extends Tensor>(x: X, kth: IndexArgument, axis?: Axis): Tensor<X["shape"], IndexDType>;
}
interface PartitionArguments {
  readonly x: Tensor;
  readonly kth: IndexArgument;
  readonly axis: Axis;
}

function partitionOp<F extends OpFunction>(name: string, part: keyof Picked<Shape, Tensor>): F {
  return routineOfOps(`${name}(x, kth, axis = -1)`, ({ x, kth, axis }: PartitionArguments) => {
    checkTensor(name, x);
    const n = rowLength(shapeOf(x), axisOf(name, x, axis));
    if (n > 0) normalizeIndices(name, kth, n, n - 1);
    return sort(x, axis)[part];
  });
}
/** Returns the elements partially sorted: those at the indices kth are where a sort puts them, with no larger ones before and no smaller ones after. */
export const partition: Partition = /* @__PURE__ */ partitionOp("partition", "values");
/** Returns the indices that partially sort the elements along an axis, by default the last: the indices of the result of partition. */
export const argpartition: Argpartition = /* @__PURE__ */ partitionOp("argpartition", "indices");

/** The type of lexsort. */
export interface Lexsort extends OpFunction {
  <X extends Tensor>(keys: readonly X[], axis?: Axis): Tensor<X["shape"], IndexDType>;
}
interface LexsortArguments {
  readonly keys: readonly Tensor[];
  readonly axis: Axis;
}
/** Returns the indices that sort by several keys: by the last key, then equal elements by the key before it, and so on. */
export const lexsort: Lexsort = /* @__PURE__ */ onTensors(
  /* @__PURE__ */ routineOfOps("lexsort(keys, axis = -1)", ({ keys, axis }: LexsortArguments) => {
    const [first, ...others] = keys as [Tensor, ...Tensor[]];
    const shape = showShape(first);
    let order: Tensor = argsort(first, axis);
    for (const key of others) {
      if (showShape(key) !== shape)
        throw new ShapeError(
          `lexsort: all keys must have the same shape, got ${shape} and ${showShape(key)}. Broadcast them: broadcastTensors(...)`,
        );
      order = gather(order, axis, argsort(gather(key, axis, order), axis));
    }
    return order;
  }),
);
