/**
 * Prints an answer: as text with its picture, as JSON, as SVG or as LaTeX.
 * In JSON, static and dynamic integers are numbers; symbolic integers and coordinate strides are text. The field `text` of a layout keeps the
 * difference between `_8` and `8`.
 */
import { StridewiseError } from "../base/errors.ts";
import { type GridOptions, type Picture, toLatex, toSvg, toText } from "../draw/index.ts";
import { isExpr } from "../expr/index.ts";
import { formatLayout, isBasis, isComposed, isLayout, isStaticInt, isSwizzle, isUnderscore } from "../layout/index.ts";
import { integerOption, type OptionValues, optionValue, UsageError } from "./arguments.ts";
import type { Invocation, Outcome } from "./command.ts";

/** A file that cannot be written. */
export class WriteError extends Error {
  override readonly name = "WriteError";
}

/** The streams, files and terminal that the command uses, so that it can run without a process. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly writeFile: (path: string, text: string) => void;
  readonly version: () => string;
  /** True if stdout is a terminal that shows colors. */
  readonly color: boolean;
  /** The width of the terminal, if stdout is one. */
  readonly columns?: number;
}

/** True if stdout is a terminal and the environment does not turn colors off (https://no-color.org). */
export const showsColor = (isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): boolean =>
  isTerminal && !environment.NO_COLOR && environment.TERM !== "dumb";

const withNewline = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** Prints the answer. Files come first, so that nothing is printed if one cannot be written. */
export function write(name: string, outcome: Outcome, invocation: Invocation, io: Io): void {
  const { options } = invocation;
  const file = optionValue(options, "svg");
  const onStdout = [
    ...(file === "-" ? ["--svg -"] : []),
    ...["latex", "json"].filter((option) => options.has(option)).map((option) => `--${option}`),
  ];
  if (onStdout.length > 1) throw new UsageError(`${onStdout.join(" and ")} both print to stdout. Pass one of them.`);
  const maxCells = integerOption(options, "max-cells");
  const drawing: GridOptions = maxCells === undefined ? {} : { maxCells };
  const needed = (): Picture => {
    if (!outcome.picture) throw new UsageError(`${name} has no picture.`);
    return outcome.picture(drawing);
  };

  const svg = (): string => withNewline(outcome.svg?.() ?? toSvg(needed()));
  if (file !== undefined && file !== "-") writeTo(file, svg(), io);
  if (file === "-") io.out(svg());
  else if (options.has("latex")) io.out(withNewline(toLatex(needed())));
  else if (options.has("json")) io.out(jsonText(name, outcome, invocation));
  else {
    io.out(outcome.lines.map((line) => `${line}\n`).join(""));
    if (file === undefined && !options.has("no-picture")) printPicture(outcome, drawing, options, io);
  }
}

/** Writes a file; the error of one that cannot be written names it. */
export function writeTo<T extends string | Uint8Array>(
  file: string,
  content: T,
  io: { readonly writeFile: (path: string, content: T) => void },
): void {
  try {
    io.writeFile(file, content);
  } catch (error) {
    throw new WriteError(`cannot write ${file}: ${(error as Error).message.replace(/, open .*$/s, "")}`);
  }
}

/** Creates a folder; the error of one that cannot be created names it. */
export function createFolder(folder: string, io: { readonly makeFolder: (path: string) => void }): void {
  try {
    io.makeFolder(folder);
  } catch (error) {
    throw new WriteError(`cannot create the folder ${folder}: ${(error as Error).message.replace(/, mkdir .*$/s, "")}`);
  }
}

const jsonText = (name: string, { data }: Outcome, { operands }: Invocation): string =>
  `${JSON.stringify(toPlain({ operation: name, operands, ...data }), null, 2)}\n`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of colors start with one
const ansiColor = /\u001b\[[\d;]*m/g;

/** Prints the picture below an empty line, or to stderr the reason why there is none. */
function printPicture(outcome: Outcome, drawing: GridOptions, options: OptionValues, io: Io): void {
  if (!outcome.picture) return;
  let picture: Picture;
  try {
    picture = outcome.picture(drawing);
  } catch (error) {
    if (!(error instanceof StridewiseError)) throw error;
    io.err(`no picture: ${forCommandLine(error.message)}\n`);
    return;
  }
  const text = toText(picture, { ascii: options.has("ascii"), color: io.color });
  const width = Math.max(...text.split("\n").map((line) => [...line.replace(ansiColor, "")].length));
  if (io.columns !== undefined && width > io.columns) {
    io.err(
      `no picture: it needs ${width} columns, the terminal has ${io.columns}; use --svg FILE, or pipe to less -S\n`,
    );
    return;
  }
  // The picture's title is often the notation, which is already printed.
  const [title] = text.split("\n", 1);
  const isPrinted = outcome.lines.some((line) => line === title || line === `= ${title}`);
  io.out(`\n${isPrinted ? text.slice(title.length + 1) : text}`);
}

/** Rewrites a message of the library for the command line: options in place of arguments. */
export const forCommandLine = (message: string): string =>
  message
    .replace(/^(\w+Picture): /, "")
    .replace(/^parse[A-Z]\w*: /, "layout notation: ")
    .replace("State it: sym(name, { min, max, divisibleBy })", "State it, as in --where 'n>=4, n%4=0'")
    .replace("Use numbers, or sizeInt and crd2idx", "Give its symbols values, as in --where n=8")
    .replace(/more than maxCells = (\d+)\..*/, "more than $1; --max-cells draws more")
    .replace("; give the symbol a value first", "; give its symbols values, as in --where n=8")
    .replace("; offsetAt gives the offset", "; the command offset gives the offset");

/** The value with every layout, integer and swizzle in it as JSON data. */
export function toPlain(value: unknown): unknown {
  if (isStaticInt(value)) return value.value;
  if (isExpr(value)) return value.value ?? String(value);
  if (isBasis(value) || isSwizzle(value) || isUnderscore(value)) return String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return null;
  if (Array.isArray(value)) return value.map(toPlain);
  if (isComposed(value))
    return {
      outer: toPlain(value.outer),
      offset: toPlain(value.offset),
      inner: toPlain(value.inner),
      text: formatLayout(value),
    };
  if (isLayout(value)) return { shape: toPlain(value.shape), stride: toPlain(value.stride), text: formatLayout(value) };
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toPlain(each)]));
}
