/** The error that the layout algebra throws for an argument of the wrong kind. */
import { shown } from "../base/arguments.ts";
import { LayoutError } from "../base/errors.ts";

/** The error of an argument of the wrong kind. */
export const wrongKind = (who: string, needed: string, value: unknown): LayoutError =>
  new LayoutError(`${who}: needs ${needed}, got ${shown(value)}`);
