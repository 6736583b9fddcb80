/**
 * The command: words in, text out, an exit code back, and the table of commands. Touches no process; what it needs of one is passed in.
 */
import { InternalError, LayoutError, ParseError, StridewiseError } from "../base/errors.ts";
import { type Arguments, has, quoted, readArguments } from "./arguments.ts";
import type { Command, Invocation } from "./command.ts";
import { algebraCommands } from "./commands/algebra.ts";
import { exprCommands } from "./commands/expr.ts";
import { guideCommands } from "./commands/guide.ts";
import { kernelCommands } from "./commands/kernel.ts";
import { lookCommands } from "./commands/look.ts";
import { memoryCommands } from "./commands/memory.ts";
import { tilingCommands } from "./commands/tiling.ts";
import { checkOptions, commandHelp, commonOptions, findCommand, globalHelp, optionsOf } from "./help.ts";
import { type Io, inCommandWords, toPlain, write } from "./output.ts";
import { readFacts } from "./symbols.ts";
import { type ExitCode, exitCodes, UsageError } from "./usage-error.ts";

/** Runs one command line, without the program's name. */
export function run(words: readonly string[], io: Io, table: readonly Command[] = commands): ExitCode {
  let started: { readonly command: Command; readonly args: Arguments } | undefined;
  try {
    const { operands, given } = readArguments(words, optionsOf(table));
    const [name, ...rest] = operands;
    if (has(given, "version")) return say(io, [io.version()]);
    if (name === undefined) {
      if (words.length > 0 && !has(given, "help"))
        throw new UsageError("a command is missing. stridewise --help lists them");
      return say(io, globalHelp(table));
    }
    const command = findCommand(name, table);
    if (has(given, "help")) return say(io, commandHelp(command));
    started = { command, args: { operands: rest, given } };
    const invocation: Invocation = { operands: rest, given, facts: readFacts(given.get("where") ?? []), table };
    checkOptions(command, invocation);
    write(name, command.run(invocation), invocation, io);
    return exitCodes.answered;
  } catch (error) {
    return complain(error, words, started, io);
  }
}

function say(io: Io, lines: readonly string[]): ExitCode {
  io.out(lines.map((line) => `${line}\n`).join(""));
  return exitCodes.answered;
}

/** Says what went wrong, and finds the exit code for it. */
function complain(
  error: unknown,
  words: readonly string[],
  started: { readonly command: Command; readonly args: Arguments } | undefined,
  io: Io,
): ExitCode {
  if (error instanceof UsageError) {
    io.err(`stridewise: ${error.message}\n`);
    return exitCodes.misused;
  }
  if (error instanceof ParseError) {
    io.err(`${error.message}\n`);
    return exitCodes.misused;
  }
  if (error instanceof StridewiseError && !(error instanceof InternalError)) {
    io.err(`${inCommandWords(error.message)}\n`);
    if (error instanceof LayoutError && started && has(started.args.given, "json"))
      io.out(
        `${JSON.stringify(toPlain({ operation: started.command.name, refusal: error.detail ?? { text: error.message } }))}\n`,
      );
    if (error instanceof LayoutError && started?.command.explain)
      io.err(`The steps: ${explainLine(started.command, started.args)}\n`);
    return exitCodes.refused;
  }
  const line = ["stridewise", ...words].map(quoted).join(" ");
  io.err(`stridewise: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  io.err(`This is a bug of stridewise. Please report the lines above and the command line: ${line}\n`);
  return exitCodes.broken;
}

/** The command line that explains this one: operands and the options that change the answer. */
function explainLine(command: Command, { operands, given }: Arguments): string {
  const options = [...given].flatMap(([name, values]) => {
    if (name !== "where" && Object.hasOwn(commonOptions, name)) return [];
    return values.length === 0 ? [`--${name}`] : values.flatMap((value) => [`--${name}`, value]);
  });
  return ["stridewise", "explain", command.name, ...operands, ...options].map(quoted).join(" ");
}

const working: readonly Command[] = [
  ...lookCommands,
  ...algebraCommands,
  ...tilingCommands,
  ...memoryCommands,
  ...kernelCommands,
  ...exprCommands,
];

export const commands: readonly Command[] = [...working, ...guideCommands(working)];
