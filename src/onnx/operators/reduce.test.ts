/** Reductions, operators by order, products and random numbers: versions, empty sets, integers, half floats and errors. */
import { describe, expect, test } from "vitest";
import { type OperatorCase, runOperator, textOf } from "../../../test/support/onnx-runs.ts";
import { type DType, type Tensor, tensor, zeros } from "../../index.ts";
import { DataType } from "../proto/types.ts";
import { type OnnxValue, TextTensor } from "../values.ts";

const int64 = (...values: (bigint | number)[]) => tensor(BigInt64Array.from(values, BigInt));
const of = (dtype: DType, ...values: number[]) => tensor(values, { dtype });
const x = tensor([
  [1, 2, 3],
  [4, 5, 6],
]);
const big = 2n ** 53n + 1n;
const empty = zeros([2, 0]);

type Row = readonly [op: string, inputs: readonly (OnnxValue | null)[], expected: string, options?: OperatorCase];

const rows: readonly Row[] = [
  ["ReduceSum", [x], "float32[1,1] [21]"],
  ["ReduceSum", [x, int64(-1)], "float32[2] [6,15]", { version: 13, attributes: { keepdims: 0 } }],
  ["ReduceSum", [x], "float32[2,1] [6,15]", { version: 11, attributes: { axes: [-1] } }],
  ["ReduceSum", [x, int64()], "float32[2,3] [1,2,3,4,5,6]", { attributes: { noop_with_empty_axes: 1 } }],
  ["ReduceSum", [int64(big, 1)], `int64[1] [${big + 1n}]`],
  ["ReduceSum", [of("int32", 2147483647, 1)], "int32[1] [-2147483648]"],
  ["ReduceSum", [tensor(5)], "float32[] [5]"],
  ["ReduceSum", [empty, int64(1)], "float32[2,1] [0,0]"],
  ["ReduceProd", [empty, int64(1)], "float32[2,1] [1,1]"],
  ["ReduceMax", [empty, int64(1)], "float32[2,1] [-Infinity,-Infinity]"],
  [
    "ReduceMin",
    [empty.to("int64"), int64(1)],
    `int64[2] [${2n ** 63n - 1n},${2n ** 63n - 1n}]`,
    { attributes: { keepdims: 0 } },
  ],
  ["ReduceMax", [empty.to("uint8"), int64(1)], "uint8[2,1] [0,0]"],
  ["ReduceMax", [empty.to("bool"), int64(1)], "bool[2,1] [false,false]"],
  ["ReduceMin", [tensor([true, false])], "bool[1] [false]"],
  ["ReduceMax", [of("uint64", 3, 7)], "uint64[1] [7]"],
  ["ReduceLogSum", [empty, int64(1)], "float32[2,1] [-Infinity,-Infinity]"],
  ["ReduceLogSumExp", [tensor([1000, 1000])], `float32[1] [${Math.fround(1000 + Math.LN2)}]`],
  ["ReduceMean", [of("int32", 1, 2)], "int32[1] [1]"],
  ["ReduceMean", [x], "float32[1,3] [2.5,3.5,4.5]", { version: 13, attributes: { axes: [0] } }],
  ["ReduceL1", [of("int32", -3, 4)], "int32[1] [7]"],
  ["ReduceL2", [of("int32", -3, 4)], "int32[1] [5]"],
  ["ReduceL2", [tensor([-3, 4])], "float32[2] [3,4]", { attributes: { noop_with_empty_axes: 1 } }],
  ["ReduceSumSquare", [int64(-3, 4)], "int64[1] [25]"],
  ["ReduceSumSquare", [of("float16", 1, 2)], "float16[1] [5]"],
  [
    "CumSum",
    [of("int32", 1, 2, 3), int64(-1).reshape([])],
    "int32[3] [5,3,0]",
    { attributes: { exclusive: 1, reverse: 1 } },
  ],
  ["CumSum", [tensor([Infinity, 1]), int64(0)], "float32[2] [0,Infinity]", { attributes: { exclusive: 1 } }],
  ["CumSum", [empty, int64(1)], "float32[2,0] []", { attributes: { exclusive: 1 } }],
  ["CumProd", [int64(big, 1), int64(0)], `int64[2] [${big},${big}]`],
  ["ArgMax", [tensor([1, 3, 3])], "int64[1] [1]"],
  ["ArgMax", [tensor([1, 3, 3])], "int64[] [2]", { attributes: { select_last_index: 1, keepdims: 0 } }],
  ["ArgMin", [of("int8", 1, -3, -3)], "int64[1] [1]", { version: 11, attributes: { axis: -1 } }],
  ["TopK", [tensor([3, 1, 3]), int64(2)], "float32[2] [3,3]"],
  ["TopK", [int64(big, big - 1n), int64(1)], `int64[1] [${big - 1n}]`, { attributes: { largest: 0 } }],
  ["TopK", [tensor([3, 1, 4])], "float32[1] [4]", { version: 9, attributes: { k: 1 } }],
  ["ArgMax", [zeros([2, 0, 0])], "int64[2,1,0] []", { attributes: { axis: 1 } }],
  ["ArgMin", [zeros([0, 0])], "int64[0] []", { attributes: { keepdims: 0 } }],
  ["Hardmax", [tensor([[1, 3, 3]])], "float32[1,3] [0,1,0]"],
  ["Hardmax", [zeros([2, 0])], "float32[2,0] []"],
  ["Hardmax", [zeros([0, 3])], "float32[0,3] []", { version: 11 }],
  [
    "Hardmax",
    [
      tensor([
        [
          [1, 2],
          [4, 3],
        ],
      ]),
    ],
    "float32[1,2,2] [0,0,1,0]",
    { version: 11 },
  ],
  ["Unique", [new TextTensor([3], ["b", "a", "b"])], 'string[2] ["a","b"]'],
  ["Unique", [new TextTensor([3], ["b", "a", "b"])], 'string[2] ["b","a"]', { attributes: { sorted: 0 } }],
  ["MatMul", [int64(big, 0).reshape([1, 2]), int64(1, 1)], `int64[1] [${big}]`],
  ["MatMul", [of("uint32", 3).reshape([1, 1]), of("uint32", 4000000000).reshape([1, 1])], "uint32[1,1] [3410065408]"],
  [
    "Gemm",
    [x, x, tensor([[1], [2]])],
    "float32[2,2] [14.5,23.5,31,53.5]",
    { attributes: { transB: 1, alpha: { float: 0.5 }, beta: { float: 7.5 } } },
  ],
  ["Gemm", [x, x], "float32[2,2] [14,32,32,77]", { version: 13, attributes: { transB: 1 } }],
  ["Gemm", [of("int32", 2).reshape([1, 1]), of("int32", 3).reshape([1, 1]), of("int32", 4)], "int32[1,1] [10]"],
  ["Einsum", [x, x], "float32[2,2] [14,32,32,77]", { attributes: { equation: "i j, k j" } }],
  ["Einsum", [x], "float32[] [21]", { attributes: { equation: "...ij ->" } }],
  ["Det", [of("float16", 1, 2, 3, 4).reshape([2, 2])], "float16[] [-2]"],
  ["Dropout", [x], "float32[2,3] [1,2,3,4,5,6]", { version: 7, outputs: 1, attributes: { ratio: { float: 0.9 } } }],
];

test.each(rows.map((row, k) => [k, ...row] as const))("%i: %s", (_, op, inputs, expected, options) => {
  const [value] = runOperator(op, inputs, { ...options, ...(op === "TopK" ? { outputs: 2 } : {}) });
  expect(textOf(value)).toBe(expected);
});

test("TopK puts the first of equal elements first", () => {
  for (const sorted of [0, 1]) {
    const [, indices] = runOperator("TopK", [tensor([1, 3, 3, 3]), int64(2)], { outputs: 2, attributes: { sorted } });
    expect(textOf(indices)).toBe("int64[2] [1,2]");
  }
});

test("Unique returns first indices, inverse indices and counts", () => {
  const results = runOperator("Unique", [tensor([2, 1, 1, 3])], { outputs: 4, attributes: { sorted: 0 } });
  expect(results.map(textOf)).toEqual([
    "float32[3] [2,1,3]",
    "int64[3] [0,1,3]",
    "int64[4] [0,1,1,2]",
    "int64[3] [1,2,1]",
  ]);
  const columns = runOperator(
    "Unique",
    [
      tensor([
        [2, 1, 2],
        [0, 5, 0],
      ]),
    ],
    { outputs: 2, attributes: { axis: -1 } },
  );
  expect(columns.map(textOf)).toEqual(["float32[2,2] [1,2,5,0]", "int64[2] [1,0]"]);
});

describe("random numbers", () => {
  const draw = (op: string, inputs: readonly OnnxValue[], attributes: OperatorCase["attributes"]): Tensor =>
    runOperator(op, inputs, { attributes: { seed: { float: 3 }, ...attributes } })[0] as Tensor;
  const mean = (t: Tensor): number => t.to("float64").mean().item() as number;

  test.each([
    ["RandomUniform", { shape: [50, 40], low: { float: 2 }, high: { float: 4 } }, 3, 0.05],
    ["RandomNormal", { shape: [50, 40], mean: { float: -1 }, scale: { float: 0.5 }, dtype: DataType.DOUBLE }, -1, 0.05],
    ["RandomNormal", { shape: [50, 40], dtype: DataType.FLOAT16 }, 0, 0.1],
  ] as const)("%s has the mean that its attributes state", (op, attributes, expected, distance) => {
    const t = draw(op, [], attributes);
    expect(t.shape).toEqual([50, 40]);
    expect(Math.abs(mean(t) - expected)).toBeLessThan(distance);
  });

  test("Bernoulli and Multinomial draw by probabilities", () => {
    const p = tensor(Float32Array.from({ length: 2000 }, () => 0.25));
    expect(Math.abs(mean(draw("Bernoulli", [p], {})) - 0.25)).toBeLessThan(0.05);
    const rows = tensor([
      [Math.log(1), Math.log(3)],
      [0, -Infinity],
    ]);
    const samples = draw("Multinomial", [rows], { sample_size: 1000, dtype: DataType.INT64 });
    expect([samples.dtype, samples.shape]).toEqual(["int64", [2, 1000]]);
    expect(Math.abs(mean(samples.select(0, 0)) - 0.75)).toBeLessThan(0.06);
    expect(mean(samples.select(0, 1))).toBe(0);
  });

  test("Dropout keeps or scales elements in training, and keeps all without it", () => {
    const ones = tensor(Float32Array.from({ length: 2000 }, () => 1));
    const [y, mask] = runOperator("Dropout", [ones, tensor(0.75), tensor(true)], {
      outputs: 2,
      attributes: { seed: 5 },
    }) as Tensor[];
    expect(mask.dtype).toBe("bool");
    expect(y.toArray()).toEqual((mask.toArray() as boolean[]).map((isKept) => (isKept ? 4 : 0)));
    expect(Math.abs(mean(y) - 1)).toBeLessThan(0.15);
    const [same, all] = runOperator("Dropout", [x], { version: 7, outputs: 2 });
    expect([same, all].map(textOf)).toEqual(["float32[2,3] [1,2,3,4,5,6]", "float32[2,3] [1,1,1,1,1,1]"]);
  });
});

type ErrorRow = readonly [op: string, inputs: readonly (OnnxValue | null)[], message: string, options?: OperatorCase];

const errors: readonly ErrorRow[] = [
  ["ReduceSum", [x, int64(2)], "axis 2 is outside of [-2, 2)"],
  ["TopK", [x, int64(4)], "k is 4, but axis 1 of [2,3] has 3 elements", { outputs: 2 }],
  ["CumSum", [x, int64(-3)], "axis -3 is outside of [-2, 2)"],
  ["Gemm", [x, tensor([1])], "input 1 must have 2 axes, got [1]"],
  ["MatMul", [x, x], "matmul"],
  ["Dropout", [x, tensor(1), tensor(true)], "input 1, the ratio, must be in [0, 1), got 1", { outputs: 1 }],
];

test.each(errors.map((row, k) => [k, ...row] as const))(
  "%i: %s with wrong inputs throws an error",
  (_, op, inputs, message, options) => {
    expect(() => runOperator(op, inputs, options)).toThrow(message);
  },
);
