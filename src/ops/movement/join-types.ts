/**
 * The types of joined tensors, as the compiler computes them: the sizes along the joined axis are added, the others must be equal. No run-time
 * code. Lists of unknown length and more than 32 tensors have results of unknown sizes.
 */
import type { Checked } from "../../layout/types/faults.ts";
import type { Single } from "../../layout/types/literal-times.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Axis } from "../../tensor/axes.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Plus } from "../../tensor/types/literal-sums.ts";
import type { StrictAxisFault } from "../../tensor/types/shape-faults.ts";
import type { AsShape, Inserted, PlaceOf, Rank, Shape, Show, Unsized } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { OutOption, Promote } from "../op-types.ts";

type Tensors = readonly Tensor[];

type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never;

/** The promoted dtype of all tensors. */
export type PromoteAll<T extends Tensors> = T extends readonly [infer X extends Tensor, ...infer Rest extends Tensors]
  ? Rest extends readonly []
    ? X["dtype"]
    : Promote<X["dtype"], PromoteAll<Rest>>
  : IsUnion<T[number]["dtype"]> extends false
    ? T[number]["dtype"]
    : DType;

// ---- Along an axis ----------------------------------------------------------------------------------------------

/** The shape of tensors joined along an axis. An empty vector can be joined with anything. */
export type JoinedShape<T extends Tensors, A> = T extends readonly [
  infer X extends Tensor,
  ...infer Rest extends Tensors,
]
  ? number extends Rank<X["shape"]>
    ? Shape
    : X["shape"] extends readonly [0]
      ? Rest extends readonly []
        ? [0]
        : JoinedShape<Rest, A>
      : JoinedTo<X["shape"], Rest, PlaceOf<X["shape"], A>>
  : Shape;
type JoinedTo<S extends Shape, Rest extends Tensors, P> = Rest extends readonly [
  infer X extends Tensor,
  ...infer More extends Tensors,
]
  ? number extends P | Rank<X["shape"]>
    ? AsShape<Unsized<S>>
    : X["shape"] extends readonly [0]
      ? JoinedTo<S, More, P>
      : JoinedTo<AsShape<JoinedSizes<S, X["shape"], P>>, More, P>
  : S;
type JoinedSizes<S extends Shape, R extends Shape, P> = {
  -readonly [I in keyof S]: I extends keyof R
    ? R[I] extends infer N extends number
      ? I extends `${P & number}`
        ? Plus<Single<S[I]>, Single<N>>
        : number extends Single<S[I]>
          ? N
          : S[I]
      : number
    : number;
};

/** The message for tensors that cannot be joined along an axis. */
type JoinFault<Who extends string, T extends Tensors, A> = T extends readonly [
  infer X extends Tensor,
  ...infer Rest extends Tensors,
]
  ? [number] extends [Rank<X["shape"]>]
    ? undefined
    : X["shape"] extends readonly [0]
      ? JoinFault<Who, Rest, A>
      : StrictAxisFault<Who, X["shape"], A> extends infer Fault extends string
        ? Fault
        : JoinFaultIn<Who, X["shape"], Rest, PlaceOf<X["shape"], A>>
  : undefined;
type JoinFaultIn<Who extends string, S extends Shape, Rest extends Tensors, P> = Rest extends readonly [
  infer X extends Tensor,
  ...infer More extends Tensors,
]
  ? [number] extends [Rank<X["shape"]>]
    ? undefined
    : X["shape"] extends readonly [0]
      ? JoinFaultIn<Who, S, More, P>
      : X["shape"]["length"] extends S["length"]
        ? true extends Differing<S, X["shape"], P>[number]
          ? `${Who}: sizes must match except along axis ${P & number}, got ${Show<S>} and ${Show<X["shape"]>}`
          : JoinFaultIn<Who, S, More, P>
        : `${Who}: tensors must have the same rank, got ${Show<S>} and ${Show<X["shape"]>}`
  : undefined;
/** For each axis, true if its sizes are known to differ; the joined axis does not count. */
type Differing<S extends Shape, R extends Shape, P> = {
  [I in keyof S]: I extends `${P & number}` ? false : I extends keyof R ? AreDifferent<S[I], R[I]> : false;
};
type AreDifferent<M, N> = [Single<M & number>, Single<N & number>] extends [infer A, infer B]
  ? number extends A | B
    ? false
    : A extends B
      ? false
      : true
  : false;

/** The type of `cat`. */
export interface Join<Who extends string> extends OpFunction {
  <const T extends Tensors, const A extends Axis = 0>(
    tensors: Checked<T, JoinFault<Who, T, A>>,
    axis?: A,
    options?: OutOption,
  ): Tensor<JoinedShape<T, A>, PromoteAll<T>>;
}

// ---- Along a new axis -------------------------------------------------------------------------------------------

/** The shape of tensors stacked along a new axis. */
export type StackedShape<T extends Tensors, A> = number extends T["length"]
  ? Shape
  : T extends readonly [infer X extends Tensor, ...Tensors]
    ? number extends Rank<X["shape"]>
      ? Shape
      : PlaceOf<[1, ...X["shape"]], A> extends infer P
        ? number extends P
          ? AsShape<Unsized<[1, ...X["shape"]]>>
          : Inserted<X["shape"], P, T["length"]>
        : Shape
    : Shape;

/** The message for tensors that cannot be stacked. */
type StackFault<T extends Tensors, A> = T extends readonly [infer X extends Tensor, ...infer Rest extends Tensors]
  ? [number] extends [Rank<X["shape"]>]
    ? undefined
    : StrictAxisFault<"stack", [1, ...X["shape"]], A> extends infer Fault extends string
      ? Fault
      : StackFaultIn<X["shape"], Rest>
  : undefined;
type StackFaultIn<S extends Shape, Rest extends Tensors> = Rest extends readonly [
  infer X extends Tensor,
  ...infer More extends Tensors,
]
  ? [number] extends [Rank<X["shape"]>]
    ? undefined
    : X["shape"]["length"] extends S["length"]
      ? true extends Differing<S, X["shape"], never>[number]
        ? `stack: tensors must have the same shape, got ${Show<S>} and ${Show<X["shape"]>}`
        : StackFaultIn<S, More>
      : `stack: tensors must have the same shape, got ${Show<S>} and ${Show<X["shape"]>}`
  : undefined;

/** The type of `stack`. */
export interface Stack extends OpFunction {
  <const T extends Tensors, const A extends Axis = 0>(
    tensors: Checked<T, StackFault<T, A>>,
    axis?: A,
    options?: OutOption,
  ): Tensor<StackedShape<T, A>, PromoteAll<T>>;
}

/** The type of other ops that join tensors: the compiler knows the dtype of the result. */
export interface JoinOf<P extends readonly unknown[]> extends OpFunction {
  <const T extends Tensors>(tensors: T, ...more: P): Tensor<Shape, PromoteAll<T>>;
}
