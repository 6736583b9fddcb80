/**
 * The verifier: reports the rules of the IR that a graph breaks. The first rule, about definitions, is a precondition of the others, so if it is
 * broken, only it is reported.
 *
 * Guarantee: a graph returned by a trace has no faults. Types are checked against the ops where the sizes are numbers; in a graph with symbols, bind
 * the sizes first (`bindSizes`).
 */
import { checkObject } from "../base/arguments.ts";
import { StridewiseError } from "../base/errors.ts";
import { isInt, isSymbolic, knownValue } from "../layout/int.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { inferResults } from "./infer.ts";
import { type Graph, GraphError, type Node, type TensorType, type Value, valuesIn } from "./ir.ts";
import { eachExpression } from "./sizes.ts";
import { formatType } from "./tensor-type.ts";
import { checkIsGraph, graphText, opName } from "./text/text.ts";

/** A rule that a graph breaks. */
export interface GraphFault {
  /** The name of the rule. */
  readonly rule: string;
  /** The number and the text of the line, as `printGraph` prints it. */
  readonly where: string;
  readonly text: string;
}

/** Reports that an input, a node or the graph itself breaks a rule. `name` returns the name of a value in the text. */
type Report = (at: object, text: string) => void;

/** A rule of the verifier: a name, a sentence, and a function that reports violations. */
export interface GraphRule {
  readonly name: string;
  readonly text: string;
  readonly check: (graph: Graph, report: Report, outer: ReadonlySet<Value>) => void;
}

const definitions: GraphRule = {
  name: "definitions",
  text: "Every value is defined once, before it is used: by an input, or as a result of a node, which it names.",
  check(graph, report, outer) {
    const seen = new Set(outer);
    const define = (value: Value, node: Node | null, at: object): void => {
      if (seen.has(value)) report(at, "defines a value that is defined already");
      if (value.node !== node) report(at, "defines a value that names another node");
      seen.add(value);
    };
    for (const input of graph.inputs) define(input.value, null, input);
    for (const node of graph.nodes) {
      for (const value of valuesIn(node.args))
        if (!seen.has(value)) report(node, `${opName(node)} uses a value that is not defined before it`);
      for (const region of node.regions) definitions.check(region, report, seen);
      for (const value of node.results) define(value, node, node);
    }
    for (const value of [...graph.outputs, ...graph.writes.map((write) => write.value)])
      if (!seen.has(value)) report(graph, "an output or a written value is not defined");
  },
};

const typesRule: GraphRule = {
  name: "types",
  text: "A size is an integer of at least 0 or an expression, and there is one stride for each size.",
  check(graph, report) {
    const check = ({ type: { shape, strides } }: Value, at: object): void => {
      if (strides !== null && strides.length !== shape.length)
        report(at, `${shape.length} sizes need ${shape.length} strides, got ${strides.length}`);
      for (const size of shape) {
        const known = isInt(size) ? knownValue(size) : NaN;
        const isNegative = isSymbolic(size) && size.proveLess(0) === true;
        if (isNegative || (known !== undefined && !(Number.isSafeInteger(known) && known >= 0)))
          report(at, `the size ${size} is not an integer of at least 0`);
      }
      for (const step of strides ?? []) {
        const known = isInt(step) ? knownValue(step) : NaN;
        if (known !== undefined && !Number.isSafeInteger(known)) report(at, `the stride ${step} is not an integer`);
      }
    };
    for (const input of graph.inputs) check(input.value, input);
    for (const node of graph.nodes) for (const value of node.results) check(value, node);
  },
};

const inputsRule: GraphRule = {
  name: "inputs",
  text: "The tensor of an input has its dtype and shape. An argument has none, a live number is a scalar.",
  check({ inputs }, report) {
    for (const input of inputs) {
      const { kind, tensor, value } = input;
      const { dtype, shape } = value.type;
      if (kind === "argument" && tensor !== null) report(input, "an argument has a tensor");
      if (kind === "live" && shape.length > 0) report(input, "a live number is not a scalar");
      if (tensor === null || shape.some(isSymbolic)) continue;
      if (tensor.dtype !== dtype || `${sizesOf(tensor)}` !== `${shape.map(Number)}`)
        report(input, `its tensor is ${formatType({ dtype: tensor.dtype, shape: sizesOf(tensor), strides: null })}`);
    }
  },
};

const symbolsRule: GraphRule = {
  name: "symbols",
  text: "One name is one symbol, with the same bounds everywhere, and its bounds allow a size.",
  check(graph, report) {
    const keys = new Map<string, string>();
    const check = (parts: unknown, at: object): void =>
      eachExpression(parts, ({ symbols }) => {
        for (const [name, { key, max }] of symbols) {
          const other = keys.get(name);
          if (other !== undefined && other !== key) report(at, `the symbol ${name} has other bounds elsewhere`);
          keys.set(name, key);
          if (max < 0) report(at, `the symbol ${name} is at most ${max}`);
        }
      });
    const partsOf = ({ type: { shape, strides } }: Value): unknown => [...shape, ...(strides ?? [])];
    for (const input of graph.inputs) check(partsOf(input.value), input);
    for (const node of graph.nodes) check([node.args, node.results.map(partsOf)], node);
  },
};

const resultsRule: GraphRule = {
  name: "results",
  text: "The results of a node have the dtypes and shapes that its op returns for its arguments.",
  check({ nodes }, report) {
    for (const node of nodes) {
      let hasSymbols = false;
      const note = (): void => {
        hasSymbols = true;
      };
      eachExpression(node.args, note);
      for (const { type } of [...valuesIn(node.args), ...node.results])
        eachExpression([type.shape, type.strides], note);
      if (hasSymbols) continue;
      try {
        const types = inferResults(node);
        if (types !== null) compare(node, types, report);
      } catch (error) {
        // Arguments of a wrong kind may cause errors of other classes.
        const { message } = error as Error;
        report(node, error instanceof StridewiseError ? message : `the arguments do not fit (${message})`);
      }
    }
  },
};

function compare(node: Node, types: readonly TensorType[], report: Report): void {
  const name = opName(node);
  if (types.length !== node.results.length) {
    report(node, `${name} returns ${types.length} tensors, the node has ${node.results.length} results`);
    return;
  }
  types.forEach((type, k) => {
    const declared = node.results[k].type;
    if (type.dtype !== declared.dtype || `${type.shape}` !== `${declared.shape}`)
      report(
        node,
        `${name} returns ${formatType({ ...type, strides: null })}, result ${k} of the node is ${formatType({ ...declared, strides: null })}`,
      );
  });
}

const writesRule: GraphRule = {
  name: "writes",
  text: "A write goes to an input that is not a constant, once, and has its dtype and shape.",
  check(graph, report) {
    const seen = new Set<Value>();
    for (const { to, value } of graph.writes) {
      const input = graph.inputs.find((each) => each.value === to);
      if (input === undefined) report(graph, "a write does not go to an input");
      else if (input.kind === "constant") report(input, "a constant is written");
      if (seen.has(to)) report(input ?? graph, "an input is written twice");
      seen.add(to);
      const [target, source] = [to.type, value.type];
      if (target.dtype !== source.dtype || `${target.shape}` !== `${source.shape}`)
        report(input ?? graph, `the value that is written is ${formatType({ ...source, strides: null })}`);
    }
  },
};

const regionsRule: GraphRule = {
  name: "regions",
  text: "The inputs of a region are arguments, and it writes to none of them.",
  check({ nodes }, report) {
    for (const { regions } of nodes)
      for (const region of regions) {
        for (const input of region.inputs)
          if (input.kind !== "argument") report(input, `a region has the ${input.kind} input`);
        if (region.writes.length > 0) report(region, "a region writes to an input");
      }
  },
};

/** The rules. Regions are checked with each of them. */
export const graphRules: readonly GraphRule[] = [
  definitions,
  typesRule,
  inputsRule,
  symbolsRule,
  resultsRule,
  writesRule,
  regionsRule,
];

/** Returns the rules that a graph breaks; an empty list for a graph without faults. */
export function verifyGraph(graph: Graph): readonly GraphFault[] {
  checkIsGraph("verifyGraph", graph);
  const faults: GraphFault[] = [];
  let text: ReturnType<typeof graphText> | undefined;
  for (const { name: rule, check } of graphRules) {
    const report: Report = (at, message) => {
      text ??= graphText(graph);
      const line = text.lineOf.get(at) ?? 0;
      const where = `line ${line + 1}: ${text.lines[line].trim()}`;
      if (!faults.some((each) => each.rule === rule && each.where === where && each.text === message))
        faults.push({ rule, where, text: message });
    };
    const checkAll = (each: Graph): void => {
      check(each, report, new Set());
      // The rule of definitions visits regions itself, because they use values of the graphs around them.
      if (rule !== definitions.name) for (const { regions } of each.nodes) regions.forEach(checkAll);
    };
    checkAll(graph);
    if (rule === definitions.name && faults.length > 0) break;
  }
  return faults;
}

/** Formats a fault as one line. */
export function formatFault(fault: GraphFault): string {
  checkObject("formatFault", "a fault of verifyGraph", fault);
  return `${fault.rule}, ${fault.where}: ${fault.text}`;
}

/** Throws a GraphError that lists the faults of a graph, if there are any. */
export function checkGraph(graph: Graph, who: string): void {
  const faults = verifyGraph(graph);
  if (faults.length === 0) return;
  const lines = faults.map((fault) => `  ${formatFault(fault)}`);
  throw new GraphError(
    `${who}: the graph ${graph.name} breaks ${faults.length === 1 ? "a rule" : `${faults.length} rules`}.\n${lines.join("\n")}`,
  );
}
