/**
 * The signatures of all methods whose result has a shape that the compiler can compute: views and indices.
 *
 * They take the tensor as `this: X` and name no type parameter of Tensor, and so `Tensor<[2, 3]>` stays a `Tensor`. They are
 * not part of the generic class but of interfaces that it extends: the compiler then reads each of them once, and not
 * again for every shape (six times cheaper). The methods are in view-methods.ts and access-methods.ts.
 */
import type { Checked } from "../../layout/types/faults.ts";
import type { Index } from "../access/indexing.ts";
import type { Axis } from "../axes.ts";
import type { Tensor } from "../tensor.ts";
import type { ViewArguments, ViewDType, ViewShape, ViewSizes } from "../types/shape-dtypes.ts";
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
} from "../types/shape-faults.ts";
import type { AtFault, AtShape, PickShape } from "../types/shape-indexing.ts";
import type {
  ChunkShape,
  DiagonalShape,
  ExpandShape,
  ExpectShape,
  FlattenShape,
  MoveShape,
  PermuteShape,
  ReshapeShape,
  ResizedShape,
  SelectShape,
  SliceShape,
  SplitShape,
  SqueezeShape,
  TransposedShape,
  UnflattenShape,
  UnfoldShape,
  UnsqueezeShape,
} from "../types/shape-views.ts";
import type { Known, Listed, Shape } from "../types/types.ts";

/** Views: the same elements, or part of them, in other axes. */
export interface ViewSignatures {
  /** The same elements in row-major order under a different shape (one size may be -1), or the same bytes as a different dtype. Never copies. */
  view<X extends Tensor, const A extends ViewArguments>(
    this: X,
    ...shape: CheckedEach<A, ReshapeFault<X["shape"], ViewSizes<A>, "view">>
  ): Tensor<ViewShape<X["shape"], X["dtype"], A>, ViewDType<X["dtype"], A>, X["space"]>;
  /** The same elements in row-major order under a different shape: a view if the strides allow it, else a copy. */
  reshape<X extends Tensor, const A extends Shape | readonly [Shape]>(
    this: X,
    ...shape: CheckedEach<A, ReshapeFault<X["shape"], Listed<A>>>
  ): Tensor<ReshapeShape<X["shape"], Listed<A>>, X["dtype"], X["space"]>;
  /** The axes in a different order: axis i of the result is axis `order[i]` of the tensor. */
  permute<X extends Tensor, const A extends readonly Axis[] | readonly [readonly Axis[]]>(
    this: X,
    ...order: CheckedEach<A, PermuteFault<X["shape"], Listed<A>>>
  ): Tensor<PermuteShape<X["shape"], Listed<A>>, X["dtype"], X["space"]>;
  /** Two axes exchanged; without arguments the last two of a matrix; with one for each axis, a permutation. */
  transpose<X extends Tensor, const A extends readonly Axis[]>(
    this: X,
    ...axes: CheckedEach<A, TransposeFault<X["shape"], A>>
  ): Tensor<TransposedShape<X["shape"], A>, X["dtype"], X["space"]>;
  /** Axes moved to new indices, the others kept in their order. */
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
  squeeze<X extends Tensor>(this: X): Tensor<SqueezeShape<X["shape"], undefined>, X["dtype"], X["space"]>;
  squeeze<X extends Tensor, const A extends Axis | readonly Axis[]>(
    this: X,
    axis: Checked<A, SqueezeFault<X["shape"], A>>,
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
  unbind<X extends Tensor>(this: X): Tensor<SelectShape<X["shape"], 0>, X["dtype"], X["space"]>[];
  unbind<X extends Tensor, const A extends Axis>(
    this: X,
    axis: Checked<A, StrictAxisFault<"unbind", X["shape"], A>>,
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
  /** Any sizes and strides over the storage; throws if they reach outside. */
  asStrided<X extends Tensor, const To extends Shape, const N extends Shape>(
    this: X,
    sizes: To,
    strides: Checked<N, StridesFault<To, N>>,
    offset?: number,
  ): Tensor<Known<To>, X["dtype"], X["space"]>;
  /** The axes from `start` to `end` as one: a view if possible, else a copy. */
  flatten<X extends Tensor>(this: X): Tensor<FlattenShape<X["shape"], 0, -1>, X["dtype"], X["space"]>;
  flatten<X extends Tensor, const A extends Axis, const B extends Axis = -1>(
    this: X,
    start: Checked<A, FlattenFault<X["shape"], A, B>>,
    end?: B,
  ): Tensor<FlattenShape<X["shape"], A, B>, X["dtype"], X["space"]>;
  /** All axes as one: a view if possible, else a copy. Same as `flatten()`. */
  ravel<X extends Tensor>(this: X): Tensor<FlattenShape<X["shape"], 0, -1>, X["dtype"], X["space"]>;
  /** One axis split into several; one size may be -1. */
  unflatten<X extends Tensor, const A extends Axis, const To extends Shape>(
    this: X,
    axis: A,
    sizes: Checked<To, UnflattenFault<X["shape"], A, To>>,
  ): Tensor<UnflattenShape<X["shape"], A, To>, X["dtype"], X["space"]>;
  /** Adds the shape to the type, and checks it at run time. A size of -1 matches any size. */
  expect<X extends Tensor, const To extends Shape>(
    this: X,
    shape: Checked<To, ExpectFault<X["shape"], To>>,
  ): Tensor<ExpectShape<X["shape"], To>, X["dtype"], X["space"]>;
}

/** Parts by index. */
export interface IndexSignatures {
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
}
