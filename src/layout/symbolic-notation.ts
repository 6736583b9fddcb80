/**
 * The notation with symbols, for the main entry and the command: names that are not declared stand for integers from 1 up.
 * Apart from notation.ts, so that `stridewise/layout` alone does not load expressions.
 */
import { type Expr, sym } from "../expr/expr.ts";
import { parse } from "../expr/parse.ts";
import * as notation from "./notation.ts";
import type { Tiler } from "./tiler.ts";

export interface SymbolicOptions {
  /** What is known of symbols; other names stand for integers from 1 up. */
  readonly symbols?: Readonly<Record<string, Expr>>;
}

/** Options with every name of the text declared. */
function withSymbols(text: string, { symbols = {} }: SymbolicOptions): notation.NotationOptions {
  const names = text.match(/[A-Za-z]\w*(?!\w*\s*\()/g) ?? [];
  const declared = Object.fromEntries(names.map((name) => [name, symbols[name] ?? sym(name, { min: 1 })]));
  return { parseExpr: parse, symbols: declared };
}

/** Reads a layout or a shape (then column-major), or a swizzled layout; names are symbols. */
export const parseLayout = <const T extends string>(text: T, options: SymbolicOptions = {}): notation.ParsedLayout<T> =>
  notation.parseLayout(text, withSymbols(text, options));
/** Reads a tiler: a layout, an integer, `_`, a shape (mode by mode) or `<tiler,...>`; names are symbols. */
export const parseTiler = (text: string, options: SymbolicOptions = {}): Tiler =>
  notation.parseTiler(text, withSymbols(text, options));
