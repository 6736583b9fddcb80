/** Sources that read into the library's memory: the values, what is converted there, and what a failure frees. */
import { memoryStatistics } from "stridewise/storage";
import { expect, test } from "vitest";
import { recorded } from "../../test/support/files.ts";
import { FileError } from "./file-error.ts";
import { loadNpy, loadSafetensors, openSafetensors, parseNpy } from "./index.ts";
import { encodeNpy } from "./npy.ts";
import type { RawArray } from "./raw-array.ts";
import { encodeSafetensors } from "./safetensors.ts";
import type { ByteSource } from "./source.ts";

interface DirectSource extends ByteSource {
  /** The number of bytes that were read into memory of the caller. */
  written: number;
}

/** A source that reads into the memory that it is passed; `answer` replaces what it returns. */
function direct(file: Uint8Array, answer = (into: Uint8Array): Uint8Array => into): DirectSource {
  const source: DirectSource = {
    size: file.length,
    written: 0,
    async read(begin, end, into) {
      await Promise.resolve();
      if (into === undefined) return file.slice(begin, end);
      into.set(file.subarray(begin, end));
      source.written += into.length;
      return answer(into);
    },
  };
  return source;
}

const array: RawArray = {
  dtype: "float32",
  shape: [2, 2],
  order: "C",
  bytes: new Uint8Array(Float32Array.of(1, 2, 3, 4).buffer),
};
const values = [
  [1, 2],
  [3, 4],
];

test("the data of .npy and .safetensors files is read into the library's memory", async () => {
  const npy = direct(encodeNpy(array));
  expect((await loadNpy(npy)).toArray()).toEqual(values);
  const file = encodeSafetensors({ a: array, b: array });
  const safetensors = direct(file);
  const { tensors } = await loadSafetensors(safetensors);
  expect([...tensors.values()].map((t) => t.toArray())).toEqual([values, values]);
  const opened = direct(file);
  expect((await (await openSafetensors(opened)).readTensor("b")).toArray()).toEqual(values);
  const isShared = memoryStatistics().shared;
  expect([npy.written, safetensors.written, opened.written]).toEqual(isShared ? [16, 32, 16] : [0, 0, 0]);
});

test("bytes of bool and numbers in the other byte order are converted there, and the file is unchanged", async () => {
  const odd = encodeNpy({ dtype: "bool", shape: [4], order: "C", bytes: Uint8Array.of(0, 1, 0, 1) });
  odd.set([0, 7, 0, 255], odd.length - 4);
  expect((await loadNpy(direct(odd))).toArray()).toEqual([false, true, false, true]);
  expect([...odd.subarray(-4)]).toEqual([0, 7, 0, 255]);
  const index = JSON.parse(new TextDecoder().decode(recorded("npy/index.json"))) as { file: string; descr: string }[];
  const swapped = index.filter(({ descr }) => descr.startsWith(">"));
  expect(swapped.length).toBeGreaterThan(0);
  for (const { file } of swapped) {
    const bytes = recorded(`npy/${file}`);
    expect((await loadNpy(direct(bytes))).toString()).toBe(parseNpy(bytes).toString());
  }
});

test("a source may return other bytes than those that it is passed", async () => {
  const source = direct(encodeNpy(array), (into) => into.slice());
  expect((await loadNpy(source)).toArray()).toEqual(values);
});

test.each([
  ["returns too few bytes", (into: Uint8Array) => into.subarray(1), FileError],
  [
    "fails",
    () => {
      throw new RangeError("unplugged");
    },
    RangeError,
  ],
] as const)("the memory is freed if the source %s", async (_what, answer, error) => {
  const before = memoryStatistics().count;
  await expect(loadNpy(direct(encodeNpy({ ...array, dtype: "float32" }), answer))).rejects.toThrow(error);
  expect(memoryStatistics().count).toBe(before);
});
