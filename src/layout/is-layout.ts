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

/** Refuses what is not a layout in the name of a function that takes layouts. */
export function checkLayout(who: string, ...values: readonly unknown[]): void {
  for (const value of values)
    if (!isLayout(value) && !isComposed(value))
      throw new LayoutError(`${who}: needs a layout (parseLayout(text), tensor.layout), got ${shown(value)}`);
}
