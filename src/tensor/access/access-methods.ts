/**
 * The methods that read and write parts of a tensor: at, get, set, item, dataPtr. What they do is in `indexing.ts` and `access.ts`.
 */
import type { DType, Value, ValueOf } from "../../storage/dtype.ts";
import type { Axis } from "../axes.ts";
import { copy_, fill_ } from "../in-place.ts";
import type { Space } from "../space.ts";
import { Tensor } from "../tensor.ts";
import type { Shape } from "../types/types.ts";
import type { IndexSignatures } from "../views/view-signatures.ts";
import { dataPtr, type GivenCoord, get, item, set } from "./access.ts";
import { assignAt, at, pick } from "./advanced-index.ts";
import type { Index } from "./indexing.ts";

declare module "../tensor.ts" {
  interface Tensor<S extends Shape, D extends DType, P extends Space> extends IndexSignatures {
    /** Stores a value, or a tensor broadcast to this one, in every element: `a.at(0, _).assign(5)`. */
    assign(value: Value | Tensor): this;
    /** The same for the part that `items` choose, index and mask tensors included: `a.assignAt([mask], 0)`. */
    assignAt(items: readonly Index[], value: Value | Tensor): this;
    /** One element: an integer for each axis, one coordinate, or one 1-D index (the first mode varies fastest). */
    get(...coord: GivenCoord[]): ValueOf<D>;
    /** Stores one element: the coordinate as for `get`, then the value. */
    set(...coordAndValue: [...coord: GivenCoord[], value: Value | Tensor]): void;
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
  set(this: Tensor, ...coordAndValue: [...coord: GivenCoord[], value: Value | Tensor]): void {
    const value = coordAndValue.pop() as Value | Tensor;
    set(this, coordAndValue as GivenCoord[], value);
  },
  item(this: Tensor): Value {
    return item(this);
  },
  dataPtr(this: Tensor, index?: readonly number[]): number {
    return dataPtr(this, index);
  },
};
