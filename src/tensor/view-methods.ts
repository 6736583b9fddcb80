/**
 * The view methods of Tensor: names, argument forms and types. What they do is in the files `views-*.ts`, `clone.ts`, `in-place.ts`.
 */
import { ShapeError } from "../base/errors.ts";
import type { Checked } from "../layout/faults.ts";
import { checkDType, type DType, type Value } from "../storage/dtype.ts";
import type { Storage } from "../storage/storage.ts";
import type { Axis } from "./axes.ts";
import { clone, cloneBy, contiguous, move, reshape, to, type ValueMode } from "./clone.ts";
import type { CopyFormat, MemoryFormat } from "./contiguity.ts";
import { sizesOf } from "./geometry.ts";
import { copy_, dataOf, detach, fill_, resize_, set_, setData } from "./in-place.ts";
import { type AxisName, rename } from "./names.ts";
import type { ComplexOf, RealOf, ViewArguments, ViewDType, ViewShape, ViewSizes, WithoutLast } from "./shape-dtypes.ts";
import type {
  CheckedEach,
  DiagonalFault,
  ExpandFault,
  ExpectFault,
  FlattenFault,
  MoveFault,
  NarrowFault,
  PermuteFault,
  ReshapeFault,
  SelectFault,
  SplitFault,
  SqueezeFault,
  StrictAxisFault,
  StridesFault,
  TransposeFault,
  UnflattenFault,
  UnfoldFault,
  UnsqueezeFault,
} from "./shape-faults.ts";
import type {
  ChunkShape,
  DiagonalShape,
  ExpandShape,
  ExpectShape,
  FlattenShape,
  MatrixTransposeShape,
  MoveShape,
  PermuteShape,
  ReshapeShape,
  ResizedShape,
  ReversedShape,
  SelectShape,
  SliceShape,
  SplitShape,
  SqueezeShape,
  TransposedShape,
  UnflattenShape,
  UnfoldShape,
  UnsqueezeShape,
} from "./shape-views.ts";
import type { Space } from "./space.ts";
import type { Tensor } from "./tensor.ts";
import type { Known, Listed, Shape } from "./types.ts";
import { matrixTranspose, movedim, permute, reversed, squeeze, transpose, unsqueeze } from "./views-axes.ts";
import { partView, viewAsComplex, viewAsReal, viewDType } from "./views-dtype.ts";
import { chunk, diagonal, narrow, select, slice, split, tensorSplit, unbind, unfold } from "./views-parts.ts";
import { asStrided, expand, flattenedShape, unflatten, view } from "./views-shape.ts";

declare module "./tensor.ts" {
  interface Tensor<S extends Shape, D extends DType, P extends Space> {
    /** The same elements in row-major order under another shape (one size may be -1), or the same bytes as another dtype. Never copies. */
    view<X extends Tensor, const A extends ViewArguments>(
      this: X,
      ...shape: CheckedEach<A, ReshapeFault<X["shape"], ViewSizes<A>, "view">>
    ): Tensor<ViewShape<X["shape"], X["dtype"], A>, ViewDType<X["dtype"], A>, X["space"]>;
    /** The same elements in row-major order under another shape: a view if the strides allow it, else a copy. */
    reshape<X extends Tensor, const A extends Shape | readonly [Shape]>(
      this: X,
      ...shape: CheckedEach<A, ReshapeFault<X["shape"], Listed<A>>>
    ): Tensor<ReshapeShape<X["shape"], Listed<A>>, X["dtype"], X["space"]>;
    /** The axes in another order: axis i of the result is axis `order[i]` of the tensor. */
    permute<X extends Tensor, const A extends readonly Axis[] | readonly [readonly Axis[]]>(
      this: X,
      ...order: CheckedEach<A, PermuteFault<X["shape"], Listed<A>>>
    ): Tensor<PermuteShape<X["shape"], Listed<A>>, X["dtype"], X["space"]>;
    /** Two axes exchanged; without arguments the last two of a matrix; with one for each axis, a permutation. */
    transpose<X extends Tensor, const A extends readonly Axis[]>(
      this: X,
      ...axes: CheckedEach<A, TransposeFault<X["shape"], A>>
    ): Tensor<TransposedShape<X["shape"], A>, X["dtype"], X["space"]>;
    /** All axes in reverse order. */
    readonly T: Tensor<ReversedShape<S>, D, P>;
    /** The last two axes exchanged. */
    readonly mT: Tensor<MatrixTransposeShape<S>, D, P>;
    /** Axes moved to new places, the others kept in their order. */
    movedim<X extends Tensor, const A extends Axis | readonly Axis[], const B extends Axis | readonly Axis[]>(
      this: X,
      from: Checked<A, MoveFault<X["shape"], A, B>>,
      to: B,
    ): Tensor<MoveShape<X["shape"], A, B>, X["dtype"], X["space"]>;
    /** Axes of size 1 repeated and new ones added in front, by stride 0; -1 keeps a size. */
    expand<X extends Tensor, const A extends Shape | readonly [Shape]>(
      this: X,
      ...shape: CheckedEach<A, ExpandFault<X["shape"], Listed<A>>>
    ): Tensor<ExpandShape<X["shape"], Listed<A>>, X["dtype"], X["space"]>;
    /** Repeated by stride 0 to this shape. */
    broadcastTo<X extends Tensor, const To extends Shape>(
      this: X,
      shape: Checked<To, ExpandFault<X["shape"], To, "broadcastTo">>,
    ): Tensor<ExpandShape<X["shape"], To>, X["dtype"], X["space"]>;
    /** Repeated by stride 0 to the shape of another tensor. */
    expandAs<X extends Tensor, Y extends Tensor>(
      this: X,
      other: Checked<Y, ExpandFault<X["shape"], Y["shape"], "expandAs">>,
    ): Tensor<Y["shape"], X["dtype"], X["space"]>;
    /** Without axes of size 1: all of them, or those named. */
    squeeze<X extends Tensor, const A extends Axis | readonly Axis[] | undefined = undefined>(
      this: X,
      axis?: Checked<A, SqueezeFault<X["shape"], A>>,
    ): Tensor<SqueezeShape<X["shape"], A>, X["dtype"], X["space"]>;
    /** With a new axis of size 1. */
    unsqueeze<X extends Tensor, const A extends Axis>(
      this: X,
      axis: Checked<A, UnsqueezeFault<X["shape"], A>>,
    ): Tensor<UnsqueezeShape<X["shape"], A>, X["dtype"], X["space"]>;
    /** The elements with one index on an axis, which disappears. */
    select<X extends Tensor, const A extends Axis, const I extends number>(
      this: X,
      axis: A,
      index: Checked<I, SelectFault<X["shape"], A, I>>,
    ): Tensor<SelectShape<X["shape"], A>, X["dtype"], X["space"]>;
    /** `length` elements of an axis from `start` on. */
    narrow<X extends Tensor, const A extends Axis, const B extends number, const N extends number>(
      this: X,
      axis: A,
      start: B,
      length: Checked<N, NarrowFault<X["shape"], A, B, N>>,
    ): Tensor<ResizedShape<X["shape"], A, N>, X["dtype"], X["space"]>;
    /** Every `step`-th element of an axis from `start` up to, not including, `stop`; a negative step walks backwards. */
    slice<
      X extends Tensor,
      const A extends Axis,
      const B extends number | null | undefined = undefined,
      const E extends number | null | undefined = undefined,
      const N extends number | undefined = undefined,
    >(
      this: X,
      axis: Checked<A, StrictAxisFault<"slice", X["shape"], A>>,
      start?: B,
      stop?: E,
      step?: N,
    ): Tensor<SliceShape<X["shape"], A, B, E, N>, X["dtype"], X["space"]>;
    /** Pieces of a size (the last may be shorter), or of given sizes, along an axis. */
    split<X extends Tensor, const N extends number | Shape, const A extends Axis = 0>(
      this: X,
      size: Checked<N, SplitFault<X["shape"], N, A>>,
      axis?: A,
    ): N extends number
      ? Tensor<SplitShape<X["shape"], N, A>, X["dtype"], X["space"]>[]
      : { -readonly [I in keyof N]: Tensor<ResizedShape<X["shape"], A, N[I] & number>, X["dtype"], X["space"]> };
    /** At most `count` pieces of equal size (the last may be shorter). */
    chunk<X extends Tensor, const N extends number, const A extends Axis = 0>(
      this: X,
      count: Checked<N, StrictAxisFault<"chunk", X["shape"], A>>,
      axis?: A,
    ): Tensor<ChunkShape<X["shape"], N, A>, X["dtype"], X["space"]>[];
    /** Exactly `sections` pieces whose sizes differ by at most one, or pieces cut before the given indices. */
    tensorSplit<X extends Tensor, const N extends number | Shape, const A extends Axis = 0>(
      this: X,
      sections: Checked<N, StrictAxisFault<"tensorSplit", X["shape"], A>>,
      axis?: A,
    ): Tensor<ChunkShape<X["shape"], N, A>, X["dtype"], X["space"]>[];
    /** One view for each index of an axis. */
    unbind<X extends Tensor, const A extends Axis = 0>(
      this: X,
      axis?: Checked<A, StrictAxisFault<"unbind", X["shape"], A>>,
    ): Tensor<SelectShape<X["shape"], A>, X["dtype"], X["space"]>[];
    /** The elements whose indices on two axes differ by `offset`, as the last axis. */
    diagonal<X extends Tensor, const N extends number = 0, const A extends Axis = 0, const B extends Axis = 1>(
      this: X,
      offset?: Checked<N, DiagonalFault<X["shape"], A, B>>,
      axis1?: A,
      axis2?: B,
    ): Tensor<DiagonalShape<X["shape"], N, A, B>, X["dtype"], X["space"]>;
    /** All windows of `size` elements along an axis, `step` apart; the window is the new last axis. */
    unfold<X extends Tensor, const A extends Axis, const N extends number, const Step extends number>(
      this: X,
      axis: A,
      size: Checked<N, UnfoldFault<X["shape"], A, N>>,
      step: Step,
    ): Tensor<UnfoldShape<X["shape"], A, N, Step>, X["dtype"], X["space"]>;
    /** Any sizes and strides over the storage; what leaves the storage is refused. */
    asStrided<X extends Tensor, const To extends Shape, const N extends Shape>(
      this: X,
      sizes: To,
      strides: Checked<N, StridesFault<To, N>>,
      offset?: number,
    ): Tensor<Known<To>, X["dtype"], X["space"]>;
    /** The axes from `start` to `end` as one: a view if possible, else a copy. */
    flatten<X extends Tensor, const A extends Axis = 0, const B extends Axis = -1>(
      this: X,
      start?: Checked<A, FlattenFault<X["shape"], A, B>>,
      end?: B,
    ): Tensor<FlattenShape<X["shape"], A, B>, X["dtype"], X["space"]>;
    /** One axis split into several; one size may be -1. */
    unflatten<X extends Tensor, const A extends Axis, const To extends Shape>(
      this: X,
      axis: A,
      sizes: Checked<To, UnflattenFault<X["shape"], A, To>>,
    ): Tensor<UnflattenShape<X["shape"], A, To>, X["dtype"], X["space"]>;
    /** A complex tensor as a real one with a last axis of 2. */
    viewAsReal(): Tensor<[...S, 2], RealOf<D>, P>;
    /** A real tensor with a last axis of 2 as a complex one. */
    viewAsComplex(): Tensor<WithoutLast<S>, ComplexOf<D>, P>;
    /** The real parts, as a view. */
    readonly real: Tensor<S, RealOf<D>, P>;
    /** The imaginary parts, as a view. */
    readonly imag: Tensor<S, RealOf<D>, P>;
    /** The same elements without a history; storage and version are shared, but it is no view. */
    detach(): Tensor<S, D, P>;
    /** The same elements with a version counter of its own. */
    data: Tensor<S, D, P>;
    /** The view with these axis names; null removes them. */
    rename(names: readonly AxisName[] | Readonly<Record<string, string>> | null): Tensor<S, D, P>;
    /** A new tensor with the same elements; strides are kept if the tensor is dense. */
    clone(format?: CopyFormat): Tensor<S, D, P>;
    /** A tensor made from this one by copy, by move (this one is dead afterwards) or as alias. */
    cloneBy(mode: ValueMode): Tensor<S, D, P>;
    /** Takes over everything this tensor has; it is dead afterwards. */
    move(): Tensor<S, D, P>;
    /** Itself if contiguous in the format, else a copy that is. */
    contiguous(format?: MemoryFormat): Tensor<S, D, P>;
    /** Itself if it has the dtype, else a converted copy. */
    to<E extends DType>(dtype: E, options?: { readonly copy?: boolean }): Tensor<S, E, P>;
    /** Sets every element. */
    fill_(value: Value): this;
    /** Sets every element to 0. */
    zero_(): this;
    /** Copies the elements of another tensor, broadcast and converted. */
    copy_(from: Tensor): this;
    /** Sees another storage from now on; one that is too short grows. */
    set_(source: Storage | Tensor, offset?: number, sizes?: readonly number[], strides?: readonly number[]): this;
    /** Another shape, row-major, over the same storage, which grows if it is too short. */
    resize_(...shape: number[]): this;
    resize_(shape: readonly number[]): this;
    /** The shape of another tensor. */
    resizeAs_(other: Tensor): this;
    /** Forgets the shape in its type. */
    dyn(): Tensor<Shape, D, P>;
    /** Learns the shape in its type; checked when it runs. A size of -1 or null may be anything. */
    expect<X extends Tensor, const To extends Shape>(
      this: X,
      shape: Checked<To, ExpectFault<X["shape"], To>>,
    ): Tensor<ExpectShape<X["shape"], To>, X["dtype"], X["space"]>;
  }
}

/** `f(2, 3)` and `f([2, 3])` are the same call. */
function listed<T>(first: T | readonly T[] | undefined, rest: readonly T[]): readonly T[] {
  if (Array.isArray(first)) return first as readonly T[];
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
    if (axes.length === 2) return transpose(this, axes[0] as Axis, axes[1] as Axis);
    if (axes.length === 0 && this.rank <= 2) return reversed(this);
    if (axes.length === this.rank) return permute(this, axes);
    throw new ShapeError(
      `transpose: give two axes to exchange, or all ${this.rank} in their new order; got ${axes.length} for shape [${sizesOf(this).join(", ")}]`,
    );
  },
  get T(): Tensor {
    return reversed(this as unknown as Tensor);
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
    return expand(this, shape, "broadcastTo");
  },
  expandAs(this: Self, other: Tensor): Tensor {
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
    return reshape(this, flattenedShape(this, start, end));
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
    return cloneBy(this, mode);
  },
  move(this: Self): Tensor {
    return move(this);
  },
  contiguous(this: Self, format?: MemoryFormat): Tensor {
    return contiguous(this, format);
  },
  to(this: Self, dtype: DType, options?: { readonly copy?: boolean }): Tensor {
    return to(this, checkDType("to", dtype), options?.copy);
  },
  fill_(this: Self, value: Value): Tensor {
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
  resize_(this: Self, ...shape: number[]): Tensor {
    return resize_(this, listed(shape[0], shape));
  },
  resizeAs_(this: Self, other: Tensor): Tensor {
    return resize_(this, sizesOf(other));
  },
  dyn(this: Self): Tensor {
    return this;
  },
  expect(this: Self, shape: readonly number[]): Tensor {
    const has = sizesOf(this);
    if (shape.length !== has.length || shape.some((size, i) => size !== -1 && size !== has[i]))
      throw new ShapeError(`expect: the shape is [${has.join(", ")}], not [${shape.join(", ")}]`);
    return this;
  },
};
