/**
 * The types of convolutions, pooling and einsum, as the compiler computes them. No run-time code.
 *
 * Convolutions and pooling keep the dtype and the rank; sizes along the axes of a window are known where they need no division.
 */
import type { Checked } from "../../layout/types/faults.ts";
import type { Single } from "../../layout/types/literal-times.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { AtMost, Minus, Plus } from "../../tensor/types/literal-sums.ts";
import type { AsShape, Rank, Shape, Show } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { PromoteAll } from "../movement/join-types.ts";
import type { FloatOf } from "../op-types.ts";

// ---- Windows ----------------------------------------------------------------------------------------------------

/** Sizes that the compiler does not know, for the axes of a window. */
export interface Windowed {
  1: [number];
  2: [number, number];
  3: [number, number, number];
}
export type WindowRank = keyof Windowed;

/** The axes of a shape before those of a window. */
type Leading<S extends Shape, N extends WindowRank> = S extends readonly [...infer Front extends Shape, ...Windowed[N]]
  ? Front
  : Shape;

/** The shape of a tensor after pooling over its last axes. */
export type PooledShape<S extends Shape, N extends WindowRank> =
  number extends Rank<S> ? Shape : [...Leading<S, N>, ...Windowed[N]];

/** A tensor after pooling over its last axes. */
export type Pooled<X extends Tensor, N extends WindowRank> = Tensor<PooledShape<X["shape"], N>, X["dtype"]>;

/** The last N sizes. */
type SizesOfWindow<S extends Shape, N extends WindowRank> = S extends readonly [
  ...infer Front extends Shape,
  infer W extends number,
]
  ? N extends 1
    ? [W]
    : N extends 2
      ? [...SizesOfWindow<Front, 1>, W]
      : [...SizesOfWindow<Front, 2>, W]
  : Windowed[N];

/** The number of windows along each axis: with default options, or with the padding "same". */
type Counts<Sizes extends Shape, Kernel extends Shape, O> = O extends { readonly padding: "same" }
  ? Sizes
  : undefined extends O
    ? {
        -readonly [I in keyof Sizes]: I extends keyof Kernel
          ? Kernel[I] extends infer K extends number
            ? AtMost<Single<K>, Single<Sizes[I]>> extends true
              ? Plus<Minus<Single<Sizes[I]>, Single<K>>, 1>
              : number
            : number
          : number;
      }
    : { -readonly [I in keyof Sizes]: number };

/** The shape of a convolution: the channels of the weight, and the number of windows. */
export type ConvShape<S extends Shape, W extends Shape, N extends WindowRank, O> = [number] extends [Rank<S> | Rank<W>]
  ? Shape
  : W extends readonly [infer Out extends number, ...Shape]
    ? Leading<S, N> extends readonly [...infer Batch extends Shape, number]
      ? AsShape<[...Batch, Out, ...AsShape<Counts<SizesOfWindow<S, N>, SizesOfWindow<W, N>, O>>]>
      : Shape
    : Shape;

/** The message for an input whose channels do not fit a weight. Groups are checked at run time. */
export type ConvFault<S extends Shape, W extends Shape, N extends WindowRank, O> = [number] extends [Rank<S> | Rank<W>]
  ? undefined
  : O extends { readonly groups: unknown }
    ? undefined
    : [Leading<S, N>, Leading<W, N>] extends [
          readonly [...Shape, infer C extends number],
          readonly [number, infer D extends number],
        ]
      ? [number] extends [Single<C> | Single<D>]
        ? undefined
        : C extends D
          ? undefined
          : `conv${N}d: the input has ${C} channels and the weight is for ${D}: ${Show<S>} and ${Show<W>}`
      : undefined;

/** The type of convolutions over N axes. */
export interface Conv<Options, N extends WindowRank = WindowRank> extends OpFunction {
  <X extends Tensor, W extends Tensor, const O extends Options | undefined = undefined>(
    x: X,
    weight: Checked<W, ConvFault<X["shape"], W["shape"], N, O>>,
    bias?: Tensor | null,
    options?: O,
  ): Tensor<ConvShape<X["shape"], W["shape"], N, O>, X["dtype"]>;
}

/** The type of transposed convolutions over N axes. */
export interface ConvTranspose<Options, N extends WindowRank = WindowRank> extends OpFunction {
  <X extends Tensor>(
    x: X,
    weight: Tensor,
    bias?: Tensor | null,
    options?: Options,
  ): Tensor<TransposedShape<X["shape"], N>, X["dtype"]>;
}
/** The shape of a transposed convolution: the number of channels depends on the weight and the groups. */
type TransposedShape<S extends Shape, N extends WindowRank> =
  number extends Rank<S>
    ? Shape
    : Leading<S, N> extends readonly [...infer Batch extends Shape, number]
      ? [...Batch, number, ...Windowed[N]]
      : Shape;

/** The type of ops over windows of N axes that keep the dtype. */
export interface OverWindows<P extends readonly unknown[], N extends WindowRank = WindowRank> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Pooled<X, N>;
}
/** The type of ops over windows; integers become floats. */
export interface FloatOverWindows<P extends readonly unknown[], N extends WindowRank = WindowRank> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Tensor<PooledShape<X["shape"], N>, FloatOf<X["dtype"]>>;
}

// ---- Einsum -----------------------------------------------------------------------------------------------------

type Tensors = readonly Tensor[];
type WithoutSpaces<E extends string> = E extends `${infer A} ${infer B}` ? WithoutSpaces<`${A}${B}`> : E;
type Terms<Left extends string> = Left extends `${infer Term},${infer Rest}` ? [Term, ...Terms<Rest>] : [Left];
/** Sizes by letter. */
type Letters = Readonly<Record<string, number>>;
/** An equation with an ellipsis is evaluated at run time only. Without a right side, it is any string: the letters that occur once, in order. */
type Parsed<E extends string> = string extends E
  ? undefined
  : WithoutSpaces<E> extends infer Text extends string
    ? Text extends `${string}.${string}`
      ? undefined
      : Text extends `${infer Left}->${infer Right}`
        ? { readonly terms: Terms<Left>; readonly right: Right }
        : { readonly terms: Terms<Text>; readonly right: string }
    : undefined;

/** The sizes of the letters of all terms, or the message for sizes that do not match. */
type LetterSizes<Terms extends readonly unknown[], T extends Tensors, Known extends Letters> = Terms extends readonly [
  infer Term extends string,
  ...infer Rest,
]
  ? T extends readonly [infer X extends Tensor, ...infer More extends Tensors]
    ? number extends Rank<X["shape"]>
      ? undefined
      : TermSizes<Term, X["shape"], Known, Term, X["shape"]> extends infer Next
        ? Next extends Letters
          ? LetterSizes<Rest, More, Next>
          : Next
        : never
    : undefined
  : Known;
type TermSizes<
  Term extends string,
  S extends Shape,
  Known extends Letters,
  Whole extends string,
  All extends Shape,
> = Term extends `${infer Letter}${infer Rest}`
  ? S extends readonly [infer Size extends number, ...infer More extends Shape]
    ? Letter extends keyof Known
      ? SameSize<Known[Letter], Size> extends infer Both extends number
        ? TermSizes<Rest, More, With<Known, Letter, Both>, Whole, All>
        : `einsum: ${Letter} has the sizes ${Known[Letter]} and ${Size}`
      : TermSizes<Rest, More, With<Known, Letter, Size>, Whole, All>
    : `einsum: ${Whole} has more letters than ${Show<All>} has axes`
  : S extends readonly []
    ? Known
    : `einsum: ${Whole} has fewer letters than ${Show<All>} has axes`;
type With<Known extends Letters, Letter extends string, Size extends number> = {
  readonly [L in (keyof Known & string) | Letter]: L extends Letter ? Size : Known[L];
};
/** The common size of two axes; a size of 1 is broadcast. "none" if they are known to differ. */
type SameSize<M extends number, N extends number> =
  number extends Single<M>
    ? N
    : number extends Single<N>
      ? M
      : M extends 1
        ? N
        : N extends 1
          ? M
          : M extends N
            ? M
            : "none";

type RightSizes<Right extends string, Known extends Letters> = Right extends `${infer Letter}${infer Rest}`
  ? [Letter extends keyof Known ? Known[Letter] : number, ...RightSizes<Rest, Known>]
  : [];

/** The shape of einsum. */
export type EinsumShape<E extends string, T extends Tensors> = [number] extends [T["length"]]
  ? Shape
  : Parsed<E> extends {
        readonly terms: infer All extends readonly unknown[];
        readonly right: infer Right extends string;
      }
    ? LetterSizes<All, T, Record<never, number>> extends infer Known extends Letters
      ? string extends Right
        ? Shape
        : AsShape<RightSizes<Right, Known>>
      : Shape
    : Shape;

/** The message for an equation that does not fit its operands. */
type EinsumFault<E extends string, T extends Tensors> = [number] extends [T["length"]]
  ? undefined
  : Parsed<E> extends { readonly terms: infer All extends readonly unknown[] }
    ? All["length"] extends T["length"]
      ? LetterSizes<All, T, Record<never, number>> extends infer Fault extends string
        ? Fault
        : undefined
      : `einsum: ${All["length"]} terms for ${T["length"]} operands`
    : undefined;

/** The type of einsum. */
export interface Einsum extends OpFunction {
  /** Evaluates an Einstein summation such as "bij,bjk->bik": letters that are missing on the right are summed over. */
  <const E extends string, const T extends Tensors>(
    equation: Checked<E, EinsumFault<E, T>>,
    operands: T,
  ): Tensor<EinsumShape<E, T>, PromoteAll<T>>;
  /** Evaluates an Einstein summation such as "bij,bjk->bik": letters that are missing on the right are summed over. */
  <const E extends string, const T extends Tensors>(
    equation: Checked<E, EinsumFault<E, T>>,
    ...operands: T
  ): Tensor<EinsumShape<E, T>, PromoteAll<T>>;
}
