/**
 * The methods that turn a tensor into ordinary JavaScript: arrays, text, numbers, iteration, messages. They call
 * `to-array.ts`, `raw-view.ts`, `message.ts`, `dlpack.ts` and `print.ts`.
 */
import { IndexError, ShapeError } from "../../base/errors.ts";
import { type DType, DTypeError, type Value } from "../../storage/dtype.ts";
import { showShape, sizeAt } from "../geometry.ts";
import type { Space } from "../identity.ts";
import { inspectTensor, tensorToString } from "../print/print.ts";
import type { PrintChanges } from "../print/print-options.ts";
import type { Tensor } from "../tensor.ts";
import type { ArrayFor, NestedOf, WindowFor } from "../types/shape-arrays.ts";
import type { Shape } from "../types/types.ts";
import { select } from "../views/view-ops.ts";
import { type DLTensor, toDLPack } from "./dlpack.ts";
import { type TensorMessage, toMessage } from "./message.ts";
import { type RawView, type RawViewOptions, rawView } from "./raw-view.ts";
import { itemBigInt, type NestedValues, type ToArrayOptions, toArray, toTypedArray } from "./to-array.ts";
import { itemAsync, toArrayAsync, toCpu } from "./to-device.ts";

declare module "../tensor.ts" {
  interface Tensor<S extends Shape, D extends DType, P extends Space> {
    /** Returns the elements as nested arrays; for a 0-d tensor, its element. int64 past 2^53 requires `{ bigint: true }`. */
    toArray<X extends Tensor, const O extends ToArrayOptions | undefined = undefined>(
      this: X,
      options?: O,
    ): NestedOf<X["shape"], X["dtype"], O>;
    /** Returns the same for tensors on any device: a promise, because the device may still be computing. */
    toArrayAsync<X extends Tensor, const O extends ToArrayOptions | undefined = undefined>(
      this: X,
      options?: O,
    ): Promise<NestedOf<X["shape"], X["dtype"], O>>;
    /** Returns the one element of a tensor of size 1 on any device, as `item()` returns it. */
    itemAsync<X extends Tensor>(this: X): Promise<ReturnType<X["item"]>>;
    /** Returns the tensor itself if it is on the CPU, else a contiguous copy there. */
    cpu<X extends Tensor>(this: X): Promise<X>;
    /** Returns the elements as nested arrays; same as `toArray`. */
    tolist<X extends Tensor, const O extends ToArrayOptions | undefined = undefined>(
      this: X,
      options?: O,
    ): NestedOf<X["shape"], X["dtype"], O>;
    /** Returns a copy of the elements in row-major order; float16 and bfloat16 as float32, bool as bytes, complex numbers as pairs. */
    toTypedArray<X extends Tensor>(this: X): ArrayFor<X["dtype"]>;
    /** Returns the memory of the tensor as a typed array, without a copy; throws unless the tensor is contiguous. */
    rawView<X extends Tensor>(this: X, options?: RawViewOptions): RawView<WindowFor<X["dtype"]>>;
    /** Returns the only element of an integer tensor as a bigint. */
    itemBigInt(): bigint;
    /** Returns a plain object with a copy of the elements, for postMessage and structuredClone, which do not accept tensors. */
    toMessage(): TensorMessage;
    /** Returns the memory as a DLPack descriptor, without a copy. */
    toDLPack(): DLTensor;
    /** Returns the values as PyTorch prints them. */
    toString(changes?: PrintChanges): string;
    /** Returns the only element in arithmetic and comparisons; the text of `toString` in templates, and in `+` for several elements. */
    [Symbol.toPrimitive](hint: string): string | number | bigint | boolean;
    /** Returns the elements as nested arrays, for JSON.stringify. */
    toJSON(): unknown;
    /** Iterates over views along the first axis. */
    [Symbol.iterator](): IterableIterator<Tensor<Shape, D, P>>;
  }
}

function* parts(t: Tensor): IterableIterator<Tensor> {
  for (let i = 0; i < sizeAt(t, 0); i++) yield select(t, 0, i);
}

export const convertMethods = {
  toArray(this: Tensor, options?: ToArrayOptions): NestedValues {
    return toArray(this, options);
  },
  toArrayAsync(this: Tensor, options?: ToArrayOptions): Promise<NestedValues> {
    return toArrayAsync(this, options);
  },
  itemAsync(this: Tensor): Promise<Value> {
    return itemAsync(this);
  },
  cpu(this: Tensor): Promise<Tensor> {
    return toCpu(this);
  },
  tolist(this: Tensor, options?: ToArrayOptions): NestedValues {
    return toArray(this, options);
  },
  toTypedArray(this: Tensor): ArrayFor<DType> {
    return toTypedArray(this);
  },
  rawView(this: Tensor, options?: RawViewOptions): RawView {
    return rawView(this, options);
  },
  itemBigInt(this: Tensor): bigint {
    return itemBigInt(this);
  },
  toMessage(this: Tensor): TensorMessage {
    return toMessage(this);
  },
  toDLPack(this: Tensor): DLTensor {
    return toDLPack(this);
  },
  toString(this: Tensor, changes?: PrintChanges): string {
    return tensorToString(this, changes);
  },
  [Symbol.toPrimitive](this: Tensor, hint: string): string | number | bigint | boolean {
    const isComplex = this.type?.startsWith("complex") === true;
    const isNumber = this.size === 1 && !isComplex;
    // `+` uses "default": it may join text.
    if (hint === "string" || (hint === "default" && !isNumber)) return this.toString();
    if (isNumber) return this.item() as number;
    if (isComplex) throw new DTypeError("tensor: complex numbers have no order. Compare abs() or real().");
    throw new IndexError(
      `tensor: a tensor of shape ${showShape(this)} is not one number. Compare elementwise with lt(), gt() or eq(), or take one element first.`,
    );
  },
  toJSON(this: Tensor): NestedValues {
    return toArray(this);
  },
  [Symbol.iterator](this: Tensor): IterableIterator<Tensor> {
    if (this.rank === 0)
      throw new ShapeError("tensor: iteration over a 0-d tensor is not possible. Read its element with item()");
    return parts(this);
  },
  [Symbol.for("nodejs.util.inspect.custom")](this: Tensor): string {
    return inspectTensor(this);
  },
};
