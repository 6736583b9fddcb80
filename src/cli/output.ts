/**
 * How an answer leaves the command: as text with its picture, as JSON, as SVG, as LaTeX.
 * In JSON static and dynamic integers are numbers, symbolic ones and coordinate strides are their text; the field `text` of a layout keeps the
 * difference between `_8` and `8`.
 */
import { StridewiseError } from "../base/errors.ts";
import { type GridOptions, type Picture, toLatex, toSvg, toText } from "../draw/index.ts";
import { isExpr } from "../expr/index.ts";
import { formatLayout, isBasis, isComposed, isLayout, isStaticInt, isSwizzle, isUnderscore } from "../layout/index.ts";
import { type Given, has, valueOfOption } from "./arguments.ts";
import type { Invocation, Outcome } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** What the command reads and writes, so that it can run without a process. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly writeFile: (path: string, text: string) => void;
  readonly version: () => string;
  /** True if stdout is a terminal that shows colours. */
  readonly color: boolean;
  /** The width of the terminal, if stdout is one. */
  readonly columns?: number;
}

const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** Writes the answer. Files come first, so that nothing is printed when one cannot be written. */
export function write(name: string, outcome: Outcome, invocation: Invocation, io: Io): void {
  const { given } = invocation;
  const file = valueOfOption(given, "svg");
  const onStdout = [
    ...(file === "-" ? ["--svg -"] : []),
    ...["latex", "json"].filter((option) => has(given, option)).map((option) => `--${option}`),
  ];
  if (onStdout.length > 1) throw new UsageError(`${onStdout.join(" and ")} both print to stdout; give one of them.`);
  const options = gridOptions(given);
  const needed = (): Picture => {
    if (!outcome.picture) throw new UsageError(`${name} has no picture to draw here.`);
    return outcome.picture(options);
  };

  if (file !== undefined && file !== "-") writeTo(file, ended(toSvg(needed())), io);
  if (file === "-") io.out(ended(toSvg(needed())));
  else if (has(given, "latex")) io.out(ended(toLatex(needed())));
  else if (has(given, "json")) io.out(jsonText(name, outcome, invocation));
  else {
    const text = outcome.lines.map((line) => `${line}\n`).join("");
    const drawn = file === undefined && !has(given, "no-picture") ? pictureText(outcome, options, given, io) : "";
    io.out(drawn === "" ? text : `${text}\n${drawn}`);
  }
}

function gridOptions(given: Given): GridOptions {
  const most = valueOfOption(given, "max-cells");
  if (most === undefined) return {};
  if (!/^\d+$/.test(most) || !Number.isSafeInteger(Number(most)))
    throw new UsageError(`--max-cells is an integer from 0 up, not "${most}".`);
  return { maxCells: Number(most) };
}

function writeTo(file: string, text: string, io: Io): void {
  try {
    io.writeFile(file, text);
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${(error as Error).message.replace(/, open .*$/s, "")}`);
  }
}

const jsonText = (name: string, { data }: Outcome, { operands }: Invocation): string =>
  `${JSON.stringify(toPlain({ operation: name, operands, ...data }), null, 2)}\n`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how terminals are told colours
const ansiColor = /\u001b\[[\d;]*m/g;

/** The picture for a terminal, or the reason why there is none. */
function pictureText(outcome: Outcome, options: GridOptions, given: Given, io: Io): string {
  if (!outcome.picture) return "";
  let picture: Picture;
  try {
    picture = outcome.picture(options);
  } catch (error) {
    if (!(error instanceof StridewiseError)) throw error;
    return `no picture: ${inCommandWords(error.message)}\n`;
  }
  const text = toText(picture, { ascii: has(given, "ascii"), color: io.color });
  const width = Math.max(...text.split("\n").map((line) => [...line.replace(ansiColor, "")].length));
  if (io.columns !== undefined && width > io.columns)
    return `no picture: it needs ${width} columns, the terminal has ${io.columns}; use --svg FILE, or pipe to less -S\n`;
  // The picture's title is often the notation, which is already there.
  const [title] = text.split("\n", 1) as [string];
  const isShown = outcome.lines.some((line) => line === title || line === `= ${title}`);
  return isShown ? text.slice(title.length + 1) : text;
}

/** What the library says to programmers, for the command line. */
export const inCommandWords = (message: string): string =>
  message
    .replace(/^(\w+Picture): /, "")
    .replace(/more than maxCells = (\d+)\..*/, "more than $1; --max-cells draws more")
    .replace("; give the symbol a value first", "; give its symbols values, as in --where n=8")
    .replace("; offsetAt gives the offset", "; the command offset gives the offset");

/** The value with every layout, integer and swizzle in it made plain. */
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
