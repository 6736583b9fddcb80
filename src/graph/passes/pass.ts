/** The type of a pass: a function from graph to graph with a name. */
import type { Graph } from "../ir.ts";

export interface Pass {
  readonly name: string;
  run(graph: Graph): Graph;
}
