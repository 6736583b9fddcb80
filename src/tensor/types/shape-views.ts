/**
 * What each view makes of a shape, as types: `PermuteShape<[2, 3, 4], [2, 0, 1]>` is [4, 2, 3].
 * A wrong call gives `Shape` here; shape-faults.ts has the sentence for it. Where an axis is not known the rank still is.
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

/** The same rank less one, of which no size is known. */
type OneLess<S extends Shape> = S extends readonly [unknown, ...infer T] ? Unsized<T> : Shape;
/** The same rank and one more, of which no size is known. */
type OneMore<S extends Shape> = number extends S["length"] ? Shape : [number, ...Unsized<S>];

// ---- Order of the axes ------------------------------------------------------------------------------------------

/** The axes in the order named. */
export type PermuteShape<S extends Shape, A extends readonly Axis[]> = number extends A["length"]
  ? AsShape<Unsized<S>>
  : number extends Rank<S>
    ? Unsized<A>
    : { -readonly [I in keyof A]: SizeAt<S, A[I]> };

/** `transpose(a, b)`, `transpose()` of at most two axes, or all axes in their new order. */
export type TransposedShape<S extends Shape, A extends readonly Axis[]> = A extends readonly [
  infer P extends Axis,
  infer Q extends Axis,
]
  ? TransposeShape<S, P, Q>
  : A extends readonly []
    ? ReversedShape<S>
    : PermuteShape<S, A>;
/** Two axes exchanged. */
export type TransposeShape<S extends Shape, A extends Axis, B extends Axis> = Swapped<S, PlaceOf<S, A>, PlaceOf<S, B>>;
type Swapped<S extends Shape, P, Q> = [P, Q] extends [infer P extends number, infer Q extends number]
  ? number extends P | Q
    ? AsShape<Unsized<S>>
    : AsShape<{ -readonly [I in keyof S]: I extends `${P}` ? S[Q] : I extends `${Q}` ? S[P] : S[I] }>
  : AsShape<Unsized<S>>;

/** All axes backwards: the shape of `T`. */
export type ReversedShape<S extends Shape, Out extends Shape = []> = S extends readonly [
  infer H extends number,
  ...infer T extends Shape,
]
  ? ReversedShape<T, [H, ...Out]>
  : S extends readonly []
    ? Out
    : Shape;
/** The last two axes exchanged: the shape of `mT`. */
export type MatrixTransposeShape<S extends Shape> = S extends readonly [
  ...infer Front extends Shape,
  infer M extends number,
  infer N extends number,
]
  ? [...Front, N, M]
  : Shape;

/** Axes moved to other places, the others in the order they had. */
export type MoveShape<S extends Shape, From extends Axis | readonly Axis[], To extends Axis | readonly Axis[]> =
  number extends Rank<S>
    ? Unsized<S>
    : [Places<S, AsList<From>>, Places<S, AsList<To>>] extends [infer P extends Shape, infer Q extends Shape]
      ? number extends P[number] | Q[number]
        ? Unsized<S>
        : Placed<S, P, Q, Without<S, P[number]>, []>
      : Unsized<S>;
type AsList<A> = A extends readonly unknown[] ? A : [A];
type Places<S extends Shape, A extends readonly unknown[]> = { -readonly [I in keyof A]: PlaceOf<S, A[I]> };
/** The place at the same position of P as N has in Q. */
type Partner<P extends Shape, Q extends Shape, N> = {
  [I in keyof Q]: Q[I] extends N ? P[I & keyof P] : never;
}[number];
type Placed<
  S extends Shape,
  P extends Shape,
  Q extends Shape,
  Others extends Shape,
  Out extends Shape,
> = Out["length"] extends S["length"]
  ? Out
  : Out["length"] extends Q[number]
    ? Placed<S, P, Q, Others, [...Out, SizeAtPlace<S, Partner<P, Q, Out["length"]>>]>
    : Others extends readonly [infer H extends number, ...infer T extends Shape]
      ? Placed<S, P, Q, T, [...Out, H]>
      : AsShape<Unsized<S>>;
/** The sizes at all places but these. */
type Without<S extends Shape, Places, Out extends Shape = [], Seen extends Shape = []> = S extends readonly [
  infer H extends number,
  ...infer T extends Shape,
]
  ? Without<T, Places, Seen["length"] extends Places ? Out : [...Out, H], [...Seen, H]>
  : Out;

// ---- The same elements in other axes ----------------------------------------------------------------------------

/** Another shape of as many elements; one size may be -1, and is computed. */
export type ReshapeShape<S extends Shape, To extends Shape> = {
  -readonly [I in keyof To]: [To[I]] extends [-1] ? MissingSize<S, To>[0] : Single<To[I]>;
};
/** [the size that -1 stands for, the elements that are left over]. */
export type MissingSize<S extends Shape, To extends Shape> =
  WithoutSame<S, To> extends [infer A extends Shape, infer B extends Shape]
    ? Divide<NumelOf<A>, NumelOf<WithoutMissing<B>>>
    : [number, number];
/** Both shapes without the sizes that are the same at both ends, which need not be multiplied. */
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

/** Axes from the first to the last (inclusive) as one. */
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

/** One axis as several. */
export type UnflattenShape<S extends Shape, A extends Axis, To extends Shape> =
  number extends Rank<S> ? Shape : Spread<S, PlaceOf<S, A>, ReshapeShape<[SizeAt<S, A>], To>, []>;
type Spread<S extends Shape, P, Sizes extends Shape, Before extends Shape> = number extends P
  ? Shape
  : S extends readonly [infer H extends number, ...infer T extends Shape]
    ? Before["length"] extends P
      ? [...Before, ...Sizes, ...T]
      : Spread<T, P, Sizes, [...Before, H]>
    : Shape;

/** Axes of size 1 left out: all of them, or those named. */
export type SqueezeShape<S extends Shape, A extends Axis | readonly Axis[] | undefined = undefined> =
  number extends Rank<S>
    ? Shape
    : [A] extends [undefined]
      ? WithoutOnes<S, number, [], []>
      : number extends Places<S, AsList<A>>[number]
        ? Shape
        : WithoutOnes<S, Places<S, AsList<A>>[number], [], []>;
type WithoutOnes<S extends Shape, Places, Seen extends Shape, Out extends Shape> = S extends readonly [
  infer H extends number,
  ...infer T extends Shape,
]
  ? Seen["length"] extends Places
    ? [H] extends [1]
      ? WithoutOnes<T, Places, [...Seen, H], Out>
      : 1 extends H
        ? Shape
        : WithoutOnes<T, Places, [...Seen, H], [...Out, H]>
    : WithoutOnes<T, Places, [...Seen, H], [...Out, H]>
  : Out;

/** One more axis of size 1. */
export type UnsqueezeShape<S extends Shape, A extends Axis> =
  number extends Rank<S>
    ? Shape
    : number extends PlaceOf<[1, ...S], A>
      ? OneMore<S>
      : Inserted<S, PlaceOf<[1, ...S], A>, 1>;

/** A shape that was asked for and found, in which -1 stands for any size. */
export type ExpectShape<S extends Shape, To extends Shape> = {
  -readonly [I in keyof To]: [To[I]] extends [-1] ? (I extends keyof S ? S[I] & number : number) : Single<To[I]>;
};

/** Stretched to a shape in which -1 keeps a size. */
export type ExpandShape<S extends Shape, To extends Shape> = number extends To["length"]
  ? Shape
  : -1 extends To[number]
    ? Stretched<S, To, []>
    : Known<To>;
type Stretched<S extends Shape, To extends Shape, Out extends Shape> = To extends readonly [
  ...infer To2 extends Shape,
  infer N extends number,
]
  ? S extends readonly [...infer S2 extends Shape, infer M extends number]
    ? Stretched<S2, To2, [[N] extends [-1] ? M : Single<N>, ...Out]>
    : Stretched<S, To2, [[N] extends [-1] ? number : Single<N>, ...Out]>
  : Out;

// ---- Parts ------------------------------------------------------------------------------------------------------

/** One index of an axis: the shape without it. */
export type SelectShape<S extends Shape, A extends Axis> =
  number extends Rank<S> ? Shape : number extends PlaceOf<S, A> ? OneLess<S> : Removed<S, PlaceOf<S, A>>;
/** Another size of one axis. */
export type ResizedShape<S extends Shape, A extends Axis, N extends number> = Replaced<S, PlaceOf<S, A>, Single<N>>;

/** An axis from `start` to `stop` (exclusive) by steps. */
export type SliceShape<S extends Shape, A extends Axis, Start, Stop, Step> = Replaced<
  S,
  PlaceOf<S, A>,
  SliceSize<Single<SizeAt<S, A>>, Start, Stop, Step>
>;
/** How many indices of n lie from `start` to `stop` (exclusive); left out, null and undefined mean the ends. */
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

/** The pieces of `split(size, axis)`: of one shape when the size fits evenly, else of sizes not known. */
export type SplitShape<S extends Shape, N extends number, A extends Axis = 0> = Replaced<
  S,
  PlaceOf<S, A>,
  PieceSize<Single<SizeAt<S, A>>, Single<N>>
>;
// The first question of these two is cheap, and is all that a compiler asks of a shape that a type parameter stands for.
export type PieceSize<Size extends number, N extends number> = number extends Size
  ? number
  : Size extends 0
    ? 0
    : Divide<Size, N>[1] extends 0
      ? N
      : number;
/** The pieces of `chunk(count, axis)` and of `tensorSplit`. */
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

/** Two axes replaced by their diagonal, at the end. */
export type DiagonalShape<S extends Shape, Offset extends number = 0, A extends Axis = 0, B extends Axis = 1> =
  number extends Rank<S>
    ? Shape
    : number extends PlaceOf<S, A> | PlaceOf<S, B>
      ? OneLess<S>
      : [
          ...Without<S, PlaceOf<S, A> | PlaceOf<S, B>>,
          [Offset] extends [0] ? Min<Single<SizeAt<S, A>>, Single<SizeAt<S, B>>> : number,
        ];

/** Windows of an axis: their number in its place, their size at the end. */
export type UnfoldShape<S extends Shape, A extends Axis, N extends number, Step extends number> = S extends readonly []
  ? [Single<N>]
  : number extends Rank<S>
    ? Shape
    : [...ResizedShape<S, A, Windows<Single<SizeAt<S, A>>, Single<N>, Single<Step>>>, Single<N>];
type Windows<All extends number, N extends number, Step extends number> =
  AtMost<N, All> extends true ? Divide<Plus<Minus<All, N>, Step>, Step>[0] : number;
