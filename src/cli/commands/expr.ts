/**
 * The command on integer expressions: the canonical form, the range and divisor of its values, and the generated code.
 */
import { ParseError } from "../../base/errors.ts";
import {
  type Bindings,
  constant,
  divisorOf,
  type Expr,
  evaluate,
  parse,
  range,
  toWasm,
  toWgsl,
} from "../../expr/index.ts";
import { quoted, suggestion, UsageError } from "../arguments.ts";
import type { Command, Invocation, Outcome } from "../command.ts";
import { namesIn, symbolsIn } from "../symbols.ts";
import { columns } from "./answer.ts";

/** Parses `i=3`. */
function readBinding(text: string, names: readonly string[]): readonly [name: string, value: number] {
  const match = /^\s*([A-Za-z_]\w*)\s*=\s*(-?\d+)\s*$/.exec(text);
  if (!match)
    throw new ParseError("expr: expected a value for a symbol, such as i=3", text, Math.max(0, text.indexOf("=") + 1));
  const [, name, value] = match as unknown as [string, string, string];
  if (!names.includes(name))
    throw new UsageError(
      `expr: ${quoted(text)} binds ${name}, which is not in the expression.${suggestion(name, names)}`,
    );
  return [name, Number(value)];
}

/** The bounds as text; undefined if there are none. */
const rangeText = ([min, max]: readonly [number, number]): string | undefined => {
  if (min === -Infinity) return max === Infinity ? undefined : `at most ${max}`;
  return max === Infinity ? `at least ${min}` : min === max ? `${min}` : `${min} to ${max}`;
};

/** A WebAssembly function of the symbols, in the order of their first occurrence. */
function wasmText(expr: Expr, names: readonly string[]): string[] {
  const { instructions, extraLocals } = toWasm(expr, Object.fromEntries(names.map((name, i) => [name, i])));
  const extra = extraLocals === 0 ? [] : [`  (local${" i32".repeat(extraLocals)})`];
  return [
    `(func ${names.map((name) => `(param $${name} i32) `).join("")}(result i32)`,
    ...extra,
    ...instructions.map((instruction) => `  ${instruction}`),
  ].map((line, i, all) => (i === all.length - 1 ? `${line})` : line));
}

function run({ operands, options, facts }: Invocation): Outcome {
  const [text, ...values] = operands;
  if (text === undefined)
    throw new UsageError("expr: EXPR is missing (an integer expression). Usage: stridewise expr EXPR [NAME=VALUE ...]");
  const symbols = symbolsIn([{ text, min: -Infinity }], facts);
  const expr = parse(text, { symbols });
  const names = [...new Set(namesIn(text))];
  const bindings: Bindings = Object.fromEntries(values.map((value) => readBinding(value, names)));
  const bound = Object.keys(bindings);
  const isBound = [...expr.symbols.keys()].every((name) => bound.includes(name));
  const partly = (): Expr => {
    const fixed = Object.entries(bindings).map(([name, value]) => [name, constant(value)] as const);
    return parse(text, { symbols: { ...symbols, ...Object.fromEntries(fixed) } });
  };
  const known = range(expr);
  const divisor = divisorOf(expr);
  const data = {
    result: { text: String(expr), symbols: [...expr.symbols.keys()] },
    range: { min: known[0], max: known[1] },
    divisor,
    ...(isBound && (bound.length > 0 || names.length === 0) && { value: evaluate(expr, bindings) }),
    ...(!isBound && bound.length > 0 && { partly: String(partly()) }),
    ...(options.has("wgsl") && { wgsl: toWgsl(expr) }),
    ...(options.has("wasm") && { wasm: wasmText(expr, names).join("\n") }),
  };
  const isOpen = expr.kind !== "const";
  const rows: [name: string, value: unknown][] = [
    ["range", isOpen ? rangeText(known) : undefined],
    ["divisible by", isOpen && divisor > 1 ? divisor : undefined],
    ["value", isOpen ? data.value : undefined],
    [`with ${Object.entries(bindings).map(([name, value]) => `${name}=${value}`)}`, data.partly],
    ["wgsl", data.wgsl],
  ];
  const shown = rows.filter(([, value]) => value !== undefined);
  return { lines: [String(expr), ...columns(shown), ...(data.wasm?.split("\n") ?? [])], data };
}

const expr: Command = {
  name: "expr",
  usage: "EXPR [NAME=VALUE ...]",
  operands: [
    { name: "EXPR", about: "an integer expression: + - * / % min max abs floor ceil; / rounds down" },
    { name: "NAME=VALUE", about: "a value for a symbol" },
  ],
  summary: "simplify an integer expression; show its range, value and code",
  details: [],
  options: {
    wgsl: { about: "print the expression in WGSL, over i32" },
    wasm: { about: "print the expression as the text of a WebAssembly function over i32" },
  },
  examples: [
    { line: "expr '(i*256+128)/2' i=3", about: "simplify and evaluate" },
    { line: "expr '(4*i+j)%4' --where '0<=j<4'", about: "with assumptions about symbols" },
    { line: "expr 'i*128+64' --wgsl --wasm", about: "as code" },
  ],
  run,
};

export const exprCommands: readonly Command[] = [expr];
