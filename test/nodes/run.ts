/**
 * `npm run test:nodes`: the built package in other versions of Node than the one that runs the tests: the example of the
 * README and `smoke.mjs` in each, and the sample of the tests (`npm run test:quick`) in Node 24. The programs are npm
 * packages, installed when they are first needed into a folder for temporary files, and kept there.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { projectRoot } from "../support/command.ts";
import { programsOf } from "../support/docs/examples.ts";
import { rewriteExample } from "../support/docs/rewrite.ts";
import { writeOut } from "../support/docs/run-program.ts";

const smoked = [22, 24, 26];
const sampled = 24;

/** Runs a program in the project's root folder with its output shown. Throws if it fails. */
function run(what: string, program: string, args: readonly string[], shell = false): void {
  const start = Date.now();
  console.log(`\n${what}`);
  const { status, error } = spawnSync(program, args, { cwd: projectRoot, stdio: "inherit", shell });
  if (error) throw error;
  if (status !== 0) throw new Error(`test:nodes: ${what} failed with exit code ${status}.`);
  console.log(`${what}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
}

/** The program of the newest Node of a major version. */
function nodeProgram(major: number): string {
  const isWindows = process.platform === "win32";
  const name = `node-${isWindows ? "win" : process.platform}-${process.arch}`;
  const folder = join(tmpdir(), "stridewise-nodes", `${major}`);
  const program = join(folder, "node_modules", name, "bin", isWindows ? "node.exe" : "node");
  if (!existsSync(program)) {
    const options = ["--prefix", folder, "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
    run(`Install Node ${major}`, "npm", ["install", ...options, `${name}@${major}`], isWindows);
  }
  return program;
}

/** Writes the README's example as a module that imports the built package, with its comments as checks. */
async function writeReadmeExample(): Promise<string> {
  const [program] = programsOf("README.md", readFileSync(`${projectRoot}README.md`, "utf8"));
  if (program === undefined) throw new Error("test:nodes: README.md has no example.");
  const checks = `${projectRoot}test/support/docs/expectation.ts`;
  const { code, expectations } = rewriteExample(program.document, program.runCode, checks);
  const isReached = `
    import { wasReached } from ${JSON.stringify(checks)};
    for (const expectation of ${JSON.stringify(expectations)})
      if (!wasReached(expectation)) throw new Error(expectation.line + ": the example ends before it reaches this line");
    console.log("the example of the README holds");`;
  await build({
    entryPoints: [writeOut("nodes/readme.ts", code + isReached)],
    outfile: `${projectRoot}out/nodes/readme.mjs`,
    bundle: true,
    format: "esm",
    platform: "node",
    // The package's own name: Node resolves it to dist/.
    external: ["stridewise", "stridewise/*"],
    tsconfigRaw: {},
  });
  return "out/nodes/readme.mjs";
}

const example = await writeReadmeExample();
for (const major of smoked) {
  const node = nodeProgram(major);
  run(`Smoke test in Node ${major}`, node, ["test/nodes/smoke.mjs"]);
  run(`README in Node ${major}`, node, [example]);
}
run(`Sample in Node ${sampled}`, nodeProgram(sampled), [
  "node_modules/vitest/vitest.mjs",
  ...["run", "--config", "vitest.sample.config.ts"],
]);
