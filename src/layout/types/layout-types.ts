/**
 * Layouts as types, with compile-time arithmetic: sizes, compact strides, modes by path, slices.
 *
 * A literal is known, `number` is not. Anything unknown (an array of unknown rank, a union of literals, a symbol) makes
 * the result wider, never wrong: `number`, `Int`, `IntTuple`. Products are exact up to 2^31 and `number` beyond.
 * faults.ts has the error messages of wrong calls. test/types/layout-cost.test.ts bounds the cost of these types.
 */
import type { Expr } from "../../expr/expr.ts";
import type { StrideLeaf, StrideTuple } from "../basis.ts";
import type { Underscore } from "../coord.ts";
import type { Int, Static } from "../int.ts";
import type { Swizzle } from "../swizzle.ts";
import type { IntTuple } from "../tuple.ts";
import type { Single, Times, Value } from "./literal-times.ts";

/** A shape and a stride of the same nesting. */
export interface Layout<S extends IntTuple = IntTuple, D extends StrideTuple = StrideTuple> {
  readonly shape: S;
  readonly stride: D;
}

/** The function outer(offset + inner(coordinate)), such as a swizzled layout. */
export interface ComposedLayout {
  readonly outer: Swizzle | Layout;
  readonly offset: Int;
  readonly inner: Layout;
}

type Tuple = readonly unknown[];

export type AnyLayout = Layout | ComposedLayout;
/** A layout or a shape. */
export type Shaped = IntTuple | AnyLayout;

/** Compiles if and only if the claim is known to be true: `type Known = Assert<IsStatic<typeof layout>>`. */
export type Assert<Claim extends true> = Claim;
// ---- Shape, rank, size, static ----------------------------------------------------------------------------------

/** The shape of a layout or shape, or of its mode at a path: `ShapeOf<typeof layout, [1, 0]>`. */
export type ShapeOf<T, Path extends readonly number[] = []> = ModeAt<WholeShape<T>, Path>;
/** The stride of a layout, or of its mode at a path. */
export type StrideOf<T, Path extends readonly number[] = []> = T extends { readonly stride: infer D }
  ? ModeAt<D, Path>
  : StrideTuple;
export type WholeShape<T> = T extends { readonly shape: infer S }
  ? S
  : T extends { readonly inner: { readonly shape: infer S } }
    ? S
    : T;

/** The number of modes: 1 for an integer, `number` for an array of unknown length. */
export type RankOf<T> = RankOfTuple<WholeShape<T>>;
type RankOfTuple<S> = S extends Tuple ? S["length"] : 1;

/** The product of all sizes. */
export type SizeOf<T> = Product<readonly [WholeShape<T>], 1>;
type Product<S extends Tuple, Sofar extends number> = S extends readonly [infer H, ...infer T]
  ? [H] extends [Tuple]
    ? Product<readonly [...H, ...T], Sofar>
    : number extends Times<Sofar, Value<H>>
      ? number
      : Product<T, Times<Sofar, Value<H>>>
  : S extends readonly []
    ? Sofar
    : number;

/** The nesting depth of the modes, up to 4. */
export type DepthOf<T> = DepthOfTuple<WholeShape<T>>;
type DepthOfTuple<S> = S extends Tuple
  ? S[number] extends Int
    ? 1
    : number extends S["length"]
      ? number
      : OneMore<{ [I in keyof S]: Single<DepthOfTuple<S[I]>> }[number]>
  : 0;
type OneMore<D extends number> = number extends D
  ? number
  : 4 extends D
    ? number
    : 3 extends D
      ? 4
      : 2 extends D
        ? 3
        : 1 extends D
          ? 2
          : 1;

/** True if every integer is static, false if one is not, `boolean` if unknown. */
export type IsStatic<T> = T extends Static
  ? true
  : T extends Int
    ? false
    : T extends Tuple
      ? number extends T["length"]
        ? boolean
        : AllStatic<{ [I in keyof T]: Verdict<IsStatic<T[I]>> }[number]>
      : T extends { readonly shape: infer S; readonly stride: infer D }
        ? AllStatic<Verdict<IsStatic<S>> | Verdict<IsStatic<D>>>
        : boolean;
type Verdict<B> = [B] extends [true] ? "static" : [B] extends [false] ? "dynamic" : "unknown";
type AllStatic<V> = "dynamic" extends V ? false : "unknown" extends V ? boolean : true;

// ---- Compact strides --------------------------------------------------------------------------------------------

/** The strides of `makeLayout(shape, stride)`: explicit strides stay, "left" and "right" are computed. */
export type StrideFor<S, D> = D extends "left"
  ? ColMajorStride<S>
  : D extends "right"
    ? RowMajorStride<S>
    : D extends StrideTuple
      ? D
      : never;
/** Strides with the leftmost mode fastest. */
export type ColMajorStride<S> = Strides<Compact<S, Static<1>, false>>;
/** Strides with the rightmost mode fastest. */
export type RowMajorStride<S> = Strides<Compact<S, Static<1>, true>>;
type Strides<C> = C extends readonly [infer D extends StrideTuple, unknown] ? D : StrideTuple;

/** [strides of S from a first stride, the stride after it]; a static size 1 has stride 0, as in shape.ts. */
type Compact<S, Run, FromRight> = [S] extends [number]
  ? readonly [Run, TimesInt<Run, S>]
  : [S] extends [Static<infer N>]
    ? [1] extends [N]
      ? readonly [N extends 1 ? ([N] extends [1] ? Static<0> : Int) : Int, [N] extends [1] ? Run : Int]
      : readonly [Run, TimesInt<Run, S>]
    : [S] extends [Expr]
      ? readonly [Run, Int]
      : [S] extends [Tuple]
        ? number extends S["length"]
          ? readonly [S[number] extends Int ? readonly Int[] : readonly IntTuple[], Int]
          : FromRight extends true
            ? CompactRight<S, Run, readonly []>
            : CompactLeft<S, Run, readonly []>
        : readonly [IntTuple, Int];
type CompactLeft<S extends Tuple, Run, Out extends Tuple> = S extends readonly [infer H, ...infer T]
  ? Compact<H, Run, false> extends readonly [infer D, infer Next]
    ? CompactLeft<T, Next, readonly [...Out, D]>
    : never
  : readonly [Out, Run];
type CompactRight<S extends Tuple, Run, Out extends Tuple> = S extends readonly [...infer T, infer H]
  ? Compact<H, Run, true> extends readonly [infer D, infer Next]
    ? CompactRight<T, Next, readonly [D, ...Out]>
    : never
  : readonly [Out, Run];
/** a * b of two Ints: static if both are, dynamic if one is; an Int for static zeros and unknown operands. */
type TimesInt<A, B> = [A] extends [Static<infer X>]
  ? [B] extends [Static<infer Y>]
    ? Static<Times<Single<X>, Single<Y>>>
    : [B] extends [number]
      ? [X] extends [0]
        ? A
        : number extends X
          ? Int
          : Times<Single<X>, Single<B>>
      : Int
  : [A] extends [number]
    ? [B] extends [number]
      ? Times<Single<A>, Single<B>>
      : [B] extends [Static<infer Y>]
        ? TimesInt<Static<Y>, A>
        : Int
    : Int;

// ---- Modes ------------------------------------------------------------------------------------------------------

/** The modes of a shape or stride if ranks or indices are unknown. */
type SomeModes<S> = [S] extends [IntTuple] ? readonly IntTuple[] : readonly StrideTuple[];
type SomeTuple<S> = [S] extends [IntTuple] ? IntTuple : StrideTuple;
type Wrap<S> = S extends Tuple ? S : readonly [S];
type HasKnownRank<S> = S extends Tuple ? (number extends S["length"] ? false : true) : true;
type LayoutOf<S, D> = [S, D] extends [infer A extends IntTuple, infer B extends StrideTuple] ? Layout<A, B> : Layout;
/** The type of a layout or shape after a rearrangement that the types do not track. */
export type Untracked<T> = T extends Layout ? Layout : T extends ComposedLayout ? AnyLayout : IntTuple;

/** The mode of a tuple at a path. */
export type ModeAt<S, Path extends readonly number[]> = Path extends readonly [
  infer I extends number,
  ...infer Rest extends readonly number[],
]
  ? ModeAt<Mode<S, I>, Rest>
  : Path extends readonly []
    ? S
    : SomeTuple<S>;
export type Mode<S, I extends number> = S extends Tuple ? (`${I}` extends keyof S ? S[I] : S[number]) : S;

/** The mode of a layout at a path. */
export type ModeOf<L, Path extends readonly number[]> =
  L extends Layout<infer S, infer D> ? LayoutOf<ModeAt<S, Path>, ModeAt<D, Path>> : AnyLayout;

/** All leaves as top-level modes. */
export type Flattened<T> =
  T extends Layout<infer S, infer D>
    ? LayoutOf<FlatTuple<S>, FlatTuple<D>>
    : T extends ComposedLayout
      ? AnyLayout
      : FlatTuple<T>;
type FlatTuple<S> = S extends Tuple ? FlatModes<S, readonly []> : S;
type FlatModes<S extends Tuple, Out extends Tuple> = S extends readonly [infer H, ...infer T]
  ? [H] extends [Tuple]
    ? FlatModes<readonly [...H, ...T], Out>
    : [H] extends [StrideLeaf]
      ? FlatModes<T, readonly [...Out, H]>
      : readonly StrideLeaf[] & SomeModes<S>
  : S extends readonly []
    ? Out
    : readonly StrideLeaf[] & SomeModes<S>;

/** [the first N modes, the others]; "none" if there are fewer. */
type SplitAt<S extends Tuple, N, Out extends Tuple = readonly []> = Out["length"] extends N
  ? readonly [Out, S]
  : S extends readonly [infer H, ...infer T]
    ? SplitAt<T, N, readonly [...Out, H]>
    : "none";
/** [modes before B, modes B to E, modes from E on]; "none" if there are no such modes, undefined if unknown. */
export type Cut<S, B extends number, E extends number> =
  HasKnownRank<S> extends true
    ? number extends Single<B> | Single<E>
      ? undefined
      : SplitAt<Wrap<S>, E> extends readonly [infer Front extends Tuple, infer After extends Tuple]
        ? SplitAt<Front, B> extends readonly [
            infer Before extends Tuple,
            infer Between extends readonly [unknown, ...Tuple],
          ]
          ? readonly [Before, readonly [...Between], After]
          : "none"
        : "none"
    : undefined;

/** Modes B to E (exclusive). */
export type Taken<T, B extends number, E extends number> =
  T extends Layout<infer S, infer D>
    ? LayoutOf<TakenModes<S, B, E>, TakenModes<D, B, E>>
    : T extends ComposedLayout
      ? AnyLayout
      : TakenModes<T, B, E>;
type TakenModes<S, B extends number, E extends number> =
  Cut<S, B, E> extends readonly [unknown, infer Between, unknown] ? Between : SomeModes<S>;

/** Modes B to E (exclusive) as one mode. */
export type Grouped<T, B extends number, E extends number> =
  T extends Layout<infer S, infer D>
    ? LayoutOf<GroupedModes<S, B, E>, GroupedModes<D, B, E>>
    : T extends ComposedLayout
      ? AnyLayout
      : GroupedModes<T, B, E>;
type GroupedModes<S, B extends number, E extends number> =
  Cut<S, B, E> extends readonly [infer Before extends Tuple, infer Between, infer After extends Tuple]
    ? readonly [...Before, Between, ...After]
    : SomeModes<S>;

/** The modes with these numbers, in this order. */
export type Selected<T, Modes extends readonly number[]> =
  T extends Layout<infer S, infer D>
    ? LayoutOf<SelectedModes<S, Modes>, SelectedModes<D, Modes>>
    : T extends ComposedLayout
      ? AnyLayout
      : SelectedModes<T, Modes>;
type SelectedModes<S, Modes extends readonly number[]> = { readonly [I in keyof Modes]: Mode<S, Modes[I]> };
/** The type of a new mode: a layout for a layout, a shape for a shape. */
export type NewMode<T> = T extends Layout ? Layout : IntTuple;
/** T with the mode X appended. */
export type Appended<T, X> =
  T extends Layout<infer S, infer D>
    ? X extends Layout<infer S2, infer D2>
      ? LayoutOf<readonly [...Wrap<S>, S2], readonly [...Wrap<D>, D2]>
      : Layout
    : readonly [...Wrap<T>, X];
/** T with the mode X prepended. */
export type Prepended<T, X> =
  T extends Layout<infer S, infer D>
    ? X extends Layout<infer S2, infer D2>
      ? LayoutOf<readonly [S2, ...Wrap<S>], readonly [D2, ...Wrap<D>]>
      : Layout
    : readonly [X, ...Wrap<T>];

/** The layout whose modes are the layouts Ls. */
export type Concatenated<Ls extends readonly Layout[]> = LayoutOf<
  { readonly [I in keyof Ls]: Ls[I]["shape"] },
  { readonly [I in keyof Ls]: Ls[I]["stride"] }
>;
/** A layout with two modes. */
export type TwoModes = Layout<readonly [IntTuple, IntTuple], readonly [StrideTuple, StrideTuple]>;

// ---- Slices -----------------------------------------------------------------------------------------------------

/** The modes under `_`. */
export type Sliced<C, L> =
  L extends Layout<infer S, infer D>
    ? [C] extends [Underscore]
      ? L
      : LayoutOf<SlicedModes<C, S>, SlicedModes<C, D>>
    : AnyLayout;
type SlicedModes<C, S> = C extends Tuple ? (S extends Tuple ? Slice<C, S, readonly []> : SomeModes<S>) : SomeModes<S>;
type Slice<C extends Tuple, S extends Tuple, Out extends Tuple> = C extends readonly [infer H, ...infer T]
  ? S extends readonly [infer M, ...infer Rest]
    ? [H] extends [Underscore]
      ? Slice<T, Rest, readonly [...Out, M]>
      : [H] extends [Int]
        ? Slice<T, Rest, Out>
        : H extends Tuple
          ? M extends Tuple
            ? Slice<readonly [...H, ...T], readonly [...M, ...Rest], Out>
            : SomeModes<S>
          : SomeModes<S>
    : SomeModes<S>
  : C extends readonly []
    ? Out
    : SomeModes<S>;
