/**
 * Dead code: nodes whose results nothing uses are removed, and so are inputs that are not arguments, and tensors that regions capture but do not
 * use. Random ops stay, because they advance their generator.
 */
import type { Graph, Value } from "../ir.ts";
import { inRegions, removeUnusedCaptures } from "./in-regions.ts";
import { isRandom, usedBy } from "./node-facts.ts";
import type { Pass } from "./pass.ts";

function run(graph: Graph): Graph {
  const used = new Set<Value>([...graph.outputs, ...graph.writes.flatMap(({ to, value }) => [to, value])]);
  const kept = graph.nodes.filter(() => false);
  for (let k = graph.nodes.length - 1; k >= 0; k--) {
    const node = graph.nodes[k];
    if (!isRandom(node) && !node.results.some((value) => used.has(value))) continue;
    removeUnusedCaptures(node);
    for (const value of usedBy(node)) used.add(value);
    kept.push(node);
  }
  graph.nodes = kept.reverse();
  graph.inputs = graph.inputs.filter(({ value, kind }) => kind === "argument" || used.has(value));
  return graph;
}

/** Dead code. */
export const removeDead: Pass = { name: "remove dead code", run: inRegions(run) };
