/** Checks of arguments that every folder needs: the kind of a value, refused with the name of the caller and what was given. */
import { StridewiseError } from "./errors.ts";

/** A value in a word or two for an error message, lists to this depth; never the elements of a tensor, and never an error of its own. */
export const shown = (value: unknown, depth = 3): string =>
  Object(value).dtype
    ? "a tensor"
    : typeof value === "string"
      ? `'${value}'`
      : Array.isArray(value)
        ? `[${depth > 0 ? value.map((item) => shown(item, depth - 1)) : "..."}]`
        : String(Object(value).toString ? value : "an object");

/** The error of an argument of the wrong kind. */
export const wrongKind = (who: string, needed: string, value: unknown): StridewiseError =>
  new StridewiseError(`${who}: needs ${needed}, got ${typeof value === "function" ? "a function" : shown(value)}`);

/** Throws unless `value` is a function. */
export function checkFunction(who: string, value: unknown): void {
  if (typeof value !== "function") throw wrongKind(who, `a function: ${who}(() => ...)`, value);
}

/** Throws unless `value` is an object; `needed` says which one. */
export function checkObject(who: string, needed: string, value: unknown): void {
  if (typeof value !== "object" || value === null) throw wrongKind(who, needed, value);
}
