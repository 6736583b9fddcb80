/** A tensor that is types only: the signatures that the view methods have, to try them on. */
import type { Checked } from "../../src/layout/faults.ts";
import type { DType } from "../../src/storage/dtype.ts";
import type { Axis } from "../../src/tensor/axes.ts";
import type { DTypeOfData, NestedData, RaggedFault, ShapeOfNested } from "../../src/tensor/nested-data.ts";
import type * as F from "../../src/tensor/shape-faults.ts";
import type { AtFault, AtShape, Ellipsis, Range } from "../../src/tensor/shape-indexing.ts";
import type * as V from "../../src/tensor/shape-views.ts";
import type { Space } from "../../src/tensor/space.ts";
import type { Broadcast, Known, Listed, Shape } from "../../src/tensor/types.ts";

export declare class Tensor<S extends Shape = Shape, D extends DType = DType, P extends Space = Space> {
  get shape(): S;
  get dtype(): D;
  get space(): P;
  readonly rank: number;
  get T(): Tensor<V.ReversedShape<S>, D, P>;
  get mT(): Tensor<V.MatrixTransposeShape<S>, D, P>;
  permute<X extends Tensor, const A extends readonly Axis[] | readonly [readonly Axis[]]>(
    this: X,
    ...axes: F.CheckedEach<A, F.PermuteFault<X["shape"], Listed<A>>>
  ): Tensor<V.PermuteShape<X["shape"], Listed<A>>, X["dtype"], X["space"]>;
  transpose<X extends Tensor, const A extends Axis, const B extends Axis>(
    this: X,
    a: Checked<A, F.TwoAxesFault<"transpose", X["shape"], A, B>>,
    b: B,
  ): Tensor<V.TransposeShape<X["shape"], A, B>, X["dtype"], X["space"]>;
  movedim<X extends Tensor, const A extends Axis | readonly Axis[], const B extends Axis | readonly Axis[]>(
    this: X,
    from: Checked<A, F.MoveFault<X["shape"], A, B>>,
    to: B,
  ): Tensor<V.MoveShape<X["shape"], A, B>, X["dtype"], X["space"]>;
  squeeze<X extends Tensor>(this: X): Tensor<V.SqueezeShape<X["shape"]>, X["dtype"], X["space"]>;
  squeeze<X extends Tensor, const A extends Axis | readonly Axis[]>(
    this: X,
    axis: Checked<A, F.SqueezeFault<X["shape"], A>>,
  ): Tensor<V.SqueezeShape<X["shape"], A>, X["dtype"], X["space"]>;
  unsqueeze<X extends Tensor, const A extends Axis>(
    this: X,
    axis: Checked<A, F.UnsqueezeFault<X["shape"], A>>,
  ): Tensor<V.UnsqueezeShape<X["shape"], A>, X["dtype"], X["space"]>;
  reshape<X extends Tensor, const To extends Shape | readonly [Shape]>(
    this: X,
    ...shape: F.CheckedEach<To, F.ReshapeFault<X["shape"], Listed<To>>>
  ): Tensor<V.ReshapeShape<X["shape"], Listed<To>>, X["dtype"], X["space"]>;
  view<X extends Tensor, const To extends Shape>(
    this: X,
    shape: Checked<To, F.ReshapeFault<X["shape"], To, "view">>,
  ): Tensor<V.ReshapeShape<X["shape"], To>, X["dtype"], X["space"]>;
  expand<X extends Tensor, const To extends Shape>(
    this: X,
    shape: Checked<To, F.ExpandFault<X["shape"], To>>,
  ): Tensor<V.ExpandShape<X["shape"], To>, X["dtype"], X["space"]>;
  flatten<X extends Tensor, const A extends Axis = 0, const B extends Axis = -1>(
    this: X,
    start?: Checked<A, F.FlattenFault<X["shape"], A, B>>,
    end?: B,
  ): Tensor<V.FlattenShape<X["shape"], A, B>, X["dtype"], X["space"]>;
  unflatten<X extends Tensor, const A extends Axis, const To extends Shape>(
    this: X,
    axis: A,
    sizes: Checked<To, F.UnflattenFault<X["shape"], A, To>>,
  ): Tensor<V.UnflattenShape<X["shape"], A, To>, X["dtype"], X["space"]>;
  select<X extends Tensor, const A extends Axis, const I extends number>(
    this: X,
    axis: A,
    index: Checked<I, F.SelectFault<X["shape"], A, I>>,
  ): Tensor<V.SelectShape<X["shape"], A>, X["dtype"], X["space"]>;
  narrow<X extends Tensor, const A extends Axis, const B extends number, const N extends number>(
    this: X,
    axis: A,
    start: B,
    length: Checked<N, F.NarrowFault<X["shape"], A, B, N>>,
  ): Tensor<V.ResizedShape<X["shape"], A, N>, X["dtype"], X["space"]>;
  slice<
    X extends Tensor,
    const A extends Axis,
    const B extends number | null | undefined = undefined,
    const E extends number | null | undefined = undefined,
    const Step extends number | undefined = undefined,
  >(
    this: X,
    axis: Checked<A, F.StrictAxisFault<"slice", X["shape"], A>>,
    start?: B,
    stop?: E,
    step?: Step,
  ): Tensor<V.SliceShape<X["shape"], A, B, E, Step>, X["dtype"], X["space"]>;
  split<X extends Tensor, const N extends number, const A extends Axis = 0>(
    this: X,
    size: Checked<N, F.SplitFault<X["shape"], N, A>>,
    axis?: A,
  ): Tensor<V.SplitShape<X["shape"], N, A>, X["dtype"], X["space"]>[];
  split<X extends Tensor, const N extends Shape, const A extends Axis = 0>(
    this: X,
    sizes: Checked<N, F.SplitFault<X["shape"], N, A>>,
    axis?: A,
  ): { -readonly [I in keyof N]: Tensor<V.ResizedShape<X["shape"], A, N[I]>, X["dtype"], X["space"]> };
  chunk<X extends Tensor, const N extends number, const A extends Axis = 0>(
    this: X,
    count: Checked<N, F.StrictAxisFault<"chunk", X["shape"], A>>,
    axis?: A,
  ): Tensor<V.ChunkShape<X["shape"], N, A>, X["dtype"], X["space"]>[];
  unbind<X extends Tensor, const A extends Axis = 0>(
    this: X,
    axis?: Checked<A, F.StrictAxisFault<"unbind", X["shape"], A>>,
  ): Tensor<V.SelectShape<X["shape"], A>, X["dtype"], X["space"]>[];
  diagonal<X extends Tensor, const O extends number = 0, const A extends Axis = 0, const B extends Axis = 1>(
    this: X,
    offset?: Checked<O, F.DiagonalFault<X["shape"], A, B>>,
    axis1?: A,
    axis2?: B,
  ): Tensor<V.DiagonalShape<X["shape"], O, A, B>, X["dtype"], X["space"]>;
  unfold<X extends Tensor, const A extends Axis, const N extends number, const Step extends number>(
    this: X,
    axis: A,
    size: Checked<N, F.UnfoldFault<X["shape"], A, N>>,
    step: Step,
  ): Tensor<V.UnfoldShape<X["shape"], A, N, Step>, X["dtype"], X["space"]>;
  at<X extends Tensor, const I extends readonly unknown[]>(
    this: X,
    ...indices: F.CheckedEach<I, AtFault<X["shape"], I>>
  ): Tensor<AtShape<X["shape"], I>, X["dtype"], X["space"]>;
  add<X extends Tensor, Y extends Tensor>(
    this: X,
    other: Checked<Y, F.BroadcastFault<X["shape"], Y["shape"], "add">>,
  ): Tensor<Broadcast<X["shape"], Y["shape"]>, X["dtype"], X["space"]>;
  expect<X extends Tensor, const To extends Shape>(
    this: X,
    shape: Checked<To, F.ExpectFault<X["shape"], To>>,
  ): Tensor<Known<To>, X["dtype"], X["space"]>;
  dyn<X extends Tensor>(this: X): Tensor<Shape, X["dtype"], X["space"]>;
}

export declare function tensor<
  const T extends NestedData,
  const O extends { readonly dtype?: DType } | undefined = undefined,
>(data: Checked<T, RaggedFault<T>>, options?: O): Tensor<ShapeOfNested<T>, DTypeOfData<T, O>, "none">;
export declare function zeros<const S extends Shape>(shape: readonly [...S]): Tensor<Known<S>, "float32", "none">;
export declare function range<
  const B extends number | null = null,
  const E extends number | null = null,
  const Step extends number | null = null,
>(start?: B, stop?: E, step?: Step): Range<B, E, Step>;
export declare const ellipsis: Ellipsis;
