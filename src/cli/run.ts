/**
 * Runs one command line: words in, text out, an exit code back. Has the table of commands. Streams and files are passed in, so no process is
 * needed.
 */
import { InternalError, LayoutError, ParseError, StridewiseError } from "../base/errors.ts";
import { quoted, readArguments, UsageError } from "./arguments.ts";
import type { Command, Invocation } from "./command.ts";
import { algebraCommands } from "./commands/algebra.ts";
import { exprCommands } from "./commands/expr.ts";
import { guideCommands } from "./commands/guide.ts";
import { kernelCommands } from "./commands/kernel.ts";
import { lookCommands } from "./commands/look.ts";
import { tilingCommands } from "./commands/tiling.ts";
import {
  checkOptions,
  commandHelp,
  commonOptions,
  type ExitCode,
  exitCodes,
  findCommand,
  globalHelp,
  optionsOf,
} from "./help.ts";
import { forCommandLine, type Io, toPlain, WriteError, write } from "./output.ts";
import { readFacts } from "./symbols.ts";

/** A command that was called, with its input. */
export interface ActiveCommand {
  readonly command: Command;
  readonly invocation: Invocation;
}

/** Runs one command line, without the program's name. */
export function run(words: readonly string[], io: Io, table: readonly Command[] = commands): ExitCode {
  let started: ActiveCommand | undefined;
  try {
    const { operands, options } = readArguments(words, optionsOf(table));
    const [name, ...rest] = operands;
    if (options.has("version")) return print(io, [io.version()]);
    if (name === undefined) {
      if (words.length > 0 && !options.has("help"))
        throw new UsageError("a command is missing. stridewise --help lists them");
      return print(io, globalHelp(table));
    }
    const command = findCommand(name, table);
    if (options.has("help")) return print(io, commandHelp(command));
    const invocation = { operands: rest, options, facts: readFacts(options.get("where") ?? []), table };
    started = { command, invocation };
    checkOptions(command, invocation);
    write(name, command.run(invocation), invocation, io);
    return exitCodes.success;
  } catch (error) {
    return reportError(error, words, started, io);
  }
}

function print(io: Io, lines: readonly string[]): ExitCode {
  io.out(lines.map((line) => `${line}\n`).join(""));
  return exitCodes.success;
}

/** Prints the error and returns its exit code. */
export function reportError(
  error: unknown,
  words: readonly string[],
  started: ActiveCommand | undefined,
  io: Io,
): ExitCode {
  if (error instanceof UsageError || error instanceof WriteError) {
    io.err(`stridewise: ${error.message}\n`);
    return error instanceof UsageError ? exitCodes.usage : exitCodes.failure;
  }
  if (error instanceof ParseError) {
    io.err(`${forCommandLine(error.message)}\n`);
    return exitCodes.usage;
  }
  if (error instanceof StridewiseError && !(error instanceof InternalError)) {
    io.err(`${forCommandLine(error.message)}\n`);
    if (error instanceof LayoutError && started) {
      const { command, invocation } = started;
      const refusal = error.detail ?? { text: error.message };
      if (invocation.options.has("json")) io.out(`${JSON.stringify(toPlain({ operation: command.name, refusal }))}\n`);
      if (command.explain) io.err(`The steps: ${explainLine(command, invocation)}\n`);
    }
    return exitCodes.failure;
  }
  const line = ["stridewise", ...words].map(quoted).join(" ");
  io.err(`stridewise: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  io.err(`This is a bug in stridewise. Please report the lines above and the command line: ${line}\n`);
  return exitCodes.bug;
}

/** The command line that explains this one: its operands and the options that change the answer. */
function explainLine(command: Command, { operands, options }: Invocation): string {
  const typed = [...options].flatMap(([name, values]) => {
    if (name !== "where" && Object.hasOwn(commonOptions, name)) return [];
    return values.length === 0 ? [`--${name}`] : values.flatMap((value) => [`--${name}`, value]);
  });
  return ["stridewise", "explain", command.name, ...operands, ...typed].map(quoted).join(" ");
}

const layoutCommands: readonly Command[] = [
  ...lookCommands,
  ...algebraCommands,
  ...tilingCommands,
  ...kernelCommands,
  ...exprCommands,
];

export const commands: readonly Command[] = [...layoutCommands, ...guideCommands(layoutCommands)];
