/** Static integers as arguments of ops on tensors: `t.at(_, _1)` means `t.at(_, 1)`. A layout keeps them static; sizes, indices and axes are numbers. */
import { isStaticInt, type Static } from "../../layout/int.ts";

/** Lists of more than 64 are data, not sizes or indices. */
const hasStatic = (arg: unknown): boolean =>
  isStaticInt(arg) || (Array.isArray(arg) && arg.length <= 64 && arg.some(hasStatic));

const numbersIn = (arg: unknown): unknown =>
  Array.isArray(arg) ? arg.map(numbersIn) : isStaticInt(arg) ? arg.value : arg;

/** The argument with numbers in place of static integers, in lists too. */
export const plainArgument = <T>(arg: T): Exclude<T, Static> =>
  (typeof arg === "object" && hasStatic(arg) ? numbersIn(arg) : arg) as Exclude<T, Static>;
