/** Compiled functions and what changes between calls: sizes, guarded values, live numbers, generators, state. */
import { describe, expect, test } from "vitest";
import {
  compile,
  dim,
  Generator,
  guard,
  kernelStatistics,
  live,
  ones,
  randn,
  type Tensor,
  tensor,
  zeros,
} from "../../src/index.ts";
import { BatchNorm1d, Dropout, Linear, Sequential } from "../../src/nn/index.ts";
import { Adam } from "../../src/optim/index.ts";

const shapesOf = (fn: { graph(): { inputs: readonly { value: { type: { shape: readonly unknown[] } } }[] } }) =>
  fn.graph().inputs.map(({ value }) => value.type.shape.join(", "));

describe("sizes", () => {
  test("a size that differs is a symbol, and further sizes compile no kernel", () => {
    const weight = randn([8, 4]) as Tensor;
    const plain = (x: Tensor): Tensor => x.add(1).relu().matmul(weight).reshape(-1, 2).sum(1) as Tensor;
    const fast = compile(plain);
    for (const n of [6, 6]) fast(randn([n, 8]) as Tensor);
    expect(shapesOf(fast)[0]).toBe("6, 8");
    fast(randn([5, 8]) as Tensor);
    const before = kernelStatistics().compiled;
    for (const n of [7, 11, 4, 9]) {
      const x = randn([n, 8]) as Tensor;
      expect(fast(x).toArray()).toEqual(plain(x).toArray());
    }
    // The eager calls may compile kernels of their own.
    expect(kernelStatistics().compiled - before).toBeLessThanOrEqual(2);
    expect(shapesOf(fast)[0]).toBe("n, 8");
    expect(fast.graph().outputs[0].type.shape.join()).toBe("2*n");
    expect(fast.explain()).toContain("1 graph, 6 instances");
  });

  test("equal sizes share a symbol; products and windows are fitted", () => {
    const fast = compile((x: Tensor, y: Tensor) => [x.matmul(y.T).reshape(-1), x.unfold(0, 3, 2)]);
    for (const [m, n] of [
      [4, 6],
      [4, 6],
      [5, 7],
      [9, 8],
      [6, 3],
    ])
      fast(randn([m, 2]) as Tensor, randn([n, 2]) as Tensor);
    expect(shapesOf(fast).slice(0, 2)).toEqual(["n, 2", "m, 2"]);
    const [flat, windows] = fast.graph().outputs.map(({ type }) => type.shape.join(", "));
    expect(flat).toBe("m*n");
    expect(windows).toBe("ceil(n/2)-1, 2, 3");
  });

  test("empty tensors and those of size 1", () => {
    const plain = (x: Tensor): Tensor => x.mul(2).sum(0) as Tensor;
    const fast = compile(plain);
    for (const n of [3, 3, 0, 1, 0, 1, 3]) {
      const x = randn([n, 2]) as Tensor;
      expect(fast(x).toArray()).toEqual(plain(x).toArray());
    }
  });

  test("declared dimensions are names with bounds", () => {
    const n = dim("batch", { min: 1, max: 64, multipleOf: 4 });
    const fast = compile((x: Tensor, y: Tensor) => x.add(y).sum(0), {
      inputs: [
        [n, 3],
        [n, null],
      ],
    });
    const call = (...shapes: number[][]): unknown =>
      (fast as unknown as (...args: Tensor[]) => unknown)(...shapes.map((each) => ones(each) as Tensor));
    for (let k = 0; k < 2; k++) call([4, 3], [4, 1]);
    expect(shapesOf(fast)).toEqual(["batch, 3", "batch, 1"]);
    expect(() => call([5, 3], [5, 3])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: compile: batch is 5 (axis 0 of tensor 0), but it must be a multiple of 4 from 1 to 64]`,
    );
    expect(() => call([4, 3], [8, 3])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: compile: batch is 4 (axis 0 of tensor 0) and 8 (axis 0 of tensor 1)]`,
    );
    expect(() => call([4, 2], [4, 2])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: compile: axis 1 of tensor 0 must have size 3, got shape [4, 2]]`,
    );
    expect(() => call([4], [4, 2])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: compile: tensor 0 must have 2 axes, got shape [4]]`,
    );
    expect(() => call([4, 3])).toThrowErrorMatchingInlineSnapshot(
      `[ShapeError: compile: inputs declares 2 tensors, but the call has 1]`,
    );
    expect(() => dim("3n")).toThrowErrorMatchingInlineSnapshot(
      `[StridewiseError: dim: needs a name such as n, got "3n"]`,
    );
    expect(() => dim("n", { min: 5, max: 4 })).toThrowErrorMatchingInlineSnapshot(
      `[StridewiseError: dim: n needs integers 0 <= min <= max and multipleOf >= 1, got min 5, max 4, multipleOf 1]`,
    );
    expect(() => compile((x: Tensor) => x, { inputs: [3] as never })).toThrowErrorMatchingInlineSnapshot(
      `[StridewiseError: compile: needs inputs: a list of shapes, each a list of sizes, dimensions (dim) and nulls, got [3]]`,
    );
    expect(() => compile((x: Tensor) => x, { input: [] } as never)).toThrow("there is no option input");
  });

  test("more sizes than instances", () => {
    const fast = compile((x: Tensor) => x.mul(2).add(1));
    for (let k = 0; k < 3; k++)
      for (let n = 1; n <= 300; n += 7) expect(fast(ones([n]) as Tensor).toArray()).toEqual(new Array(n).fill(3));
  });
});

describe("values of JavaScript", () => {
  test("a number that changes by itself is refused", () => {
    let count = 0;
    const bad = compile((x: Tensor) => x.mul(++count));
    bad(ones([2]) as Tensor);
    expect(() => bad(ones([2]) as Tensor)).toThrow(
      /two traces of the same call differ: mul\(%0,2\).*live\(\(\) => \.\.\.\)/,
    );
    const constant = compile((x: Tensor) => x.mul(tensor([++count, 1])));
    constant(ones([2]) as Tensor);
    expect(() => constant(ones([2]) as Tensor)).toThrow("two traces of the same call differ: constant");
  });

  test("a guarded value selects the graph", () => {
    let isNegative = false;
    let traces = 0;
    const fast = compile((x: Tensor) => {
      traces++;
      return guard(() => isNegative) ? x.neg() : x.abs();
    });
    const results = [false, false, true, true, false, true].map((flag) => {
      isNegative = flag;
      return fast(ones([1]) as Tensor).item();
    });
    expect(results).toEqual([1, 1, -1, -1, 1, -1]);
    // One eager call, two traces of the first graph, one of the second.
    expect(traces).toBe(4);
    expect(fast.explain()).toContain("2 graphs, 2 instances");
  });

  test("the training flag of modules is guarded", () => {
    const model = new Sequential(new Linear(4, 4), new BatchNorm1d(4), new Dropout(0.5));
    const plain = (x: Tensor): Tensor => (model.forward(x) as Tensor).detach() as Tensor;
    const fast = compile(plain);
    for (let k = 0; k < 3; k++) fast(randn([8, 4]) as Tensor);
    model.eval();
    const x = randn([8, 4]) as Tensor;
    for (let k = 0; k < 3; k++) expect(fast(x).toArray()).toEqual(plain(x).toArray());
    model.train();
    expect(Number(fast(x).eq(0).sum().item())).toBeGreaterThan(0);
  });

  test("live numbers are computed once for each call, even where the function is traced twice", () => {
    let calls = 0;
    const fast = compile((x: Tensor) => x.mul(live(() => ++calls)));
    expect([1, 2, 3, 4].map(() => fast(ones([1]) as Tensor).item())).toEqual([1, 2, 3, 4]);
  });
});

describe("effects", () => {
  test("a trace does not draw from generators", () => {
    const draws = (run: (fn: (x: Tensor) => Tensor) => (x: Tensor) => Tensor): unknown[] => {
      const generator = new Generator(7);
      const fn = run((x) => x.add(randn([3], { generator })) as Tensor);
      return [0, 1, 2, 3].map(() => fn(zeros([3]) as Tensor).toArray());
    };
    expect(draws(compile)).toEqual(draws((fn) => fn));
  });

  test("state of an optimizer that is created in a later call", () => {
    const train = (run: <F extends (...args: never[]) => unknown>(fn: F) => F): unknown[] => {
      const [a, b] = [ones([3], { requiresGrad: true }), ones([3], { requiresGrad: true })] as Tensor[];
      const optimizer = new Adam([a, b], { lr: 0.1 });
      let usesBoth = false;
      const step = run((x: Tensor) => {
        optimizer.zeroGrad();
        const product = guard(() => usesBoth) ? x.mul(a).mul(b) : x.mul(a);
        product.square().sum().backward();
        optimizer.step();
      });
      return Array.from({ length: 8 }, (_, k) => {
        usesBoth = k >= 3;
        step(tensor([1, 2, 3]) as Tensor as never);
        return [a.toArray(), b.toArray()];
      });
    };
    expect(train(compile)).toEqual(train((fn) => fn));
  });
});
