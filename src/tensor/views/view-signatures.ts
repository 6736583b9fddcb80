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

/** The signatures of views. */
export interface ViewSignatures {
  /**
   * Returns a view of the elements in row-major order with a different shape (one size may be -1), or of the bytes with a different dtype.
   * Throws if that needs a copy.
   */
  view<X extends Tensor, const A extends ViewArguments>(
    this: X,
    ...shape: CheckedEach<A, ReshapeFault<X["shape"], ViewSizes<A>, "view">>
  ): Tensor<ViewShape<X["shape"], X["dtype"], A>, ViewDType<X["dtype"], A>, X["space"]>;
  /** Returns the elements in row-major order with a different shape: a view if the strides allow it, else a copy. */
  reshape<X extends Tensor, const A extends Shape | readonly [Shape]>(
    this: X,
    ...shape: CheckedEach<A, ReshapeFault<X["shape"], Listed<A>>>
  ): Tensor<ReshapeShape<X["shape"], Listed<A>>, X["dtype"], X["space"]>;
  /** Permutes the axes: axis i of the result is axis `order[i]` of the tensor. */
  permute<X extends Tensor, const A extends readonly Axis[] | readonly [readonly Axis[]]>(
    this: X,
    ...order: CheckedEach<A, PermuteFault<X["shape"], Listed<A>>>
  ): Tensor<PermuteShape<X["shape"], Listed<A>>, X["dtype"], X["space"]>;
  /** Swaps two axes. Without arguments, swaps the axes of a matrix; with one argument for each axis, permutes them. */
  transpose<X extends Tensor, const A extends readonly Axis[]>(
    this: X,
    ...axes: CheckedEach<A, TransposeFault<X["shape"], A>>
  ): Tensor<TransposedShape<X["shape"], A>, X["dtype"], X["space"]>;
  /** Moves axes to new positions; the others keep their order. */
  movedim<X extends Tensor, const A extends Axis | readonly Axis[], const B extends Axis | readonly Axis[]>(
    this: X,
    from: Checked<A, MoveFault<X["shape"], A, B>>,
    to: B,
  ): Tensor<MoveShape<X["shape"], A, B>, X["dtype"], X["space"]>;
  /** Returns a view in which axes of size 1 are repeated, and new axes added in front, with stride 0. -1 keeps a size. */
  expand<X extends Tensor, const A extends Shape | readonly [Shape]>(
    this: X,
    ...shape: CheckedEach<A, ExpandFault<X["shape"], Listed<A>>>
  ): Tensor<ExpandShape<X["shape"], Listed<A>>, X["dtype"], X["space"]>;
  /** Broadcasts to a shape; returns a view with stride 0 in repeated axes. */
  broadcastTo<X extends Tensor, const To extends Shape>(
    this: X,
    shape: Checked<To, ExpandFault<X["shape"], To, "broadcastTo">>,
  ): Tensor<ExpandShape<X["shape"], To>, X["dtype"], X["space"]>;
  /** Broadcasts to the shape of another tensor; returns a view. */
  expandAs<X extends Tensor, Y extends Tensor>(
    this: X,
    other: Checked<Y, ExpandFault<X["shape"], Y["shape"], "expandAs">>,
  ): Tensor<Y["shape"], X["dtype"], X["space"]>;
  /** Removes axes of size 1: all of them, or the given ones. */
  squeeze<X extends Tensor>(this: X): Tensor<SqueezeShape<X["shape"], undefined>, X["dtype"], X["space"]>;
  squeeze<X extends Tensor, const A extends Axis | readonly Axis[]>(
    this: X,
    axis: Checked<A, SqueezeFault<X["shape"], A>>,
  ): Tensor<SqueezeShape<X["shape"], A>, X["dtype"], X["space"]>;
  /** Inserts an axis of size 1. */
  unsqueeze<X extends Tensor, const A extends Axis>(
    this: X,
    axis: Checked<A, UnsqueezeFault<X["shape"], A>>,
  ): Tensor<UnsqueezeShape<X["shape"], A>, X["dtype"], X["space"]>;
  /** Selects one index of an axis, and removes the axis. */
  select<X extends Tensor, const A extends Axis, const I extends number>(
    this: X,
    axis: A,
    index: Checked<I, SelectFault<X["shape"], A, I>>,
  ): Tensor<SelectShape<X["shape"], A>, X["dtype"], X["space"]>;
  /** Returns `length` elements of an axis, beginning at `start`. */
  narrow<X extends Tensor, const A extends Axis, const B extends number, const N extends number>(
    this: X,
    axis: A,
    start: B,
    length: Checked<N, NarrowFault<X["shape"], A, B, N>>,
  ): Tensor<ResizedShape<X["shape"], A, N>, X["dtype"], X["space"]>;
  /** Returns every `step`-th element of an axis from `start` to `stop` (exclusive); a negative step goes backward. */
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
  /** Splits along an axis into parts of one size (the last may be smaller), or of the given sizes. */
  split<X extends Tensor, const N extends number | Shape, const A extends Axis = 0>(
    this: X,
    size: Checked<N, SplitFault<X["shape"], N, A>>,
    axis?: A,
  ): N extends number
    ? Tensor<SplitShape<X["shape"], N, A>, X["dtype"], X["space"]>[]
    : { -readonly [I in keyof N]: Tensor<ResizedShape<X["shape"], A, N[I] & number>, X["dtype"], X["space"]> };
  /** Splits along an axis into at most `count` parts of equal size (the last may be smaller). */
  chunk<X extends Tensor, const N extends number, const A extends Axis = 0>(
    this: X,
    count: Checked<N, StrictAxisFault<"chunk", X["shape"], A>>,
    axis?: A,
  ): Tensor<ChunkShape<X["shape"], N, A>, X["dtype"], X["space"]>[];
  /** Splits along an axis into exactly `sections` parts whose sizes differ by at most 1, or before the given indices. */
  tensorSplit<X extends Tensor, const N extends number | Shape, const A extends Axis = 0>(
    this: X,
    sections: Checked<N, StrictAxisFault<"tensorSplit", X["shape"], A>>,
    axis?: A,
  ): Tensor<ChunkShape<X["shape"], N, A>, X["dtype"], X["space"]>[];
  /** Returns one view for each index of an axis. */
  unbind<X extends Tensor>(this: X): Tensor<SelectShape<X["shape"], 0>, X["dtype"], X["space"]>[];
  unbind<X extends Tensor, const A extends Axis>(
    this: X,
    axis: Checked<A, StrictAxisFault<"unbind", X["shape"], A>>,
  ): Tensor<SelectShape<X["shape"], A>, X["dtype"], X["space"]>[];
  /** Returns the diagonal of two axes, shifted by `offset`, as the last axis. */
  diagonal<X extends Tensor, const N extends number = 0, const A extends Axis = 0, const B extends Axis = 1>(
    this: X,
    offset?: Checked<N, DiagonalFault<X["shape"], A, B>>,
    axis1?: A,
    axis2?: B,
  ): Tensor<DiagonalShape<X["shape"], N, A, B>, X["dtype"], X["space"]>;
  /** Returns sliding windows of `size` elements along an axis, `step` apart; the window is the new last axis. */
  unfold<X extends Tensor, const A extends Axis, const N extends number, const Step extends number>(
    this: X,
    axis: A,
    size: Checked<N, UnfoldFault<X["shape"], A, N>>,
    step: Step,
  ): Tensor<UnfoldShape<X["shape"], A, N, Step>, X["dtype"], X["space"]>;
  /** Returns a view of the storage with the given sizes and strides; throws if they reach outside. */
  asStrided<X extends Tensor, const To extends Shape, const N extends Shape>(
    this: X,
    sizes: To,
    strides: Checked<N, StridesFault<To, N>>,
    offset?: number,
  ): Tensor<Known<To>, X["dtype"], X["space"]>;
  /** Merges the axes from `start` to `end` into one: a view if possible, else a copy. */
  flatten<X extends Tensor>(this: X): Tensor<FlattenShape<X["shape"], 0, -1>, X["dtype"], X["space"]>;
  flatten<X extends Tensor, const A extends Axis, const B extends Axis = -1>(
    this: X,
    start: Checked<A, FlattenFault<X["shape"], A, B>>,
    end?: B,
  ): Tensor<FlattenShape<X["shape"], A, B>, X["dtype"], X["space"]>;
  /** Merges all axes into one: a view if possible, else a copy. Same as `flatten()`. */
  ravel<X extends Tensor>(this: X): Tensor<FlattenShape<X["shape"], 0, -1>, X["dtype"], X["space"]>;
  /** Splits one axis into several; one size may be -1. */
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

/** The signatures of indexing. */
export interface IndexSignatures {
  /** Indexes the tensor and returns a tensor. Indices are integers, `_`, range(...), null, "...", index and mask tensors, and arrays for nested axes. */
  at<X extends Tensor, const I extends readonly Index[]>(
    this: X,
    ...items: CheckedEach<I, AtFault<X["shape"], I>>
  ): Tensor<AtShape<X["shape"], I>, X["dtype"], X["space"]>;
  /** Returns a copy of the elements at a list of indices along an axis. */
  pick<X extends Tensor, const I extends readonly number[] | Tensor, const A extends Axis = 0>(
    this: X,
    indices: Checked<I, StrictAxisFault<"pick", X["shape"], A>>,
    axis?: A,
  ): Tensor<PickShape<X["shape"], I, A>, X["dtype"], X["space"]>;
}
