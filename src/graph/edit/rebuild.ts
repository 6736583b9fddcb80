/**
 * Rebuilds a graph: passes and `edit.ts` copy graphs with changes only by this function. The original does not change. The copy has new values and
 * nodes, and shares the tensors of inputs.
 */
import { type Argument, Graph, GraphError, mapValues, type Node, type TensorType, type Value } from "../ir.ts";

/**
 * Returns the values that replace the results of a node, after adding nodes that compute them; null to copy the node. `args` are the arguments of
 * the node in the new graph.
 */
export type NodeMapper = (node: Node, args: readonly Argument[], into: Graph) => readonly Value[] | null;

/** Changes that are made while a graph is copied. */
export interface GraphChange {
  /** The function in errors. Default: compile. */
  readonly who?: string;
  /** Replaces nodes. Default: all are copied. */
  readonly node?: NodeMapper;
  /** True to replace nodes of regions too. Passes do not: a node of one region cannot use a value of another one. */
  readonly inRegions?: boolean;
  /** The type of a value in the new graph. */
  readonly type?: (type: TensorType) => TensorType;
  /** An argument of a node in the new graph, after its values are replaced. */
  readonly argument?: (arg: Argument) => Argument;
  /** Receives the value of the new graph for each value of the old one. */
  readonly values?: Map<Value, Value>;
}

/** Returns a copy of a graph with changes. */
export function rebuildGraph(graph: Graph, change: GraphChange = {}): Graph {
  const { who = "compile", node: mapNode, inRegions = false, values = new Map<Value, Value>() } = change;
  const { type: mapType = (type) => type, argument: mapArgument = (arg) => arg } = change;
  const regionChange: GraphChange = inRegions
    ? { ...change, values }
    : { who, type: mapType, argument: mapArgument, values };
  const into = new Graph(graph.name);
  const valueOf = (value: Value): Value => {
    const mapped = values.get(value);
    if (mapped === undefined)
      throw new GraphError(
        `${who}: a value is used before it is defined in ${graph.name}. Check the graph: verifyGraph(graph)`,
      );
    return mapped;
  };
  for (const { value, kind, name, tensor, creation } of graph.inputs) {
    const copied = creation && { op: creation.op, args: creation.args.map(mapArgument) };
    values.set(value, into.addInput(mapType(value.type), kind, name, tensor, copied));
  }
  for (const node of graph.nodes) {
    const args = node.args.map((arg) => mapArgument(mapValues(arg, valueOf) as Argument));
    let results = mapNode?.(node, args, into) ?? null;
    if (results === null) {
      const types = node.results.map(({ type }) => mapType(type));
      const regions = node.regions.map((region) => rebuildGraph(region, regionChange));
      ({ results } = into.add(node.op, args, types, regions));
    }
    if (results.length !== node.results.length)
      throw new GraphError(
        `${who}: ${node.op.name} has ${node.results.length} results, but ${results.length} values replace them`,
      );
    for (const [k, value] of node.results.entries()) values.set(value, results[k]);
  }
  into.outputs = graph.outputs.map(valueOf);
  into.writes = graph.writes.map(({ to, value }) => ({ to: valueOf(to), value: valueOf(value) }));
  return into;
}
