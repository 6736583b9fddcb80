/**
 * What a comment in an example promises, and the functions that the rewritten example calls to keep the promise.
 * Each one notes that it was reached: a promise behind a call that never comes is broken too.
 */
import { shown } from "./shown.ts";

export interface Expectation {
  /** `docs/12-layouts.md:42` */
  readonly place: string;
  readonly text: string;
}

const reachedPlaces = new Set<string>();

/** Whether the statement at this place has run. */
export const wasReached = (expectation: Expectation): boolean => reachedPlaces.has(expectation.place);

const withoutTrailingSpace = (text: string): string => text.replace(/[ \t]+$/gm, "").trimEnd();

function compare({ place, text }: Expectation, actual: string): void {
  reachedPlaces.add(place);
  if (withoutTrailingSpace(actual) === withoutTrailingSpace(text)) return;
  throw new Error(`${place}: the document says\n${text}\nbut the code gives\n${actual}`);
}

/** `value; // -> text`: hands the value on. */
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
    reachedPlaces.add(expectation.place);
    const { place, text } = expectation;
    try {
      await statement();
    } catch (error) {
      if (String(error).includes(text)) return;
      throw new Error(`${place}: the document says that it throws\n${text}\nbut it throws\n${error}`, { cause: error });
    }
    throw new Error(`${place}: the document says that it throws\n${text}\nbut it does not`);
  };
