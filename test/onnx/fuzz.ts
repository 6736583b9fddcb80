/**
 * Mutates .onnx files, and checks that each gives outputs or a named error, in bounded time and memory.
 *
 *   npm run -s onnx-fuzz -- [--count 20000] [--seed 1] [--only N] [--nodes] [PATH...]
 *
 * The files are the given ones and all small model.onnx in the given folders; without paths, the small models of the tests, and with `--nodes` random
 * nodes of all operators, of which mostly numbers are mutated. Prints each fault with
 * its number; `--only` repeats one. The status is 1 if there is a fault.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../support/files.ts";
import { endingOf } from "./fuzz-model.ts";
import { mutateModel, mutateNumbers } from "./mutations.ts";
import { randomNode } from "./random-nodes/random-node.ts";
import { smallModels } from "./small-models.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string" },
    seed: { type: "string" },
    only: { type: "string" },
    nodes: { type: "boolean" },
  },
});

function modelsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
    const path = join(folder, each.name);
    if (each.isDirectory()) return modelsIn(path);
    return each.name === "model.onnx" && statSync(path).size < 2 ** 16 ? [path] : [];
  });
}

const files: readonly (readonly [name: string, bytes: Uint8Array])[] =
  positionals.length === 0
    ? smallModels()
    : positionals
        .flatMap((path) => (statSync(path).isDirectory() ? modelsIn(path) : [path]))
        .map((path) => [path, new Uint8Array(readFileSync(path))]);
const count = Number(values.count ?? 2000);
const seed = Number(values.seed ?? 1);
const counts = { outputs: 0, error: 0, fault: 0 };
let slowest = 0;
for (let k = 0; k < count; k++) {
  if (values.only !== undefined && k !== Number(values.only)) continue;
  const random = seededRandom(seed * 1_000_003 + k);
  const [name, bytes] = values.nodes ? randomNode(random) : files[random(files.length)];
  const mutated = values.nodes && random(4) > 0 ? mutateNumbers(bytes, random) : mutateModel(bytes, random);
  const start = performance.now();
  const { kind, text } = endingOf(mutated);
  slowest = Math.max(slowest, performance.now() - start);
  counts[kind]++;
  // Garbage is collected between turns.
  if (k % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  if (kind === "fault") console.log(`${k} (${name}): ${text}`);
}
const megabytes = Math.round(process.resourceUsage().maxRSS / 2 ** 10);
console.log(
  `${count} mutated models: ${counts.outputs} ran, ${counts.error} threw a named error, ${counts.fault} faults; the slowest took ${Math.round(slowest)} ms, the peak memory was ${megabytes} MB`,
);
process.exit(counts.fault > 0 ? 1 : 0);
