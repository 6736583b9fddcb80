/** safetensors files: those of the reference implementation are read, its bytes are written, and every broken rule is named. */
import { describe, expect, test } from "vitest";
import { elementsOf, randomBytes, recorded, sameBytes, seededRandom } from "../../test/support/files.ts";
import { type DType, DTypeError, dtypeNames, dtypes } from "../storage/dtype.ts";
import { FileError } from "./file-error.ts";
import { type RawArray, toRowMajor } from "./raw-array.ts";
import { encodeSafetensors, parseSafetensors, readSafetensorsHeader } from "./safetensors.ts";

const written: Record<string, DType> = {
  B: "uint8",
  H: "uint16",
  I: "uint32",
  b: "int8",
  d: "float64",
  e: "float16",
  f: "float32",
  h: "int16",
  i: "int32",
};

describe("files of the reference implementation", () => {
  test.each(Object.entries(written))("%s.safetensors is read", (name, dtype) => {
    const { tensors, metadata } = parseSafetensors(recorded(`safetensors/${name}.safetensors`));
    expect(metadata).toEqual(new Map([["test", "a"]]));
    const tensor = tensors.get(name) as RawArray;
    expect([tensors.size, tensor.dtype, tensor.shape]).toEqual([1, dtype, [6]]);
  });
  test("overall.safetensors has the tensors of the others, as slices", () => {
    const file = recorded("safetensors/overall.safetensors");
    const { tensors } = parseSafetensors(file);
    expect([...tensors.keys()]).toEqual(Object.keys(written));
    for (const [name, tensor] of tensors) {
      const alone = parseSafetensors(recorded(`safetensors/${name}.safetensors`)).tensors.get(name) as RawArray;
      expect(elementsOf(tensor)).toEqual(elementsOf(alone));
      expect(tensor.bytes.buffer).toBe(file.buffer);
    }
  });
});

const text = (value: string): number[] => [...new TextEncoder().encode(value)];
const fileOf = (header: string | readonly number[], data = 0, length?: number): Uint8Array => {
  const bytes = typeof header === "string" ? text(header) : header;
  const file = new Uint8Array(8 + bytes.length + data);
  new DataView(file.buffer).setBigUint64(0, BigInt(length ?? bytes.length), true);
  file.set(bytes, 8);
  return file;
};
const spaces = (count: number): string => " ".repeat(count);
const float32 = (values: readonly number[], shape: readonly number[]): RawArray => ({
  dtype: "float32",
  shape,
  order: "C",
  bytes: new Uint8Array(Float32Array.from(values).buffer),
});

describe("a written file", () => {
  test("equals that of the reference: spaces to a multiple of 8, nothing else", () => {
    expect(encodeSafetensors({})).toEqual(fileOf(`{}${spaces(6)}`));
    expect(encodeSafetensors({}, { framework: "pt" })).toEqual(
      fileOf(`{"__metadata__":{"framework":"pt"}}${spaces(5)}`),
    );
    const attn0 = float32([0, 1, 2, 3, 4, 5], [1, 1, 2, 3]);
    const header = `{"attn0":{"dtype":"F32","shape":[1,1,2,3],"data_offsets":[0,24]}}${spaces(7)}`;
    expect(encodeSafetensors({ attn0 })).toEqual(new Uint8Array([...fileOf(header), ...attn0.bytes]));
  });
  test("starts with the widest dtypes, then follows the names as UTF-8 bytes", () => {
    const one = (dtype: DType): RawArray => ({
      dtype,
      shape: [1],
      order: "C",
      bytes: new Uint8Array(dtypes[dtype].itemsize),
    });
    const arrays: Record<string, RawArray> = { "\u{1f600}": one("bool"), "\uff5e": one("bool"), "": one("bool") };
    for (const dtype of dtypeNames) if (dtype !== "complex128") arrays[dtype] = one(dtype);
    const wide = ["uint64", "int64", "float64", "complex64", "float32", "uint32", "int32"];
    const narrow = ["bfloat16", "float16", "uint16", "int16", "int8", "uint8"];
    expect([...parseSafetensors(encodeSafetensors(arrays)).tensors.keys()]).toEqual([
      ...wide,
      ...narrow,
      "",
      "bool",
      "\uff5e",
      "\u{1f600}",
    ]);
  });
  test("starts every tensor at a multiple of its item size", () => {
    const random = seededRandom(9);
    const arrays: Record<string, RawArray> = {};
    for (const dtype of dtypeNames.filter((name) => name !== "complex128"))
      arrays[dtype] = { dtype, shape: [3], order: "C", bytes: randomBytes(random, 3 * dtypes[dtype].itemsize) };
    for (const { dtype, bytes } of parseSafetensors(encodeSafetensors(arrays)).tensors.values())
      if (dtype !== "bool") expect(bytes.byteOffset % Math.min(8, dtypes[dtype].itemsize)).toBe(0);
  });
  test.each(dtypeNames.filter((name) => name !== "complex128"))(
    "comes back as %s in every shape and order",
    (dtype) => {
      const random = seededRandom(11);
      for (const shape of [[], [0], [1], [5], [2, 3], [2, 0, 3], [2, 3, 4], [3, 1, 2, 2]])
        for (const order of ["C", "F"] as const) {
          const bytes = randomBytes(random, dtypes[dtype].itemsize * shape.reduce((a, b) => a * b, 1));
          const array: RawArray = { dtype, shape, order, bytes: dtype === "bool" ? bytes.map((b) => b & 1) : bytes };
          const file = encodeSafetensors({ array }, { "": "ü\n\u0001", "a b": "" });
          const back = parseSafetensors(file);
          expect(back.metadata).toEqual(
            new Map([
              ["", "ü\n\u0001"],
              ["a b", ""],
            ]),
          );
          expect(back.tensors.get("array")).toEqual(toRowMajor(array));
          expect(elementsOf(back.tensors.get("array") as RawArray)).toEqual(elementsOf(array));
        }
    },
  );
  test("is refused where the format has no place for it", () => {
    const wide: RawArray = { dtype: "complex128", shape: [1], order: "C", bytes: new Uint8Array(16) };
    expect(() => encodeSafetensors({ wide })).toThrow(DTypeError);
    expect(() => encodeSafetensors({ wide })).toThrow(/the safetensors format does not support complex128/);
    expect(() => encodeSafetensors({ __metadata__: float32([1], [1]) })).toThrow(/no tensor can be named __metadata__/);
    expect(() => encodeSafetensors({ "\ud800": float32([1], [1]) })).toThrow(/a lone surrogate/);
    expect(() => encodeSafetensors({}, { n: 3 as never })).toThrow(/metadata "n" must be a string, got number/);
    expect(() => encodeSafetensors({}, { n: "x".repeat(100_000_000) })).toThrow(/the limit is 100000000/);
  });
});

const entry = (fields: string): string => `{"t":{${fields}}}`;
const good = '"dtype":"I32","shape":[2,2],"data_offsets":[0,16]';

describe("accepted files", () => {
  test.each([
    ["a scalar", entry('"dtype":"I32","shape":[],"data_offsets":[0,4]'), 4],
    ["an empty tensor", entry('"dtype":"I32","shape":[2,0],"data_offsets":[0, 0]'), 0],
    ["no tensor", "{}", 0],
    ["white space after the end", "{}\r \t\n", 0],
    ["fields of later versions", entry(`${good},"more":[1]`), 16],
    ["complex numbers", entry('"dtype":"C64","shape":[2],"data_offsets":[0,16]'), 16],
    [
      "tensors in a different order than their bytes",
      `{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`,
      2,
    ],
    [
      "empty tensors between others",
      `{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"e":{"dtype":"U8","shape":[0],"data_offsets":[1,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`,
      2,
    ],
    ["a name that is a property of objects", `{"__proto__":{${good}}}`, 16],
  ])("%s", (_, header, data) => {
    const { tensors } = parseSafetensors(fileOf(header, data));
    for (const { dtype, shape, bytes } of tensors.values())
      expect(bytes.length).toBe(dtypes[dtype].itemsize * shape.reduce((a, b) => a * b, 1));
    expect(tensors.size).toBe(Object.keys(JSON.parse(header)).length);
  });
  test("bool bytes other than 0 and 1 are true", () => {
    const file = fileOf(entry('"dtype":"BOOL","shape":[7],"data_offsets":[0,7]'), 7);
    file.set([0, 1, 2, 0, 255, 1, 128], file.length - 7);
    expect(elementsOf(parseSafetensors(file).tensors.get("t") as RawArray)).toEqual([0, 1, 1, 0, 1, 1, 1].map(Boolean));
  });
});

describe("invalid files throw", () => {
  const offsets = (a: string, b: string): string =>
    `{"a":{"dtype":"U8","shape":[2],"data_offsets":${a}},"b":{"dtype":"U8","shape":[2],"data_offsets":${b}}}`;
  test.each([
    ["nothing", new Uint8Array(0), /takes bytes 0 to 7, but the file has 0 bytes/, 0],
    [
      "a header that is too long",
      fileOf("{}", 0, 100_000_001),
      /claims to have 100000001 bytes; the limit is 100000000/,
      0,
    ],
    ["a length of 2^60", fileOf("{}", 0, 2 ** 60), /claims to have 1152921504606846976 bytes/, 0],
    ["a header past the end", fileOf("{}", 0, 60), /the header takes bytes 8 to 67, but the file has 10 bytes/, 8],
    ["no header", fileOf(""), /must start with "\{"/, 8],
    ["space in front", fileOf(" {}"), /must start with "\{"/, 8],
    ["an array", fileOf("[]"), /must start with "\{"/, 8],
    ["no UTF-8", fileOf([0x7b, 0xff, 0x7d]), /not UTF-8 text/, 8],
    ["no JSON", fileOf("{"), /has its end where a key is expected/, 9],
    ["text after the end", fileOf("{}x"), /has "x" after its end/, 10],
    ["a NUL after the end", fileOf("{}\0"), /after its end/, 10],
    ["a name twice", fileOf(`{"é":{${good}},"é":{${good}}}`, 16), /has the key "é" twice/, 66],
    ["a field twice", fileOf(entry(`${good},"shape":[2,2]`), 16), /has the key "shape" twice/, 64],
    ["metadata twice", fileOf('{"__metadata__":{},"__metadata__":{}}'), /has the key "__metadata__" twice/, 27],
    ["a metadata key twice", fileOf('{"__metadata__":{"a":"","a":""}}'), /has the key "a" twice/, 32],
    ["metadata that is not an object", fileOf('{"__metadata__":null}'), /an object of strings as __metadata__/, 24],
    [
      "metadata that is not text",
      fileOf('{"__metadata__":{"a":1}}'),
      /has "a" in __metadata__, which is not a string/,
      29,
    ],
    ["a tensor that is not an object", fileOf('{"t":[]}'), /tensor "t", which is not an object/, 13],
    ["no dtype", fileOf(entry('"shape":[],"data_offsets":[0,4]'), 4), /tensor "t" without dtype/, 13],
    ["no shape", fileOf(entry('"dtype":"I32","data_offsets":[0,4]'), 4), /tensor "t" without shape/, 13],
    ["no offsets", fileOf(entry('"dtype":"I32","shape":[]'), 4), /tensor "t" without data_offsets/, 13],
    [
      "an unknown dtype",
      fileOf(entry(good.replace("I32", "i32")), 16),
      /the unknown dtype "i32". Must be one of BOOL/,
      22,
    ],
    [
      "a small float",
      fileOf(entry(good.replace("I32", "F8_E4M3")), 16),
      /dtype F8_E4M3, a float of less than 16 bits/,
      22,
    ],
    ["a smaller float", fileOf(entry(good.replace("I32", "F4")), 16), /dtype F4, a float of less than 16 bits/, 22],
    ["a dtype that is not a string", fileOf(entry(good.replace('"I32"', "32")), 16), /whose dtype is not a string/, 22],
    [
      "a negative size",
      fileOf(entry(good.replace("[2,2]", "[-2,-2]")), 16),
      /whose shape has values that are not integers/,
      37,
    ],
    [
      "a fraction",
      fileOf(entry(good.replace("[2,2]", "[2,2.0]")), 16),
      /whose shape has values that are not integers/,
      39,
    ],
    [
      "a size past 2^53",
      fileOf(entry(good.replace("[2,2]", "[2,18446744073709551614]")), 16),
      /integers from 0 to 2\^53/,
      39,
    ],
    [
      "a product past 2^53",
      fileOf(entry(good.replace("[2,2]", "[4503599627370496,4]")), 16),
      /more than 2\^53 bytes/,
      13,
    ],
    ["a shape that is not an array", fileOf(entry(good.replace("[2,2]", "4")), 16), /whose shape is not an array/, 36],
    ["three offsets", fileOf(entry(good.replace("[0,16]", "[0,8,16]")), 16), /3 data_offsets instead of 2/, 13],
    [
      "offsets in the wrong order",
      fileOf(entry(good.replace("[0,16]", "[16,0]")), 16),
      /begins at 16, after its end at 0/,
      13,
    ],
    [
      "a size that does not fit",
      fileOf(entry(good.replace("[0,16]", "[0,4]")), 4),
      /with 4 bytes, I32 of shape \[2, 2\] takes 16/,
      13,
    ],
    ["a hole at the start", fileOf(offsets("[1,3]", "[3,5]"), 5), /"a" begins at offset 1, after a gap .* at 0/, 113],
    ["a hole between", fileOf(offsets("[0,2]", "[3,5]"), 5), /"b" begins at offset 3, after a gap .* at 2/, 115],
    [
      "an overlap",
      fileOf(offsets("[0,2]", "[1,3]"), 3),
      /"b" begins at offset 1, inside the previous tensor, which ends at 2/,
      114,
    ],
    ["one place for two", fileOf(offsets("[0,2]", "[0,2]"), 2), /"b" begins at offset 0, inside/, 113],
    ["bytes after the end", fileOf(entry(good), 17), /1 byte at the end belongs to no tensor/, 81],
    ["bytes missing", fileOf(entry(good), 15), /take 16 bytes, but the file has 15 after its header/, 80],
  ])("%s", (_, file, message, position) => {
    let error: unknown;
    try {
      parseSafetensors(file);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(FileError);
    expect((error as FileError).message).toMatch(message);
    expect((error as FileError).position).toBe(position);
  });
});

describe("a file that is read in parts", () => {
  test("is asked for its header and then for the ranges of its tensors alone", async () => {
    const file = recorded("safetensors/overall.safetensors");
    const requested: [number, number][] = [];
    const read = (begin: number, end: number): Promise<Uint8Array> => {
      requested.push([begin, end]);
      return Promise.resolve(file.slice(begin, end));
    };
    const opened = await readSafetensorsHeader("openSafetensors", { size: file.length, read });
    expect(requested).toEqual([
      [0, 8],
      [8, 534],
    ]);
    const whole = parseSafetensors(file).tensors;
    for (const [name, { begin, end, dtype, shape }] of opened.entries) {
      const tensor = await opened.readTensor(name);
      expect(requested.at(-1)).toEqual([begin, end]);
      expect([tensor.dtype, tensor.shape]).toEqual([dtype, shape]);
      expect(sameBytes(tensor.bytes, (whole.get(name) as RawArray).bytes)).toBe(true);
    }
    await expect(opened.readTensor("x")).rejects.toThrow(
      'there is no tensor "x". There are: B, H, I, b, d, e, f, h, i.',
    );
  });
  test("is refused if the source gives too little", async () => {
    const file = recorded("safetensors/f.safetensors");
    const read = (begin: number, end: number): Promise<Uint8Array> => Promise.resolve(file.slice(begin, end - 1));
    await expect(readSafetensorsHeader("openSafetensors", { size: file.length, read })).rejects.toThrow(
      /returned 7 bytes .* expected 8/,
    );
  });
});

test("names picks tensors", () => {
  const file = recorded("safetensors/overall.safetensors");
  expect([...parseSafetensors(file, { names: ["d", "B"] }).tensors.keys()]).toEqual(["d", "B"]);
});
