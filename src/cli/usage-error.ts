/**
 * Exit codes, and the error of a command line that cannot be understood: an unknown command or option, a missing operand, a file that cannot
 * be written. The message is one line, without a stack.
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

/**
 * What the command's exit code says. Scripts rely on these numbers.
 */
export const exitCodes = {
  /** An answer; for `explain`, a refusal too. */
  answered: 0,
  /** The operation has no answer for these operands. */
  refused: 1,
  /** The command line, an operand or a file name is wrong. */
  misused: 2,
  /** A bug of stridewise: EX_SOFTWARE of sysexits.h. */
  broken: 70,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
