/**
 * The signature of an op as one line of text, "div(x, other; rounding = null)": its name, its parameters in their order, what they are
 * if left away, and after the semicolon those that are given by name in the options. Reading arguments by it gives each of them a name.
 */
import { StridewiseError } from "../base/errors.ts";
import { describeValue } from "../tensor/describe-value.ts";
import { plainArgument } from "../tensor/dispatch/static-arguments.ts";
import { Tensor } from "../tensor/tensor.ts";
import { checkOption, isOptions, unknownOption } from "./options.ts";

export interface Parameter {
  readonly name: string;
  /** What it is if left away; undefined if it must be given. */
  readonly fallback: unknown;
}

export interface Signature {
  readonly name: string;
  readonly positional: readonly Parameter[];
  readonly named: readonly Parameter[];
  /** The names of all options. */
  readonly known: readonly string[];
}

const literals: Readonly<Record<string, unknown>> = { null: null, true: true, false: false };

function parameters(text: string): Parameter[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map((one) => {
      const [name, value] = one.split("=").map((part) => part.trim()) as [string, string | undefined];
      if (value === undefined) return { name, fallback: undefined };
      return { name, fallback: value in literals ? literals[value] : /^[\d.-]/.test(value) ? Number(value) : value };
    });
}

/** Reads the text of a signature; an op that takes `out` has that option without saying so. */
export function parseSignature(text: string, takesOut = true): Signature {
  const [, name, inside] = /^(\w+)\((.*)\)$/.exec(text) as unknown as [string, string, string];
  const [positional, named = ""] = inside.split(";") as [string, string?];
  const options = parameters(named);
  const known = [...options.map((one) => one.name), ...(takesOut ? ["out"] : [])];
  return { name, positional: parameters(positional), named: options, known };
}

/** The arguments by name, and `out`. */
export interface Given {
  readonly values: Readonly<Record<string, unknown>>;
  readonly out: Tensor | null;
}

/** Gives each argument its name, null standing for one that is left away; refuses what is missing, too many or unknown. */
export function readArguments({ name, positional, named, known }: Signature, args: readonly unknown[]): Given {
  const values: Record<string, unknown> = {};
  let options: Record<string, unknown> | null = null;
  for (let i = 0; i < args.length; i++) {
    const arg = plainArgument(args[i]);
    if (arg === undefined || arg === null) continue;
    if (options === null && isOptions(arg)) options = arg;
    else if (options === null && i < positional.length) values[(positional[i] as Parameter).name] = arg;
    else
      throw new StridewiseError(
        `${name}: takes ${positional.map((one) => one.name).join(", ")} and options, and got ${args.length} arguments`,
      );
  }
  let out: Tensor | null = null;
  for (const key in options) {
    const value = options[key];
    checkOption(name, key, value, false);
    if (key === "out") out = checkOut(name, value);
    else if (named.some((one) => one.name === key) || positional.some((one, i) => i > 0 && one.name === key))
      values[key] = value;
    else throw unknownOption(name, key, known);
  }
  for (const { name: parameter, fallback } of [...positional, ...named]) {
    if (values[parameter] !== undefined && values[parameter] !== null) continue;
    if (fallback === undefined)
      throw new StridewiseError(
        `${name}: ${parameter} is missing. Write ${name}(${positional.map((one) => one.name).join(", ")})`,
      );
    values[parameter] = fallback;
  }
  return { values, out };
}

function checkOut(name: string, out: unknown): Tensor | null {
  if (out === undefined || out === null || out instanceof Tensor) return out ?? null;
  throw new StridewiseError(`${name}: out is a tensor, got ${describeValue(out)}`);
}
