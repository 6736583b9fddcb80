/** Static integers as arguments of ops on tensors: `t.at(_, _1)` means `t.at(_, 1)`. A layout keeps them static; sizes, indices and axes are numbers. */
import { isStaticInt, type Static } from "../../layout/int.ts";

/** Lists of more than 64 items, and lists nested more than twice, are data and not searched. */
function hasStatic(list: readonly unknown[], depth: number): boolean {
  for (let k = 0; k < list.length && k < 64; k++) {
    const item = list[k];
    if (typeof item === "number") continue;
    if (Array.isArray(item) ? depth > 1 && hasStatic(item, depth - 1) : isStaticInt(item)) return true;
  }
  return false;
}

const numbersIn = (arg: unknown, depth: number): unknown => {
  if (isStaticInt(arg)) return arg.value;
  return depth > 0 && Array.isArray(arg) ? arg.map((item) => numbersIn(item, depth - 1)) : arg;
};

/** Replaces static integers by numbers, including those in lists and in lists of lists. */
export function plainArgument<T>(arg: T): Exclude<T, Static> {
  const isStatic = Array.isArray(arg) ? arg.length <= 64 && hasStatic(arg, 2) : isStaticInt(arg);
  return (isStatic ? numbersIn(arg, 2) : arg) as Exclude<T, Static>;
}
