/** The error of this folder, and checks that its files share. */
import { StridewiseError, Tensor } from "../index.ts";

/** The error of an invalid argument of a dataset, a loader or a progress bar. */
export class DataError extends StridewiseError {
  override readonly name: string = "DataError";
}

/** True for a tensor of another copy of this package. */
export const isForeign = (value: unknown): boolean =>
  Symbol.for("stridewise.tensor") in Object(value) && !(value instanceof Tensor);

/** Describes a value in a few words. */
export function described(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (value instanceof Promise) return "a promise. Await it first";
  if (isForeign(value)) return "a tensor that comes from another copy of stridewise (see npm ls stridewise)";
  if (value instanceof Tensor) return "a tensor";
  if (Array.isArray(value)) return value.length > 8 ? "a list" : `[${value.map(described).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  return Object.keys(value).length === 0 ? "{}" : `{ ${Object.keys(value).join(", ")} }`;
}

/** Throws unless the options are an object with known names only. Others would be ignored silently. */
export function checkOptions<O extends object>(who: string, options: O, known: Readonly<Record<keyof O, 0>>): void {
  const names = Object.keys(known).join(", ");
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new DataError(`${who}: options must be an object { ${names} }, got ${described(options)}`);
  for (const name of Object.keys(options))
    if (!Object.hasOwn(known, name))
      throw new DataError(`${who}: there is no option ${name}; the options are ${names}`);
}
