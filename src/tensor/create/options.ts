/**
 * The options of the functions that make tensors, checked: an object, all of whose names are known. What they mean, and whether
 * a function has a use for each, is for the function to say.
 */

import { nearest } from "../../base/arguments.ts";
import { StridewiseError } from "../../base/errors.ts";

const known: readonly string[] = [
  "dtype",
  "device",
  "names",
  "requiresGrad",
  "format",
  "memoryFormat",
  "constant",
  "mode",
  "base",
  "generator",
  "shape",
  "stride",
  "offset",
  "const",
];

/** Refuses options that are no object, or that have an unknown name. */
export function checkOptions(who: string, options: unknown): void {
  if (typeof options !== "object" || options === null)
    throw new StridewiseError(
      `${who}: options are an object, such as { dtype: "int32" }, got ${typeof options === "string" ? `'${options}'` : String(options)}`,
    );
  for (const name in options) if (!known.includes(name)) throw unknownOption(who, name);
  const { generator } = options as { readonly generator?: unknown };
  if (generator != null && !("nextDraw" in Object(generator)))
    throw new StridewiseError(`${who}: generator is made by new Generator(seed)`);
}

/** Refuses null and symbols among arguments that are numbers and options. */
export function checkGiven(who: string, args: readonly unknown[]): void {
  for (const arg of args)
    if (arg === null || typeof arg === "symbol")
      throw new StridewiseError(`${who}: takes numbers and options, got ${String(arg)}`);
}

function unknownOption(who: string, name: string): StridewiseError {
  const guess = nearest(name, known);
  return new StridewiseError(
    `${who}: there is no option '${name}'. ${guess === undefined ? `They are: ${known.join(", ")}` : `Did you mean '${guess}'?`}`,
  );
}
