/**
 * The command as a process, from its source through tsx. As it is built it runs in `test/checks/package.test.ts`.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { projectRoot, runCommand } from "../../support/command.ts";
import { typed } from "./typed.ts";

const fromSource = ["--import", "tsx", "src/cli/main.ts"];
const outFolder = `${projectRoot}out/cli/`;

test("the source runs: answers, files, exit codes", { timeout: 60_000 }, async () => {
  mkdirSync(outFolder, { recursive: true });
  rmSync(`${outFolder}layout.svg`, { force: true });
  const node = (...args: string[]) => runCommand(process.execPath, [...fromSource, ...args]);
  const [drawn, refused, unwritten, misused, help] = await Promise.all([
    node("layout", "(4,8):(8,1)", "--svg", "out/cli/layout.svg"),
    node("complement", "(3,4):(2,3)", "24"),
    node("layout", "4", "--svg", "out/no/such/folder.svg"),
    node("layout", "4", "--colors"),
    node("layout", "--help"),
  ]);
  expect(drawn).toEqual({ code: 0, stdout: typed("layout '(4,8):(8,1)' --no-picture").stdout, stderr: "" });
  expect(readFileSync(`${outFolder}layout.svg`, "utf8")).toBe(typed("layout '(4,8):(8,1)' --svg -").stdout);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(misused).toEqual({ code: 2, stdout: "", stderr: "stridewise: unknown option --colors.\n" });
  expect(help).toEqual({ code: 0, stdout: typed("layout --help").stdout, stderr: "" });
  expect(unwritten).toMatchObject({ code: 1, stdout: "" });
  expect(unwritten.stderr).toMatch(/^stridewise: cannot write out\/no\/such\/folder\.svg: ENOENT[^\n]*\n$/);
});

test("a reader that stops early is not an error", { timeout: 60_000 }, async () => {
  const line = `"${process.execPath}" ${fromSource.join(" ")} layout '(120,120)' --max-cells 20000 | head -n 1`;
  expect(await runCommand("sh", ["-c", line])).toEqual({ code: 0, stdout: "(120,120):(_1,120)\n", stderr: "" });
});
