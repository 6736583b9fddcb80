/**
 * The signature of an op as one line of text, "conv2d(x: Tensor, weight: Tensor, bias?: Tensor; stride, padding = 0)": its name, its
 * positional parameters, and after the semicolon its options, which are passed by name in one object. `=` shows a default, a colon the kind
 * of an argument that is checked, and `...` allows any further arguments.
 *
 * Ops read their arguments in one of two ways: by position (`placeOptions`, `checkArguments`), or by name (`readArguments`).
 */

import { nearest } from "../base/arguments.ts";
import { StridewiseError } from "../base/errors.ts";
import { foreign } from "../base/foreign.ts";
import { checkDType, isComplex } from "../storage/dtype.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { plainArgument } from "../tensor/dispatch/static-arguments.ts";
import { Tensor } from "../tensor/tensor.ts";

const isTensor = (arg: unknown): boolean => arg instanceof Tensor;

/** The description of a kind in errors, and a test for arguments of the kind. */
type Kind = readonly [what: string, fits: (arg: unknown) => boolean];

const kinds: Readonly<Record<string, Kind>> = {
  Tensor: ["a tensor", isTensor],
  "Tensor?": ["a tensor, or omitted", (arg) => isTensor(arg) || arg === undefined || arg === null],
  "Tensor[]": ["a list of tensors", (arg) => Array.isArray(arg) && arg.every(isTensor)],
  "int[]": ["a list of integers", (arg) => Array.isArray(arg) && arg.every(Number.isInteger)],
  ints: ["an integer, or a list of them", (arg) => (Array.isArray(arg) ? arg : [arg]).every(Number.isInteger)],
  Index: ["a tensor or a list of integers", isTensor],
  "Index[]": ["a list of indices, or null, for each axis", Array.isArray],
  any: ["passed", (arg) => arg !== undefined && arg !== null],
};

export interface Parameter {
  readonly name: string;
  /** The name in errors, followed by `?` if it is optional. */
  readonly shown: string;
  /** Null if the op checks the argument itself. */
  readonly kind: Kind | null;
  /** True for a list of indices. */
  readonly isList: boolean;
  /** Its value if omitted; undefined if it is required. */
  readonly fallback: unknown;
}

/**
 * A signature. A program defines hundreds of ops and calls a few, so the parameters are read from the text when an op needs them, and only
 * their number at once.
 */
export class Signature {
  readonly name: string;
  /** The number of arguments before the options; null if any may follow. */
  readonly count: number | null;
  /** The number of positional parameters without a default. */
  readonly required: number;
  readonly #text: string;
  readonly #takesOut: boolean;
  #parsed: Parameters | null = null;

  /** Reads the text of a signature; `out` is added to the options if `takesOut` is true. */
  constructor(text: string, takesOut = true) {
    const [name, inside] = text.split(/[(;)]/, 2) as [string, string];
    const all = inside === "" ? [] : inside.split(",");
    this.name = name;
    this.count = inside.includes("...") ? null : all.length;
    this.required = all.filter((parameter) => !parameter.includes("=")).length;
    this.#text = text;
    this.#takesOut = takesOut;
  }

  get #parameters(): Parameters {
    this.#parsed ??= parse(this.#text, this.#takesOut);
    return this.#parsed;
  }

  get positional(): readonly Parameter[] {
    return this.#parameters.positional;
  }

  /** The positional parameters, then the options. */
  get all(): readonly Parameter[] {
    return this.#parameters.all;
  }

  /** The names of all options, `out` included. */
  get known(): readonly string[] {
    return this.#parameters.known;
  }

  /** The names of all options and of the arguments after the first. */
  get names(): readonly string[] {
    return this.#parameters.names;
  }

  /** The positions of parameters that are indices, and are converted to tensors (`index-arguments.ts`). */
  get indices(): readonly number[] {
    return this.#parameters.indices;
  }

  /** The parameters whose kinds are checked. They are the first ones. */
  get checked(): readonly Parameter[] {
    return this.#parameters.checked;
  }
}

type Parameters = Pick<Signature, "positional" | "all" | "known" | "names" | "indices" | "checked">;

const literals: Readonly<Record<string, unknown>> = { null: null, true: true, false: false };

const literal = (text: string): unknown =>
  text in literals ? literals[text] : /^[\d.-]/.test(text) ? Number(text) : text;

const parameters = (text = ""): Parameter[] =>
  Array.from(text.matchAll(/(\w+)(\??)(?:: ([\w[\]]+))?(?: = ([^,]+))?/g), ([, name, mark, kind, value]) => ({
    name: name,
    shown: `${name}${mark}`,
    kind: kinds[`${kind}${mark}`] ?? null,
    isList: kind === "Index[]",
    fallback: value === undefined ? undefined : literal(value),
  }));

function parse(text: string, takesOut: boolean): Parameters {
  const [, inside, named] = text.split(/[(;)]/) as [string, string, string?];
  const positional = parameters(inside);
  const options = parameters(named);
  const known = options.map((one) => one.name);
  return {
    positional,
    all: [...positional, ...options],
    known: takesOut ? [...known, "out"] : known,
    names: [...positional.slice(1).map((one) => one.name), ...known, "out"],
    indices: positional.flatMap(({ kind }, k) => (kind === kinds.Index || kind === kinds["Index[]"] ? k : [])),
    checked: positional.filter(({ kind }) => kind !== null),
  };
}

/**
 * Other names of options and of arguments that are passed by name. `keepdim` is PyTorch's and stays; the others are deprecated
 * (docs/versioning.md). A name is replaced by the first in its list that the op has; it is unknown to ops that have none of them.
 */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  keepdim: ["keepdims"],
  rounding: ["roundingMode"],
  slope: ["negativeSlope"],
  lambda: ["lambd"],
  min: ["minVal"],
  max: ["maxVal"],
  first: ["tensor1"],
  second: ["tensor2"],
  other: ["exponent"],
};

/** Returns the name by which an op knows an option. */
function ownName(names: readonly string[], key: string): string {
  return names.includes(key) ? key : (otherNames[key]?.find((name) => names.includes(name)) ?? key);
}

/** Returns options under the names of the op: the object itself if none has another name. */
function withOwnNames(
  who: string,
  names: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  let renamed: Record<string, unknown> | null = null;
  for (const key in options) {
    const own = ownName(names, key);
    if (own === key) continue;
    if (own in options) throw new StridewiseError(`${who}: ${key} is another name of ${own}. Pass one of them`);
    renamed ??= { ...options };
    delete renamed[key];
    renamed[own] = options[key];
  }
  return renamed ?? options;
}

const isData = (arg: unknown): boolean => Array.isArray(arg) || ArrayBuffer.isView(arg) || arg instanceof Promise;

/** True for an object that is not a tensor, a list, a complex number or a promise of one. */
export const isOptions = (arg: unknown): arg is Record<string, unknown> =>
  typeof arg === "object" && arg !== null && !isTensor(arg) && !isData(arg) && !isComplex(arg) && !foreign(arg);

/** Throws unless the option is known, `dtype` and `generator` hold such values, and tensors are where they belong. */
function checkOption({ name, known, all }: Signature, key: string, value: unknown): void {
  if (!known.includes(key)) throw unknownOption(name, key, known);
  if (value === undefined || value === null) return;
  if (key === "dtype") checkDType(name, value);
  const needsTensor = all.find((one) => one.name === key)?.kind != null;
  if (key === "generator" ? !("nextDraw" in Object(value)) : needsTensor && !isTensor(value))
    throw new StridewiseError(
      `${name}: ${key} must be ${needsTensor ? "a tensor" : "a Generator"}, got ${describeValue(value)}`,
    );
}

/**
 * Moves options that were passed early after all other arguments; if any number of arguments may come before them, they stay last. Throws
 * if an option is unknown, or if another argument has the index of the options. Static integers become numbers.
 */
export function placeOptions(signature: Signature, args: unknown[]): void {
  const { name, count, known } = signature;
  let end = args.length - 1;
  for (let k = 1; k <= end; k++) args[k] = plainArgument(args[k]);
  while (args[end] === undefined && end > 0) end--;
  let last = args[end];
  const hasOptions = isOptions(last);
  if (hasOptions) args[end] = last = withOwnNames(name, known, last as Record<string, unknown>);
  if (hasOptions)
    for (const key in last as Record<string, unknown>)
      checkOption(signature, key, (last as Record<string, unknown>)[key]);
  if (count !== null && end >= count && (end > count || !hasOptions)) throw notOptions(signature, args, count);
  if (!hasOptions) return;
  for (let k = 1; k < end; k++)
    if (isOptions(args[k])) throw new StridewiseError(`${name}: options must be in one object, got two`);
  if (count === null || end === 0 || end === count) return;
  args[count] = last;
  args[end] = undefined;
}

/** The error of the argument `k`, which is not the options object, or comes after it. */
function notOptions({ name, known }: Signature, args: readonly unknown[], k: number): StridewiseError {
  const before = args.findIndex(isOptions);
  const at = before < 0 ? k : before + 1;
  return new StridewiseError(
    before < 0
      ? `${name}: argument ${k + 1} must be an options object { ${known.join(", ")} }, got ${describeValue(args[at])}`
      : `${name}: the options object must be the last argument, got ${describeValue(args[at])} after it`,
  );
}

/** Throws unless the arguments are of the kinds that the signature states. */
export function checkArguments({ name, checked }: Signature, args: readonly unknown[]): void {
  for (let k = 0; k < checked.length; k++) {
    const parameter = checked[k];
    const arg = args[k];
    const [what, fits] = parameter.kind as Kind;
    if (fits(arg)) continue;
    const hint =
      isData(arg) && what.startsWith("a t")
        ? "Create a tensor first: tensor(...)"
        : `Write ${name}(${checked.map((one) => one.shown).join(", ")})`;
    throw new StridewiseError(`${name}: ${parameter.name} must be ${what}, got ${describeValue(arg)}. ${hint}`);
  }
}

/** The arguments by name, and `out`. */
export interface NamedArguments {
  readonly values: Readonly<Record<string, unknown>>;
  readonly out: Tensor | null;
}

/**
 * Returns the arguments by name, with defaults for omitted ones. Throws if an argument is missing or unknown, or if there are too many.
 * `out` must be one tensor, unless `isAnyOut` leaves the check to the op.
 */
export function readArguments(signature: Signature, args: readonly unknown[], isAnyOut = false): NamedArguments {
  const { name, positional, all, names } = signature;
  const values: Record<string, unknown> = {};
  let options: Readonly<Record<string, unknown>> | null = null;
  for (let i = 0; i < args.length; i++) {
    const arg = plainArgument(args[i]);
    if (arg === undefined || arg === null) continue;
    if (options === null && isOptions(arg)) options = withOwnNames(name, names, arg);
    else if (options === null && i < positional.length) values[positional[i].name] = arg;
    else throw notOptions(signature, args, i);
  }
  let out: Tensor | null = null;
  for (const key in options) {
    const value = options[key];
    if (key === "out") {
      if (value !== undefined && value !== null && !isTensor(value) && !isAnyOut)
        throw new StridewiseError(`${name}: out must be a tensor, got ${describeValue(value)}`);
      out = (value as Tensor | undefined) ?? null;
      continue;
    }
    // All arguments but the first may also be passed by name.
    if (!positional.some((one, i) => i > 0 && one.name === key)) checkOption(signature, key, value);
    values[key] = value;
  }
  for (const { name: parameter, fallback } of all) {
    if (values[parameter] !== undefined && values[parameter] !== null) continue;
    if (fallback === undefined)
      throw new StridewiseError(
        `${name}: ${parameter} is missing. Write ${name}(${positional.map((one) => one.name).join(", ")})`,
      );
    values[parameter] = fallback;
  }
  return { values, out };
}

/** Throws unless all options are known. */
export function checkOptions(who: string, options: unknown, ...known: readonly string[]): void {
  if (typeof options !== "object" || options === null || options instanceof Tensor)
    throw new StridewiseError(`${who}: options must be an object, got ${describeValue(options)}`);
  for (const key in options) if (!known.includes(key)) throw unknownOption(who, key, known);
}

/** Returns the error for an unknown option. */
export function unknownOption(who: string, key: string, known: readonly string[]): StridewiseError {
  const guess = key === "ddof" && known.includes("correction") ? "correction" : nearest(key, known);
  return new StridewiseError(
    `${who}: there is no option ${key}; ${known.length === 0 ? "it takes no options" : `the options are ${known.join(", ")}`}.${guess === undefined ? (/^(ax|dim)/.test(key) ? " Pass the axis before the options" : "") : ` Did you mean ${guess}?`}`,
  );
}
