/**
 * Checks the options of the functions that read and write files: an object, of whose keys each is known and has a value of its kind.
 * An option that nothing reads would be lost without a word.
 */

import { nearest } from "../base/arguments.ts";
import { StridewiseError } from "../base/errors.ts";
import { isMap } from "./raw-array.ts";
import { describe } from "./source.ts";

type Kind = readonly [what: string, fits: (value: unknown) => boolean];

const flag: Kind = ["true or false", (value) => typeof value === "boolean"];
const count: Kind = [
  "an integer from 0, or Infinity",
  (value) => value === Infinity || (Number.isSafeInteger(value) && (value as number) >= 0),
];
/** Every option of this folder, and the values it takes. */
const kinds = {
  names: ["a list of strings", (value) => Array.isArray(value) && value.every((name) => typeof name === "string")],
  maxBytes: count,
  maxTensors: count,
  version: ["1, 2 or 3", (value) => value === 1 || value === 2 || value === 3],
  compress: flag,
  metadata: ['text by name, such as { author: "..." }', (value) => isRecord(value)],
} as const satisfies Readonly<Record<string, Kind>>;

export type OptionName = keyof typeof kinds;

/** The options that bound what a reader may allocate. */
export const limitNames = ["maxBytes", "maxTensors"] as const satisfies readonly OptionName[];

/** True for a plain object or a Map, as metadata and options are. */
function isRecord(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Object]" || isMap(value);
}

/** Returns the options, or throws if one of them is unknown or of the wrong kind. The remedy ends the message for an unknown one. */
export function checkOptions<T extends object>(
  who: string,
  options: T,
  known: readonly OptionName[],
  remedy: (name: string) => string = () => "",
): T {
  const list = known.length === 0 ? "It takes no options." : `The options are: ${known.join(", ")}.`;
  if (!isRecord(options) || isMap(options))
    throw new StridewiseError(`${who}: options are an object, got ${describe(options)}. ${list}`);
  for (const [name, value] of Object.entries(options)) {
    const kind = known.find((one) => one === name);
    if (kind === undefined) {
      const guess = nearest(name, known);
      const advice = guess === undefined ? remedy(name) : ` Did you mean ${guess}?`;
      throw new StridewiseError(`${who}: there is no option ${JSON.stringify(name)}. ${list}${advice}`);
    }
    const [what, fits] = kinds[kind] as Kind;
    if (value !== undefined && !fits(value))
      throw new StridewiseError(`${who}: ${name} is ${what}, got ${describe(value)}.`);
  }
  return options;
}

/** Returns the options of the functions that write safetensors, or throws. */
export function checkSafetensorsOptions<T extends object>(who: string, options: T): T {
  const remedy = (name: string): string => ` Free text goes into metadata: { metadata: { ${name}: "..." } }.`;
  return checkOptions(who, options, ["metadata"], remedy);
}
