/** A scalar function as a function of JavaScript values, and tables of them. Which dtypes have which is `scalar-values.ts`. */
import type { ScalarFunction } from "../../kernel/ir/functions.ts";
import type { Value } from "../../storage/dtype.ts";

/** A function of one to three values; it ignores further arguments. */
export type Meaning = (a: Value, b: Value, c: Value) => Value;

export type Meanings = Readonly<Partial<Record<ScalarFunction, Meaning>>>;

/** Rounds to the precision of a dtype, or wraps to its range. */
export type Narrow = (x: number) => number;

/** Functions written for one kind of value as a table: who uses it gives no others. */
export const meaningTable = (
  functions: Readonly<Partial<Record<ScalarFunction, (...args: never[]) => Value>>>,
): Meanings => functions as Meanings;
