/** Movement, gathering, scattering and creation: versions, negative axes and indices, empty tensors, texts and errors. */
import { expect, test } from "vitest";
import { node } from "../../../test/support/onnx-graphs.ts";
import { type OperatorCase, runNodes, runOperator, textOf } from "../../../test/support/onnx-runs.ts";
import { type DType, tensor, zeros } from "../../index.ts";
import { DataType } from "../proto/types.ts";
import { type OnnxValue, TextTensor } from "../values.ts";

const int64 = (...values: (bigint | number)[]) => tensor(BigInt64Array.from(values, BigInt));
const of = (dtype: DType, ...values: number[]) => tensor(values, { dtype });
const text = (...data: string[]) => new TextTensor([data.length], data);
const x = tensor([
  [1, 2, 3],
  [4, 5, 6],
]);
const words = new TextTensor([2, 2], ["a", "b", "c", "d"]);
const big = 2n ** 53n + 1n;
const last = 2n ** 63n - 1n;

type Row = readonly [op: string, inputs: readonly (OnnxValue | null)[], expected: string, options?: OperatorCase];

const rows: readonly Row[] = [
  ["Slice", [x, int64(0, 1), int64(last, last)], "float32[2,2] [2,3,5,6]"],
  ["Slice", [x, int64(-1), int64(-last), int64(-1), int64(-1)], "float32[2,3] [3,2,1,6,5,4]"],
  ["Slice", [x, int64(-1), int64(0), int64(1), int64(-2)], "float32[2,1] [3,6]"],
  ["Slice", [x, int64(2), int64(1), int64(1)], "float32[2,0] []"],
  ["Slice", [zeros([0, 3]), int64(-1), int64(-9), int64(0), int64(-1)], "float32[0,3] []"],
  ["Slice", [x], "float32[1,2] [4,5]", { version: 9, attributes: { starts: [1, 0], ends: [9, -1] } }],
  ["Slice", [words, int64(1), int64(2), int64(1)], 'string[2,1] ["b","d"]'],
  ["Concat", [words, words], 'string[2,4] ["a","b","a","b","c","d","c","d"]', { attributes: { axis: -1 } }],
  ["Concat", [int64(big), int64(), int64(1)], `int64[2] [${big},1]`, { attributes: { axis: 0 } }],
  ["Split", [int64(1, 2, 3)], "int64[2] [1,2]", { outputs: 2, attributes: { num_outputs: 2 } }],
  ["Split", [int64(1, 2, 3)], "int64[1] [1]", { version: 11, outputs: 3 }],
  ["Split", [int64(1, 2, 3)], "int64[0] []", { version: 11, outputs: 2, attributes: { split: [0, 3] } }],
  ["Squeeze", [tensor([[[1]]])], "float32[] [1]"],
  ["Squeeze", [tensor([[[1]]])], "float32[1,1] [1]", { version: 11, attributes: { axes: [-1] } }],
  ["Unsqueeze", [x, int64(-1, 0)], "float32[1,2,3,1] [1,2,3,4,5,6]"],
  ["Unsqueeze", [words, int64(0)], 'string[1,2,2] ["a","b","c","d"]'],
  ["Flatten", [x], "float32[1,6] [1,2,3,4,5,6]", { attributes: { axis: 0 } }],
  ["Flatten", [x], "float32[6,1] [1,2,3,4,5,6]", { attributes: { axis: 2 } }],
  ["Flatten", [zeros([2, 0, 3])], "float32[0,3] []", { attributes: { axis: -1 } }],
  ["Reshape", [x, int64(0, -1)], "float32[2,3] [1,2,3,4,5,6]"],
  ["Reshape", [zeros([2, 0]), int64(0, 7)], "float32[0,7] []", { attributes: { allowzero: 1 } }],
  ["Reshape", [words, int64(-1)], 'string[4] ["a","b","c","d"]'],
  ["Transpose", [words], 'string[2,2] ["a","c","b","d"]'],
  ["Expand", [tensor([[1], [2]]), int64(2, 1, 2)], "float32[2,2,2] [1,1,2,2,1,1,2,2]"],
  ["Expand", [tensor([[1], [2]]), int64(1)], "float32[2,1] [1,2]"],
  ["Tile", [words, int64(1, 2)], 'string[2,4] ["a","b","a","b","c","d","c","d"]'],
  ["Shape", [x], "int64[1] [3]", { attributes: { start: -1 } }],
  ["Shape", [words], "int64[2] [2,2]", { version: 13 }],
  ["Size", [words], "int64[] [4]"],
  ["Gather", [x, int64(-1)], "float32[1,3] [4,5,6]"],
  ["Gather", [x, of("int32", 0, -1).reshape([2, 1])], "float32[2,2,1] [1,3,4,6]", { attributes: { axis: -1 } }],
  ["Gather", [int64(big, 2), tensor(0n, { dtype: "int64" })], `int64[] [${big}]`],
  ["Gather", [words, int64(1)], 'string[1,2] ["c","d"]'],
  ["Gather", [x, int64()], "float32[0,3] []"],
  ["GatherElements", [x, int64(-1, 0).reshape([2, 1])], "float32[2,1] [3,4]", { attributes: { axis: 1 } }],
  ["GatherND", [x, int64(-1, -1)], "float32[] [6]"],
  ["GatherND", [x, int64(0, 2).reshape([2, 1])], "float32[2] [1,6]", { attributes: { batch_dims: 1 } }],
  ["GatherND", [words, int64(1, 0).reshape([1, 2])], 'string[1] ["c"]'],
  ["Compress", [x, tensor([false, true])], "float32[1] [2]"],
  ["Compress", [x, tensor([false, true])], "float32[2,1] [2,5]", { attributes: { axis: -1 } }],
  [
    "NonZero",
    [
      tensor([
        [0, 1],
        [2, 0],
      ]),
    ],
    "int64[2,2] [0,1,1,0]",
  ],
  ["NonZero", [tensor(3)], "int64[0,1] []"],
  ["OneHot", [int64(-1, 7), int64(3), of("int32", 5, 9)], "int32[2,3] [5,5,9,5,5,5]"],
  ["OneHot", [tensor([1]), tensor(2), text("n", "y")], 'string[2,1] ["n","y"]', { attributes: { axis: 0 } }],
  ["ReverseSequence", [x, int64(2, 3)], "float32[2,3] [2,1,3,6,5,4]", { attributes: { batch_axis: 0, time_axis: 1 } }],
  [
    "ScatterElements",
    [x, int64(-1, 0).reshape([2, 1]), tensor([[9], [8]])],
    "float32[2,3] [1,2,9,8,5,6]",
    { attributes: { axis: 1 } },
  ],
  ["Scatter", [x, int64(0, 1).reshape([1, 2]), tensor([[9, 8]])], "float32[2,3] [9,2,3,4,8,6]", { version: 9 }],
  [
    "ScatterElements",
    [words, int64(1, 0).reshape([1, 2]), new TextTensor([1, 2], ["x", "y"])],
    'string[2,2] ["a","y","x","d"]',
  ],
  [
    "ScatterElements",
    [int64(1), int64(0, 0), int64(big, 1)],
    `int64[1] [${big + 2n}]`,
    { attributes: { reduction: "add" } },
  ],
  ["ScatterElements", [of("int8", 3), int64(0), of("int8", -4)], "int8[1] [-12]", { attributes: { reduction: "mul" } }],
  [
    "ScatterND",
    [x, int64(-1).reshape([1, 1]), tensor([[9, 0, 9]])],
    "float32[2,3] [1,2,3,9,5,9]",
    { attributes: { reduction: "max" } },
  ],
  ["ScatterND", [x, int64(1, -1), tensor(9)], "float32[2,3] [1,2,3,4,5,9]"],
  [
    "ScatterND",
    [of("int32", 1, 1), int64(0, 0).reshape([2, 1]), of("int32", 3, 4)],
    "int32[2] [8,1]",
    { attributes: { reduction: "add" } },
  ],
  [
    "TensorScatter",
    [zeros([1, 3, 1]), tensor([[[1], [2]]]), int64(2)],
    "float32[1,3,1] [2,0,1]",
    { attributes: { mode: "circular" } },
  ],
  ["Pad", [x, int64(0, 1, 0, -2)], "float32[2,2] [0,1,0,4]"],
  [
    "Pad",
    [x],
    "float32[2,4] [7,1,2,3,7,4,5,6]",
    { version: 2, attributes: { pads: [0, 1, 0, 0], value: { float: 7 } } },
  ],
  [
    "Pad",
    [tensor([1, 2, 3]), int64(5, 4)],
    "float32[12] [2,1,2,3,2,1,2,3,2,1,2,3]",
    { attributes: { mode: "reflect" } },
  ],
  ["Pad", [tensor([1, 2, 3]), int64(4, 4)], "float32[11] [3,1,2,3,1,2,3,1,2,3,1]", { attributes: { mode: "wrap" } }],
  ["Pad", [tensor([1, 2, 3]), int64(-1, 2)], "float32[4] [2,3,3,3]", { attributes: { mode: "edge" } }],
  ["Pad", [tensor([1, 2, 3]), int64(-1, 2)], "float32[4] [2,3,2,3]", { attributes: { mode: "wrap" } }],
  ["Pad", [tensor([1, 2, 3]), int64(2, -1)], "float32[4] [1,2,1,2]", { attributes: { mode: "reflect" } }],
  ["Pad", [tensor([[1], [2]]), int64(1, 1), null, int64(-1)], "float32[2,3] [0,1,0,0,2,0]"],
  ["Pad", [int64(1), int64(1, 0), tensor(big)], `int64[2] [${big},1]`],
  ["Pad", [tensor([true]), int64(0, 1)], "bool[2] [true,false]"],
  ["Pad", [text("a"), int64(1, 1)], 'string[3] ["","a",""]'],
  [
    "Trilu",
    [
      tensor([
        [1, 2],
        [3, 4],
      ]),
      tensor(-(2n ** 62n)),
    ],
    "float32[2,2] [1,2,3,4]",
  ],
  [
    "Trilu",
    [
      tensor([
        [1, 2],
        [3, 4],
      ]),
      tensor(-1n),
    ],
    "float32[2,2] [0,0,3,0]",
    { attributes: { upper: 0 } },
  ],
  ["CenterCropPad", [tensor([1, 2, 3, 4, 5]), int64(2)], "float32[2] [2,3]"],
  ["CenterCropPad", [tensor([1, 2]), int64(5)], "float32[5] [0,1,2,0,0]"],
  ["EyeLike", [x], "int64[2,3] [0,1,0,0,0,1]", { attributes: { k: 1, dtype: DataType.INT64 } }],
  ["ConstantOfShape", [int64(2)], "float32[2] [0,0]"],
  [
    "ConstantOfShape",
    [int64()],
    "int64[] [7]",
    {
      attributes: {
        value: { tensor: { dims: [1], dataType: DataType.INT64, rawData: new Uint8Array([7, 0, 0, 0, 0, 0, 0, 0]) } },
      },
    },
  ],
  ["Constant", [], `int64[2] [1,${big}]`, { attributes: { value_ints: [1n, big] } }],
  ["Constant", [], "float32[2] [1,0.5]", { attributes: { value_floats: { floats: [1, 0.5] } } }],
  ["Constant", [], 'string[2] ["a","é"]', { attributes: { value_strings: ["a", "é"] } }],
  ["Constant", [], 'string[] ["a"]', { attributes: { value_string: "a" } }],
  [
    "Constant",
    [],
    "float32[3] [-0.5,1,6]",
    {
      attributes: {
        value: { tensor: { dims: [3], dataType: DataType.FLOAT4E2M1, rawData: new Uint8Array([0x29, 0x07]) } },
      },
    },
  ],
  ["Range", [tensor(big), tensor(big + 5n), tensor(2n)], `int64[3] [${big},${big + 2n},${big + 4n}]`],
  ["Range", [tensor(1), tensor(0), tensor(0.5)], "float32[0] []"],
  ["Range", [of("int16", 5).reshape([]), of("int16", 0).reshape([]), of("int16", -2).reshape([])], "int16[3] [5,3,1]"],
];

test.each(rows.map((row, k) => [k, ...row] as const))("%i: %s", (_, op, inputs, expected, options) => {
  expect(textOf(runOperator(op, inputs, options)[0])).toBe(expected);
});

test("shapes are computed ahead of compiled programs", () => {
  const nodes = [
    node("Shape", ["x"], ["shape"]),
    node("Gather", ["shape", "first"], ["rows"]),
    node("Concat", ["rows", "minus"], ["target"], { axis: 0 }),
    node("Reshape", ["y", "target"], ["z"]),
  ];
  const feeds = { x, y: tensor([1, 2, 3, 4]), first: int64(0), minus: int64(-1) };
  expect(runNodes(nodes, feeds, ["z"]).map(textOf)).toEqual(["float32[2,2] [1,2,3,4]"]);
});

type ErrorRow = readonly [op: string, inputs: readonly (OnnxValue | null)[], message: string, options?: OperatorCase];

const errors: readonly ErrorRow[] = [
  ["Slice", [x, int64(0), int64(1), int64(0), int64(0)], "a step must not be 0"],
  ["Slice", [x, int64(0), int64(1, 2)], "starts and ends must have the same length, got 1 and 2"],
  ["Slice", [x, int64(0), int64(1), int64(2)], "axis 2 is outside of [-2, 2)"],
  [
    "Split",
    [x],
    "an axis of 3 cannot be split into 2 equal parts",
    { version: 13, outputs: 2, attributes: { axis: 1 } },
  ],
  [
    "Split",
    [x, int64(1, 1)],
    "the sizes [1,1] must add up to 3, the size of axis 1",
    { outputs: 2, attributes: { axis: 1 } },
  ],
  ["Squeeze", [x, int64(0)], "axis 0 of [2,3] must have the size 1"],
  ["Unsqueeze", [x, int64(0, 0)], "the axes [0,0] must be different"],
  ["Reshape", [x, int64(4, -1)], "[2,3] cannot be reshaped to [4,-1]"],
  ["Reshape", [x, int64(1, 2, 0)], "axis 2 of the shape [1,2,0] copies a size that [2,3] has not"],
  ["Transpose", [x], "the attribute perm must have 2 axes for [2,3], got [0]", { attributes: { perm: [0] } }],
  ["Tile", [x, int64(2)], "input 1 must have one number for each of the 2 axes, got [2]"],
  ["Gather", [x, int64(2)], "index 2 is out of bounds"],
  ["GatherND", [x, int64(0, 0, 0)], "the indices [3] address more axes than there are: 2"],
  ["ScatterND", [x, int64(0).reshape([1, 1]), tensor([1])], "input 2 must have the shape [1,3], got [1]"],
  [
    "ScatterElements",
    [x, int64(0).reshape([1, 1]), tensor([[1]])],
    "the attribute reduction must be none, add, mul, max or min",
    { attributes: { reduction: "sub" } },
  ],
  ["Pad", [x, int64(0, 1)], "pads must have two numbers for each of 2 axes, got [0,1]"],
  [
    "Pad",
    [x, int64(0, 1, 0, 1)],
    'the attribute mode must be constant, reflect, edge or wrap, got "mirror"',
    { attributes: { mode: "mirror" } },
  ],
  ["Pad", [x, int64(0, 2 ** 40, 0, 0)], "the size of axis 1 must be an integer", { attributes: { mode: "edge" } }],
  ["Split", [x], "num_outputs must be an integer", { attributes: { num_outputs: 2 ** 40 } }],
  ["SplitToSequence", [zeros([2 ** 30, 0])], "the number of parts must be an integer"],
  ["DepthToSpace", [x], "the input must have 4 axes, got [2,3]", { attributes: { blocksize: 2 } }],
  ["Range", [tensor(1), tensor(2), tensor(0)], "input 2, the step, must not be 0"],
  ["Constant", [], "the node has no attribute with a value"],
  ["Concat", [x, x], "the attribute axis is missing"],
  ["Trilu", [tensor([1])], "the input must have at least 2 axes, got [1]"],
];

test.each(errors.map((row, k) => [k, ...row] as const))(
  "%i: %s with wrong inputs throws an error",
  (_, op, inputs, message, options) => {
    expect(() => runOperator(op, inputs, options)).toThrow(message);
  },
);
