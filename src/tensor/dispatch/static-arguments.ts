/** Static integers as arguments of ops on tensors: `t.at(_, _1)` means `t.at(_, 1)`. A layout keeps them static; sizes, indices and axes are numbers. */
import { isStaticInt, type Static } from "../../layout/int.ts";

/** Lists of more than 64 are data, not sizes or indices, and so are lists in lists of lists. */
const hasStatic = (arg: unknown, depth: number): boolean =>
  isStaticInt(arg) ||
  (depth > 0 && Array.isArray(arg) && arg.length <= 64 && arg.some((item) => hasStatic(item, depth - 1)));

const numbersIn = (arg: unknown, depth: number): unknown => {
  if (isStaticInt(arg)) return arg.value;
  return depth > 0 && Array.isArray(arg) ? arg.map((item) => numbersIn(item, depth - 1)) : arg;
};

/** The argument with numbers in place of static integers, in lists and lists of lists too. */
export const plainArgument = <T>(arg: T): Exclude<T, Static> =>
  (typeof arg === "object" && hasStatic(arg, 2) ? numbersIn(arg, 2) : arg) as Exclude<T, Static>;
