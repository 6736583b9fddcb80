/** The text of `explain()`: the instances of a compiled function, their kernels and memory, and why it was traced. */

import type { Graph } from "../ir.ts";
import type { InstanceData } from "./build-instance.ts";

/** A call that traced the function, or ran it eagerly. */
export interface CompileEvent {
  readonly what: string;
  /** The dtypes and shapes of the tensors among the arguments. */
  readonly arguments: readonly string[];
}

const bytes = (count: number): string => `${count.toLocaleString("en-US")} bytes`;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The dtypes and shapes of the arguments of a graph. */
const argumentTypes = ({ inputs }: Graph): string =>
  inputs
    .flatMap(({ kind, value: { type } }) => (kind === "argument" ? [`${type.dtype}[${type.shape.join(", ")}]`] : []))
    .join(", ");

/** Returns the text. */
export function explainInstances(name: string, all: readonly InstanceData[], events: readonly CompileEvent[]): string {
  const compiled = all.filter(({ isDifferentiable }) => !isDifferentiable);
  const families = [...new Set(compiled.map(({ family }) => family))];
  const lines = [
    `${name === "" ? "a function" : name}: ${counted(families.length, "graph")}, ${counted(compiled.length, "instance")}`,
  ];
  families.forEach(({ graph }, k) => {
    lines.push(`graph ${k}: (${argumentTypes(graph)}), ${counted(graph.nodes.length, "op")}`);
  });
  for (const { graph, lowered, tasks, arenaBytes, liveBytes } of compiled) {
    const moved = tasks.reduce((sum, task) => sum + task.bytes, 0);
    lines.push(
      `for (${argumentTypes(graph)}): ${counted(graph.nodes.length, "op")}, ${counted(tasks.length, "task")}, ${bytes(moved)} moved, ${bytes(arenaBytes)} of workspace for values, ${bytes(liveBytes)} at once`,
      `  ${counted(lowered.nodes.length, "op")} after the passes`,
      ...tasks.map((task) => `  ${task.name}: ${bytes(task.bytes)}`),
    );
  }
  lines.push("calls that did not run a known program:");
  for (const { what, arguments: types } of events) lines.push(`  (${types.join(", ")}) ${what}`);
  return lines.join("\n");
}
