/**
 * Splits the words of a command line into operands and options. Knows which options exist and which take a value, not what they mean.
 *
 * `--name value` and `--name=value` are the same; `--` ends the options. A word that starts with one `-` is an operand, such as
 * `-1:2` or `-3`, unless it is letters only; `-` alone is an operand too.
 */
import { nearest } from "../base/arguments.ts";

/** A command line that is wrong: an unknown command or option, a missing operand. The message is one line, without a stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** " Did you mean compose?", or "" if no known name is close. */
export function suggestion(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  return guess === undefined ? "" : ` Did you mean ${guess}?`;
}

/** The definition of an option, as help shows it. */
export interface Option {
  /** The name of its value in help. An option without one is a switch. */
  readonly value?: string;
  readonly about: string;
  /** True if the option can be repeated. */
  readonly repeats?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** The values of each option on the command line; an empty list for a switch. */
export type OptionValues = ReadonlyMap<string, readonly string[]>;

export interface Arguments {
  readonly operands: readonly string[];
  readonly options: OptionValues;
}

/** Other spellings of options. */
const otherNames: Readonly<Record<string, string>> = { "-h": "help", "-o": "output", "--out": "output" };
const looksLikeOption = (word: string): boolean => /^--[A-Za-z]/.test(word) || /^-[A-Za-z]+$/.test(word);

/** Parses the words; throws for an unknown option, a missing value, or a value for a switch. */
export function readArguments(words: readonly string[], known: Options): Arguments {
  const operands: string[] = [];
  const options = new Map<string, string[]>();
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      operands.push(...rest.splice(0));
    } else if (!looksLikeOption(word)) {
      operands.push(word);
    } else {
      const [name, attached] = splitOption(word, known);
      const option = known[name];
      if (option.value === undefined && attached !== undefined) throw new UsageError(`--${name} takes no value.`);
      const values = option.value === undefined ? [] : [attached ?? valueAfter(name, option.value, rest)];
      options.set(name, option.repeats ? [...(options.get(name) ?? []), ...values] : values);
    }
  }
  return { operands, options };
}

function splitOption(word: string, known: Options): [name: string, value: string | undefined] {
  const [head, ...tail] = word.split("=");
  const name = otherNames[head] ?? head.replace(/^--/, "");
  if (Object.hasOwn(known, name)) return [name, tail.length === 0 ? undefined : tail.join("=")];
  const hint = suggestion(
    head,
    Object.keys(known).map((each) => `--${each}`),
  );
  const asOperand = hint || word.startsWith("--") ? "" : ` To pass it as an operand, write -- ${word}`;
  throw new UsageError(`unknown option ${head}.${hint}${asOperand}`);
}

function valueAfter(name: string, value: string, rest: string[]): string {
  const next = rest.shift();
  if (next === undefined || looksLikeOption(next)) throw new UsageError(`--${name} needs a value: --${name} ${value}`);
  return next;
}

/** The value of an option, or undefined if it is omitted. */
export const optionValue = (options: OptionValues, name: string): string | undefined => options.get(name)?.at(-1);

/** The value of an option that is a non-negative integer, or undefined if it is omitted. */
export function integerOption(options: OptionValues, name: string): number | undefined {
  const text = optionValue(options, name);
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new UsageError(`--${name} must be a non-negative integer, got "${text}".`);
  return Number(text);
}

/** The value of an option that is one of a few words; the first of them is the default. */
export function choiceOption<Choice extends string>(
  options: OptionValues,
  name: string,
  choices: readonly Choice[],
): Choice {
  const value = optionValue(options, name);
  if (value === undefined) return choices[0];
  const choice = choices.find((each) => each === value);
  if (choice === undefined)
    throw new UsageError(`--${name} must be ${listed(choices)}, got "${value}".${suggestion(value, choices)}`);
  return choice;
}

/** "a, b or c" */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** The word as it is typed in a POSIX shell. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
