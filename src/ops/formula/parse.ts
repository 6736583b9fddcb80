/**
 * The parser of formulas: "max(a * x + b, 0) * c - d".
 * Statements end with `;`: `let t = x * x` names a value, `s = x + y` names an output, and a value without a name is the only output.
 * Python's operators and precedence (`/` is true division, `//` and `%` round down), comparisons that do not chain, `c ? a : b`,
 * and calls of the functions in `functions.ts`. 2 is an integer, 2.0 and 1e-3 are floats, 3i is imaginary.
 * Every error is a ParseError with its position. Dtypes are not checked here.
 */

import { nearest } from "../../base/arguments.ts";
import { ParseError } from "../../base/errors.ts";
import { getOrCompute } from "../../base/lazy.ts";
import { isDType, type Value } from "../../storage/dtype.ts";
import { arityOf, functionNames } from "./functions.ts";
import { type Formula, type LiteralNode, type Node, type OutputNode, userFormula } from "./node.ts";
import { constants, type FormulaOperator, levels, operatorOf, prefixes } from "./operators.ts";

interface Token {
  readonly text: string;
  readonly at: number;
}

const pattern =
  /\s+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:i(?!\w))?|[A-Za-z_]\w*|\*\*|\/\/|<<|>>|&&|\|\||[<>=!]=|./gsu;
const isWord = (text: string): boolean => /^[A-Za-z_]/.test(text);
const isNumber = (text: string): boolean => /^\.?\d/.test(text);
const show = ({ text }: Token): string => (text === "" ? "the end" : `"${text}"`);

/** The limits of a formula, so that no text can exhaust the stack. */
export const maxNodes = 2000;
export const tooLong = `a formula has at most ${maxNodes} operations. Split it.`;
const maxDepth = 100;

const logic: Readonly<Record<string, string>> = { "&&": "&", "||": "|", "!": "~" };

/** The function in gradients and derivative rules that is the conjugate of complex values; it never reaches the compiler. */
export const conjugate = "C";

const parsed = /* @__PURE__ */ new Map<string, Formula>();

/** Returns the formula of a text of the library (a gradient, a rule or a function's body), parsed at first use. */
export const parsedOnce = (text: string): Formula =>
  getOrCompute(parsed, text, () => parseFormula(text, userFormula, true));

/** Parses a formula; `who` is its owner, for errors. */
export function parseFormula(text: string, who = userFormula, isGradient = false): Formula {
  const fail = (message: string, at: number): never => {
    throw new ParseError(`${who}: ${message}`, text, at);
  };
  const tokens = tokenize(text, fail);
  const named = new Map<string, Node>();
  const operands: string[] = [];
  const outputs: OutputNode[] = [];
  let next = 0;
  let depth = 0;
  let count = 0;
  const peek = (ahead = 0): Token => tokens[Math.min(next + ahead, tokens.length - 1)];
  const expect = (symbol: string): Token =>
    peek().text === symbol
      ? tokens[next++]
      : fail(`${JSON.stringify(symbol)} is missing before ${show(peek())}.`, peek().at);

  function counted(node: Node): Node {
    if (++count > maxNodes) fail(tooLong, node.at);
    return node;
  }

  const call = (fn: string, args: readonly Node[], at: number): Node => counted({ kind: "call", fn, args, at });

  /** Parses one level deeper. */
  function deeper(parse: () => Node): Node {
    if (++depth > maxDepth) fail(`a formula is nested at most ${maxDepth} deep.`, peek().at);
    const node = parse();
    depth--;
    return node;
  }

  function choice(): Node {
    const condition = binary(levels.comparison);
    const { text: symbol, at } = peek();
    if (symbol !== "?") return condition;
    next++;
    const yes = deeper(choice);
    expect(":");
    return call("select", [condition, yes, deeper(choice)], at);
  }

  /** Parses values and operators of at least this precedence, from left to right. */
  function binary(min: number): Node {
    let left = unary();
    let before: FormulaOperator | undefined;
    for (;;) {
      const { text: symbol, at } = peek();
      const operator = operatorOf(symbol);
      if (operator === undefined || operator.level < min || operator.level >= levels.unary) return left;
      if (operator.level === levels.comparison && before?.level === levels.comparison)
        fail("comparisons do not chain. Write (a < b) & (b < c).", at);
      next++;
      left = call(operator.fn, [left, binary(operator.level + 1)], at);
      before = operator;
    }
  }

  function unary(): Node {
    const { text: symbol, at } = peek();
    const fn = Object.hasOwn(prefixes, symbol) ? prefixes[symbol] : undefined;
    if (fn === undefined) return power();
    next++;
    const operand = deeper(unary);
    return fn === "neg" && operand.kind === "literal" && typeof operand.value !== "boolean" && isNumber(peek(-1).text)
      ? { ...operand, value: negated(operand), at }
      : call(fn, [operand], at);
  }

  function power(): Node {
    const base = primary();
    const { text: symbol, at } = peek();
    if (symbol !== "**") return base;
    next++;
    return call("pow", [base, deeper(unary)], at);
  }

  function primary(): Node {
    const token = peek();
    next++;
    if (token.text === "(") {
      const inner = deeper(choice);
      expect(")");
      return inner;
    }
    if (isNumber(token.text)) return literal(token);
    if (!isWord(token.text)) fail(`a number, a name or "(" is missing before ${show(token)}.`, token.at);
    return peek().text === "(" ? functionCall(token) : name(token);
  }

  function literal({ text: digits, at }: Token): Node {
    if (isWord(peek().text) || isNumber(peek().text))
      fail(`an operator is missing between ${digits} and ${peek().text}.`, peek().at);
    const size = Number(digits.replace("i", ""));
    if (digits.endsWith("i")) return counted({ kind: "literal", value: { re: 0, im: size }, category: "complex", at });
    if (!/^\d+$/.test(digits)) return counted({ kind: "literal", value: size, category: "float", at });
    const value = Number.isSafeInteger(size) ? size : BigInt(digits);
    return counted({ kind: "literal", value, category: "integer", at });
  }

  function name({ text: word, at }: Token): Node {
    const known = named.get(word);
    if (known !== undefined) return known;
    const value = Object.hasOwn(constants, word) ? constants[word] : undefined;
    if (value !== undefined)
      return counted({ kind: "literal", value, category: typeof value === "number" ? "float" : "bool", at });
    checkName(word, at);
    if (!operands.includes(word)) operands.push(word);
    return counted({ kind: "name", name: word, at });
  }

  function checkName(word: string, at: number): void {
    if (isDType(word)) fail(`${word} is a dtype, not a name. To convert a value, write ${word}(x).`, at);
    if (word === "let" || Object.hasOwn(constants, word)) fail(`${word} is a reserved word, not a name.`, at);
  }

  function functionCall({ text: fn, at }: Token): Node {
    const arity = isGradient && fn === conjugate ? arityOf("conj") : arityOf(fn);
    if (arity === undefined) {
      const guess = nearest(fn, functionNames());
      return fail(
        `there is no function ${fn}. ${guess === undefined ? "Write it in terms of others." : `Did you mean ${guess}?`}`,
        at,
      );
    }
    expect("(");
    const args: Node[] = [];
    if (peek().text !== ")") {
      args.push(deeper(choice));
      while (peek().text === ",") {
        next++;
        args.push(deeper(choice));
      }
    }
    expect(")");
    const { min, max } = arity;
    if (args.length < min || args.length > max)
      fail(`${fn} takes ${max > min ? "at least " : ""}${min}, not ${args.length} values.`, at);
    return max > min ? args.reduce((left, right) => call(fn, [left, right], at)) : call(fn, args, at);
  }

  function statement(): void {
    const isLocal = peek().text === "let";
    if (isLocal) next++;
    const word = peek();
    const isNamed = isWord(word.text) && peek(1).text === "=";
    if (isLocal && !isNamed) fail(`"let" needs a name and a value: let t = x * x.`, word.at);
    if (!isNamed) {
      if (outputs.length > 0) fail("a value without a name is the only output. Name all of them, or use let.", word.at);
      outputs.push({ name: null, value: choice() });
      return;
    }
    checkName(word.text, word.at);
    next += 2;
    const value = choice();
    if (!isLocal) {
      if (outputs.some((output) => output.name === null || output.name === word.text))
        fail(
          `the output ${word.text} ${named.has(word.text) ? "is defined twice" : "follows one without a name"}.`,
          word.at,
        );
      outputs.push({ name: word.text, value });
    }
    named.set(word.text, value);
  }

  do {
    statement();
    const end = peek();
    if (end.text === ")") fail(`")" closes nothing.`, end.at);
    if (end.text === "=") fail(`"=" gives a value to a name. To compare, write ==.`, end.at);
    if (end.text !== ";" && end.text !== "") fail(`an operator is missing before ${show(end)}.`, end.at);
    while (peek().text === ";") next++;
  } while (peek().text !== "");
  if (outputs.length === 0) fail("there is no output. End with a value that is not named by let.", text.length);
  return { who, text, isDerived: false, outputs, operands };
}

/** The negated literal; there is no integer -0. */
function negated({ value, category }: LiteralNode): Value {
  if (typeof value === "object") return { re: 0 - value.re, im: -value.im };
  if (typeof value === "bigint") return -value;
  return category === "integer" ? 0 - Number(value) : -Number(value);
}

function tokenize(text: string, fail: (message: string, at: number) => never): readonly Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(pattern)) {
    const [token] = match;
    if (/^\s/.test(token)) continue;
    const instead = Object.hasOwn(logic, token) ? logic[token] : undefined;
    if (instead !== undefined)
      fail(`"${token}" has no meaning in a formula. Write ${instead}, with parentheses.`, match.index);
    if (!/^[\w.+\-*/%(),;=<>!&|^~?:]/.test(token)) fail(`"${token}" has no meaning in a formula.`, match.index);
    tokens.push({ text: token, at: match.index });
  }
  tokens.push({ text: "", at: text.length });
  return tokens;
}
