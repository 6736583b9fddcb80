/**
 * The words of a command line, sorted into operands and options. Knows which options exist and which take a value,
 * nothing about what they mean.
 *
 * `--name value` and `--name=value` are the same; `--` ends the options. What starts with one `-` is an operand, such as
 * `-1:2` or `-3`, unless it is letters only; `-` alone is an operand too.
 */
import { suggestion, UsageError } from "./usage-error.ts";

/** An option as help shows it. */
export interface Option {
  /** The name of its value in help; without it, the option is a switch. */
  readonly value?: string;
  readonly about: string;
  /** May be given more than once. */
  readonly repeats?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** What was given for each option: its values, or an empty list for a switch. */
export type Given = ReadonlyMap<string, readonly string[]>;

export interface Arguments {
  readonly operands: readonly string[];
  readonly given: Given;
}

const shortNames: Readonly<Record<string, string>> = { "-h": "help" };
const looksLikeOption = (word: string): boolean => /^--[A-Za-z]/.test(word) || /^-[A-Za-z]+$/.test(word);

/** Sorts the words; an unknown option, a missing value and a value for a switch are refused. */
export function readArguments(words: readonly string[], known: Options): Arguments {
  const operands: string[] = [];
  const given = new Map<string, string[]>();
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
      given.set(name, option.repeats ? [...(given.get(name) ?? []), ...values] : values);
    }
  }
  return { operands, given };
}

function splitOption(word: string, known: Options): [name: string, value: string | undefined] {
  const [head, ...tail] = word.split("=");
  const name = shortNames[word] ?? head.replace(/^--/, "");
  if (Object.hasOwn(known, name)) return [name, tail.length === 0 ? undefined : tail.join("=")];
  const hint = suggestion(
    head,
    Object.keys(known).map((each) => `--${each}`),
  );
  const asOperand = hint || word.startsWith("--") ? "" : ` An operand that starts with - comes after --: -- ${word}`;
  throw new UsageError(`unknown option ${head}.${hint}${asOperand}`);
}

function valueAfter(name: string, value: string, rest: string[]): string {
  const next = rest.shift();
  if (next === undefined || looksLikeOption(next)) throw new UsageError(`--${name} needs a value: --${name} ${value}`);
  return next;
}

/** True if and only if the option was given. */
export const has = (given: Given, name: string): boolean => given.has(name);
/** The value of an option, the last one if it was given twice. */
export const valueOfOption = (given: Given, name: string): string | undefined => given.get(name)?.at(-1);

/** The value of an option that is one of a few words. */
export function choose<Choice extends string>(
  given: Given,
  name: string,
  choices: readonly Choice[],
  otherwise: Choice,
): Choice {
  const value = valueOfOption(given, name);
  const choice = value === undefined ? otherwise : choices.find((each) => each === value);
  if (choice === undefined)
    throw new UsageError(`--${name} is ${listed(choices)}, not "${value}".${suggestion(value as string, choices)}`);
  return choice;
}

/** "a, b or c" */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** The word as a POSIX shell needs it to be typed. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
