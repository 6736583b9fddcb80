/**
 * The shape of `at(...)`, as types: an integer removes an axis, `_` keeps it, a range slices it, null adds one of size 1, "..."
 * keeps all axes without an index. Index tensors, masks and nested coordinates make a shape of unknown rank.
 */
import type { Underscore } from "../../layout/coord.ts";
import type { Static } from "../../layout/int.ts";
import type { Single } from "../../layout/types/literal-times.ts";
import type { Axis } from "../axes.ts";
import type { IsOutside } from "./shape-faults.ts";
import type { ResizedShape, SliceSize } from "./shape-views.ts";
import type { Rank, Shape, Show } from "./types.ts";

/** Indices from `start` to `stop` (exclusive) by steps; null means the end of the axis. */
interface AnyRange<Start = unknown, Stop = unknown, Step = unknown> {
  readonly kind: "range";
  readonly start: Start;
  readonly stop: Stop;
  readonly step: Step;
}

type Indices = readonly unknown[];

/** The shape of `at(...indices)`. */
export type AtShape<S extends Shape, I extends Indices> = number extends Rank<S> ? Shape : Front<S, I, []>;
type Front<S extends Shape, I extends Indices, Out extends Shape> = I extends readonly [infer H, ...infer T]
  ? Kind<H> extends "new"
    ? Front<S, T, [...Out, 1]>
    : Kind<H> extends "rest"
      ? Back<S, T, Out, []>
      : S extends readonly [infer N extends number, ...infer S2 extends Shape]
        ? Kept<N, H> extends infer K extends Shape
          ? Front<S2, T, [...Out, ...K]>
          : Shape
        : Shape
  : I extends readonly []
    ? [...Out, ...S]
    : Shape;
/** After an ellipsis the indices are read from the end. */
type Back<S extends Shape, I extends Indices, Out extends Shape, End extends Shape> = I extends readonly [
  ...infer T,
  infer H,
]
  ? Kind<H> extends "new"
    ? Back<S, T, Out, [1, ...End]>
    : S extends readonly [...infer S2 extends Shape, infer N extends number]
      ? Kept<N, H> extends infer K extends Shape
        ? Back<S2, T, Out, [...K, ...End]>
        : Shape
      : Shape
  : I extends readonly []
    ? [...Out, ...S, ...End]
    : Shape;

type Kind<H> = [unknown] extends [H]
  ? "other"
  : [H] extends [null]
    ? "new"
    : [H] extends ["..."]
      ? "rest"
      : [H] extends [Underscore]
        ? "all"
        : [H] extends [number | Static]
          ? "integer"
          : [H] extends [AnyRange]
            ? "range"
            : "other";
/** The value of an integer index. */
type ValueOf<H> = H extends Static<infer N> ? N : H & number;
/** The axes that an index leaves of an axis: none or one; "other" if that is unknown. */
type Kept<N extends number, H> =
  Kind<H> extends infer K
    ? K extends "integer"
      ? []
      : K extends "all"
        ? [N]
        : H extends AnyRange<infer Start, infer Stop, infer Step>
          ? [SliceSize<Single<N>, Start, Stop, Step>]
          : "other"
    : never;

/** The shape of `pick(indices, axis)`: for a list, the axis has its length; for a tensor, it is unknown. */
export type PickShape<S extends Shape, Indices, A extends Axis> = Indices extends Shape
  ? ResizedShape<S, A, Indices["length"]>
  : Shape;

/** The message for too many indices, or one that is out of range; or undefined. */
export type AtFault<S extends Shape, I extends Indices, Who extends string = "at"> = [number] extends [Rank<S>]
  ? undefined
  : FrontFault<S, I, Who, S, I, []>;
type FrontFault<
  S extends Shape,
  I extends Indices,
  Who extends string,
  All extends Shape,
  Passed extends Indices,
  Seen extends Shape,
> = I extends readonly [infer H, ...infer T]
  ? Kind<H> extends infer K
    ? K extends "new"
      ? FrontFault<S, T, Who, All, Passed, Seen>
      : K extends "rest"
        ? BackFault<S, T, Who, All, Passed>
        : K extends "other"
          ? undefined
          : S extends readonly [infer N extends number, ...infer S2 extends Shape]
            ? K extends "integer"
              ? IsOutside<Single<N>, Single<ValueOf<H>>> extends true
                ? OutsideAxis<Who, Single<ValueOf<H>>, Seen["length"], N, All>
                : FrontFault<S2, T, Who, All, Passed, [...Seen, N]>
              : FrontFault<S2, T, Who, All, Passed, [...Seen, N]>
            : TooMany<Who, All, Passed>
    : never
  : undefined;
type BackFault<
  S extends Shape,
  I extends Indices,
  Who extends string,
  All extends Shape,
  Passed extends Indices,
> = I extends readonly [...infer T, infer H]
  ? Kind<H> extends infer K
    ? K extends "new"
      ? BackFault<S, T, Who, All, Passed>
      : K extends "rest"
        ? `${Who}: only one ellipsis is allowed`
        : K extends "other"
          ? undefined
          : S extends readonly [...infer S2 extends Shape, infer N extends number]
            ? K extends "integer"
              ? IsOutside<Single<N>, Single<ValueOf<H>>> extends true
                ? OutsideAxis<Who, Single<ValueOf<H>>, S2["length"], N, All>
                : BackFault<S2, T, Who, All, Passed>
              : BackFault<S2, T, Who, All, Passed>
            : TooMany<Who, All, Passed>
    : never
  : undefined;
type OutsideAxis<
  Who extends string,
  I extends number,
  A extends number,
  N extends number,
  S extends Shape,
> = `${Who}: index ${I} is out of range for axis ${A} of size ${N}: ${Show<S>}`;
type TooMany<
  Who extends string,
  S extends Shape,
  I extends Indices,
> = `${Who}: ${Count<I, []>} indices for rank ${S["length"]}: ${Show<S>}`;
/** The indices that consume an axis. */
type Count<I extends Indices, Out extends Indices> = I extends readonly [infer H, ...infer T]
  ? Count<T, Kind<H> extends "new" | "rest" ? Out : [...Out, H]>
  : Out["length"] & number;
