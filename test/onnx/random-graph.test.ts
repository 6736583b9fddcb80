/** Random graphs return the same node by node and compiled, at all sizes. `bench/onnx/graphs.ts` compares more of them with ONNX Runtime. */
import { expect, test } from "vitest";
import type { OnnxInput } from "../../src/onnx/index.ts";
import { load } from "../support/onnx-graphs.ts";
import { feedsOf, randomGraph } from "./random-graph.ts";
import { Draw } from "./random-nodes/draw.ts";
import { differenceOf } from "./run-case.ts";

test("random graphs return the same node by node and compiled", () => {
  for (let seed = 0; seed < 25; seed++) {
    const draw = new Draw(seed);
    const graph = randomGraph(draw, draw.int(2, 12));
    const [eager, compiled] = [load(graph.model, { compile: false }), load(graph.model)];
    for (const n of [3, 1, 3]) {
      const feeds = feedsOf(draw, graph, { n, m: 4 - n }) as Record<string, OnnxInput>;
      const expected = eager.run(feeds);
      for (let round = 0; round < 3; round++)
        for (const [name, value] of Object.entries(compiled.run(feeds)))
          expect(differenceOf(value, expected[name]), `${seed}, n=${n}: ${name}`).toBe(null);
    }
    eager.dispose();
    compiled.dispose();
  }
}, 120_000);
