/** Programs that run in a separate process, bundled as users run the library: test/end-to-end/memory/NAME.ts. */
import { copyFileSync } from "node:fs";
import { build } from "esbuild";
import { expect } from "vitest";
import { projectRoot, runCommand } from "./command.ts";

const outFolder = `${projectRoot}out/memory/`;

/** Bundles the programs. */
export async function bundlePrograms(names: readonly string[]): Promise<void> {
  await build({
    entryPoints: names.map((name) => `${projectRoot}test/end-to-end/memory/${name}.ts`),
    outdir: outFolder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2022",
  });
  copyFileSync(`${projectRoot}src/backends/wasm/workers/worker.js`, `${outFolder}worker.js`);
}

/** Returns the output of a program, which must succeed and print nothing to stderr. */
export async function runProgram(name: string, ...flags: string[]): Promise<string> {
  return run([...flags, `${outFolder}${name}.mjs`]);
}

async function run(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(process.execPath, args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** The peak of resident memory, in MB, and the forced collections of a scenario in test/end-to-end/memory/scenarios.ts. */
export async function runScenario(
  name: string,
  by: "plain" | "scope",
  steps: number,
): Promise<{ readonly peak: number; readonly collections: number }> {
  return JSON.parse(await run([`${outFolder}scenarios.mjs`, name, by, String(steps)]));
}
