/**
 * The printer of formulas, with the fewest parentheses that keep the tree. Values that are used more than once are named by `let`, so the length
 * of the text is about proportional to the number of nodes.
 *
 * Postcondition: `parseFormula(printFormula(f))` computes the same as f, from the same operands in the same order of first use.
 */
import { isComplex, type Value } from "../../storage/dtype.ts";
import { inOrder, type LiteralNode, type Node, type OutputNode } from "./node.ts";
import { levels, operators, prefixes } from "./operators.ts";

/** Prints outputs. */
export function printFormula(outputs: readonly OutputNode[]): string {
  const names = new Map<Node, string>();
  const used = new Set(outputs.map(({ name }) => name));
  const uses = countUses(outputs, used);
  const lines: string[] = [];
  const define = (node: Node): void => {
    if (node.kind !== "call" || names.has(node)) return;
    node.args.forEach(define);
    if ((uses.get(node) ?? 0) < 2) return;
    const text = print(node, levels.choice, names);
    let k = lines.length + 1;
    while (used.has(`t${k}`)) k++;
    used.add(`t${k}`);
    names.set(node, `t${k}`);
    lines.push(`let t${k} = ${text}`);
  };
  for (const { value } of outputs) define(value);
  for (const { name, value } of outputs)
    lines.push(`${name === null ? "" : `${name} = `}${print(value, levels.choice, names)}`);
  return lines.join("; ");
}

/** Prints outputs with a name for the value of each call, so that the text is never nested. No operand ends with `suffix`. */
export function printSteps(outputs: readonly OutputNode[], suffix: string): string {
  const texts = new Map<Node, string>();
  const lines: string[] = [];
  for (const node of inOrder(outputs.map(({ value }) => value)))
    if (node.kind === "name") texts.set(node, node.name);
    else if (node.kind === "literal") texts.set(node, exactLiteral(node));
    else {
      const name = `v${lines.length}${suffix}`;
      lines.push(`let ${name} = ${node.fn}(${node.args.map((arg) => texts.get(arg)).join(", ")})`);
      texts.set(node, name);
    }
  return [...lines, ...outputs.map(({ name, value }) => `${name} = ${texts.get(value)}`)].join("; ");
}

/** Counts the uses of each node, and adds the names of operands to `used`. */
function countUses(outputs: readonly OutputNode[], used: Set<string | null>): ReadonlyMap<Node, number> {
  const uses = new Map<Node, number>();
  const visit = (node: Node): void => {
    const before = uses.get(node) ?? 0;
    uses.set(node, before + 1);
    if (node.kind === "name") used.add(node.name);
    if (node.kind === "call" && before === 0) node.args.forEach(visit);
  };
  for (const { value } of outputs) visit(value);
  return uses;
}

/** Prints a node, in parentheses if its precedence is below `level`. */
function print(node: Node, level: number, names: ReadonlyMap<Node, string>): string {
  const known = names.get(node);
  if (known !== undefined) return known;
  if (node.kind === "name") return node.name;
  if (node.kind === "literal") return inside(printLiteral(node), literalLevel(node.value), level);
  const operand = (k: number, own: number): string => print(node.args[k], own, names);
  const operator = operators.find(({ fn }) => fn === node.fn);
  if (operator !== undefined) {
    const { symbol, level: own } = operator;
    if (own === levels.power) return inside(`${operand(0, own + 1)} ** ${operand(1, levels.unary)}`, own, level);
    const left = operand(0, own === levels.comparison ? own + 1 : own);
    return inside(`${left} ${symbol} ${operand(1, own + 1)}`, own, level);
  }
  const prefix = Object.keys(prefixes).find((symbol) => prefixes[symbol] === node.fn);
  if (prefix !== undefined) {
    const [of] = node.args;
    // -(2) is an operation, -2 a number.
    const text = of.kind === "literal" ? `(${printLiteral(of)})` : operand(0, levels.unary);
    return inside(`${prefix}${text}`, levels.unary, level);
  }
  if (node.fn === "select")
    return inside(
      `${operand(0, levels.comparison)} ? ${operand(1, levels.choice)} : ${operand(2, levels.choice)}`,
      levels.choice,
      level,
    );
  return `${node.fn}(${node.args.map((_, k) => operand(k, levels.choice)).join(", ")})`;
}

const inside = (text: string, own: number, level: number): string => (own < level ? `(${text})` : text);

const isNegative = (value: number | bigint): boolean => value < 0 || Object.is(value, -0);

const literalLevel = (value: Value): number => {
  if (isComplex(value)) return value.re === 0 && !isNegative(value.im) ? levels.value : levels.comparison + 1;
  return typeof value !== "boolean" && isNegative(value) ? levels.unary : levels.value;
};

function printLiteral({ value, category }: LiteralNode): string {
  if (isComplex(value)) {
    const sign = isNegative(value.im) ? "-" : "";
    const imaginary = `${printFloat(Math.abs(value.im))}i`;
    return value.re === 0 ? sign + imaginary : `${printFloat(value.re)} ${sign || "+"} ${imaginary}`;
  }
  return exactLiteral({ value, category });
}

function exactLiteral({ value, category }: Pick<LiteralNode, "value" | "category">): string {
  if (isComplex(value)) return `complex(${printFloat(value.re)}, ${printFloat(value.im)})`;
  return category === "float" ? printFloat(Number(value)) : `${value}`;
}

/** Prints a number so that it is parsed as a float: with a point, an exponent, or as a name. */
function printFloat(value: number): string {
  if (value === Math.PI) return "pi";
  const text = Object.is(value, -0) ? "-0" : `${value}`.toLowerCase().replace("infinity", "inf");
  return /[.en]/.test(text) ? text : `${text}.0`;
}
