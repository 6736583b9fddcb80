/** .npy files: what NumPy wrote is read, what is written equals NumPy's bytes, and what is wrong is refused with its place. */
import { describe, expect, test } from "vitest";
import { elementsOf, randomBytes, recorded, seededRandom } from "../../test/support/files.ts";
import { type DType, DTypeError, dtypeNames, dtypes } from "../storage/dtype.ts";
import { FileError } from "./file-error.ts";
import { encodeNpy, parseNpy, parseNpySequence } from "./npy.ts";
import type { RawArray } from "./raw-array.ts";

interface Recorded {
  readonly file: string;
  readonly descr: string;
  readonly fortran: boolean;
  readonly shape: readonly number[];
  readonly version: readonly [1 | 2 | 3, 0];
  readonly data: readonly unknown[];
}
const index = JSON.parse(new TextDecoder().decode(recorded("npy/index.json"))) as readonly Recorded[];
const isText = ({ descr }: Recorded): boolean => /[US]/.test(descr);
const numbers = index.filter((entry) => !isText(entry)).map((entry) => [entry.file, entry] as const);

/** JSON has no nan; the index spells it. */
const meant = (value: unknown): unknown =>
  typeof value === "string" ? { nan: NaN, inf: Infinity, "-inf": -Infinity }[value] : value;

describe("files written by NumPy", () => {
  test.each(numbers)("%s is read", (file, entry) => {
    const array = parseNpy(recorded(`npy/${file}`));
    expect(array.shape).toEqual(entry.shape);
    expect(array.order).toBe(entry.fortran ? "F" : "C");
    expect(elementsOf(array)).toEqual(entry.data.map(meant));
  });
  test.each(numbers.filter(([, { descr }]) => !descr.startsWith(">")))("%s is written byte for byte", (file, entry) => {
    const bytes = recorded(`npy/${file}`);
    expect(encodeNpy(parseNpy(bytes), { version: entry.version[0] })).toEqual(bytes);
  });
  test.each(index.filter(isText).map(({ file }) => file))("%s throws a named error", (file) => {
    expect(() => parseNpy(recorded(`npy/${file}`))).toThrow(
      /^parseNpy: dtype "[|<][SU][0-9]" is an array of .*Save numbers/,
    );
  });
  test("is not copied", () => {
    const file = recorded("npy/nd4.npy");
    const { bytes } = parseNpy(file);
    expect([bytes.buffer, bytes.byteOffset]).toEqual([file.buffer, 128]);
    expect(bytes.buffer).toBe(file.buffer);
  });
});

const shapes = [[], [0], [1], [5], [2, 3], [1, 4], [4, 1], [2, 0, 3], [2, 3, 4], [1, 2, 1, 3, 2]];
const random = seededRandom(1);
const arrayOf = (dtype: DType, shape: readonly number[], order: "C" | "F"): RawArray => {
  const bytes = randomBytes(random, dtypes[dtype].itemsize * shape.reduce((a, b) => a * b, 1));
  return { dtype, shape, order, bytes: dtype === "bool" ? bytes.map((byte) => byte & 1) : bytes };
};

describe.each(dtypeNames.filter((dtype) => dtype !== "bfloat16"))("%s", (dtype) => {
  test.each([1, 2, 3] as const)("comes back from version %d in every shape and order", (version) => {
    for (const shape of shapes)
      for (const order of ["C", "F"] as const) {
        const array = arrayOf(dtype, shape, order);
        const back = parseNpy(encodeNpy(array, { version }));
        expect([back.dtype, back.shape, back.bytes]).toEqual([dtype, shape, array.bytes]);
        expect(elementsOf(back)).toEqual(elementsOf(array));
      }
  });
});

const headerOf = (text: string, version = 1): Uint8Array => {
  const bytes = new TextEncoder().encode(
    `xNUMPY${String.fromCharCode(version)}\0\0\0${version > 1 ? "\0\0" : ""}${text}`,
  );
  bytes[0] = 0x93;
  const length = bytes.length - (version > 1 ? 12 : 10);
  bytes[8] = length & 255;
  bytes[9] = length >> 8;
  return bytes;
};
/** A file with this header and 24 bytes of data. */
const fileOf = (text: string, version = 1): Uint8Array =>
  new Uint8Array([...headerOf(text, version), ...new Uint8Array(24).keys()]);

describe("headers of other writers", () => {
  test.each([
    `{"shape":(2,3),"fortran_order":False,"descr":"<f4"}`,
    `  { 'shape' : ( 2 , 3 , ) ,\n 'descr' : u'<f4' , 'fortran_order' : False , }  \n`,
    `{'descr': 'f4', 'fortran_order': False, 'shape': (2L, 3L)}`,
    `{'descr': '=f4', 'fortran_order': False, 'shape': (2, +3), }`,
    `{'descr': ('<f4'), 'fortran_order': False, 'shape': (2, 3), }`,
  ])("%s is read", (text) => {
    const { dtype, shape, order } = parseNpy(fileOf(text));
    expect([dtype, shape, order]).toEqual(["float32", [2, 3], "C"]);
  });
  test("bool bytes other than 0 and 1 are true", () => {
    const file = fileOf("{'descr': '|b1', 'fortran_order': False, 'shape': (24,)}");
    expect(elementsOf(parseNpy(file))).toEqual(Array.from({ length: 24 }, (_, i) => i > 0));
  });
  test("every big-endian dtype is the little-endian one swapped", () => {
    for (const dtype of dtypeNames.filter((name) => name !== "bfloat16" && dtypes[name].itemsize > 1)) {
      const { itemsize, parts } = dtypes[dtype];
      const array = arrayOf(dtype, [3, 2], "C");
      const little = encodeNpy(array);
      const big = little.slice();
      big[big.indexOf(0x3c)] = 0x3e;
      const width = itemsize / parts;
      for (let i = 0; i < array.bytes.length; i++)
        big[little.length - array.bytes.length + i] = array.bytes[i - (i % width) + width - 1 - (i % width)] as number;
      expect(parseNpy(big)).toEqual(parseNpy(little));
    }
  });
});

describe("invalid files throw", () => {
  const good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}";
  test.each([
    [
      "no npy",
      new TextEncoder().encode("PK\x03\x04 a zip file"),
      /starts with \\x93NUMPY, but this one starts with "PK/,
      0,
    ],
    ["nothing", new Uint8Array(0), /takes bytes 0 to 7, but the file has 0 bytes/, 0],
    ["version 4", fileOf(good, 4), /version 4\.0 is unknown/, 6],
    ["a cut header", headerOf(good).slice(0, 30), /the header takes bytes 10 to 66, but the file has 30 bytes/, 10],
    ["cut data", fileOf(good).slice(0, -1), /the data, float32 of shape \(2, 3\), takes bytes 67 to 90/, 67],
    ["bytes after the end", new Uint8Array([...fileOf(good), 0]), /1 bytes follow the array.*parseNpySequence/, 91],
    ["no dict", fileOf("(2, 3)"), /the header is not a dict/, 10],
    ["a call", fileOf("{'descr': open('x')}"), /the name "open" where a value is expected/, 20],
    ["a key twice", fileOf("{'descr': 1, 'descr': 2}"), /has the key "descr" twice/, 23],
    ["a key too many", fileOf(good.replace("}", ", 'more': 1}")), /unknown key "more"/, 76],
    ["a key too few", fileOf("{'descr': '<f4', 'shape': ()}"), /has no key 'fortran_order'/, 10],
    ["no tuple", fileOf(good.replace("(2, 3)", "[2, 3]")), /shape as a tuple/, 60],
    ["a number in parentheses", fileOf(good.replace("(2, 3)", "(6)")), /shape as a tuple/, 61],
    ["a negative size", fileOf(good.replace("(2,", "(-2,")), /not a non-negative integer/, 61],
    ["a size past 2^53", fileOf(good.replace("(2,", "(99999999999999999,")), /not a non-negative integer/, 61],
    ["a product past 2^53", fileOf(good.replace("(2,", "(9999999999,9999999999,")), /takes more than 2\^53 bytes/, 10],
    ["no bool", fileOf(good.replace("False", "0")), /True or False for fortran_order/, 44],
    ["no end", fileOf("{'descr': '<f4"), /a string without an end/, 20],
    ["too much", fileOf(`${good} 1`), /has "1" after its end/, 68],
    ["depth", fileOf("(".repeat(9000)), /nested more than 32 deep/, 43],
    ["bad text", new Uint8Array(fileOf(good, 3).fill(0xff, 20, 24)), /not UTF-8 text/, 12],
  ])("%s", (_, file, message, position) => {
    const error = errorOf(() => parseNpy(file));
    expect(error.message).toMatch(message);
    expect(error.position).toBe(position);
  });
  test.each([
    ["'|O'", /"\|O" is an array of pickled Python objects, which are programs and never run here/],
    ["'<M8[ns]'", /dates\. Save array\.astype\('int64'\)/],
    ["'<m8[s]'", /time spans/],
    ["'|V2'", /raw bytes \(NumPy's void\)\. If it holds bfloat16/],
    ["[('x', '<f4')]", /structured array with fields/],
    ["'<f16'", /is platform dependent \(long double\)/],
    ["'<q7'", /dtype "<q7" is unknown\. Must be one of \|b1/],
    ["4", /descr must be a string/],
  ])("dtype %s", (descr, message) => {
    const file = fileOf(good.replace("'<f4'", descr));
    expect(errorOf(() => parseNpy(file)).message).toMatch(message);
  });
  test("bfloat16 is not written, with a remedy", () => {
    const array = { dtype: "bfloat16", shape: [1], order: "C", bytes: new Uint8Array(2) } as const;
    expect(() => encodeNpy(array)).toThrow(DTypeError);
    expect(() => encodeNpy(array)).toThrow(/Convert to float32 first/);
  });
  test("bytes that do not fit the shape are not written", () => {
    const array = { dtype: "int16", shape: [3], order: "C", bytes: new Uint8Array(5) } as const;
    expect(() => encodeNpy(array)).toThrow("int16 of shape [3] takes 6 bytes, got 5");
  });
});

test("arrays saved one after the other are read in order", () => {
  const arrays = [arrayOf("int8", [3], "C"), arrayOf("float64", [], "C"), arrayOf("complex64", [2, 2], "F")];
  const file = new Uint8Array(arrays.flatMap((array) => [...encodeNpy(array)]));
  expect(parseNpySequence(file)).toEqual(arrays);
});

test("arrays of 64 axes are written and read, those of 65 are not", () => {
  for (const version of [1, 2, 3] as const)
    expect(parseNpy(encodeNpy(arrayOf("int8", Array(64).fill(1), "C"), { version })).shape.length).toBe(64);
  expect(() => encodeNpy(arrayOf("int8", Array(65).fill(1), "C"))).toThrow("at most 64 axes; this one has 65. Reshape");
  const file = fileOf(`{'descr': '<f4', 'fortran_order': False, 'shape': (${"1,".repeat(65)})}`);
  expect(errorOf(() => parseNpy(file)).message).toMatch(/a shape of 65 axes; the limit is 64/);
});

function errorOf(action: () => unknown): FileError {
  try {
    action();
  } catch (error) {
    if (error instanceof FileError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}
