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
