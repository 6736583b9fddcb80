/**
 * The error of files that cannot be read or written: malformed, truncated, of an unknown kind, or inaccessible.
 * The message describes the problem and the remedy; `position` is the byte, if known.
 */
import { StridewiseError } from "../base/errors.ts";

/** A file that cannot be read or written. */
export class FileError extends StridewiseError {
  override readonly name = "FileError";
  /** The byte of the file, counted from 0, where the error is. */
  readonly position: number | undefined;

  constructor(message: string, position?: number, options?: ErrorOptions) {
    super(position === undefined ? message : `${message} (at byte ${position})`, options);
    this.position = position;
  }
}

/** A text from a file for an error message: quoted and shortened. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
}

/** Names from a file for an error message: the first 20. */
export function listed(names: Iterable<string>): string {
  const all = [...names];
  return all.slice(0, 20).join(", ") + (all.length > 20 ? ` and ${all.length - 20} more` : "");
}
