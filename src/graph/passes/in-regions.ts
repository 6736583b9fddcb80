/**
 * Passes inside of regions: a pass over a graph also changes the branches and bodies of its control flow, innermost first. A region is a graph whose
 * inputs are those of its op, so a pass does not change their number and order.
 */
import { capturedAt } from "../control/region-ops.ts";
import { type Argument, type Graph, type Node, type Value, valuesIn } from "../ir.ts";
import { usedBy } from "./node-facts.ts";

/** True if a region uses no value of the graphs around it, as those of traces do. */
function isClosed({ inputs, nodes, outputs, writes }: Graph): boolean {
  const own = new Set<Value>(inputs.map(({ value }) => value));
  for (const { results } of nodes) for (const value of results) own.add(value);
  const used = [...nodes.flatMap(({ args }) => valuesIn(args)), ...outputs, ...writes.map(({ value }) => value)];
  return used.every((value) => own.has(value)) && nodes.every(({ regions }) => regions.every(isClosed));
}

/** Returns a pass that changes the regions of all nodes before it changes a graph. */
export function inRegions(run: (graph: Graph) => Graph): (graph: Graph) => Graph {
  const runAll = (graph: Graph): Graph => {
    for (const node of graph.nodes)
      node.regions = node.regions.map((region) => (isClosed(region) ? runAll(region) : region));
    return run(graph);
  };
  return runAll;
}

/** The tensors that the regions of a node capture: its argument, a list, and the last inputs of every region. Null for other nodes. */
export function capturesOf({ op, args, regions }: Node): readonly Value[] | null {
  const at = capturedAt.get(op);
  if (at === undefined || !regions.every(isClosed)) return null;
  return args[at] as readonly Value[];
}

/** Changes the captured tensors of a node. The regions must have inputs for them, the last ones. */
export function setCaptures(node: Node, captured: readonly Value[]): void {
  const at = capturedAt.get(node.op) as number;
  node.args = node.args.map((arg, k): Argument => (k === at ? captured : arg));
}

/** Removes the captured tensors of a node that no region uses. */
export function removeUnusedCaptures(node: Node): void {
  const captured = capturesOf(node);
  if (captured === null) return;
  const used = new Set(node.regions.flatMap(({ nodes, outputs }) => [...nodes.flatMap(usedBy), ...outputs]));
  const isUsed = captured.map((_, k) =>
    node.regions.some(({ inputs }) => used.has(inputs[inputs.length - captured.length + k].value)),
  );
  for (const region of node.regions) {
    const own = region.inputs.length - captured.length;
    region.inputs = region.inputs.filter((_, k) => k < own || isUsed[k - own]);
  }
  setCaptures(
    node,
    captured.filter((_, k) => isUsed[k]),
  );
}
