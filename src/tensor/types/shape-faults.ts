/**
 * Compile-time errors of calls on tensors: a message replaces the type of a parameter, similar to the one that is thrown at run time. Every
 * fault is `undefined` if no error is known. It is also `undefined` for `any`, which the compiler tries for the unresolved types of
 * a generic function.
 *
 * `get` and `set` take an index for each axis, or one coordinate. There is no fault if the rank, or the number of indices, is unknown.
 * No run-time code.
 */
import type { Checked } from "../../layout/types/faults.ts";
import type { Single } from "../../layout/types/literal-times.ts";
import type { Axis } from "../axes.ts";
import type { AtMost, Plus } from "./literal-sums.ts";
import type { MissingSize, WithoutSame } from "./shape-views.ts";
import type { NumelOf, PlaceOf, Rank, Shape, Show, SizeAt } from "./types.ts";

/** Rest arguments, or the message in place of each of them. Generic code can call functions that are checked this way. */
export type CheckedEach<Arguments extends readonly unknown[], Fault> = {
  [I in keyof Arguments]: Checked<Arguments[I], Fault>;
};

// ---- Axes -------------------------------------------------------------------------------------------------------

/** The message for an axis that does not exist. A scalar has the axes 0 and -1 where that is harmless, as in PyTorch. */
export type AxisFault<Who extends string, S extends Shape, A> = [number] extends [Rank<S>]
  ? undefined
  : PlaceOf<S, A> extends "none"
    ? [S["length"], A] extends [0, 0 | -1]
      ? undefined
      : NoAxis<Who, S, A>
    : undefined;
/** The same for functions where a scalar has no axes. */
export type StrictAxisFault<Who extends string, S extends Shape, A> = [number] extends [Rank<S>]
  ? undefined
  : PlaceOf<S, A> extends "none"
    ? NoAxis<Who, S, A>
    : undefined;
type NoAxis<
  Who extends string,
  S extends Shape,
  A,
> = `${Who}: axis ${A & Axis} is out of range for rank ${S["length"]}: ${Show<S>}`;

/** An axis, a list of axes, or options in its place; or the message for an axis that does not exist. */
export type CheckedAxis<S extends Shape, A> = Checked<A, NoInfer<AnyAxisFault<S, A>>>;
type AnyAxisFault<S extends Shape, A> = [number] extends [Rank<S>]
  ? undefined
  : [A] extends [number]
    ? PlaceOf<S, A> extends "none"
      ? [S["length"], A] extends [0, 0 | -1]
        ? undefined
        : `axis ${A & Axis} is out of range for rank ${S["length"]}: ${Show<S>}`
      : undefined
    : [A] extends [readonly [infer H, ...infer T]]
      ? AnyAxisFault<S, H> extends infer Fault extends string
        ? Fault
        : AnyAxisFault<S, T>
      : undefined;

/** The message for two axes that must exist. */
export type TwoAxesFault<Who extends string, S extends Shape, A, B> =
  AxisFault<Who, S, A> extends infer Fault extends string ? Fault : AxisFault<Who, S, B>;

/** The message for a list of axes in which one does not exist or appears twice. */
export type AxesFault<Who extends string, S extends Shape, A extends readonly unknown[]> = [number] extends [Rank<S>]
  ? undefined
  : AxesFaultIn<Who, S, A, A, never>;
type AxesFaultIn<
  Who extends string,
  S extends Shape,
  A extends readonly unknown[],
  Rest extends readonly unknown[],
  Seen,
> = Rest extends readonly [infer H, ...infer T]
  ? AxisFault<Who, S, H> extends infer Fault extends string
    ? Fault
    : PlaceOf<S, H> extends Seen
      ? `${Who}: axis ${H & Axis} appears twice in ${ShowAxes<A>}`
      : AxesFaultIn<Who, S, A, T, Seen | (number extends PlaceOf<S, H> ? never : PlaceOf<S, H>)>
  : undefined;
type ShowAxes<A extends readonly unknown[]> = `[${AxisNames<A>}]`;
type AxisNames<A extends readonly unknown[]> = A extends readonly [infer H extends Axis, ...infer T]
  ? T extends readonly []
    ? ShowAxis<H>
    : `${ShowAxis<H>},${AxisNames<T>}`
  : "...";
type ShowAxis<A extends Axis> = A extends number ? (number extends Single<A> ? "n" : `${A}`) : A;

/** The message for axes that are not a permutation of all axes. */
export type PermuteFault<S extends Shape, A extends readonly unknown[], Who extends string = "permute"> = [
  number,
] extends [Rank<S>]
  ? undefined
  : [number] extends [A["length"]]
    ? undefined
    : [A["length"]] extends [S["length"]]
      ? AxesFault<Who, S, A>
      : `${Who}: ${A["length"]} axes for rank ${S["length"]}: ${Show<S>}`;

/** The message for axes that `transpose` cannot exchange. */
export type TransposeFault<S extends Shape, A extends readonly unknown[]> = A extends readonly [infer P, infer Q]
  ? TwoAxesFault<"transpose", S, P, Q>
  : PermuteFault<S, A, "transpose">;

/** The message for axes that do not exist, or that cannot be moved to their destinations. */
export type MoveFault<S extends Shape, From, To> = [number] extends [Rank<S>]
  ? undefined
  : [AsList<From>, AsList<To>] extends [infer A extends readonly unknown[], infer B extends readonly unknown[]]
    ? [number] extends [A["length"] | B["length"]]
      ? undefined
      : [A["length"]] extends [B["length"]]
        ? AxesFault<"movedim", S, A> extends infer Fault extends string
          ? Fault
          : AxesFault<"movedim", S, B>
        : `movedim: ${A["length"]} axes cannot move to ${B["length"]} destinations`
    : undefined;
type AsList<A> = A extends readonly unknown[] ? A : [A];

/** The message for axes that cannot be removed. */
export type SqueezeFault<S extends Shape, A> = AxesFault<"squeeze", S, AsList<A>>;

/** The message for a new axis beyond the end. */
export type UnsqueezeFault<S extends Shape, A> = [number] extends [Rank<S>]
  ? undefined
  : PlaceOf<[1, ...S], A> extends "none"
    ? `unsqueeze: axis ${A & Axis} is out of range for the new rank ${[1, ...S]["length"]}: ${Show<S>}`
    : undefined;

/** The message for axes that do not form a plane. */
export type DiagonalFault<S extends Shape, A, B> = [number] extends [Rank<S>]
  ? undefined
  : StrictAxisFault<"diagonal", S, A> extends infer Fault extends string
    ? Fault
    : StrictAxisFault<"diagonal", S, B> extends infer Fault extends string
      ? Fault
      : [number] extends [PlaceOf<S, A>]
        ? undefined
        : [PlaceOf<S, A>] extends [PlaceOf<S, B>]
          ? `diagonal: axes ${A & Axis} and ${B & Axis} are the same: ${Show<S>}`
          : undefined;

/** The message for a range of axes in reverse order. */
export type FlattenFault<S extends Shape, From, To> =
  TwoAxesFault<"flatten", S, From, To> extends infer Fault extends string
    ? Fault
    : PlaceOf<S, From> extends infer P extends number
      ? PlaceOf<S, To> extends infer Q extends number
        ? AtMost<P, Q> extends false
          ? `flatten: axis ${From & Axis} comes after axis ${To & Axis}: ${Show<S>}`
          : undefined
        : undefined
      : undefined;

// ---- Sizes ------------------------------------------------------------------------------------------------------

/** The message for an index outside its axis. */
export type SelectFault<S extends Shape, A, I extends number, Who extends string = "select"> =
  StrictAxisFault<Who, S, A> extends infer Fault extends string
    ? Fault
    : IsOutside<Single<SizeAt<S, A>>, Single<I>> extends true
      ? `${Who}: index ${I} is out of range for axis ${A & Axis} of size ${SizeAt<S, A>}: ${Show<S>}`
      : undefined;
/** True if -size <= index < size is known to be false. */
export type IsOutside<N extends number, I extends number> = [number] extends [N | I]
  ? false
  : `${I}` extends `-${infer K extends number}`
    ? AtMost<K, N> extends false
      ? true
      : false
    : AtMost<N, I> extends true
      ? true
      : false;

/** The message for a length that does not fit after `start`. */
export type NarrowFault<S extends Shape, A, Start extends number, N extends number> =
  StrictAxisFault<"narrow", S, A> extends infer Fault extends string
    ? Fault
    : [number] extends [Single<N>]
      ? undefined
      : `${N}` extends `-${string}`
        ? `narrow: the length ${N} is negative`
        : Fits<Single<SizeAt<S, A>>, Single<Start>, N> extends false
          ? `narrow: ${N} indices from ${Start} on do not fit in axis ${A & Axis} of size ${SizeAt<S, A>}: ${Show<S>}`
          : undefined;
/** False if n indices from `start` (from the end if it is negative) are known to exceed the axis. */
type Fits<Size extends number, Start extends number, N extends number> = [number] extends [Start]
  ? AtMost<N, Size>
  : `${Start}` extends `-${infer K extends number}`
    ? AtMost<K, Size> extends false
      ? false
      : AtMost<N, K>
    : AtMost<Plus<N, Start>, Size>;

/** The message for sizes that do not add up to the axis. */
export type SplitFault<S extends Shape, N extends number | Shape, A> =
  StrictAxisFault<"split", S, A> extends infer Fault extends string
    ? Fault
    : N extends Shape
      ? Total<N, 0> extends infer Sum extends number
        ? Differ<Sum, Single<SizeAt<S, A>>> extends true
          ? `split: the sizes ${Show<N>} add up to ${Sum}, and axis ${A & Axis} has size ${SizeAt<S, A>}: ${Show<S>}`
          : undefined
        : undefined
      : undefined;
type Total<S extends Shape, Sofar extends number> = S extends readonly [
  infer H extends number,
  ...infer T extends Shape,
]
  ? Total<T, Plus<Sofar, Single<H>>>
  : S extends readonly []
    ? Sofar
    : number;
type Differ<A extends number, B extends number> = [number] extends [A | B] ? false : [A] extends [B] ? false : true;

/** The message for windows longer than their axis; a scalar counts as an axis of size 1. */
export type UnfoldFault<S extends Shape, A, N extends number> =
  AxisFault<"unfold", S, A> extends infer Fault extends string
    ? Fault
    : TooLong<Single<SizeAt<S extends readonly [] ? [1] : S, A>>, Single<N>> extends true
      ? `unfold: windows of ${N} do not fit in axis ${A & Axis}: ${Show<S>}`
      : undefined;
type TooLong<Size extends number, N extends number> = AtMost<N, Size> extends false ? true : false;

// ---- Whole shapes -----------------------------------------------------------------------------------------------

/** The message for a shape with another number of elements. */
export type ReshapeFault<S extends Shape, To extends Shape, Who extends string = "reshape"> = [number] extends [
  Rank<S> | To["length"],
]
  ? undefined
  : Missing<To, []> extends infer Count
    ? Count extends []
      ? HasOtherCount<S, To> extends true
        ? `${Who}: ${Show<S>} has ${NumelOf<S>} elements and ${Show<To>} has ${NumelOf<To>}`
        : undefined
      : Count extends [1]
        ? Differ<MissingSize<S, To>[1], 0> extends true
          ? `${Who}: the ${NumelOf<S>} elements of ${Show<S>} do not fill ${Show<To>}`
          : undefined
        : Count extends string
          ? `${Who}: ${Count} in ${Show<To>}`
          : `${Who}: only one size can be -1: ${Show<To>}`
    : undefined;
type HasOtherCount<S extends Shape, To extends Shape> =
  WithoutSame<S, To> extends [infer A extends Shape, infer B extends Shape] ? Differ<NumelOf<A>, NumelOf<B>> : false;
/** A tuple with an entry for each -1; a string if one of the other sizes is negative. */
type Missing<To extends Shape, Out extends 1[]> = To extends readonly [infer H extends number, ...infer T extends Shape]
  ? [number] extends [Single<H>]
    ? Missing<T, Out>
    : [H] extends [-1]
      ? Missing<T, [...Out, 1]>
      : `${H}` extends `-${string}`
        ? `size ${H} is negative`
        : Missing<T, Out>
  : Out;

/** The message for sizes whose product is not that of the axis. */
export type UnflattenFault<S extends Shape, A, To extends Shape> =
  AxisFault<"unflatten", S, A> extends infer Fault extends string
    ? Fault
    : ReshapeFault<[SizeAt<S, A>], To, "unflatten">;

/** The message for a shape to which another cannot be expanded. */
export type ExpandFault<S extends Shape, To extends Shape, Who extends string = "expand"> = [number] extends [
  Rank<S> | To["length"],
]
  ? undefined
  : ExpandFaultIn<S, To, Who, S, To>;
type ExpandFaultIn<
  S extends Shape,
  To extends Shape,
  Who extends string,
  All extends Shape,
  Target extends Shape,
> = S extends readonly [...infer S2 extends Shape, infer M extends number]
  ? To extends readonly [...infer To2 extends Shape, infer N extends number]
    ? [N] extends [-1]
      ? ExpandFaultIn<S2, To2, Who, All, Target>
      : [M] extends [1]
        ? ExpandFaultIn<S2, To2, Who, All, Target>
        : Differ<Single<M>, Single<N>> extends true
          ? `${Who}: size ${M} cannot expand to ${N}: ${Show<All>} to ${Show<Target>}`
          : ExpandFaultIn<S2, To2, Who, All, Target>
    : `${Who}: ${Show<Target>} has fewer axes than ${Show<All>}`
  : To extends readonly [...Shape, -1]
    ? `${Who}: -1 in ${Show<Target>} matches no axis of ${Show<All>}`
    : To extends readonly [...infer To2 extends Shape, number]
      ? ExpandFaultIn<S, To2, Who, All, Target>
      : undefined;

/** The message for two shapes that cannot be broadcast. */
export type BroadcastFault<A extends Shape, B extends Shape, Who extends string = "broadcast"> = [number] extends [
  Rank<A> | Rank<B>,
]
  ? undefined
  : BroadcastFaultIn<A, B, Who, A, B>;
type BroadcastFaultIn<
  A extends Shape,
  B extends Shape,
  Who extends string,
  AllA extends Shape,
  AllB extends Shape,
> = A extends readonly [...infer A2 extends Shape, infer M extends number]
  ? B extends readonly [...infer B2 extends Shape, infer N extends number]
    ? [1] extends [M | N]
      ? BroadcastFaultIn<A2, B2, Who, AllA, AllB>
      : Differ<Single<M>, Single<N>> extends true
        ? `${Who}: sizes ${M} and ${N} differ and neither is 1: ${Show<AllA>} and ${Show<AllB>}`
        : BroadcastFaultIn<A2, B2, Who, AllA, AllB>
    : undefined
  : undefined;

/** The message for a shape that the tensor is known not to have; -1 matches any size. */
export type ExpectFault<S extends Shape, To extends Shape> = [number] extends [Rank<S> | To["length"]]
  ? undefined
  : [S["length"]] extends [To["length"]]
    ? true extends { [I in keyof S]: IsOther<S[I], To[I & keyof To]> }[number]
      ? `expect: the shape is ${Show<S>}, not ${Show<To>}`
      : undefined
    : `expect: the shape is ${Show<S>}, not ${Show<To>}`;
type IsOther<M extends number, N> = [N] extends [-1]
  ? false
  : [N] extends [number]
    ? Differ<Single<M>, Single<N>>
    : false;

/** The message if the numbers of sizes and strides differ. */
export type StridesFault<Sizes extends Shape, Strides extends Shape> = [number] extends [
  Sizes["length"] | Strides["length"],
]
  ? undefined
  : [Sizes["length"]] extends [Strides["length"]]
    ? undefined
    : `asStrided: sizes and strides must have the same length, got ${Sizes["length"]} and ${Strides["length"]}`;

/** The message for a wrong number of indices, or undefined. */
export type ElementFault<Who extends string, S extends Shape, I extends readonly unknown[]> = [number] extends [Rank<S>]
  ? undefined
  : [number] extends [I["length"]]
    ? undefined
    : I["length"] extends Rank<S>
      ? undefined
      : I extends readonly [infer Only]
        ? Only extends readonly unknown[]
          ? undefined
          : Rank<S> extends 0 | 1
            ? undefined
            : `${Who}: 1 index for rank ${Rank<S>}: ${Show<S>}; ${Who}ColMajor takes one`
        : `${Who}: ${I["length"] & number} indices for rank ${Rank<S>}: ${Show<S>}`;

/** The same for arguments that end with the value to store. */
export type StoreFault<S extends Shape, A extends readonly unknown[]> = A extends readonly [...infer I, unknown]
  ? ElementFault<"set", S, I>
  : undefined;
