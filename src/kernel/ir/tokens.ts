/**
 * The tokens of a kernel's text, and a cursor over them. Newlines are tokens, other whitespace is skipped, `#` starts a comment.
 * Every error is a KernelError with line and column that shows the line with a caret. `expr` parses integer expressions.
 */

import { nearest } from "../../base/arguments.ts";
import { ParseError, StridewiseError } from "../../base/errors.ts";
import type { Expr } from "../../expr/expr.ts";
import { parse } from "../../expr/parse-bits.ts";
import { KernelError } from "./error.ts";

/** The end of a line is "\n"; the end of the text is "". */
export interface Token {
  readonly text: string;
  readonly at: number;
}

const pattern =
  /[^\S\n]+|#[^\n]*|%\d+|(?:add|mul|min|max|and|or)=(?!=)|[A-Za-z_]\w*|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?n?|\.\.|->|[<>=!]=|./gsu;

/** The tokens that end an integer expression, outside of parentheses. */
const stops: ReadonlySet<string> = new Set(["..", "->", "{", "]", "by", "where", "\n", ""]);

const isWord = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text);
const show = ({ text }: Token): string =>
  text === "" ? "the end" : text === "\n" ? "the end of the line" : `"${text}"`;

/** A position in the text that advances as tokens are taken. */
export class Cursor {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(source: string) {
    this.#source = source;
    const tokens: Token[] = [];
    for (const match of source.matchAll(pattern))
      if (!/^(?:[^\S\n]|#)/.test(match[0])) tokens.push({ text: match[0], at: match.index });
    tokens.push({ text: "", at: source.length });
    this.#tokens = tokens;
  }

  /** Returns the next token, or one further ahead, without taking it. */
  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)];
  }

  take(): Token {
    const token = this.peek();
    this.#next++;
    return token;
  }

  /** Takes the next token if it is `text`. */
  takeIf(text: string): boolean {
    const isIt = this.peek().text === text;
    if (isIt) this.#next++;
    return isIt;
  }

  expect(text: string): Token {
    return this.peek().text === text ? this.take() : this.missing(text === "\n" ? "the end of the line" : `"${text}"`);
  }

  /** Takes the end of this line and the empty lines after it. */
  endLine(): void {
    if (this.peek().text !== "") this.expect("\n");
    this.skipLines();
  }

  skipLines(): void {
    while (this.takeIf("\n"));
  }

  word(what: string): string {
    return isWord(this.peek().text) ? this.take().text : this.missing(what);
  }

  /** Takes one word of a closed list. */
  oneOf<T extends string>(words: readonly T[]): T {
    const word = words.find((each) => each === this.peek().text) ?? this.missing(words.join(" or "));
    this.#next++;
    return word;
  }

  /** Takes one or more words, separated by commas. */
  words(what: string): readonly string[] {
    const list = [this.word(what)];
    while (this.takeIf(",")) list.push(this.word(what));
    return list;
  }

  /** Takes a number with its sign. */
  number(what: string): string {
    const sign = this.takeIf("-") ? "-" : "";
    return /^\d/.test(this.peek().text) ? sign + this.take().text : this.missing(what);
  }

  integer(what: string): number {
    const token = this.peek();
    const value = Number(this.number(what));
    return Number.isSafeInteger(value) ? value : this.fail(`expected ${what}, an integer below 2^53`, token.at);
  }

  /** Takes an integer expression. */
  expression(symbols: Readonly<Record<string, Expr>>): Expr {
    const first = this.peek();
    let depth = 0;
    let end = first.at;
    for (let token = first; token.text !== "\n" && token.text !== "" && (depth > 0 || !stops.has(token.text)); ) {
      depth += "([".includes(token.text) ? 1 : ")]".includes(token.text) ? -1 : 0;
      end = token.at + token.text.length;
      this.#next++;
      token = this.peek();
    }
    if (end === first.at) return this.missing("an integer expression");
    try {
      return parse(this.#source.slice(first.at, end), { symbols });
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      const [message] = error.message.split("\n", 1);
      return this.fail(message.replace(/^parse: /, "").replace(/\.$/, ""), first.at + error.position);
    }
  }

  /** Calls `make`, and adds the position to its error. */
  located<T>(at: number, make: () => T): T {
    try {
      return make();
    } catch (error) {
      if (error instanceof StridewiseError) return this.fail(error.message.replace(/\.$/, ""), at);
      throw error;
    }
  }

  missing(what: string): never {
    return this.fail(`expected ${what}, found ${show(this.peek())}`, this.peek().at);
  }

  /** Throws for a name that is not among those known. */
  unknown(what: string, name: string, known: readonly string[], at: number): never {
    const guess = nearest(name, known);
    return this.fail(`unknown ${what} "${name}"${guess === undefined ? "" : `. Did you mean ${guess}?`}`, at);
  }

  fail(message: string, at: number): never {
    const before = this.#source.slice(0, at).split("\n");
    const position = `line ${before.length}, column ${(before.at(-1) as string).length + 1}`;
    const text = `parseKernel: ${position}: ${message}${message.endsWith("?") ? "" : "."}`;
    throw new KernelError(new ParseError(text, this.#source, at).message);
  }
}
