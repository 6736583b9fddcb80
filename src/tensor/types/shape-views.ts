/**
 * The shapes of views, as types: `PermuteShape<[2, 3, 4], [2, 0, 1]>` is [4, 2, 3].
 * A wrong call is `Shape` here; shape-faults.ts has its message. If only an axis is unknown, the rank is still known.
 */
import type { Single } from "../../layout/types/literal-times.ts";
import type { Axis } from "../axes.ts";
import type { AtMost, Divide, Min, Minus, Plus } from "./literal-sums.ts";
import type {
  AsShape,
  Inserted,
  Known,
  NumelOf,
  PlaceOf,
  Rank,
  Removed,
  Replaced,
  Shape,
  SizeAt,
  SizeAtPlace,
  Unsized,
} from "./types.ts";

/** A shape with one axis fewer and unknown sizes. */
type OneLess<S extends Shape> = S extends readonly [unknown, ...infer T] ? Unsized<T> : Shape;
/** A shape with one more axis and unknown sizes. */
type OneMore<S extends Shape> = number extends S["length"] ? Shape : [number, ...Unsized<S>];

// ---- Order of the axes ------------------------------------------------------------------------------------------

/** The axes in a new order. */
export type PermuteShape<S extends Shape, A extends readonly Axis[]> = number extends A["length"]
  ? AsShape<Unsized<S>>
  : number extends Rank<S>
    ? Unsized<A>
    : { -readonly [I in keyof A]: SizeAt<S, A[I]> };

/** The shape of `transpose(a, b)`, of `transpose()` with at most two axes, or of all axes in a new order. */
export type TransposedShape<S extends Shape, A extends readonly Axis[]> = A extends readonly [
  infer P extends Axis,
  infer Q extends Axis,
]
  ? TransposeShape<S, P, Q>
  : A extends readonly []
    ? ReversedShape<S>
    : PermuteShape<S, A>;
/** The shape with two axes swapped. */
export type TransposeShape<S extends Shape, A extends Axis, B extends Axis> = Swapped<S, PlaceOf<S, A>, PlaceOf<S, B>>;
type Swapped<S extends Shape, P, Q> = [P, Q] extends [infer P extends number, infer Q extends number]
  ? number extends P | Q
    ? AsShape<Unsized<S>>
    : AsShape<{ -readonly [I in keyof S]: I extends `${P}` ? S[Q] : I extends `${Q}` ? S[P] : S[I] }>
  : AsShape<Unsized<S>>;

/** The shape with the axes reversed, that of `T`. */
export type ReversedShape<S extends Shape, Out extends Shape = []> = S extends readonly [
  infer H extends number,
  ...infer T extends Shape,
]
  ? ReversedShape<T, [H, ...Out]>
  : S extends readonly []
    ? Out
    : Shape;
/** The shape with the last two axes swapped, that of `mT`. */
export type MatrixTransposeShape<S extends Shape> = S extends readonly [
  ...infer Front extends Shape,
  infer M extends number,
  infer N extends number,
]
  ? [...Front, N, M]
  : Shape;

/** The shape with axes moved to other indices; the others keep their order. */
export type MoveShape<S extends Shape, From extends Axis | readonly Axis[], To extends Axis | readonly Axis[]> =
  number extends Rank<S>
    ? Unsized<S>
    : [AxisIndices<S, AsList<From>>, AxisIndices<S, AsList<To>>] extends [infer P extends Shape, infer Q extends Shape]
      ? number extends P[number] | Q[number]
        ? Unsized<S>
        : Reordered<S, P, Q, Without<S, P[number]>, []>
      : Unsized<S>;
type AsList<A> = A extends readonly unknown[] ? A : [A];
type AxisIndices<S extends Shape, A extends readonly unknown[]> = { -readonly [I in keyof A]: PlaceOf<S, A[I]> };
/** The entry of P at the index that N has in Q. */
type Partner<P extends Shape, Q extends Shape, N> = {
  [I in keyof Q]: Q[I] extends N ? P[I & keyof P] : never;
}[number];
type Reordered<
  S extends Shape,
  P extends Shape,
  Q extends Shape,
  Others extends Shape,
  Out extends Shape,
> = Out["length"] extends S["length"]
  ? Out
  : Out["length"] extends Q[number]
    ? Reordered<S, P, Q, Others, [...Out, SizeAtPlace<S, Partner<P, Q, Out["length"]>>]>
    : Others extends readonly [infer H extends number, ...infer T extends Shape]
      ? Reordered<S, P, Q, T, [...Out, H]>
      : AsShape<Unsized<S>>;
/** The sizes of all axes except those at these indices. */
type Without<S extends Shape, Indices, Out extends Shape = [], Seen extends Shape = []> = S extends readonly [
  infer H extends number,
  ...infer T extends Shape,
]
  ? Without<T, Indices, Seen["length"] extends Indices ? Out : [...Out, H], [...Seen, H]>
  : Out;

// ---- The same elements in other axes ----------------------------------------------------------------------------

/** A different shape with the same number of elements; one size may be -1, and is inferred. */
export type ReshapeShape<S extends Shape, To extends Shape> = {
  -readonly [I in keyof To]: [To[I]] extends [-1] ? MissingSize<S, To>[0] : Single<To[I]>;
};
/** [the size inferred for -1, the remaining elements]. */
export type MissingSize<S extends Shape, To extends Shape> =
  WithoutSame<S, To> extends [infer A extends Shape, infer B extends Shape]
    ? Divide<NumelOf<A>, NumelOf<WithoutMissing<B>>>
    : [number, number];
/** Both shapes without equal sizes at both ends, which need not be multiplied. */
export type WithoutSame<S extends Shape, To extends Shape> = S extends readonly [
  infer M extends number,
  ...infer S2 extends Shape,
]
  ? To extends readonly [infer N extends number, ...infer To2 extends Shape]
    ? IsSameSize<M, N> extends true
      ? WithoutSame<S2, To2>
      : WithoutSameEnd<S, To>
    : [S, To]
  : [S, To];
type WithoutSameEnd<S extends Shape, To extends Shape> = S extends readonly [
  ...infer S2 extends Shape,
  infer M extends number,
]
  ? To extends readonly [...infer To2 extends Shape, infer N extends number]
    ? IsSameSize<M, N> extends true
      ? WithoutSameEnd<S2, To2>
      : [S, To]
    : [S, To]
  : [S, To];
type IsSameSize<M extends number, N extends number> = number extends Single<M> | Single<N>
  ? false
  : M extends 0
    ? false
    : M extends N
      ? true
      : false;
type WithoutMissing<To extends Shape> = { [I in keyof To]: [To[I]] extends [-1] ? 1 : To[I] };

/** The shape with the axes from the first to the last (inclusive) merged. */
export type FlattenShape<S extends Shape, From extends Axis = 0, To extends Axis = -1> = S extends readonly []
  ? [1]
  : number extends Rank<S>
    ? Shape
    : Merged<S, PlaceOf<S, From>, PlaceOf<S, To>, []>;
type Merged<S extends Shape, P, Q, Before extends Shape> = number extends P | Q
  ? Shape
  : Before["length"] extends P
    ? MergedTo<S, Q, Before, Before, 1>
    : S extends readonly [infer H extends number, ...infer T extends Shape]
      ? Merged<T, P, Q, [...Before, H]>
      : Shape;
type MergedTo<S extends Shape, Q, Before extends Shape, Seen extends Shape, N extends number> = S extends readonly [
  infer H extends number,
  ...infer T extends Shape,
]
  ? Seen["length"] extends Q
    ? [...Before, NumelOf<[N, H]>, ...T]
    : MergedTo<T, Q, Before, [...Seen, H], NumelOf<[N, H]>>
  : Shape;

/** The shape with one axis split into several. */
export type UnflattenShape<S extends Shape, A extends Axis, To extends Shape> =
  number extends Rank<S> ? Shape : Spread<S, PlaceOf<S, A>, ReshapeShape<[SizeAt<S, A>], To>, []>;
type Spread<S extends Shape, P, Sizes extends Shape, Before extends Shape> = number extends P
  ? Shape
  : S extends readonly [infer H extends number, ...infer T extends Shape]
    ? Before["length"] extends P
      ? [...Before, ...Sizes, ...T]
      : Spread<T, P, Sizes, [...Before, H]>
    : Shape;

/** The shape without axes of size 1: all of them, or those passed. */
export type SqueezeShape<S extends Shape, A extends Axis | readonly Axis[] | undefined = undefined> =
  number extends Rank<S>
    ? Shape
    : [A] extends [undefined]
      ? WithoutOnes<S, number, [], []>
      : number extends AxisIndices<S, AsList<A>>[number]
        ? Shape
        : WithoutOnes<S, AxisIndices<S, AsList<A>>[number], [], []>;
type WithoutOnes<S extends Shape, Indices, Seen extends Shape, Out extends Shape> = S extends readonly [
  infer H extends number,
  ...infer T extends Shape,
]
  ? Seen["length"] extends Indices
    ? [H] extends [1]
      ? WithoutOnes<T, Indices, [...Seen, H], Out>
      : 1 extends H
        ? Shape
        : WithoutOnes<T, Indices, [...Seen, H], [...Out, H]>
    : WithoutOnes<T, Indices, [...Seen, H], [...Out, H]>
  : Out;

/** The shape with another axis of size 1. */
export type UnsqueezeShape<S extends Shape, A extends Axis> =
  number extends Rank<S>
    ? Shape
    : number extends PlaceOf<[1, ...S], A>
      ? OneMore<S>
      : Inserted<S, PlaceOf<[1, ...S], A>, 1>;

/** A checked shape, in which -1 matches any size. */
export type ExpectShape<S extends Shape, To extends Shape> = {
  -readonly [I in keyof To]: [To[I]] extends [-1] ? (I extends keyof S ? S[I] & number : number) : Single<To[I]>;
};

/** The expanded shape; -1 keeps a size. */
export type ExpandShape<S extends Shape, To extends Shape> = number extends To["length"]
  ? Shape
  : -1 extends To[number]
    ? BroadcastTo<S, To, []>
    : Known<To>;
type BroadcastTo<S extends Shape, To extends Shape, Out extends Shape> = To extends readonly [
  ...infer To2 extends Shape,
  infer N extends number,
]
  ? S extends readonly [...infer S2 extends Shape, infer M extends number]
    ? BroadcastTo<S2, To2, [[N] extends [-1] ? M : Single<N>, ...Out]>
    : BroadcastTo<S, To2, [[N] extends [-1] ? number : Single<N>, ...Out]>
  : Out;

// ---- Parts ------------------------------------------------------------------------------------------------------

/** The shape of one index of an axis, without that axis. */
export type SelectShape<S extends Shape, A extends Axis> =
  number extends Rank<S> ? Shape : number extends PlaceOf<S, A> ? OneLess<S> : Removed<S, PlaceOf<S, A>>;
/** The shape with a different size of one axis. */
export type ResizedShape<S extends Shape, A extends Axis, N extends number> = Replaced<S, PlaceOf<S, A>, Single<N>>;

/** The shape with an axis sliced from `start` to `stop` (exclusive) by steps. */
export type SliceShape<S extends Shape, A extends Axis, Start, Stop, Step> = Replaced<
  S,
  PlaceOf<S, A>,
  SliceSize<Single<SizeAt<S, A>>, Start, Stop, Step>
>;
/** The number of indices of n from `start` to `stop` (exclusive); null, undefined and omitted bounds are the ends. */
export type SliceSize<N extends number, Start, Stop, Step> = number extends N
  ? number
  : [Step] extends [1 | null | undefined]
    ? Between<Bound<N, Start, 0>, Bound<N, Stop, N>>
    : [Start, Stop, Step] extends [null | undefined, null | undefined, -1]
      ? N
      : [Step] extends [number]
        ? Steps<Between<Bound<N, Start, 0>, Bound<N, Stop, N>>, Single<Step>>
        : number;
type Bound<N extends number, X, Default extends number> = [X] extends [null | undefined]
  ? Default
  : [X] extends [number]
    ? number extends Single<X>
      ? number
      : `${X}` extends `-${infer K extends number}`
        ? AtMost<K, N> extends true
          ? Minus<N, K>
          : 0
        : Min<X, N>
    : number;
type Between<B extends number, E extends number> = number extends B | E
  ? number
  : AtMost<B, E> extends true
    ? Minus<E, B>
    : 0;
type Steps<N extends number, Step extends number> = number extends N | Step
  ? number
  : AtMost<1, Step> extends true
    ? Divide<Plus<N, Minus<Step, 1>>, Step>[0]
    : number;

/** The parts of `split(size, axis)`: of one shape if the size divides the axis, else of unknown sizes. */
export type SplitShape<S extends Shape, N extends number, A extends Axis = 0> = Replaced<
  S,
  PlaceOf<S, A>,
  PieceSize<Single<SizeAt<S, A>>, Single<N>>
>;
// The first condition of these two is cheap, and the only one that the compiler evaluates for a type parameter.
export type PieceSize<Size extends number, N extends number> = number extends Size
  ? number
  : Size extends 0
    ? 0
    : Divide<Size, N>[1] extends 0
      ? N
      : number;
/** The parts of `chunk(count, axis)` and of `tensorSplit`. */
export type ChunkShape<S extends Shape, Count extends number | Shape, A extends Axis = 0> = Replaced<
  S,
  PlaceOf<S, A>,
  ChunkSize<Single<SizeAt<S, A>>, Count>
>;
export type ChunkSize<Size extends number, Count> = number extends Size
  ? number
  : Count extends number
    ? Divide<Size, Single<Count>> extends [infer N extends number, 0]
      ? N
      : number
    : number;

/** The shape with two axes replaced by their diagonal, as the last axis. */
export type DiagonalShape<S extends Shape, Offset extends number = 0, A extends Axis = 0, B extends Axis = 1> =
  number extends Rank<S>
    ? Shape
    : number extends PlaceOf<S, A> | PlaceOf<S, B>
      ? OneLess<S>
      : [
          ...Without<S, PlaceOf<S, A> | PlaceOf<S, B>>,
          [Offset] extends [0] ? Min<Single<SizeAt<S, A>>, Single<SizeAt<S, B>>> : number,
        ];

/** The shape with an axis replaced by the number of its windows, and their size as the last axis. */
export type UnfoldShape<S extends Shape, A extends Axis, N extends number, Step extends number> = S extends readonly []
  ? [Single<N>]
  : number extends Rank<S>
    ? Shape
    : [...ResizedShape<S, A, Windows<Single<SizeAt<S, A>>, Single<N>, Single<Step>>>, Single<N>];
type Windows<All extends number, N extends number, Step extends number> =
  AtMost<N, All> extends true ? Divide<Plus<Minus<All, N>, Step>, Step>[0] : number;
