/**
 * The error of every file that cannot be read or written: malformed, cut off, of an unknown kind, or out of reach.
 * The message says what is wrong and what to do; `position` says where, when that is known.
 */
import { StridewiseError } from "../base/errors.ts";

/** A file that cannot be read or written. */
export class FileError extends StridewiseError {
  override readonly name = "FileError";
  /** The byte of the file, counted from 0, where the fault lies. */
  readonly position: number | undefined;

  constructor(message: string, position?: number, options?: ErrorOptions) {
    super(position === undefined ? message : `${message} (at byte ${position})`, options);
    this.position = position;
  }
}

/** A value from a file as an error message shows it: quoted, and short. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
}

/** Names from a file as an error message shows them: the first 20. */
export function listed(names: Iterable<string>): string {
  const all = [...names];
  return all.slice(0, 20).join(", ") + (all.length > 20 ? ` and ${all.length - 20} more` : "");
}
