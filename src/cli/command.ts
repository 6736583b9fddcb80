/**
 * A command as data: its name, operands, options, examples and what it does. Help, dispatch and suggestions follow from
 * the table of commands, so a new one is one entry.
 */
import type { GridOptions, Picture } from "../draw/index.ts";
import type { Explanation } from "../layout/explain.ts";
import { type Given, type Options, quoted } from "./arguments.ts";
import type { Operand } from "./operands.ts";
import { type Facts, symbolsIn } from "./symbols.ts";
import { UsageError } from "./usage-error.ts";

/** What a command is started with. */
export interface Invocation {
  /** The operands as they were typed, without the command's name. */
  readonly operands: readonly string[];
  readonly given: Given;
  readonly facts: Facts;
  readonly table: readonly Command[];
}

/** What a command found. */
export interface Outcome {
  /** The answer as text, the notation first. */
  readonly lines: readonly string[];
  /** The answer as data, after the operation and its operands. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Made only when someone looks; it refuses what cannot be drawn. */
  readonly picture?: (options: GridOptions) => Picture;
}

export interface Example {
  /** What is typed after `stridewise`, as in a POSIX shell. */
  readonly line: string;
  readonly about: string;
}

export interface Command {
  readonly name: string;
  /** The operands as usage shows them: A [M]. */
  readonly usage: string;
  readonly operands: readonly Pick<Operand, "name" | "about">[];
  /** One line for the list of commands. */
  readonly summary: string;
  /** More for the command's own help. */
  readonly details: readonly string[];
  readonly options: Options;
  readonly examples: readonly Example[];
  readonly run: (invocation: Invocation) => Outcome;
  /** How the answer comes about, for commands that can tell. */
  readonly explain?: (invocation: Invocation) => Explanation;
}

type Values<Operands extends readonly Operand[]> = {
  readonly [K in keyof Operands]: Operands[K] extends Operand<infer T> ? T : never;
};

type Run<Operands extends readonly Operand[], Result> = (
  values: Values<Operands>,
  given: Given,
  invocation: Invocation,
) => Result;

interface Definition<Operands extends readonly Operand[]> {
  readonly name: string;
  readonly operands: Operands;
  readonly summary: string;
  readonly details?: readonly string[];
  readonly options?: Options;
  readonly examples: readonly Example[];
  readonly run: Run<Operands, Outcome>;
  readonly explain?: Run<Operands, Explanation>;
}

/** The command of a definition: its operands are counted and read before it runs. */
export function command<const Operands extends readonly Operand[]>(definition: Definition<Operands>): Command {
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
    run: (invocation) => run(read(invocation), invocation.given, invocation),
    ...(explain && { explain: (invocation) => explain(read(invocation), invocation.given, invocation) }),
  };
}

const usageOf = (name: string, usage: string): string => `stridewise ${name} ${usage}`.trimEnd();

function readOperands(name: string, usage: string, operands: readonly Operand[], invocation: Invocation): unknown[] {
  const texts = invocation.operands;
  const missing = operands.find((operand, i) => !operand.optional && i >= texts.length);
  if (missing)
    throw new UsageError(`${name}: ${missing.name} is missing (${missing.about}). Usage: ${usageOf(name, usage)}`);
  const extra = texts[operands.length];
  if (extra !== undefined)
    throw new UsageError(`${name}: ${quoted(extra)} is one operand too many. Usage: ${usageOf(name, usage)}`);
  const given = operands.slice(0, texts.length);
  const symbols = symbolsIn(
    given.map((operand, i) => ({ text: texts[i], least: operand.least })),
    invocation.facts,
  );
  return operands.map((operand, i) => (i < texts.length ? operand.read(texts[i], { symbols }) : undefined));
}
