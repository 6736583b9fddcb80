/**
 * A command as data: its name, operands, options, examples and body. Help, dispatch and suggestions are derived from the table of commands,
 * so a new command is one entry.
 */
import type { GridOptions, Picture } from "../draw/index.ts";
import type { Explanation } from "../layout/explain.ts";
import { type Options, type OptionValues, quoted, UsageError } from "./arguments.ts";
import type { CliOperand } from "./operands.ts";
import { type Facts, symbolsIn } from "./symbols.ts";

/** The input of a command. */
export interface Invocation {
  /** The operands as typed, without the command's name. */
  readonly operands: readonly string[];
  readonly options: OptionValues;
  readonly facts: Facts;
  readonly table: readonly Command[];
}

/** The result of a command. */
export interface Outcome {
  /** The answer as text, the notation first. */
  readonly lines: readonly string[];
  /** The fields of the answer in JSON, after the operation and its operands. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Draws the answer; called only if the picture is shown. Throws if it cannot be drawn. */
  readonly picture?: (options: GridOptions) => Picture;
  /** Draws the answer as SVG, for answers that are not pictures of layouts. */
  readonly svg?: () => string;
}

export interface Example {
  /** The command line after `stridewise`, as typed in a POSIX shell. */
  readonly line: string;
  readonly about: string;
}

export interface Command {
  readonly name: string;
  /** The operands in usage lines: A [M]. */
  readonly usage: string;
  readonly operands: readonly Pick<CliOperand, "name" | "about">[];
  /** One line for the list of commands. */
  readonly summary: string;
  /** Further lines for the command's own help. */
  readonly details: readonly string[];
  readonly options: Options;
  readonly examples: readonly Example[];
  readonly run: (invocation: Invocation) => Outcome;
  /** Explains how the answer is derived, for commands that support it. */
  readonly explain?: (invocation: Invocation) => Explanation;
}

type Values<Operands extends readonly CliOperand[]> = {
  readonly [K in keyof Operands]: Operands[K] extends CliOperand<infer T> ? T : never;
};

type Run<Operands extends readonly CliOperand[], Result> = (
  values: Values<Operands>,
  options: OptionValues,
  invocation: Invocation,
) => Result;

interface Definition<Operands extends readonly CliOperand[]> {
  readonly name: string;
  readonly operands: Operands;
  readonly summary: string;
  readonly details?: readonly string[];
  readonly options?: Options;
  readonly examples: readonly Example[];
  readonly run: Run<Operands, Outcome>;
  readonly explain?: Run<Operands, Explanation>;
}

/** Creates the command of a definition. Its operands are counted and parsed before it runs. */
export function command<const Operands extends readonly CliOperand[]>(definition: Definition<Operands>): Command {
  const { name, operands, summary, details = [], options = {}, examples, run, explain } = definition;
  const usage = operands.map((operand) => (operand.optional ? `[${operand.name}]` : operand.name)).join(" ");
  const read = (invocation: Invocation): Values<Operands> =>
    readOperands(name, usage, operands, invocation) as Values<Operands>;
  return {
    name,
    usage,
    operands,
    summary,
    details,
    options,
    examples,
    run: (invocation) => run(read(invocation), invocation.options, invocation),
    ...(explain && { explain: (invocation) => explain(read(invocation), invocation.options, invocation) }),
  };
}

function readOperands(name: string, usage: string, operands: readonly CliOperand[], invocation: Invocation): unknown[] {
  const texts = invocation.operands;
  const usageLine = `Usage: ${`stridewise ${name} ${usage}`.trimEnd()}`;
  const missing = operands.find((operand, i) => !operand.optional && i >= texts.length);
  if (missing) throw new UsageError(`${name}: ${missing.name} is missing (${missing.about}). ${usageLine}`);
  const extra = texts[operands.length];
  if (extra !== undefined) throw new UsageError(`${name}: unexpected operand ${quoted(extra)}. ${usageLine}`);
  const symbols = symbolsIn(
    texts.map((text, i) => ({ text, min: operands[i].min })),
    invocation.facts,
  );
  return operands.map((operand, i) => (i < texts.length ? operand.read(texts[i], { symbols }) : undefined));
}
