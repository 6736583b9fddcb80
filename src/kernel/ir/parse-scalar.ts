/**
 * The parser of scalar values: the inverse of `print.ts`. Usual precedence, left to right: comparisons (which do not chain) below + -
 * below * /. The makers of `scalar.ts` check dtypes, and their errors are shown with the position.
 */
import type { Expr } from "../../expr/expr.ts";
import { type DType, isDType, type Value } from "../../storage/dtype.ts";
import type { NameBinding } from "./bindings.ts";
import { isScalarFunction, type ScalarFunction, scalarFunctions } from "./functions.ts";
import { infix } from "./print.ts";
import {
  bitcast,
  call,
  cast,
  constantScalar,
  indexScalar,
  loadScalar,
  namedScalar,
  parameterScalar,
  type Scalar,
} from "./scalar.ts";
import type { Cursor, Token } from "./tokens.ts";

/** The names that may occur. */
export interface ParseScope {
  readonly bindings: Map<string, NameBinding>;
  /** The symbols of the names that are integers. */
  readonly symbols: Record<string, Expr>;
  /** The shared values of the next statement: %1, %2, ... */
  readonly shared: Map<string, Scalar>;
}

const depthLimit = 500;
const operators: readonly (readonly [fn: ScalarFunction, symbol: string, level: number])[] = Object.entries(infix).map(
  ([fn, [symbol, level]]) => [fn as ScalarFunction, symbol, level],
);

/** Returns the value at the cursor. */
export function parseScalar(cursor: Cursor, scope: ParseScope, depth = 0): Scalar {
  const inner = (): Scalar => parseScalar(cursor, scope, depth + 1);
  if (depth > depthLimit) cursor.fail(`values are nested more than ${depthLimit} deep`, cursor.peek().at);

  function level(own: number): Scalar {
    if (own > 3) return primary();
    let left = level(own + 1);
    for (;;) {
      const token = cursor.peek();
      const operator = operators.find(([, symbol, its]) => symbol === token.text && its === own);
      if (operator === undefined) return left;
      cursor.take();
      const right = level(own + 1);
      const operand = left;
      left = cursor.located(token.at, () => call(operator[0], operand, right));
      if (own === 1) return left;
    }
  }

  function primary(): Scalar {
    const token = cursor.peek();
    if (cursor.takeIf("(")) {
      const value = inner();
      cursor.expect(")");
      return value;
    }
    if (token.text.startsWith("%")) {
      cursor.take();
      return (
        scope.shared.get(token.text) ?? cursor.fail(`${token.text} is not defined before this statement`, token.at)
      );
    }
    const name = cursor.word("a value");
    if (cursor.takeIf("(")) {
      const value = applied(token, name);
      cursor.expect(")");
      return value;
    }
    return cursor.takeIf("[") ? element(token, name) : named(token, name);
  }

  /** Parses a constant, a cast or a call after `name(`. */
  function applied(token: Token, name: string): Scalar {
    if (isDType(name)) {
      const literal = parseLiteral(cursor, name);
      return literal === undefined ? cast(name, inner()) : constantScalar(name, literal);
    }
    const bits = name.replace(/^bits_/, "");
    if (bits !== name && isDType(bits)) {
      const value = inner();
      return cursor.located(token.at, () => bitcast(bits, value));
    }
    if (!isScalarFunction(name)) return cursor.unknown("function", name, Object.keys(scalarFunctions), token.at);
    const args = [inner()];
    while (cursor.takeIf(",")) args.push(inner());
    return cursor.located(token.at, () => call(name, ...args));
  }

  /** Parses an integer expression as a value, or a load, after `name[`. */
  function element(token: Token, name: string): Scalar {
    const binding = scope.bindings.get(name);
    if (!isDType(name) && binding?.kind !== "buffer")
      return cursor.unknown("buffer", name, namesOf(scope, "buffer"), token.at);
    const index = cursor.expression(scope.symbols);
    let value: Scalar;
    if (isDType(name)) value = indexScalar(name, index);
    else {
      const dtype = (binding as { dtype: DType }).dtype;
      const mask = cursor.takeIf("where") ? inner() : undefined;
      const other = mask !== undefined && cursor.takeIf("else") ? inner() : undefined;
      value = cursor.located(token.at, () => loadScalar(dtype, name, index, mask, other));
    }
    cursor.expect("]");
    return value;
  }

  function named(token: Token, name: string): Scalar {
    const binding = scope.bindings.get(name);
    if (binding?.kind === "scalar") return parameterScalar(binding.dtype, name);
    if (binding?.kind === "let" || binding?.kind === "accumulator") return namedScalar(binding.dtype, name);
    if (binding?.kind === "integer")
      return cursor.fail(`${name} is an integer of the loops. As a value it is int32[${name}]`, token.at);
    return cursor.unknown("value", name, namesOf(scope, "scalar", "let", "accumulator"), token.at);
  }

  return level(1);
}

/** Returns the names in scope of these kinds. */
export const namesOf = ({ bindings }: ParseScope, ...kinds: readonly NameBinding["kind"][]): string[] =>
  [...bindings].filter(([, binding]) => kinds.includes(binding.kind)).map(([name]) => name);

const words: Readonly<Record<string, Value>> = { true: true, false: false, nan: NaN, inf: Infinity };

/** Returns the constant at the cursor, or undefined. */
function parseLiteral(cursor: Cursor, dtype: DType): Value | undefined {
  const word = cursor.peek().text;
  const isLiteral = word === "-" || /^\d/.test(word) || Object.hasOwn(words, word);
  if (!isLiteral) return undefined;
  const first = parseNumber(cursor, dtype);
  if (!cursor.takeIf(",")) return first;
  return { re: first as number, im: parseNumber(cursor, dtype) as number };
}

function parseNumber(cursor: Cursor, dtype: DType): Value {
  const [isNegative, word] = cursor.peek().text === "-" ? [true, cursor.peek(1).text] : [false, cursor.peek().text];
  if (Object.hasOwn(words, word)) {
    cursor.take();
    if (isNegative) cursor.take();
    return isNegative ? -(words[word] as number) : words[word];
  }
  const text = cursor.number("a number");
  if (text.endsWith("n")) return BigInt(text.slice(0, -1));
  const isLong = dtype.endsWith("int64") && /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
  return isLong ? BigInt(text) : Number(text);
}
