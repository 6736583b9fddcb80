/**
 * Shapes of tensors as types: ranks, sizes, axes, and how shapes combine.
 *
 * A literal is a known size, `number` an unknown one; `number[]` is a shape of unknown rank. Unknown inputs (a union of
 * literals, an axis by name, a rank above 8) make the result wider, never wrong. Products are exact up to 2^31. The
 * shapes of views are in shape-views.ts, indices in shape-indexing.ts, error messages in shape-faults.ts.
 */
import type { Single, Times } from "../../layout/types/literal-times.ts";

/** The sizes of a tensor; literals if they are known. */
export type Shape = readonly number[];
/** The arguments of `f(2, 0, 1)` or `f([2, 0, 1])` as one list. */
export type Listed<Arguments extends readonly unknown[]> = Arguments extends readonly [
  infer List extends readonly unknown[],
]
  ? List
  : Arguments;

/** A shape in generic code, where it is not computed yet. */
export type AsShape<T> = T extends infer S extends Shape ? S : Shape;
/** The same sizes in a new tuple; a union of literals becomes `number`. */
export type Known<S extends Shape> = { -readonly [I in keyof S]: Single<S[I]> };
/** A shape of the same rank with unknown sizes. */
export type Unsized<S extends readonly unknown[]> = { -readonly [I in keyof S]: number };

// ---- Rank and number of elements --------------------------------------------------------------------------------

/** The number of axes; `number` if it is unknown or above 8. */
export type Rank<S extends Shape> = KnownRank<S["length"]>;
type KnownRank<L extends number> = [L] extends [0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8] ? Single<L> : number;

/** The number of elements. */
export type NumelOf<S extends Shape, Sofar extends number = 1> = S extends readonly [
  infer H extends number,
  ...infer T extends Shape,
]
  ? number extends Times<Sofar, Single<H>>
    ? number
    : NumelOf<T, Times<Sofar, Single<H>>>
  : S extends readonly []
    ? Sofar
    : number;

/** True if every size is known; `boolean` if the rank is unknown. */
export type IsKnown<S extends Shape> = number extends S["length"]
  ? boolean
  : number extends { [I in keyof S]: Single<S[I]> }[number]
    ? false
    : true;

// ---- Axes -------------------------------------------------------------------------------------------------------

// FromEnd["-2"][rank] is the index of axis -2.
type FromEnd = {
  "-1": ["none", 0, 1, 2, 3, 4, 5, 6, 7, ...number[]];
  "-2": ["none", "none", 0, 1, 2, 3, 4, 5, 6, ...number[]];
  "-3": ["none", "none", "none", 0, 1, 2, 3, 4, 5, ...number[]];
  "-4": ["none", "none", "none", "none", 0, 1, 2, 3, 4, ...number[]];
  "-5": ["none", "none", "none", "none", "none", 0, 1, 2, 3, ...number[]];
  "-6": ["none", "none", "none", "none", "none", "none", 0, 1, 2, ...number[]];
  "-7": ["none", "none", "none", "none", "none", "none", "none", 0, 1, ...number[]];
  "-8": ["none", "none", "none", "none", "none", "none", "none", "none", 0, ...number[]];
};

/** The index of an axis: a literal, "none" if the axis does not exist, `number` if it is unknown. */
export type PlaceOf<S extends Shape, A> =
  number extends Rank<S>
    ? number
    : [A] extends [number]
      ? number extends Single<A>
        ? number
        : `${A}` extends keyof S
          ? A
          : `${A}` extends keyof FromEnd
            ? FromEnd[`${A}`][S["length"]]
            : "none"
      : number;

/** The size of an axis; `number` if it is unknown. */
export type SizeAt<S extends Shape, A> = SizeAtPlace<S, PlaceOf<S, A>>;
export type SizeAtPlace<S extends Shape, P> = P extends number ? (number extends P ? number : S[P]) : number;

/** The shape without the axis at an index. */
export type Removed<S extends Shape, P, Out extends Shape = []> = S extends readonly [
  infer H extends number,
  ...infer T extends Shape,
]
  ? Out["length"] extends P
    ? [...Out, ...T]
    : Removed<T, P, [...Out, H]>
  : Shape;
/** The shape with another axis inserted at an index. */
export type Inserted<S extends Shape, P, N extends number, Out extends Shape = []> = Out["length"] extends P
  ? [...Out, N, ...S]
  : S extends readonly [infer H extends number, ...infer T extends Shape]
    ? Inserted<T, P, N, [...Out, H]>
    : Shape;
/** The shape with the size at an index replaced. */
export type Replaced<S extends Shape, P, N extends number> = P extends number
  ? number extends P
    ? AsShape<Unsized<S>>
    : AsShape<{ -readonly [I in keyof S]: I extends `${P}` ? N : S[I] }>
  : Shape;

// ---- Two shapes -------------------------------------------------------------------------------------------------

/** The broadcast shape of two shapes, aligned at the last axis; a size of 1 expands. */
export type Broadcast<A extends Shape, B extends Shape> = number extends Rank<A> | Rank<B>
  ? Shape
  : BroadcastFrom<A, B, []>;
type BroadcastFrom<A extends Shape, B extends Shape, Out extends Shape> = A extends readonly [
  ...infer A2 extends Shape,
  infer M extends number,
]
  ? B extends readonly [...infer B2 extends Shape, infer N extends number]
    ? BroadcastFrom<A2, B2, [BroadcastSize<Single<M>, Single<N>>, ...Out]>
    : [...A, ...Out]
  : [...B, ...Out];
/** An unknown size must be 1 or equal to the other one, so the result is the other one unless that is 1. */
type BroadcastSize<M extends number, N extends number> = number extends M
  ? N extends 1
    ? M
    : N
  : number extends N
    ? M extends 1
      ? N
      : M
    : M extends 1
      ? N
      : M;

/** A shape as text, with n for an unknown size. */
export type Show<S extends Shape> = `[${Sizes<S>}]`;
type Sizes<S extends Shape> = S extends readonly [infer H extends number, ...infer T extends Shape]
  ? T extends readonly []
    ? ShowSize<H>
    : `${ShowSize<H>},${Sizes<T>}`
  : S extends readonly []
    ? ""
    : "...";
export type ShowSize<N extends number> = number extends Single<N> ? "n" : `${N}`;
