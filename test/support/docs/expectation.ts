/**
 * The expectation stated by a comment in an example, and the functions that the rewritten example calls to check it.
 * Each one records that it was reached: an expectation that is never reached fails.
 */
import { shown } from "./shown.ts";

export interface Expectation {
  /** `docs/12-layouts.md:42` */
  readonly line: string;
  readonly text: string;
}

const reachedLines = new Set<string>();

/** Whether the statement at this line has run. */
export const wasReached = (expectation: Expectation): boolean => reachedLines.has(expectation.line);

const withoutTrailingSpace = (text: string): string => text.replace(/[ \t]+$/gm, "").trimEnd();

function compare({ line, text }: Expectation, actual: string): void {
  reachedLines.add(line);
  if (withoutTrailingSpace(actual) === withoutTrailingSpace(text)) return;
  throw new Error(`${line}: the document says\n${text}\nbut the code returns\n${actual}`);
}

/** `value; // -> text`: returns the value. */
export const shows =
  (expectation: Expectation) =>
  <T>(value: T): T => {
    compare(expectation, shown(value));
    return value;
  };

/** `console.log(...values); // -> text` */
export const prints =
  (expectation: Expectation) =>
  (...values: unknown[]): void =>
    compare(expectation, values.map(shown).join(" "));

/** `statement; // throws text`: the text is a part of `Name: message`. */
export const throws =
  (expectation: Expectation) =>
  async (statement: () => Promise<unknown>): Promise<void> => {
    reachedLines.add(expectation.line);
    const { line, text } = expectation;
    try {
      await statement();
    } catch (error) {
      if (String(error).includes(text)) return;
      throw new Error(`${line}: the document says that it throws\n${text}\nbut it throws\n${error}`, { cause: error });
    }
    throw new Error(`${line}: the document says that it throws\n${text}\nbut it does not`);
  };
