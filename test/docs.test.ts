/**
 * The documents are correct: every TypeScript example in them compiles, runs and returns what its comments say, every shown command prints
 * what is shown, every link resolves, and every path that a recipe names exists. CONTRIBUTING.md has the rules for writers.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { projectRoot, runCommand, runTool } from "./support/command.ts";
import { declarations } from "./support/declarations.ts";
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

test.runIf(programs.length > 0)("the compiler accepts every example", { timeout: 180_000 }, async () => {
  for (const { document, line, checkedCode } of programs) writeOut(`docs/checked/${document}/${line}.ts`, checkedCode);
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
  const files = programs.map(({ document, line }) => `checked/${document}/${line}.ts`);
  const base = `../../${await declarations()}/tsconfig.json`;
  writeOut("docs/tsconfig.json", JSON.stringify({ extends: base, compilerOptions, include: [], files }));
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
  "the command at %s prints the shown text",
  { timeout: 180_000 },
  async (_, command) => {
    const cli = `"${process.execPath}" --import tsx src/cli/main.ts`;
    const result = await runCommand("sh", ["-ec", command.script.replace(/^npx stridewise/gm, () => cli)]);
    expect(result.stderr).toBe("");
    expect(result.stdout.trimEnd()).toBe(command.output.trimEnd());
    expect(result.code).toBe(0);
  },
);

/** The anchors of a document, as GitHub forms them from headings. */
const anchorsOf = (markdown: string): ReadonlySet<string> =>
  new Set(
    [...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      (heading as string)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

const withoutCode = (markdown: string): string => markdown.replaceAll(/^```.*?^```/gms, "");

const pages = [...documents.map(({ path }) => path), ...markdownUnder("test"), ...markdownUnder("examples")].concat(
  readdirSync(projectRoot).filter((path) => path.endsWith(".md")),
);

test.each([...new Set(pages)])("every link in %s resolves", (path) => {
  const broken: string[] = [];
  for (const [, target] of withoutCode(readFileSync(projectRoot + path, "utf8")).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target as string)) continue;
    const [file, anchor] = (target as string).split("#") as [string, string | undefined];
    const full = file === "" ? path : relative(".", join(dirname(path), file));
    if (!existsSync(projectRoot + full)) broken.push(target as string);
    else if (anchor !== undefined && !anchorsOf(readFileSync(projectRoot + full, "utf8")).has(anchor))
      broken.push(target as string);
  }
  expect(broken).toEqual([]);
});

test.each(["CONTRIBUTING.md", "ARCHITECTURE.md", "THIRD-PARTY-NOTICES.md"])("every path in %s exists", (path) => {
  // A recipe also names the files that it creates.
  const text = readFileSync(projectRoot + path, "utf8").replaceAll(/In the new file `[^`]+`/g, "");
  const named = text.matchAll(/`((?:src|test|docs|examples|bench)\/[\w./-]+)`/g);
  expect([...named].map(([, file]) => file as string).filter((file) => !existsSync(projectRoot + file))).toEqual([]);
});
