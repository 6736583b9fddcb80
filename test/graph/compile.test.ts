/** compile(fn): results, views, writes and sizes. */
import { describe, expect, test } from "vitest";
import { compile } from "../../src/graph/compile/compile.ts";
import {
  arrayEqual,
  asStridedScatter,
  crossEntropy,
  gelu,
  layerNorm,
  manualSeed,
  randint,
  randn,
  softmax,
  type Tensor,
  zeros,
} from "../../src/index.ts";

describe("a compiled function", () => {
  test("computes the same for every size", () => {
    const [position, weight, bias] = [randn([16, 32]), randn([32, 8]), randn([8])] as unknown as Tensor[];
    const block = (x: Tensor): Tensor =>
      gelu(layerNorm(x.add(position), [32]))
        .matmul(weight)
        .add(bias) as Tensor;
    const fast = compile(block);
    for (const n of [4, 4, 3, 4, 5]) {
      const x = randn([n, 16, 32]) as Tensor;
      expect(arrayEqual(fast(x), block(x))).toBe(true);
    }
  });

  test("returns views, and writes to its arguments", () => {
    const change = (x: Tensor, y: Tensor): Readonly<Record<string, Tensor>> => {
      const flat = x.T.reshape(-1) as Tensor;
      const z = y.clone() as Tensor;
      z.at(0).add_(1);
      z.mul_(2);
      y.add_(1);
      return { flat: flat.relu() as Tensor, z, row: z.at(1) as Tensor, y };
    };
    const fast = compile(change);
    for (let k = 0; k < 3; k++) {
      const [x, y] = [randn([3, 5]) as Tensor, randn([2, 4]) as Tensor];
      const copy = y.clone() as Tensor;
      const [compiled, eager] = [fast(x, y), change(x, copy)];
      for (const name of Object.keys(eager)) expect(compiled[name].toArray(), name).toEqual(eager[name].toArray());
      expect(y.toArray()).toEqual(copy.toArray());
      expect(compiled["y"] === y).toBe(true);
      compiled["z"].fill_(7);
      expect(compiled["row"].toArray()).toEqual([7, 7, 7, 7]);
    }
  });
});

test("asStridedScatter refers to a row-major copy of its first argument", () => {
  const scatter = (x: Tensor, source: Tensor): Tensor[] => {
    const sum = x.mul(2) as Tensor;
    const out = zeros([3, 2]) as Tensor;
    asStridedScatter(x, source, [2], [1], 1, { out });
    return [
      asStridedScatter(sum, source, [2], [1]),
      asStridedScatter(sum.sum().expand(3, 2), source, [2], [1], 1),
      out,
    ] as Tensor[];
  };
  const fast = compile(scatter);
  const [x, source] = [randn([2, 3]).T, randn([2])] as unknown as Tensor[];
  for (let k = 0; k < 3; k++)
    expect(fast(x, source).map((t) => t.toArray())).toEqual(scatter(x, source).map((t) => t.toArray()));
});

test("sums of terms from wider dtypes have the bits of eager ones", () => {
  const functions: Record<string, (x: Tensor, labels: Tensor) => Tensor> = {
    crossEntropy: (x, labels) => crossEntropy(x, labels) as Tensor,
    sum: (x, labels) => labels.to("float32").mul(x.sum(1)).sum() as Tensor,
    softmax: (x, labels) => softmax(x.T.add(labels.to("float64").to("float32")), 1) as Tensor,
  };
  for (const [name, fn] of Object.entries(functions)) {
    const fast = compile(fn);
    for (let k = 0; k < 40; k++) {
      manualSeed(k);
      const [x, labels] = [randn([24, 11]), randint(0, 11, [24])] as unknown as Tensor[];
      expect(fast(x, labels).toArray(), `${name}, call ${k}`).toEqual(fn(x, labels).toArray());
    }
  }
});
