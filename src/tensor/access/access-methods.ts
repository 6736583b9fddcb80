/**
 * The methods that read and write parts of a tensor: at, get, set, item, dataPtr. What they do is in `indexing.ts` and `access.ts`.
 */
import type { Static } from "../../layout/int.ts";
import type { DType, Value, ValueOf } from "../../storage/dtype.ts";
import type { Axis } from "../axes.ts";
import { fromData, type TensorData } from "../create/from-data.ts";
import { backendKeys, callBits, keyShift } from "../dispatch/keys.ts";
import { seen } from "../dispatch/operator.ts";
import type { Space } from "../space.ts";
import { Tensor } from "../tensor.ts";
import type { Shape } from "../types/types.ts";
import { asStrided, assignAt, at, copy_, fill_, pick } from "../views/view-ops.ts";
import type { IndexSignatures } from "../views/view-signatures.ts";
import { dataPtr, type GivenCoord, get, item, offsetFor, set } from "./access.ts";
import type { Index } from "./indexing.ts";

declare module "../tensor.ts" {
  interface Tensor<S extends Shape, D extends DType, P extends Space> extends IndexSignatures {
    /** Stores a value, or a tensor or nested arrays broadcast to this one, in every element: `a.at(0, _).assign([1, 2, 3])`. */
    assign(value: TensorData): this;
    /** The same for the part that `items` choose, index and mask tensors included: `a.assignAt([mask], 0)`. */
    assignAt(items: readonly Index[], value: TensorData): this;
    /** One element: an integer for each axis, one coordinate, or one 1-D index (the first mode varies fastest). */
    get(...coord: GivenCoord[]): ValueOf<D>;
    /** Stores one element: the coordinate as for `get`, then the value. */
    set(...coordAndValue: [...coord: GivenCoord[], value: Value | Tensor]): void;
    /** The element of a tensor that has just one. */
    item(): ValueOf<D>;
    /** The address of an element: storage + (offset + dot(index, stride)) * itemsize. */
    dataPtr(index?: readonly (number | Static)[]): number;
  }
}

/** What is assigned, as one value or a tensor; arrays become tensors of the dtype that is written. */
function assigned(t: Tensor, value: TensorData, who: string): Value | Tensor {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return value as Value | Tensor;
  return fromData(value as TensorData, { dtype: t.dtype }, who);
}

export const accessMethods = {
  at(this: Tensor, ...items: Index[]): Tensor {
    return at(this, items);
  },
  pick(this: Tensor, indices: readonly number[] | Tensor, axis?: Axis): Tensor {
    return pick(this, indices, axis);
  },
  assign(this: Tensor, value: TensorData): Tensor {
    const given = assigned(this, value, "assign");
    return given instanceof Tensor ? copy_(this, given, "assign") : fill_(this, given, "assign");
  },
  assignAt(this: Tensor, items: readonly Index[], value: TensorData): Tensor {
    return assignAt(this, items, assigned(this, value, "assignAt"));
  },
  get(this: Tensor, ...coord: GivenCoord[]): Value {
    return get(this, coord);
  },
  set(this: Tensor, ...coordAndValue: [...coord: GivenCoord[], value: Value | Tensor]): void {
    const value = coordAndValue.pop() as Value | Tensor;
    const coord = coordAndValue as GivenCoord[];
    // Whoever looks at calls sees a write to a view of one element.
    if (((callBits(this) >>> keyShift) & seen & ~backendKeys) === 0) set(this, coord, value);
    else fill_(asStrided(this, [], [], this.start + (offsetFor(this, "set", coord) as number)), value, "set");
  },
  item(this: Tensor): Value {
    return item(this);
  },
  dataPtr(this: Tensor, index?: readonly (number | Static)[]): number {
    return dataPtr(this, index);
  },
};
