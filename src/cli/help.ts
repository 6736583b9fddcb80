/** The help texts, built from the table of commands; the lookup of commands by name, with suggestions; the exit codes. */
import { listed, type Options, suggestion, UsageError } from "./arguments.ts";
import type { Command, Example, Invocation } from "./command.ts";

type Row = readonly [left: string, right: string];

const maxColumnWidth = 26;

/** Rows in two columns, indented. A left side wider than the column gets a separate line. */
function rows(all: readonly Row[]): string[] {
  const width = Math.min(maxColumnWidth, Math.max(0, ...all.map(([left]) => left.length)));
  return all.flatMap(([left, right]) =>
    left.length > width ? [`  ${left}`, `  ${" ".repeat(width)}  ${right}`] : [`  ${left.padEnd(width)}  ${right}`],
  );
}

const titled = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : ["", title, ...lines]);

const optionRows = (options: Options): Row[] =>
  Object.entries(options).map(([name, { value, about }]) => [`--${name}${value ? ` ${value}` : ""}`, about]);

const words = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join(" ");

/** Examples as typed, each below a comment that describes it. */
export const exampleLines = (examples: readonly Example[]): string[] =>
  examples.flatMap(({ line, about }) => [`# ${about}`, `stridewise ${line}`]);

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

const notation: readonly Row[] = [
  ["(4,8):(8,1)", "a layout: shape and strides; they nest: ((2,2),8):((1,4),2)"],
  ["(4,8)", "a shape; where a layout is expected, it is column-major"],
  ["_8, 8, 4*n", "a static, a dynamic and a symbolic integer"],
  ["Sw<3,0,3> o 0 o (8,8)", "a swizzle over an offset and a layout"],
  ["<4:1,8>", "one tiler per mode; (4,8) is the same as <4,8>, and _ keeps a mode as it is"],
  ["-1:2", "an operand may start with -; -- ends the options"],
];

/** The exit codes of the command. Scripts rely on these numbers. */
export const exitCodes = {
  /** Also an explanation of why there is no answer. */
  success: 0,
  failure: 1,
  usage: 2,
  /** EX_SOFTWARE of sysexits.h. */
  bug: 70,
  /** Ctrl-C, as in shells: 128 and the number of the signal. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const codes: readonly Row[] = [
  [String(exitCodes.success), "success"],
  [
    String(exitCodes.failure),
    "the operation has no result for these operands (see explain), or a file cannot be read or written",
  ],
  [String(exitCodes.usage), "the command line or an operand is wrong"],
  [String(exitCodes.bug), "a bug in stridewise"],
  [String(exitCodes.interrupted), "ended by Ctrl-C"],
];

/** The help of the whole command. */
export const globalHelp = (table: readonly Command[]): string[] => [
  "Usage: stridewise COMMAND OPERANDS... [OPTIONS]",
  "",
  "Computes, draws and explains layouts. Runs, inspects and builds models.",
  ...titled("Commands:", rows(table.map(({ name, usage, summary }) => [words(name, usage), summary]))),
  ...titled("Options of every command:", rows(optionRows(commonOptions))),
  ...titled("Notation:", rows(notation)),
  ...titled("Exit codes:", rows(codes)),
  ...titled("Examples:", indented(exampleLines(table.flatMap((each) => each.examples.slice(0, 1)).slice(0, 4)))),
];

/** The help of one command. */
export const commandHelp = ({ name, usage, operands, summary, details, options, examples }: Command): string[] => [
  `Usage: ${words("stridewise", name, usage, "[OPTIONS]")}`,
  "",
  `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`,
  ...titled("Operands:", rows(operands.map((operand) => [operand.name, operand.about]))),
  ...titled("Options:", rows(optionRows(options))),
  ...titled("Details:", indented(details)),
  ...titled("Examples:", indented(exampleLines(examples))),
  "",
  "Options of every command: stridewise --help",
];

/** The options that every command has. */
export const commonOptions: Options = {
  svg: { value: "FILE", about: "write the picture as SVG to FILE, or to stdout for -" },
  latex: { about: "print the picture as a LaTeX document, and nothing else" },
  json: { about: "print the result as JSON" },
  "no-picture": { about: "print the result without its picture" },
  ascii: { about: "draw with ASCII characters only" },
  "max-cells": { value: "N", about: "draw at most N cells (default: 4096)" },
  where: { value: "FACTS", about: "assumptions about symbols: 'n%4=0, 1<=m<=64, k=16'", repeats: true },
  help: { about: "print this help; also -h; stridewise COMMAND --help for one command" },
  version: { about: "print the version" },
};

/** The options of all commands, to parse a command line before its command is known. Earlier commands take precedence. */
export const optionsOf = (table: readonly Command[]): Options =>
  Object.assign({}, ...[...table].reverse().map((each) => each.options), commonOptions);

/** Returns the command with this name, or throws an error that suggests one. */
export function findCommand(name: string, table: readonly Command[], what = "command"): Command {
  const command = table.find((each) => each.name === name);
  if (command) return command;
  const names = table.map((each) => each.name);
  const hint = suggestion(name, names) || ` Must be one of ${names.join(", ")}.`;
  throw new UsageError(`unknown ${what} "${name}".${hint}`);
}

/** Throws for an option that the command does not have. */
export function checkOptions(command: Command, { options }: Invocation): void {
  const own = Object.keys(command.options);
  const foreign = [...options.keys()].find((name) => !own.includes(name) && !Object.hasOwn(commonOptions, name));
  if (foreign === undefined) return;
  const has = own.length === 0 ? "" : ` It has ${listed(own.map((name) => `--${name}`)).replace(" or ", " and ")}.`;
  throw new UsageError(`${command.name} has no option --${foreign}.${has}`);
}
