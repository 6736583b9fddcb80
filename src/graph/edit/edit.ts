/**
 * Functions that build and change graphs: nodes by the name of an op, with the types of their results; visits of all nodes; new graphs from old
 * ones, node by node. `Graph` itself inserts, replaces and removes single nodes.
 */
import { checkFunction, checkObject, wrongKind } from "../../base/arguments.ts";
import { isSymbolic } from "../../layout/int.ts";
import { Operator } from "../../tensor/dispatch/operator.ts";
import { inferSymbolic } from "../infer-symbolic.ts";
import { type Argument, type Graph, GraphError, Node, type TensorType } from "../ir.ts";
import { mapLeaves } from "../leaves.ts";
import { operatorWithName } from "../operators.ts";
import { numberOf, type SymbolValues } from "../sizes.ts";
import { checkIsGraph } from "../text/text.ts";
import { type NodeMapper, rebuildGraph } from "./rebuild.ts";

export type { NodeMapper } from "./rebuild.ts";

/** An op by its name, or as a function of the library. */
export type OpLike = string | { readonly operator: Operator };

/** The position of a new node: before or after another one. Default: the end. */
export interface NodePosition {
  readonly before?: Node | undefined;
  readonly after?: Node | undefined;
}

/**
 * Adds a node that calls an op, and returns it. The types of its results follow from the arguments. The op is named as in the text of a graph:
 * `addOp(graph, "add", [x, y])`, or is a function: `addOp(graph, relu, [x])`.
 */
export function addOp(graph: Graph, op: OpLike, args: readonly Argument[], { before, after }: NodePosition = {}): Node {
  checkIsGraph("addOp", graph);
  const operator = typeof op === "string" ? operatorWithName("addOp", op) : Object(op).operator;
  if (!(operator instanceof Operator)) throw wrongKind("addOp", "an op or its name", op);
  if (isComposite(operator))
    throw new GraphError(
      `addOp: ${operator.name} is composed of other ops, which graphs have instead. Add those, or compile a function that calls it`,
    );
  const node = new Node(operator, args, inferSymbolic("addOp", operator, args));
  if (before !== undefined) graph.insertBefore(before, node);
  else if (after !== undefined) graph.insertAfter(after, node);
  else graph.nodes.push(node);
  return node;
}

/** True for an op that never becomes a node, because it is composed of other ops. */
const isComposite = (op: Operator): boolean => op.kernelFor("composite") !== null && op.plan === null;

/** Functions that `visitGraph` calls. Each is optional. */
export interface GraphVisitor {
  /** Called for each node, before the nodes of its regions. */
  node?(node: Node, graph: Graph): void;
  /** Called for each graph: the graph itself, then regions. */
  graph?(graph: Graph): void;
}

/** Visits all nodes of a graph in their order, those of regions after the node that runs them. */
export function visitGraph(graph: Graph, visitor: GraphVisitor): void {
  checkIsGraph("visitGraph", graph);
  checkObject("visitGraph", "a visitor: { node: (node) => ... }", visitor);
  visitor.graph?.(graph);
  for (const node of [...graph.nodes]) {
    visitor.node?.(node, graph);
    for (const region of node.regions) visitGraph(region, visitor);
  }
}

/** Returns a new graph with the same inputs, in which each node is copied, or replaced by the nodes that `fn` adds. The old graph does not change. */
export function mapNodes(graph: Graph, fn: NodeMapper): Graph {
  checkIsGraph("mapNodes", graph);
  checkFunction("mapNodes", fn);
  return rebuildGraph(graph, { who: "mapNodes", node: fn, inRegions: true });
}

/** Returns a copy of a graph with new nodes and values. The tensors of inputs are shared. */
export function copyGraph(graph: Graph): Graph {
  checkIsGraph("copyGraph", graph);
  return rebuildGraph(graph, { who: "copyGraph" });
}

/** Returns a copy of a graph with numbers in place of symbols: `bindSizes(graph, { n: 4 })`. Symbols without a value remain. */
export function bindSizes(graph: Graph, symbols: SymbolValues): Graph {
  checkIsGraph("bindSizes", graph);
  checkObject("bindSizes", "sizes by name: { n: 4 }", symbols);
  const isBound = (arg: unknown): boolean =>
    isSymbolic(arg) && [...arg.symbols.keys()].every((name) => Object.hasOwn(symbols, name));
  const bindInt = <T>(size: T): T | number => (isBound(size) ? numberOf(size as never, symbols) : size);
  const bind = (arg: Argument): Argument => mapLeaves(arg, bindInt) as Argument;
  const bindType = ({ dtype, shape, strides }: TensorType): TensorType => ({
    dtype,
    shape: shape.map(bindInt),
    strides: strides?.map(bindInt) ?? null,
  });
  return rebuildGraph(graph, { who: "bindSizes", type: bindType, argument: bind });
}
