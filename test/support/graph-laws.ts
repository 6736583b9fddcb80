/** Laws that hold for every graph: about its text, its faults, and what the interpreter computes. */
import { expect } from "vitest";
import type { Graph } from "../../src/graph/ir.ts";
import { runGraph } from "../../src/graph/run/interpret.ts";
import { unboundSymbols } from "../../src/graph/sizes.ts";
import { parseGraph } from "../../src/graph/text/parse.ts";
import { graphData, printGraph } from "../../src/graph/text/text.ts";
import { verifyGraph } from "../../src/graph/verify.ts";
import type { Tensor } from "../../src/index.ts";

/** The dtype, the shape and the elements of a tensor. */
export const bitsOf = (t: Tensor): unknown => [t.dtype, t.shape, t.toArray()];

/** Checks that a graph has no faults and that its text is parsed as it was printed. Returns the parsed graph. */
export function reparsed(graph: Graph, where: string): Graph {
  const text = printGraph(graph);
  expect(verifyGraph(graph), `${where}\n${text}`).toEqual([]);
  const parsed = parseGraph(text, { constants: graphData(graph) });
  expect(printGraph(parsed), where).toBe(text);
  // Formulas are cached by their text. Another text is parsed, as in a process that loads the graph.
  for (const node of parsed.nodes)
    if (node.op.name === "elementwise") node.args = [`${node.args[0]} `, ...node.args.slice(1)];
  return parsed;
}

/**
 * Expects the interpreter to return these outputs, and these values of the arguments after the call, bit for bit. Graphs with numbers that do not
 * follow from the sizes of the inputs are skipped.
 */
export function expectInterpreted(
  graph: Graph,
  inputs: readonly Tensor[],
  outputs: readonly Tensor[],
  after: readonly Tensor[],
  where: string,
): void {
  if (unboundSymbols(graph).length > 0) return;
  const results = runGraph(graph, inputs);
  expect(results.outputs.slice(0, outputs.length).map(bitsOf), `${where}\n${printGraph(graph)}`).toEqual(
    outputs.map(bitsOf),
  );
  const args = graph.inputs.filter(({ kind }) => kind === "argument").map(({ value }) => value);
  graph.writes.forEach(({ to }, k) => {
    const index = args.indexOf(to);
    if (index >= 0) expect(bitsOf(results.writes[k]), `${where}, argument ${index}`).toEqual(bitsOf(after[index]));
  });
}
