/** Tensors and files: every dtype and kind of view comes back, bytes are shared or copied as promised, and saving keeps what was there. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fromBuffer } from "stridewise";
import { afterAll, describe, expect, test } from "vitest";
import { elementsOf, randomBytes, recorded, sameBytes, seededRandom } from "../../test/support/files.ts";
import { type DType, dtypeNames, dtypes } from "../storage/dtype.ts";
import { scope } from "../tensor/scope.ts";
import type { Tensor } from "../tensor/tensor.ts";
import * as io from "./index.ts";
import { parseNpy as parseRaw } from "./npy.ts";
import type { RawArray } from "./raw-array.ts";
import { copyToTensor, toRawArray } from "./tensor-arrays.ts";

const folder = mkdtempSync(join(tmpdir(), "stridewise-tensors-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newPath = (): string => join(folder, `${files++}`);

const random = seededRandom(31);
const tensorOf = (dtype: DType, shape: readonly number[]): Tensor => {
  const bytes = randomBytes(random, dtypes[dtype].itemsize * shape.reduce((a, b) => a * b, 1));
  return copyToTensor({ dtype, shape, order: "C", bytes: dtype === "bool" ? bytes.map((byte) => byte & 1) : bytes });
};
/** The elements, by way of a contiguous copy. */
const elements = (tensor: Tensor): unknown[] => elementsOf(toRawArray("test", tensor.clone("contiguous")));
const count = (n: number): Tensor =>
  copyToTensor({
    dtype: "float32",
    shape: [n],
    order: "C",
    bytes: new Uint8Array(Float32Array.from(Array(n).keys()).buffer),
  });

const views: Record<string, (t: Tensor) => Tensor> = {
  "the whole": (t) => t,
  transposed: (t) => t.permute(2, 1, 0),
  "partly transposed": (t) => t.permute(0, 2, 1),
  sliced: (t) => t.slice(1, 1, 3),
  "with a step": (t) => t.slice(2, 0, 4, 2),
  "one row": (t) => t.select(0, 1),
  expanded: (t) => t.select(2, 0).unsqueeze(2).expand(2, 3, 5),
  "one element": (t) => t.select(0, 1).select(0, 2).select(0, 3),
  "no element": (t) => t.narrow(1, 1, 0),
};
type Way = (t: Tensor) => Promise<Tensor>;
const ways: Record<string, Way> = {
  npy: async (t) => {
    const path = newPath();
    await io.saveNpy(path, t);
    return io.loadNpy(path);
  },
  "npy bytes": async (t) => io.parseNpy(io.encodeNpy(t)),
  npz: async (t) => {
    const path = newPath();
    await io.saveNpz(path, { other: count(3), t });
    return (await io.loadNpz(pathToFileURL(path), { names: ["t"] })).get("t") as Tensor;
  },
  "compressed npz": async (t) => {
    const path = newPath();
    await io.saveNpz(path, new Map([["t", t]]), { compress: true });
    return io.parseNpz(readFileSync(path)).get("t") as Tensor;
  },
  safetensors: async (t) => {
    const path = newPath();
    await io.saveSafetensors(path, { "layer.0": count(3), t });
    return (await io.loadSafetensors(path)).tensors.get("t") as Tensor;
  },
  "safetensors bytes": async (t) => io.parseSafetensors(io.encodeSafetensors({ t })).tensors.get("t") as Tensor,
};
const lacks: Record<string, DType> = { npy: "bfloat16", npz: "bfloat16", safetensors: "complex128" };

describe.each(Object.entries(ways))("by %s", (name, way) => {
  const lacking = Object.entries(lacks).find(([format]) => name.includes(format))?.[1];
  test.each(dtypeNames.filter((dtype) => dtype !== lacking))("%s comes back from every view", async (dtype) => {
    const whole = tensorOf(dtype, [2, 3, 4]);
    for (const [view, make] of Object.entries(views)) {
      const part = make(whole);
      const back = await way(part);
      expect([back.dtype, back.shape], view).toEqual([dtype, part.shape]);
      expect(elements(back), view).toEqual(elements(part));
    }
  });
  test(`${lacking} is refused with its name`, async () => {
    await expect(async () => way(tensorOf(lacking as DType, [2]))).rejects.toThrow(/format does not support/);
  });
});

describe("sharing", () => {
  test("parse shares the bytes, load does not", async () => {
    const file = recorded("npy/d_lef4.npy");
    const shared = io.parseNpy(file);
    const copied = await io.loadNpy(file);
    shared.set(0, 1, 42);
    expect(new Float32Array(file.buffer, 128)[1]).toBe(42);
    expect([shared.get(0, 1), copied.get(0, 1)]).toEqual([42, -0]);
    expect(shared.storage.readable().buffer).toBe(file.buffer);
    expect(shared.ownership).toBe("view");
  });
  test("safetensors from a buffer are not copied", () => {
    const file = recorded("safetensors/overall.safetensors").slice();
    const { tensors } = io.parseSafetensors(file);
    const [bytes, floats] = [tensors.get("B") as Tensor, tensors.get("f") as Tensor];
    expect(bytes.storage.readable().buffer).toBe(file.buffer);
    expect(floats.shape).toEqual([6]);
  });
  test("a buffer is parsed as its bytes are, other values throw an error that names them", () => {
    const { buffer } = io.encodeNpy(count(3));
    expect(elements(io.parseNpy(buffer))).toEqual([0, 1, 2]);
    expect(elements(io.parseNpySequence(buffer)[0] as Tensor)).toEqual([0, 1, 2]);
    expect(io.parseNpz(io.encodeNpz({ a: count(3) }).buffer).size).toBe(1);
    expect(io.parseSafetensors(io.encodeSafetensors({ a: count(3) }).buffer).tensors.size).toBe(1);
    const wrong = [io.parseNpy, io.parseNpySequence, io.parseNpz, io.parseSafetensors] as ((bytes: never) => unknown)[];
    for (const parse of wrong)
      for (const [input, said] of [
        ["abc", '"abc"'],
        [undefined, "undefined"],
        [new Blob([]), "[object Blob]"],
      ])
        expect(() => parse(input as never)).toThrow(`${parse.name}: needs the bytes of a file, got ${said}`);
  });
  test("bytes at an odd place are copied, and right", () => {
    const file = io.encodeNpy(count(5));
    const moved = new Uint8Array(file.length + 1);
    moved.set(file, 1);
    const tensor = io.parseNpy(moved.subarray(1));
    expect(elements(tensor)).toEqual([0, 1, 2, 3, 4]);
    expect(tensor.storage.readable().buffer).not.toBe(moved.buffer);
  });
  test("a buffer whose length is not a multiple of the item size is shared", () => {
    const file = new Uint8Array([...io.encodeNpy(count(5)), 1, 2, 3]);
    const tensor = io.parseNpy(file.subarray(0, -3));
    expect(tensor.storage.readable().buffer).toBe(file.buffer);
    expect(elements(tensor)).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("saving", () => {
  test("a Fortran file comes in with its strides and goes out as it came", async () => {
    const file = recorded("npy/fortran.npy");
    const tensor = await io.loadNpy(file);
    expect([tensor.stride, tensor.isContiguous()]).toEqual([[1, 2], false]);
    expect(sameBytes(io.encodeNpy(tensor), file)).toBe(true);
    expect(parseRaw(io.encodeNpy(tensor.clone("contiguous"))).order).toBe("C");
  });
  test.each([3, 100_000])("saves the values of %d elements at the call, even if they are changed later", async (n) => {
    const [written, disposed] = [count(n), count(n)];
    const [path, otherPath] = [newPath(), newPath()];
    const saving = Promise.all([io.saveNpy(path, written), io.saveSafetensors(otherPath, { disposed })]);
    written.fill_(7);
    disposed.dispose();
    scope(() => count(n).fill_(9) && undefined);
    await saving;
    expect(written.get(2)).toBe(7);
    const expected = toRawArray("test", count(n)).bytes;
    const [first, second] = [await io.loadNpy(path), (await io.loadSafetensors(otherPath)).tensors.get("disposed")];
    expect(sameBytes(toRawArray("test", first).bytes, expected)).toBe(true);
    expect(sameBytes(toRawArray("test", second as Tensor).bytes, expected)).toBe(true);
  });
  test("holds nothing after it, even when it failed: a write then copies nothing", async () => {
    const tensor = count(100_000);
    const { storage } = tensor;
    const [memory, byteOffset] = [storage.readable(), storage.byteOffset];
    await io.saveNpy(newPath(), tensor);
    await expect(io.saveNpy(join(folder, "no", "x"), tensor)).rejects.toThrow(/cannot be written/);
    tensor.fill_(1);
    expect(storage.readable() === memory && storage.byteOffset === byteOffset).toBe(true);
  });
  test("a scope may end while a file is written", async () => {
    const path = newPath();
    let saving: Promise<void> | undefined;
    scope(() => {
      saving = io.saveNpz(path, { a: count(1000), b: count(1000).slice(0, 0, 1000, 3) }, { compress: true });
    });
    await saving;
    expect((await io.loadNpz(path)).get("b")?.shape).toEqual([334]);
  });
  const shown: Record<string, (t: Tensor) => unknown> = {
    "a raw view": (t) => t.rawView().array,
    "a DLPack descriptor": (t) => t.toDLPack(),
    "another storage": (t) => t.storage.share(),
  };
  test.each(Object.entries(shown))("saves the values of a tensor with %s at the call", async (_name, show) => {
    const [tensor, path] = [count(5000), newPath()];
    show(tensor);
    const saving = io.saveNpy(path, tensor);
    tensor.fill_(7);
    await saving;
    expect((await io.loadNpy(path)).get(4000)).toBe(4000);
  });
  test("a value that is not a tensor throws an error that names it", async () => {
    await expect(io.saveNpy(newPath(), [1, 2] as never)).rejects.toThrow(
      'saveNpy: "tensor" must be a tensor, got [1,2]',
    );
    expect(() => io.encodeNpz({ a: count(1), b: undefined as never })).toThrow(
      'encodeNpz: "b" must be a tensor, got undefined',
    );
    expect(() => io.encodeNpy(new Float32Array(2) as never)).toThrow(
      "encodeNpy: needs a tensor, got a typed array. Create one first: tensor(...) or fromBuffer(...)",
    );
  });
  test("needs a path", async () => {
    await expect(io.saveNpy(3 as never, count(1))).rejects.toThrow(
      /saveNpy: the first argument must be a path, got 3. Write saveNpy/,
    );
    await expect(io.saveNpy("https://x/y.npy", count(1))).rejects.toThrow(/is not a path/);
  });
  test("a disposed tensor is refused, by the name it was given", async () => {
    const gone = count(1);
    gone.dispose();
    await expect(io.saveNpz(newPath(), { gone })).rejects.toThrow(/saveNpz: gone: tensor .* was disposed/);
  });
});

describe("a safetensors file by parts", () => {
  test("is opened from a Blob or a path, and read tensor by tensor", async () => {
    const path = newPath();
    await io.saveSafetensors(path, { a: count(3), b: count(4) }, { metadata: { made: "here" } });
    for (const input of [path, new Blob([readFileSync(path)]), new Response(readFileSync(path))]) {
      const opened = await io.openSafetensors(input);
      expect(opened.metadata.get("made")).toBe("here");
      expect([...opened.entries].map(([name, { dtype, shape }]) => [name, dtype, shape])).toEqual([
        ["a", "float32", [3]],
        ["b", "float32", [4]],
      ]);
      expect(elements(await opened.readTensor("b"))).toEqual([0, 1, 2, 3]);
    }
  });
  test("names leaves the rest of a broken archive unread", async () => {
    const file = io.encodeNpz({ good: count(2), bad: count(2) });
    file[file.length - 200] = (file[file.length - 200] as number) ^ 1;
    const path = newPath();
    writeFileSync(path, file);
    expect(elements((await io.loadNpz(path, { names: ["good"] })).get("good") as Tensor)).toEqual([0, 1]);
    await expect(io.loadNpz(path)).rejects.toThrow(/bad/);
  });
});

test("the raw array of a tensor is a window onto its storage", () => {
  const tensor = count(8).narrow(0, 2, 3);
  const array: RawArray = toRawArray("test", tensor);
  expect(array.bytes.buffer).toBe(tensor.storage.readable().buffer);
  expect(elementsOf(array)).toEqual([2, 3, 4]);
});

test("tensors over a transferred buffer throw a named error", () => {
  const values = new Float32Array(8);
  const t = fromBuffer(values) as Tensor;
  structuredClone(values.buffer, { transfer: [values.buffer] });
  for (const encode of [() => io.encodeNpy(t), () => io.encodeNpz({ t }), () => io.encodeSafetensors({ t })])
    expect(encode).toThrow("was detached or shrunk");
});
