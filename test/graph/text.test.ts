/**
 * Laws of the text of graphs, over the traces of all op samples and of their gradients: printing, parsing and printing again returns the same
 * text, the graphs have no faults, and the interpreter computes from the parsed graph what the compiled function returns, bit for bit.
 */
import { expect, test } from "vitest";
import { compile } from "../../src/graph/compile/compile.ts";
import type { Graph } from "../../src/graph/ir.ts";
import { runGraph } from "../../src/graph/run/interpret.ts";
import { printGraph } from "../../src/graph/text/text.ts";
import { manualSeed, Tensor } from "../../src/index.ts";
import { reparsed } from "../support/graph-laws.ts";
import { tensorsIn } from "../support/op-results.ts";
import { argumentsOf, exportedOps, type Op, samplesOf } from "../support/op-samples.ts";

const bits = (t: Tensor): unknown => [t.dtype, t.shape, t.stride, t.toArray()];

/** The function that computes the gradient of an op in its last tensor; null if it has none. */
const gradientOf =
  (op: Op) =>
  (...args: unknown[]): Tensor | null => {
    const leaves: Tensor[] = [];
    const own = args.map((arg) => {
      if (!(arg instanceof Tensor) || !/^(float|complex)/.test(arg.dtype)) return arg;
      const leaf = arg.clone().requiresGrad_() as Tensor;
      leaves.push(leaf);
      return leaf;
    });
    const result = tensorsIn(op(...own)).find((t) => t.requiresGrad) as Tensor | undefined;
    if (result === undefined) return null;
    (result.dtype.startsWith("complex") ? result.abs() : result).sum().backward();
    return leaves.find(({ grad }) => grad !== null)?.grad as Tensor | null;
  };

test.each([...exportedOps()])("%s", (name, op) => {
  for (const sample of samplesOf(name, op))
    for (const fn of [op, gradientOf(op)]) {
      const fast = compile(fn as (...args: never[]) => unknown);
      const run = (seed: number): unknown => {
        manualSeed(seed);
        return fast(...(argumentsOf(sample) as never[]));
      };
      let graph: Graph;
      try {
        run(1);
        run(2);
        graph = fast.graph();
      } catch {
        // Not traceable: test/graph/ops.test.ts has the list.
        continue;
      }
      const where = `${name}(${sample})`;
      const parsed = reparsed(graph, where);
      const wanted = tensorsIn(run(3));
      for (const each of sample.includes("new Generator") ? [] : [graph, parsed]) {
        manualSeed(3);
        const { outputs } = runGraph(each, tensorsIn(argumentsOf(sample)));
        expect(outputs.slice(0, wanted.length).map(bits), `${where}\n${printGraph(each)}`).toEqual(wanted.map(bits));
      }
    }
});
