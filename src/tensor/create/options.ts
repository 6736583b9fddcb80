/**
 * The options of the functions that make tensors, checked: an object, all of whose names are known. What they mean, and whether
 * a function has a use for each, is for the function to say.
 */
import { StridewiseError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";

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
}

function unknownOption(who: string, name: string): StridewiseError {
  const guess = nearest(name, known);
  return new StridewiseError(
    `${who}: there is no option '${name}'. ${guess === undefined ? `They are: ${known.join(", ")}` : `Did you mean '${guess}'?`}`,
  );
}
