/** `stridewise run`: inputs from files and from the command line, outputs as files, options, errors; and Ctrl-C, as a process. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Tensor, tensor } from "../../../src/index.ts";
import { loadNpy, saveNpy, saveNpz, saveSafetensors } from "../../../src/io/index.ts";
import { projectRoot } from "../../support/command.ts";
import { modelBytes, node } from "../../support/onnx-models.ts";
import { typedLine } from "./model-io.ts";

mkdirSync(`${projectRoot}out`, { recursive: true });
const folder = mkdtempSync(`${projectRoot}out/run-model-`);
const path = (name: string): string => `${folder}/${name}`;

/** x * w and k * k, with names of outputs that are not names of files. */
const scale = modelBytes({
  inputs: { x: "float32[n, 2]", k: "int64[]" },
  outputs: { "layer/y": "float32[n, 2]", "k:0": "int64[]" },
  nodes: [node("Mul", ["x", "w"], ["layer/y"], "scale"), node("Mul", ["k", "k"], ["k:0"])],
  weights: { w: [2, 3] },
});

/** All values pass through. */
const copies = (types: Readonly<Record<string, string>>): Uint8Array => {
  const ports = types as Parameters<typeof modelBytes>[0]["inputs"];
  const names = Object.keys(types);
  return modelBytes({
    inputs: ports,
    outputs: Object.fromEntries(names.map((name) => [`${name}!`, ports[name]])) as typeof ports,
    nodes: names.map((name) => node("Identity", [name], [`${name}!`])),
  });
};

const arrayOf = async (file: string): Promise<unknown> => (await loadNpy(path(file))).toArray();

/** Runs a model that copies its inputs, and returns the outputs. */
async function copied(type: string, value: string): Promise<unknown> {
  writeFileSync(path("copy.onnx"), copies({ x: type }));
  const { code, stderr } = await typedLine([
    "run",
    path("copy.onnx"),
    "--input",
    `x=${value}`,
    "-o",
    path("copied"),
    "--quiet",
  ]);
  return code === 0 ? arrayOf("copied/x_.npy") : stderr.replaceAll(`${folder}/`, "").split("\n")[0];
}

beforeAll(async () => {
  writeFileSync(path("scale.onnx"), scale);
  await saveNpy(
    path("x.npy"),
    tensor([
      [1, 2],
      [3, 4],
    ]) as Tensor,
  );
  await saveNpz(path("both.npz"), { x: tensor([[1, 2]]) as Tensor, k: tensor(3, { dtype: "int32" }) as Tensor });
  await saveSafetensors(path("both.safetensors"), { x: tensor([[5, 6]]) as Tensor, k: tensor(2n) as Tensor });
  await saveNpy(path("double.npy"), tensor([[1, 2]], { dtype: "float64" }) as Tensor);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...words: readonly string[]) => typedLine(["run", path("scale.onnx"), ...words]);

test("outputs are written as files, with replaced characters", async () => {
  const { code, stdout, stderr } = await run("--input", `x=${path("x.npy")}`, "--input", "k=-3", "--output", path("a"));
  expect({ code, files: readdirSync(path("a")).sort() }).toEqual({ code: 0, files: ["k_0.npy", "layer_y.npy"] });
  expect(await arrayOf("a/layer_y.npy")).toEqual([
    [2, 6],
    [6, 12],
  ]);
  expect(await arrayOf("a/k_0.npy")).toBe(9);
  expect(stdout.replaceAll(folder, ".")).toBe(
    "output   type           file\nlayer/y  float32[2, 2]  ./a/layer_y.npy\nk:0      int64[]        ./a/k_0.npy\n",
  );
  expect(stderr).toMatch(/^loading .*\nrunning\nloaded in [\d.]+ m?s, ran in [\d.]+ m?s\n$/);
});

test("archives have inputs by their names, and integers are widened", async () => {
  for (const [file, expected] of [
    ["both.npz", [[[2, 6]], 9]],
    ["both.safetensors", [[[10, 18]], 4]],
  ] as const) {
    expect(await run("--input", path(file), "-o", path("b"), "--quiet")).toMatchObject({ code: 0, stderr: "" });
    expect([await arrayOf("b/layer_y.npy"), await arrayOf("b/k_0.npy")]).toEqual(expected);
  }
});

test("without a folder, outputs are printed; --outputs selects some", async () => {
  const all = await run("--input", path("both.npz"), "--quiet");
  expect(all.stdout).toBe("layer/y: float32[1, 2]\ntensor([[2., 6.]])\nk:0: int64[]\ntensor(9)\n");
  expect((await run("--input", path("both.npz"), "--outputs", "k:0")).stdout).toBe("k:0: int64[]\ntensor(9)\n");
  expect((await run("--input", path("both.npz"), "--outputs", "k:0, layer/y", "--json", "--quiet")).stdout).toContain(
    '"name": "layer/y"',
  );
});

test.each([
  ["float32[]", "1.5", 1.5],
  ["float32[n]", "[1, -2.5e1, .5, inf]", [1, -25, 0.5, Infinity]],
  ["float32[1]", "7", [7]],
  ["float32[?, ?]", "7", [[7]]],
  [
    "float32[2, 2]",
    "[[1,2],[3,4]]",
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ["float64[]", "3", 3],
  ["int64[n]", "[1, 2]", [1, 2]],
  ["int64[n]", "[]", []],
  ["int32[]", "-7", -7],
  ["uint8[]", "255", 255],
  ["bool[n]", "[true, false]", [true, false]],
  ["bool[]", "1", true],
  ["uint8[]", "256", expect.stringContaining("some of the int64 values do not fit")],
  ["uint8[]", "-1", expect.stringContaining("some of the int64 values do not fit")],
  ["int64[]", "9223372036854775808", expect.stringContaining("some of the uint64 values do not fit")],
  ["int64[]", "99999999999999999999", expect.stringContaining("more than 64 bits")],
  ["int64[]", "1.5", expect.stringContaining("needs integers")],
  ["bool[]", "2", expect.stringContaining("do not fit")],
  ["float32[2]", "[1, 2, 3]", expect.stringContaining("must be float32[2], got the shape [3]")],
  ["float32[]", "one", expect.stringContaining("needs a number, a list such as [1, 2], or a file .npy")],
  ["float32[]", "[1", expect.stringContaining("needs a number")],
])("a value of %s: %s", async (type, value, expected) => {
  expect(await copied(type, value)).toEqual(expected);
});

test("large integers stay exact", async () => {
  writeFileSync(path("copy.onnx"), copies({ x: "int64[n]" }));
  await typedLine([
    "run",
    path("copy.onnx"),
    "--input",
    "x=[9007199254740993, -9223372036854775808]",
    "-o",
    path("big"),
  ]);
  const values = (await loadNpy(path("big/x_.npy"))).toTypedArray();
  expect([...(values as BigInt64Array)]).toEqual([9007199254740993n, -9223372036854775808n]);
});

test("float64 is rounded with a message, and a lone input needs no name", async () => {
  writeFileSync(path("copy.onnx"), copies({ x: "float32[n, 2]" }));
  const { code, stderr } = await typedLine(["run", path("copy.onnx"), "--input", path("double.npy"), "-o", path("d")]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("float64 is rounded to float32") });
});

test("texts, sequences and bfloat16 are written, absent values are reported", async () => {
  const types = { t: "string[n]", s: "sequence float32[?]", o: "optional float32[1]", h: "bfloat16[]" };
  writeFileSync(path("copy.onnx"), copies(types));
  const words = ["--input", 't=["añ", "b"]', "--input", "s=[[1, 2], [3]]", "--input", "h=1.5", "-o", path("kinds")];
  const { code, stderr } = await typedLine(["run", path("copy.onnx"), ...words, "--quiet"]);
  expect(code).toBe(0);
  expect(stderr.replaceAll(folder, ".")).toBe(
    'the output "o!" is absent: no file\n./kinds/h_.npy: bfloat16 is written as float32, which holds every value\n',
  );
  expect(readdirSync(path("kinds")).sort()).toEqual(["h_.npy", "s_.0.npy", "s_.1.npy", "t_.npy"]);
  expect([await arrayOf("kinds/s_.0.npy"), await arrayOf("kinds/s_.1.npy"), await arrayOf("kinds/h_.npy")]).toEqual([
    [1, 2],
    [3],
    1.5,
  ]);
  const text = readFileSync(path("kinds/t_.npy"));
  expect(text.toString("latin1")).toContain("{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }");
  expect([...new Uint32Array(new Uint8Array(text.subarray(-16)).buffer)]).toEqual([0x61, 0xf1, 0x62, 0]);
});

test("two outputs whose names become the same have two files", async () => {
  writeFileSync(
    path("same.onnx"),
    modelBytes({
      inputs: { x: "float32[]" },
      outputs: { "a/b": "float32[]", a_b: "float32[]", A_b: "float32[]" },
      nodes: [node("Add", ["x", "x"], ["a/b"]), node("Mul", ["x", "x"], ["a_b"]), node("Sub", ["x", "x"], ["A_b"])],
    }),
  );
  const { code, stderr } = await typedLine(["run", path("same.onnx"), "--input", "5", "-o", path("same")]);
  expect(code).toBe(0);
  expect(stderr).toContain('the output "a/b" is written as a_b.3.npy, because another file has the name a_b');
  expect(await Promise.all(["a_b.3", "a_b", "A_b.2"].map((name) => arrayOf(`same/${name}.npy`)))).toEqual([10, 25, 0]);
});

test("a profile is printed and drawn", async () => {
  const words = ["--input", path("both.npz"), "--repeat", "2", "--threads", "1"];
  const { code, stdout, stderr, files } = await run(...words, "--profile", "-o", path("p"));
  expect(code).toBe(0);
  expect(stdout).toMatch(/node by node: [\d.]+ m?s \(average of 2 runs\)\nnode +operator +count +ms +share\n/);
  expect(stdout).toMatch(/^scale +Mul +1 +[\d.]+ +[\d.]+%$/m);
  expect(stdout).toMatch(/^Mul +2 +2 +[\d.]+ +100\.0%$/m);
  expect(stdout).toMatch(/^scale to k:0 +2 nodes +1 +[\d.]+ +100\.0%$/m);
  expect(stderr).toMatch(/^2 compiled runs: median [\d.]+ m?s, fastest [\d.]+ m?s$/m);
  expect(files[path("p/profile.svg")]).toMatch(/^<svg /);
  expect((await run(...words, "--profile", "--svg", "p.svg")).files["p.svg"]).toMatch(/^<svg /);
  const { ms, profile } = JSON.parse((await run(...words, "--profile", "--json", "--no-compile", "--quiet")).stdout);
  expect(ms).toMatchObject({
    load: expect.any(Number),
    run: expect.any(Number),
    repeated: [expect.any(Number), expect.any(Number)],
  });
  expect(profile).toMatchObject({ compiled: null, nodes: { entries: [{ name: "scale" }, { name: "k:0" }] } });
});

test.each<[words: string, code: number]>([
  ["", 2],
  ["nothing.onnx", 2],
  ["x.npy", 1],
  ["scale.onnx more", 2],
  ["scale.onnx", 2],
  ["scale.onnx --input x=x.npy", 2],
  ["scale.onnx --input y=x.npy --input k=1", 2],
  ["scale.onnx --input x=nothing.npy --input k=1", 2],
  ["scale.onnx --input x=scale.onnx --input k=1", 2],
  ["scale.onnx --input x.npy", 2],
  ["scale.onnx --input x=x.npy --input x=x.npy", 2],
  ["scale.onnx --input x=x.npy --input k=1 --outputs z", 2],
  ["scale.onnx --input x=[1,2,3] --input k=1", 1],
  ["scale.onnx --input x=broken.npy --input k=1", 1],
  ["scale.onnx --input x=x.npy --input k=1 --threads 0", 2],
  ["scale.onnx --input x=x.npy --input k=1 --repeat -1", 2],
  ["scale.onnx --input x=x.npy --input k=1 --svg p.svg", 2],
  ["scale.onnx --input x=x.npy --input k=1 --latex", 2],
  ["scale.onnx --input x=x.npy --input k=1 --output x.npy", 1],
  ["unknown.onnx --input 1", 1],
])("run %s is refused", async (words, code) => {
  writeFileSync(path("broken.npy"), "no array");
  writeFileSync(
    path("unknown.onnx"),
    modelBytes({ inputs: { x: "float32[]" }, outputs: { y: "float32[]" }, nodes: [node("Magic", ["x"], ["y"])] }),
  );
  const inFolder = words
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => word.replace(/^(\w+=)?(\w+\.(?:npy|onnx))$/, `$1${folder}/$2`));
  const result = await typedLine(["run", ...inFolder, "--quiet"]);
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: "" });
  expect(result.stderr.replaceAll(folder, ".")).toMatchSnapshot();
});

test("Ctrl-C ends a run while it computes, with the exit code 130 and without partial files", {
  timeout: 60_000,
}, async () => {
  const names = Array.from({ length: 40 }, (_, k) => `a${k}`);
  const nodes = names.map((name, k) => node("Mul", [k === 0 ? "x" : `a${k - 1}`, "x"], [name]));
  writeFileSync(path("slow.onnx"), modelBytes({ inputs: { x: "float32[n]" }, outputs: { a39: "float32[n]" }, nodes }));
  await saveNpy(path("long.npy"), tensor(new Float32Array(2 ** 20)) as Tensor);
  const words = ["run", path("slow.onnx"), "--input", path("long.npy"), "-o", path("slow"), "--repeat", "1000000"];
  const child = spawn(process.execPath, ["--import", "tsx", "src/cli/main.ts", ...words], { cwd: projectRoot });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (text.includes("ran in")) setTimeout(() => child.kill("SIGINT"), 500);
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect({ code, last: stderr.split("\n").at(-2) }).toEqual({ code: 130, last: "stridewise: interrupted" });
  expect(readdirSync(path("slow"))).toEqual([]);
});

test("--threads is a number here, and a switch of commands about layouts", async () => {
  expect((await typedLine(["partition", "(8,24)", "(4,8):(8,1)", "9", "--threads", "--no-picture"])).stdout).toBe(
    "(2,3):(4,64)\noffset 9\n",
  );
  expect(await run("--threads", "1", "--input", path("both.npz"))).toMatchObject({ code: 0 });
});
