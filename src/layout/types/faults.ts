/**
 * Compile-time errors of wrong calls: a sentence that replaces the parameter's type, close to the one that is thrown at
 * run time. Unknown types (arrays of unknown rank, unions, unresolved generics) are never an error.
 */
import type { ScaledBasis, StrideLeaf } from "../basis.ts";
import type { Int, Static } from "../int.ts";
import type { Cut, Mode, RankOf, WholeShape } from "./layout-types.ts";
import type { Single } from "./literal-times.ts";

type Tuple = readonly unknown[];

// The compiler checks calls inside generic functions with `any` for unresolved types. Every fault below therefore
// starts with a test that `any` passes and that means "no fault", such as [unknown] extends [T].

/** The argument's own type, or the error sentence. */
export type Checked<Argument, Fault> = [Fault] extends [string] ? Fault : Argument;
/** The same for rest arguments. */
export type CheckedRest<Arguments extends Tuple, Fault> = [Fault] extends [string]
  ? readonly [Fault, ...Tuple]
  : Arguments;

/** undefined, or the error for a path that does not exist. */
export type PathFault<Who extends string, T, Path extends readonly number[]> = [unknown] extends [WholeShape<T>]
  ? undefined
  : PathFaultAt<Who, WholeShape<T>, Path, "">;
type PathFaultAt<Who extends string, S, Path extends readonly number[], Before extends string> = Path extends readonly [
  infer I extends number,
  ...infer Rest extends readonly number[],
]
  ? ModeFault<Who, S, I, Before> extends infer Fault extends string
    ? Fault
    : PathFaultAt<Who, Mode<S, I>, Rest, `${Before}${I},`>
  : undefined;
type ModeFault<Who extends string, S, I extends number, Before extends string> = [S] extends [Tuple]
  ? number extends S["length"] | Single<I>
    ? undefined
    : `${I}` extends keyof S
      ? undefined
      : `${Who}: there is no mode ${Before}${I} in rank ${S["length"]}`
  : [S] extends [Int]
    ? number extends Single<I>
      ? undefined
      : I extends 0
        ? undefined
        : `${Who}: there is no mode ${Before}${I} in the integer ${Show<S>}`
    : undefined;

/** undefined, or the error for a range of modes that does not exist. */
export type RangeFault<Who extends string, T, B extends number, E extends number> = [unknown] extends [WholeShape<T>]
  ? undefined
  : Cut<WholeShape<T>, B, E> extends "none"
    ? `${Who}: modes ${B} to ${E} (exclusive) are not a range of modes in rank ${RankOf<T>}`
    : undefined;

/** undefined, or the error for the first mode that does not exist. */
export type SelectFault<T, Modes extends readonly number[]> = [unknown] extends [WholeShape<T>]
  ? undefined
  : SelectFaultIn<WholeShape<T>, Modes>;
type SelectFaultIn<S, Modes extends readonly number[]> = Modes extends readonly [
  infer I extends number,
  ...infer Rest extends readonly number[],
]
  ? ModeFault<"select", S, I, ""> extends infer Fault extends string
    ? Fault
    : SelectFaultIn<S, Rest>
  : undefined;

/** undefined, or the error for a coordinate of a different rank than the layout. */
export type SliceFault<C, T> = [unknown] extends [WholeShape<T>] ? undefined : SliceFaultIn<C, WholeShape<T>>;
type SliceFaultIn<C, S> = [C, S] extends [infer Coord extends Tuple, infer Shape extends Tuple]
  ? number extends Coord["length"] | Shape["length"]
    ? undefined
    : [Coord["length"]] extends [Shape["length"]]
      ? undefined
      : `slice: the coordinate has ${Coord["length"]} modes, but the layout has ${Shape["length"]}`
  : undefined;

/** undefined, or the error for a stride that differs from the shape in nesting. Checks the stride first. */
export type NestingFault<S, D> = [D] extends [Tuple]
  ? number extends D["length"]
    ? undefined
    : [S] extends [Profile<D>]
      ? undefined
      : NestingFaultAt<S, D, "", "">
  : [D] extends [StrideLeaf]
    ? [S] extends [Int]
      ? undefined
      : [S] extends [Tuple]
        ? NestingMessage<S, D, "">
        : undefined
    : undefined;
/** The shapes that fit a stride. */
type Profile<D> = D extends Tuple ? { readonly [I in keyof D]: Profile<D[I]> } : Int;
type NestingFaultAt<S, D, Path extends string, Comma extends string> = [S] extends [Tuple]
  ? [D] extends [Tuple]
    ? number extends S["length"] | D["length"]
      ? undefined
      : S["length"] extends D["length"]
        ? NestingFaultIn<S, D, `${Path}${Comma}`>
        : NestingMessage<S, D, Path>
    : [D] extends [StrideLeaf]
      ? NestingMessage<S, D, Path>
      : undefined
  : [S, D] extends [Int, Tuple]
    ? NestingMessage<S, D, Path>
    : undefined;
type NestingFaultIn<
  S extends Tuple,
  D extends Tuple,
  Before extends string,
  Index extends Tuple = [],
> = S extends readonly [infer H, ...infer T]
  ? D extends readonly [infer G, ...infer U]
    ? NestingFaultAt<H, G, `${Before}${Index["length"] & number}`, ","> extends infer Fault extends string
      ? Fault
      : NestingFaultIn<T, U, Before, [...Index, H]>
    : undefined
  : undefined;
type NestingMessage<
  S,
  D,
  Path extends string,
> = `makeLayout: shape and stride differ in nesting${Path extends "" ? "" : ` at mode ${Path}`}, ${Show<S>} and ${Show<D>}`;

/** A tuple as it prints: "(4,(_2,n))", with n for unknown integers. */
type Show<T> = T extends Tuple
  ? `(${ShowModes<T>})`
  : T extends number
    ? ShowNumber<T>
    : T extends Static<infer N>
      ? `_${ShowNumber<N>}`
      : T extends ScaledBasis
        ? "E"
        : "n";
type ShowNumber<N extends number> = number extends Single<N> ? "n" : `${N}`;
type ShowModes<T extends Tuple> = T extends readonly [infer H, ...infer Rest]
  ? Rest extends readonly []
    ? Show<H>
    : `${Show<H>},${ShowModes<Rest>}`
  : T extends readonly []
    ? ""
    : "...";
