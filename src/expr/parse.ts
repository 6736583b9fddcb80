/**
 * Parses expressions: "i * 128 + 64".
 * Operators are left-associative with the usual precedence: + - below * / %, below unary minus. Operands are integers,
 * names, parentheses, floor(x), ceil(a / b), abs(x), min(a, b, ...), max(a, b, ...), floorDiv(a, b), ceilDiv(a, b) and
 * mod(a, b); `parse-bits.ts` adds bitwise functions. `/` always rounds down, so floor(x) is x, and ceil requires the division as its outermost operation. `%` has
 * the sign of its divisor. Every mistake throws a ParseError with its position.
 */
import { nearest, wrongKind } from "../base/arguments.ts";
import { ParseError, StridewiseError } from "../base/errors.ts";
import { withSteps } from "./budget.ts";
import { constant, type Expr, sym } from "./expr.ts";

export interface ParseOptions {
  /** The allowed symbols: expressions by name, or only names. If omitted, any name is a symbol. */
  readonly symbols?: Readonly<Record<string, Expr>> | readonly string[];
}

/** A parsed part, with its outermost division and whether it divides at all, which `ceil` needs. */
interface Parsed {
  readonly expr: Expr;
  readonly quotient?: readonly [Parsed, Parsed];
  readonly divides: boolean;
}

interface Token {
  readonly text: string;
  readonly at: number;
}

const binary: Readonly<Record<string, (a: Expr, b: Expr) => Expr>> = {
  "+": (a, b) => a.add(b),
  "-": (a, b) => a.sub(b),
  "*": (a, b) => a.mul(b),
  "/": (a, b) => a.floorDiv(b),
  "%": (a, b) => a.mod(b),
};

/** The functions that a text may call: the smallest and the largest number of arguments, and the value. */
export type CalledFunctions = Readonly<
  Record<string, readonly [min: number, max: number, apply: (...args: readonly [Expr, ...Expr[]]) => Expr]>
>;

const arithmetic: CalledFunctions = {
  floor: [1, 1, (x) => x],
  ceil: [1, 1, (x) => x],
  abs: [1, 1, (x) => x.abs()],
  min: [2, Infinity, (x, ...others) => x.min(...others)],
  max: [2, Infinity, (x, ...others) => x.max(...others)],
  floorDiv: [2, 2, (a, b) => a.floorDiv(b)],
  ceilDiv: [2, 2, (a, b) => a.ceilDiv(b)],
  mod: [2, 2, (a, b) => a.mod(b)],
};

export function parse(text: string, options?: ParseOptions): Expr {
  return parseCalling({}, text, options);
}

/** Parses a text that may call more functions. */
export function parseCalling(more: CalledFunctions, text: string, options: ParseOptions = {}): Expr {
  if (typeof text !== "string") throw wrongKind("parse", 'text such as "4*n + 1"', text);
  return withSteps(text.length, () => read({ ...arithmetic, ...more }, text, options));
}

function read(functions: CalledFunctions, text: string, { symbols }: ParseOptions): Expr {
  const known = Array.isArray(symbols)
    ? new Map(symbols.map((name: string) => [name, sym(name)]))
    : symbols && new Map(Object.entries(symbols));
  const fail = (message: string, at: number): never => {
    throw new ParseError(`parse: ${message}`, text, at);
  };
  const tokens = tokenize(text, fail);
  let next = 0;
  let depth = 0;
  const peek = (): Token => tokens[next];
  const quoted = ({ text }: Token): string => (text === "" ? "the end" : `"${text}"`);

  /** Runs an operation and adds a position to its errors. */
  function located(at: number, operation: () => Expr): Expr {
    try {
      return operation();
    } catch (error) {
      if (error instanceof StridewiseError) fail(error.message.replace(/^\w+: /, ""), at);
      throw error;
    }
  }

  function apply(token: Token, a: Parsed, b: Parsed): Parsed {
    const expr = located(token.at, () => binary[token.text](a.expr, b.expr));
    const isQuotient = token.text === "/";
    return { expr, divides: isQuotient || a.divides || b.divides, ...(isQuotient && { quotient: [a, b] }) };
  }

  function level(operators: string, operand: () => Parsed): Parsed {
    let left = operand();
    for (let token = peek(); token.text && operators.includes(token.text); token = peek()) {
      next++;
      left = apply(token, left, operand());
    }
    return left;
  }

  /** Parses a parenthesized expression. The depth is limited, so that no text can exhaust the stack. */
  function nested(open: Token): Parsed {
    if (++depth > 100) fail("parentheses are nested more than 100 deep.", open.at);
    const inner = sum();
    depth--;
    return inner;
  }

  const sum = (): Parsed => level("+-", () => level("*/%", unary));

  function unary(): Parsed {
    let isNegative = false;
    for (; peek().text === "-"; next++) isNegative = !isNegative;
    const operand = primary();
    return isNegative ? { expr: operand.expr.neg(), divides: operand.divides } : operand;
  }

  function primary(): Parsed {
    const token = peek();
    next++;
    if (token.text === "(") {
      const inner = nested(token);
      close(token);
      return inner;
    }
    if (/^\d/.test(token.text)) return { expr: constant(integer(token)), divides: false };
    if (!/^\w/.test(token.text)) fail(`a number, a name or "(" is missing before ${quoted(token)}.`, token.at);
    return peek().text === "(" ? functionCall(token) : { expr: symbol(token), divides: false };
  }

  function integer({ text: digits, at }: Token): number {
    const value = Number(digits);
    return Number.isSafeInteger(value) ? value : fail(`${digits} is past 2^53 - 1, the largest exact integer.`, at);
  }

  function close(open: Token): void {
    if (peek().text !== ")")
      fail(`")" is missing before ${quoted(peek())}, for the "(" at position ${open.at}.`, peek().at);
    next++;
  }

  function symbol({ text: name, at }: Token): Expr {
    if (!known) return sym(name);
    const match = known.get(name);
    if (match) return match;
    const names = [...known.keys()];
    const guess = nearest(name, names);
    const hint = guess ? ` Did you mean ${guess}?` : "";
    return fail(`unknown symbol "${name}". Known: ${names.join(", ") || "none"}.${hint}`, at);
  }

  function functionCall(name: Token): Parsed {
    const [min, max, apply] = Object.hasOwn(functions, name.text)
      ? functions[name.text]
      : fail(`unknown function "${name.text}". Known: ${Object.keys(functions).join(", ")}.`, name.at);
    const open = peek();
    const args: Parsed[] = [];
    do {
      next++;
      args.push(nested(open));
    } while (peek().text === ",");
    close(open);
    if (args.length < min || args.length > max)
      fail(
        `wrong number of arguments for ${name.text}: expected ${min === max ? "" : "at least "}${min}, got ${args.length}.`,
        name.at,
      );
    if (name.text === "ceil") return { expr: ceil(args[0], name), divides: false };
    const expr = located(name.at, () => apply(...(args.map((arg) => arg.expr) as [Expr, ...Expr[]])));
    return { expr, divides: name.text !== "floor" && args.some(({ divides }) => divides) };
  }

  function ceil({ expr, quotient, divides }: Parsed, name: Token): Expr {
    if (!divides) return expr;
    if (!quotient || quotient[0].divides || quotient[1].divides)
      return fail("ceil requires exactly one division, outermost: ceil(a / b).", name.at);
    return located(name.at, () => quotient[0].expr.ceilDiv(quotient[1].expr));
  }

  const result = sum();
  const rest = peek();
  if (rest.text === ")") fail(`")" closes nothing.`, rest.at);
  if (rest.text !== "") fail(`an operator is missing before ${quoted(rest)}.`, rest.at);
  return result.expr;
}

function tokenize(text: string, fail: (message: string, at: number) => never): readonly Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(/\s+|\d*\.\d*|[A-Za-z_]\w*|\d+[A-Za-z_]?|./gsu)) {
    const [token] = match;
    const at = match.index;
    if (/^\s/.test(token)) continue;
    if (token.includes(".")) fail(`"${token}" is not an integer.`, at);
    if (/^\d.*\D$/.test(token))
      fail(`an operator is missing between ${token.slice(0, -1)} and ${token.slice(-1)}.`, at);
    if (!/^[\w+\-*/%(),]/.test(token)) fail(`unexpected character "${token}".`, at);
    tokens.push({ text: token, at });
  }
  tokens.push({ text: "", at: text.length });
  return tokens;
}
