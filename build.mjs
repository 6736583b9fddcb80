/**
 * `npm run build`: dist/ from src/, in two forms.
 *
 * tsc emits every file by itself, with its types: bundlers take from those what a program uses. The worker's program is plain JavaScript
 * and is copied as it is; programs import it by its address only, so its types are empty.
 *
 * For Node the same code is joined to a few readable files in dist/node (the condition "node" in package.json), because Node opens, reads
 * and links hundreds of files one by one, which takes several times as long. The entries share what they have in common, so that a Tensor
 * is the same class everywhere.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rolldown } from "rolldown";

const worker = "backends/wasm/workers/worker";

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit", shell: process.platform === "win32" });
copyFileSync(`src/${worker}.js`, `dist/${worker}.js`);
writeFileSync(`dist/${worker}.d.ts`, "export {};\n");

const { exports, bin } = JSON.parse(readFileSync("package.json", "utf8"));
const input = { [nameOf(bin.stridewise)]: "src/cli/main.ts" };
for (const { node, default: file } of Object.values(exports))
  if (node !== undefined) input[nameOf(node)] = file.replace("./dist/", "src/").replace(".js", ".ts");
const joined = await rolldown({ input, platform: "node" });
await joined.write({ dir: "dist/node", format: "esm", chunkFileNames: "shared-[hash].js" });
await joined.close();
copyFileSync(`src/${worker}.js`, "dist/node/worker.js");
chmodSync(bin.stridewise, 0o755);

/** The name of a file in dist/node. */
function nameOf(file) {
  return file.replace(/^.*dist\/node\//, "").replace(".js", "");
}
