/** .npz files and the zip files under them: NumPy's, our own in every form, and damaged ones. */
import { describe, expect, test, vi } from "vitest";
import { elementsOf, recorded } from "../../test/support/files.ts";
import { FileError } from "./file-error.ts";
import { Limits } from "./limits.ts";
import { encodeNpz, encodeNpzCompressed, npzNames, parseNpz } from "./npz.ts";
import { joinParts, type RawArray } from "./raw-array.ts";
import { type Reader, readFromBytes } from "./source.ts";
import { crc32 } from "./zip-format.ts";
import { zipContent, zipReader } from "./zip-read.ts";
import { type ZipItem, zipParts } from "./zip-write.ts";

const float = (values: readonly number[]): RawArray => ({
  dtype: "float64",
  shape: [values.length],
  order: "C",
  bytes: new Uint8Array(Float64Array.from(values).buffer),
});

describe.each(["two.npz", "two_c.npz"])("NumPy's %s", (file) => {
  test("is read", () => {
    const arrays = parseNpz(recorded(`npy/${file}`));
    expect([...arrays.keys()]).toEqual(["a", "b"]);
    const [a, b] = [...arrays.values()] as [RawArray, RawArray];
    expect([a.dtype, a.shape, elementsOf(a)]).toEqual(["float64", [3], [0, 1, 2]]);
    expect([b.dtype, b.shape, elementsOf(b)]).toEqual(["int32", [2, 2], [1, 2, 3, 4]]);
  });
  test("is read by name, and the error of an unknown name lists the known ones", () => {
    const bytes = recorded(`npy/${file}`);
    expect([...parseNpz(bytes, { names: ["b"] }).keys()]).toEqual(["b"]);
    expect(npzNames(bytes)).toEqual(["a", "b"]);
    expect(() => parseNpz(bytes, { names: ["c"] })).toThrow('there is no array "c". There are: a, b.');
  });
});

test("stored arrays are windows into the file", () => {
  const file = recorded("npy/two.npz");
  for (const { bytes } of parseNpz(file).values()) expect(bytes.buffer).toBe(file.buffer);
});

describe("our own files", () => {
  const arrays = {
    weights: float([1, 2, 3]),
    zeros: float(Array(1000).fill(0)),
    "größe/深さ": float([]),
    grid: { ...float([1, 2, 3, 4, 5, 6]), shape: [2, 3], order: "F" },
  } satisfies Record<string, RawArray>;
  const files = {
    stored: () => encodeNpz(arrays),
    zip64: () => encodeNpz(arrays, { zip64: true }),
    compressed: () => encodeNpzCompressed(arrays),
    "from a map": () => encodeNpz(new Map(Object.entries(arrays))),
  };
  test.each(Object.entries(files))("come back when %s", async (_, make) => {
    expect(Object.fromEntries(parseNpz(await make()))).toEqual(arrays);
  });
  test("are smaller when compressed, and the same each time", async () => {
    expect((await encodeNpzCompressed(arrays)).length).toBeLessThan(encodeNpz(arrays).length / 4);
    expect(encodeNpz(arrays)).toEqual(encodeNpz(arrays));
  });
  test.each([["deflate-raw"], ["deflate-raw", "deflate"]])(
    "come back where the platform lacks %s %s",
    async (...lacks) => {
      const Real = CompressionStream;
      vi.stubGlobal("CompressionStream", function Stub(format: CompressionFormat) {
        if (lacks.includes(format)) throw new TypeError("unsupported");
        return new Real(format);
      });
      try {
        const file = await encodeNpzCompressed(arrays);
        expect(Object.fromEntries(parseNpz(file))).toEqual(arrays);
        expect(file.length < encodeNpz(arrays).length).toBe(lacks.length === 1);
      } finally {
        vi.unstubAllGlobals();
      }
    },
  );
  test("throw for arrays that cannot be written, and name them", () => {
    const half: RawArray = { dtype: "bfloat16", shape: [1], order: "C", bytes: new Uint8Array(2) };
    expect(() => encodeNpz({ half })).toThrow('encodeNpz: array "half": the .npy format does not support bfloat16');
  });
});

const item = (name: string, text: string): ZipItem => {
  const bytes = new TextEncoder().encode(text);
  return { name, parts: [bytes], method: 0, size: bytes.length, crc: crc32(bytes) };
};
function* allReader(size: number): Reader<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const entry of yield* zipReader("zip", size, new Limits({}, size)))
    yield* zipContent("zip", size, entry, (piece) => {
      result[entry.name] = new TextDecoder().decode(piece);
    });
  return result;
}
const unzip = (bytes: Uint8Array): Record<string, string> => readFromBytes(bytes, allReader(bytes.length));
const two = (): Uint8Array => joinParts(zipParts("zip", [item("one", "first"), item("two", "second")]));
// Of `two`: local headers of 33 bytes, the directory at 77 with entries of 49, the end record at 175.
const [secondAt, directoryAt, secondEntryAt, endAt] = [38, 77, 126, 175];

/** `two` with numbers put into it: [position, width, value]. */
function patched(...patches: readonly (readonly [at: number, width: 1 | 2 | 4, value: number])[]): Uint8Array {
  const bytes = two();
  for (const [at, width, value] of patches) for (let i = 0; i < width; i++) bytes[at + i] = (value >>> (8 * i)) & 255;
  return bytes;
}

describe("zip files", () => {
  test("come back", () => {
    expect(unzip(two())).toEqual({ one: "first", two: "second" });
    expect(unzip(joinParts(zipParts("zip", [])))).toEqual({});
  });
  test("may end with a comment, even one that looks like an end", () => {
    const comment = [0x50, 0x4b, 5, 6, ...new Uint8Array(30)];
    const bytes = new Uint8Array([...patched([endAt + 20, 2, comment.length]), ...comment]);
    expect(unzip(bytes)).toEqual({ one: "first", two: "second" });
  });
  test("may say their sizes after the data", () => {
    const bytes = [...patched([6, 2, 8], [14, 4, 0], [18, 4, 0], [22, 4, 0], [directoryAt + 8, 2, 8])];
    const descriptor = [0x50, 0x4b, 7, 8, ...bytes.slice(directoryAt + 16, directoryAt + 28)];
    bytes.splice(secondAt, 0, ...descriptor);
    bytes[secondEntryAt + descriptor.length + 42] = secondAt + descriptor.length;
    bytes[endAt + descriptor.length + 16] = directoryAt + descriptor.length;
    expect(unzip(Uint8Array.from(bytes))).toEqual({ one: "first", two: "second" });
  });
  test("have names of code page 437 unless they say UTF-8", () => {
    const bytes = patched([30, 1, 0x81], [directoryAt + 46, 1, 0x81]);
    expect(Object.keys(unzip(bytes))).toEqual(["üne", "two"]);
  });
  test.each([
    ["nothing", new Uint8Array(0), /the end of a zip file is missing/],
    ["a cut end", two().slice(0, -1), /the end of a zip file is missing/],
    ["a cut start", two().slice(1), /claims to fill bytes 77 to 175, but the end record starts at 174/],
    ["encryption", patched([directoryAt + 8, 2, 1]), /entry "one" is encrypted/],
    ["another method", patched([directoryAt + 10, 2, 12]), /method 12 \(bzip2\)/],
    [
      "two entries of one name",
      patched([secondEntryAt + 46, 2, 0x6e6f], [secondEntryAt + 48, 1, 0x65]),
      /two entries named "one"/,
    ],
    ["two entries at one place", patched([secondEntryAt + 42, 4, 0]), /does not fit between bytes 0 and 0/],
    ["an overlap", patched([directoryAt + 20, 4, 6]), /entry "one" does not fit between bytes 0 and 38/],
    ["a place past the end", patched([secondEntryAt + 42, 4, 900]), /entry "two" does not fit/],
    ["a header elsewhere", patched([secondEntryAt + 42, 4, 37]), /does not fit between bytes 0 and 37/],
    ["no header there", patched([secondAt, 4, 0]), /does not start where the directory says/],
    ["an extra field that is too long", patched([28, 2, 10]), /runs into byte 38/],
    ["another name in the header", patched([30, 1, 0x4f]), /differs between its own header and the directory/],
    ["a different size in the header", patched([22, 4, 4]), /differs between its own header and the directory/],
    [
      "two sizes of a stored entry",
      patched([22, 4, 4], [directoryAt + 24, 4, 4]),
      /stored, but has two sizes, 4 and 5/,
    ],
    ["a wrong checksum", patched([33, 1, 0x46]), /has checksum \d+, expected \d+/],
    ["several disks", patched([endAt + 4, 2, 1]), /one of several disks/],
    ["a wrong count", patched([endAt + 10, 2, 3]), /has 2 entries, but its end record says 3/],
    ["a damaged directory", patched([secondEntryAt, 1, 0]), /directory of the zip file is damaged/],
    ["a name past the directory", patched([secondEntryAt + 28, 2, 60_000]), /directory of the zip file is damaged/],
    [
      "a bomb",
      patched([8, 2, 8], [22, 4, 2 ** 31 - 1], [directoryAt + 10, 2, 8], [directoryAt + 24, 4, 2 ** 31 - 1]),
      /2147483647 bytes cannot come from 5/,
    ],
  ])("are refused: %s", (_, bytes, message) => {
    expect(() => unzip(bytes)).toThrow(message);
    expect(() => unzip(bytes)).toThrow(FileError);
  });
  test("are not written with one name twice", () => {
    expect(() => zipParts("zip", [item("a", ""), item("a", "")])).toThrow('the name "a" occurs twice');
  });
});

test("an entry that is not an array is refused unless it is left out", () => {
  const file = joinParts(zipParts("zip", [item("readme.txt", "hello world")]));
  expect(() => parseNpz(file)).toThrow(/array "readme.txt": an \.npy file starts with/);
  expect(parseNpz(file, { names: [] }).size).toBe(0);
});
