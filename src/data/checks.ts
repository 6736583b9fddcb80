/** What data cannot be, and how it is told: in one place, for all files of this room. */
import { StridewiseError, Tensor } from "../index.ts";

/** A data set, a loader or a progress bar was given something it cannot work with. */
export class DataError extends StridewiseError {
  override readonly name: string = "DataError";
}

/** True for a tensor of another copy of this package. */
export const isForeign = (value: unknown): boolean =>
  Symbol.for("stridewise.tensor") in Object(value) && !(value instanceof Tensor);

/** What was given, in a few words. */
export function told(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (value instanceof Promise) return "a promise. Await it first";
  if (isForeign(value)) return "a tensor that comes from another copy of stridewise (see npm ls stridewise)";
  if (value instanceof Tensor) return "a tensor";
  if (Array.isArray(value)) return value.length > 8 ? "a list" : `[${value.map(told).join(", ")}]`;
  return typeof value === "object" && value !== null ? `{ ${Object.keys(value).join(", ")} }` : String(value);
}

/** Refuses options by names that are not known, which would do nothing, and what is no record of options. */
export function checkOptions<O extends object>(who: string, options: O, known: Readonly<Record<keyof O, 0>>): void {
  const names = Object.keys(known).join(", ");
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new DataError(`${who}: options are given by name, { ${names} }, got ${told(options)}`);
  for (const name of Object.keys(options))
    if (!Object.hasOwn(known, name))
      throw new DataError(`${who}: there is no option ${name}; the options are ${names}`);
}
