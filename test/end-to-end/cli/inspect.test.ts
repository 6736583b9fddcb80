/** `stridewise inspect`: the headers of all formats as trees and as data; large and damaged files. */
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ones, type Tensor, tensor, zeros } from "../../../src/index.ts";
import { encodeNpz, encodeSafetensors, saveNpy, saveNpz, saveSafetensors } from "../../../src/io/index.ts";
import { npyTextParts } from "../../../src/io/npy-text.ts";
import { joinParts } from "../../../src/io/raw-array.ts";
import { crc32 } from "../../../src/io/zip-format.ts";
import { zipParts } from "../../../src/io/zip-write.ts";
import { projectRoot } from "../../support/command.ts";
import { modelBytes, node } from "../../support/onnx-models.ts";
import { typedLine } from "./model-io.ts";

mkdirSync(`${projectRoot}out`, { recursive: true });
const folder = mkdtempSync(`${projectRoot}out/inspect-`);
const path = (name: string): string => `${folder}/${name}`;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inspect = async (name: string, ...words: readonly string[]) => {
  const { code, stdout, stderr } = await typedLine(["inspect", path(name), ...words]);
  return { code, stderr, stdout: stdout.replaceAll(`${folder}/`, "") };
};

const tensors = {
  "layers.0.weight": ones([16, 4]) as Tensor,
  "layers.0.bias": zeros([4], { dtype: "float16" }) as Tensor,
  "layers.1.weight": ones([4, 2]) as Tensor,
  "head/scale": tensor(2n) as Tensor,
};

beforeAll(async () => {
  await saveNpy(path("x.npy"), ones([2, 3]) as Tensor);
  await saveNpz(path("x.npz"), tensors);
  await saveNpz(
    path("packed.npz"),
    { long: ones([1000, 100]) as Tensor, x: ones([300]) as Tensor },
    { compress: true },
  );
  await saveSafetensors(path("x.safetensors"), tensors, { metadata: { format: "pt", author: "a\nb" } });
});

test(".npy", async () => {
  expect(await inspect("x.npy")).toEqual({ code: 0, stderr: "", stdout: "x.npy: .npy, 152 B\nfloat32[2, 3]  24 B\n" });
  expect(JSON.parse((await inspect("x.npy", "--json")).stdout)).toMatchObject({
    dtype: "float32",
    shape: [2, 3],
    bytes: 24,
  });
});

test(".safetensors", async () => {
  const { code, stdout } = await inspect("x.safetensors");
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "x.safetensors: .safetensors, 640 B
    4 tensors, 77 parameters, 304 B
    ├─ head/scale  int64[]  8 B
    └─ layers  3 tensors, 76 parameters, 296 B
       ├─ 0  2 tensors, 68 parameters, 264 B
       │  ├─ weight  float32[16, 4]  256 B
       │  └─ bias    float16[4]  8 B
       └─ 1.weight  float32[4, 2]  32 B
    metadata
      format  pt
      author  a b
    "
  `);
  expect((await inspect("x.safetensors", "--depth", "1")).stdout).toMatchInlineSnapshot(`
    "x.safetensors: .safetensors, 640 B
    4 tensors, 77 parameters, 304 B
    ├─ head/scale  int64[]  8 B
    └─ layers  3 tensors, 76 parameters, 296 B
    metadata
      format  pt
      author  a b
    "
  `);
  expect(JSON.parse((await inspect("x.safetensors", "--json")).stdout)).toMatchObject({
    format: ".safetensors",
    totals: { tensors: 4, parameters: 77, bytes: 304 },
    metadata: { format: "pt" },
  });
});

test(".npz, compressed or not, with arrays that cannot be read", async () => {
  expect((await inspect("x.npz")).stdout).toContain("│  ├─ 0  2 tensors, 68 parameters, 264 B");
  expect((await inspect("packed.npz")).stdout).toContain(
    "├─ long  float32[1000, 100]  400 kB\n└─ x     float32[300]  1.2 kB\n",
  );
  const text = npyTextParts("test", [1], ["a"]);
  const bytes = joinParts(text);
  const item = { name: "names.npy", parts: text, method: 0, size: bytes.length, crc: crc32(bytes) } as const;
  writeFileSync(path("text.npz"), joinParts(zipParts("test", [item])));
  const { code, stdout } = await inspect("text.npz");
  expect(code).toBe(0);
  expect(stdout).toContain('└─ names  cannot be read: dtype "<U1" is an array of text');
});

test("a model, with operators that are not supported", async () => {
  writeFileSync(
    path("m.onnx"),
    modelBytes({
      inputs: { x: "float32[n, 2]" },
      outputs: { y: "float32[n, 2]" },
      nodes: [node("Mul", ["x", "block.w"], ["a"]), node("Mul", ["a", "block.v"], ["b"]), node("Magic", ["b"], ["y"])],
      weights: { "block.w": [1, 2], "block.v": [3, 4] },
      metadata: { author: "tests" },
    }),
  );
  const { code, stdout } = await inspect("m.onnx");
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "m.onnx: ONNX model, 193 B
    IR version 9, operators of ai.onnx 18
    written by tests
    graph graph
    ├─ inputs
    │  x  float32[n, 2]
    ├─ outputs
    │  y  float32[n, 2]
    ├─ operators: 2 types, 3 nodes; 1 not supported
    │  Mul    2
    │  Magic  1, not supported
    ├─ weights: 2 tensors, 4 parameters, 16 B
    │  └─ block  2 tensors, 4 parameters, 16 B
    │     ├─ w  float32[2]  8 B
    │     └─ v  float32[2]  8 B
    └─ metadata
       author  tests
    "
  `);
  expect(JSON.parse((await inspect("m.onnx", "--json")).stdout)).toMatchObject({
    nodes: 3,
    opsets: { "ai.onnx": 18 },
    operators: [
      { name: "Mul", count: 2, isSupported: true },
      { name: "Magic", count: 1, isSupported: false },
    ],
    inputs: [{ name: "x", type: "float32[n, 2]" }],
    metadata: { author: "tests" },
  });
});

test("only headers are read: a file of 1 GB takes no longer", async () => {
  const text = `{"x":{"dtype":"U8","shape":[1000000000],"data_offsets":[0,1000000000]}}`;
  const bytes = new Uint8Array(8 + text.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
  bytes.set(new TextEncoder().encode(text), 8);
  writeFileSync(path("large.safetensors"), bytes);
  truncateSync(path("large.safetensors"), bytes.length + 1e9);
  await inspect("large.safetensors");
  const start = performance.now();
  expect((await inspect("large.safetensors")).stdout).toContain("x  uint8[1000000000]  1 GB");
  expect(performance.now() - start).toBeLessThan(100);
});

test.each<[name: string, bytes: Uint8Array | string | null, code: number, message: string]>([
  ["none.npy", null, 2, "there is no file"],
  ["x.bin", "text", 2, "must end in .onnx, .safetensors, .npy or .npz"],
  ["bad.npy", "text", 1, "inspect:"],
  ["bad.npz", encodeNpz({ x: ones([3]) as Tensor }).subarray(0, 100), 1, "the end of a zip file is missing"],
  ["bad.safetensors", encodeSafetensors({ x: ones([3]) as Tensor }).subarray(0, 60), 1, "inspect:"],
  ["bad.onnx", "text", 1, "inspectOnnx"],
])("%s is refused", async (name, bytes, code, message) => {
  if (bytes !== null) writeFileSync(path(name), bytes);
  const result = await inspect(name);
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: "" });
  expect(result.stderr).toContain(message);
});
