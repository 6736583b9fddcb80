/** Modules compute the same bits as compiled functions, in a process without the package. */

import {
  compile,
  crossEntropy,
  embedding,
  gelu,
  guard,
  layerNorm,
  noGrad,
  rand,
  randint,
  randn,
  scaledDotProductAttention,
  svd,
  type Tensor,
  tensor,
} from "stridewise";
import { toModule } from "stridewise/module";
import { Conv2d, Linear, MaxPool2d, ReLU, Sequential } from "stridewise/nn";
import { Adam, SGD } from "stridewise/optim";
import { describe, expect, test } from "vitest";
import { type Elements, runStandalone } from "../support/standalone.ts";

const elements = (t: Tensor): Elements => (t.contiguous() as Tensor).toTypedArray() as Elements;

const bits = (values: Elements): Uint8Array => new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** Compiles a function by calls with the first arguments, and compares its module for all arguments. */
function expectSame(fn: (...args: Tensor[]) => Tensor, ...calls: Tensor[][]): void {
  noGrad(() => {
    const fast = compile(fn);
    for (let k = 0; k < 2; k++) fast(...calls[0]);
    const module = toModule(fast, { name: "model" });
    const { results } = runStandalone(
      module,
      calls.map((args) => ({ inputs: args.map(elements) })),
    );
    calls.forEach((args, k) => {
      const result = results[k];
      if (!ArrayBuffer.isView(result)) throw new Error(String(result));
      expect(bits(result as Elements)).toEqual(bits(elements(fast(...args))));
    });
  });
}

describe("a module computes the same bits as the compiled function", () => {
  test("a perceptron", () => {
    const model = new Sequential(new Linear(16, 32), new ReLU(), new Linear(32, 10));
    expectSame((x) => model.forward(x), [randn([8, 16])], [randn([8, 16])]);
  });

  test("layerNorm and gelu", () => {
    const [position, weight, bias] = [randn([16, 32]), randn([32, 8]), randn([8])];
    const block = (x: Tensor): Tensor =>
      gelu(layerNorm(x.add(position), [32]))
        .matmul(weight)
        .add(bias) as Tensor;
    expectSame(block, [randn([4, 16, 32])], [randn([4, 16, 32])]);
  });

  test("a convnet", () => {
    const model = new Sequential(
      new Conv2d(3, 16, 3, { padding: 1 }),
      new ReLU(),
      new MaxPool2d(2),
      new Conv2d(16, 16, 3),
    );
    const even = rand([2, 3, 32, 32]) as Tensor;
    const uneven = even.clone() as Tensor;
    uneven.at(0, 0, 3, 3).fill_(1e20);
    expectSame((x) => model.forward(x), [even], [uneven]);
  });

  test("attention with a mask", () => {
    const [query, key, value] = [randn([32, 32]), randn([32, 32]), randn([32, 32])];
    const block = (x: Tensor): Tensor => {
      const heads = (w: Tensor): Tensor => x.matmul(w).reshape(2, 12, 4, 8).transpose(1, 2) as Tensor;
      const out = scaledDotProductAttention(heads(query), heads(key), heads(value), { isCausal: true });
      return out.transpose(1, 2).reshape(2, 12, 32) as Tensor;
    };
    expectSame(block, [randn([2, 12, 32])], [randn([2, 12, 32])]);
  });
});

describe("a training step", () => {
  test("updates the parameters in the memory of the module", () => {
    const model = new Sequential(new Linear(8, 16), new ReLU(), new Linear(16, 4));
    const optimizer = new SGD(model.parameters(), { lr: 0.1, momentum: 0.9 });
    const step = compile((x: Tensor, labels: Tensor) => {
      optimizer.zeroGrad();
      const loss = crossEntropy(model.forward(x), labels);
      loss.backward();
      optimizer.step();
      return loss.detach() as Tensor;
    });
    const batch = (): Tensor[] => [randn([12, 8]) as Tensor, randint(0, 4, [12]) as Tensor];
    for (let k = 0; k < 3; k++) step(...(batch() as [Tensor, Tensor]));
    const module = toModule(step, { state: model.stateDict() });
    const batches = Array.from({ length: 5 }, batch);
    const names = Object.keys(model.stateDict());
    const { results, state } = runStandalone(
      module,
      batches.map((args) => ({ inputs: args.map(elements) })),
      names,
    );
    const losses = batches.map((args) => elements(step(...(args as [Tensor, Tensor]))));
    expect(results).toEqual(losses);
    for (const [name, t] of Object.entries(model.stateDict()))
      expect(bits(state[name]), name).toEqual(bits(elements(t)));
  });

  test("numbers of the optimizer are set from outside", () => {
    const weight = randn([4]).requiresGrad_() as Tensor;
    const optimizer = new Adam([weight], { lr: 0.1 });
    const step = compile((x: Tensor) => {
      optimizer.zeroGrad();
      const loss = weight.mul(x).square().sum();
      loss.backward();
      optimizer.step();
      return loss.detach() as Tensor;
    });
    const x = randn([4]) as Tensor;
    for (let k = 0; k < 3; k++) step(x);
    const module = toModule(step, { name: "adam", state: { weight } });
    expect(module.files["adam.d.ts"]).toContain("readonly numbers: {");
    const { results, state } = runStandalone(module, [{ inputs: [elements(x)] }], ["weight"]);
    // The first run has the numbers of the last call: the weight moves by a step of that call.
    expect(results[0]).toEqual(elements(weight.mul(x).square().sum() as Tensor));
    expect(state["weight"]).not.toEqual(elements(weight));
  });
});

describe("arguments and results", () => {
  test("every dtype is passed as the typed array that holds it", () => {
    const table = tensor([1, 2, 3], { dtype: "int64" });
    const fn = compile((a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor) => ({
      a: a.add(table),
      list: [b.mul(2), c.mul(c)],
      d: d.logicalNot(),
      e: e.add(1),
      size: a.shape[0],
      none: null,
    }));
    const args = [
      tensor([5, 6, 7], { dtype: "int64" }),
      tensor([0.5, 1.5], { dtype: "float16" }),
      tensor([{ re: 1, im: 2 }], { dtype: "complex64" }),
      tensor([true, false]),
      tensor([1, 2], { dtype: "bfloat16" }),
    ] as unknown as [Tensor, Tensor, Tensor, Tensor, Tensor];
    for (let k = 0; k < 2; k++) fn(...args);
    const module = toModule(fn, { name: "dtypes" });
    const inputs = [
      BigInt64Array.of(5n, 6n, 7n),
      Uint16Array.of(0x3800, 0x3e00),
      Float32Array.of(1, 2),
      Uint8Array.of(1, 0),
      Uint16Array.of(0x3f80, 0x4000),
    ];
    const { results } = runStandalone(module, [{ inputs }]);
    expect(results[0]).toEqual({
      a: BigInt64Array.of(6n, 8n, 10n),
      list: [Uint16Array.of(0x3c00, 0x4200), Float32Array.of(-3, 4)],
      d: Uint8Array.of(0, 1),
      e: Uint16Array.of(0x4000, 0x4040),
      size: 3,
      none: null,
    });
    expect(module.files["dtypes.d.ts"]).toMatchInlineSnapshot(`
      "// The declarations of dtypes.js, written by Stridewise.

      /** The tensors that the function captured, in the memory of the module. */
      export type State = "captured0";

      export interface Model {
        /**
         * Computes the function. All typed arrays are row-major.
         * - input0: int64[3]
         * - input1: float16[2]
         * - input2: complex64[1]
         * - input3: bool[2]
         * - input4: bfloat16[2]
         * - output 0: int64[3]
         * - output 1: float16[2]
         * - output 2: complex64[1]
         * - output 3: bool[2]
         * - output 4: bfloat16[2]
         */
        run(inputs: readonly [input0: BigInt64Array, input1: Uint16Array, input2: Float32Array, input3: Uint8Array, input4: Uint16Array]): { a: BigInt64Array; list: [Uint16Array, Float32Array]; d: Uint8Array; e: Uint16Array; size: number; none: null; };
        /** Returns a copy of captured0, int64[3]. */
        read(tensor: "captured0"): BigInt64Array;
        /** Replaces the elements of a tensor that the function captured. */
        write(tensor: State, values: ArrayBufferView): void;
        /** Numbers that the next run uses. */
        readonly numbers: {};
      }

      /** Loads the module: the .wasm file next to the .js file, or a URL, bytes, a response or a compiled module. */
      export function load(source?: URL | string | BufferSource | Response | WebAssembly.Module | Promise<Response>): Promise<Model>;
      "
    `);
  });

  test("writes to arguments are copied back, and transposed results are row-major", () => {
    const fn = compile((x: Tensor, y: Tensor) => {
      y.add_(1);
      return [x.T.mul(2), y, x.at(1)];
    });
    for (let k = 0; k < 2; k++) fn(randn([2, 3]) as Tensor, randn([2]) as Tensor);
    const { results, inputs } = runStandalone(toModule(fn), [
      { inputs: [Float32Array.of(1, 2, 3, 4, 5, 6), Float32Array.of(7, 8)] },
    ]);
    const [x, y] = [Float32Array.of(1, 2, 3, 4, 5, 6), Float32Array.of(8, 9)];
    expect(results[0]).toEqual([Float32Array.of(2, 8, 4, 10, 6, 12), y, Float32Array.of(4, 5, 6)]);
    expect(inputs[0]).toEqual([x, y]);
  });

  test("indices out of bounds and wrong typed arrays throw", () => {
    const table = randn([10, 4]) as Tensor;
    const fn = compile((index: Tensor) => embedding(index, table));
    for (let k = 0; k < 2; k++) fn(tensor([1, 2, 3], { dtype: "int64" }) as Tensor);
    const inputs = [
      [BigInt64Array.of(1n, 9n, 0n)],
      [BigInt64Array.of(1n, 10n, 0n)],
      [BigInt64Array.of(1n)],
      [Float32Array.of(1, 2, 3)],
      [],
    ];
    const { results } = runStandalone(
      toModule(fn, { name: "lookup" }),
      inputs.map((each) => ({ inputs: each })),
    );
    expect(results[0]).toHaveLength(12);
    expect(results.slice(1)).toMatchInlineSnapshot(`
      [
        "RangeError: lookup: embedding: index 10 is out of bounds for size 10",
        "TypeError: lookup: input 0 must be a BigInt64Array of 3 elements, for int64[3]",
        "TypeError: lookup: input 0 must be a BigInt64Array of 3 elements, for int64[3]",
        "TypeError: lookup: run needs a list of 1 typed arrays",
      ]
    `);
  });
});

describe("routines, random numbers and wrong arguments are refused", () => {
  const compiled = (fn: (...args: Tensor[]) => unknown, ...args: Tensor[]): ((...args: Tensor[]) => unknown) => {
    const fast = compile(fn);
    for (let k = 0; k < 2; k++) fast(...args);
    return fast;
  };
  const x = randn([4, 4]) as Tensor;

  test.each<[string, () => unknown]>([
    ["a routine", () => toModule(compiled((a) => svd(a).S, x))],
    ["sorting", () => toModule(compiled((a) => a.sort(0).values, x))],
    ["random numbers", () => toModule(compiled((a) => a.add(randn([4, 4])), x))],
    ["a function that was not compiled", () => toModule((() => x) as never)],
    ["a function that was called once", () => toModule(compile((a: Tensor) => a.add(1)))],
    [
      "another target",
      () =>
        toModule(
          compiled((a) => a.add(1), x),
          { target: "cjs" as never },
        ),
    ],
    [
      "an unknown option",
      () =>
        toModule(
          compiled((a) => a.add(1), x),
          { names: {} } as never,
        ),
    ],
    [
      "a path as a name",
      () =>
        toModule(
          compiled((a) => a.add(1), x),
          { name: "a/b" },
        ),
    ],
  ])("%s", (_name, build) => {
    expect(build).toThrowErrorMatchingSnapshot();
  });

  test("a guarded value that has changed", () => {
    let flag = true;
    const fast = compiled((a) => (guard(() => flag) ? a.add(1) : a.sub(1)), x);
    flag = false;
    expect(() => toModule(fast)).toThrowErrorMatchingInlineSnapshot(
      `[GraphError: toModule: a guarded value has changed since the last call. Call the function again first]`,
    );
  });
});
