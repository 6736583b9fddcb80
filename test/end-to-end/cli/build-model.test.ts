/** `stridewise build` and `stridewise graph` of ONNX models: the module computes what the model does. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { type Tensor, tensor } from "../../../src/index.ts";
import { loadOnnx } from "../../../src/onnx/index.ts";
import { projectRoot } from "../../support/command.ts";
import { modelBytes, node } from "../../support/onnx-models.ts";
import { typedLine } from "./model-io.ts";

mkdirSync(`${projectRoot}out`, { recursive: true });
const folder = mkdtempSync(`${projectRoot}out/build-model-`);
const path = (name: string): string => `${folder}/${name}`;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bytes = modelBytes({
  inputs: { x: "float32[batch, 2]", k: "float32[]" },
  outputs: { y: "float32[batch, 2]", "z.1": "float32[batch, 2]" },
  nodes: [
    node("Mul", ["x", "w"], ["a"]),
    node("Shape", ["x"], ["s"]),
    node("Reshape", ["a", "s"], ["b"]),
    node("Add", ["b", "k"], ["y"]),
    node("Sub", ["y", "x"], ["z.1"]),
  ],
  weights: { w: [2, 3] },
});
writeFileSync(path("m.onnx"), bytes);

/** Builds a model; the files are written to a folder of their own. */
async function built(name: string, ...words: readonly string[]) {
  const result = await typedLine(["build", path("m.onnx"), "-o", path(name), ...words], {
    writeFile: (file, content) => writeFileSync(file, content),
  });
  writeFileSync(path(`${name}/package.json`), '{ "type": "module" }');
  return { ...result, model: await (await import(pathToFileURL(path(`${name}/m.js`)).href)).load() };
}

test("a module computes the outputs of the model for all sizes", async () => {
  const { code, stdout, model } = await built("all", "--where", "1<=batch<=5");
  expect(code).toBe(0);
  expect(stdout).toMatch(/input 0: x, float32\[batch, 2\]\ninput 1: k, float32\[\]\noutputs: y, z\.1\n$/);
  const onnx = await loadOnnx(bytes);
  for (let batch = 1; batch <= 5; batch++) {
    const x = Float32Array.from({ length: 2 * batch }, (_, k) => k - 3);
    const expected = onnx.run({ x: (tensor(x) as Tensor).view(batch, 2), k: 0.5 }) as Record<string, Tensor>;
    const results = model.run([x, Float32Array.of(0.5)], { batch });
    expect(Object.keys(results)).toEqual(["y", "z.1"]);
    for (const name of ["y", "z.1"]) expect([...results[name]]).toEqual([...expected[name].toTypedArray()]);
  }
});

test("sizes and inputs are fixed by --input and --where", async () => {
  const x = Float32Array.of(1, 2, 3, 4);
  for (const [name, words] of [
    ["sizes", ["--input", "x=2x2", "--input", "k=10"]],
    ["bounds", ["--where", "batch=2", "--input", "k=10"]],
  ] as const) {
    const { code, model } = await built(name, ...words);
    expect(code).toBe(0);
    expect([...model.run([x]).y]).toEqual([12, 16, 16, 22]);
  }
});

test("graph prints the program of a model", async () => {
  const { code, stdout, files } = await typedLine(["graph", path("m.onnx"), "--input", "x=[n, 2]", "--svg", "g.svg"]);
  expect(code).toBe(0);
  expect(stdout).toContain("input 0: float32[");
  expect(stdout).toContain("│ mul");
  expect(files["g.svg"]).toMatch(/^<svg /);
});

writeFileSync(
  path("cut.onnx"),
  modelBytes({
    inputs: { x: "float32[6]", shape: "int64[2]" },
    outputs: { y: "float32[?, ?]" },
    nodes: [node("Add", ["shape", "shape"], ["twice"]), node("Reshape", ["x", "twice"], ["y"], "reshape")],
  }),
);

test.each<[words: string, message: string]>([
  ["build m.onnx", "--output FOLDER is missing"],
  ["build none.onnx -o o", "there is no file none.onnx"],
  ["build m.onnx -o o", "the size batch of \"x\" (float32[batch, 2]) has no upper bound. Pass --where '1<=batch<=64'"],
  ["build m.onnx -o o --where n=2,batch=2", "no input has the size n. The sizes are batch"],
  ["build m.onnx -o o --input q=2x2", 'the model has no input "q"'],
  ["build m.onnx -o o --input x=2x2x2", 'the input "x" is float32[batch, 2], which has 2 axes'],
  ["build m.onnx -o o --input x=2x3", "is not one compiled program"],
  ["build cut.onnx -o o", 'cut.onnx is not one compiled program: node "reshape" (Reshape) of float32[6], int64[2]'],
])("%s is refused", async (line, message) => {
  const words = line.split(" ").map((word) => word.replace(/^(m|cut)\.onnx$/, (name) => path(name)));
  const { code, stdout, stderr, files } = await typedLine(words, { makeFolder: () => {} });
  expect({ stdout, files, isRefused: code === 1 || code === 2 }).toEqual({ stdout: "", files: {}, isRefused: true });
  expect(stderr.replaceAll(`${folder}/`, "")).toContain(message);
});
