/**
 * Derivatives of formulas, as formulas: the gradients of the operands from those of the outputs (backward), and the tangents of the outputs
 * from those of the operands (forward). Each function has one rule for each argument, which is linear in the gradient or tangent, so both
 * directions use it.
 *
 * Gradients of complex values follow PyTorch: for a holomorphic function, g times the conjugate of its derivative. Values of the formula
 * that its derivative needs are recomputed, except outputs, which are operands of the derivative.
 */
import { StridewiseError } from "../../base/errors.ts";
import { isComplexDType, isDType, isFloatDType } from "../../storage/dtype.ts";
import { choices, complexRules, rules } from "./derivative-rules.ts";
import { compositeOf } from "./functions.ts";
import {
  callNode,
  type Formula,
  type FunctionNode,
  inOrder,
  type LiteralNode,
  type Node,
  onlyValue,
  userFormula,
} from "./node.ts";
import { conjugate, maxNodes, parsedOnce, tooLong } from "./parse.ts";
import { printSteps } from "./print.ts";

/** A condition under which a derivative is not 0: that of a selection, and those around it. */
interface Guard {
  readonly node: FunctionNode;
  readonly argument: number;
  readonly outer: Guard | null;
  condition: Node | null;
}

/** An operand of a derivative: an operand or a result of the formula, the gradient of a result, or the tangent of an operand. */
export interface DerivativeSource {
  readonly kind: "operand" | "result" | "gradient" | "tangent";
  /** The index of the operand or result in the formula. */
  readonly index: number;
}

/** A derivative: a formula, and the names of its operands and outputs. */
export interface Derivative {
  readonly formula: Formula;
  readonly names: DerivedNames;
  /** The operand that each output is the gradient of, or the output that each is the tangent of. */
  readonly targets: readonly number[];
}

/** The names of the operands of a derivative besides those of the formula, and of its outputs. */
interface DerivedNames {
  /** The suffix of these names, which no operand has. */
  readonly suffix: string;
  gradient(output: number): string;
  result(output: number): string;
  tangent(operand: number): string;
  /** The derivative of an operand, or in forward mode of an output. */
  derivative(index: number): string;
  /** Returns the value with one of these names; undefined for an operand of the formula. */
  sourceOf(name: string): DerivativeSource | undefined;
}

const kinds: Readonly<Record<string, DerivativeSource["kind"]>> = { g: "gradient", y: "result", t: "tangent" };

/** Returns names that differ from those of all operands: they end with the first number that no operand ends with. */
function namesFor({ operands }: Formula): DerivedNames {
  let level = 1;
  while (operands.some((name) => name.endsWith(`_${level}`))) level++;
  const suffix = `_${level}`;
  return {
    suffix,
    gradient: (index) => `g${index}${suffix}`,
    result: (index) => `y${index}${suffix}`,
    tangent: (index) => `t${index}${suffix}`,
    derivative: (index) => `d${index}${suffix}`,
    sourceOf(name) {
      const kind = name.endsWith(suffix) ? kinds[name.charAt(0)] : undefined;
      return kind && { kind, index: Number.parseInt(name.slice(1), 10) };
    },
  };
}

/** Formulas of gradients by operand, which replace the derived ones: over the operands, the gradient g and the result y; C( ) is the conjugate. */
export type ExplicitGradients = Readonly<Record<string, string>>;

const nameNode = (name: string): Node => ({ kind: "name", name, at: 0 });
const zero: LiteralNode = { kind: "literal", value: 0, category: "integer", at: 0 };

/** Replaces the names in a node by other nodes; C( ) becomes the conjugate or is dropped. */
function substituted(root: Node, nodeOf: (name: string) => Node, hasConjugates: boolean): Node {
  const known = new Map<Node, Node>();
  const visit = (node: Node): Node => {
    if (node.kind === "literal") return node;
    if (node.kind === "name") return nodeOf(node.name);
    let result = known.get(node);
    if (result === undefined) {
      const args = node.args.map(visit);
      if (node.fn !== conjugate) result = { ...node, args };
      else result = hasConjugates ? callNode("conj", ...args) : args[0];
      known.set(node, result);
    }
    return result;
  };
  return visit(root);
}

/** The outputs of a formula, with the bodies of composite functions that have no rule. */
function expandedOutputs({ outputs }: Formula): Node[] {
  const known = new Map<Node, Node>();
  const expanded = (node: Node): Node => {
    if (node.kind !== "call") return node;
    let result = known.get(node);
    if (result === undefined) {
      const args = node.args.map(expanded);
      const composite = node.fn in rules ? undefined : compositeOf(node.fn);
      if (composite === undefined) result = { ...node, args };
      else {
        const parameters = composite.parameters.split(", ");
        result = substituted(onlyValue(parsedOnce(composite.body)), (name) => args[parameters.indexOf(name)], false);
      }
      known.set(node, result);
    }
    return result;
  };
  return outputs.map(({ value }) => expanded(value));
}

/** The exponent of a power minus 1 if it is a literal; otherwise null. */
function lessOne({ fn, args: [, power] }: FunctionNode): LiteralNode | null {
  if (fn !== "pow" || power?.kind !== "literal" || typeof power.value !== "number") return null;
  return { ...power, value: power.value - 1 };
}

function powerRule(rest: LiteralNode): string {
  if (rest.value === -1) return "g * 0";
  if (rest.value === 0) return "g";
  return rest.value === 1 ? "g * C(b * a)" : "g * C(b * a ** rest)";
}

/** The derivation of one formula in one direction. */
function derivationOf(formula: Formula, isComplex: boolean, isForward: boolean) {
  const names = namesFor(formula);
  const roots = expandedOutputs(formula);
  const hasConjugates = isComplex && !isForward;
  /** The values of the formula that the derivative reads: outputs that are computed are operands. */
  const values = new Map<Node, Node>();
  for (const [k, node] of roots.entries()) if (node.kind === "call") values.set(node, nameNode(names.result(k)));
  /** The nodes in the order of their creation, which is that of the operands. */
  const created: Node[] = [];
  /** Negated gradients, each of which is a node of its own wherever it is used. */
  const negated = new Set<Node>();

  const add = (node: Node): Node => {
    created.push(node);
    return node;
  };

  /** The node as an argument of another. A name is a node at each use: the order in which a derivative of this one sums depends on it. */
  const used = (node: Node): Node => {
    if (node.kind === "name") return { ...node };
    return node.kind === "call" && negated.has(node) ? { ...node, args: node.args.map(used) } : node;
  };

  /** The node of a value of the formula. */
  const valueOf = (node: Node): Node => {
    if (node.kind !== "call") return node;
    let value = values.get(node);
    if (value === undefined) {
      value = add({ ...node, args: node.args.map(valueOf).map(used) });
      values.set(node, value);
    }
    return value;
  };

  /** A rule with the values of a call in place of its letters. */
  const filled = (rule: Formula, node: FunctionNode, g: Node | null): Node => {
    const letters = new Map<string, Node | null>();
    for (const letter of rule.operands)
      if (letter === "g") letters.set(letter, g);
      else if (letter === "rest") letters.set(letter, lessOne(node));
      else letters.set(letter, valueOf(letter === "y" ? node : node.args["abc".indexOf(letter)]));
    return substituted(onlyValue(rule), (letter) => used(letters.get(letter) as Node), hasConjugates);
  };

  const conditionOf = (guard: Guard): Node => {
    if (guard.condition === null) {
      const { node, argument, outer } = guard;
      const own = filled(parsedOnce(choices[node.fn]?.[argument] as string), node, null);
      guard.condition = add(outer === null ? own : callNode("and", conditionOf(outer), own));
    }
    return guard.condition;
  };

  return {
    names,
    roots,
    /** The rule for an argument of a call; null if its derivative is 0. */
    ruleOf(node: FunctionNode, argument: number): string | null {
      const { fn } = node;
      if (isDType(fn)) return isFloatDType(fn) || isComplexDType(fn) ? "g" : null;
      const complex = complexRules[isForward ? "forward" : "backward"][fn];
      const list = isComplex ? (complex ?? rules[fn]) : (rules[fn] ?? complex);
      if (list === undefined) throw new Error(`${fn} has no derivative`);
      const rest = argument === 0 ? lessOne(node) : null;
      return rest === null ? (list[argument] ?? null) : powerRule(rest);
    },
    /** The part of g for an argument of a call, by a rule. */
    propagated(text: string, node: FunctionNode, g: Node, guard: Guard | null): Node {
      if (text === "g") return g;
      const rule = parsedOnce(text);
      const part = filled(rule, node, g);
      if (text === "-g" && !negated.has(g)) {
        negated.add(part);
        return part;
      }
      const hasSlope = !(node.fn in choices) && rule.operands.some((letter) => letter !== "g");
      return add(guard !== null && hasSlope ? callNode("select", conditionOf(guard), part, zero) : part);
    },
    sumOf(terms: readonly Node[]): Node {
      if (terms.length === 1) return terms[0];
      return add(terms.map(used).reduce((left, right) => callNode("add", left, right)));
    },
    /** The explicit gradient of an operand, from that of the only output. */
    explicit(text: string, g: string): Node {
      const y = formula.operands.includes("y") ? "y" : names.result(0);
      const nodeOf = (name: string): Node => nameNode(name === "g" ? g : name === "y" ? y : name);
      return substituted(onlyValue(parsedOnce(text)), nodeOf, hasConjugates);
    },
    /** The derivative with these values as outputs, by operand or output of the formula; null if there are none. */
    finish(results: ReadonlyMap<number, Node>): Derivative | null {
      if (results.size === 0) return null;
      const outputs = Array.from(results, ([index, value]) => ({ name: names.derivative(index), value }));
      const nodes = inOrder([...created, ...results.values()]);
      if (nodes.length > maxNodes) throw new StridewiseError(`${userFormula}: ${tooLong}`);
      const operands = new Set<string>();
      // Only those that the outputs need: dispatched calls find a formula by its text, which does not show others.
      for (const node of inOrder([...results.values()])) if (node.kind === "name") operands.add(node.name);
      let printed: string | null = null;
      const derived: Formula = {
        who: userFormula,
        get text() {
          printed ??= printSteps(outputs, names.suffix);
          return printed;
        },
        isDerived: true,
        outputs,
        operands: [...operands],
      };
      return { formula: derived, names, targets: [...results.keys()] };
    },
  };
}

/**
 * Returns the formula of the gradients of some operands, outputs named `derivative`, from those of the outputs, named `gradient`. Outputs
 * that it needs are named `result`. Explicit gradients replace the derived ones.
 */
export function backwardFormula(
  formula: Formula,
  targets: readonly string[],
  isComplex: boolean,
  explicit: ExplicitGradients = {},
): Derivative | null {
  const derivation = derivationOf(formula, isComplex, false);
  const { names, roots } = derivation;
  const nodes = inOrder(roots);
  const matters = new Set<Node>();
  for (const node of nodes)
    if (
      node.kind === "name"
        ? targets.includes(node.name) && !Object.hasOwn(explicit, node.name)
        : node.kind === "call" && node.args.some((arg) => matters.has(arg))
    )
      matters.add(node);
  const reached = new Map<Node, { readonly terms: Node[]; guard: Guard | null }>();
  const add = (node: Node, term: Node, guard: Guard | null): void => {
    const before = reached.get(node);
    if (before === undefined) reached.set(node, { terms: [term], guard });
    else {
      before.terms.push(term);
      if (before.guard !== guard) before.guard = null;
    }
  };
  roots.forEach((node, k) => {
    if (matters.has(node)) add(node, nameNode(names.gradient(k)), null);
  });
  const results = new Map<string, Node[]>();
  for (const node of nodes.reverse()) {
    const here = reached.get(node);
    if (here === undefined) continue;
    const { terms, guard } = here;
    if (node.kind === "name") results.set(node.name, [...(results.get(node.name) ?? []), ...terms]);
    if (node.kind !== "call") continue;
    const g = derivation.sumOf(terms);
    node.args.forEach((arg, argument) => {
      const rule = matters.has(arg) ? derivation.ruleOf(node, argument) : null;
      if (rule === null) return;
      const part = derivation.propagated(rule, node, g, guard);
      const chooses = choices[node.fn]?.[argument] != null;
      add(arg, part, chooses ? { node, argument, outer: guard, condition: null } : guard);
    });
  }
  const gradientOf = (name: string): Node => {
    if (Object.hasOwn(explicit, name)) return derivation.explicit(explicit[name], names.gradient(0));
    const list = results.get(name);
    return list === undefined ? callNode("like", zero, nameNode(names.gradient(0))) : derivation.sumOf(list);
  };
  return derivation.finish(new Map(targets.map((name) => [formula.operands.indexOf(name), gradientOf(name)])));
}

/**
 * Returns the formula of the tangents of the outputs, named `derivative`, from those of some operands, named `tangent`, and from outputs that it
 * needs, named `result`. An explicit gradient is used where it is a slope times g: always for real numbers, for complex ones if it has a conjugate.
 */
export function forwardFormula(
  formula: Formula,
  moving: readonly string[],
  isComplex: boolean,
  explicit: ExplicitGradients = {},
): Derivative | null {
  const derivation = derivationOf(formula, isComplex, true);
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
      return t === undefined || rule === null ? [] : [derivation.propagated(rule, node, t, null)];
    });
    if (terms.length > 0) tangents.set(node, derivation.sumOf(terms));
  }
  // An explicit gradient is that of the only output.
  const explicitTerms = moving.flatMap((name) => {
    const text = explicitOf(name);
    return text === undefined ? [] : [derivation.explicit(text, tangentOf(name))];
  });
  const values = new Map<number, Node>();
  for (const [k, node] of roots.entries()) {
    const terms = [tangents.get(node) ?? [], k === 0 ? explicitTerms : []].flat();
    if (terms.length > 0) values.set(k, derivation.sumOf(terms));
  }
  return derivation.finish(values);
}
