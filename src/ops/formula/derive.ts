/**
 * Derivatives of formulas, as formulas: the gradients of the operands from those of the outputs (backward), and the tangents of the outputs
 * from those of the operands (forward). Each function has one rule for each argument, which is linear in the gradient or tangent that
 * it passes on, so both directions use it.
 *
 * Gradients of complex values are those of PyTorch: of a holomorphic function, g times the conjugate of its derivative. Values of the
 * formula that its derivative needs are computed again, except outputs, which are operands of the derivative.
 */
import { StridewiseError } from "../../base/errors.ts";
import { isComplexDType, isDType, isFloatDType } from "../../storage/dtype.ts";
import { choices, complexRules, rules } from "./derivative-rules.ts";
import { everydayOf } from "./functions.ts";
import {
  type CallNode,
  callNode,
  type Formula,
  inOrder,
  type LiteralNode,
  type Node,
  type OutputNode,
  onlyValue,
  userFormula,
} from "./node.ts";
import { conjugate, mostNodes, parsedOnce, parseGradient } from "./parse.ts";
import { printFormula } from "./print.ts";

/** A condition under which something passes: that of a choice, and those around it. */
interface Guard {
  readonly node: CallNode;
  readonly argument: number;
  readonly around: Guard | null;
  condition: Node | null;
}

/** A derivative: a formula, and the names of its operands and outputs. */
export interface Derivative {
  readonly formula: Formula;
  readonly names: DerivedNames;
}

/** The names of the operands of a derivative besides those of the formula, and of its outputs. */
export interface DerivedNames {
  gradient(output: number): string;
  result(output: number): string;
  tangent(operand: number): string;
  /** The derivative that belongs to an operand, or forward to an output. */
  derivative(index: number): string;
}

/** Names that differ from those of all operands: they end in the first number that no operand ends in. */
export function namesFor({ operands }: Formula): DerivedNames {
  let level = 1;
  while (operands.some((name) => name.endsWith(`_${level}`))) level++;
  const named =
    (letter: string) =>
    (index: number): string =>
      `${letter}${index}_${level}`;
  return { gradient: named("g"), result: named("y"), tangent: named("t"), derivative: named("d") };
}

/** Formulas of gradients by operand that replace the derived ones: over the operands, the gradient g and the result y; C( ) is the conjugate. */
export type ExplicitGradients = Readonly<Record<string, string>>;

/** Text that is nested deeper could be too deep for the parser. */
const mostNested = 40;

const nameNode = (name: string): Node => ({ kind: "name", name, at: 0 });
const zero: LiteralNode = { kind: "literal", value: 0, category: "integer", at: 0 };

/** A node with others for the names in it; `conjugate` is the conjugate or nothing. */
function substituted(root: Node, nodeOf: (name: string) => Node, hasConjugates: boolean): Node {
  const known = new Map<Node, Node>();
  const visit = (node: Node): Node => {
    if (node.kind === "literal") return node;
    if (node.kind === "name") return nodeOf(node.name);
    let result = known.get(node);
    if (result === undefined) {
      const args = node.args.map(visit);
      if (node.fn !== conjugate) result = { ...node, args };
      else result = hasConjugates ? callNode("conj", ...args) : (args[0] as Node);
      known.set(node, result);
    }
    return result;
  };
  return visit(root);
}

/** The outputs of a formula, with the bodies of everyday functions that have no rule. */
function expandedOutputs({ outputs }: Formula): Node[] {
  const known = new Map<Node, Node>();
  const expanded = (node: Node): Node => {
    if (node.kind !== "call") return node;
    let result = known.get(node);
    if (result === undefined) {
      const args = node.args.map(expanded);
      const everyday = everydayOf(node.fn);
      if (everyday === undefined || everyday.derivative !== undefined) result = { ...node, args };
      else {
        const { body, parameters } = everyday;
        result = substituted(onlyValue(parsedOnce(body)), (name) => args[parameters.indexOf(name)] as Node, false);
      }
      known.set(node, result);
    }
    return result;
  };
  return outputs.map(({ value }) => expanded(value));
}

/** The exponent less 1, of a power by a number that the formula shows; else null. */
function lessOne({ fn, args: [, power] }: CallNode): LiteralNode | null {
  if (fn !== "pow" || power?.kind !== "literal" || typeof power.value !== "number") return null;
  return { ...power, value: power.value - 1 };
}

function powerRule(rest: LiteralNode): string {
  if (rest.value === -1) return "g * 0";
  if (rest.value === 0) return "g";
  return rest.value === 1 ? "g * C(b * a)" : "g * C(b * a ** rest)";
}

/** The derivative of one formula in one direction. */
class Derivation {
  readonly names: DerivedNames;
  readonly roots: readonly Node[];
  readonly #formula: Formula;
  readonly #isComplex: boolean;
  readonly #isForward: boolean;
  /** The values of the formula that the derivative reads: outputs that are computed are operands. */
  readonly #values = new Map<Node, Node>();
  /** The nodes in the order in which they are made, which is that of the operands. */
  readonly #made: Node[] = [];
  /** Negated gradients, each of which is a node of its own wherever it is used. */
  readonly #negated = new Set<Node>();

  constructor(formula: Formula, isComplex: boolean, isForward: boolean) {
    this.names = namesFor(formula);
    this.roots = expandedOutputs(formula);
    this.#formula = formula;
    this.#isComplex = isComplex;
    this.#isForward = isForward;
    for (const [k, node] of this.roots.entries())
      if (node.kind === "call") this.#values.set(node, nameNode(this.names.result(k)));
  }

  #add(node: Node): Node {
    this.#made.push(node);
    return node;
  }

  /** The node as an argument of another. A name is a node at each use: the order in which a derivative of this one sums depends on it. */
  #used(node: Node): Node {
    if (node.kind === "name") return { ...node };
    return node.kind === "call" && this.#negated.has(node)
      ? { ...node, args: node.args.map((arg) => this.#used(arg)) }
      : node;
  }

  /** A value of the formula. */
  #value(node: Node): Node {
    if (node.kind !== "call") return node;
    let value = this.#values.get(node);
    if (value === undefined) {
      const args = node.args.map((arg) => this.#value(arg));
      value = this.#add({ ...node, args: args.map((arg) => this.#used(arg)) });
      this.#values.set(node, value);
    }
    return value;
  }

  /** A rule with the values of a call for its letters. */
  #filled(rule: Formula, node: CallNode, g: Node | null): Node {
    const values = new Map<string, Node | null>();
    for (const letter of rule.operands)
      if (letter === "g") values.set(letter, g);
      else if (letter === "rest") values.set(letter, lessOne(node));
      else values.set(letter, this.#value(letter === "y" ? node : (node.args["abc".indexOf(letter)] as Node)));
    const hasConjugates = this.#isComplex && !this.#isForward;
    return substituted(onlyValue(rule), (letter) => this.#used(values.get(letter) as Node), hasConjugates);
  }

  #conditionOf(guard: Guard): Node {
    if (guard.condition === null) {
      const { node, argument, around } = guard;
      const own = this.#filled(parsedOnce(choices[node.fn]?.[argument] as string), node, null);
      guard.condition = this.#add(around === null ? own : callNode("and", this.#conditionOf(around), own));
    }
    return guard.condition;
  }

  /** The rule by which a gradient passes to an argument of a call; null if nothing passes. */
  ruleOf(node: CallNode, argument: number): string | null {
    const { fn } = node;
    if (isDType(fn)) return isFloatDType(fn) || isComplexDType(fn) ? "g" : null;
    const plain = rules[fn] ?? everydayOf(fn)?.derivative;
    const complex = complexRules[this.#isForward ? "forward" : "backward"][fn];
    const list = this.#isComplex ? (complex ?? plain) : (plain ?? complex);
    if (list === undefined) throw new Error(`derive: the function ${fn} has no derivative`);
    const rest = argument === 0 ? lessOne(node) : null;
    return rest === null ? (list[argument] ?? null) : powerRule(rest);
  }

  /** The part of g that passes to an argument of a call by a rule. */
  passed(text: string, node: CallNode, g: Node, guard: Guard | null): Node {
    if (text === "g") return g;
    const rule = parsedOnce(text);
    const part = this.#filled(rule, node, g);
    if (text === "-g" && !this.#negated.has(g)) {
      this.#negated.add(part);
      return part;
    }
    const hasSlope = !(node.fn in choices) && rule.operands.some((letter) => letter !== "g");
    return this.#add(guard !== null && hasSlope ? callNode("select", this.#conditionOf(guard), part, zero) : part);
  }

  sumOf(terms: readonly Node[]): Node {
    if (terms.length === 1) return terms[0] as Node;
    return this.#add(terms.map((term) => this.#used(term)).reduce((left, right) => callNode("add", left, right)));
  }

  /** The gradient of an operand that stands explicitly, of what reaches the only output. */
  explicit(text: string, g: string): Node {
    const { operands } = this.#formula;
    const nodeOf = (name: string): Node => {
      if (name === "g") return nameNode(g);
      if (operands.includes(name)) return nameNode(name);
      if (name === "y") return nameNode(this.names.result(0));
      throw new StridewiseError(
        `${this.#formula.who}: its gradient "${text}" has the name ${name}, which is not an operand`,
      );
    };
    return substituted(onlyValue(parseGradient(text)), nodeOf, this.#isComplex && !this.#isForward);
  }

  /** The derivative with these outputs; null if there are none. */
  finish(outputs: readonly OutputNode[]): Derivative | null {
    if (outputs.length === 0) return null;
    const operands = new Set<string>();
    const nodes = inOrder([...this.#made, ...outputs.map(({ value }) => value)]);
    if (nodes.length > mostNodes)
      throw new StridewiseError(`${userFormula}: a formula has at most ${mostNodes} operations. Split it.`);
    for (const node of nodes) if (node.kind === "name") operands.add(node.name);
    let text: string | null = null;
    const formula: Formula = {
      who: userFormula,
      get text() {
        text ??= printFormula(outputs, mostNested);
        return text;
      },
      isDerived: true,
      outputs,
      operands: [...operands],
    };
    return { formula, names: this.names };
  }
}

/**
 * The formula of the gradients of some operands, outputs named `derivative`, from those of the outputs, `gradient`. Outputs that it
 * needs are `result`. Explicit gradients replace the derived ones; where nothing passes the gradient is 0.
 */
export function backwardFormula(
  formula: Formula,
  wanted: readonly string[],
  isComplex: boolean,
  explicit: ExplicitGradients = {},
): Derivative | null {
  const derivation = new Derivation(formula, isComplex, false);
  const { names, roots } = derivation;
  const nodes = inOrder(roots);
  const matters = new Set<Node>();
  for (const node of nodes)
    if (
      node.kind === "name"
        ? wanted.includes(node.name) && !Object.hasOwn(explicit, node.name)
        : node.kind === "call" && node.args.some((arg) => matters.has(arg))
    )
      matters.add(node);
  const terms = new Map<Node, Node[]>();
  const guards = new Map<Node, Guard | null>();
  const add = (node: Node, term: Node, guard: Guard | null): void => {
    const list = terms.get(node);
    if (list === undefined) {
      terms.set(node, [term]);
      guards.set(node, guard);
      return;
    }
    list.push(term);
    if (guards.get(node) !== guard) guards.set(node, null);
  };
  roots.forEach((node, k) => {
    if (matters.has(node)) add(node, nameNode(names.gradient(k)), null);
  });
  const results = new Map<string, Node[]>();
  for (const node of nodes.reverse()) {
    const list = terms.get(node);
    if (list === undefined) continue;
    if (node.kind === "name") results.set(node.name, [...(results.get(node.name) ?? []), ...list]);
    if (node.kind !== "call") continue;
    const g = derivation.sumOf(list);
    const guard = guards.get(node) ?? null;
    node.args.forEach((arg, argument) => {
      const rule = matters.has(arg) ? derivation.ruleOf(node, argument) : null;
      if (rule === null) return;
      const part = derivation.passed(rule, node, g, guard);
      const chooses = choices[node.fn]?.[argument] != null;
      add(arg, part, chooses ? { node, argument, around: guard, condition: null } : guard);
    });
  }
  const gradientOf = (name: string): Node => {
    const text = Object.hasOwn(explicit, name) ? explicit[name] : undefined;
    if (text !== undefined) return derivation.explicit(text, names.gradient(0));
    const list = results.get(name);
    return list === undefined ? callNode("like", zero, nameNode(names.gradient(0))) : derivation.sumOf(list);
  };
  return derivation.finish(
    wanted.map((name) => ({ name: names.derivative(formula.operands.indexOf(name)), value: gradientOf(name) })),
  );
}

/**
 * The formula of the tangents of the outputs, named `derivative`, from those of some operands, `tangent`, and from outputs that it needs,
 * `result`. An explicit gradient counts where it is a slope times g: of real numbers always, of complex ones if it has a conjugate.
 */
export function forwardFormula(
  formula: Formula,
  moving: readonly string[],
  isComplex: boolean,
  explicit: ExplicitGradients = {},
): Derivative | null {
  const derivation = new Derivation(formula, isComplex, true);
  const { names, roots } = derivation;
  const tangentOf = (operand: string): string => names.tangent(formula.operands.indexOf(operand));
  const explicitOf = (operand: string): string | undefined => {
    const text = Object.hasOwn(explicit, operand) ? explicit[operand] : undefined;
    return isComplex && !text?.includes(`${conjugate}(`) ? undefined : text;
  };
  const tangents = new Map<Node, Node>();
  for (const node of inOrder(roots)) {
    if (node.kind === "name" && moving.includes(node.name) && explicitOf(node.name) === undefined)
      tangents.set(node, nameNode(tangentOf(node.name)));
    if (node.kind !== "call") continue;
    const terms = node.args.flatMap((arg, argument) => {
      const t = tangents.get(arg);
      const rule = t === undefined ? null : derivation.ruleOf(node, argument);
      return t === undefined || rule === null ? [] : [derivation.passed(rule, node, t, null)];
    });
    if (terms.length > 0) tangents.set(node, derivation.sumOf(terms));
  }
  // An explicit gradient is that of the only output.
  const explicitTerms = moving.flatMap((name) => {
    const text = explicitOf(name);
    return text === undefined ? [] : [derivation.explicit(text, tangentOf(name))];
  });
  return derivation.finish(
    roots.flatMap((node, k) => {
      const terms = [tangents.get(node) ?? [], k === 0 ? explicitTerms : []].flat();
      return terms.length === 0 ? [] : [{ name: names.derivative(k), value: derivation.sumOf(terms) }];
    }),
  );
}
