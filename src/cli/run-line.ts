/**
 * Runs a line of the process: commands about files of the user, which are imported, or one of the other commands. It loads the tensor library
 * only for the former.
 */
import { readArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { inspectCommand } from "./commands/inspect.ts";
import { buildCommand, graphCommand } from "./commands/model.ts";
import { runCommand } from "./commands/run.ts";
import { checkOptions, type ExitCode, exitCodes, optionsOf } from "./help.ts";
import type { ModelCommand, ModelIo } from "./model-command.ts";
import { write } from "./output.ts";
import { type ActiveCommand, commands, reportError, run } from "./run.ts";
import { readFacts } from "./symbols.ts";

const modelCommands: readonly ModelCommand[] = [runCommand, inspectCommand, buildCommand, graphCommand];

/** Runs one command line, without the program's name. */
export async function runLine(words: readonly string[], io: ModelIo): Promise<ExitCode> {
  const table: readonly Command[] = [...commands, ...modelCommands];
  const command = modelCommands.find(({ name }) => name === words[0]);
  if (command === undefined || words.includes("--help") || words.includes("-h")) return run(words, io, table);
  let started: ActiveCommand | undefined;
  let interruption: AbortSignal | undefined;
  const signal = (): AbortSignal => {
    interruption ??= io.signal();
    return interruption;
  };
  try {
    const { operands, options } = readArguments(words.slice(1), optionsOf([command, ...table]));
    const invocation = { operands, options, facts: readFacts(options.get("where") ?? []), table };
    started = { command, invocation };
    checkOptions(command, invocation);
    write(command.name, await command.start(invocation, { ...io, signal }), invocation, io);
    return exitCodes.success;
  } catch (error) {
    if (interruption?.aborted === true) {
      io.err("stridewise: interrupted\n");
      return exitCodes.interrupted;
    }
    return reportError(error, words, started, io);
  }
}
