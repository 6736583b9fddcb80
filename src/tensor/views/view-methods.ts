/**
 * The view methods of Tensor: names, argument forms and types. They call the functions of `views-*.ts`, `clone.ts` and `in-place.ts` through
 * dispatch (`view-ops.ts`).
 */
import { ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { type Device, isDevice } from "../../storage/device.ts";
import { checkDType, type DType, type Value } from "../../storage/dtype.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Axis } from "../axes.ts";
import { cloneBy, move, type ValueMode } from "../clone.ts";
import type { CopyFormat, MemoryFormat } from "../contiguity.ts";
import { toDevice } from "../convert/to-device.ts";
import { showShape, sizesOf } from "../geometry.ts";
import type { Space } from "../identity.ts";
import { dataOf, setData } from "../in-place.ts";
import type { AxisName } from "../names.ts";
import { checkTensor } from "../operand.ts";
import type { Tensor } from "../tensor.ts";
import type { ComplexOf, RealOf, WithoutLast } from "../types/shape-dtypes.ts";
import type { MatrixTransposeShape, ReversedShape } from "../types/shape-views.ts";
import type { Shape } from "../types/types.ts";
import {
  asStrided,
  chunk,
  clone,
  contiguous,
  copy_,
  detach,
  diagonal,
  expand,
  fill_,
  flatten,
  matrixTranspose,
  movedim,
  narrow,
  partView,
  permute,
  readonly,
  rename,
  reshape,
  resident,
  resize_,
  reversed,
  select,
  set_,
  slice,
  split,
  squeeze,
  takeAxes,
  tensorSplit,
  to,
  transpose,
  unbind,
  unflatten,
  unfold,
  unsqueeze,
  view,
  viewAsComplex,
  viewAsReal,
  viewDType,
} from "./view-ops.ts";
import { checkArray } from "./view-shape.ts";
import type { ViewSignatures } from "./view-signatures.ts";

declare module "../tensor.ts" {
  interface Tensor<S extends Shape, D extends DType, P extends Space> extends ViewSignatures {
    /** A view with the axes in reverse order. */
    readonly T: Tensor<ReversedShape<S>, D, P>;
    /** Returns the transpose of a matrix; a tensor with fewer axes is returned unchanged. */
    t(): Tensor<ReversedShape<S>, D, P>;
    /** A view with the last two axes swapped. */
    readonly mT: Tensor<MatrixTransposeShape<S>, D, P>;
    /** Returns a view of a complex tensor as a real one with a last axis of size 2. */
    viewAsReal(): Tensor<[...S, 2], RealOf<D>, P>;
    /** Returns a view of a real tensor with a last axis of size 2 as a complex one. */
    viewAsComplex(): Tensor<WithoutLast<S>, ComplexOf<D>, P>;
    /** The real parts, as a view. */
    readonly real: Tensor<S, RealOf<D>, P>;
    /** The imaginary parts, as a view. */
    readonly imag: Tensor<S, RealOf<D>, P>;
    /** Returns the same elements without a history. The result shares storage and version, but is not a view. */
    detach(): Tensor<S, D, P>;
    /** Returns the same elements with a new version counter. */
    data: Tensor<S, D, P>;
    /** Returns a view with these axis names; null removes them. */
    rename(names: readonly AxisName[] | Readonly<Record<string, string>> | null): Tensor<S, D, P>;
    /** Returns a copy; its strides are those of the tensor if it is dense. */
    clone(format?: CopyFormat): Tensor<S, D, P>;
    /** Returns a copy, an alias (the same memory), or with "move" a new tensor that takes over the memory; this one is disposed. */
    cloneBy(mode: ValueMode): Tensor<S, D, P>;
    /** Moves this tensor into a new one; this one is disposed. */
    move(): Tensor<S, D, P>;
    /** Returns the tensor itself if it is contiguous in the format, else a contiguous copy. */
    contiguous(format?: MemoryFormat): Tensor<S, D, P>;
    /**
     * Returns the tensor itself if its memory is the library's, else (`fromBuffer`) a copy in that memory. Ops copy wrapped memory at every
     * call, because it may have changed. Later writes on either side are not visible on the other.
     */
    resident(): Tensor<S, D, P>;
    /** Converts to a dtype: returns the tensor itself if it has the dtype, else a converted copy. */
    to<E extends DType>(dtype: E, options?: { readonly copy?: boolean }): Tensor<S, E, P>;
    /** Returns the tensor itself if it is on the device, else a contiguous copy there. Back to the CPU: `await x.cpu()`. */
    to(device: Device): Tensor<S, D, P>;
    /** Returns a converted copy, as in NumPy; with `{ copy: false }`, the tensor itself if it has the dtype. */
    astype<E extends DType>(dtype: E, options?: { readonly copy?: boolean }): Tensor<S, E, P>;
    /** Returns a read-only view. Writes to it throw; writes to this tensor are visible in it. */
    readonly(): Tensor<S, D, P>;
    /** Sets every element to a value, or to the element of a tensor that has just one. */
    fill_(value: Value | Tensor): this;
    /** Sets every element to 0. */
    zero_(): this;
    /** Copies the elements of another tensor, broadcast and converted. */
    copy_(from: Tensor): this;
    /** Makes this tensor use another storage; one that is too short grows. */
    set_(
      source: Storage | Tensor,
      offset?: number,
      sizes?: readonly number[],
      strides?: readonly number[],
    ): Tensor<Shape, D, P>;
    /** Swaps two axes of this tensor in place. The type of a variable keeps the old shape. */
    transpose_(a: Axis, b: Axis): Tensor<Shape, D, P>;
    /** Removes axes of size 1 of this tensor in place: all of them, or the given ones. */
    squeeze_(axis?: Axis | readonly Axis[]): Tensor<Shape, D, P>;
    /** Adds an axis of size 1 to this tensor in place. */
    unsqueeze_(axis: Axis): Tensor<Shape, D, P>;
    /** Sets the sizes and strides of this tensor over its storage. */
    asStrided_(sizes: readonly number[], strides: readonly number[], offset?: number): Tensor<Shape, D, P>;
    /** Changes the shape, row-major, over the same storage, which grows if it is too short. */
    resize_(...shape: number[]): Tensor<Shape, D, P>;
    resize_(shape: readonly number[]): Tensor<Shape, D, P>;
    /** Changes the shape to that of another tensor. */
    resizeAs_(other: Tensor): Tensor<Shape, D, P>;
    /** Removes the shape from the type. */
    dyn(): Tensor<Shape, D, P>;
  }
}

/** `f(2, 3)` and `f([2, 3])` are the same call. */
function listed<T>(first: T | readonly T[] | undefined, rest: readonly T[]): readonly T[] {
  if (Array.isArray(first)) return first;
  return rest;
}

type Self = Tensor;

/** The methods, as they are put on the prototype. */
export const viewMethods = {
  view(this: Self, ...args: (number | readonly number[] | DType)[]): Tensor {
    const first = args[0];
    if (typeof first === "string") return viewDType(this, checkDType("view", first));
    return view(this, listed(first as number, args as number[]));
  },
  reshape(this: Self, ...shape: number[]): Tensor {
    return reshape(this, listed(shape[0], shape));
  },
  permute(this: Self, ...order: Axis[]): Tensor {
    return permute(this, listed(order[0], order));
  },
  transpose(this: Self, ...axes: Axis[]): Tensor {
    if (axes.length === 2) return transpose(this, axes[0], axes[1]);
    if (axes.length === 0 && this.rank <= 2) return reversed(this);
    if (axes.length === this.rank) return permute(this, axes);
    throw new ShapeError(
      `transpose: pass two axes to exchange, or all ${this.rank} in their new order; got ${axes.length} for shape ${showShape(this)}`,
    );
  },
  get T(): Tensor {
    return reversed(this as unknown as Tensor);
  },
  t(this: Self): Tensor {
    return this.transpose();
  },
  get mT(): Tensor {
    return matrixTranspose(this as unknown as Tensor);
  },
  movedim(this: Self, from: Axis | readonly Axis[], to: Axis | readonly Axis[]): Tensor {
    return movedim(this, from, to);
  },
  expand(this: Self, ...shape: number[]): Tensor {
    return expand(this, listed(shape[0], shape));
  },
  broadcastTo(this: Self, shape: readonly number[]): Tensor {
    checkArray("broadcastTo", shape);
    return expand(this, shape, "broadcastTo");
  },
  expandAs(this: Self, other: Tensor): Tensor {
    checkTensor("expandAs", other);
    return expand(this, sizesOf(other), "expandAs");
  },
  squeeze(this: Self, axis?: Axis | readonly Axis[]): Tensor {
    return squeeze(this, axis);
  },
  unsqueeze(this: Self, axis: Axis): Tensor {
    return unsqueeze(this, axis);
  },
  select(this: Self, axis: Axis, index: number): Tensor {
    return select(this, axis, index);
  },
  narrow(this: Self, axis: Axis, start: number, length: number): Tensor {
    return narrow(this, axis, start, length);
  },
  slice(this: Self, axis: Axis, start?: number | null, stop?: number | null, step?: number): Tensor {
    return slice(this, axis, start, stop, step);
  },
  split(this: Self, size: number | readonly number[], axis?: Axis): Tensor[] {
    return split(this, size, axis);
  },
  chunk(this: Self, count: number, axis?: Axis): Tensor[] {
    return chunk(this, count, axis);
  },
  tensorSplit(this: Self, sections: number | readonly number[], axis?: Axis): Tensor[] {
    return tensorSplit(this, sections, axis);
  },
  unbind(this: Self, axis?: Axis): Tensor[] {
    return unbind(this, axis);
  },
  diagonal(this: Self, offset?: number, axis1?: Axis, axis2?: Axis): Tensor {
    return diagonal(this, offset, axis1, axis2);
  },
  unfold(this: Self, axis: Axis, size: number, step: number): Tensor {
    return unfold(this, axis, size, step);
  },
  asStrided(this: Self, sizes: readonly number[], strides: readonly number[], offset?: number): Tensor {
    return asStrided(this, sizes, strides, offset);
  },
  flatten(this: Self, start: Axis = 0, end: Axis = -1): Tensor {
    return flatten(this, start, end);
  },
  unflatten(this: Self, axis: Axis, sizes: readonly number[]): Tensor {
    return unflatten(this, axis, sizes);
  },
  viewAsReal(this: Self): Tensor {
    return viewAsReal(this);
  },
  viewAsComplex(this: Self): Tensor {
    return viewAsComplex(this);
  },
  get real(): Tensor {
    return partView(this as unknown as Tensor, "real");
  },
  get imag(): Tensor {
    return partView(this as unknown as Tensor, "imag");
  },
  detach(this: Self): Tensor {
    return detach(this);
  },
  get data(): Tensor {
    return dataOf(this as unknown as Tensor);
  },
  set data(from: Tensor) {
    setData(this as unknown as Tensor, from);
  },
  rename(this: Self, names: readonly AxisName[] | Readonly<Record<string, string>> | null): Tensor {
    return rename(this, names);
  },
  clone(this: Self, format?: CopyFormat): Tensor {
    return clone(this, format);
  },
  cloneBy(this: Self, mode: ValueMode): Tensor {
    return mode === "copy" ? clone(this) : cloneBy(this, mode);
  },
  move(this: Self): Tensor {
    return move(this);
  },
  contiguous(this: Self, format?: MemoryFormat): Tensor {
    return contiguous(this, format);
  },
  resident(this: Self): Tensor {
    return resident(this);
  },
  to(this: Self, target: DType | Device, options?: { readonly copy?: boolean }): Tensor {
    return isDevice(target) ? toDevice(this, target) : to(this, checkDType("to", target), options?.copy);
  },
  astype(this: Self, dtype: DType, options?: { readonly copy?: boolean }): Tensor {
    return to(this, checkDType("astype", dtype), options?.copy ?? true);
  },
  ravel(this: Self): Tensor {
    return flatten(this, 0, -1);
  },
  readonly(this: Self): Tensor {
    return readonly(this);
  },
  fill_(this: Self, value: Value | Tensor): Tensor {
    return fill_(this, value);
  },
  zero_(this: Self): Tensor {
    return fill_(this, 0, "zero_");
  },
  copy_(this: Self, from: Tensor): Tensor {
    return copy_(this, from);
  },
  set_(
    this: Self,
    source: Storage | Tensor,
    offset?: number,
    sizes?: readonly number[],
    strides?: readonly number[],
  ): Tensor {
    return set_(this, source, offset, sizes, strides);
  },
  transpose_(this: Self, a: Axis, b: Axis): Tensor {
    return takeAxes(this, transpose(this, a, b), "transpose_");
  },
  squeeze_(this: Self, axis?: Axis | readonly Axis[]): Tensor {
    return takeAxes(this, squeeze(this, axis), "squeeze_");
  },
  unsqueeze_(this: Self, axis: Axis): Tensor {
    return takeAxes(this, unsqueeze(this, axis), "unsqueeze_");
  },
  asStrided_(this: Self, sizes: readonly number[], strides: readonly number[], offset?: number): Tensor {
    return takeAxes(this, asStrided(this, sizes, strides, offset), "asStrided_");
  },
  resize_(this: Self, ...shape: number[]): Tensor {
    return resize_(this, listed(shape[0], shape));
  },
  resizeAs_(this: Self, other: Tensor): Tensor {
    checkTensor("resizeAs_", other);
    return resize_(this, sizesOf(other));
  },
  dyn(this: Self): Tensor {
    return this;
  },
  expect(this: Self, shape: readonly number[]): Tensor {
    checkArray("expect", shape);
    const has = sizesOf(this);
    if (shape.length !== has.length || shape.some((size, i) => size !== -1 && size !== has[i]))
      throw new ShapeError(`expect: the shape is ${show(has)}, not ${show(shape)}`);
    return this;
  },
};
