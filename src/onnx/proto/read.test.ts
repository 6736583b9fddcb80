/** Reading messages: every kind of field, both encodings of repeated numbers, and the errors of malformed bytes. */
import { describe, expect, test } from "vitest";
import { FileError } from "../../io/file-error.ts";
import { readModel, readOptional, readSequence, readTensor } from "./read.ts";
import type { ModelProto, TensorProto } from "./types.ts";

const { isArray } = Array;
type Part = number | string | readonly Part[];

/** Bytes: numbers are bytes, texts are UTF-8, and lists are length-delimited. */
function bytes(...parts: readonly Part[]): Uint8Array {
  const list: number[] = [];
  for (const part of parts) {
    if (typeof part === "number") list.push(part);
    else if (isArray(part)) {
      const inner = bytes(...(part as readonly Part[]));
      expect(inner.length).toBeLessThan(128);
      list.push(inner.length, ...inner);
    } else list.push(...new TextEncoder().encode(part as string));
  }
  return Uint8Array.from(list);
}

/** The tag of a field. */
const tag = (number: number, wire: 0 | 1 | 2 | 3 | 4 | 5): number => 8 * number + wire;
const longTag = (number: number, wire: number): readonly number[] => [
  ((8 * number + wire) & 127) | 128,
  (8 * number + wire) >> 7,
];
const minusOne: readonly number[] = [255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
const inGraph = (...parts: readonly Part[]): Uint8Array => bytes(tag(7, 2), parts);
const inAttribute = (...parts: readonly Part[]): Uint8Array => inGraph(tag(1, 2), [tag(5, 2), parts]);
const attributeOf = (model: ModelProto) => model.graph?.node[0]?.attribute[0];

test("no bytes are a model without fields", () => {
  expect(readModel(bytes())).toEqual({
    irVersion: 0,
    opsetImport: [],
    producerName: "",
    producerVersion: "",
    domain: "",
    modelVersion: 0,
    docString: "",
    graph: undefined,
    metadataProps: [],
    functions: [],
  });
});

test("a model with a node is read", () => {
  const node = [tag(1, 2), ["x"], tag(2, 2), ["y"], tag(4, 2), ["Relu"]];
  const dims = [tag(1, 2), [tag(1, 0), 3], tag(1, 2), [tag(2, 2), ["N"]], tag(1, 2), []];
  const type = [tag(1, 2), [tag(1, 0), 1, tag(2, 2), dims]];
  const input = [tag(1, 2), ["x"], tag(2, 2), type];
  const model = readModel(
    bytes(tag(1, 0), 10, tag(8, 2), [tag(2, 0), 21], tag(7, 2), [tag(1, 2), node, tag(11, 2), input]),
  );
  expect(model.irVersion).toBe(10);
  expect(model.opsetImport).toEqual([{ domain: "", version: 21 }]);
  const { graph } = model;
  expect(graph?.node.map(({ opType, input, output }) => ({ opType, input, output }))).toEqual([
    { opType: "Relu", input: ["x"], output: ["y"] },
  ]);
  expect(graph?.input[0]?.type?.tensorType).toEqual({
    elemType: 1,
    shape: {
      dim: [
        { dimValue: 3, dimParam: undefined, denotation: "" },
        { dimValue: undefined, dimParam: "N", denotation: "" },
        { dimValue: undefined, dimParam: undefined, denotation: "" },
      ],
    },
  });
});

describe("numbers", () => {
  test("integers of attributes are exact: numbers if they are safe, else bigints", () => {
    const largest = [255, 255, 255, 255, 255, 255, 255, 255, 127];
    const model = readModel(inAttribute(tag(3, 0), ...largest, tag(8, 0), ...minusOne, tag(8, 0), 7));
    expect(attributeOf(model)).toMatchObject({ i: 2n ** 63n - 1n, ints: [-1, 7] });
    const safest = [255, 255, 255, 255, 255, 255, 255, 15];
    const next = [128, 128, 128, 128, 128, 128, 128, 16];
    const bounds = readModel(inAttribute(tag(8, 2), [...safest, ...next]));
    expect(attributeOf(bounds)?.ints).toEqual([2 ** 53 - 1, 2n ** 53n]);
    const least = readModel(inAttribute(tag(8, 0), 128, 128, 128, 128, 128, 128, 128, 128, 128, 1));
    expect(attributeOf(least)?.ints).toEqual([-(2n ** 63n)]);
  });

  test("repeated numbers are read one by one, packed, and in several pieces", () => {
    const one = [0, 0, 128, 63];
    const two = [0, 0, 0, 64];
    const expected = [1, 2, 2, 1, 1];
    const parts = (number: number): Part[] => [
      ...[tag(number, 5), ...one, tag(number, 2), [...two, ...two]],
      ...[tag(number, 2), [], tag(number, 5), ...one, tag(number, 5), ...one],
    ];
    expect(attributeOf(readModel(inAttribute(...parts(7))))?.floats).toEqual(expected);
    expect(readTensor(bytes(...parts(4))).floatData).toEqual(Float32Array.from(expected));
    const int32s = readTensor(bytes(tag(5, 2), [1, ...minusOne], tag(5, 0), 5, tag(5, 2), [6, 172, 2]));
    expect(int32s.int32Data).toEqual(Int32Array.of(1, -1, 5, 6, 300));
    expect(readTensor(bytes(tag(1, 2), [2, 3], tag(1, 0), 4)).dims).toEqual([2, 3, 4]);
  });

  test("64-bit integers of tensors are exact", () => {
    const tensor = readTensor(bytes(tag(7, 2), [...minusOne, 1], tag(7, 0), ...minusOne, tag(11, 2), [...minusOne]));
    expect(tensor.int64Data).toEqual(BigInt64Array.of(-1n, 1n, -1n));
    expect(tensor.uint64Data).toEqual(BigUint64Array.of(2n ** 64n - 1n));
  });

  test("doubles at any alignment", () => {
    const doubles = [0, 0, 0, 0, 0, 0, 240, 63];
    expect(readTensor(bytes(tag(8, 2), ["x"], tag(10, 2), doubles)).doubleData).toEqual(Float64Array.of(1));
    expect(readTensor(bytes(tag(10, 1), ...doubles)).doubleData).toEqual(Float64Array.of(1));
  });
});

test("raw data is a view of the bytes", () => {
  const file = bytes(tag(9, 2), [1, 2, 3]);
  const { rawData } = readTensor(file) as TensorProto & { rawData: Uint8Array };
  expect(rawData.buffer).toBe(file.buffer);
  expect([rawData.byteOffset, rawData.length]).toEqual([2, 3]);
  expect(readTensor(bytes()).rawData).toBeUndefined();
  expect(readTensor(bytes(tag(9, 2), [])).rawData).toEqual(new Uint8Array(0));
});

test("texts are UTF-8, and keep a byte order mark", () => {
  const name = "\ufeffgrüße, 世界 🚀, and more than 24 bytes";
  expect(readTensor(bytes(tag(8, 2), [name])).name).toBe(name);
  expect(readTensor(bytes(tag(8, 2), ["é"])).name).toBe("é");
  expect(() => readTensor(bytes(tag(8, 2), [0xff]))).toThrow("the field name is not text in UTF-8");
});

test("the last member of a oneof stays, and a message in two pieces is merged", () => {
  const dim = readModel(
    inAttribute(tag(14, 2), [tag(1, 2), [tag(2, 2), [tag(1, 2), [tag(1, 0), 3, tag(2, 2), ["N"]]]]]),
  );
  expect(attributeOf(dim)?.tp?.tensorType?.shape?.dim).toEqual([
    { dimValue: undefined, dimParam: "N", denotation: "" },
  ]);
  const types = readModel(inAttribute(tag(14, 2), [tag(1, 2), [tag(1, 0), 1], tag(4, 2), []]));
  expect(attributeOf(types)?.tp).toMatchObject({ tensorType: undefined, sequenceType: { elemType: undefined } });
  const merged = readModel(bytes(tag(7, 2), [tag(2, 2), ["g"]], tag(7, 2), [tag(10, 2), ["text"]]));
  expect(merged.graph).toMatchObject({ name: "g", docString: "text" });
});

test("unknown fields of every wire type are skipped", () => {
  const unknown = [
    ...[...longTag(99, 0), 200, 1, ...longTag(99, 1), 1, 2, 3, 4, 5, 6, 7, 8, ...longTag(99, 5), 1, 2, 3, 4],
    ...[...longTag(99, 3), tag(1, 0), 5, tag(2, 3), tag(2, 4), ...longTag(99, 4)],
  ];
  expect(readTensor(bytes(...unknown, ...longTag(99, 2), ["text"], tag(8, 2), ["x"])).name).toBe("x");
});

test("sequences and optionals are read", () => {
  const tensor = [tag(1, 0), 2, tag(2, 0), 1];
  const sequence = [tag(1, 2), ["s"], tag(2, 0), 1, tag(3, 2), tensor, tag(3, 2), []];
  expect(readSequence(bytes(...sequence)).tensorValues.map((value) => value.dims)).toEqual([[2], []]);
  const map = [tag(2, 0), 7, tag(3, 0), 5, tag(5, 2), sequence];
  expect(readSequence(bytes(tag(6, 2), map)).mapValues[0]).toMatchObject({ keys: [5], values: { name: "s" } });
  expect(readOptional(bytes(tag(2, 0), 1, tag(3, 2), tensor)).tensorValue?.dims).toEqual([2]);
});

describe("malformed bytes throw a FileError", () => {
  const deep = (levels: number): Uint8Array => {
    let message: number[] = [];
    for (let i = 0; i < levels; i++) {
      const { length } = message;
      message = [tag(7, 2), ...(length < 128 ? [length] : [(length & 127) | 128, length >> 7]), ...message];
    }
    return Uint8Array.from(message);
  };

  test.each([
    [
      "a name that is cut off",
      () => readModel(bytes(tag(7, 2), [tag(1, 2), [tag(4, 2), 5, "Re"]]), "model.onnx"),
      "loadOnnx: model.onnx: graph.node[0]: the field op_type has 5 bytes, and ends 3 bytes after its message. The file is truncated or damaged. (at byte 5)",
    ],
    [
      "a field that ends after its message, but inside the file",
      () => readModel(bytes(tag(7, 2), [tag(2, 2), 9, "g"], tag(6, 2), ["a longer text"])),
      "loadOnnx: the model: graph: the field name has 9 bytes, and ends 8 bytes after its message",
    ],
    [
      "a length of 2^64 - 1",
      () => readTensor(bytes(tag(9, 2), ...minusOne)),
      "the field raw_data has 18446744073709552000 bytes",
    ],
    [
      "a tag that is cut off",
      () => readModel(bytes(128)),
      "loadOnnx: the model: the message cannot be read (premature EOF)",
    ],
    [
      "a varint that is cut off",
      () => readModel(bytes(tag(1, 0), 200)),
      "the field ir_version cannot be read (premature EOF). The file is truncated or damaged. (at byte 2)",
    ],
    [
      "a packed varint that is cut off",
      () => readTensor(bytes(tag(7, 2), [1, 128])),
      "int64_data cannot be read (premature EOF)",
    ],
    [
      "a packed float that is cut off",
      () => readTensor(bytes(tag(4, 2), [1, 2, 3])),
      "float_data has 3 bytes, which is not a multiple of 4",
    ],
    [
      "a float that is cut off",
      () => readModel(inAttribute(tag(2, 5), 1)),
      "graph.node[0].attribute[0]: the field f cannot be read",
    ],
    [
      "a varint of 11 bytes",
      () => readModel(bytes(tag(1, 0), ...Array<number>(11).fill(128))),
      "the field ir_version cannot be read (invalid varint)",
    ],
    [
      "a wrong wire type",
      () => readModel(bytes(tag(2, 0), 5)),
      "the field producer_name is encoded as a varint, not as a length and bytes",
    ],
    [
      "a number that ends after its message, but inside the file",
      () => readModel(bytes(tag(7, 2), [tag(1, 2), [tag(5, 2), [tag(3, 0), 200]]], tag(1, 0), 1)),
      "graph.node[0].attribute[0]: the field i ends after its message",
    ],
    [
      "a packed number that ends after its list, but inside the file",
      () => readTensor(bytes(tag(1, 2), [1, 200], 1)),
      "the field dims ends after its message",
    ],
    ["a varint for a message", () => readModel(bytes(tag(7, 0), 5)), "the field graph is encoded as a varint"],
    [
      "the field number 0",
      () => readModel(bytes(0, 0)),
      "the message cannot be read (illegal tag: field no 0 wire type 0)",
    ],
    [
      "the wire type 6",
      () => readModel(bytes(tag(9, 0) + 6, 0)),
      "the message cannot be read (illegal tag: field no 9 wire type 6)",
    ],
    [
      "a tag above 32 bits",
      () => readModel(bytes(...minusOne, 0)),
      "the message cannot be read (illegal tag: varint overflows uint32)",
    ],
    [
      "a group that did not begin",
      () => readModel(bytes(tag(9, 4))),
      "the field with the number 9 cannot be read (cant skip wire type 4)",
    ],
    [
      "a group without an end",
      () => readModel(bytes(tag(9, 3))),
      "the field with the number 9 cannot be read (premature EOF)",
    ],
    [
      "nested groups",
      () => readModel(Uint8Array.from({ length: 500 }, () => tag(9, 3))),
      "the field with the number 9 cannot be read (maximum recursion depth reached)",
    ],
    ["nested messages", () => readOptional(deep(120)), "optional_value.optional_value"],
    [
      "an opset version above 2^53",
      () => readModel(bytes(tag(8, 2), [tag(2, 0), ...minusOne.with(9, 0)])),
      "opset_import[0]: the field version is 9223372036854775807; the limit is 2^53 - 1",
    ],
  ])("%s", (_, read, message) => {
    expect(read).toThrow(FileError);
    expect(read).toThrow(message);
  });

  test("nesting of 99 messages is read", () => {
    let message: { readonly optionalValue?: unknown } | undefined = readOptional(deep(99));
    let depth = 0;
    for (; message !== undefined; message = message.optionalValue as typeof message) depth++;
    expect(depth).toBe(100);
  });

  test("messages beyond the limit", () => {
    const many = bytes(tag(7, 2), [tag(1, 2), [], tag(1, 2), []]);
    expect(() => readModel(many, "m.onnx", { maxObjects: 3, who: "parseOnnx" })).toThrow(
      "parseOnnx: m.onnx: graph.node[1]: the message exceeds the limit of 3 messages and byte strings. Raise maxObjects",
    );
    expect(readModel(many, "m.onnx", { maxObjects: 4 }).graph?.node).toHaveLength(2);
  });
});
