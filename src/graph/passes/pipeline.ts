/**
 * The passes, in their order. They run between tracing and lowering, over a copy of the traced graph with concrete sizes: each is a function from
 * graph to graph that knows nothing of the others. Fusion and the memory plan are not passes over graphs: they work on kernels (`../fuse/fuse.ts`,
 * `../lower/arena.ts`).
 */

import { rebuildGraph } from "../edit/rebuild.ts";
import { type Graph, GraphError, type Value } from "../ir.ts";
import { simplify } from "./apply-rules.ts";
import { canonicalize } from "./canonicalize.ts";
import { foldConstants } from "./fold-constants.ts";
import { mergeEqual } from "./merge-equal.ts";
import { haveSameType } from "./node-facts.ts";
import type { Pass } from "./pass.ts";
import { removeDead } from "./remove-dead.ts";

/** The passes that `compile` runs by default, in their order. Each is a plain object: filter the list, or add to it, for the option `passes`. */
export const graphPasses: readonly Pass[] = [canonicalize, foldConstants, simplify, mergeEqual, removeDead];

/** Listens to passes: it is called with the name "trace" and the traced graph, and then with each pass and its result. */
export type PassListener = (pass: string, graph: Graph) => void;

/** Runs passes over a copy of a graph. Throws if a pass changes the arguments, outputs or writes. */
export function runPasses(traced: Graph, passes: readonly Pass[], onPass: PassListener | null = null): Graph {
  let graph = rebuildGraph(traced);
  onPass?.("trace", graph);
  for (const pass of passes) {
    graph = pass.run(graph);
    checkInterface(pass, traced, graph);
    onPass?.(pass.name, graph);
  }
  return graph;
}

/** The values of a graph that are visible outside of it, by kind. */
const interfaceOf = (graph: Graph): Readonly<Record<string, readonly Value[]>> => ({
  argument: graph.inputs.flatMap(({ kind, value }) => (kind === "argument" ? [value] : [])),
  output: graph.outputs,
  write: graph.writes.map(({ to }) => to),
});

function checkInterface({ name }: Pass, before: Graph, after: Graph): void {
  const [old, now] = [interfaceOf(before), interfaceOf(after)];
  for (const [what, values] of Object.entries(old)) {
    const others = now[what];
    if (others.length === values.length && values.every((value, k) => haveSameType(value, others[k]))) continue;
    throw new GraphError(
      `compile: the pass "${name}" changed the ${what}s of the graph (${values.length}, now ${others.length}, or other types). A pass must keep their number, order and types`,
    );
  }
}
