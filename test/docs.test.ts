/**
 * The documents tell the truth: every TypeScript example in them compiles, runs and gives what its comments say, and
 * every shown command prints what is shown. CONTRIBUTING.md has the rules for writers.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { beforeAll, expect, test, vi } from "vitest";
import { projectRoot, runCommand, runTool } from "./support/command.ts";
import { commandsOf, programsOf } from "./support/docs/examples.ts";
import { runProgram, writeOut } from "./support/docs/run-program.ts";

const documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...markdownUnder("docs")]
  .filter((path) => existsSync(projectRoot + path))
  .map((path) => ({ path, markdown: readFileSync(projectRoot + path, "utf8") }));
const programs = documents.flatMap(({ path, markdown }) => programsOf(path, markdown));
const commands = documents.flatMap(({ path, markdown }) => commandsOf(path, markdown));

function markdownUnder(folder: string): readonly string[] {
  if (!existsSync(projectRoot + folder)) return [];
  return readdirSync(projectRoot + folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .sort();
}

beforeAll(() => {
  for (const { path } of documents)
    for (const kind of ["checked", "run"])
      rmSync(`${projectRoot}out/docs/${kind}/${path}`, { recursive: true, force: true });
  vi.spyOn(console, "log").mockImplementation(() => {});
});

test.runIf(programs.length > 0)("the compiler accepts every example", { timeout: 60_000 }, async () => {
  for (const { document, line, checkedCode } of programs) writeOut(`docs/checked/${document}/${line}.ts`, checkedCode);
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
  const files = programs.map(({ document, line }) => `checked/${document}/${line}.ts`);
  writeOut(
    "docs/tsconfig.json",
    JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include: [], files }),
  );
  const { stdout } = await runTool("tsc", ["-p", "out/docs", "--pretty", "false"]);
  expect(stdout.replace(/^out\/docs\/checked\/(.+)\/\d+\.ts\((\d+),(\d+)\)/gm, "$1:$2:$3")).toBe("");
});

const named = <T extends { document: string; line: number }>(
  examples: readonly T[],
): readonly (readonly [string, T])[] => examples.map((example) => [`${example.document}:${example.line}`, example]);

test.each(named(programs.filter(({ runCode }) => runCode !== "")))("the example at %s holds", (_, program) =>
  runProgram(program),
);

test.concurrent.each(named(commands))(
  "the command at %s prints what is shown",
  { timeout: 60_000 },
  async (_, command) => {
    const cli = `"${process.execPath}" --import tsx src/cli/main.ts`;
    const result = await runCommand("sh", ["-ec", command.script.replace(/^npx stridewise/gm, () => cli)]);
    expect(result.stderr).toBe("");
    expect(result.stdout.trimEnd()).toBe(command.output.trimEnd());
    expect(result.code).toBe(0);
  },
);
