/** Checks of options of pictures: unknown names throw. */
import { nearest } from "../base/arguments.ts";
import { StridewiseError } from "../base/errors.ts";

/** Throws if there is an option that is not known. */
export function checkOptions(who: string, options: object, ...known: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const guess = nearest(name, known);
    const hint = guess === undefined ? `The options are ${known.join(", ")}.` : `Did you mean ${guess}?`;
    throw new StridewiseError(`${who}: there is no option ${name}. ${hint}`);
  }
}
