/**
 * Follows a recipe of CONTRIBUTING.md in a copy of the project: writes its code blocks to the files that it names, and runs its commands, in
 * the order of the text. Imports at the start of a block that is added to a file are added to those of the file.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "./command.ts";

const copied = "src test package.json tsconfig.json tsconfig.build.json vitest.config.ts docs/ops biome.json".split(
  " ",
);

/** The steps of a recipe: a file that is named, the code for it, or a command. */
const steps =
  /(?<how>At the end of|In the new file) `(?<path>[^`]+)`|```typescript\n(?<code>[\s\S]*?)```|```sh no-run\nnpx (?<command>.*)\n```/g;

export interface Followed {
  /** The standard output of each command. */
  readonly outputs: readonly string[];
  /** Reads a file of the copy. */
  read(path: string): string;
}

/** Follows the recipe with this title, and passes the result to `check` before the copy is deleted. */
export function followRecipe(title: string, check: (followed: Followed) => void): void {
  const [, section] = readFileSync(`${projectRoot}CONTRIBUTING.md`, "utf8").split(`## ${title}\n`);
  const recipe = section?.split("\n## ")[0] ?? "";
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "stridewise-recipe-"));
  try {
    for (const path of copied) cpSync(`${projectRoot}${path}`, join(folder, path), { recursive: true });
    symlinkSync(realpathSync(`${projectRoot}node_modules`), join(folder, "node_modules"));
    const outputs: string[] = [];
    let target = { path: "", isNew: false };
    for (const { groups = {} } of recipe.matchAll(steps)) {
      const { how, path, code, command } = groups;
      if (path !== undefined) target = { path: join(folder, path), isNew: how === "In the new file" };
      if (code !== undefined && target.isNew) writeFileSync(target.path, code);
      else if (code !== undefined) addTo(target.path, code);
      if (command !== undefined) outputs.push(run(folder, command));
    }
    check({ outputs, read: (path) => readFileSync(join(folder, path), "utf8") });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function addTo(path: string, code: string): void {
  const [imports = ""] = /^(?:import .*\n)*/.exec(code) ?? [];
  if (imports !== "")
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(/^import /m, () => `${imports}import `),
    );
  appendFileSync(path, `\n${code.slice(imports.length)}`);
}

function run(folder: string, command: string): string {
  const [tool, ...args] = command.split(" ") as [string, ...string[]];
  const { VITEST: _, NODE_ENV: __, FORCE_COLOR: ___, ...env } = process.env;
  // A busy machine takes longer than the tests allow by default.
  return execFileSync(
    process.execPath,
    [join(folder, `node_modules/${tool}/${tool}.mjs`), ...args, "--testTimeout=120000"],
    { cwd: folder, env, encoding: "utf8" },
  );
}
