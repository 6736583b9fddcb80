/**
 * Runs one contestant in a separate process: prepares its row, executes the commands on its input, and answers with
 * lines that begin with "= " (other lines are the library's own output). It ends when its input ends. `serve.py` uses
 * the same protocol.
 *
 *   {"calls": n}        runs n times          -> {"nanoseconds": all of them together}
 *   {"probe": [i, j]}   elements of the result -> {"length": elements in all, "values": [at i, at j]}
 */
import { createInterface } from "node:readline";
import { rows } from "../rows/index.ts";
import type { Contestant } from "../rows/row.ts";
import type { Prepare, Ready } from "./peer.ts";

const [rowName, contestant] = process.argv.slice(2) as [string, Contestant];

/** Each adapter is loaded only in its own process. */
const adapters: Partial<Record<Contestant, () => Promise<{ prepare: Prepare }>>> = {
  stridewise: () => import("./stridewise.ts"),
  "one-thread": () => import("./one-thread.ts"),
  eager: () => import("./eager.ts"),
  kernel: () => import("./kernel.ts"),
  "tfjs-wasm": () => import("./tfjs-wasm.ts"),
  "tfjs-cpu": () => import("./tfjs-cpu.ts"),
  "jax-js": () => import("./jax-js.ts"),
  "ort-web": () => import("./ort-web.ts"),
  "ort-node": () => import("./ort-node.ts"),
  "numpy-ts": () => import("./numpy-ts.ts"),
  js: () => import("./js.ts"),
};

type Order = { readonly calls: number } | { readonly probe: readonly number[] };

const answer = (content: object): boolean => process.stdout.write(`= ${JSON.stringify(content)}\n`);

async function obey(ready: Ready, order: Order): Promise<void> {
  if ("calls" in order) {
    answer({ nanoseconds: await timeCalls(ready, order.calls) });
    return;
  }
  const values = await ready.read();
  answer({ length: values.length, values: order.probe.map((index) => values[index] ?? null) });
}

/** The last turn of the event loop is included, because finalizers run there. */
async function timeCalls(ready: Ready, calls: number): Promise<number> {
  const start = process.hrtime.bigint();
  const first = ready.call();
  if (first instanceof Promise) {
    await first;
    for (let call = 1; call < calls; call++) await ready.call();
  } else {
    for (let call = 1; call < calls; call++) ready.call();
  }
  await new Promise(setImmediate);
  return Number(process.hrtime.bigint() - start);
}

try {
  const row = rows.find(({ name }) => name === rowName);
  const load = adapters[contestant];
  if (row === undefined || load === undefined) throw new Error(`no row ${rowName} for ${contestant}`);
  const ready = await (await load()).prepare(row);
  answer({ ready: ready.version });
  for await (const line of createInterface({ input: process.stdin })) await obey(ready, JSON.parse(line) as Order);
  process.exit();
} catch (error) {
  answer({ absent: error instanceof Error ? error.message : String(error) });
  process.exit();
}
