/** vmap: batches of any axis, nested, writes, random numbers, and errors. */
import { describe, expect, test } from "vitest";
import {
  add,
  batchNorm,
  bernoulli,
  dropout,
  elementwise,
  gradOf,
  library,
  linear,
  manualSeed,
  matmul,
  randLike,
  randn,
  scope,
  type Tensor,
  tensor,
  uniform_,
  vmap,
  where,
  zeros,
} from "../../src/index.ts";
import { expectClose } from "../support/op-results.ts";
import { dot, drawn, rows, side } from "../support/samples-of-batches.ts";

type T = Tensor;

describe("batches", () => {
  test("a function of one sample is one of all of them", () => {
    const [a, b] = [drawn(4, 3), drawn(4, 3)];
    expectClose(vmap(dot)(a, b), side(rows(a).map((x, k) => dot(x, b.select(0, k) as T))));
  });

  test("two levels: products of all vectors of two batches with each other", () => {
    const [a, b] = [drawn(4, 3), drawn(5, 3)];
    const all = vmap((x: T) => vmap((y: T) => dot(x, y))(b))(a);
    expectClose(all, matmul(a, b.T as never));
    expectClose(
      vmap(vmap(dot))(drawn(2, 3, 4).mul(0).add(2) as T, drawn(2, 3, 4).mul(0).add(3) as T),
      zeros([2, 3], { dtype: "float64" }).add(24),
    );
  });

  test("any axis in, any axis out", () => {
    const x = drawn(2, 3, 4);
    const f = (t: T): T => t.cumsum(0) as T;
    expectClose(vmap(f, { inAxes: -1 })(x), x.cumsum(0).movedim(2, 0));
    expectClose(vmap(f, { inAxes: 1, outAxes: -1 })(x), x.cumsum(0).movedim(1, -1));
    expectClose(vmap(f, { inAxes: 2, outAxes: 1 })(x), x.cumsum(0).movedim(2, 1));
  });

  test("records and lists as arguments and results", () => {
    const [a, b] = [drawn(3, 2), drawn(2)];
    const f = ({ x, y }: { x: T; y: T }, list: readonly T[]): { sum: T; list: T[] } => ({
      sum: x.add(y as never) as T,
      list: [list[0]?.mul(2) as T, y],
    });
    const result = vmap(f, { inAxes: [{ x: 0, y: null }, 0], outAxes: { sum: 1, list: [0, null] } })({ x: a, y: b }, [
      a,
    ]);
    expectClose(result.sum, a.add(b as never).T);
    expectClose(result.list, [a.mul(2), b]);
  });

  test("results that do not depend on the batch are repeated", () => {
    expect(vmap((_x: T) => tensor([1, 2]))(drawn(3, 1)).toArray()).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
  });

  test("arguments that are not tensors are passed unchanged", () => {
    expectClose(vmap((x: T, k: number) => x.mul(k) as T)(tensor([1, 2]), 3), tensor([3, 6]));
  });

  test("types are those of a batch", () => {
    const f = (x: Tensor<readonly [3], "float32">): { sum: Tensor<readonly [], "float32">; name: "a" | T } => ({
      sum: x.sum(0) as never,
      name: x,
    });
    const { sum }: { sum: Tensor<readonly number[], "float32"> } = vmap(f)(zeros([2, 3]));
    expect(sum.shape).toEqual([2]);
  });

  test("one sample, and none", () => {
    expect(vmap((x: T) => x.mul(2).sum())(tensor([[1, 2]])).toArray()).toEqual([6]);
    expect(vmap((x: T) => x.mul(2).sum())(zeros([0, 2])).shape).toEqual([0]);
  });

  test("a 0-d sample counts as a number where dtypes are promoted", () => {
    const [wide, narrow] = [tensor([1, 2], { dtype: "float64" }), tensor([1, 2, 3], { dtype: "float32" })];
    const result = vmap((s: T) => narrow.mul(s as never) as T)(wide);
    expect(result.dtype).toBe("float32");
    expect(result.toArray()).toEqual([
      [1, 2, 3],
      [2, 4, 6],
    ]);
    const both = vmap((s: T) => s.add(tensor(1, { dtype: "float64" }) as never) as T)(narrow);
    expect(both.dtype).toBe("float64");
  });

  test("dtypes are those of each sample alone, whatever has axes", () => {
    const types = ["bool", "int32", "int64", "float32", "float64", "complex64", "complex128"] as const;
    for (const one of types)
      for (const other of types)
        for (const [a, b] of [
          [[], [2]],
          [[2], []],
          [[], []],
        ] as const)
          for (const inAxes of [
            [0, 0],
            [0, null],
            [null, 0],
          ] as const) {
            const zerosOf = (shape: readonly number[], dtype: (typeof types)[number]): T =>
              zeros(shape, { dtype }) as T;
            const [x, y] = [zerosOf([3, ...a], one), zerosOf([3, ...b], other)];
            const f = (s: T, t: T): T => s.mul(t as never) as T;
            const inputs = [inAxes[0] === null ? x.select(0, 0) : x, inAxes[1] === null ? y.select(0, 0) : y] as [T, T];
            const expected = f(x.select(0, 0) as T, y.select(0, 0) as T).dtype;
            expect([one, other, a, b, inAxes, vmap(f, { inAxes })(...inputs).dtype]).toEqual([
              one,
              other,
              a,
              b,
              inAxes,
              expected,
            ]);
          }
    const choice = vmap((c: T, s: T) => where(c, s as never, tensor(1, { dtype: "float64" }) as never) as T, {
      inAxes: [null, 0],
    });
    expect(choice(tensor([true, false]) as T, tensor([1, 2]) as T).dtype).toBe("float64");
    expect(
      vmap((c: T) => where(c, zeros([2]) as never, 1 as never) as T)(tensor([true, false]) as T).toArray(),
    ).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  test("formulas of the user's own", () => {
    const [x, y] = [drawn(3, 2), drawn(2)];
    expectClose(vmap((t: T) => elementwise("sin(x) * y", { x: t, y }) as T)(x), x.sin().mul(y as never));
  });

  test("where takes the place of control flow", () => {
    const x = drawn(5);
    expectClose(
      vmap((t: T) => where(t.gt(0) as T, t.mul(2) as never, t.neg() as never) as T)(x),
      where(x.gt(0), x.mul(2), x.neg()),
    );
  });

  test("indices that differ from sample to sample", () => {
    const [x, i] = [drawn(3, 4, 5), tensor([2, 0, 3], { dtype: "int32" })];
    const pick = (t: T, k: T): T => t.at(k) as T;
    const expected = side([2, 0, 3].map((k, b) => x.at(b, k) as T));
    expectClose(vmap(pick)(x, i), expected);
    expectClose(vmap((k: T) => (x.select(0, 0) as T).at(k) as T)(i), side([2, 0, 3].map((k) => x.at(0, k) as T)));
    const many = tensor(
      [
        [0, 1],
        [3, 3],
        [2, 0],
      ],
      { dtype: "int32" },
    ) as T;
    const column = (t: T, k: T): T => t.transpose(0, 1).at("...", k) as T;
    expectClose(vmap(column)(x, many), side(rows(x).map((t, b) => column(t, many.select(0, b) as T))));
  });

  test("its parts one after the other", () => {
    const f = (x: T): T => [...x].reduce((sum, part) => sum.mul(2).add(part as never) as T) as T;
    expectClose(
      vmap(f)(
        tensor([
          [1, 2],
          [3, 4],
        ]) as T,
      ),
      tensor([4, 10]),
    );
  });

  test("ops of the user's own go sample after sample", () => {
    const mine = library("mine");
    const largest = mine.define<(x: T) => T>("largest");
    mine.register("largest", "cpu", ((x: T) => tensor(Math.max(...(x.toArray() as number[])))) as never);
    expectClose(
      vmap((x: T) => largest(x).mul(2) as T)(
        tensor([
          [1, 5],
          [3, 4],
        ]) as T,
      ),
      tensor([10, 8]),
    );
    mine.dispose();
  });

  test("a batched tensor prints its batch", () => {
    let text = "";
    vmap((x: T) => {
      text = String(x);
      return x;
    })(tensor([1, 2]));
    expect(text).toBe("BatchedTensor(level=1, batch axis 0 of value=\ntensor([1., 2.])\n)");
  });

  test("scopes inside keep the tensors that they return", () => {
    expectClose(vmap((x: T) => scope(() => x.mul(2).add(1) as T).mul(3) as T)(tensor([1, 2])), tensor([9, 15]));
  });
});

describe("writing", () => {
  test("to a tensor of the batch, and to views of it", () => {
    const x = drawn(3, 4);
    const f = (t: T): T => {
      const y = t.clone() as T;
      y.add_(1);
      (y.select(0, 1) as T).fill_(7);
      (y.slice(0, 2, 4) as T).mul_(t.slice(0, 0, 2) as never);
      y.assignAt([0], t.select(0, 3) as never);
      return y;
    };
    expectClose(vmap(f)(x), side(rows(x).map(f)));
  });

  test("is recorded", () => {
    const f = (t: T): T => {
      const y = t.mul(2) as T;
      (y.select(0, 1) as T).mul_(t.select(0, 0) as never);
      return y.square().sum() as T;
    };
    const x = drawn(3, 4);
    expectClose(vmap(gradOf(f))(x), side(rows(x).map((t) => gradOf(f)(t))));
  });

  test("per-sample values cannot be written to an outside tensor", () => {
    const sum = zeros([2]);
    expect(() => vmap((x: T) => sum.add_(x as never) as T)(zeros([3, 2]))).toThrow(
      /^add_: the tensor that is written to, of shape \[2\], is not mapped by vmap/,
    );
    expect(() => vmap((x: T) => sum.copy_(x) as T)(zeros([3, 2]))).toThrow(/^copy_: the tensor that is written to/);
    expect(sum.toArray()).toEqual([0, 0]);
  });

  test("running statistics of a normalization cannot be written either", () => {
    const [mean, variance] = [zeros([2]) as T, zeros([2]).add(1) as T];
    const norm = (x: T): T => batchNorm(x, { runningMean: mean, runningVar: variance, training: true }) as T;
    expect(() => vmap(norm)(drawn(3, 4, 2).to("float32") as T)).toThrow(/is not mapped by vmap/);
    expect(mean.toArray()).toEqual([0, 0]);
  });

  test("out, of the batch", () => {
    const f = (x: T): T => {
      const out = x.clone() as T;
      add(x, 1 as never, { out } as never);
      return out;
    };
    expectClose(vmap(f)(tensor([[1, 2]])), tensor([[2, 3]]));
  });
});

describe("random numbers", () => {
  const noise = (x: T): T => x.add(randn([2]) as never) as T;

  test("throw unless the option `randomness` is set", () => {
    expect(() => vmap(noise)(zeros([3, 2]))).toThrow(
      /^randn: random numbers in vmap require its option randomness: vmap\(fn, \{ randomness: "different" \}\), or "same" for all samples\. Or draw outside of vmap/,
    );
    expect(() => vmap((x: T) => dropout(x, 0.5) as T)(zeros([3, 2]))).toThrow(
      /random numbers in vmap require its option randomness/,
    );
  });

  test("the same for all", () => {
    manualSeed(3);
    const all = vmap(noise, { randomness: "same" })(zeros([3, 2]) as T);
    manualSeed(3);
    expectClose(all, zeros([3, 2]).add(randn([2]) as never));
  });

  test("the same for all samples, written to and combined with batched tensors", () => {
    const f = (x: T): T => uniform_(x.clone() as T).add(randLike(x) as never) as T;
    const all = vmap(f, { randomness: "same" })(zeros([3, 4]) as T);
    expectClose(all, all.select(0, 0).expand(3, 4));
    expect(new Set(all.select(0, 0).toArray() as number[]).size).toBe(4);
    expect(() => vmap((p: T) => bernoulli(p) as T, { randomness: "same" })(zeros([3, 4]) as T)).toThrow(
      /the parameters differ between the samples of vmap/,
    );
  });

  test("different for each", () => {
    const all = vmap(noise, { randomness: "different" })(zeros([3, 2]) as T);
    expect(new Set(all.reshape([-1]).toArray() as number[]).size).toBe(6);
    const kept = vmap((x: T) => dropout(x, 0.5) as T, { randomness: "different" })(zeros([64, 64]).add(1) as T);
    const counts = new Set(kept.sum(1).toArray() as number[]);
    expect(counts.size).toBeGreaterThan(3);
  });
});

describe("refusals", () => {
  test.each<readonly [string, () => unknown, RegExp]>([
    [
      "sizes that differ",
      () => vmap(dot)(zeros([2, 3]), zeros([4, 3])),
      /the mapped axes must have the same size, got \[2, 4\]/,
    ],
    [
      "axes that do not fit the arguments",
      () => vmap(dot, { inAxes: [0] })(zeros([2, 3]), zeros([2, 3])),
      /inAxes \[0\] does not fit the arguments, got \[0\] for \[tensor \(float32 \[2, 3\]\), tensor \(float32 \[2, 3\]\)\]\. Pass a number, null, or a list or object of the same form/,
    ],
    [
      "a 0-d tensor",
      () => vmap((x: Tensor) => x)(zeros([])),
      /inAxes has 0 for a tensor of rank 0. Pass one of its axes/,
    ],
    [
      "an axis that there is not",
      () => vmap(dot, { inAxes: [2, 0] })(zeros([2, 3]), zeros([2, 3])),
      /inAxes has 2 for a tensor of rank 2. Pass one of its axes/,
    ],
    [
      "a value that is not a tensor",
      () => vmap((_x: unknown, y: T) => y, { inAxes: [0, 0] })(3, zeros([2])),
      /inAxes has 0 for 3, which is not a tensor\. Pass null/,
    ],
    [
      "no axis at all",
      () => vmap(dot, { inAxes: null })(zeros([2, 3]), zeros([2, 3])),
      /inAxes null maps over no argument\. Call the function itself/,
    ],
    ["no arguments", () => vmap(() => zeros([2]))(), /needs at least one argument to map over, got none/],
    [
      "a result that is not a tensor",
      () => vmap((x: T) => x.shape)(zeros([2, 3])),
      /the mapped function must return tensors, or lists or objects of them, got 3/,
    ],
    [
      "item()",
      () => vmap((x: T) => x.mul(x.sum().item() as never) as T)(zeros([2, 3])),
      /the elements of a tensor inside vmap cannot be read: it represents all samples of the batch\. Choose by where\(condition, a, b\) instead, or read the result outside of vmap/,
    ],
    [
      "toArray()",
      () => vmap((x: T) => tensor(x.toArray() as number[]) as T)(zeros([2, 3])),
      /the elements of a tensor inside vmap cannot be read: it represents all samples of the batch\. Choose by where\(condition, a, b\) instead, or read the result outside of vmap/,
    ],
    [
      "shapes that depend on elements",
      () =>
        vmap((x: T) => x.at(x.gt(1) as T) as T)(
          tensor([
            [0, 2],
            [2, 2],
          ]),
        ),
      /shape of at's result depends on the elements, here \[1\] and \[2\]/,
    ],
    [
      "outAxes that do not fit",
      () => vmap((x: T) => [x], { outAxes: [0, 0] })(zeros([2, 3])),
      /outAxes \[0,0\] does not fit the result \[tensor \(float32 \[3\]\)\]\. Pass a number, or a list or object of the same form/,
    ],
    [
      "null for a result of the batch",
      () => vmap((x: T) => x, { outAxes: null })(zeros([2, 3])),
      /outAxes is null for a result that differs/,
    ],
    [
      "a value that is not a function",
      () => vmap(3 as never),
      /takes a function of one sample, got 3\. Write vmap\(\(x\) => \.\.\.\)/,
    ],
    [
      "an unknown randomness",
      () => vmap(dot, { randomness: "no" as never }),
      /randomness must be "error", "same" or "different"/,
    ],
  ])("%s", (_, run, message) => {
    expect(run).toThrow(message);
  });

  test("a tensor that has left its vmap", () => {
    let kept: T | null = null;
    vmap((x: T) => {
      kept = x;
      return x;
    })(zeros([2, 3]) as T);
    expect(() => (kept as unknown as T).add(1)).toThrow(
      /created inside a vmap that has ended\. Return it from the mapped function instead of keeping it/,
    );
  });

  test("mistakes inside are those of the op", () => {
    expect(() => vmap((x: T) => matmul(x, zeros([4, 2]) as never) as T)(zeros([2, 3]))).toThrow(/matmul/);
    expect(() => vmap((x: T) => linear(x, zeros([4, 2])) as T)(zeros([2, 3]))).toThrow(/linear/);
    expect(() => vmap((x: T) => x.sum(1) as T)(zeros([2, 3]))).toThrow("sum: axis 1 is out of range, expected -1 to 0");
  });

  test("calls after an error run outside of vmap", () => {
    expect(() => vmap((x: T) => x.sum(5) as T)(zeros([2, 3]))).toThrow();
    expect(randn([2]).shape).toEqual([2]);
  });
});
