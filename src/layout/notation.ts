/**
 * Parses layouts: `((_3,2),_5):((4,1),_2)`, `Sw<3,0,3> o _0 o (_8,_8):(_8,_1)`, `(_4,5):(_1@0,_1@1)`.
 * `_8` is static, `8` dynamic, anything else an expression over symbols (`4*n`), which are integers of at least 1.
 * A shape alone means its column-major layout. Tilers: a layout, an integer, `_`, or `<4:1,8>` / `(4,8)` mode by mode.
 * Errors carry the position in the text. Not exported by index.ts, so that the algebra does not load expressions.
 */
import { ParseError, StridewiseError } from "../base/errors.ts";
import { type Expr, sym } from "../expr/expr.ts";
import { parse as parseExpr } from "../expr/parse.ts";
import { E, ScaledBasis, type StrideTuple } from "./basis.ts";
import { _, type SliceCoord } from "./coord.ts";
import { type Int, int } from "./int.ts";
import { type AnyLayout, type Layout, LayoutLeft, makeComposedLayout, makeLayout, type Tiler } from "./layout.ts";
import { type Swizzle, swizzle } from "./swizzle.ts";
import type { IntTuple } from "./tuple.ts";

export interface NotationOptions {
  /** Symbols with their assumptions; other names are integers of at least 1. */
  readonly symbols?: Readonly<Record<string, Expr>>;
}

/** A cursor over the text. */
class Reader {
  declare readonly who: string;
  declare readonly text: string;
  declare readonly options: NotationOptions;
  position = 0;
  /** The minimum of undeclared symbols: 1 in layouts, 0 in coordinates. */
  defaultMin = 1;
  #depth = 0;
  constructor(who: string, text: string, options: NotationOptions) {
    this.who = who;
    this.text = text;
    this.options = options;
  }
  skip(): void {
    while (/\s/.test(this.text[this.position] ?? "")) this.position++;
  }
  peek(): string {
    this.skip();
    return this.text[this.position] ?? "";
  }
  take(token: string): boolean {
    this.skip();
    if (!this.text.startsWith(token, this.position)) return false;
    this.position += token.length;
    return true;
  }
  expect(token: string, where: string): void {
    if (!this.take(token)) throw this.error(`expected "${token}" ${where}`);
  }
  match(pattern: RegExp): string | undefined {
    this.skip();
    const sticky = new RegExp(pattern.source, "y");
    sticky.lastIndex = this.position;
    const result = sticky.exec(this.text)?.[0];
    if (result !== undefined) this.position += result.length;
    return result;
  }
  /** Reads something nested; the depth is limited, so that no text can exhaust the stack. */
  nested<T>(read: () => T): T {
    if (++this.#depth > 100)
      throw new ParseError(`${this.who}: modes are nested more than 100 deep`, this.text, this.position);
    const result = read();
    this.#depth--;
    return result;
  }
  error(problem: string, at = this.position): ParseError {
    const next = this.text[at];
    return new ParseError(
      `${this.who}: ${problem}, found ${next === undefined ? "the end" : `"${next}"`}`,
      this.text,
      at,
    );
  }
  end(): void {
    if (this.peek() !== "")
      throw this.error(`expected ${this.peek() === "," ? "parentheses around a tuple" : "the end of the text"}`);
  }
}

/** Reads a list in brackets; a trailing comma is allowed, as in (4,). */
function list<T>(reader: Reader, close: string, item: () => T): T[] {
  const items: T[] = [];
  while (!reader.take(close)) {
    items.push(reader.nested(item));
    if (!reader.take(",")) {
      reader.expect(close, `or "," after a mode`);
      break;
    }
  }
  return items;
}

/** Reads a number, `_number` or an expression: the text up to the next comma, colon, @ or closing bracket outside parentheses. */
function integer(reader: Reader, what: string): Int {
  reader.skip();
  const start = reader.position;
  const fixed = reader.match(/_-?\d+/);
  if (fixed !== undefined) return relocated(reader, start, () => int(Number(fixed.slice(1))));
  let depth = 0;
  while (reader.position < reader.text.length) {
    const c = reader.text[reader.position];
    if (c === "(") depth++;
    if (c === ")" && depth-- === 0) break;
    if (depth === 0 && /[:@<>[\],]/.test(c)) break;
    reader.position++;
    if (!/\s/.test(c)) continue;
    reader.skip();
    // An "o" between spaces composes: the integer ends before it.
    if (depth === 0 && /o\s/y.test(reader.text.slice(reader.position, reader.position + 2))) break;
  }
  const piece = reader.text.slice(start, reader.position);
  if (piece.trim() === "") throw reader.error(`expected ${what}`, start);
  if (/^-?\d+\s*$/.test(piece)) {
    const value = Number(piece);
    if (!Number.isSafeInteger(value))
      throw new ParseError(
        `${reader.who}: ${piece.trim()} is past 2^53 - 1, the largest exact integer`,
        reader.text,
        start,
      );
    return value;
  }
  return relocated(reader, start, () => {
    const known = reader.options.symbols ?? {};
    const symbols: Record<string, Expr> = Object.create(null);
    for (const [, name, call] of piece.matchAll(/([A-Za-z_]\w*)\s*(\(?)/g))
      if (name && !call)
        symbols[name] = Object.hasOwn(known, name) ? known[name] : sym(name, { min: reader.defaultMin });
    const expr = parseExpr(piece, { symbols });
    return expr.kind === "const" ? expr.value : expr;
  });
}

/** Rethrows errors with their position in the whole text. */
function relocated<T>(reader: Reader, start: number, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof StridewiseError)) throw error;
    const [problem] = error.message.split("\n");
    const at = error instanceof ParseError ? start + error.position : start;
    throw new ParseError(`${reader.who}: ${problem.replace(/^\w+: /, "")}`, reader.text, at);
  }
}

function size(reader: Reader): Int {
  reader.skip();
  const start = reader.position;
  const value = integer(reader, "a size");
  return relocated(reader, start, () => makeLayout(value).shape);
}

const shapeTuple = (reader: Reader): IntTuple =>
  reader.take("(") ? list(reader, ")", () => shapeTuple(reader)) : size(reader);

function strideTuple(reader: Reader): StrideTuple {
  if (reader.take("(")) return list(reader, ")", () => strideTuple(reader));
  reader.skip();
  const start = reader.position;
  const value = integer(reader, "a stride");
  const path: number[] = [];
  while (reader.take("@")) {
    const mode = reader.match(/\d+/);
    if (mode === undefined) throw reader.error("expected a mode number after @");
    path.unshift(Number(mode));
  }
  return path.length === 0 ? value : relocated(reader, start, () => new ScaledBasis(value, E(...path).path));
}

function plainLayout(reader: Reader): Layout {
  reader.skip();
  const start = reader.position;
  const shape = shapeTuple(reader);
  if (!reader.take(":")) return relocated(reader, start, () => makeLayout(shape, LayoutLeft));
  reader.skip();
  const at = reader.position;
  const stride = strideTuple(reader);
  return relocated(reader, at, () => makeLayout(shape, stride));
}

function swizzleText(reader: Reader): Swizzle {
  const start = reader.position;
  reader.expect("<", "after Sw");
  const parts = list(reader, ">", () => {
    const value = reader.match(/-?\d+/);
    if (value === undefined) throw reader.error("expected a number");
    return Number(value);
  });
  if (parts.length !== 3) throw reader.error("expected three numbers in Sw<bits,base,shift>", start);
  return relocated(reader, start, () => swizzle(...(parts as [number, number, number])));
}

function anyLayout(reader: Reader): AnyLayout {
  if (!reader.take("Sw")) return plainLayout(reader);
  const outer = swizzleText(reader);
  if (reader.match(/o\b/) === undefined) throw reader.error(`expected "o" after the swizzle`);
  const offset = integer(reader, "an offset");
  if (reader.match(/o\b/) === undefined) throw reader.error(`expected "o" after the offset`);
  return makeComposedLayout(outer, offset, plainLayout(reader));
}

function tiler(reader: Reader): Tiler {
  for (const [open, close] of [
    ["<", ">"],
    ["[", "]"],
  ] as const)
    if (reader.take(open)) return list(reader, close, () => tiler(reader));
  if (reader.match(/_(?![\d-])/) !== undefined) return _;
  reader.skip();
  const start = reader.position;
  const shape = shapeTuple(reader);
  if (!reader.take(":")) return shape;
  const stride = strideTuple(reader);
  return relocated(reader, start, () => makeLayout(shape, stride));
}

const sliceCoord = (reader: Reader): SliceCoord =>
  reader.take("(")
    ? list(reader, ")", () => sliceCoord(reader))
    : reader.match(/_(?![\d-])/) !== undefined
      ? _
      : integer(reader, "a coordinate or _");

function whole<T>(who: string, text: string, options: NotationOptions, read: (reader: Reader) => T): T {
  if (typeof text !== "string") throw new ParseError(`${who}: expected a string, got ${typeof text}`, String(text), 0);
  const reader = new Reader(who, text, options);
  const result = read(reader);
  reader.end();
  return result;
}

/** Text that provably is not a swizzle is a plain layout. */
export type ParsedLayout<T extends string> = string extends T
  ? AnyLayout
  : T extends `${"Sw" | " " | "\n" | "\t"}${string}`
    ? AnyLayout
    : Layout;

/** Reads a layout or a shape (then column-major), or a swizzled layout. */
export const parseLayout = <const T extends string>(text: T, options: NotationOptions = {}): ParsedLayout<T> =>
  whole("parseLayout", text, options, anyLayout) as ParsedLayout<T>;
/** Reads a tiler: a layout, an integer, `_`, a shape (mode by mode) or `<tiler,...>`. */
export const parseTiler = (text: string, options: NotationOptions = {}): Tiler =>
  whole("parseTiler", text, options, tiler);
/** Reads a nested tuple of integers. */
export const parseTuple = (text: string, options: NotationOptions = {}): IntTuple =>
  whole("parseTuple", text, options, shapeTuple);
/** Reads a coordinate, in which `_` selects all of a mode. */
export const parseCoord = (text: string, options: NotationOptions = {}): SliceCoord =>
  whole("parseCoord", text, options, (reader) => {
    reader.defaultMin = 0;
    return sliceCoord(reader);
  });
/** Reads `Sw<bits,base,shift>`. */
export const parseSwizzle = (text: string): Swizzle =>
  whole("parseSwizzle", text, {}, (reader) => {
    reader.expect("Sw", "at the start of a swizzle");
    return swizzleText(reader);
  });
export { ParseError };
