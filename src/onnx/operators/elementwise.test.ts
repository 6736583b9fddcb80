/** Elementwise operators, casts and comparisons: what the operator cases of ONNX do not cover. */
import { describe, expect, test } from "vitest";
import { node } from "../../../test/support/onnx-graphs.ts";
import { type OperatorCase, runNodes, runOperator, textOf } from "../../../test/support/onnx-runs.ts";
import { type DType, tensor } from "../../index.ts";
import { DataType } from "../proto/types.ts";
import { type OnnxValue, TextTensor } from "../values.ts";

const int64 = (...values: bigint[]) => tensor(BigInt64Array.from(values));
const of = (dtype: DType, ...values: number[]) => tensor(values, { dtype });
const text = (...data: string[]) => new TextTensor([data.length], data);
const big = 2n ** 53n + 1n;

type Row = readonly [op: string, inputs: readonly (OnnxValue | null)[], expected: string, options?: OperatorCase];

const rows: readonly Row[] = [
  ["Abs", [int64(-big)], `int64[1] [${big}]`],
  ["Neg", [int64(big)], `int64[1] [${-big}]`],
  ["Sign", [of("int8", -5, 0, 7)], "int8[3] [-1,0,1]"],
  ["Sign", [of("float32", Number.NaN, -2, 3)], "float32[3] [NaN,-1,1]"],
  [
    "Clip",
    [of("float32", Infinity, -Infinity, 2)],
    "float32[3] [3.4028234663852886e+38,1,2]",
    { version: 9, attributes: { min: { float: 1 } } },
  ],
  ["Clip", [of("float32", Infinity, -3), tensor(1)], "float32[2] [Infinity,1]"],
  ["Round", [of("float32", 0.5, 1.5, -0.5, -2.5)], "float32[4] [0,2,-0,-2]"],
  ["Add", [int64(big), int64(1n)], `int64[1] [${big + 1n}]`],
  ["Add", [of("uint8", 250), of("uint8", 10)], "uint8[1] [4]"],
  ["Div", [of("int32", -7, 7), of("int32", 2, -2)], "int32[2] [-3,-3]"],
  ["Div", [int64(big * 3n), int64(3n)], `int64[1] [${big}]`],
  ["Mod", [of("int32", -7, 7), of("int32", 3, -3)], "int32[2] [2,-2]"],
  ["Mod", [of("int32", -7, 7), of("int32", 3, -3)], "int32[2] [-1,1]", { attributes: { fmod: 1 } }],
  ["Mod", [int64(big), int64(10n)], `int64[1] [${big % 10n}]`],
  ["Pow", [int64(3n), int64(39n)], `int64[1] [${3n ** 39n}]`],
  ["Pow", [of("int32", 2, 3), of("float32", 0.5, 2)], "int32[2] [1,9]"],
  ["Pow", [of("float16", 2), of("float64", 3)], "float16[1] [8]"],
  ["Max", [of("uint64", 1), of("uint64", 2), of("uint64", 0)], "uint64[1] [2]"],
  ["Min", [of("float32", 1, NaN), of("float32", NaN, 1)], "float32[2] [NaN,NaN]"],
  ["Mean", [of("float32", 1), of("float32", 4)], "float32[1] [2.5]"],
  [
    "Clip",
    [of("float32", -3, 0, 3)],
    "float32[3] [-1,0,2]",
    { version: 6, attributes: { min: { float: -1 }, max: { float: 2 } } },
  ],
  ["Clip", [of("float32", -3, 0, 3)], "float32[3] [-3,0,3]", { version: 6 }],
  ["Clip", [of("float32", -3, 3), null, tensor(2)], "float32[2] [-3,2]"],
  ["Clip", [of("float32", -3, 3), tensor(5), tensor(2)], "float32[2] [2,2]"],
  ["Clip", [int64(big), int64(0n)], `int64[1] [${big}]`],
  [
    "Shrink",
    [of("int32", -3, 0, 3)],
    "int32[3] [-1,0,1]",
    { attributes: { bias: { float: 1.5 }, lambd: { float: 1 } } },
  ],
  ["PRelu", [of("int32", -3, 3), of("int32", 2)], "int32[2] [-6,3]"],
  ["IsInf", [of("float16", 1, -Infinity, Infinity)], "bool[3] [false,true,true]"],
  ["IsInf", [of("float32", -Infinity)], "bool[1] [false]", { attributes: { detect_negative: 0, detect_positive: 0 } }],
  ["Equal", [text("a", "b"), text("a", "c")], "bool[2] [true,false]"],
  ["Equal", [int64(big), int64(big - 1n)], "bool[1] [false]"],
  ["Where", [tensor([true, false]), text("a"), text("b")], 'string[2] ["a","b"]'],
  ["BitShift", [of("uint8", 129), of("uint8", 1)], "uint8[1] [2]", { attributes: { direction: "LEFT" } }],
  ["BitwiseNot", [of("uint8", 1)], "uint8[1] [254]"],
  [
    "Add",
    [
      tensor([
        [1, 2],
        [3, 4],
      ]),
      tensor([10, 20]),
    ],
    "float32[2,2] [11,12,23,24]",
    { version: 6, attributes: { broadcast: 1, axis: 0 } },
  ],
  ["Greater", [tensor([1, 2]), tensor([2])], "bool[2] [false,false]", { version: 7 }],
];

test.each(rows.map((row, k) => [k, ...row] as const))("%i: %s", (_, op, inputs, expected, options) => {
  expect(textOf(runOperator(op, inputs, options)[0])).toBe(expected);
});

const casts: readonly (readonly [OnnxValue, number, string])[] = [
  [
    text("1", "-2.5", "1e3", "INF", "-inf", "NaN", " 7 "),
    DataType.FLOAT,
    "float32[7] [1,-2.5,1000,Infinity,-Infinity,NaN,7]",
  ],
  [text(`${big}`, "-1", "100.5"), DataType.INT64, `int64[3] [${big},-1,100]`],
  [text("18446744073709551615"), DataType.UINT64, "uint64[1] [18446744073709551615]"],
  [text("0", "1", "true", "False"), DataType.BOOL, "bool[4] [false,true,true,false]"],
  [text("3", "17"), DataType.UINT4, "uint8[2] [3,1]"],
  [of("float32", 0.1, 1, 1e-7, NaN, Infinity, -0), DataType.STRING, 'string[6] ["0.1","1","1e-7","NaN","INF","-0"]'],
  [of("float16", 0.1, 65504), DataType.STRING, 'string[2] ["0.1","65500"]'],
  [of("float64", 0.1), DataType.STRING, 'string[1] ["0.1"]'],
  [int64(big), DataType.STRING, `string[1] ["${big}"]`],
  [tensor([true, false]), DataType.STRING, 'string[2] ["1","0"]'],
  [of("int16", 200), DataType.INT8, "int8[1] [-56]"],
  [of("float32", -0, 0.5, NaN), DataType.BOOL, "bool[3] [false,true,true]"],
  [of("float32", 1e6, 0.3), DataType.FLOAT8E5M2, "float32[2] [57344,0.3125]"],
];

test.each(casts.map((row, k) => [k, ...row] as const))("cast %i", (_, value, to, expected) => {
  expect(textOf(runOperator("Cast", [value], { attributes: { to } })[0])).toBe(expected);
});

describe("narrow types", () => {
  test("a type is known through operators that keep it", () => {
    const nodes = [
      node("Cast", ["x"], ["a"], { to: DataType.FLOAT8E4M3FN }),
      node("Identity", ["a"], ["b"]),
      node("Unsqueeze", ["b", "axes"], ["c"]),
      node("CastLike", ["y", "c"], ["d"]),
    ];
    const feeds = { x: tensor([1]), axes: int64(0n), y: tensor([1000, 0.3]) };
    expect(runNodes(nodes, feeds, ["d"]).map(textOf)).toEqual(["float32[2] [448,0.3125]"]);
  });

  test("CastLike of a tensor in the wider dtype converts to that dtype", () => {
    expect(textOf(runOperator("CastLike", [tensor([1000, 0.25]), tensor([1])])[0])).toBe("float32[2] [1000,0.25]");
    expect(textOf(runOperator("CastLike", [tensor([20]), of("int8", 1)])[0])).toBe("int8[1] [20]");
    expect(textOf(runOperator("CastLike", [tensor([20]), of("int8", 1)], { types: { 1: DataType.INT4 } })[0])).toBe(
      "int8[1] [4]",
    );
    expect(textOf(runOperator("CastLike", [tensor([20]), text("")])[0])).toBe('string[1] ["20"]');
  });

  test("BitCast keeps the bits", () => {
    const bits = (value: OnnxValue, to: number, types = {}): string =>
      textOf(runOperator("BitCast", [value], { attributes: { to }, types })[0]);
    expect(bits(of("float32", 448, -0), DataType.UINT8, { 0: DataType.FLOAT8E4M3FN })).toBe("uint8[2] [126,128]");
    expect(bits(of("uint8", 126, 128), DataType.FLOAT8E4M3FN)).toBe("float32[2] [448,-0]");
    expect(bits(of("int8", -1, 7), DataType.UINT4, { 0: DataType.INT4 })).toBe("uint8[2] [15,7]");
    expect(() => bits(of("float32", 1), DataType.INT64)).toThrow(
      "the types must have the same size, got 32 and 64 bits",
    );
  });
});

test.each([
  ["Add", [of("float32", 1), of("float64", 1)], {}, "both inputs must have the same type, got float32 and float64"],
  ["Mod", [tensor([1.5]), tensor([1])], {}, "the attribute fmod must be 1 for float32"],
  [
    "Gelu",
    [tensor([1])],
    { attributes: { approximate: "exact" } },
    'the attribute approximate must be "none" or "tanh"',
  ],
  [
    "BitShift",
    [of("uint8", 1), of("uint8", 1)],
    { attributes: { direction: "UP" } },
    "direction must be LEFT or RIGHT",
  ],
  ["BitShift", [of("uint8", 1), of("uint8", 1)], {}, "the attribute direction is missing"],
  ["Cast", [text("one")], { attributes: { to: DataType.FLOAT } }, '"one" is not a number'],
  ["Cast", [tensor([1])], { attributes: { to: 99 } }, "there is no conversion to type 99"],
  ["Clip", [tensor([1]), tensor([1, 2])], {}, "input 1 must have one element, got 2"],
  ["Sqrt", [text("a")], {}, "input 0 must be a tensor, got string[1]"],
] as const)("%s with wrong inputs throws an error", (op, inputs, options, message) => {
  expect(() => runOperator(op, inputs, options)).toThrow(message);
});
