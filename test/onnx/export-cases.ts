/**
 * Cases of the export: the samples of all ops, and networks and functions with symbolic sizes. Each case has the bytes of a file, and calls with the
 * outputs that running it must return. The test runs them by the library's importer, `bench/onnx/exports.ts` by ONNX Runtime.
 */
import * as stridewise from "../../src/index.ts";
import { _, compile, cond, dim, manualSeed, noGrad, scan, type Tensor, tensor, whileLoop } from "../../src/index.ts";
import * as nn from "../../src/nn/index.ts";
import { OnnxError, toOnnx } from "../../src/onnx/index.ts";
import { integerConvolution, integerMatmul } from "../../src/ops/contract/integer-products.ts";
import { tensorsIn } from "../support/op-results.ts";
import { argumentsOf, exportedOps, mapTensors, samplesOf } from "../support/op-samples.ts";

/** One call: the tensors among the arguments, and the outputs. */
export interface ExportCall {
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
}

export interface ExportCase {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly calls: readonly ExportCall[];
}

/** An export that was refused, with the reason. */
export interface Refusal {
  readonly name: string;
  readonly reason: string;
}

const tensorsOf = (value: unknown): Tensor[] => {
  const list: Tensor[] = [];
  mapTensors(value, (t) => {
    list.push(t);
    return t;
  });
  return list;
};

/** Functions whose results are not a function of the shapes of their arguments, or that read elements; they cannot be compiled. */
const cannotCompile = /are not known before the compiled function runs|which are not known|has no program yet/;

/** The samples of an op, exported. */
export function opCases(name: string): readonly (ExportCase | Refusal)[] {
  const op = exportedOps().get(name) as NonNullable<ReturnType<ReturnType<typeof exportedOps>["get"]>>;
  return samplesOf(name, op).map((sample) => {
    const title = `${name}(${sample})`;
    const args = argumentsOf(sample);
    manualSeed(0);
    try {
      const bytes = toOnnx(
        compile((...own: never[]) => op(...own)),
        { args },
      );
      const outputs = tensorsIn(noGrad(() => op(...args)) as never) as Tensor[];
      return { name: title, bytes, calls: [{ inputs: tensorsOf(args), outputs }] };
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof OnnxError && message.includes("ops that cannot be exported")) {
        const [, reasons] = message.split("cannot be exported: ");
        return { name: title, reason: reasons };
      }
      if (cannotCompile.test(message)) return { name: title, reason: "cannot be compiled" };
      throw error;
    }
  });
}

type Fn = (...args: never[]) => unknown;

/** Exports a function with symbolic sizes, and calls it for several of them. */
function symbolicCase(
  name: string,
  fn: Fn,
  shapes: readonly (readonly (number | ReturnType<typeof dim>)[])[],
  callsOf: readonly (readonly Tensor[])[],
): ExportCase {
  const bytes = toOnnx(compile(fn, { inputs: shapes }), { args: callsOf[0] });
  const calls = callsOf.map((inputs) => ({
    inputs,
    outputs: noGrad(() => tensorsIn(fn(...(inputs as never[])) as never)) as Tensor[],
  }));
  return { name, bytes, calls };
}

const random = (...shape: number[]): Tensor => stridewise.randn(shape) as Tensor;
const int64 = (values: readonly (number | readonly number[])[]): Tensor =>
  tensor(values as number[], { dtype: "int64" });

/** Windows of one axis. */
const windowsOf = (kernel: number, pad: number) => ({
  kernel: [kernel],
  stride: [1],
  dilation: [1],
  before: [pad],
  after: [pad],
});

/** Networks and functions, most with a dimension of any size. */
export function functionCases(): readonly ExportCase[] {
  manualSeed(1);
  const batch = dim("batch");
  const n = dim("n", { min: 1 });
  const even = dim("even", { min: 2, multipleOf: 2 });
  const mlp = new nn.Sequential(
    new nn.Linear(8, 16),
    new nn.GELU(),
    new nn.LayerNorm(16),
    new nn.Dropout(0.5),
    new nn.Linear(16, 4),
    new nn.Softmax(-1),
  ).eval();
  const conv = new nn.Sequential(
    new nn.Conv2d(3, 8, 3, { padding: 1 }),
    new nn.BatchNorm2d(8),
    new nn.ReLU(),
    new nn.MaxPool2d(2),
    new nn.Conv2d(8, 8, 3, { stride: 2, groups: 2 }),
    new nn.SiLU(),
    new nn.AvgPool2d(2, { padding: 1 }),
    new nn.Flatten(),
    new nn.Linear(32, 5),
  ).eval();
  const lstm = new nn.LSTM(6, 5, { batchFirst: true }).eval();
  const gru = new nn.GRU(6, 5).eval();
  const block = new nn.TransformerEncoderLayer(16, 4, { dimFeedforward: 32 }).eval();
  const table = new nn.Embedding(20, 16).eval();
  const up = new nn.ConvTranspose2d(2, 3, 3, { stride: 2, outputPadding: 1 }).eval();
  const group = new nn.GroupNorm(2, 4).eval();
  const apply =
    (module: nn.Module): ((...args: Tensor[]) => unknown) =>
    (...args) =>
      (module as unknown as { forward(...own: Tensor[]): unknown }).forward(...args);
  return [
    symbolicCase(
      "a multilayer perceptron",
      apply(mlp),
      [[batch, 8]],
      [random(3, 8), random(1, 8), random(7, 8)].map((x) => [x]),
    ),
    symbolicCase(
      "a convolutional network",
      apply(conv),
      [[batch, 3, 16, 16]],
      [[random(2, 3, 16, 16)], [random(1, 3, 16, 16)]],
    ),
    symbolicCase(
      "a convolutional network of any size",
      apply(up),
      [[batch, 2, n, n]],
      [[random(2, 2, 4, 4)], [random(1, 2, 7, 7)]],
    ),
    symbolicCase("an LSTM", apply(lstm), [[batch, 4, 6]], [[random(2, 4, 6)], [random(5, 4, 6)]]),
    symbolicCase("a GRU", apply(gru), [[4, batch, 6]], [[random(4, 2, 6)], [random(4, 5, 6)]]),
    symbolicCase(
      "a transformer block",
      apply(block),
      [[batch, n, 16]],
      [[random(2, 5, 16)], [random(1, 9, 16)], [random(3, 1, 16)]],
    ),
    symbolicCase("a group normalization", apply(group), [[batch, 4, n]], [[random(2, 4, 3)], [random(1, 4, 8)]]),
    symbolicCase(
      "causal attention over embedded tokens",
      (tokens: Tensor) => {
        const x = (apply(table)(tokens) as Tensor).add(
          stridewise
            .arange(0, tokens.shape[1] as number)
            .unsqueeze(1)
            .mul(0.1),
        );
        const heads = x.reshape([tokens.shape[0] as number, tokens.shape[1] as number, 4, 4]).transpose(1, 2);
        const y = stridewise.scaledDotProductAttention(heads, heads, heads, { isCausal: true });
        return y
          .transpose(1, 2)
          .reshape([tokens.shape[0] as number, tokens.shape[1] as number, 16])
          .select(1, -1);
      },
      [[batch, n]],
      [
        [int64([[1, 2, 3]])],
        [
          int64([
            [4, 5],
            [6, 19],
          ]),
        ],
      ],
    ),
    symbolicCase(
      "sizes in expressions",
      (x: Tensor, y: Tensor) => {
        const [rows, columns] = x.shape as [number, number];
        const halves = x.reshape([rows, columns / 2, 2]);
        const joined = stridewise.cat([halves.reshape([rows * (columns / 2), 2]), stridewise.ones([1, 2])], 0);
        return [
          joined,
          x.narrow(1, columns / 2, columns / 2),
          x.flip(1),
          x.mean(),
          stridewise.zeros([rows, 3]).add(y),
          x.variance(0),
          y.expand([rows, 3]),
        ];
      },
      [
        [n, even],
        [1, 3],
      ],
      [
        [random(3, 4), random(1, 3)],
        [random(5, 8), random(1, 3)],
      ],
    ),
    symbolicCase(
      "products of narrow integers",
      (x: Tensor, y: Tensor) => {
        const [wide, bytes] = [x.sub(tensor(200, { dtype: "int16" })), y.to("uint8")];
        return [
          integerMatmul(wide, y),
          integerMatmul(bytes, y.T),
          integerConvolution(
            wide.T.unsqueeze(0),
            y
              .to("int16")
              .mul(tensor(90, { dtype: "int16" }))
              .reshape([2, 4, 2]),
            windowsOf(2, 1),
            1,
          ),
          integerConvolution(bytes.unsqueeze(0), y.reshape([4, 2, 2]), windowsOf(2, 0), 2),
        ];
      },
      [
        [n, 4],
        [4, 4],
      ],
      [3, 6].map((rows) => [
        stridewise.randint(-300, 300, [rows, 4], { dtype: "int16" }),
        stridewise.randint(-128, 128, [4, 4], { dtype: "int8" }),
      ]),
    ),
    symbolicCase(
      "repeated rows",
      (x: Tensor) => [stridewise.repeatInterleave(x, 3, 0), stridewise.repeatInterleave(x, 2, 1)],
      [[n, 4]],
      [[random(3, 4)], [random(1, 4)]],
    ),
    symbolicCase(
      "several tensors of indices",
      (x: Tensor, at: Tensor) => {
        const rows = at.unsqueeze(1);
        return [
          x.at(at, at),
          x.at(_, rows, at),
          x.at(_, at, _, at),
          x.at(at, _, rows),
          x.at(_, stridewise.range(1, 4, 2), _, 3),
        ];
      },
      [[4, 4, 4, 4], [n]],
      [
        [random(4, 4, 4, 4), int64([1, -1, 0])],
        [random(4, 4, 4, 4), int64([2])],
      ],
    ),
    symbolicCase(
      "a choice",
      (x: Tensor) =>
        cond(
          x.sum().gt(0),
          () => x.mul(2),
          () => x.sub(1),
        ),
      [[n]],
      [[tensor([1, 2, 3])], [tensor([-1, -2])]],
    ),
    symbolicCase(
      "a loop",
      (x: Tensor) =>
        whileLoop(
          (each) => each.norm().lt(100),
          (each) => each.mul(2),
          x,
        ),
      [[n]],
      [[tensor([1, 2, 3])], [tensor([-1, 400])]],
    ),
    symbolicCase(
      "a scan",
      (x: Tensor, w: Tensor) =>
        scan((state: Tensor, row: Tensor) => [state.matmul(w).add(row).tanh(), state.sum()], stridewise.zeros([3]), x, {
          reverse: true,
        }),
      [
        [n, 3],
        [3, 3],
      ],
      [
        [random(4, 3), random(3, 3)],
        [random(6, 3), random(3, 3)],
      ],
    ),
  ];
}
