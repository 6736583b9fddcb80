/**
 * Runs a bench as users run the library: bundled to plain JavaScript, without a loader in the way (a loader's helpers
 * around every closure double the times). `node run.mjs layout` runs layout.bench.ts; further arguments go to the bench.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { build } from "esbuild";

const [name, ...rest] = process.argv.slice(2);
const names = readdirSync(new URL(".", import.meta.url))
  .filter((file) => file.endsWith(".bench.ts"))
  .map((file) => file.slice(0, -".bench.ts".length));
if (name === undefined || !names.includes(name)) {
  console.error(`bench: name one of ${names.join(", ")}`);
  process.exit(2);
}

const here = new URL(".", import.meta.url);
mkdirSync(new URL("out/", here), { recursive: true });
const outfile = new URL(`out/${name}.mjs`, here).pathname;
await build({
  entryPoints: [new URL(`${name}.bench.ts`, here).pathname],
  tsconfig: new URL("tsconfig.json", here).pathname,
  outfile,
  bundle: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "es2022",
});
process.exit(spawnSync(process.execPath, [outfile, ...rest], { stdio: "inherit" }).status ?? 1);
