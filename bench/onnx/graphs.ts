/**
 * Compares random graphs with ONNX Runtime, and with their files after saving them: four combinations of sizes, several times each.
 *
 *   npx tsx bench/onnx/graphs.ts [--count 200] [--seed 1] [--only SEED]
 *
 * Prints each difference with the seed that `--only` repeats. Needs npm --prefix bench install.
 */
import { parseArgs } from "node:util";
import * as ort from "onnxruntime-node";
import type { Tensor } from "../../src/index.ts";
import { prepareModel } from "../../src/onnx/load.ts";
import { readModel } from "../../src/onnx/proto/read.ts";
import { writeModel } from "../../src/onnx/proto/write.ts";
import type { OnnxValue } from "../../src/onnx/values.ts";
import { feedsOf, randomGraph } from "../../test/onnx/random-graph.ts";
import { Draw } from "../../test/onnx/random-nodes/draw.ts";
import { difference, fed, received } from "./runtime.ts";

const { values: options } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
  },
});

const firstLine = (error: unknown): string => String((error as Error).message).split("\n")[0];
const sizesOf = [
  { n: 3, m: 4 },
  { n: 1, m: 2 },
  { n: 5, m: 1 },
  { n: 3, m: 4 },
];

async function check(seed: number): Promise<string | null> {
  const draw = new Draw(seed);
  const graph = randomGraph(draw, draw.int(2, 12));
  const bytes = writeModel(graph.model);
  if (options.only !== undefined)
    console.log(
      JSON.stringify(
        graph.model.graph,
        (_, each) => (ArrayBuffer.isView(each) ? [...(each as Uint8Array)].join(" ") : each),
        1,
      ),
    );
  let session: ort.InferenceSession;
  try {
    session = await ort.InferenceSession.create(bytes, { logSeverityLevel: 4 });
  } catch (error) {
    return `not run there: ${firstLine(error)}`;
  }
  const proto = readModel(bytes);
  const [eager, compiled] = [prepareModel(proto, { compile: false }), prepareModel(proto, {})];
  for (const sizes of sizesOf) {
    const feeds = feedsOf(draw, graph, sizes) as Record<string, Tensor>;
    let expected: OnnxValue[];
    try {
      const results = await session.run(Object.fromEntries(Object.entries(feeds).map(([name, t]) => [name, fed(t)])));
      expected = session.outputNames.map((name) => received(results[name]));
    } catch (error) {
      try {
        eager.run(feeds);
      } catch {
        continue;
      }
      return `only refused there: ${firstLine(error)}`;
    }
    const runs = [eager, compiled, compiled, compiled, compiled];
    for (const [k, each] of runs.entries()) {
      let got: OnnxValue[];
      try {
        got = Object.values(each.run(feeds));
      } catch (error) {
        return `run ${k} of ${JSON.stringify(sizes)} throws: ${firstLine(error)}`;
      }
      for (const [at, value] of expected.entries()) {
        const text = difference(got[at], value, 1e-4);
        if (text !== null) return `run ${k} of ${JSON.stringify(sizes)}: output ${at}: ${text}`;
      }
    }
  }
  await session.release();
  eager.dispose();
  compiled.dispose();
  return null;
}

const counts = new Map<string, number>();
for (let k = 0; k < Number(options.count); k++) {
  const seed = options.only === undefined ? Number(options.seed) * 100_003 + k : Number(options.only);
  const fault = await check(seed);
  const kind =
    fault === null ? "equal" : fault.startsWith("not run") || fault.startsWith("only") ? fault.slice(0, 60) : "fault";
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
  if (kind === "fault" || options.only !== undefined) console.log(`--only ${seed}: ${fault}`);
  if (options.only !== undefined) break;
}
console.log([...counts].map(([kind, count]) => `${count} ${kind}`).join("\n"));
process.exit(counts.has("fault") ? 1 : 0);
