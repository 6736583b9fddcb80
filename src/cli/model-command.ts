/** Commands about files of the user, which are imported: they need a process, and their answers come later. */
import { UsageError } from "./arguments.ts";
import type { Command, Invocation, Outcome } from "./command.ts";
import type { ImportModule } from "./load-function.ts";
import type { Io } from "./output.ts";

/** The services, besides streams, that commands about files of the user need. */
export interface ModelIo extends Io {
  readonly writeFile: (path: string, content: string | Uint8Array) => void;
  readonly makeFolder: (path: string) => void;
  readonly importModule: ImportModule;
  /** Returns a signal that is aborted by Ctrl-C, which does not end the process at once from then on. */
  readonly signal: () => AbortSignal;
  /** Runs a function that may take long without giving up the thread. Ctrl-C ends it by an error, and aborts the signal. */
  readonly interruptible: <T>(run: () => T) => T;
}

/** A command about a file of the user. */
export interface ModelCommand extends Command {
  readonly start: (invocation: Invocation, io: ModelIo) => Promise<Outcome>;
}

/** The `run` of commands that only start. */
export const onlyStarts = (): never => {
  throw new UsageError("this command reads files, which needs a process.");
};

/** The one operand of a command. */
export function operandOf(
  name: string,
  operand: { readonly name: string; readonly about: string },
  { operands: [value, extra] }: Invocation,
): string {
  const usage = `Usage: stridewise ${name} ${operand.name}`;
  if (value === undefined) throw new UsageError(`${name}: ${operand.name} is missing (${operand.about}). ${usage}`);
  if (extra !== undefined) throw new UsageError(`${name}: unexpected operand ${extra}. ${usage}`);
  return value;
}
