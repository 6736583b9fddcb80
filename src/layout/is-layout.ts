/** Which values are layouts. Known by their properties, so that a layout that was cloned or posted is one too. */
import { shown } from "../base/arguments.ts";
import { LayoutError } from "../base/errors.ts";
import type { ComposedLayout, Layout } from "./types.ts";

/** A tensor has all the names of layouts too (`shape`, `stride`, and the products `inner` and `outer`), but is not one. */
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !("dtype" in value);

export function isLayout(value: unknown): value is Layout {
  return isObject(value) && "shape" in value && "stride" in value;
}

export function isComposed(value: unknown): value is ComposedLayout {
  return isObject(value) && "outer" in value && "inner" in value;
}

/** The error of an argument of the wrong kind. */
export const wrongKind = (who: string, needed: string, value: unknown): LayoutError =>
  new LayoutError(`${who}: needs ${needed}, got ${shown(value)}`);

/** Throws unless all values are layouts. */
export function checkLayout(who: string, ...values: readonly unknown[]): void {
  for (const value of values)
    if (!isLayout(value) && !isComposed(value)) throw wrongKind(who, "a layout (makeLayout, tensor.layout)", value);
}
