/**
 * Calls like one before give what calls without a memory give: those with an `out` whose strides no call before had.
 */

import {
  constant,
  elementwise,
  empty,
  eye,
  fmod,
  fromDLPack,
  mul,
  ones,
  rand,
  setDefaultDType,
  tensor,
  zeros,
} from "stridewise";
import { expect, test } from "vitest";
import { withoutSteps } from "../../test/support/without-steps.ts";
import type { DType } from "../storage/dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { softmax } from "./composite/softmax.ts";
import { matmul } from "./contract/matmul.ts";
import { amin, argmax, mean, std, sum } from "./reduce/reduce.ts";
import { cumsum } from "./reduce/scan.ts";

withoutSteps();

type Call = (...args: unknown[]) => Tensor;
const plain = (op: unknown): Call => op as Call;
/** The same layout at another offset of its storage, with other elements. */
const tensorAt = (offset: number): Tensor =>
  rand([offset + 48])
    .narrow(0, offset, 48)
    .reshape([6, 8]) as Tensor;

let distance = 1;
/** A tensor with strides that no earlier tensor has. */
const spread = (shape: readonly number[], dtype: DType = "float32"): Tensor =>
  (empty([...shape, ++distance], { dtype }) as Tensor).select(-1, 0) as Tensor;

const calls: readonly [name: string, op: Call, ...more: unknown[]][] = [
  ["sum", plain(sum)],
  ["sum of rows", plain(sum), 1],
  ["sum of columns, kept", plain(sum), 0, { keepdims: true }],
  ["sum over a list", plain(sum), [0, 1]],
  ["mean", plain(mean), -1],
  ["std", plain(std), 0],
  ["argmax", plain(argmax), 1],
  ["softmax", plain(softmax), 1],
  ["cumsum", plain(cumsum), 1],
];

test.for(calls)("%s of the same layout at other offsets", ([, op, ...more]) => {
  const options = (more.at(-1) as { keepdims?: boolean } | undefined)?.keepdims === true ? more.pop() : {};
  for (const turn of [(t: Tensor) => t, (t: Tensor) => t.T as Tensor])
    for (let round = 0; round < 4; round++) {
      const x = turn(tensorAt(round * 3));
      const result = op(x, ...more, options);
      const args = more.length === 0 ? [undefined] : more;
      const into = (out: Tensor): unknown => op(x, ...args, { ...(options as object), out }).toArray();
      const expected = into(spread(result.shape as number[], result.dtype));
      expect(result.toArray()).toEqual(expected);
      expect(into(empty([...result.shape], { dtype: result.dtype }) as Tensor)).toEqual(expected);
    }
});

/** Work of several launches with temporary bytes between them: its call, its operands, and about how many launches it takes. */
const large: readonly [name: string, op: Call, shapes: readonly number[][], ...more: unknown[]][] = [
  [
    "a packed product",
    plain(matmul),
    [
      [150, 140],
      [140, 160],
    ],
  ],
  [
    "a packed product of several blocks of k",
    plain(matmul),
    [
      [40, 1100],
      [1100, 130],
    ],
  ],
  [
    "a batch of packed products",
    plain(matmul),
    [
      [3, 130, 140],
      [140, 150],
    ],
  ],
  [
    "a thin product in parts",
    plain(matmul),
    [
      [9, 300],
      [300, 200],
    ],
  ],
  ["a sum in parts", plain(sum), [[600_001]]],
  ["sums of narrow columns", plain(sum), [[40_000, 3]], 0],
  ["a variance in phases", plain(std), [[600_000]]],
  ["softmax of long rows", plain(softmax), [[2, 140_000]], 1],
];

test.for(large)("%s at other addresses", ([, op, shapes, ...more]) => {
  for (const turn of [
    (t: Tensor) => t,
    (t: Tensor) => (t.rank < 2 ? t.flip(0) : t.clone().mT.contiguous().mT) as Tensor,
  ]) {
    for (let round = 0; round < 4; round++) {
      const operands = shapes.map((shape) => {
        const size = shape.reduce((a, b) => a * b);
        const data = rand([size + round]).narrow(0, round, size) as Tensor;
        return turn(data.reshape(shape) as Tensor);
      });
      const result = op(...operands, ...more);
      const args = more.length === 0 && operands.length === 1 ? [undefined] : more;
      const into = (out: Tensor): Tensor => op(...operands, ...args, { out });
      const expected = into(spread(result.shape as number[], result.dtype));
      expect(expected.sub(result).abs().amax().item()).toBe(0);
      expect(
        expected
          .sub(into(empty(result.shape) as Tensor))
          .abs()
          .amax()
          .item(),
      ).toBe(0);
    }
  }
});

test("a product learned from one tensor twice is none of two tensors, and the other way round", () => {
  const product = plain(matmul);
  for (let round = 0; round < 3; round++) {
    const [a, b] = [rand([5, 5]), rand([5, 5])] as [Tensor, Tensor];
    for (const [x, y] of [
      [a, a],
      [a, b],
      [b, b],
      [b, a],
    ] as const)
      expect(product(x, y).toArray()).toEqual(product(x, y, { out: spread([5, 5]) }).toArray());
  }
});

test("options that were changed since, names and disposed tensors are seen", () => {
  const x = tensorAt(0);
  const options = { keepdims: true };
  for (const keepdims of [true, false, true, false]) {
    options.keepdims = keepdims;
    expect(plain(sum)(x, 1, options).shape).toEqual(keepdims ? [6, 1] : [6]);
  }
  const named = x.rename?.(["a", "b"] as never) as Tensor | undefined;
  if (named !== undefined) expect(plain(sum)(named, 1).names).toEqual(["a"]);
  plain(sum)(x, 1);
  x.dispose();
  expect(() => plain(sum)(x, 1)).toThrow("cannot be used anymore");
});

test("results are new tensors each time", () => {
  const x = tensorAt(0);
  const [first, second] = [plain(sum)(x, 1), plain(sum)(x, 1)];
  second.fill_(0);
  expect(first.toArray()).not.toEqual(second.toArray());
});

test("an out tensor is checked each time, and counted as one write", () => {
  const [x, y] = [rand([4, 4]), rand([4, 4])] as [Tensor, Tensor];
  const out = empty([4, 4]) as Tensor;
  const into = (target: unknown): Tensor => plain(matmul)(x, y, { out: target });
  for (let round = 1; round < 5; round++) {
    expect(into(out)).toBe(out);
    expect(out.version).toBe(round);
    x.add_(1);
    expect(into(spread([4, 4])).toArray()).not.toEqual(out.toArray());
  }
  expect(() => into(x)).toThrow("out is also an input");
  const both = empty([8, 4]) as Tensor;
  const [upper, lower] = [both.narrow(0, 0, 4), both.narrow(0, 4, 4)] as [Tensor, Tensor];
  lower.copy_(y);
  const apart = into(out).toArray();
  expect(plain(matmul)(x, lower, { out: upper }).toArray()).toEqual(apart);
  expect(() => plain(matmul)(x, both.narrow(0, 2, 4), { out: upper })).toThrow("refer to a single memory location");
  expect(() => into(constant(1, [4, 4]))).toThrow("not writable");
  expect(() => into(empty([4, 5]))).toThrow("which out of shape [4, 5] cannot hold");
  const watched = empty([4, 4], { requiresGrad: true } as never) as Tensor;
  expect(() => into(watched)).toThrow();
  out.dispose();
  expect(() => into(out)).toThrow("cannot be used anymore");
});

test("an out tensor of a different dtype, and several of them", () => {
  const x = tensorAt(0);
  for (let round = 0; round < 3; round++) {
    const wide = empty([6], { dtype: "float64" }) as Tensor;
    expect(plain(sum)(x, 1, { out: wide }).toArray()).toEqual(plain(sum)(x, 1).toArray());
    const list = plain(argmax)(x, 1, { out: empty([6], { dtype: "int64" }) }).toArray() as number[];
    expect(list.map(Number)).toEqual(plain(argmax)(x, 1).toArray());
  }
});

test("operands whose bytes are in two storages are not mistaken for each other", () => {
  const product = plain(matmul);
  const size = 11;
  const identity = eye(size) as Tensor;
  const others = [
    (t: Tensor): Tensor => fromDLPack(t.toDLPack()) as Tensor,
    (t: Tensor): Tensor => empty([0]).set_(t.storage.lazyClone(), 0, [size, size], [size, 1]) as Tensor,
  ];
  for (const other of others) {
    const t = rand([size, size]) as Tensor;
    for (let round = 0; round < 2; round++) product(t, other(t));
    for (let round = 0; round < 2; round++) {
      const [p, q] = [rand([size, size]), rand([size, size])] as [Tensor, Tensor];
      expect(product(p, identity).toArray()).toEqual(p.toArray());
      expect(product(p, q).toArray()).toEqual(product(p, q, { out: spread([size, size]) }).toArray());
    }
  }
});

test("a view of other elements of one storage has its own slot", () => {
  const base = rand([64]) as Tensor;
  for (const start of [4, 4, 8, 12, 0, 8]) {
    const x = base.asStrided([2, 2], [2, 1], start) as Tensor;
    const y = base.view("float16").asStrided([2, 2], [1, 2], start) as Tensor;
    const repeated = plain(fmod)(x, y).toArray();
    expect(repeated).toEqual(plain(fmod)(x.clone(), y.clone()).toArray());
  }
});

test("options and axes are part of the cache key as the op reads them", () => {
  const x = tensorAt(0);
  const learn = (...args: unknown[]): void => {
    for (let round = 0; round < 3; round++) plain(amin)(x, ...args);
  };
  learn(1, Object.create({ keepdims: true }));
  expect(plain(amin)(x, 1, {}).shape).toEqual([6]);
  learn(1, {});
  const shapeOf = (options: unknown): unknown => plain(amin)(x, 1, options).shape;
  class Kept {
    get keepdims(): boolean {
      return true;
    }
  }
  expect(shapeOf(new Kept())).toEqual([6, 1]);
  expect(shapeOf(Object.defineProperty({}, "keepdims", { value: true }))).toEqual([6, 1]);
  learn([0]);
  expect(() => plain(amin)(x, new Int32Array([0]))).toThrow("amin");
  expect(() => plain(amin)(x, Object.assign([0], { length: 2 }))).toThrow("amin");
  const big = zeros([40]) as Tensor;
  class Into {
    get out(): Tensor {
      return big.narrow(0, 10, 3) as Tensor;
    }
  }
  expect(() => plain(amin)(x, 1, new Into())).toThrow("which out of shape [3] cannot hold");
  expect(big.abs().sum().item()).toBe(0);
});

test("repeated results have the strides of others, axes of size 1 included", () => {
  for (let round = 0; round < 3; round++) {
    const [x, y] = [rand([12]).asStrided([3, 1, 1], [1, 4, 4]), rand([12]).asStrided([3, 1, 1], [2, 2, 2])];
    expect(mul(x as Tensor, y as never).stride).toEqual([1, 3, 3]);
  }
});

test("a released storage is refused in the name of the op", () => {
  const [x, y] = [rand([4, 4]), rand([4, 4])] as [Tensor, Tensor];
  for (let round = 0; round < 3; round++) plain(matmul)(x, y);
  y.storage.release();
  expect(() => plain(matmul)(x, y)).toThrow(/^matmul: /);
});

test("numbers among operands are bound: each call computes with its own", () => {
  const values = [
    [1, 2, 3],
    [4, 5, 6],
  ];
  const dense = tensor(values) as Tensor;
  const strided = (tensor([1, 4, 2, 5, 3, 6]).view(3, 2) as Tensor).T as Tensor;
  for (const x of [dense, strided])
    for (const n of [5, 7, -2.5, 5, 0.5, 2, 3, 4]) {
      const each = (f: (value: number) => number): number[][] => values.map((row) => row.map(f));
      expect(x.rsub(n).toArray()).toEqual(each((value) => n - value));
      expect(x.mul(n).toArray()).toEqual(each((value) => value * n));
      expect(x.add(x, { alpha: n }).toArray()).toEqual(each((value) => value + n * value));
      expect(x.clamp(n, 4.5).toArray()).toEqual(each((value) => Math.min(Math.max(value, n), 4.5)));
      expect(elementwise("x * a + b", { x, a: n, b: 1 }).toArray()).toEqual(each((value) => value * n + 1));
      const power = x.pow(n).toArray() as number[][];
      power.flat().forEach((value, k) => {
        expect(value).toBeCloseTo((values.flat()[k] as number) ** n, 2);
      });
    }
});

test("a list among the arguments that is changed later is another list", () => {
  const x = ones([2, 3]) as Tensor;
  const axes = [0];
  const shapes = [0, 1, 0].map((axis) => {
    axes[0] = axis;
    return (sum(x, axes) as Tensor).shape;
  });
  expect(shapes).toEqual([[3], [2], [3]]);
});

test("another default dtype ends the programs of before", () => {
  const x = tensor([1, 2], { dtype: "int32" }) as Tensor;
  const dtypes = (["float32", "float64", "float32"] as const).map((dtype) => {
    setDefaultDType(dtype as "float32");
    return x.div(2).dtype;
  });
  expect(dtypes).toEqual(["float32", "float64", "float32"]);
});
