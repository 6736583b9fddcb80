/**
 * The arguments of an op: that those in front are what their names say; which of them is the options object, the last one, and names
 * in it that the op does not know, refused with a guess at the one that was meant. What options mean is for the op to say.
 */

import { nearest } from "../base/arguments.ts";
import { StridewiseError } from "../base/errors.ts";
import { foreign } from "../base/foreign.ts";
import { checkDType, isComplex } from "../storage/dtype.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { plainArgument } from "../tensor/dispatch/static-arguments.ts";
import { Tensor } from "../tensor/tensor.ts";

const isData = (arg: unknown): boolean => Array.isArray(arg) || ArrayBuffer.isView(arg) || arg instanceof Promise;

/** True for an object that is no tensor, no list, no complex number and no promise of one. */
export const isOptions = (arg: unknown): arg is Record<string, unknown> =>
  typeof arg === "object" &&
  arg !== null &&
  !(arg instanceof Tensor) &&
  !isData(arg) &&
  !isComplex(arg) &&
  !foreign(arg);

const isTensor = (arg: unknown): boolean => arg instanceof Tensor;

type Kind = readonly [what: string, fits: (arg: unknown) => boolean];

const tensorKind: Kind = ["a tensor", isTensor];
/** What other parameters are, by the sign behind their name. */
const kinds: Readonly<Record<string, Kind>> = {
  "?": ["a tensor, or left away", (arg) => isTensor(arg) || arg === undefined || arg === null],
  "]": ["a list of tensors", (arg) => Array.isArray(arg) && arg.every(isTensor)],
  "#": ["a list of integers", (arg) => Array.isArray(arg) && arg.every(Number.isInteger)],
  "*": ["needed", (arg) => arg !== undefined && arg !== null],
  "+": ["an integer, or a list of them", (arg) => (Array.isArray(arg) ? arg : [arg]).every(Number.isInteger)],
};

/** Refuses arguments that are not what the parameters say: `x` is a tensor, others have a sign behind their name. */
export function checkArguments(who: string, parameters: readonly string[], args: readonly unknown[]): void {
  for (let k = 0; k < parameters.length; k++) {
    const parameter = parameters[k] as string;
    const arg = args[k];
    const [what, fits] = kinds[parameter.slice(-1)] ?? tensorKind;
    if (fits(arg)) continue;
    const names = parameters.map((one) => one.replace(/\W+$/, (sign) => (sign === "?" ? sign : "")));
    const hint =
      isData(arg) && what.startsWith("a t")
        ? "Make a tensor of data first: tensor(...)"
        : `Write ${who}(${names.join(", ")})`;
    throw new StridewiseError(
      `${who}: ${(names[k] as string).replace("?", "")} is ${what}, got ${describeValue(arg)}. ${hint}`,
    );
  }
}

/** Throws unless the options `dtype` and `generator` hold such values, and tensors are where they belong. */
export function checkOption(who: string, key: string, value: unknown, isTensor: boolean): void {
  if (value === undefined || value === null) return;
  if (key === "dtype") checkDType(who, typeof value === "string" ? value : describeValue(value));
  const isWrong = key === "generator" ? !("nextDraw" in Object(value)) : isTensor && !(value instanceof Tensor);
  if (isWrong)
    throw new StridewiseError(
      `${who}: ${key} is ${isTensor ? "a tensor" : "made by new Generator(seed)"}, got ${describeValue(value)}`,
    );
}

/**
 * Puts options that were given earlier where they belong, behind `count` arguments, or finds them at the end if that is null. Refuses
 * those with a name that is not known, and anything else in their place; the name of an option that is a tensor has a `?` behind it.
 */
export function placeOptions(who: string, args: unknown[], count: number | null, known: readonly string[]): void {
  let end = args.length - 1;
  for (let k = 1; k <= end; k++) args[k] = plainArgument(args[k]);
  while (args[end] === undefined && end > 0) end--;
  const last = args[end];
  if (isOptions(last))
    for (const key in last) {
      const isTensor = known.includes(`${key}?`);
      if (!isTensor && !known.includes(key)) throw unknownOption(who, key, known);
      checkOption(who, key, last[key], isTensor);
    }
  if (count !== null && end >= count && (end > count || !isOptions(last)))
    throw new StridewiseError(
      `${who}: takes ${count} arguments and then an object with options, ${known.join(", ").replaceAll("?", "")}; got ${describeValue(last)} ${end > count ? "behind it" : "there"}`,
    );
  if (!isOptions(last)) return;
  for (let k = 1; k < end; k++)
    if (isOptions(args[k])) throw new StridewiseError(`${who}: all options are in one object, got two of them`);
  if (count === null || end === 0 || end === count) return;
  args[count] = last;
  args[end] = undefined;
}

/** Throws unless all options are known. */
export function checkOptions(who: string, options: unknown, ...known: readonly string[]): void {
  if (typeof options !== "object" || options === null || options instanceof Tensor)
    throw new StridewiseError(`${who}: options are an object, got ${describeValue(options)}`);
  for (const key in options) if (!known.includes(key)) throw unknownOption(who, key, known);
}

/** The error for an option that there is not. */
export function unknownOption(who: string, key: string, marked: readonly string[]): StridewiseError {
  const known = marked.map((name) => name.replace("?", ""));
  const guess = nearest(key, known);
  return new StridewiseError(
    `${who}: there is no option ${key}, ${known.length === 0 ? "it takes none" : `the options are ${known.join(", ")}`}.${guess === undefined ? (/^(ax|dim)/.test(key) ? " The axis comes before them" : "") : ` Did you mean ${guess}?`}`,
  );
}
