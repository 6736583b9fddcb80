/**
 * A position in a text that advances as parts are taken. Whitespace, line ends and comments (`#` to the end of the line) separate parts and are
 * skipped. Every error is a GraphError with line and column that shows the line with a caret.
 */
import { nearest } from "../../base/arguments.ts";
import { ParseError, StridewiseError } from "../../base/errors.ts";
import type { Expr } from "../../expr/expr.ts";
import { parse } from "../../expr/parse.ts";
import { GraphError } from "./text.ts";

const separators = /(?:\s|#[^\n]*)*/y;
const quotedText = /"(?:[^"\\\n]|\\.)*"/;
export const wordPattern = /[A-Za-z_$][\w$]*/;

export class Scanner {
  readonly #who: string;
  readonly #source: string;
  #at = 0;

  constructor(who: string, source: string) {
    this.#who = who;
    this.#source = source;
  }

  /** The position of the next part. */
  get position(): number {
    separators.lastIndex = this.#at;
    separators.test(this.#source);
    this.#at = separators.lastIndex;
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.position === this.#source.length;
  }

  /** Returns to an earlier position. */
  rewind(position: number): void {
    this.#at = position;
  }

  /** Takes the next part if it matches. */
  match(pattern: RegExp): string | null {
    const sticky = new RegExp(pattern.source, "y");
    sticky.lastIndex = this.position;
    const text = sticky.exec(this.#source)?.[0] ?? null;
    if (text !== null) this.#at += text.length;
    return text;
  }

  /** Takes the next part if it is `token`; a word must end there. */
  takeIf(token: string): boolean {
    const { position } = this;
    if (!this.#source.startsWith(token, position)) return false;
    const end = position + token.length;
    if (/\w$/.test(token) && /[\w$]/.test(this.#source[end] ?? "")) return false;
    this.#at = end;
    return true;
  }

  expect(token: string): void {
    if (!this.takeIf(token)) this.missing(`"${token}"`);
  }

  /** Takes a string in double quotes; null if there is none. */
  string(): string | null {
    const { position } = this;
    const text = this.match(quotedText);
    if (text === null) return this.#source[position] === '"' ? this.fail("the string does not end", position) : null;
    try {
      return JSON.parse(text) as string;
    } catch {
      return this.fail("the string is not valid JSON", position);
    }
  }

  /** Takes a word or a string; `what` describes it. */
  name(what: string): string {
    return this.string() ?? this.match(wordPattern) ?? this.missing(what);
  }

  integer(what: string): number {
    const { position } = this;
    const value = Number(this.match(/-?\d+/) ?? this.missing(what));
    return Number.isSafeInteger(value) ? value : this.fail(`${what} must be below 2^53`, position);
  }

  /** Takes items that are separated by commas, up to `close`, which is taken too. */
  list<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    if (this.takeIf(close)) return items;
    do {
      items.push(item());
    } while (this.takeIf(","));
    if (!this.takeIf(close)) this.missing(`"," or "${close}"`);
    return items;
  }

  /** Takes an integer expression, up to a comma or a closing bracket. */
  expression(symbols: Readonly<Record<string, Expr>>): Expr {
    const start = this.position;
    let depth = 0;
    let end = start;
    for (; end < this.#source.length; end++) {
      const character = this.#source[end];
      if (character === "(") depth++;
      else if (character === ")" && depth > 0) depth--;
      else if (')]}#\n=:"'.includes(character) || (character === "," && depth === 0)) break;
    }
    const text = this.#source.slice(start, end).trimEnd();
    if (text === "") return this.missing("a value");
    this.#at = start + text.length;
    try {
      return parse(text, { symbols });
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      const [message] = error.message.split("\n", 1);
      return this.fail(message.replace(/^parse: /, "").replace(/\.$/, ""), start + error.position);
    }
  }

  /** Calls `make`, and adds the position to its error. */
  located<T>(at: number, make: () => T): T {
    try {
      return make();
    } catch (error) {
      if (error instanceof StridewiseError && !(error instanceof GraphError))
        return this.fail(error.message.replace(/^[\w.]+: /, "").replace(/\.$/, ""), at);
      throw error;
    }
  }

  missing(what: string): never {
    const { position } = this;
    const next = this.#source.slice(position).match(/^(?:[\w$.%@]+|.)/)?.[0];
    return this.fail(`expected ${what}, found ${next === undefined ? "the end" : `"${next}"`}`, position);
  }

  /** Throws for a name that is not among those known. */
  unknown(what: string, name: string, known: readonly string[], at: number): never {
    const guess = nearest(name, known);
    return this.fail(`unknown ${what} "${name}"${guess === undefined ? "" : `. Did you mean ${guess}?`}`, at);
  }

  fail(message: string, at: number): never {
    const before = this.#source.slice(0, at).split("\n");
    const position = `line ${before.length}, column ${(before.at(-1) as string).length + 1}`;
    const text = `${this.#who}: ${position}: ${message}${message.endsWith("?") ? "" : "."}`;
    throw new GraphError(new ParseError(text, this.#source, at).message);
  }
}
