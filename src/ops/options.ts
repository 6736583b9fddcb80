/**
 * The options object of an op, the last of its arguments: what is one, and names in it that the op does not know, refused with a guess
 * at the one that was meant. What options mean is for the op to say.
 */
import { StridewiseError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { isComplex } from "../storage/dtype.ts";
import { Tensor } from "../tensor/tensor.ts";

/** True for an object that is no tensor, no list and no complex number. */
export const isOptions = (arg: unknown): arg is Record<string, unknown> =>
  typeof arg === "object" && arg !== null && !(arg instanceof Tensor) && !Array.isArray(arg) && !isComplex(arg);

/** Refuses options at the end of the arguments with a name that is not known. */
export function checkOptions(who: string, args: readonly unknown[], known: readonly string[]): void {
  let end = args.length - 1;
  while (args[end] === undefined && end > 0) end--;
  const last = args[end];
  if (isOptions(last)) for (const key in last) if (!known.includes(key)) throw unknownOption(who, key, known);
}

/** Puts options that were given earlier where they belong, behind `count` arguments; refuses anything else there. */
export function placeOptions(who: string, args: unknown[], count: number, known: readonly string[]): void {
  let end = args.length - 1;
  while (args[end] === undefined && end > 0) end--;
  if (end > 0 && end < count && isOptions(args[end])) {
    args[count] = args[end];
    args[end] = undefined;
  } else if (end >= count && !isOptions(args[count]))
    throw new StridewiseError(
      `${who}: takes ${count} arguments and then an object with options, ${known.join(", ")}; got ${describe(args[count])} there`,
    );
}

const describe = (value: unknown): string =>
  value instanceof Tensor ? "a tensor" : typeof value === "string" ? `"${value}"` : String(value);

/** The error for an option that there is not. */
export function unknownOption(who: string, key: string, known: readonly string[]): StridewiseError {
  const guess = nearest(key, known);
  return new StridewiseError(
    `${who}: there is no option ${key}, ${known.length === 0 ? "it takes none" : `the options are ${known.join(", ")}`}.${guess === undefined ? "" : ` Did you mean ${guess}?`}`,
  );
}
