/** Loading models: from all inputs, with external data, progress, limits; and their description without weights. */
import { Blob } from "node:buffer";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { pathToFileURL } from "node:url";
import { memoryStatistics } from "stridewise/storage";
import { afterAll, describe, expect, test } from "vitest";
import { chunk, external, integer, join, model, node, port, raw, tensor, text } from "../../test/support/onnx-files.ts";
import { arange, equal, fromBuffer, type Tensor, zeros } from "../index.ts";
import type { FileProgress } from "../io/index.ts";
import { toOnnx } from "./export/to-onnx.ts";
import { inspectOnnx } from "./inspect.ts";
import { type LoadOnnxOptions, loadOnnx } from "./load.ts";
import { DataType } from "./proto/types.ts";

const folder = mkdtempSync(joinPath(tmpdir(), "onnx-"));
afterAll(() => rmSync(folder, { recursive: true }));
const save = (name: string, bytes: Uint8Array): string => {
  const path = joinPath(folder, name);
  writeFileSync(path, bytes);
  return path;
};

const size = 20000;
const weights = Float32Array.from({ length: size }, (_, i) => i);
/** y = x + w, with w of 80,000 bytes. */
const adding = (...elements: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  model({
    nodes: [node("Add", ["x", "w"], ["y"])],
    initializers: [tensor([size], 1, "w", ...elements)],
    inputs: [port("x")],
    outputs: [port("y")],
  });

async function expectSum(...args: Parameters<typeof loadOnnx>): Promise<void> {
  const loaded = await loadOnnx(...args);
  for (let round = 0; round < 3; round++) {
    const { y } = loaded.run({ x: arange(size, { dtype: "float32" }) }) as { y: Tensor };
    expect(y.sum().item()).toBe(size * (size - 1));
  }
  loaded.dispose();
}

describe("a model is loaded", () => {
  const file = adding(raw(weights));
  const path = save("adding.onnx", file);

  test.each([
    ["bytes", () => file],
    ["a Blob", () => new Blob([file]) as unknown as globalThis.Blob],
    ["a Response", () => new Response(file)],
    ["a path", () => path],
    ["a URL", () => pathToFileURL(path)],
  ])("from %s", async (_, input) => {
    await expectSum(input());
  });

  test("with floats in their own field", async () => {
    await expectSum(adding(chunk(4, new Uint8Array(weights.buffer))));
  });

  test("from a Blob that is read in pieces", async () => {
    const count = 2_500_000;
    const elements = Float32Array.from({ length: count }, (_, i) => i % 1000);
    const large = model({
      nodes: [node("Add", ["x", "w"], ["y"])],
      initializers: [tensor([count], 1, "w", raw(elements))],
      inputs: [port("x")],
      outputs: [port("y")],
    });
    const loaded = await loadOnnx(new Blob([large]) as unknown as globalThis.Blob);
    const { y } = loaded.run({ x: zeros([1]) }) as { y: Tensor };
    expect(equal(y, fromBuffer(elements.buffer, { dtype: "float32" }))).toBe(true);
    y.dispose();
    loaded.dispose();
  });

  test("and saved with its weights", async () => {
    const loaded = await loadOnnx(path);
    await expectSum(toOnnx(loaded));
    loaded.dispose();
  });

  test("and dispose frees its weights", async () => {
    const loaded = await loadOnnx(path);
    const before = memoryStatistics().live;
    loaded.dispose();
    expect(memoryStatistics().live).toBeLessThanOrEqual(before - 80000);
  });

  test("or fails, and frees the weights that it has read", async () => {
    const two = model({
      nodes: [],
      initializers: ["a", "b"].map((name) => tensor([size], 1, name, external({ location: name }))),
    });
    const read = (begin: number, end: number): Promise<Uint8Array> => Promise.resolve(new Uint8Array(end - begin));
    const broken = { size: 80000, read: () => Promise.reject(new Error("unplugged")) };
    const before = memoryStatistics().count;
    const loading = loadOnnx(two, { external: (name) => (name === "a" ? { size: 80000, read } : broken) });
    await expect(loading).rejects.toThrow("unplugged");
    expect(memoryStatistics().count).toBeLessThanOrEqual(before);
  });

  test("with progress up to the size of the file", async () => {
    const seen: FileProgress[] = [];
    await expectSum(path, { onProgress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toEqual({ done: file.length, total: file.length });
    for (const [k, { done }] of seen.entries()) expect(done).toBeGreaterThanOrEqual(seen[k - 1]?.done ?? 0);
  });

  test("unless a signal is aborted", async () => {
    const controller = new AbortController();
    const options: LoadOnnxOptions = {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error("enough")),
    };
    await expect(loadOnnx(path, options)).rejects.toThrow("enough");
  });

  test.each([
    [
      "maxWeightBytes",
      { maxWeightBytes: 1000 },
      "the tensors take at least 80000 bytes; the limit is 1000. Raise maxWeightBytes",
    ],
    ["an unknown option", { maxByte: 1000 }, "loadOnnx: there is no option maxByte"],
    ["a wrong option", { external: "w.bin" }, "loadOnnx: external must be a function"],
  ])("with checked options: %s", async (_, options, message) => {
    await expect(loadOnnx(path, options as LoadOnnxOptions)).rejects.toThrow(message);
  });
});

describe("external data", () => {
  mkdirSync(joinPath(folder, "data"));
  const bytes = new Uint8Array(weights.buffer);
  save("data/w.bin", bytes);
  save("both.bin", join(new Uint8Array(64), bytes));
  const stored = (entries: Record<string, string>): Uint8Array<ArrayBuffer> => adding(external(entries));
  const both = { location: "both.bin", offset: "64", length: String(bytes.length) };

  test("is in files in the folder of the model", async () => {
    await expectSum(save("in-folder.onnx", stored({ location: "data/w.bin" })));
    await expectSum(save("range.onnx", stored(both)));
  });

  test("is opened by the option external", async () => {
    const locations: string[] = [];
    const open = (location: string): Uint8Array => {
      locations.push(location);
      return bytes;
    };
    await expectSum(stored({ location: "w" }), { external: open });
    await expectSum(stored({ location: "w" }), { external: () => Promise.resolve(joinPath(folder, "data/w.bin")) });
    expect(locations).toEqual(["w"]);
  });

  test("counts as progress", async () => {
    const file = stored({ location: "data/w.bin" });
    let last: FileProgress | undefined;
    await expectSum(save("progress.onnx", file), {
      onProgress: (progress) => {
        last = progress;
      },
    });
    expect(last).toEqual({ done: file.length + bytes.length, total: file.length + bytes.length });
  });

  test("several files are each opened once", async () => {
    const part = (name: string, location: string, offset: number): Uint8Array =>
      tensor([8], 1, name, external({ location, offset: String(offset), length: "32" }));
    const file = model({
      nodes: [node("Add", ["a", "b"], ["ab"]), node("Add", ["ab", "c"], ["y"])],
      initializers: [part("a", "one", 0), part("b", "two", 32), part("c", "one", 64)],
      inputs: [],
      outputs: [port("y")],
    });
    const opened: string[] = [];
    const loaded = await loadOnnx(file, {
      external: (location) => {
        opened.push(location);
        return bytes;
      },
    });
    expect(opened).toEqual(["one", "two"]);
    expect((loaded.run({})["y"] as Tensor).toArray()).toEqual(Array.from({ length: 8 }, (_, i) => 3 * i + 24));
  });

  const title = 'loadOnnx: the initializer "w": the tensor "w" (float32[20000])';
  test.each([
    [
      "without the option",
      stored({ location: "w.bin" }),
      `${title} is stored in the file "w.bin". Pass the option external`,
    ],
    [
      "a short file",
      stored({ ...both, offset: "65" }),
      `${title} ends at byte 80065 of the file "both.bin", which has 80064 bytes`,
    ],
    [
      "a wrong length",
      stored({ ...both, length: "80001" }),
      `${title} needs 80000 bytes, got 80001 in the file "both.bin"`,
    ],
    [
      "a wrong offset",
      stored({ ...both, offset: "-1" }),
      `${title} has external data whose offset is "-1", not an integer`,
    ],
    ["no location", stored({ offset: "0" }), `${title} is stored in the file "", which is not the name of a file`],
    ...["../w.bin", "data/../../w.bin", "/etc/passwd", "C:\\w.bin", "..\\w.bin", "\\\\host\\w.bin", "w\0.bin"].map(
      (location): [string, Uint8Array, string] => [
        location,
        stored({ location }),
        "which is not the name of a file in the folder of the model",
      ],
    ),
  ])("%s is an error", async (name, file, message) => {
    const input = name === "without the option" ? file : save("wrong.onnx", file);
    await expect(loadOnnx(input)).rejects.toThrow(message);
  });

  test("a missing file is named", async () => {
    const path = save("missing.onnx", stored({ location: "no.bin" }));
    await expect(loadOnnx(path)).rejects.toThrow(
      /loadOnnx: the external data of the tensor "w".*no\.bin" cannot be read/,
    );
  });

  test("many tensors of one range cannot exceed the limit of bytes", async () => {
    const file = model({
      nodes: [],
      initializers: Array.from({ length: 4000 }, (_, k) => tensor([size], 1, `w${k}`, external({ location: "w" }))),
    });
    await expect(loadOnnx(file, { external: () => bytes })).rejects.toThrow("the limit is 268435456");
  });
});

test("a small file with a sparse tensor cannot declare a large one", async () => {
  const sparse = join(
    chunk(1, tensor([0], 1, "w")),
    chunk(2, tensor([0], 7, "")),
    integer(3, 100_000),
    integer(3, 100_000),
  );
  await expect(loadOnnx(model({ sparse: [sparse] }))).rejects.toThrow("the limit is 268435456");
});

test("sparse initializers and tensors of functions are read", async () => {
  const values = Float32Array.from({ length: 5000 }, () => 2);
  const indices = BigInt64Array.from({ length: 5000 }, (_, i) => BigInt(4 * i));
  const sparse = join(
    chunk(1, tensor([5000], 1, "w", raw(values))),
    chunk(2, tensor([5000], 7, "", raw(indices))),
    integer(3, size),
  );
  const parts = {
    nodes: [node("Add", ["x", "w"], ["y"])],
    sparse: [sparse],
    inputs: [port("x")],
    outputs: [port("y")],
  };
  const loaded = await loadOnnx(model(parts));
  expect((loaded.run({ x: arange(size, { dtype: "float32" }) })["y"] as Tensor).sum().item()).toBe(
    (size * (size - 1)) / 2 + 10000,
  );
});

test("tensors are checked when a model is loaded", async () => {
  await expect(loadOnnx(adding(raw(new Float32Array(2))))).rejects.toThrow(
    'loadOnnx: the initializer "w": the tensor "w" (float32[20000]) needs 80000 bytes, got 8 in raw_data',
  );
  await expect(loadOnnx(adding(raw(new Float32Array(size + 1))))).rejects.toThrow(
    "needs 80000 bytes, got 80004 in the file",
  );
});

test("a description has names, types, operators and sizes, without reading weights", async () => {
  const parts = {
    nodes: [node("Add", ["x", "w"], ["y"]), node("Mystery", ["y"], ["z"])],
    initializers: [
      tensor([size], 1, "w", external({ location: "w.bin" })),
      tensor([3], DataType.INT4, "q", raw(Uint8Array.of(1, 2))),
    ],
    inputs: [port("x"), port("w")],
    outputs: [port("z", 7)],
  };
  const file = model(parts, text(2, "tests"), text(3, "1"), chunk(14, text(1, "author"), text(2, "me")));
  const info = await inspectOnnx(file);
  expect(info).toMatchObject({
    size: file.length,
    irVersion: 8,
    producer: "tests 1",
    graph: "g",
    opsets: new Map([["", 17]]),
    metadata: new Map([["author", "me"]]),
    inputs: [
      { name: "x", type: "float32", isOptional: false },
      { name: "w", type: "float32", isOptional: true },
    ],
    outputs: [{ name: "z", type: "int64" }],
    nodes: 2,
    operators: [
      { name: "Add", count: 1, isSupported: true },
      { name: "Mystery", count: 1, isSupported: false },
    ],
    tensors: [
      { name: "w", type: "float32", shape: [size], bytes: 80000, location: "w.bin", isSparse: false },
      { name: "q", type: "int4", shape: [3], bytes: 2, location: null },
    ],
  });
});
