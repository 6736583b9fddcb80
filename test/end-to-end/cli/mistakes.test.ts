/**
 * The errors of the command and their exit codes: 2 for wrong usage, 1 for a failed operation, 70 for a bug. Errors are printed to stderr only,
 * except that --json also prints a refusal as data.
 */
import { expect, test } from "vitest";
import { InternalError } from "../../../src/base/errors.ts";
import { command } from "../../../src/cli/command.ts";
import { session, typed } from "./typed.ts";

const mistakes = [
  "compse 4 2",
  "xyz",
  "--json",
  "compose",
  "compose 4",
  "compose 4 2 1",
  "layout '(4,8'",
  "layout ''",
  "slice '(4,8)' '(2,_'",
  "recast 4:1 x 8",
  "layout 4 --svf a.svg",
  "layout -x",
  "layout 4 --left",
  "divide 4 2 --kind flet",
  "layout 4 --kind",
  "layout 4 --json=yes",
  "layout 4 --json --latex",
  "layout 4 --max-cells many",
  "memory 4 --length -1",
  "layout n --where 'n>>1'",
  "layout n --where m=3",
  "layout n --where 'n>5, n<3'",
  "offset '(4,8)' '(2,_)'",
  "product 4:1 'Sw<1,0,1> o 0 o 4:1' --kind blocked",
  "expr",
  "expr 'i*'",
  "expr 'i*j' i",
  "expr 'row*j' rwo=1",
  "expr i --svg -",
  "partition '(8,24)' '(4,8):(8,1)' 32 --threads",
  "local-partition '(8,24)' '(4,8):(8,1)' -1",
  "local-partition '(8,24)' '(4,8):(8,2)' 9",
  "explain",
  "explain slice 4 2",
  "explain inverse 4:1 --kind flat",
  "help compse",
];

test("messages and exit codes of wrong command lines", async () => {
  for (const line of mistakes) {
    const { code, stdout, stderr } = typed(line);
    expect({ line, code, stdout }).toEqual({ line, code: 2, stdout: "" });
    expect(stderr, line).toMatch(/^[^\n]+\n( {2}[^\n]*\n {2,}\^\n)?$/);
  }
  await expect(session(mistakes)).toMatchFileSnapshot("golden/mistakes.txt");
});

test.each([
  "complement '(3,4):(2,3)' 24",
  "compose '(4,6):(1,7)' '5:3'",
  "divide '(4,8):(8,1)' '3:2' --kind zipped",
  "complement '(2,4):(1,n)'",
  "inverse '(3,3):(2,3)' --left",
])("an operation without an answer: %s", (line) => {
  const { code, stdout, stderr } = typed(line);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  const [reason, hint] = stderr.split("\n") as [string, string];
  expect(reason).toMatch(/^\w+: /);
  const explain = /^The steps: stridewise (explain .*)$/.exec(hint)?.[1] as string;
  expect(typed(explain)).toMatchObject({ code: 0, stdout: expect.stringContaining("refused") });
});

test("operands that do not fit have no steps to show", () => {
  expect(typed("divide 8 '<2,2>'")).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/^[^\n]+\n$/) });
  expect(typed("expr 'i/j' i=1 j=0")).toMatchObject({ code: 1, stdout: "" });
  expect(typed("expr i i=9 --where 'i<4'")).toMatchObject({ code: 1, stderr: expect.stringContaining("i <= 3") });
});

test("a picture that was asked for and cannot be drawn", () => {
  expect(typed("layout n --svg a.svg")).toMatchObject({ code: 1, stdout: "", files: {} });
  expect(typed("layout '(100,100)' --latex")).toMatchObject({
    code: 1,
    stderr: "(100,100) has 10000 cells, more than 4096; --max-cells draws more\n",
  });
});

test("a file that cannot be written", () => {
  const writeFile = () => {
    throw new Error("ENOENT: no such file or directory, open 'a/b.svg'");
  };
  expect(typed("layout 4 --svg a/b.svg", { writeFile })).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "stridewise: cannot write a/b.svg: ENOENT: no such file or directory\n",
  });
});

test("a bug asks for a report, with the command line", () => {
  for (const error of [new InternalError("two and two is five"), new TypeError("f is not a function")]) {
    const broken = command({
      name: "broken",
      operands: [],
      summary: "",
      examples: [],
      run: () => {
        throw error;
      },
    });
    const { code, stdout, stderr } = typed("broken --json", {}, [broken]);
    expect({ code, stdout }).toEqual({ code: 70, stdout: "" });
    expect(stderr).toContain(error.message);
    expect(stderr).toMatch(/Please report .*: stridewise broken --json\n$/);
  }
});

test("with --json the refusal is data on stdout, and the exit code still tells", () => {
  const { code, stdout, stderr } = typed("compose '(6,2):(1,7)' '(3,2):(2,3)' --json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    operation: "compose",
    refusal: { rule: "carry", data: { mode: 0, size: 6, total: 7 } },
  });
  expect(stderr).toContain("carries");
});
