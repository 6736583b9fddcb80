/**
 * The parser of graphs, the inverse of `text.ts`. Graphs are verified after they are parsed. docs/graphs.md has the grammar.
 *
 * Guarantee: `printGraph(parseGraph(text))` is `text` for every text that `printGraph` prints. Errors are GraphErrors with line, column and a caret.
 */
import { wrongKind } from "../../base/arguments.ts";
import { type Expr, sym } from "../../expr/expr.ts";
import { Generator } from "../../tensor/create/generator.ts";
import { isFlat, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { Graph, GraphError, type Input, isConcrete, Node, type TensorType, type Value } from "../ir.ts";
import { findOperator, operatorNames } from "../operators.ts";
import { formatType } from "../tensor-type.ts";
import { typeOf } from "../trace/traced.ts";
import { checkGraph } from "../verify.ts";
import { type Names, parseArgument, parseType, Values } from "./parse-value.ts";
import { Scanner } from "./scanner.ts";
import { inputKeys } from "./text.ts";

export interface ParseGraphOptions {
  /**
   * The captured tensors, constants and live numbers, by the names of the inputs. If omitted, the graph has types only: it can be printed, changed and
   * verified, but not run.
   */
  readonly constants?: ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor>> | undefined;
}

const who = "parseGraph";
const kinds = ["argument", "captured", "constant", "live"] as const;

/** Parses the text of a graph. Throws a GraphError if the text is not a graph, or the graph breaks a rule of `verifyGraph`. */
export function parseGraph(text: string, options: ParseGraphOptions = {}): Graph {
  if (typeof text !== "string") throw wrongKind(who, "the text of a graph", text);
  const scanner = new Scanner(who, text);
  const graph = parseOne(scanner);
  if (!scanner.isAtEnd) scanner.missing("the end of the text");
  return withData(graph, options);
}

/** Parses the text of several graphs. Returns them by name. */
export function parseGraphs(text: string, options: ParseGraphOptions = {}): Map<string, Graph> {
  if (typeof text !== "string") throw wrongKind("parseGraphs", "the text of graphs", text);
  const scanner = new Scanner("parseGraphs", text);
  const graphs = new Map<string, Graph>();
  while (!scanner.isAtEnd) {
    const at = scanner.position;
    const graph = parseOne(scanner);
    if (graphs.has(graph.name)) scanner.fail(`there are two graphs named ${graph.name}`, at);
    graphs.set(graph.name, withData(graph, options));
  }
  return graphs;
}

function parseOne(scanner: Scanner): Graph {
  const header: Header = { symbols: {}, generators: new Map() };
  return parseBody(scanner, header, null);
}

/** Symbols and generators, which the first lines of a graph declare. */
interface Header {
  readonly symbols: Record<string, Expr>;
  readonly generators: Map<string, Generator>;
}

function parseBody(scanner: Scanner, header: Header, outer: Values | null): Graph {
  scanner.expect("graph");
  const graph = new Graph(scanner.name("the name of the graph"));
  scanner.expect("{");
  const values = new Values(outer);
  const names: Names = { ...header, valueOf: (name) => values.get(name) };
  if (outer === null) parseHeader(scanner, header);
  const define = (): { name: string; type: TensorType } => {
    const at = scanner.position;
    const name = scanner.match(/%\w+/) ?? scanner.missing("a value such as %0");
    if (values.get(name) !== undefined) scanner.fail(`${name} is defined twice`, at);
    scanner.expect(":");
    return { name, type: parseType(scanner, names) };
  };
  const use = (): Value => {
    const at = scanner.position;
    const name = scanner.match(/%\w+/) ?? scanner.missing("a value such as %0");
    return values.get(name) ?? scanner.fail(`${name} is not defined before it is used`, at);
  };
  for (let kind = takeKind(scanner); kind !== undefined; kind = takeKind(scanner)) {
    const { name, type } = define();
    values.set(name, graph.addInput(type, kind, scanner.string()));
  }
  for (;;) {
    if (scanner.takeIf("write")) {
      const to = use();
      scanner.expect("=");
      graph.writes.push({ to, value: use() });
    } else if (scanner.takeIf("return")) {
      graph.outputs = scanner.takeIf("}") ? [] : scanner.list("}", use);
      return graph;
    } else graph.nodes.push(parseNode(scanner, header, names, values, define));
  }
}

function takeKind(scanner: Scanner): Input["kind"] | undefined {
  return kinds.find((kind) => scanner.takeIf(kind));
}

function parseHeader(scanner: Scanner, { symbols, generators }: Header): void {
  for (;;) {
    const at = scanner.position;
    if (scanner.takeIf("symbol")) {
      const [name, symbol] = parseSymbol(scanner);
      if (Object.hasOwn(symbols, name)) scanner.fail(`the symbol ${name} is declared twice`, at);
      symbols[name] = symbol;
    } else if (scanner.takeIf("generator")) {
      const name = scanner.match(/@\w+/) ?? scanner.missing("a generator such as @0");
      if (generators.has(name)) scanner.fail(`the generator ${name} is declared twice`, at);
      scanner.expect(":");
      scanner.expect("seed");
      const seed = BigInt(scanner.match(/\d+/) ?? scanner.missing("a seed"));
      scanner.expect(",");
      scanner.expect("offset");
      const offset = scanner.integer("the number of the next draw");
      generators.set(
        name,
        scanner.located(at, () => new Generator().setState({ seed, offset })),
      );
    } else return;
  }
}

function parseSymbol(scanner: Scanner): [string, Expr] {
  const at = scanner.position;
  const name = scanner.match(/[A-Za-z_]\w*/) ?? scanner.missing("the name of a symbol");
  let [min, max, divisibleBy] = [-Infinity, Infinity, 1];
  const parseMultiple = (): void => {
    scanner.expect("of");
    divisibleBy = scanner.integer("a divisor");
  };
  if (scanner.takeIf(":")) {
    if (scanner.takeIf("multiple")) parseMultiple();
    else {
      if (!scanner.takeIf("..")) {
        min = scanner.integer("a bound");
        scanner.expect("..");
      }
      const upper = scanner.match(/-?\d+/);
      if (upper !== null) max = Number(upper);
      if (scanner.takeIf(",")) {
        scanner.expect("multiple");
        parseMultiple();
      }
    }
  }
  return [name, scanner.located(at, () => sym(name, { min, max, divisibleBy }))];
}

function parseNode(
  scanner: Scanner,
  header: Header,
  names: Names,
  values: Values,
  define: () => { name: string; type: TensorType },
): Node {
  const results: { name: string; type: TensorType }[] = [];
  const first = scanner.position;
  if (scanner.match(/(?=%)/) !== null) {
    do results.push(define());
    while (scanner.takeIf(","));
    scanner.expect("=");
  }
  const at = scanner.position;
  const name = scanner.string() ?? scanner.match(/[A-Za-z_$][\w$.]*/) ?? missingStatement(scanner, results.length);
  const op = findOperator(name) ?? scanner.unknown("op", name, operatorNames(), at);
  scanner.expect("(");
  const args = scanner.list(")", () => parseArgument(scanner, names));
  const regions: Graph[] = [];
  if (scanner.takeIf("{")) while (!scanner.takeIf("}")) regions.push(parseBody(scanner, header, values));
  const node = new Node(
    op,
    args,
    results.map(({ type }) => type),
    regions,
  );
  results.forEach((result, k) => {
    if (values.get(result.name) !== undefined) scanner.fail(`${result.name} is defined twice`, first);
    values.set(result.name, node.results[k]);
  });
  return node;
}

function missingStatement(scanner: Scanner, results: number): never {
  return scanner.missing(results > 0 ? "the name of an op" : "an op, write or return");
}

/** Returns a graph with the tensors of its inputs, verified. */
function withData(graph: Graph, { constants }: ParseGraphOptions): Graph {
  if (constants !== undefined) {
    const keys = inputKeys(graph);
    graph.inputs = graph.inputs.map((input) => {
      const key = keys.get(input);
      return key === undefined ? input : { ...input, tensor: dataFor(key, input, constants) };
    });
  }
  checkGraph(graph, who);
  return graph;
}

function dataFor(key: string, { kind, value }: Input, constants: NonNullable<ParseGraphOptions["constants"]>): Tensor {
  const t =
    constants instanceof Map ? (constants.get(key) as Tensor | undefined) : (constants as Record<string, Tensor>)[key];
  if (t === undefined)
    throw new GraphError(
      `${who}: constants has no tensor for the ${kind} input ${JSON.stringify(key)}. Pass it, or omit constants to read types only`,
    );
  const { type } = value;
  const actual = isFlat(t) ? formatType(typeOf(t)) : `${t.dtype} with nested modes ${sizesOf(t)}`;
  // A size that is a symbol has the value that the tensor has.
  const isFit = isConcrete(type) ? actual === formatType(type) : t.dtype === type.dtype && t.rank === type.shape.length;
  if (!isFit)
    throw new GraphError(`${who}: the ${kind} input ${JSON.stringify(key)} must be ${formatType(type)}, got ${actual}`);
  return t;
}
