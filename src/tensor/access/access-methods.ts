/**
 * The methods that read and write parts of a tensor: at, get, set, getColMajor, item, dataPtr. They call `indexing.ts` and `access.ts`.
 */
import { IndexError, namedAccess } from "../../base/errors.ts";
import { exactValue } from "../../kernel/checked-value.ts";
import type { Static } from "../../layout/int.ts";
import type { IntTuple } from "../../layout/tuple.ts";
import type { DType, Value, ValueOf } from "../../storage/dtype.ts";
import type { Axis } from "../axes.ts";
import { fromData, type TensorData } from "../create/from-data.ts";
import { backendKeys, keyShift } from "../dispatch/keys.ts";
import { seen } from "../dispatch/operator.ts";
import { readAt } from "../elements.ts";
import type { Space } from "../identity.ts";
import { callBits, Tensor } from "../tensor.ts";
import type { CheckedEach, ElementFault, StoreFault } from "../types/shape-faults.ts";
import type { Shape } from "../types/types.ts";
import { asStrided, assignAt, at, copy_, fill_, pick } from "../views/view-ops.ts";
import type { IndexSignatures } from "../views/view-signatures.ts";
import { colMajorOffset, dataPtr, type GivenCoord, get, item, offsetFor, store } from "./access.ts";
import type { Index } from "./indexing.ts";

declare module "../tensor.ts" {
  interface Tensor<S extends Shape, D extends DType, P extends Space> extends IndexSignatures {
    /** Stores a value, or a tensor or nested arrays broadcast to this one, in every element: `a.at(0, _).assign([1, 2, 3])`. */
    assign(value: TensorData): this;
    /** Stores a value in the part that the indices select, index and mask tensors included: `a.assignAt([mask], 0)`. */
    assignAt(items: readonly Index[], value: TensorData): this;
    /** Returns one element, at one integer for each axis, or at one coordinate nested as the layout is. */
    get<X extends Tensor, const I extends readonly GivenCoord[]>(
      this: X,
      ...coord: CheckedEach<I, ElementFault<"get", X["shape"], I>>
    ): ValueOf<X["dtype"]>;
    /** Stores one element: the indices as for `get`, then the value, which an integer dtype must hold exactly. */
    set<X extends Tensor, const A extends readonly [...coord: GivenCoord[], value: Value | Tensor]>(
      this: X,
      ...coordAndValue: CheckedEach<A, StoreFault<X["shape"], A>>
    ): void;
    /** Returns one element by its index in column-major order (the first axis fastest), whatever the strides: CuTe's 1-D coordinate. */
    getColMajor(index: number | Static): ValueOf<D>;
    /** Stores one element by its index in column-major order. */
    setColMajor(index: number | Static, value: Value | Tensor): void;
    /** Returns the only element of a tensor. */
    item(): ValueOf<D>;
    /** Returns the address of an element: storage + (offset + dot(index, stride)) * itemsize. */
    dataPtr(index?: readonly (number | Static)[]): number;
  }
}

/** Throws for numbers in nested arrays that the dtype of the tensor does not hold exactly. */
function checkItems(t: Tensor, items: readonly unknown[], who: string): void {
  for (const item of items)
    if (Array.isArray(item)) checkItems(t, item, who);
    else if (typeof item === "number" || typeof item === "bigint") exactValue(who, item, t.dtype);
}

/** The assigned value, or a tensor of it; arrays become tensors of the dtype that is written. */
function assigned(t: Tensor, value: TensorData, who: string): Value | Tensor {
  if (Array.isArray(value)) checkItems(t, value, who);
  else if (!ArrayBuffer.isView(value)) return value as Value | Tensor;
  return fromData(value, { dtype: t.dtype }, who);
}

/** Stores one element; modes see a write to a view of it. */
function write(t: Tensor, who: string, offset: IntTuple, value: Value | Tensor): void {
  if (((callBits(t) >>> keyShift) & seen & ~backendKeys) === 0) store(t, who, offset, value);
  else fill_(asStrided(t, [], [], t.start + (offset as number)), value, who);
}

export const accessMethods = {
  at(this: Tensor, ...items: Index[]): Tensor {
    return at(this, items);
  },
  pick(this: Tensor, indices: readonly number[] | Tensor, axis?: Axis): Tensor {
    return pick(this, indices, axis);
  },
  assign(this: Tensor, value: TensorData): Tensor {
    const source = assigned(this, value, "assign");
    return source instanceof Tensor ? copy_(this, source, "assign") : fill_(this, source, "assign");
  },
  assignAt(this: Tensor, items: readonly Index[], value: TensorData): Tensor {
    return assignAt(this, items, assigned(this, value, "assignAt"), "assignAt");
  },
  get(this: Tensor, ...coord: GivenCoord[]): Value {
    return get(this, coord);
  },
  set(this: Tensor, ...coordAndValue: [...coord: GivenCoord[], value: Value | Tensor]): void {
    const value = coordAndValue.pop() as Value | Tensor;
    write(this, "set", offsetFor(this, "set", coordAndValue as GivenCoord[]), value);
  },
  getColMajor(this: Tensor, index: number | Static, ...more: readonly unknown[]): Value {
    if (more.length > 0)
      throw new IndexError(`getColMajor: needs one index, got ${more.length + 1}. Use get(i, j, ...)`);
    return namedAccess("getColMajor", () => readAt(this, colMajorOffset(this, "getColMajor", index)));
  },
  setColMajor(this: Tensor, index: number | Static, value: Value | Tensor): void {
    write(this, "setColMajor", colMajorOffset(this, "setColMajor", index), value);
  },
  item(this: Tensor): Value {
    return item(this);
  },
  dataPtr(this: Tensor, index?: readonly (number | Static)[]): number {
    return dataPtr(this, index);
  },
};
