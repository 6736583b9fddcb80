/**
 * Stridewise compared with its peers.
 *
 *   npm run bench                              the table of all rows
 *   npm run bench axpb-16M add-16              of these rows
 *   npm run -s bench -- --list                 the names of the rows
 *   npm run -s bench -- --json axpb-16M        one line of JSON for each row on standard output, the rest on standard error
 *   npm run bench layout                       layout.bench.ts; further arguments go to it (also: autograd, compiled, expr, files, kernels, model-load, products, scaling, views)
 *
 * BENCH_SCALE=0.01 makes the rows smaller, to try them; BENCH_PATIENCE=4 gives a busy machine four times as long;
 * BENCH_PEERS=stridewise,numpy runs only these libraries; PYTHON names the Python that has numpy and torch. A row is a record in rows/, a library an adapter in peers/, the method is in race/. Each contestant
 * runs in a process of its own, in one thread.
 *
 * Everything is bundled to plain JavaScript, as users run the library: a loader's helpers around every closure double the times.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const here = new URL(".", import.meta.url);
const [name = "", ...rest] = process.argv.slice(2);
const benches = readdirSync(here)
  .filter((file) => file.endsWith(".bench.ts"))
  .map((file) => file.slice(0, -".bench.ts".length));
const isBench = benches.includes(name);
const entries = isBench ? [`${name}.bench`] : ["compare-rows", "peers/serve"];

const outdir = new URL(`out/${isBench ? name : "rows"}/`, here);
rmSync(outdir, { recursive: true, force: true });
mkdirSync(outdir, { recursive: true });
await build({
  entryPoints: entries.map((entry) => ({ in: new URL(`${entry}.ts`, here).pathname, out: entry })),
  tsconfig: new URL("tsconfig.json", here).pathname,
  outdir: outdir.pathname,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "es2022",
  logLevel: "error",
});
// Workers are separate files: the library looks for them next to itself.
copyFileSync(new URL("../src/backends/wasm/workers/worker.js", here), new URL("worker.js", outdir));
const options = isBench ? rest : process.argv.slice(2);
const program = new URL(`${entries[0]}.mjs`, outdir).pathname;
// Another Node is among the peers, and npm puts it first on the path of scripts; use the one that runs npm.
const node = process.env.npm_node_execpath ?? process.execPath;
process.exit(spawnSync(node, [program, ...options], { stdio: "inherit" }).status ?? 1);
