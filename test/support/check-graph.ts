/** A minimal check of graphs: values are defined once, before they are used; writes are to inputs, with values of their type. */
import { type Graph, Node, type Value } from "../../src/graph/ir.ts";
import { usedBy } from "../../src/graph/rebuild.ts";

/** Throws an error with all faults of a graph. */
export function checkGraph(graph: Graph, outer: ReadonlySet<Value> = new Set()): void {
  const faults: string[] = [];
  const defined = new Set<Value>(outer);
  const define = (value: Value, what: string): void => {
    if (defined.has(value)) faults.push(`${what} defines a value again`);
    defined.add(value);
  };
  for (const { value } of graph.inputs) {
    define(value, "an input");
    if (value.node !== null) faults.push("an input has a node");
  }
  graph.nodes.forEach((node, k) => {
    const name = `node ${k} (${node.op.name})`;
    if (!(node instanceof Node)) faults.push(`${name} is not a node`);
    for (const region of node.regions) checkGraph(region, defined);
    if (node.regions.length === 0)
      for (const value of usedBy(node))
        if (!defined.has(value)) faults.push(`${name} uses a value before it is defined`);
    for (const value of node.results) {
      define(value, name);
      if (value.node !== node) faults.push(`a result of ${name} has another node`);
    }
  });
  for (const value of graph.outputs) if (!defined.has(value)) faults.push("an output is not defined");
  const inputs = new Set(graph.inputs.map(({ value }) => value));
  for (const { to, value } of graph.writes) {
    if (!inputs.has(to)) faults.push("a write is not to an input");
    if (!defined.has(value)) faults.push("a written value is not defined");
    if (`${to.type.dtype} ${to.type.shape}` !== `${value.type.dtype} ${value.type.shape}`)
      faults.push("a written value has another type than its input");
  }
  if (faults.length > 0) throw new Error(`${graph.name}: ${faults.join("; ")}`);
}
