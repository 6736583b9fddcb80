/**
 * The time to load a model of 90 MB, and the memory that this needs; each measurement in a process of its own.
 *
 *   npm run bench model-load               MiniLM, if its weights are here
 *   npm run bench model-load FILE.onnx     another model; it is only loaded
 *
 * Prints the median of five loads, the growth of resident memory over a process that only imports the library, at its peak and as a multiple of the
 * file; then the same after three runs, with the size of the heap.
 */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { memoryStatistics, tensor } from "stridewise";
import { loadOnnx } from "stridewise/onnx";
import { cachedWeights, weights } from "../examples/models/weights.ts";
import { describeMachine, median } from "./harness.ts";

interface Measured {
  readonly ms: number;
  /** Bytes. */
  readonly peak: number;
  readonly heap: number;
}

type Kind = "import" | "load" | "run";

const [first, ...rest] = process.argv.slice(2);
if (first === "--child") console.log(JSON.stringify(await measure(rest[0] as Kind, rest[1] as string)));
else report(first);

async function measure(kind: Kind, path: string): Promise<Measured> {
  // The file is in the system's cache, as after a download.
  readThrough(path);
  const start = performance.now();
  const model = kind === "import" ? null : await loadOnnx(path);
  const ms = performance.now() - start;
  if (kind === "run") {
    const tokens = (value: number) => tensor(new BigInt64Array(128).fill(BigInt(value))).view(1, 128);
    const inputs = { input_ids: tokens(1037), attention_mask: tokens(1), token_type_ids: tokens(0) };
    for (let k = 0; k < 3; k++) model?.run(inputs);
  }
  return { ms, peak: process.resourceUsage().maxRSS * 1024, heap: memoryStatistics().reserved };
}

/** Reads a file in pieces, so that this process does not hold it. */
function readThrough(path: string): void {
  const file = openSync(path, "r");
  const piece = Buffer.alloc(1 << 20);
  while (readSync(file, piece) > 0);
  closeSync(file);
}

function report(onlyPath: string | undefined): void {
  const path = onlyPath ?? cachedWeights(weights.miniLm);
  if (path === null) {
    console.log("model-load: skipped: the weights are not here. npx tsx bench/onnx/models.ts downloads them");
    return;
  }
  const size = statSync(path).size;
  const child = (kind: Kind): Measured => {
    const { stdout, stderr } = spawnSync(process.execPath, [process.argv[1] as string, "--child", kind, path], {
      encoding: "utf8",
    });
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout) as Measured;
  };
  const base = child("import").peak;
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(`${describeMachine()}\n${path}: ${megabytes(size)}; a process without it: ${megabytes(base)}`);
  for (const kind of onlyPath === undefined ? (["load", "run"] as const) : (["load"] as const)) {
    const all = Array.from({ length: 5 }, () => child(kind));
    const peak = median(all.map((each) => each.peak)) - base;
    const heap = median(all.map((each) => each.heap));
    console.log(
      `${kind.padEnd(5)} loaded in ${median(all.map(({ ms }) => ms)).toFixed(0)} ms; memory ${megabytes(peak)}, ` +
        `${(peak / size).toFixed(2)} of the file; the heap ${megabytes(heap)}`,
    );
  }
}
