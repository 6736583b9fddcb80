/** Tests of the example checker: true expectations pass, and false ones are reported. */
import { expect, test } from "vitest";
import { commandsOf, programsOf } from "./examples.ts";
import { runProgram } from "./run-program.ts";
import { shown } from "./shown.ts";

const fenced = (words: string, code: string): string => `\`\`\`${words}\n${code}\n\`\`\`\n`;

async function runDocument(name: string, markdown: string): Promise<void> {
  for (const program of programsOf(`self-test/${name}.md`, markdown))
    if (program.runCode !== "") await runProgram(program);
}

const kept: Record<string, string> = {
  "an expression": fenced("ts", "const a = [4, 8];\na.length; // -> 2\na.map((x) => x * 2); // -> [8, 16]"),
  "a declaration": fenced("ts", "const a: number = 1 + 1; // -> 2\na + 1; // -> 3"),
  "a console.log call": fenced("ts", 'console.log("a", [1], { b: "c" }); // -> a [1] { b: "c" }'),
  "an awaited value": fenced("ts", "await Promise.resolve(3); // -> 3"),
  "a statement over many lines": fenced("ts", "[1, 2, 3]\n  .map((x) => x + 1)\n  .join(); // -> 2,3,4"),
  "a comment on the line below": fenced("ts", 'console.log("a\\n  b");\n// -> a\n//      b\n// An ordinary comment.'),
  "text that begins on the second line": fenced("ts", 'console.log("  a\\n\\nb");\n// ->\n//      a\n//\n//    b'),
  "a statement inside a function": fenced("ts", "for (const i of [7, 7]) {\n  i; // -> 7\n}"),
  "an error": fenced("ts", 'JSON.parse("{"); // throws SyntaxError\nconst a = null!; // -> null'),
  "a declaration that throws": fenced("ts", 'const a = BigInt("x"); // throws SyntaxError: Cannot convert x'),
  "a continued block": `${fenced("ts", "const a = 1;")}text\n${fenced("ts continued", "a; // -> 1")}`,
  "a block that does not run": fenced("ts no-run", 'throw new Error("never");'),
  "a block in a list": "1. one\n\n   ```ts\n   const a = `x\n   y`; // -> x\n   //    y\n   ```\n",
  "a using declaration": fenced("ts", "{\n  using a = { [Symbol.dispose]() {} };\n  typeof a; // -> object\n}"),
};

const broken: Record<string, readonly [markdown: string, complaint: RegExp]> = {
  "a wrong value": [fenced("ts", "\n1 + 1; // -> 3"), /md:3: the document says\n3\nbut the code returns\n2/],
  "a wrong console.log": [fenced("ts", "console.log(1, 2); // -> 1, 2"), /md:2: the document says/],
  "a wrong declaration": [fenced("ts", "const a = 1; // -> 2"), /md:2: the document says/],
  "a wrong second line": [fenced("ts", 'console.log("a\\nb"); // -> a\n//    c'), /md:2: the document says\na\nc/],
  "no error": [fenced("ts", "1; // throws Error"), /md:2: .*\nError\nbut it does not/],
  "another error": [fenced("ts", 'JSON.parse("{"); // throws RangeError'), /but it throws\nSyntaxError/],
  "a line that is never reached": [fenced("ts", "() => {\n  1; // -> 1\n};"), /md:3: the example ends before/],
  "a promise after nothing": [fenced("ts", "const a = [\n  1, // -> 1\n];"), /md:3: .* follows no expression/],
  "an uncaught error": [fenced("ts", 'throw new RangeError("too far");'), /too far/],
  "code that does not parse": [fenced("ts", "const = 1;"), /self-test/],
  "an unknown flag": [fenced("ts norun", "1;"), /md:1: .*norun/],
  "a first block that continues": [fenced("ts continued", "1;"), /md:1: .*continues nothing/],
  "an open fence": ["text\n```ts\n1;\n", /line 2: the code fence is never closed/],
};

test.each(Object.entries(kept))("passes: %s", async (name, markdown) => {
  await runDocument(name.replaceAll(/\W/g, "-"), markdown);
});

test.each(Object.entries(broken))("fails: %s", async (name, [markdown, complaint]) => {
  await expect(runDocument(name.replaceAll(/\W/g, "-"), markdown)).rejects.toThrow(complaint);
});

test("values are written as in source code, unless they have their own text", () => {
  const own = { toString: () => "(4,8):(8,1)" };
  expect([own, [own, "a"], { own }].map(shown)).toEqual(["(4,8):(8,1)", '[(4,8):(8,1), "a"]', "{ own: (4,8):(8,1) }"]);
  expect([-0, 2n, null, undefined, {}, []].map(shown)).toEqual(["-0", "2n", "null", "undefined", "{}", "[]"]);
  expect(shown(new Float32Array([1, 2.5]))).toBe("Float32Array [1, 2.5]");
  expect(shown(new RangeError("too far"))).toBe("RangeError: too far");
});

test("a command is checked when a text block follows it", () => {
  const output = fenced("text", "one\ntwo");
  const scripts = (markdown: string) => commandsOf("a.md", markdown).map(({ script }) => script);
  expect(commandsOf("a.md", `${fenced("sh", "npx stridewise a '(4,8)'")}\n${output}`)).toEqual([
    { document: "a.md", line: 2, script: "npx stridewise a '(4,8)'", output: "one\ntwo" },
  ]);
  expect(scripts(fenced("sh", "# a comment\nnpx stridewise a \\\n  b") + output)).toEqual(["npx stridewise a    b"]);
  expect(scripts(fenced("sh", "npx stridewise a") + fenced("sh", "npx stridewise b") + output)).toEqual([
    "npx stridewise b",
  ]);
  expect(scripts(fenced("sh no-run", "npx stridewise a") + output)).toEqual([]);
  expect(scripts(fenced("sh", "npm install stridewise") + output)).toEqual([]);
});
