/**
 * Mutates .onnx files, and checks that each gives outputs or a named error, in bounded time and memory.
 *
 *   npm run -s onnx-fuzz -- [--count 20000] [--seed 1] [--only N] [FOLDER...]
 *
 * The files are those of small models in the tests, and all model.onnx in the folders. Prints each fault with its number; `--only` repeats one.
 * The status is 1 if there is a fault.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../support/files.ts";
import { faultOf } from "./fuzz-model.ts";
import { mutateModel } from "./mutations.ts";
import { smallModels } from "./small-models.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string" }, seed: { type: "string" }, only: { type: "string" } },
});

function modelsIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return path.endsWith("model.onnx") ? [path] : [];
  return readdirSync(path).flatMap((name) => modelsIn(join(path, name)));
}

const files: (readonly [name: string, bytes: Uint8Array])[] = [
  ...smallModels(),
  ...positionals.flatMap(modelsIn).flatMap((path) => {
    const bytes = readFileSync(path);
    return bytes.length < 2 ** 16 ? [[path, bytes] as const] : [];
  }),
];
const count = Number(values.count ?? 2000);
const seed = Number(values.seed ?? 1);
let faults = 0;
let slowest = 0;
for (let k = 0; k < count; k++) {
  if (values.only !== undefined && k !== Number(values.only)) continue;
  const random = seededRandom(seed * 1_000_003 + k);
  const [name, bytes] = files[random(files.length)];
  const start = performance.now();
  const fault = faultOf(mutateModel(bytes, random));
  slowest = Math.max(slowest, performance.now() - start);
  // Garbage is collected between turns.
  if (k % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  if (fault === null) continue;
  faults++;
  console.log(`${k} (${name}): ${fault}`);
}
const megabytes = Math.round(process.memoryUsage.rss() / 2 ** 20);
console.log(
  `${count} mutated models, ${faults} faults, the slowest took ${Math.round(slowest)} ms, ${megabytes} MB at the end`,
);
process.exit(faults > 0 ? 1 : 0);
