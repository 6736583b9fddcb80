/**
 * The recipe "Add an op" of CONTRIBUTING.md, followed step by step in a copy of the project: one file is written, the
 * rest is generated.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../support/command.ts";

const recipe = readFileSync(`${projectRoot}CONTRIBUTING.md`, "utf8").split("## Add an op\n")[1] as string;
const [, file] = /At the end of `([^`]+)`/.exec(recipe) as unknown as [string, string];
const [, op] = /```typescript\n([\s\S]*?)```/.exec(recipe) as unknown as [string, string];
const commands = Array.from(recipe.matchAll(/```sh no-run\nnpx (.*)\n```/g), ([, command]) => command as string);
const copied = "src test package.json tsconfig.json vitest.config.ts docs/ops biome.json".split(" ");

test("adding an op touches one file, and its tests and documents follow", { timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "stridewise-op-"));
  try {
    for (const path of copied) cpSync(`${projectRoot}${path}`, join(folder, path), { recursive: true });
    symlinkSync(realpathSync(`${projectRoot}node_modules`), join(folder, "node_modules"));
    appendFileSync(join(folder, file), `\n${op}`);
    const { VITEST: _, NODE_ENV: __, FORCE_COLOR: ___, ...env } = process.env;
    const said = commands.map((command) => {
      const [tool, ...args] = command.split(" ") as [string, ...string[]];
      const script = join(folder, `node_modules/${tool}/${tool}.mjs`);
      // A busy machine takes longer than the tests allow by default.
      return execFileSync(process.execPath, [script, ...args, "--testTimeout=120000"], {
        cwd: folder,
        env,
        encoding: "utf8",
      });
    });
    expect(said).toHaveLength(2);
    for (const text of said) expect(text).toMatch(/[1-9]\d* passed, 0 failed/);
    const page = readFileSync(join(folder, "docs/ops/networks.md"), "utf8");
    const [, entry] = page.split("## softgate\n");
    expect(entry?.split("## ")[0]?.trim()).toMatchInlineSnapshot(`
      "\`softgate(x, axis)\`

      Returns x times the sigmoid of its softmax along an axis.

      Example: \`softgate(tensor([[1, 2], [3, 5]]), 1)\` returns \`[[0.5668, 1.3501], [1.5893, 3.5349]]\`"
    `);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
