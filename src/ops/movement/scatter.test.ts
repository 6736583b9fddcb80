/** Writing along an axis by index, against the definition: all reductions, any layout, in place, and errors, which leave the tensor unchanged. */
import { arange, empty, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { dice } from "../../../test/support/operands.ts";
import { coordsOf, elementAt, elementsIn, stridedTensor } from "../../../test/support/strided-tensors.ts";
import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { DTypeError } from "../../storage/dtype.ts";
import { scatter, scatter_, scatterAdd, scatterAdd_, scatterReduce, scatterReduce_ } from "./scatter.ts";
import type { ScatterReduction } from "./scatter-gradient.ts";

const indices = (values: readonly number[], shape: readonly number[] = [values.length]): Tensor =>
  tensor([...values], { dtype: "int64" }).reshape(...shape) as Tensor;

const fold: Readonly<Record<ScatterReduction, (values: number[]) => number>> = {
  sum: (values) => values.reduce((a, b) => a + b, 0),
  prod: (values) => values.reduce((a, b) => a * b, 1),
  mean: (values) => values.reduce((a, b) => a + b, 0) / values.length,
  amax: (values) => Math.max(...values),
  amin: (values) => Math.min(...values),
};

describe.each(["float64", "float32", "int64", "int32"] as const)("%s", (dtype) => {
  test.each(Object.keys(fold) as ScatterReduction[])(
    "scatterReduce by %s combines all that go to one place",
    (combining) => {
      const roll = dice(combining.length * 7 + dtype.length);
      for (let round = 0; round < 6; round++) {
        const shape = Array.from({ length: roll(1, 3) }, () => roll(1, 4));
        const axis = roll(0, shape.length - 1);
        const x = stridedTensor(roll, shape, dtype);
        const chosen = shape.map((size, d) => (d === axis ? roll(1, 5) : roll(1, size)));
        const src = stridedTensor(
          roll,
          chosen.map((size) => size + roll(0, 1)),
          dtype,
        );
        const index = indices(
          coordsOf(chosen).map(() => roll(0, (shape[axis] as number) - 1)),
          chosen,
        );
        const includeSelf = round % 2 === 0;
        const lists = new Map(
          coordsOf(shape).map((coord) => [String(coord), includeSelf ? [elementAt(x, coord) as number] : []]),
        );
        for (const coord of coordsOf(chosen))
          lists.get(String(coord.with(axis, elementAt(index, coord) as number)))?.push(elementAt(src, coord) as number);
        const result = scatterReduce(x, axis, index, src, combining, { includeSelf });
        for (const coord of coordsOf(shape)) {
          const list = lists.get(String(coord)) as number[];
          const value = list.length === 0 ? (elementAt(x, coord) as number) : fold[combining](list);
          const expected = dtype.startsWith("int") ? Math.floor(value) : value;
          const difference = Math.abs((elementAt(result, coord) as number) - expected);
          expect(difference).toBeLessThanOrEqual(1e-6 * Math.abs(expected));
        }
      }
    },
  );
});

test("scatter puts elements, or a number, in their places, and leaves the rest", () => {
  const x = zeros([2, 3]);
  const index = indices([2, 0], [2, 1]);
  expect(scatter(x, 1, index, tensor([[5], [6]])).toArray()).toEqual([
    [0, 0, 5],
    [6, 0, 0],
  ]);
  expect(scatter(x, 1, index, 7).toArray()).toEqual([
    [0, 0, 7],
    [7, 0, 0],
  ]);
  const twos = tensor([
    [2, 2, 2],
    [2, 2, 2],
  ]);
  expect(scatter(twos, 1, index, 3, { reduce: "multiply" }).toArray()).toEqual([
    [2, 2, 6],
    [6, 2, 2],
  ]);
  expect(elementsIn(x)).toEqual([0, 0, 0, 0, 0, 0]);
});

test("scatterAdd of many equal indices is the same in every run, and exact in integers", () => {
  const count = 30000;
  const index = arange(count, { dtype: "int64" }).remainder(7) as Tensor;
  const ones = arange(count, { dtype: "int64" }) as Tensor;
  const total = elementsIn(scatterAdd(zeros([7], { dtype: "int64" }), 0, index, ones)) as number[];
  expect(total).toEqual(
    Array.from({ length: 7 }, (_, k) => {
      let sum = 0;
      for (let i = k; i < count; i += 7) sum += i;
      return sum;
    }),
  );
  const floats = ones.to("float32").div(7) as Tensor;
  const once = elementsIn(scatterAdd(zeros([7]), 0, index, floats));
  expect(elementsIn(scatterAdd(zeros([7]), 0, index, floats))).toEqual(once);
});

test("in place the tensor itself is written, through any view, and its version counts", () => {
  const x = zeros([3, 2]);
  const view = x.T as Tensor;
  const before = x.version;
  expect(scatter_(view, 1, indices([0, 2], [2, 1]), 1)).toBe(view);
  expect(x.toArray()).toEqual([
    [1, 0],
    [0, 0],
    [0, 1],
  ]);
  expect(x.version).toBe(before + 1);
  scatterAdd_(x, 0, indices([0, 0], [1, 2]), tensor([[10, 20]]));
  scatterReduce_(x, 0, indices([2, 2], [1, 2]), tensor([[5, 0]]), "amax");
  expect(x.toArray()).toEqual([
    [11, 20],
    [0, 0],
    [5, 1],
  ]);
});

test("a source that is the tensor itself is read before it is written", () => {
  const x = tensor([1, 2, 3, 4]);
  scatter_(x, 0, indices([3, 2, 1, 0]), x);
  expect(x.toArray()).toEqual([4, 3, 2, 1]);
});

test("indices that are the tensor itself are read before it is written", () => {
  const x = tensor([2n, 0n, 1n]);
  scatterReduce_(x, 0, x, tensor([60n, 70n, 80n]), "mean", { includeSelf: false });
  expect(x.toArray()).toEqual([70, 80, 60]);
});

test("bools are joined by or, and halves added", () => {
  const x = tensor([false, false]);
  expect(scatterAdd(x, 0, indices([1, 1]), tensor([true, true])).toArray()).toEqual([false, true]);
  const half = zeros([2], { dtype: "float16" });
  expect(scatterAdd(half, 0, indices([1, 1]), tensor([1.5, 2], { dtype: "float16" })).toArray()).toEqual([0, 3.5]);
});

test("the meta device has the shape and the dtype", () => {
  const x = empty([4, 5], { device: "meta" });
  const index = empty([2, 3], { device: "meta", dtype: "int64" });
  expect(scatter(x, 1, index, 1).shape).toEqual([4, 5]);
  expect(scatterAdd_(x, 1, index, empty([2, 3], { device: "meta" }))).toBe(x);
});

describe("refused, with nothing written", () => {
  const x = tensor([
    [1, 2],
    [3, 4],
  ]);
  const index = indices([0, 1], [1, 2]);
  const src = tensor([[5, 6]]);
  const cases: readonly (readonly [string, () => unknown, new (...args: never[]) => Error, RegExp])[] = [
    [
      "an index past the end",
      () => scatter_(x, 0, indices([0, 2], [1, 2]), src),
      IndexError,
      /index 2 is out of bounds for axis 0 with size 2/,
    ],
    ["a negative index", () => scatterAdd_(x, 0, indices([0, -1], [1, 2]), src), IndexError, /index -1/],
    [
      "an index of floats",
      () => scatterAdd_(x, 0, index.to("float64"), src),
      DTypeError,
      /^scatterAdd_: index must be integers, got float64\. Convert it: index\.to\("int64"\)/,
    ],
    [
      "a source of a different dtype",
      () => scatter_(x, 0, index, src.to("float64")),
      DTypeError,
      /x and src must have the same dtype, got float32 and float64\. Convert it: src\.to\("float32"\)/,
    ],
    [
      "an index of a different rank",
      () => scatter_(x, 0, indices([0]), src),
      ShapeError,
      /index must have as many axes as x, got \[1\] for \[2, 2\]/,
    ],
    [
      "a source of a different rank",
      () => scatter_(x, 0, index, tensor([1])),
      ShapeError,
      /index must have as many axes as src, got \[1, 2\] for \[1\]/,
    ],
    [
      "a source that is too short",
      () => scatter_(x, 0, index, tensor([[1]])),
      ShapeError,
      /index \[1, 2\] must not be larger than x \[2, 2\] except along axis 0, nor than src \[1, 1\]/,
    ],
    [
      "a way that there is not",
      () => scatterReduce_(x, 0, index, src, "median" as never),
      StridewiseError,
      /reduce must be sum, prod, mean, amax or amin, got median\./,
    ],
    [
      "elements that share memory",
      () => scatter_(tensor([1]).expand(2, 2) as Tensor, 0, index, src),
      StridewiseError,
      /single memory location\. Please clone\(\) the tensor before performing the operation\./,
    ],
  ];
  test.each(cases)("%s", (_what, run, kind, text) => {
    expect(run).toThrow(kind);
    expect(run).toThrow(text);
    expect(elementsIn(x)).toEqual([1, 2, 3, 4]);
  });
});
