/** Commands about files of the user: as a process, and the errors of their operands. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile, type Tensor } from "../../../src/index.ts";
import { projectRoot, runCommand } from "../../support/command.ts";
import { typedLine } from "./model-io.ts";

const fromSource = ["--import", "tsx", "src/cli/main.ts"];
mkdirSync(`${projectRoot}out`, { recursive: true });
const folder = mkdtempSync(`${projectRoot}out/model-`);

const model = `import { relu, tensor } from "stridewise";
const weight = tensor([[1, 2], [3, 4]]);
export const classify = (x) => relu(x.matmul(weight).sub(5));
`;

test("a module is built from a file, and runs", { timeout: 60_000 }, async () => {
  try {
    writeFileSync(`${folder}/model.ts`, model.replace("(x)", "(x: any): any"));
    writeFileSync(
      `${folder}/use.mjs`,
      `import { load } from "./built/classify.js";
console.log((await load()).run([Float32Array.of(1, 1, 0, 2)]).join());`,
    );
    const built = await runCommand(process.execPath, [
      ...fromSource,
      ...["build", `${folder}/model.ts#classify`, "--out", `${folder}/built`, "--input", "f32[2, 2]"],
    ]);
    expect(built.stderr).toBe("");
    expect(built.stdout).toMatch(/built\/classify\.wasm: [\d,]+ bytes\n/);
    expect(readdirSync(`${folder}/built`).sort()).toEqual(["classify.d.ts", "classify.js", "classify.wasm"]);
    writeFileSync(`${folder}/built/package.json`, `{ "type": "module" }`);
    expect(await runCommand(process.execPath, [`${folder}/use.mjs`])).toEqual({
      code: 0,
      stdout: "0,1,1,3\n",
      stderr: "",
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Runs a line over exports in place of files. */
const typed = (words: readonly string[], exports: Readonly<Record<string, unknown>> | Error) =>
  typedLine(words, {
    makeFolder: () => {},
    importModule: (path) => {
      if (exports instanceof Error) throw Object.assign(exports, { path });
      return Promise.resolve(exports);
    },
  });

const failed = (code: string): Error => Object.assign(new Error(`no m.ts`), { code });

test.each<[line: string, exports: Readonly<Record<string, unknown>> | Error]>([
  ["build", {}],
  ["build m.js#fn", {}],
  ["build m.js#fn --out o", {}],
  ["build m.js --out o", { fn: () => 1 }],
  ["build m.js#fn --out o", { fn: () => 1 }],
  ["build m.js#fn more --out o", { fn: () => 1 }],
  ["build m.js#fn --out o --inputs f32[2]", { fn: () => 1 }],
  ["build m.js#fn --out o --input f31[2]", { fn: () => 1 }],
  ["build m.js#fn --out o --input f32[-2]", { fn: () => 1 }],
  ["build m.js#fn --out o --input f32[2]", { fn: (x: Tensor) => x.sort(0).values }],
  ["build m.ts#fn --out o --input f32[2]", failed("ERR_UNKNOWN_FILE_EXTENSION")],
  ["build m.ts#fn --out o --input f32[2]", failed("ERR_MODULE_NOT_FOUND")],
  ["build m.js#fn --out o --input f32[2]", { fn: Object.assign(() => 1, { explain: 1, graph: 1 }) }],
  ["build m.js#fn --out o", failed("EOTHER")],
  ["graph", {}],
  ["graph m.js#fn --input f32[2] --latex", { fn: (x: Tensor) => x.mul(2) }],
])("%s is refused", async (line, exports) => {
  const { code, stdout, stderr, files } = await typed(line.split(" "), exports);
  expect({ stdout, files, isRefused: code === 1 || code === 2 }).toEqual({ stdout: "", files: {}, isRefused: true });
  expect(stderr.replace(/\n +at .*/s, "")).toMatchSnapshot();
});

test("a function that the file has compiled is used as it is; other commands run as usual", async () => {
  const fn = compile((x: Tensor) => x.mul(2));
  const { ones } = await import("../../../src/index.ts");
  for (let k = 0; k < 2; k++) fn(ones([3]) as Tensor);
  const { code, stdout, files } = await typed(["build", "m.js", "--out", "o", "--name", "twice", "--json"], {
    default: fn,
  });
  expect(code).toBe(0);
  expect(Object.keys(files)).toEqual(["o/twice.wasm", "o/twice.js", "o/twice.d.ts"]);
  expect(JSON.parse(stdout)).toMatchObject({ operation: "build", files: { "o/twice.wasm": expect.any(Number) } });
  expect((await typed(["layout", "4"], {})).stdout).toContain("4:_1");
  expect((await typed(["--help"], {})).stdout).toContain("build FILE#FUNCTION");
  expect((await typed(["build", "--help"], {})).stdout).toContain("Usage: stridewise build FILE#FUNCTION [OPTIONS]");
});

test("a graph is printed and drawn", async () => {
  const fn = (x: Tensor): unknown => x.mul(2).add(1).sum();
  const words = ["graph", "m.js#fn", "--input", "f32[n, 4]"];
  const { code, stdout, files } = await typed([...words, "--svg", "g.svg"], { fn });
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "fn: 3 ops in 1 task, 132 B moved, 0 B of workspace
    input 0: float32[n, 4]
    #1 f32_mul_add_sum, 132 B <- input 0
      │ mul  float32[n, 4]
      │ add  float32[n, 4]
      │ sum  float32[]
    outputs <- #1
      │ output 0  float32[]
    "
  `);
  expect(files["g.svg"]).toMatch(/^<svg /);
  expect((await typed([...words, "--memory"], { fn })).stdout).toContain("of workspace");
});
