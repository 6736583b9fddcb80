/**
 * Exported files, run by the importer: every sample of every op that ONNX can express, and networks and functions with symbolic sizes, give the outputs
 * of the library. `bench/onnx/exports.ts` runs the same files in ONNX Runtime.
 */
import { describe, expect, test } from "vitest";
import { arange, compile, dim, dropout, fft, linalg, ones, type Tensor, tensor } from "../../src/index.ts";
import { withoutData } from "../../src/onnx/export/to-onnx.ts";
import { loadOnnx, OnnxError, toOnnx } from "../../src/onnx/index.ts";
import { prepareModel } from "../../src/onnx/load.ts";
import { readModel } from "../../src/onnx/proto/read.ts";
import { writeModel } from "../../src/onnx/proto/write.ts";
import { sameBytes } from "../support/files.ts";
import { exportedOps } from "../support/op-samples.ts";
import { type ExportCase, functionCases, opCases } from "./export-cases.ts";

const numbersOf = (t: Tensor): number[] => [...(t.to("float64").flatten().toArray() as number[])];

/** Expects the outputs of a file to be those of the library: max |a - b| <= 1e-4 max |b|. */
function expectOutputs({ name, bytes, calls }: ExportCase): void {
  const model = prepareModel(readModel(bytes), { compile: false });
  for (const { inputs, outputs } of calls) {
    const results = model.run(Object.fromEntries(model.inputs.map((port, k) => [port.name, inputs[k]])));
    for (const [k, own] of outputs.entries()) {
      const result = results[model.outputs[k].name] as Tensor;
      expect([result.dtype, result.shape], name).toEqual([own.dtype, own.shape]);
      const [a, b] = [numbersOf(own), numbersOf(result)];
      const largest = Math.max(0, ...a.filter(Number.isFinite).map(Math.abs));
      const tolerance = (own.dtype === "float16" || own.dtype === "bfloat16" ? 8e-3 : 1e-4) * largest;
      const isEqual = (x: number, y: number): boolean => Object.is(x, y) || x === y || Math.abs(x - y) <= tolerance;
      expect(
        b.filter((value, at) => !isEqual(value, a[at])),
        `${name}: ${b} for ${a}`,
      ).toEqual([]);
    }
  }
  model.dispose();
}

/** The ops that no sample exports, by the reason. */
const refused = new Map<string, string[]>();

describe("the samples of ops", () => {
  test.each([...exportedOps().keys()])("%s", (name) => {
    const cases = opCases(name);
    for (const each of cases)
      if ("bytes" in each) expectOutputs(each);
      else refused.set(each.reason, [...(refused.get(each.reason) ?? []), name]);
  });
});

test("ops are refused because they have no operator, use complex numbers or bits, or draw random numbers", () => {
  const reasons =
    /has no ONNX operator|uses complex|complex numbers|the bits of|draws random|cannot be compiled|is not exported for|axes that are not the first|reads memory outside/;
  for (const reason of refused.keys()) expect(reason).toMatch(reasons);
});

describe("networks and functions", () => {
  test.each(functionCases().map((each) => [each.name, each] as const))("%s", (_, each) => expectOutputs(each));
});

const model = (fn: (...args: never[]) => unknown, args: readonly unknown[]) => readModel(toOnnx(compile(fn), { args }));

test("a file states its versions, its names, and sizes by name", () => {
  const n = dim("n");
  const bytes = toOnnx(
    compile((x: Tensor) => x.add(1), { inputs: [[n, 2]] }),
    { args: [arange(0, 6).reshape(3, 2)], inputs: ["pixels"], outputs: ["brighter"], metadata: { license: "MIT" } },
  );
  const { irVersion, opsetImport, producerName, metadataProps, graph } = readModel(bytes);
  expect({ irVersion, opsetImport, producerName, metadataProps }).toEqual({
    irVersion: 10,
    opsetImport: [{ domain: "", version: 20 }],
    producerName: "stridewise",
    metadataProps: [{ key: "license", value: "MIT" }],
  });
  const typeOf = { tensorType: { elemType: 1, shape: { dim: [{ dimParam: "n" }, { dimValue: 2 }] } } };
  expect(graph?.input).toMatchObject([{ name: "pixels", type: typeOf }]);
  expect(graph?.output).toMatchObject([{ name: "brighter", type: typeOf }]);
});

test("equal functions have equal files", () => {
  const make = (): Uint8Array =>
    toOnnx(
      compile((x: Tensor) => x.mul(2).softmax(0)),
      { args: [tensor([1, 2])] },
    );
  expect(make()).toEqual(make());
});

test("a graph is exported as the function that it is of", () => {
  const fn = compile((x: Tensor) => x.exp().sum());
  const bytes = toOnnx(fn, { args: [tensor([1, 2, 3])] });
  expect(toOnnx(fn.graph())).toEqual(bytes);
});

test("a loaded model is saved as it was", () => {
  const bytes = toOnnx(
    compile((x: Tensor) => x.matmul(x)),
    {
      args: [
        tensor([
          [1, 2],
          [3, 4],
        ]),
      ],
    },
  );
  const loaded = prepareModel(readModel(bytes), {});
  expect(toOnnx(loaded)).toEqual(bytes);
  expect(() => toOnnx(loaded, { inputs: ["x"] })).toThrow("a loaded model has its own names");
});

test("a loaded model is saved with weights that were read apart from its messages, before and after it runs", async () => {
  const weight = arange(0, 10_000).reshape(100, 100);
  const x = ones([1, 100]);
  const bytes = toOnnx(
    compile((own: Tensor) => own.matmul(weight)),
    { args: [x] },
  );
  const loaded = await loadOnnx(bytes);
  expect(sameBytes(toOnnx(loaded), bytes)).toBe(true);
  loaded.run({ input0: x });
  loaded.run({ input0: x });
  expect(sameBytes(toOnnx(loaded), bytes)).toBe(true);
});

test("the tensors of a model can be moved to a second file", () => {
  const weight = arange(0, 600).reshape(2, 300);
  const whole = model((x: Tensor) => x.matmul(weight), [tensor([[1, 2]])]);
  const { main, data } = withoutData(whole, "model.onnx.data");
  expect(data.map((piece) => piece.length)).toEqual([2400, 4096 - 2400]);
  const read = readModel(writeModel(main));
  const moved = read.graph?.initializer.find(({ dataLocation }) => dataLocation === 1);
  expect(moved?.externalData).toEqual([
    { key: "location", value: "model.onnx.data" },
    { key: "offset", value: "0" },
    { key: "length", value: "2400" },
  ]);
});

test("all ops that cannot be exported are refused at once", () => {
  const fn = (x: Tensor): unknown =>
    linalg
      .inv(x)
      .add(dropout(x, 0.5))
      .add(linalg.det(x))
      .add(linalg.inv(x.add(2)));
  expect(() =>
    model(fn, [
      tensor([
        [1, 2],
        [3, 5],
      ]),
    ]),
  ).toThrow(
    "the graph has ops that cannot be exported: linalg.inv (2 times) has no ONNX operator; rand draws random numbers; linalg.det has no ONNX operator",
  );
  expect(() => model((x: Tensor) => fft.fft(x), [tensor([1, 2])])).toThrow(/fftC2C uses complex64/);
});

test("writes, wrong names and functions without a program throw", () => {
  const counter = tensor([0]);
  expect(() => model((x: Tensor) => counter.add_(x), [tensor([1])])).toThrow("the function writes to");
  const options = { args: [tensor([1])], inputs: ["a", "b"] };
  expect(() =>
    toOnnx(
      compile((x: Tensor) => x.add(1)),
      options,
    ),
  ).toThrow("the option inputs has 2 names");
  expect(() => toOnnx(compile((x: Tensor) => x.add(1)))).toThrow("has no program yet");
  expect(() => toOnnx({} as never)).toThrow("needs a compiled function, a graph or a model of loadOnnx");
  const n = dim("n", { min: 1 });
  const branching = (x: Tensor): Tensor => ((x.shape[0] as number) > 6 ? x.add(1) : x.exp());
  expect(() => toOnnx(compile(branching, { inputs: [[n]] }), { args: [tensor([1, 2])] })).toThrow(OnnxError);
});
