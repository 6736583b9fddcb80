/**
 * `npm run build`: dist/ from src/. tsc emits everything but the worker's program, which is plain JavaScript and is copied as it is;
 * programs import it by its address only, so its types are empty.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, rmSync, writeFileSync } from "node:fs";

const worker = "backends/wasm/workers/worker";

rmSync("dist", { recursive: true, force: true });
execFileSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit", shell: process.platform === "win32" });
copyFileSync(`src/${worker}.js`, `dist/${worker}.js`);
writeFileSync(`dist/${worker}.d.ts`, "export {};\n");
chmodSync("dist/cli/main.js", 0o755);
