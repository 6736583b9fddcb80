/** The options of loops: an object, with names that the loop knows. What they mean is for the loop to say. */
import { StridewiseError } from "../../base/errors.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { isOptions, unknownOption } from "../signature.ts";

/** Refuses options that are no object, and names that are not known. */
export function checkLoopOptions(who: string, options: unknown, known: readonly string[]): void {
  if (!isOptions(options))
    throw new StridewiseError(
      `${who}: the options are an object with ${known.join(", ")}, got ${describeValue(options)}`,
    );
  for (const name in options) if (!known.includes(name)) throw unknownOption(who, name, known);
}
