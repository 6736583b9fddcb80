/**
 * The library's declarations, as a program that uses it sees them. Code that is compiled against them takes a tenth of
 * the time of a compilation with the sources, which `test/checks/typecheck.test.ts` checks. Emitted once for each state
 * of the sources, to `out/declarations`, with the files of `test` that such code imports.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { projectRoot, requireSuccess, runTool } from "./command.ts";

const home = "out/declarations";
const alsoEmitted = ["test/support/types.ts", "test/types/tensor-functions.ts"];
const hour = 3_600_000;

let emitted: Promise<string> | undefined;
let codes = 0;

/**
 * Writes `code` to a file `code.ts` in a separate folder, with a configuration that maps the library's names to its
 * declarations. Returns the folder, relative to the project's root. The folder is three levels below the substitute for
 * that root.
 */
export async function codeAgainstDeclarations(code: string): Promise<string> {
  const folder = `${await declarations()}/out/code/${process.pid}-${codes++}`;
  const compilerOptions = { types: [], noUnusedLocals: false, noUnusedParameters: false };
  writeConfig(folder, { extends: "../../../tsconfig.json", compilerOptions, files: ["code.ts"] });
  writeFileSync(`${projectRoot + folder}/code.ts`, code);
  return folder;
}

/** The folder of the declarations, relative to the project's root. Its `tsconfig.json` maps the library's names to them. */
export function declarations(): Promise<string> {
  emitted ??= emitOnce();
  return emitted;
}

function writeConfig(folder: string, config: object): void {
  mkdirSync(projectRoot + folder, { recursive: true });
  writeFileSync(`${projectRoot + folder}/tsconfig.json`, JSON.stringify({ include: [], ...config }));
}

async function emitOnce(): Promise<string> {
  const sources = readdirSync(`${projectRoot}src`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => `src/${file}`);
  const files = [...sources, ...alsoEmitted];
  const hash = createHash("sha256");
  for (const file of [...files, "tsconfig.json"].sort()) {
    const { mtimeMs, size } = statSync(projectRoot + file);
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  const folder = `${home}/${hash.digest("hex").slice(0, 16)}`;
  if (!existsSync(projectRoot + folder)) await emit(files, folder);
  return folder;
}

async function emit(files: readonly string[], folder: string): Promise<void> {
  const ours = `${home}/${process.pid}`;
  const root = "../../..";
  writeConfig(ours, {
    extends: `${root}/tsconfig.json`,
    compilerOptions: {
      noEmit: false,
      noCheck: true,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: root,
      outDir: ".",
    },
    files: files.map((file) => `${root}/${file}`),
  });
  requireSuccess(await runTool("tsc", ["-p", ours]));
  // The names of the library's modules, relative to this folder.
  const [, paths = ""] = /"paths": (\{[^}]*\})/.exec(readFileSync(`${projectRoot}tsconfig.json`, "utf8")) ?? [];
  writeConfig(ours, { extends: `${root}/tsconfig.json`, compilerOptions: { paths: JSON.parse(paths) }, files: [] });
  for (const name of readdirSync(projectRoot + home)) {
    const old = `${projectRoot}${home}/${name}`;
    if (statSync(old).mtimeMs < Date.now() - hour) rmSync(old, { recursive: true, force: true });
  }
  try {
    renameSync(projectRoot + ours, projectRoot + folder);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(projectRoot + folder)) throw error;
    rmSync(projectRoot + ours, { recursive: true, force: true });
  }
}
