/**
 * A command line that cannot be understood: an unknown command or option, a missing operand, a file that cannot be
 * written. The message is one line, without a stack.
 */
import { nearest } from "../base/arguments.ts";

export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** " Did you mean compose?", or nothing if no known name is near. */
export function suggestion(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  return guess === undefined ? "" : ` Did you mean ${guess}?`;
}
