/**
 * Derivatives of formulas, as formulas: what reaches each operand of what reaches the outputs (backward), and what the outputs change by
 * when the operands change (forward). Each function has one line, which is linear in what it passes on, so both ways read it.
 *
 * Gradients of complex values are those of PyTorch: of a holomorphic function, g times the conjugate of its derivative. Values of the
 * formula that its derivative needs are computed again, except outputs, which may be given.
 */
import { type DType, isComplexDType, isDType, isFloatDType } from "../../storage/dtype.ts";
import { choices, complexRules, flat, rules } from "./derivative-rules.ts";
import { everydayOf } from "./functions.ts";
import type { CallNode, Formula, Node } from "./node.ts";
import { parseFormula } from "./parse.ts";

/** A condition under which something passes: that of a choice, and those around it. */
interface Guard {
  readonly node: CallNode;
  readonly place: number;
  readonly around: Guard | null;
  text: string | null;
}

/** A derivative: the text of a formula, and what it takes besides the operands. */
export interface Derivative {
  readonly text: string;
  readonly names: DerivedNames;
}

/** How the values besides the operands are called; no operand is called so, of a derivative neither. */
export interface DerivedNames {
  readonly level: number;
  gradient(output: number): string;
  result(output: number): string;
  tangent(operand: number): string;
  /** The derivative that belongs to an operand, or forward to an output. */
  derivative(place: number): string;
}

export function namesFor({ operands }: Formula): DerivedNames {
  const level = 1 + Math.max(0, ...operands.map((name) => Number(/_(\d{1,6})$/.exec(name)?.[1] ?? 0)));
  const named =
    (letter: string) =>
    (place: number): string =>
      `${letter}${place}_${level}`;
  return { level, gradient: named("g"), result: named("y"), tangent: named("t"), derivative: named("d") };
}

/** Writes values of a formula as text, each once. */
class Writer {
  readonly lines: string[] = [];
  readonly #written = new Map<Node, string>();
  #count = 0;

  readonly #given: ReadonlyMap<Node, string>;
  readonly #level: number;

  /** `given` has the names of values that need not be computed. */
  constructor(given: ReadonlyMap<Node, string>, level: number) {
    this.#given = given;
    this.#level = level;
  }

  /** A name for a text. */
  named(text: string): string {
    if (/^-?[\w.]+$/.test(text)) return text;
    const name = `v${this.#count++}_${this.#level}`;
    this.lines.push(`let ${name} = ${text}`);
    return name;
  }

  /** The name of a value of the formula. */
  value(node: Node): string {
    const known = this.#written.get(node);
    if (known !== undefined) return known;
    const result = this.#given.get(node);
    let text: string;
    if (result !== undefined) text = result;
    else if (node.kind === "name") text = node.name;
    else if (node.kind === "literal") text = literalText(node.value, node.category === "float");
    else text = this.named(`${node.fn}(${node.args.map((arg) => this.value(arg)).join(", ")})`);
    this.#written.set(node, text);
    return text;
  }
}

function literalText(value: unknown, isFloat: boolean): string {
  if (typeof value === "object" && value !== null) {
    const { re, im } = value as { re: number; im: number };
    return `(${literalText(re, true)} + ${literalText(Math.abs(im), true)}i)`;
  }
  if (typeof value !== "number") return String(value);
  if (Number.isNaN(value)) return "nan";
  if (value < 0 || Object.is(value, -0)) return `(-${literalText(-value, isFloat)})`;
  if (value === Infinity) return "inf";
  const text = String(value);
  return isFloat && /^\d+$/.test(text) ? `${text}.0` : text;
}

/** The formula with everyday functions that have no rule written out. */
function expanded(node: Node, known: Map<Node, Node>): Node {
  const before = known.get(node);
  if (before !== undefined) return before;
  let result = node;
  if (node.kind === "call") {
    const args = node.args.map((arg) => expanded(arg, known));
    const everyday = node.fn in rules || flat.has(node.fn) ? undefined : everydayOf(node.fn);
    if (everyday === undefined) result = { ...node, args };
    else {
      const body = parseFormula(everyday.body).outputs[0]?.value as Node;
      const places = new Map(everyday.parameters.map((name, k) => [name, args[k] as Node]));
      result = expanded(substituted(body, places, new Map()), known);
    }
  }
  known.set(node, result);
  return result;
}

function substituted(node: Node, places: ReadonlyMap<string, Node>, known: Map<Node, Node>): Node {
  if (node.kind === "literal") return node;
  if (node.kind === "name") return places.get(node.name) as Node;
  let result = known.get(node);
  if (result === undefined) {
    result = { ...node, args: node.args.map((arg) => substituted(arg, places, known)) };
    known.set(node, result);
  }
  return result;
}

/** All nodes, arguments first. */
function inOrder(roots: readonly Node[]): Node[] {
  const seen = new Set<Node>();
  const visit = (node: Node): void => {
    if (seen.has(node)) return;
    if (node.kind === "call") node.args.forEach(visit);
    seen.add(node);
  };
  roots.forEach(visit);
  return [...seen];
}

/** A rule's text with what its letters stand for. */
function filled(template: string, writer: Writer, node: CallNode, g: string, conjugate: string): string {
  return template.replaceAll(/\b([abcgyC])\b/g, (word) => {
    if (word === "g") return g;
    if (word === "C") return conjugate;
    if (word === "y") return writer.value(node);
    return writer.value(node.args["abc".indexOf(word)] as Node);
  });
}

/** The name of a condition. */
function guardText(writer: Writer, guard: Guard): string {
  if (guard.text !== null) return guard.text;
  const { node, place, around } = guard;
  const own = filled(choices[node.fn]?.[place] as string, writer, node, "", "");
  guard.text = writer.named(around === null ? own : `${guardText(writer, around)} & (${own})`);
  return guard.text;
}

/** The slope of a power by its base, where the exponent is a number that the formula shows. */
function powerRule({ args: [, power] }: CallNode): string | null {
  if (power?.kind !== "literal" || typeof power.value !== "number" || power.category === "bool") return null;
  const { value } = power;
  if (value === 0) return "g * 0";
  const rest = value - 1;
  return rest === 0 ? "g" : `g * C(b * ${rest === 1 ? "a" : `a ** ${literalText(rest, power.category === "float")}`})`;
}

/** What passes from g to an argument of a call, or null. */
function passed(
  writer: Writer,
  node: CallNode,
  place: number,
  g: string,
  isComplex: boolean,
  forward: boolean,
  guard: Guard | null,
): string | null {
  const { fn } = node;
  if (flat.has(fn)) return null;
  if (isDType(fn)) return isFloatDType(fn as DType) || isComplexDType(fn as DType) ? g : null;
  const special = isComplex || fn in { real: 1, imag: 1, conj: 1, complex: 1 };
  const rule = (special ? complexRules[forward ? "forward" : "backward"][fn] : undefined) ?? rules[fn];
  const template = (fn === "pow" && place === 0 ? powerRule(node) : null) ?? rule?.[place];
  if (template == null) {
    if (rule === undefined) throw new Error(`derive: the function ${fn} has no derivative`);
    return null;
  }
  const text = filled(template, writer, node, g, isComplex && !forward ? "conj" : "");
  const hasSlope = !(fn in choices) && /\b[abcy]\b/.test(template);
  return writer.named(guard !== null && hasSlope ? `${guardText(writer, guard)} ? ${text} : 0` : text);
}

const sumOf = (writer: Writer, terms: readonly string[]): string => writer.named(terms.join(" + "));

/** What outputs that are computed are called where they are given. */
const givenResults = (roots: readonly Node[], names: DerivedNames): Map<Node, string> =>
  new Map(roots.map((node, k) => [node, names.result(k)] as const).filter(([node]) => node.kind === "call"));

/** The outputs of a formula whose everyday functions are written out. */
function outputsOf(formula: Formula): Node[] {
  const known = new Map<Node, Node>();
  return formula.outputs.map(({ value }) => expanded(value, known));
}

/** Formulas of gradients by operand, over the operands, the gradient g and the result y; C( ) is the conjugate. */
export type Told = Readonly<Record<string, string>>;

/** A formula that an op has for a gradient, with g and y by their names. */
function toldText(text: string, { operands }: Formula, g: string, y: string, conjugate: string): string {
  return text.replaceAll(/\b[A-Za-z_]\w*\b/g, (word) => {
    if (word === "g") return g;
    if (word === "C") return conjugate;
    return word === "y" && !operands.includes("y") ? y : word;
  });
}

/**
 * The formula of the gradients of some operands, outputs named `derivative`, from those of the outputs, `gradient`. Outputs that it
 * needs are `result`. What is told replaces what follows from the formula; where nothing passes the gradient is 0.
 */
export function backwardFormula(
  formula: Formula,
  wanted: readonly string[],
  isComplex: boolean,
  told: Told = {},
): Derivative | null {
  const roots = outputsOf(formula);
  const names = namesFor(formula);
  const isTold = (name: string): boolean => Object.hasOwn(told, name);
  const nodes = inOrder(roots);
  const matters = new Set<Node>();
  for (const node of nodes)
    if (
      node.kind === "name"
        ? wanted.includes(node.name) && !isTold(node.name)
        : node.kind === "call" && node.args.some((arg) => matters.has(arg))
    )
      matters.add(node);
  const writer = new Writer(givenResults(roots, names), names.level);
  const terms = new Map<Node, string[]>();
  const guards = new Map<Node, Guard | null>();
  const add = (node: Node, text: string, guard: Guard | null): void => {
    const list = terms.get(node);
    if (list === undefined) {
      terms.set(node, [text]);
      guards.set(node, guard);
      return;
    }
    list.push(text);
    if (guards.get(node) !== guard) guards.set(node, null);
  };
  roots.forEach((node, k) => {
    if (matters.has(node)) add(node, names.gradient(k), null);
  });
  const results = new Map<string, string[]>();
  for (const node of nodes.reverse()) {
    const list = terms.get(node);
    if (list === undefined) continue;
    if (node.kind === "name") results.set(node.name, [...(results.get(node.name) ?? []), ...list]);
    if (node.kind !== "call") continue;
    const g = sumOf(writer, list);
    const guard = guards.get(node) as Guard | null;
    node.args.forEach((arg, place) => {
      const text = matters.has(arg) ? passed(writer, node, place, g, isComplex, false, guard) : null;
      if (text === null) return;
      const chooses = choices[node.fn]?.[place] != null;
      add(arg, text, chooses ? { node, place, around: guard, text: null } : guard);
    });
  }
  const outputs = wanted.map((name) => {
    const text = isTold(name)
      ? toldText(told[name] as string, formula, names.gradient(0), names.result(0), isComplex ? "conj" : "")
      : (results.get(name)?.join(" + ") ?? `like(0, ${names.gradient(0)})`);
    return `${names.derivative(formula.operands.indexOf(name))} = ${text}`;
  });
  return outputs.length === 0 ? null : { text: [...writer.lines, ...outputs].join("; "), names };
}

/**
 * The formula of the tangents of the outputs, named `derivative`, from those of some operands, `tangent`, and from outputs that it needs,
 * `result`. What is told counts here where it is a slope times g: of real numbers always, of complex ones if it says what is conjugated.
 */
export function forwardFormula(
  formula: Formula,
  moving: readonly string[],
  isComplex: boolean,
  told: Told = {},
): Derivative | null {
  const roots = outputsOf(formula);
  const names = namesFor(formula);
  const writer = new Writer(givenResults(roots, names), names.level);
  const isTold = (name: string): boolean =>
    Object.hasOwn(told, name) && (!isComplex || /\bC\(/.test(told[name] as string));
  const tangents = new Map<Node, string>();
  for (const node of inOrder(roots)) {
    if (node.kind === "name" && moving.includes(node.name) && !isTold(node.name))
      tangents.set(node, names.tangent(formula.operands.indexOf(node.name)));
    if (node.kind !== "call") continue;
    const terms = node.args.flatMap((arg, place) => {
      const g = tangents.get(arg);
      const text = g === undefined ? null : passed(writer, node, place, g, isComplex, true, null);
      return text === null ? [] : [text];
    });
    if (terms.length > 0) tangents.set(node, sumOf(writer, terms));
  }
  // What is told is of the only output.
  const toldTerms = moving.filter(isTold).map((name) => {
    const t = names.tangent(formula.operands.indexOf(name));
    return `(${toldText(told[name] as string, formula, t, names.result(0), "")})`;
  });
  const outputs = roots.flatMap((node, k) => {
    const text = tangents.get(node);
    const terms = [...(text === undefined ? [] : [text]), ...(k === 0 ? toldTerms : [])];
    return terms.length === 0 ? [] : [`${names.derivative(k)} = ${terms.join(" + ")}`];
  });
  return outputs.length === 0 ? null : { text: [...writer.lines, ...outputs].join("; "), names };
}
