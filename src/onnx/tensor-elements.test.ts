/** The elements of tensors: all element types in raw data and in their own fields, texts, sparse tensors, and the errors of wrong ones. */
import { describe, expect, test } from "vitest";
import { bytesOf, chunk, external, integer, join, packed, raw, tensor, text } from "../../test/support/onnx-files.ts";
import { Tensor } from "../index.ts";
import { readTensor } from "./proto/read.ts";
import { DataType, type SparseTensorProto } from "./proto/types.ts";
import { readSparseTensor } from "./sparse-tensor.ts";
import { readTensorValue } from "./tensor-elements.ts";
import { type OnnxValue, TextTensor } from "./values.ts";

const read = (...fields: readonly Uint8Array[]): OnnxValue => readTensorValue(readTensor(join(...fields)));
const floats = (number: number, values: Float32Array | Float64Array): Uint8Array => chunk(number, bytesOf(values));

function elements(value: OnnxValue): { dtype: string; shape: readonly number[]; list: unknown } {
  if (!(value instanceof Tensor)) throw new Error("not a tensor");
  return {
    dtype: String(value.dtype),
    shape: value.shape,
    list: value.reshape([-1]).toArray({ bigint: true }),
  };
}

/** Each element type, with two elements in raw data and in its field. */
const types: readonly [
  keyof typeof DataType,
  dtype: string,
  inRaw: ArrayBufferView,
  inField: Uint8Array,
  list: unknown,
][] = [
  ["FLOAT", "float32", Float32Array.of(1.5, -2), floats(4, Float32Array.of(1.5, -2)), [1.5, -2]],
  ["DOUBLE", "float64", Float64Array.of(0.1, -2), floats(10, Float64Array.of(0.1, -2)), [0.1, -2]],
  ["UINT8", "uint8", Uint8Array.of(1, 255), packed(5, [1, 255]), [1, 255]],
  ["INT8", "int8", Int8Array.of(1, -2), packed(5, [1, -2]), [1, -2]],
  ["UINT16", "uint16", Uint16Array.of(1, 65535), packed(5, [1, 65535]), [1, 65535]],
  ["INT16", "int16", Int16Array.of(1, -2), packed(5, [1, -2]), [1, -2]],
  ["INT32", "int32", Int32Array.of(1, -2), packed(5, [1, -2]), [1, -2]],
  ["UINT32", "uint32", Uint32Array.of(1, 2 ** 32 - 1), packed(11, [1, 2 ** 32 - 1]), [1, 2 ** 32 - 1]],
  ["INT64", "int64", BigInt64Array.of(1n, -2n), packed(7, [1, -2]), [1n, -2n]],
  ["UINT64", "uint64", BigUint64Array.of(1n, 2n ** 64n - 1n), packed(11, [1, -1]), [1n, 2n ** 64n - 1n]],
  ["BOOL", "bool", Uint8Array.of(1, 0), packed(5, [1, 0]), [true, false]],
  ["FLOAT16", "float16", Uint16Array.of(0x3e00, 0xc000), packed(5, [0x3e00, 0xc000]), [1.5, -2]],
  ["BFLOAT16", "bfloat16", Uint16Array.of(0x3fc0, 0xc000), packed(5, [0x3fc0, 0xc000]), [1.5, -2]],
  ["INT4", "int8", Uint8Array.of(0xe1), packed(5, [0xe1]), [1, -2]],
  ["UINT4", "uint8", Uint8Array.of(0xe1), packed(5, [0xe1]), [1, 14]],
  ["INT2", "int8", Uint8Array.of(0b1101), packed(5, [0b1101]), [1, -1]],
  ["UINT2", "uint8", Uint8Array.of(0b1101), packed(5, [0b1101]), [1, 3]],
  ["FLOAT8E4M3FN", "float32", Uint8Array.of(0x3c, 0xc0), packed(5, [0x3c, 0xc0]), [1.5, -2]],
  ["FLOAT8E5M2", "float32", Uint8Array.of(0x3e, 0xc0), packed(5, [0x3e, 0xc0]), [1.5, -2]],
  ["FLOAT8E8M0", "float32", Uint8Array.of(127, 128), packed(5, [127, 128]), [1, 2]],
  ["FLOAT4E2M1", "float32", Uint8Array.of(0xc3), packed(5, [0xc3]), [1.5, -2]],
];

test.each(types)("%s in raw data and in its field", (name, dtype, inRaw, inField, list) => {
  for (const field of [raw(inRaw), inField])
    expect(elements(read(tensor([2], DataType[name], "w", field)))).toEqual({ dtype, shape: [2], list });
});

test("complex numbers are pairs of floats", () => {
  for (const [type, field, list] of [
    [DataType.COMPLEX64, 4, Float32Array.of(1, 2, 3, 4)],
    [DataType.COMPLEX128, 10, Float64Array.of(1, 2, 3, 4)],
  ] as const)
    for (const each of [raw(list), floats(field, list)])
      expect(elements(read(tensor([2], type, "w", each))).list).toMatchObject([
        { re: 1, im: 2 },
        { re: 3, im: 4 },
      ]);
});

test("texts, scalars and tensors without elements", () => {
  const texts = read(tensor([2], DataType.STRING, "w", text(6, "a"), text(6, "é")));
  expect(texts).toEqual(new TextTensor([2], ["a", "é"]));
  expect(elements(read(tensor([], DataType.FLOAT, "w", raw(Float32Array.of(3))))).shape).toEqual([]);
  expect(elements(read(tensor([0, 3], DataType.INT4, "w"))).shape).toEqual([0, 3]);
  expect(elements(read(tensor([0, 3], DataType.INT64, "w", raw(new Uint8Array(0))))).shape).toEqual([0, 3]);
  // An empty field besides the one with the elements.
  expect(
    elements(read(tensor([1], DataType.FLOAT, "w", raw(new Uint8Array(0)), floats(4, Float32Array.of(5))))).list,
  ).toEqual([5]);
});

test("truth values are 0 and 1 in memory", () => {
  const value = read(tensor([3], DataType.BOOL, "w", raw(Uint8Array.of(0, 7, 255)))) as Tensor;
  expect(value.view("uint8").toArray()).toEqual([0, 1, 1]);
});

test.each([
  [
    "too few bytes",
    [tensor([2, 3], 1, "w", raw(new Float32Array(5)))],
    'the tensor "w" (float32[2, 3]) needs 24 bytes, got 20 in raw_data',
  ],
  [
    "bytes of packed elements",
    [tensor([3], DataType.INT4, "w", raw(Uint8Array.of(1)))],
    "needs 2 bytes, got 1 in raw_data",
  ],
  [
    "too many values",
    [tensor([1], 1, "w", floats(4, new Float32Array(2)))],
    "needs 1 values in float_data for its 1 elements, got 2",
  ],
  ["no elements", [tensor([2], 7, "w")], "needs 2 values in int64_data for its 2 elements, got 0"],
  [
    "elements of another type",
    [tensor([1], 7, "w", floats(4, new Float32Array(1)))],
    "must have its elements in raw_data or int64_data, got float_data",
  ],
  [
    "elements twice",
    [tensor([1], 1, "w", raw(new Float32Array(1)), floats(4, new Float32Array(1)))],
    "got float_data and raw_data",
  ],
  ["a negative size", [tensor([-1], 1, "w")], "must have sizes that are not negative"],
  ["sizes that overflow", [tensor([2 ** 40, 2 ** 40], 1, "w")], "less than 2^46 elements"],
  [
    "an unknown type",
    [tensor([1], 99, "w")],
    'the tensor "w" (type 99[1]) has the element type 99, which ONNX 1.22 does not define',
  ],
  ["no type", [tensor([1], 0, "w")], "has the element type 0"],
  ["a segment", [tensor([1], 1, "w", chunk(3, integer(1, 0)))], "is a segment of a larger tensor"],
  [
    "texts in raw data",
    [tensor([1], 8, "w", raw(Uint8Array.of(65)))],
    "must have its elements in string_data, got raw_data",
  ],
  [
    "texts that are not UTF-8",
    [tensor([2], 8, "w", text(6, "a"), chunk(6, Uint8Array.of(255)))],
    "element 1 is not text in UTF-8",
  ],
  [
    "another file",
    [tensor([1], 1, "w", external({ location: "w.bin" }))],
    "is stored in another file, which only loadOnnx reads",
  ],
])("%s throws an error that names the tensor", (_, fields, message) => {
  expect(() => read(...fields)).toThrow(message);
  expect(() => read(...fields)).toThrow('the tensor "w" (');
});

describe("sparse tensors", () => {
  const sparse = (
    dims: number[],
    values: Float32Array,
    indices: BigInt64Array,
    indexShape: number[],
  ): SparseTensorProto => ({
    dims,
    values: readTensor(tensor([values.length], 1, "w", raw(values))),
    indices: readTensor(tensor(indexShape, 7, "", raw(indices))),
  });

  test("have row-major indices or coordinates", () => {
    const expected = [
      [0, 5, 0],
      [0, 0, 7],
    ];
    const values = Float32Array.of(5, 7);
    expect(readSparseTensor(sparse([2, 3], values, BigInt64Array.of(1n, 5n), [2])).toArray()).toEqual(expected);
    expect(readSparseTensor(sparse([2, 3], values, BigInt64Array.of(0n, 1n, 1n, 2n), [2, 2])).toArray()).toEqual(
      expected,
    );
    expect(
      readSparseTensor(sparse([2, 3], new Float32Array(0), new BigInt64Array(0), [0]))
        .sum()
        .item(),
    ).toBe(0);
    expect(readSparseTensor(sparse([0, 3], new Float32Array(0), new BigInt64Array(0), [0, 2])).shape).toEqual([0, 3]);
  });

  test.each([
    [
      "an index outside",
      () => sparse([2, 3], Float32Array.of(5), BigInt64Array.of(6n), [1]),
      "has the index 6 for value 0, which is outside of the shape",
    ],
    [
      "a coordinate outside",
      () => sparse([2, 3], Float32Array.of(5), BigInt64Array.of(0n, 3n), [1, 2]),
      "has the index 3 for value 0",
    ],
    ["a negative index", () => sparse([2, 3], Float32Array.of(5), BigInt64Array.of(-1n), [1]), "has the index -1"],
    [
      "coordinates of a different rank",
      () => sparse([2, 3], Float32Array.of(5), BigInt64Array.of(0n), [1, 1]),
      "indices of shape [n] or [n, 2], got",
    ],
    [
      "other counts",
      () => sparse([2, 3], Float32Array.of(5), BigInt64Array.of(0n, 1n), [2]),
      'the sparse tensor "w" of shape [2, 3] must have values of shape [n]',
    ],
    [
      "no indices",
      () => ({ ...sparse([2], Float32Array.of(5), BigInt64Array.of(0n), [1]), indices: undefined }),
      "must have values and indices",
    ],
  ])("%s is an error", (_, proto, message) => {
    expect(() => readSparseTensor(proto())).toThrow(message);
  });
});
