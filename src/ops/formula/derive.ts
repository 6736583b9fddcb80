/**
 * Derivatives of formulas, as formulas: what reaches each operand of what reaches the outputs (backward), and what the outputs change by
 * when the operands change (forward). Each function has one line, which is linear in what it passes on, so both ways read it.
 *
 * Gradients of complex values are those of PyTorch: of a holomorphic function, g times the conjugate of its derivative. Values of the
 * formula that its derivative needs are computed again, except outputs, which may be given.
 */
import { type DType, dtypes, isDType } from "../../storage/dtype.ts";
import { everydayOf } from "./functions.ts";
import type { CallNode, Formula, Node } from "./node.ts";
import { parseFormula } from "./parse.ts";

/**
 * What passes from g to each argument: a, b, c are the arguments, y the value, C( ) the conjugate. Null: nothing does. In front of
 * `complex:` stands what is for real numbers only.
 */
const rules: Readonly<Record<string, readonly (string | null)[]>> = {
  add: ["g", "g"],
  sub: ["g", "-g"],
  mul: ["g * C(b)", "g * C(a)"],
  div: ["g / C(b)", "-g * C(y / b)"],
  truncRem: ["g", "-g * trunc(a / b)"],
  floorMod: ["g", "-g * floor(a / b)"],
  min: ["a == b ? g * 0.5 : a > b ? 0 : g", "a == b ? g * 0.5 : b > a ? 0 : g"],
  max: ["a == b ? g * 0.5 : a < b ? 0 : g", "a == b ? g * 0.5 : b < a ? 0 : g"],
  smaller: ["b < a ? 0 : g", "b < a ? g : 0"],
  larger: ["a < b ? 0 : g", "a < b ? g : 0"],
  pow: ["b == 0 ? 0 : g * C(b * a ** (b - 1))", "(a == 0) & (b >= 0) ? 0 : g * C(y * log(a))"],
  atan2: ["g * b / (a * a + b * b)", "-g * a / (a * a + b * b)"],
  copysign: ["a == 0 ? 0 : g * y / a", null],
  neg: ["-g"],
  abs: ["g * sign(a)"],
  sqrt: ["g / C(2 * y)"],
  exp: ["g * C(y)"],
  expNegative: ["g * y"],
  exp2: [`g * y * ${Math.LN2}`],
  expm1: ["g * (y + 1)"],
  log: ["g / C(a)"],
  log2: [`g / (a * ${Math.LN2})`],
  log10: [`g / (a * ${Math.LN10})`],
  log1p: ["g / (a + 1)"],
  sin: ["g * C(cos(a))"],
  cos: ["-g * C(sin(a))"],
  tan: ["g * C(1 + y * y)"],
  asin: ["g / sqrt(1 - a * a)"],
  acos: ["-g / sqrt(1 - a * a)"],
  atan: ["g / (1 + a * a)"],
  sinh: ["g * C(cosh(a))"],
  cosh: ["g * C(sinh(a))"],
  tanh: ["g * C(1 - y * y)"],
  asinh: ["g / sqrt(a * a + 1)"],
  acosh: ["g / (sqrt(a - 1) * sqrt(a + 1))"],
  atanh: ["g / (1 - a * a)"],
  erf: [`g * ${2 / Math.sqrt(Math.PI)} * exp(-a * a)`],
  erfc: [`-g * ${2 / Math.sqrt(Math.PI)} * exp(-a * a)`],
  select: [null, "a ? g : 0", "a ? 0 : g"],
  sigmoid: ["g * C(y * (1 - y))"],
  silu: ["g * C(sigmoid(a) * (1 + a * (1 - sigmoid(a))))"],
  gelu: [`g * (0.5 * erfc(a * ${-Math.SQRT1_2}) + a * ${1 / Math.sqrt(2 * Math.PI)} * exp(-0.5 * a * a))`],
  softplus: ["g * sigmoid(a)"],
  like: ["like(g, a)", null],
};

/** Functions of complex numbers that are not holomorphic, backward and forward. */
const complexRules: Readonly<Record<"backward" | "forward", Readonly<Record<string, readonly (string | null)[]>>>> = {
  backward: {
    abs: ["a == 0 ? 0 : g * a / y"],
    real: ["g"],
    imag: ["g * 1i"],
    conj: ["conj(g)"],
    complex: ["real(g)", "imag(g)"],
    pow: ["b == 0 ? 0 : g * C(b * a ** (b - 1))", "a == 0 ? 0 : g * C(y * log(a))"],
  },
  forward: {
    abs: ["a == 0 ? 0 : real(g * conj(a)) / y"],
    real: ["real(g)"],
    imag: ["imag(g)"],
    conj: ["conj(g)"],
    complex: ["g", "g * 1i"],
    pow: ["b == 0 ? 0 : g * b * a ** (b - 1)", "a == 0 ? 0 : g * y * log(a)"],
  },
};

/** The functions of a formula by which nothing passes. */
const flat = /* @__PURE__ */ new Set(
  "truncDiv floorDiv floor ceil trunc round eq ne lt le gt ge and or xor not shiftLeft shiftRight sign isnan isinf isfinite".split(
    " ",
  ),
);

/** A derivative: the text of a formula, and what it takes besides the operands. */
export interface Derivative {
  readonly text: string;
  /** Which operands of the formula it reads, and which outputs by their names. */
  readonly reads: ReadonlySet<string>;
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
  readonly reads = new Set<string>();
  private readonly written = new Map<Node, string>();
  private count = 0;

  private readonly given: ReadonlyMap<Node, string>;
  private readonly level: number;

  /** `given` has the names of values that need not be computed. */
  constructor(given: ReadonlyMap<Node, string>, level: number) {
    this.given = given;
    this.level = level;
  }

  /** A name for a text. */
  named(text: string): string {
    if (/^-?[\w.]+$/.test(text)) return text;
    const name = `v${this.count++}_${this.level}`;
    this.lines.push(`let ${name} = ${text}`);
    return name;
  }

  /** The name of a value of the formula. */
  value(node: Node): string {
    const known = this.written.get(node);
    if (known !== undefined) return known;
    const result = this.given.get(node);
    let text: string;
    if (result !== undefined) {
      this.reads.add(result);
      text = result;
    } else if (node.kind === "name") {
      this.reads.add(node.name);
      text = node.name;
    } else if (node.kind === "literal") text = literalText(node.value, node.category === "float");
    else text = this.named(`${node.fn}(${node.args.map((arg) => this.value(arg)).join(", ")})`);
    this.written.set(node, text);
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
  if (value === Number.POSITIVE_INFINITY) return "inf";
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

/** What passes from g to an argument of a call, or null. */
function passed(
  writer: Writer,
  node: CallNode,
  place: number,
  g: string,
  isComplex: boolean,
  forward: boolean,
): string | null {
  const { fn, args } = node;
  if (flat.has(fn)) return null;
  if (isDType(fn))
    return dtypes[fn as DType].category === "float" || dtypes[fn as DType].category === "complex" ? g : null;
  const special = isComplex || fn in { real: 1, imag: 1, conj: 1, complex: 1 };
  const rule = (special ? complexRules[forward ? "forward" : "backward"][fn] : undefined) ?? rules[fn];
  const template = rule?.[place];
  if (template == null) {
    if (rule === undefined) throw new Error(`derive: the function ${fn} has no derivative`);
    return null;
  }
  const conjugates = isComplex && !forward;
  const text = template.replaceAll(/\b([abcgyC])\b/g, (word) => {
    if (word === "g") return g;
    if (word === "C") return conjugates ? "conj" : "";
    if (word === "y") return writer.value(node);
    return writer.value(args["abc".indexOf(word)] as Node);
  });
  return writer.named(text);
}

const sumOf = (writer: Writer, terms: readonly string[]): string => writer.named(terms.join(" + "));

/** The outputs of a formula whose everyday functions are written out. */
function outputsOf(formula: Formula): Node[] {
  const known = new Map<Node, Node>();
  return formula.outputs.map(({ value }) => expanded(value, known));
}

/**
 * The formula of the gradients of some operands, outputs named `derivative`, from those of the outputs, `gradient`. Outputs that it
 * needs are `result`. Null if nothing passes to any of them.
 */
export function backwardFormula(formula: Formula, wanted: readonly string[], isComplex: boolean): Derivative | null {
  const roots = outputsOf(formula);
  const names = namesFor(formula);
  const given = new Map(
    roots.map((node, k) => [node, names.result(k)] as const).filter(([node]) => node.kind === "call"),
  );
  const nodes = inOrder(roots);
  const matters = new Set<Node>();
  for (const node of nodes)
    if (
      node.kind === "name"
        ? wanted.includes(node.name)
        : node.kind === "call" && node.args.some((arg) => matters.has(arg))
    )
      matters.add(node);
  const writer = new Writer(given, names.level);
  const terms = new Map<Node, string[]>();
  const add = (node: Node, text: string): void => {
    const list = terms.get(node);
    if (list === undefined) terms.set(node, [text]);
    else list.push(text);
  };
  roots.forEach((node, k) => {
    if (matters.has(node)) add(node, names.gradient(k));
  });
  const results = new Map<string, string[]>();
  for (const node of nodes.reverse()) {
    const list = terms.get(node);
    if (list === undefined) continue;
    if (node.kind === "name") results.set(node.name, [...(results.get(node.name) ?? []), ...list]);
    if (node.kind !== "call") continue;
    const g = sumOf(writer, list);
    node.args.forEach((arg, place) => {
      const text = matters.has(arg) ? passed(writer, node, place, g, isComplex, false) : null;
      if (text !== null) add(arg, text);
    });
  }
  if (results.size === 0) return null;
  const outputs = [...results].map(
    ([name, list]) => `${names.derivative(formula.operands.indexOf(name))} = ${list.join(" + ")}`,
  );
  return { text: [...writer.lines, ...outputs].join("; "), reads: writer.reads, names };
}

/** The formula of the tangents of the outputs, named `derivative`, from those of some operands, `tangent`. */
export function forwardFormula(formula: Formula, moving: readonly string[], isComplex: boolean): Derivative | null {
  const roots = outputsOf(formula);
  const names = namesFor(formula);
  const writer = new Writer(new Map(), names.level);
  const tangents = new Map<Node, string>();
  for (const node of inOrder(roots)) {
    if (node.kind === "name" && moving.includes(node.name))
      tangents.set(node, names.tangent(formula.operands.indexOf(node.name)));
    if (node.kind !== "call") continue;
    const terms = node.args.flatMap((arg, place) => {
      const g = tangents.get(arg);
      const text = g === undefined ? null : passed(writer, node, place, g, isComplex, true);
      return text === null ? [] : [text];
    });
    if (terms.length > 0) tangents.set(node, sumOf(writer, terms));
  }
  const outputs = roots.flatMap((node, k) => {
    const text = tangents.get(node);
    return text === undefined ? [] : [`${names.derivative(k)} = ${text}`];
  });
  return outputs.length === 0 ? null : { text: [...writer.lines, ...outputs].join("; "), reads: writer.reads, names };
}
