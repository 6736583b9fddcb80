/**
 * The answers of the commands: golden texts of help and of every example in the table, and the forms of an answer.
 * `npx vitest run test/end-to-end/cli -u` updates the golden texts.
 */
import { describe, expect, test } from "vitest";
import { commonOptions } from "../../../src/cli/help.ts";
import { showsColor } from "../../../src/cli/output.ts";
import { commands } from "../../../src/cli/run.ts";
import { session, typed } from "./typed.ts";

const exampleLines = commands.flatMap(({ name, examples }) =>
  name === "explain" ? [] : examples.map(({ line }) => line),
);
const json = (line: string) => JSON.parse(typed(`${line} --json`).stdout);

test("help", async () => {
  const lines = ["--help", ...commands.map(({ name }) => `${name} --help`)];
  await expect(session(lines)).toMatchFileSnapshot("golden/help.txt");
});

test("the examples of the table", async () => {
  await expect(
    session(exampleLines.map((line) => `${line.replace(" --no-picture", "")} --no-picture`)),
  ).toMatchFileSnapshot("golden/examples.txt");
});

test("every example succeeds, with its picture too", () => {
  for (const { line } of commands.flatMap(({ examples }) => examples)) {
    const { code, stdout, stderr } = typed(line);
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
    expect(stdout, line).not.toContain("undefined");
  }
});

test("a command has examples and one line about each operand and option", () => {
  for (const command of commands) {
    for (const operand of command.operands) expect(operand.about, command.name).not.toBe("");
    for (const example of command.examples) expect(example.line.startsWith(`${command.name} `)).toBe(true);
  }
});

test("an option takes a value in every command that has it, or in none", () => {
  const takesValue = new Map(Object.entries(commonOptions).map(([name, option]) => [name, option.value !== undefined]));
  for (const { name: command, options } of commands)
    for (const [name, option] of Object.entries(options)) {
      expect(takesValue.get(name) ?? option.value !== undefined, `${command} --${name}`).toBe(
        option.value !== undefined,
      );
      takesValue.set(name, option.value !== undefined);
    }
});

test("every command has help, and its --help needs no operands", () => {
  for (const { name, summary } of commands) {
    const { code, stdout, stderr } = typed(`${name} --help`);
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: stridewise ${name}\\b`));
    expect(stdout.toLowerCase()).toContain(summary.toLowerCase());
    expect(stdout).toBe(typed(`help ${name}`).stdout);
  }
});

test("help is asked for in four ways, the version in one", () => {
  const help = typed("--help").stdout;
  expect([typed("").stdout, typed("-h").stdout, typed("help").stdout]).toEqual([help, help, help]);
  expect(typed("help slice").stdout).toBe(typed("slice --help").stdout);
  expect(typed("slice -h nonsense").code).toBe(0);
  expect(typed("--version").stdout).toBe("1.2.3\n");
});

describe("text", () => {
  test("the notation comes first, then the picture", () => {
    const { stdout } = typed("coalesce '(2,(1,6)):(1,(6,2))' --ascii");
    expect(stdout.split("\n")).toContain("12:1");
    expect(stdout.startsWith("12:1\n\n")).toBe(true);
    expect(stdout).toContain("|");
    expect(stdout.match(/12:1/g)).toHaveLength(1);
  });

  test("--ascii draws without other characters", () => {
    for (const line of exampleLines) expect(typed(`${line} --ascii`).stdout, line).toMatch(/^[ -~\n]*$/);
  });

  test("colors only where the terminal shows them", () => {
    expect(typed("layout 4", { color: true }).stdout).toContain("\u001b[");
    expect(typed("layout 4").stdout).not.toContain("\u001b[");
  });

  test("NO_COLOR, a dumb terminal and a pipe turn colors off", () => {
    expect(showsColor(true, {})).toBe(true);
    expect(showsColor(true, { NO_COLOR: "", TERM: "xterm" })).toBe(true);
    expect(showsColor(true, { NO_COLOR: "1" })).toBe(false);
    expect(showsColor(true, { TERM: "dumb" })).toBe(false);
    expect(showsColor(false, {})).toBe(false);
  });

  test("an answer without a picture says why on stderr, and succeeds", () => {
    const why = (line: string, io = {}) => {
      const { code, stdout, stderr } = typed(line, io);
      expect({ line, code }).toEqual({ line, code: 0 });
      expect(stdout, line).not.toContain("no picture");
      return stderr.match(/^no picture: .*$/m)?.[0];
    };
    expect(why("layout '(n,4):(4,1)'")).toBe(
      "no picture: n is symbolic, and a picture needs numbers; give its symbols values, as in --where n=8",
    );
    expect(why("layout '(100,100)'")).toBe(
      "no picture: (100,100) has 10000 cells, more than 4096; --max-cells draws more",
    );
    expect(why("layout '(100,100)' --max-cells 10000")).toBe(undefined);
    expect(why("divide '(6,4)' 9007199254740991")).toContain("more than 4096");
    expect(why("tv '(9007199254740991,1):(0,1)' 4")).toContain("more than 1048576");
    expect(why("memory '(4,8):(8,1)' --length 20")).toBe(
      "no picture: A = (4,8):(8,1) has index 3 at 24, outside of a storage of 20 elements; a larger length holds it",
    );
    expect(why("layout '(4,16)'", { columns: 80 })).toMatch(/it needs \d+ columns, the terminal has 80/);
    expect(why("layout '(4,16)'", { columns: 200 })).toBe(undefined);
  });
});

describe("slices and memory", () => {
  test("a slice is shown in its layout, or alone where the layout is too large or the coordinate outside of it", () => {
    expect(typed("slice '(2,3):(3,1)' '(1,_)'").stdout).toContain("1 │[3]│ 4 │ 5 │");
    expect(typed("slice '(2,3):(3,1)' '(1,_)'").stdout).toContain("A(1,_) = (3):(1) at offset 3");
    expect(typed("slice '(128,128):(128,1)' '(2,_)'").stdout).toContain("number: offset in A, from 256");
    expect(typed("slice '(2,3):(3,1)' '(4,_)'").stdout).toContain("number: offset in A, from 12");
  });

  test("memory shows the cells of a layout and of a slice", () => {
    const { stdout } = typed("memory '(2,3):(3,1)' '(1,_)' --offset 1 --length 8");
    expect(stdout).toContain("     A │   │[0]│ 2 │ 4 │ 1 │ 3 │ 5 │   │");
    expect(stdout).toContain("A(1,_) │   │   │   │   │[0]│ 1 │ 2 │   │");
    expect(json("memory '(2,3):(3,1)' '(1,_)' --offset 1")).toMatchObject({
      length: 7,
      elements: 6,
      cells: 6,
      first: 1,
      last: 6,
      views: [
        { name: "A", offset: 1 },
        { name: "A(1,_)", offset: 4, layout: { text: "(3):(1)" } },
      ],
    });
  });

  test("memory refuses layouts that it cannot list", () => {
    for (const [line, why] of [
      ["memory '(n,4):(4,1)'", "has 4*n elements, but at most 1048576 can be listed"],
      ["memory '(2000,2000)'", "has 4000000 elements, but at most 1048576 can be listed"],
      ["memory '(2,2):(1@0,1@1)'", "maps to coordinates"],
    ] as const)
      expect(typed(line)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(why) });
  });
});

describe("--svg and --latex", () => {
  test("a file gets the picture, stdout the answer", () => {
    const { files, stdout } = typed("compose 'Sw<2,0,2>' '(4,4):(4,1)' --svg a.svg");
    expect(files["a.svg"]).toMatch(/^<svg[\s\S]*<\/svg>\n$/);
    expect(stdout).toBe("Sw<2,0,2> o _0 o (4,4):(4,1)\nA = Sw<2,0,2>\nB = (4,4):(4,1)\n");
  });

  test("stdout gets the picture alone", () => {
    expect(typed("layout 4 --svg -").stdout).toMatch(/^<svg[\s\S]*<\/svg>\n$/);
    expect(typed("layout 4 --svg=-").stdout).toBe(typed("layout 4 --svg -").stdout);
    expect(typed("layout 4 --latex").stdout).toMatch(/\\begin\{document\}[\s\S]*\\end\{document\}\n$/);
  });
});

describe("--json", () => {
  test("a layout is its shape, its strides and its text", () => {
    expect(json("compose '(6,2):(8,2)' '(4,3):(3,1)'")).toEqual({
      operation: "compose",
      operands: ["(6,2):(8,2)", "(4,3):(3,1)"],
      result: { shape: [[2, 2], 3], stride: [[24, 2], 8], text: "((2,2),3):((24,2),8)" },
    });
  });

  test("static integers are numbers, symbolic ones and coordinate strides are text", () => {
    expect(json("coalesce '(_4,n):(_1,m)'").result).toEqual({
      shape: [4, "n"],
      stride: [1, "m"],
      text: "(_4,n):(_1,m)",
    });
    expect(json("layout '(2,3):(1@0,1@1)'").result.stride).toEqual(["1@0", "1@1"]);
  });

  test("a swizzled layout has its parts", () => {
    expect(json("compose 'Sw<2,0,2>' '(4,4):(4,1)'").result).toEqual({
      outer: "Sw<2,0,2>",
      offset: 0,
      inner: { shape: [4, 4], stride: [4, 1], text: "(4,4):(4,1)" },
      text: "Sw<2,0,2> o _0 o (4,4):(4,1)",
    });
  });

  test("a slice has an offset, an expression its range, value and code", () => {
    expect(json("slice '(4,8):(8,1)' '(2,_)'")).toMatchObject({ result: { shape: [8], stride: [1] }, offset: 16 });
    expect(json("expr 'i*128+64' i=3 --wgsl --where 'i>=0'")).toMatchObject({
      result: { text: "128*i+64", symbols: ["i"] },
      range: { min: 64, max: null },
      divisor: 64,
      value: 448,
      wgsl: "i * 128 + 64",
    });
  });

  test("every example gives JSON", () => {
    for (const { line } of commands.flatMap(({ examples }) => examples))
      expect(json(line).operation).toBe(line.split(" ")[0]);
  });
});

describe("explain", () => {
  test("tells the steps and the answer", () => {
    const lines = typed("explain compose '(6,2):(8,2)' '(4,3):(3,1)' --no-picture").stdout.trimEnd().split("\n");
    expect(lines[0]).toBe("composition((6,2):(8,2), (4,3):(3,1))");
    expect(lines.length).toBeGreaterThan(4);
    expect(lines.at(-1)).toBe("= ((2,2),3):((24,2),8)");
  });

  test("a refusal is an answer", () => {
    const { code, stdout, stderr } = typed("explain complement '(3,4):(2,3)' 24");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^refused \(.*$/m);
    const { steps, refusal, result } = json("explain complement '(3,4):(2,3)' 24");
    expect(steps.length).toBeGreaterThan(0);
    expect(steps[0]).toMatchObject({ rule: expect.any(String), text: expect.any(String), level: 0 });
    expect(refusal).toMatchObject({ operation: "complement", rule: expect.any(String), data: expect.any(Object) });
    expect(result).toBe(undefined);
  });

  test("takes the options of the command it explains", () => {
    expect(typed("explain divide '(4,8):(8,1)' '(2,4)' --kind flat").stdout).toMatch(/^flatDivide\(/);
    expect(typed("explain product 4:1 2:1 --kind raked").stdout).toMatch(/^rakedProduct\(/);
    expect(typed("explain inverse '(4,8):(8,1)' --left").stdout).toMatch(/^leftInverse\(/);
  });
});

describe("operands and symbols", () => {
  test("an operand may start with -", () => {
    expect(typed("offset '(4,8):(8,1)' -3").stdout).toBe("-24\n");
    expect(typed("coalesce '(4):(-1)' --no-picture").stdout).toBe("4:-1\n");
    expect(typed("expr '-i*2' i=-3").stdout).toMatch(/^value +6$/m);
    expect(typed("expr --json -- -i").stdout).toContain(`"-i"`);
  });

  test("options may stand anywhere before --", () => {
    expect(typed("--no-picture coalesce 4:1").stdout).toBe("4:1\n");
    expect(typed("coalesce --no-picture 4:1").stdout).toBe("4:1\n");
  });

  test("--where states facts about symbols", () => {
    expect(typed("offset '(4,n):(n,1)' '(i,j)'").stdout).toBe("i*n+j\n");
    expect(typed("coalesce '(n,4):(4,1)' --where n=3 --no-picture").stdout).toBe("(3,4):(4,1)\n");
    expect(typed("expr 'n%4' --where n%4=0").stdout).toBe("0\n");
    expect(typed("expr n --where '1<=n, n<8' --where n%3=0").stdout).toBe("n\nrange         3 to 6\ndivisible by  3\n");
    expect(typed("expr n --where 'n > 4'").stdout).toContain("at least 5");
  });

  test("coordinates count from 0, sizes from 1", () => {
    expect(typed("offset '(8,8):(8,1)' '(min(i,0),0)'").stdout).toBe("0\n");
    expect(typed("coalesce 'max(n,1):1' --no-picture").stdout).toBe("n:1\n");
  });

  test("some values for an expression leave an expression", () => {
    expect(typed("expr 'i*j+1' i=2").stdout).toBe("i*j+1\nwith i=2  2*j+1\n");
  });
});
