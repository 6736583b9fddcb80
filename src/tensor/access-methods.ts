/**
 * The methods that read and write parts of a tensor: at, get, set, item, dataPtr. What they do is in `indexing.ts` and `access.ts`.
 */
import type { Checked } from "../layout/faults.ts";
import type { DType, Value, ValueOf } from "../storage/dtype.ts";
import { dataPtr, type GivenCoord, get, item, set } from "./access.ts";
import { assignAt, at, pick } from "./advanced-index.ts";
import type { Axis } from "./axes.ts";
import { copy_, fill_ } from "./in-place.ts";
import type { Index } from "./indexing.ts";
import type { CheckedEach, StrictAxisFault } from "./shape-faults.ts";
import type { AtFault, AtShape, PickShape } from "./shape-indexing.ts";
import type { Space } from "./space.ts";
import { Tensor } from "./tensor.ts";
import type { Shape } from "./types.ts";

declare module "./tensor.ts" {
  interface Tensor<S extends Shape, D extends DType, P extends Space> {
    /** A part of the tensor, always a tensor: integers, `_`, range(...), null, "...", index and mask tensors, arrays for nested modes. */
    at<X extends Tensor, const I extends readonly Index[]>(
      this: X,
      ...items: CheckedEach<I, AtFault<X["shape"], I>>
    ): Tensor<AtShape<X["shape"], I>, X["dtype"], X["space"]>;
    /** The elements with the listed indices on one axis, in their order; a copy. */
    pick<X extends Tensor, const I extends readonly number[] | Tensor, const A extends Axis = 0>(
      this: X,
      indices: Checked<I, StrictAxisFault<"pick", X["shape"], A>>,
      axis?: A,
    ): Tensor<PickShape<X["shape"], I, A>, X["dtype"], X["space"]>;
    /** Stores a value, or a tensor broadcast to this one, in every element: `a.at(0, _).assign(5)`. */
    assign(value: Value | Tensor): this;
    /** The same for the part that `items` choose, index and mask tensors included: `a.assignAt([mask], 0)`. */
    assignAt(items: readonly Index[], value: Value | Tensor): this;
    /** One element: an integer for each axis, one coordinate, or one 1-D index (the first mode varies fastest). */
    get(...coord: GivenCoord[]): ValueOf<D>;
    /** Stores one element: the coordinate as for `get`, then the value. */
    set(...coordAndValue: [...coord: GivenCoord[], value: Value]): void;
    /** The element of a tensor that has just one. */
    item(): ValueOf<D>;
    /** The address of an element: storage + (offset + dot(index, stride)) * itemsize. */
    dataPtr(index?: readonly number[]): number;
  }
}

export const accessMethods = {
  at(this: Tensor, ...items: Index[]): Tensor {
    return at(this, items);
  },
  pick(this: Tensor, indices: readonly number[] | Tensor, axis?: Axis): Tensor {
    return pick(this, indices, axis);
  },
  assign(this: Tensor, value: Value | Tensor): Tensor {
    return value instanceof Tensor ? copy_(this, value, "assign") : fill_(this, value, "assign");
  },
  assignAt(this: Tensor, items: readonly Index[], value: Value | Tensor): Tensor {
    return assignAt(this, items, value);
  },
  get(this: Tensor, ...coord: GivenCoord[]): Value {
    return get(this, coord);
  },
  set(this: Tensor, ...coordAndValue: [...coord: GivenCoord[], value: Value]): void {
    const value = coordAndValue.pop() as Value;
    set(this, coordAndValue as GivenCoord[], value);
  },
  item(this: Tensor): Value {
    return item(this);
  },
  dataPtr(this: Tensor, index?: readonly number[]): number {
    return dataPtr(this, index);
  },
};
