/**
 * What the compiler says about the coordinates of `get` and `set`: an index for each axis, or one coordinate. Nothing is said where the rank,
 * or the number of indices, is not known. No run-time code.
 */
import type { Rank, Shape, Show } from "./types.ts";

/** undefined, or the sentence for a wrong number of indices. */
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
