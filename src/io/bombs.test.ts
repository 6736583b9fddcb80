/**
 * Small files that require much memory: long headers, high compression ratios, many tensors, many axes. Each throws a FileError that names
 * the limit, before the memory is allocated; the limits can be raised and lowered.
 */
import { constants, deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { sameBytes } from "../../test/support/files.ts";
import { memoryStatistics } from "../storage/allocator.ts";
import { FileError } from "./file-error.ts";
import * as io from "./index.ts";
import { joinParts } from "./raw-array.ts";
import { crc32 } from "./zip-format.ts";
import { zipParts } from "./zip-write.ts";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** The head of an .npy file of version 2 whose header is this text, then this number of spaces. */
function npyHead(header: string, spaces = 0): Uint8Array {
  const head = joinParts([Uint8Array.of(0x93, ...text("NUMPY"), 2, 0, 0, 0, 0, 0), text(header)]);
  new DataView(head.buffer).setUint32(8, header.length + spaces, true);
  return head;
}
const bytesHeader = (length: number, more = ""): string =>
  `{'descr': '|u1', 'fortran_order': False, 'shape': (${length},${more})}`;

/** A DEFLATE stream of the head and then `count` bytes of one value, made without deflating all of them. */
function deflated(head: Uint8Array, value: number, count: number): Uint8Array {
  const flush = { finishFlush: constants.Z_FULL_FLUSH };
  const block = 2 ** 20;
  const repeated = deflateRawSync(Buffer.alloc(block, value), flush);
  const rest = deflateRawSync(Buffer.alloc(count % block, value));
  const blocks = Array<Uint8Array>(Math.floor(count / block)).fill(repeated);
  return joinParts([deflateRawSync(head, flush), ...blocks, rest]);
}

/** The .npz file of one deflated array "x"; its checksum is right if `content` is given. */
function npzOf(packed: Uint8Array, size: number, content?: Uint8Array): Uint8Array {
  const crc = content === undefined ? 0 : crc32(content);
  return joinParts(zipParts("test", [{ name: "x.npy", parts: [packed], method: 8, size, crc }]));
}

/** A safetensors file with this header and this number of data bytes. */
function safetensorsOf(header: string, dataBytes = 0): Uint8Array {
  const file = joinParts([new Uint8Array(8), text(header), new Uint8Array(dataBytes)]);
  new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
  return file;
}
const entry = (name: string, shape = "0", more = ""): string =>
  `"${name}":{"dtype":"U8","shape":[${shape}],"data_offsets":[0,0]${more}}`;

/** Reads the file with every function for its kind; each throws the same message. */
async function refused(file: Uint8Array, message: RegExp, options: io.ReadLimits = {}): Promise<void> {
  const isZip = file[0] === 0x50;
  const isNpy = file[0] === 0x93;
  const parse = isZip ? io.parseNpz : isNpy ? io.parseNpy : io.parseSafetensors;
  const loads = isZip ? [io.loadNpz] : isNpy ? [io.loadNpy] : [io.loadSafetensors, io.openSafetensors];
  expect(() => parse(file, options)).toThrow(
    expect.toSatisfy((error) => error instanceof FileError && message.test(error.message)),
  );
  for (const load of loads)
    await expect(load(new Blob([file as Uint8Array<ArrayBuffer>]), options)).rejects.toThrow(message);
}

describe("headers", () => {
  test("200 kB of .npz whose header is 200 MB of spaces", async () => {
    const head = npyHead(bytesHeader(0), 200_000_000);
    const file = npzOf(deflated(head, 0x20, 200_000_000), head.length + 200_000_000);
    expect(file.length).toBeLessThan(250_000);
    await refused(file, /array "x": the header has 2000000\d\d bytes; the limit is 10000/);
  });
  test("an .npy header past 10,000 bytes, and one that is said to be", async () => {
    const spaces = (count: number) => joinParts([npyHead(bytesHeader(0), count), new Uint8Array(count).fill(0x20)]);
    expect(io.parseNpy(spaces(9_900)).shape).toEqual([0]);
    await refused(spaces(10_000), /the header has 100\d\d bytes; the limit is 10000/);
    await refused(npyHead(bytesHeader(0), 2 ** 31), /the header has 21\d+ bytes; the limit is 10000/);
  });
  test("JSON of many values, of strings made of escapes, and of many keys", async () => {
    const few = { maxTensors: 1000 };
    await refused(safetensorsOf(`{${entry("x", "1,".repeat(5_000_000))}`), /has more than 100000 values/, few);
    const inner = `"a":0,"b":0,"c":[${"0,".repeat(200)}0]`;
    const many = Array.from({ length: 900 }, (_, i) => entry(`t${i}`, "0", `,${inner}`)).join(",");
    await refused(safetensorsOf(`{${many}}`), /has more than 100000 values/, few);
    const keys = Array.from({ length: 20_000 }, (_, i) => `"k${i}":""`).join(",");
    await refused(
      safetensorsOf(`{"__metadata__":{${keys}}}`),
      /an object of more than 1001 keys; raise maxTensors/,
      few,
    );
    const escapes = "\\n".repeat(5_000_000);
    const { metadata } = io.parseSafetensors(safetensorsOf(`{"__metadata__":{"x":"${escapes}"}}`));
    expect(metadata.get("x")?.length).toBe(5_000_000);
  });
});

describe("sizes", () => {
  const size = 2 ** 30;
  const head = npyHead(bytesHeader(size));
  const file = npzOf(deflated(head, 0, size), head.length + size);
  test("1 MB of .npz that inflates to 1 GB", async () => {
    expect(file.length).toBeLessThan(1.2e6);
    await refused(file, /array "x": the tensors take at least \d+ bytes; the limit is 268435456\. Raise maxBytes/);
  });
  test("content that goes past the size that is declared, by 1 GB", async () => {
    const small = npyHead(bytesHeader(100));
    await refused(npzOf(deflated(small, 0, size), small.length + 100), /it expands to more than \d+ bytes/);
    await refused(npzOf(deflated(small, 0, size), small.length + 300_000), /follow the array|gives more than/);
  });
  test("a ratio that DEFLATE cannot have", async () => {
    await refused(npzOf(deflated(head, 0, 1000), head.length + size), /bytes cannot come from \d+ compressed ones/, {
      maxBytes: Infinity,
    });
  });
  test("maxBytes counts all arrays of a file, and only those that are read", async () => {
    const length = 300_000;
    const content = joinParts([npyHead(bytesHeader(length)), new Uint8Array(length).fill(7)]);
    const item = { parts: [new Uint8Array(deflateRawSync(content))], method: 8, size: content.length } as const;
    const crc = crc32(content);
    const names = ["a", "b", "c"];
    const npz = joinParts(
      zipParts(
        "test",
        names.map((name) => ({ ...item, name, crc })),
      ),
    );
    await refused(npz, /at least 900000 bytes; the limit is 899999/, { maxBytes: 3 * length - 1 });
    for (const options of [{ maxBytes: 3 * length }, {}, { names: ["b"], maxBytes: length }]) {
      const loaded = await io.loadNpz(npz, options);
      expect([...loaded.keys()]).toEqual("names" in options ? ["b"] : names);
      for (const tensor of loaded.values())
        expect([tensor.size, tensor.storage.nbytes, tensor.get(length - 1)]).toEqual([length, length, 7]);
      for (const tensor of io.parseNpz(npz, options).values())
        expect(sameBytes(tensor.toTypedArray() as Uint8Array, content.subarray(-length))).toBe(true);
    }
    await refused(io.encodeNpy(loadedOf(100)), /at least 100 bytes; the limit is 99/, { maxBytes: 99 });
    const safetensors = io.encodeSafetensors({ a: loadedOf(60), b: loadedOf(60) });
    expect(() => io.parseSafetensors(safetensors, { maxBytes: 119 })).toThrow(/at least 120 bytes; the limit is 119/);
    expect(io.parseSafetensors(safetensors, { maxBytes: 60, names: ["b"] }).tensors.size).toBe(1);
    const opened = await io.openSafetensors(safetensors, { maxBytes: 59 });
    await expect(opened.readTensor("a")).rejects.toThrow(/at least 60 bytes; the limit is 59/);
  });
  test("a large array that is damaged after its start is refused, and its memory is freed", async () => {
    const content = joinParts([npyHead(bytesHeader(300_000)), new Uint8Array(300_000).fill(7)]);
    const damaged = npzOf(deflateRawSync(content), content.length, content.subarray(1));
    const before = memoryStatistics().count;
    await refused(damaged, /has checksum \d+, expected/);
    expect(memoryStatistics().count).toBe(before);
  });
});

const loadedOf = (length: number): io.FileTensor =>
  io.parseNpy(joinParts([npyHead(bytesHeader(length)), new Uint8Array(length)]));

describe("numbers of tensors", () => {
  test("300,000 tensors in a safetensors file", async () => {
    const names = Array.from({ length: 300_000 }, (_, i) => entry(`t${i}`)).join(",");
    await refused(safetensorsOf(`{${names}}`), /an object of more than 100001 keys; raise maxTensors if you trust/);
  });
  test("maxTensors lowers and raises the limit", async () => {
    const one = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, loadedOf(1)]));
    const message = /the file has 3 tensors; the limit is 2\. Raise maxTensors if you trust the file/;
    await refused(io.encodeNpz(one(3)), message, { maxTensors: 2 });
    await refused(io.encodeSafetensors(one(3)), message, { maxTensors: 2 });
    expect(() => io.npzNames(io.encodeNpz(one(3)), { maxTensors: 2 })).toThrow(message);
    const sequence = joinParts(Array<Uint8Array>(3).fill(io.encodeNpy(loadedOf(1))));
    expect(() => io.parseNpySequence(sequence, { maxTensors: 2 })).toThrow(message);
    expect(io.parseNpySequence(sequence, { maxTensors: 3 }).length).toBe(3);
    const all = Array.from({ length: 100_002 }, (_, i) => entry(`t${i}`)).join(",");
    expect((await io.openSafetensors(safetensorsOf(`{${all}}`), { maxTensors: 100_002 })).entries.size).toBe(100_002);
  });
  test("a zip directory with more entries than it says", () => {
    const file = io.encodeNpz({ a: loadedOf(1), b: loadedOf(1) });
    new DataView(file.buffer).setUint16(file.length - 12, 1, true);
    expect(() => io.parseNpz(file, { maxTensors: 1 })).toThrow(/has more entries, but its end record says 1/);
  });
});

test("arrays of more than 64 axes", async () => {
  await refused(joinParts([npyHead(bytesHeader(1, "1,".repeat(64))), new Uint8Array(1)]), /65 axes; the limit is 64/);
  await refused(safetensorsOf(`{${entry("x", Array(65).fill(0).join(","))}}`), /65 axes; the limit is 64/);
});
