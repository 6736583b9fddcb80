/**
 * From the name that was typed to the command, with suggestions; and which options a command has.
 */
import { listed, type Options } from "./arguments.ts";
import type { Command, Invocation } from "./command.ts";
import { suggestion, UsageError } from "./usage-error.ts";

/** The options that every command has. */
export const commonOptions: Options = {
  svg: { value: "FILE", about: "write the picture as SVG to FILE, or to stdout for -" },
  latex: { about: "print the picture as a LaTeX document, and nothing else" },
  json: { about: "print the answer as JSON" },
  "no-picture": { about: "print the answer without its picture" },
  ascii: { about: "draw with ASCII characters only" },
  "max-cells": { value: "N", about: "draw up to N cells; 4096 if left out" },
  where: { value: "FACTS", about: "what is known of symbols: 'n%4=0, 1<=m<=64, k=16'", repeats: true },
  help: { about: "this text; also -h, and for one command stridewise COMMAND --help" },
  version: { about: "the version" },
};

/** Every option of every command, for reading a command line before its command is known. */
export const optionsOf = (table: readonly Command[]): Options =>
  Object.assign({}, commonOptions, ...table.map((each) => each.options));

/** The command of a name, or an error that suggests one. */
export function findCommand(name: string, table: readonly Command[], what = "command"): Command {
  const found = table.find((each) => each.name === name);
  if (found) return found;
  const names = table.map((each) => each.name);
  const hint = suggestion(name, names) || ` Known: ${names.join(", ")}.`;
  throw new UsageError(`unknown ${what} "${name}".${hint}`);
}

/** Refuses options that the command does not have. */
export function checkOptions(command: Command, { given }: Invocation): void {
  const own = Object.keys(command.options);
  const foreign = [...given.keys()].find((name) => !own.includes(name) && !Object.hasOwn(commonOptions, name));
  if (foreign === undefined) return;
  const has = own.length === 0 ? "" : ` It has ${listed(own.map((name) => `--${name}`)).replace(" or ", " and ")}.`;
  throw new UsageError(`${command.name} has no option --${foreign}.${has}`);
}
