/** Modules whose sizes are arguments: every size of a range computes the same bits as the compiled function. */

import {
  arange,
  type Compiled,
  compile,
  type Dim,
  dim,
  embedding,
  gelu,
  layerNorm,
  noGrad,
  ones,
  randint,
  randn,
  scaledDotProductAttention,
  type Tensor,
} from "stridewise";
import { type StandaloneModule, toModule } from "stridewise/module";
import { Conv1d, Linear, MaxPool1d, ReLU, Sequential } from "stridewise/nn";
import { describe, expect, test } from "vitest";
import { type Elements, runStandalone } from "../support/standalone.ts";

const elements = (t: Tensor): Elements => (t.contiguous() as Tensor).toTypedArray() as Elements;

type Fn = (...args: Tensor[]) => Tensor;

/** Compiles a function, and compares its module at some sizes. Returns the module. */
function expectSame(
  fn: Fn,
  inputs: readonly (readonly (number | Dim)[])[],
  sizes: readonly Readonly<Record<string, number>>[],
  create: (shape: readonly number[], k: number) => Tensor = (shape) => randn(shape) as Tensor,
): StandaloneModule {
  return noGrad(() => {
    const fast: Compiled<Fn> = compile(fn, { inputs });
    const argsAt = (at: Readonly<Record<string, number>>): Tensor[] =>
      inputs.map((shape, k) =>
        create(
          shape.map((size) => (typeof size === "number" ? size : at[size.name])),
          k,
        ),
      );
    for (let k = 0; k < 2; k++) fast(...argsAt(sizes[0]));
    const module = toModule(fast, { name: "model" });
    const calls = sizes.map((at) => ({ sizes: at, args: argsAt(at) }));
    const { results } = runStandalone(
      module,
      calls.map(({ sizes: at, args }) => ({ sizes: at, inputs: args.map(elements) })),
    );
    calls.forEach(({ sizes: at, args }, k) => {
      expect(results[k], JSON.stringify(at)).toEqual(elements(fast(...args)));
    });
    return module;
  });
}

const upTo = (max: number, ...more: number[]): Readonly<Record<string, number>>[] =>
  [...Array.from({ length: max }, (_, k) => k + 1), ...more].map((n) => ({ n }));

const text = (module: StandaloneModule, file: string): string => module.files[file] as string;

describe("one size", () => {
  test("a chain and a mean, for few sizes", () => {
    const n = dim("n", { max: 9 });
    const module = expectSame((x) => x.mul(2).add(1).relu().mean() as Tensor, [[n, 7]], upTo(9));
    expect(text(module, "model.d.ts")).toContain("input0: float32[n, 7]");
  });

  test("a perceptron, up to sizes where products are packed", () => {
    const model = new Sequential(new Linear(16, 64), new ReLU(), new Linear(64, 10));
    const module = expectSame(
      (x) => model.forward(x).softmax(-1) as Tensor,
      [[dim("n", { max: 4096 }), 16]],
      upTo(20, 63, 64, 65, 255, 1000, 4095, 4096),
    );
    expect(text(module, "model.js").slice(0, 2500)).toMatchSnapshot();
  });

  test("layerNorm and gelu", () => {
    const [position, weight, bias] = [randn([16, 32]), randn([32, 8]), randn([8])] as unknown as [
      Tensor,
      Tensor,
      Tensor,
    ];
    const block: Fn = (x) =>
      gelu(layerNorm(x.add(position), [32]))
        .matmul(weight)
        .add(bias) as Tensor;
    expectSame(block, [[dim("n", { max: 300 }), 16, 32]], upTo(5, 17, 299, 300));
  });

  test("attention over a sequence of any length", () => {
    const weights = [randn([32, 32]), randn([32, 32]), randn([32, 32])] as unknown as Tensor[];
    const block: Fn = (x) => {
      const n = x.shape[0];
      const [q, k, v] = weights.map((w) => x.matmul(w).reshape(n, 4, 8).transpose(0, 1) as Tensor);
      return scaledDotProductAttention(q, k, v).transpose(0, 1).reshape(n, 32) as Tensor;
    };
    expectSame(block, [[dim("n", { max: 200 }), 32]], upTo(8, 50, 127, 128, 129, 199, 200));
  });

  test("convolutions and pooling along a size", () => {
    const model = new Sequential(new Conv1d(2, 4, 3), new ReLU(), new MaxPool1d(2));
    expectSame(
      (x) => model.forward(x),
      [[3, 2, dim("n", { min: 8, max: 120 })]],
      [8, 9, 10, 31, 64, 99, 120].map((n) => ({ n })),
    );
  });

  test("positions, looked-up rows and checks of indices", () => {
    const [table, places] = [randn([10, 4]), randn([64, 4])] as [Tensor, Tensor];
    const fn: Fn = (x) => {
      const at = arange(x.shape[0], { dtype: "int64" }) as Tensor;
      return embedding(x, table).add(embedding(at, places)).sum(0) as Tensor;
    };
    expectSame(fn, [[dim("n", { max: 64 })]], upTo(6, 63, 64), (shape) => randint(0, 10, shape) as Tensor);
  });

  test("multiples", () => {
    const fn: Fn = (x) => x.reshape(-1, 4).sum(1).div(x.shape[0]) as Tensor;
    expectSame(
      fn,
      [[dim("n", { multipleOf: 4, max: 4000 })]],
      [4, 8, 12, 400, 4000].map((n) => ({ n })),
    );
  });
});

test("steps that depend on a size, for few sizes", () => {
  const fn: Fn = (x) => (x.shape[0] % 3 === 0 ? x.sin() : x.cos().sum(0, { keepdims: true })) as Tensor;
  expectSame(fn, [[dim("n", { max: 50 }), 3]], upTo(9, 50));
});

describe("several sizes", () => {
  test("products of two sizes", () => {
    const [m, n] = [dim("m", { max: 20 }), dim("n", { max: 25 })];
    const fn: Fn = (x, y) => x.matmul(y.T).relu().sum(0) as Tensor;
    const sizes = [
      [1, 1],
      [1, 25],
      [20, 1],
      [3, 4],
      [4, 3],
      [7, 7],
      [20, 25],
    ].map(([a, b]) => ({ m: a, n: b }));
    expectSame(
      fn,
      [
        [m, 8],
        [n, 8],
      ],
      sizes,
    );
  });
});

describe("checks", () => {
  const compiled = (fn: Fn, n: Dim): Compiled<Fn> => {
    const fast = compile(fn, { inputs: [[n, 4]] });
    for (let k = 0; k < 2; k++) fast(ones([Math.max(4, n.min), 4]) as Tensor);
    return fast;
  };

  test("sizes outside of the range, and typed arrays of a different size", () => {
    const module = toModule(
      compiled((x) => x.mul(2) as Tensor, dim("n", { min: 2, max: 64, multipleOf: 2 })),
      { name: "twice" },
    );
    const inputs = [new Float32Array(16)];
    const { results } = runStandalone(module, [
      { inputs, sizes: { n: 4 } },
      { inputs, sizes: { n: 66 } },
      { inputs, sizes: { n: 5 } },
      { inputs, sizes: {} },
      { inputs, sizes: { n: 6 } },
    ]);
    expect(results[0]).toEqual(new Float32Array(16));
    expect(results.slice(1)).toMatchInlineSnapshot(`
      [
        "RangeError: twice: n must be a multiple of 2 from 2 to 64, got 66",
        "RangeError: twice: n must be a multiple of 2 from 2 to 64, got 5",
        "RangeError: twice: n must be a multiple of 2 from 2 to 64, got undefined",
        "TypeError: twice: input 0 must be a Float32Array of 24 elements, for float32[6, 4]",
      ]
    `);
  });

  test("a size can be fixed", () => {
    const fast = compiled((x) => x.mul(2) as Tensor, dim("n"));
    const { results } = runStandalone(toModule(fast, { sizes: { n: 2 } }), [{ inputs: [new Float32Array(8).fill(3)] }]);
    expect(results).toEqual([new Float32Array(8).fill(6)]);
  });

  test.each<[string, () => unknown]>([
    ["no largest size", () => toModule(compiled((x) => x.mul(2) as Tensor, dim("n")))],
    [
      "a number that is not a formula",
      () => toModule(compiled((x) => x.mul(Math.sin(x.shape[0])) as Tensor, dim("n", { max: 500 }))),
    ],
    [
      "steps that depend on a size",
      () => toModule(compiled((x) => (x.shape[0] % 3 === 0 ? x.sin() : x.cos()) as Tensor, dim("n", { max: 5000 }))),
    ],
    ["a host step", () => toModule(compiled((x) => x.sort(0).values as Tensor, dim("n", { max: 500 })))],
  ])("%s is refused", (_name, build) => {
    expect(build).toThrowErrorMatchingSnapshot();
  });
});
