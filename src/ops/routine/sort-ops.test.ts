/** Sorting ops against Array.prototype.sort along every axis, of every real dtype and kind of view; out, meta, and errors. */
import fc from "fast-check";
import { type DType, full, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { arbitraryLined, compare, elementsOf, linesOf } from "../../../test/support/tensor-lines.ts";
import { argsort, kthvalue, median, mode, msort, nanmedian, sort, topk } from "./sort-ops.ts";

const reals: readonly DType[] = [
  "float32",
  "float64",
  "float16",
  "bfloat16",
  "int64",
  "int32",
  "int16",
  "int8",
  "uint8",
  "uint16",
  "bool",
];

/** The positions of a stable sort. */
const orderOf = (row: readonly number[], isDescending: boolean): number[] =>
  [...row.keys()].sort((a, b) => (isDescending ? compare(row[b]!, row[a]!) : compare(row[a]!, row[b]!)));

const picked = (rows: readonly number[][], orders: readonly number[][]): number[][] =>
  rows.map((row, r) => orders[r]!.map((i) => row[i]!));

test("sort, argsort and topk give the first places of a stable sort along any axis, and the values there", () => {
  fc.assert(
    fc.property(arbitraryLined(reals, 0), fc.boolean(), fc.nat(5), ({ x, axis }, descending, max) => {
      const rows = linesOf(x, axis);
      const orders = rows.map((row) => orderOf(row, descending));
      const { values, indices } = sort(x, axis, { descending });
      expect([values.dtype, indices.dtype, values.shape]).toEqual([x.dtype, "int32", x.shape]);
      expect(linesOf(indices, axis)).toEqual(orders);
      expect(linesOf(values, axis)).toEqual(picked(rows, orders));
      expect(elementsOf(argsort(x, axis, { descending }))).toEqual(elementsOf(indices));
      const k = Math.min(max, x.shape[axis] as number);
      const best = topk(x, k, axis - x.rank, { largest: descending });
      const firsts = k === 0 ? [] : orders.map((order) => order.slice(0, k));
      expect(linesOf(best.indices, axis)).toEqual(firsts);
      expect(linesOf(best.values, axis)).toEqual(k === 0 ? [] : picked(rows, firsts));
    }),
    { seed: 11, numRuns: 150 },
  );
});

test("kthvalue, median, nanmedian and mode give one element of each line, and its place", () => {
  const median1 = (row: readonly number[], skips: boolean): number => {
    const order = orderOf(row, false);
    const nans = row.filter(Number.isNaN).length;
    const others = row.length - nans;
    return order[others === 0 || (nans > 0 && !skips) ? others : (others - 1) >> 1] as number;
  };
  const mode1 = (row: readonly number[]): number => {
    const counts = row.map((value) => row.filter((other) => other === value).length);
    const max = Math.max(...counts);
    const values = row.filter((_, i) => counts[i] === max);
    const min = [...values].sort(compare)[0] as number;
    return max === 0 ? row.length - 1 : row.lastIndexOf(min);
  };
  fc.assert(
    fc.property(arbitraryLined(reals), fc.nat(4), fc.boolean(), ({ x, axis }, at, keepdims) => {
      const rows = linesOf(x, axis);
      const rank = at % (x.shape[axis] as number);
      const table = [
        [kthvalue(x, rank + 1, axis, { keepdims }), (row: number[]) => orderOf(row, false)[rank]],
        [median(x, axis, { keepdims }), (row: number[]) => median1(row, false)],
        [nanmedian(x, axis, { keepdims }), (row: number[]) => median1(row, true)],
      ] as const;
      const shape = x.shape.flatMap((size, d) => (d === axis ? (keepdims ? [1] : []) : [size]));
      for (const [{ values, indices }, expected] of table) {
        expect([values.dtype, indices.dtype, values.shape]).toEqual([x.dtype, "int32", shape]);
        expect(elementsOf(indices)).toEqual(rows.map(expected));
        expect(elementsOf(values)).toEqual(rows.map((row) => row[expected(row) as number]));
      }
      const frequent = mode(x, axis, { keepdims });
      expect(frequent.values.shape).toEqual(shape);
      expect(elementsOf(frequent.values)).toEqual(rows.map((row) => row[mode1(row)]));
      const all = elementsOf(x);
      expect(elementsOf(median(x))).toEqual([all[median1(all, false)]]);
      expect(elementsOf(nanmedian(x))).toEqual([all[median1(all, true)]]);
    }),
    { seed: 12, numRuns: 150 },
  );
});

test("64-bit integers keep all their digits", () => {
  const big = [2n ** 62n + 1n, 2n ** 62n, -(2n ** 62n)];
  const { values } = sort(tensor(big, { dtype: "int64" }));
  expect(values.toArray({ bigint: true })).toEqual([...big].reverse());
});

test("a 0-d tensor is one line of one element", () => {
  const x = tensor(3);
  for (const { values, indices } of [sort(x), topk(x, 1), topk(x, 0), kthvalue(x, 1), mode(x), median(x, -1)])
    expect([values.shape, values.item(), indices.item()]).toEqual([[], 3, 0]);
  expect([msort(x).item(), argsort(x).item(), median(x).item()]).toEqual([3, 0, 3]);
});

test("msort sorts along the first axis; options may stand in the place of the axis", () => {
  const x = tensor([
    [3, 1],
    [2, 4],
  ]);
  expect(msort(x).toArray()).toEqual([
    [2, 1],
    [3, 4],
  ]);
  expect(sort(x, { descending: true }).values.toArray()).toEqual([
    [3, 1],
    [4, 2],
  ]);
  expect(topk(x, 1, { largest: false }).values.toArray()).toEqual([[1], [2]]);
});

describe("out", () => {
  test("may have any strides and a wider dtype, its fields any order", () => {
    const x = tensor([
      [3, 1, 2],
      [9, 7, 8],
    ]);
    const [values, indices] = [
      zeros([3, 2], { dtype: "float64" }).T,
      zeros([2, 6], { dtype: "int64" }).slice(1, 0, 6, 2),
    ];
    const result = sort(x, 1, { out: { indices, values } });
    expect(result.values).toBe(values);
    expect(values.toArray()).toEqual([
      [1, 2, 3],
      [7, 8, 9],
    ]);
    expect(indices.toArray()).toEqual([
      [1, 2, 0],
      [1, 2, 0],
    ]);
    const along = { values: zeros([3]), indices: zeros([3], { dtype: "int32" }) };
    median(x, 0, { out: along });
    expect(along.values.toArray()).toEqual([3, 1, 2]);
  });

  test("that is the input, or of a different shape, is refused and left as it is", () => {
    const x = tensor([3, 1, 2]);
    const indices = zeros([3], { dtype: "int64" });
    expect(() => sort(x, 0, { out: { values: x, indices } })).toThrow("sort: unsupported operation");
    expect(() => sort(x, 0, { out: { values: zeros([2]), indices } })).toThrow(
      "sort: the result has shape [3], which out of shape [2] cannot hold",
    );
    expect(x.toArray()).toEqual([3, 1, 2]);
  });
});

test("on the meta device there are shapes and dtypes", () => {
  const x = zeros([2, 3, 4], { device: "meta" });
  expect(sort(x, 1).indices.shape).toEqual([2, 3, 4]);
  expect(topk(x, 2, 1).values.shape).toEqual([2, 2, 4]);
  expect(median(x, 0, { keepdims: true }).values.shape).toEqual([1, 3, 4]);
  expect([median(x).shape, median(x).device.type]).toEqual([[], "meta"]);
});

test("the median of no floats is NaN", () => {
  expect(median(zeros([0, 3])).item()).toBeNaN();
});

test("invalid arguments throw", () => {
  const x = full([2, 3], 1);
  const z = zeros([2], { dtype: "complex64" }) as Tensor;
  const mistakes: readonly (() => unknown)[] = [
    () => sort(x as Tensor, 2),
    () => sort(z),
    () => sort([1, 2] as never),
    () => sort(x, 0, { decending: true } as never),
    () => topk(x, 4),
    () => topk(x, -1),
    () => kthvalue(x, 0),
    () => kthvalue(zeros([0]), 1),
    () => median(x as Tensor, 5),
    () => median(zeros([0], { dtype: "int64" })),
    () => mode(zeros([0, 3]), 0),
    () => argsort(x, 0, { out: x } as never),
  ];
  expect(refusals(mistakes)).toMatchInlineSnapshot(`
    "IndexError: sort: axis 2 is out of range, expected -2 to 1
    DTypeError: sort: not implemented for 'complex64', complex numbers have no order. Use real(x), imag(x) or abs(x)
    DispatchError: sort: no argument is a tensor. Create one: tensor(...)
    StridewiseError: sort: there is no option decending; the options are descending, stable, out. Did you mean descending?
    ShapeError: topk: k must be from 0 to 3, the size of the axis, got 4
    ShapeError: topk: k must be from 0 to 3, the size of the axis, got -1
    ShapeError: kthvalue: k must be from 1 to 3, the size of axis 1, got 0
    IndexError: kthvalue: axis 0 must not be empty. Check the size first
    IndexError: median: axis 5 is out of range, expected -2 to 1
    ShapeError: median: x must not be empty for integers, got shape [0]
    IndexError: mode: axis 0 must not be empty. Check the size first
    StridewiseError: argsort: there is no option out. Copy the result: copy_(...)"
  `);
});

test("indices go to an out of int32 or int64", () => {
  const x = tensor([3, 1, 2]);
  const out = (dtype: DType): { values: Tensor; indices: Tensor } => ({
    values: zeros([3]),
    indices: zeros([3], { dtype }) as Tensor,
  });
  for (const dtype of ["int32", "int64"] as const)
    expect(elementsOf(sort(x, { out: out(dtype) }).indices as Tensor).map(Number)).toEqual([1, 2, 0]);
  for (const dtype of ["float16", "bfloat16", "float32", "float64", "int8", "uint8"] as const) {
    const refused = `must be int32 or int64, got ${dtype}`;
    expect(() => sort(x, { out: out(dtype) })).toThrow(`sort: out for indices ${refused}`);
    expect(() => topk(x, 3, { out: out(dtype) })).toThrow(`topk: out for indices ${refused}`);
  }
});
