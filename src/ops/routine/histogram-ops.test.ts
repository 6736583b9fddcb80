/** Histograms against counting one by one, and errors. */
import fc from "fast-check";
import { tensor, zeros } from "stridewise";
import { expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { arbitraryLined, elementsOf } from "../../../test/support/tensor-lines.ts";
import { bincount, histc, histogram, histogramdd } from "./histogram-ops.ts";

test("bincount counts each integer, or adds up its weights", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(6), { maxLength: 9 }), fc.nat(9), (list, minlength) => {
      for (const dtype of ["int64", "uint8", "int32"] as const) {
        const x = list.length === 0 ? zeros([0], { dtype }) : tensor(list, { dtype });
        const length = Math.max(minlength, ...list.map((value) => value + 1));
        const expected = Array.from({ length }, (_, value) => list.filter((one) => one === value).length);
        const counts = bincount(x, { minlength });
        expect([counts.dtype, elementsOf(counts)]).toEqual(["int64", expected]);
        expect(elementsOf(bincount(x, null, { minlength }))).toEqual(expected);
        const sums = bincount(x, x, { minlength });
        expect([sums.dtype, elementsOf(sums)]).toEqual(["float64", expected.map((count, value) => count * value)]);
      }
    }),
    { seed: 51, numRuns: 60 },
  );
});

test("histc and histogram count the elements between edges, the last of which belongs to its bin", () => {
  const edges = [-2, -1, 0, 1, 2];
  fc.assert(
    fc.property(arbitraryLined(["float32", "float64"], 0), ({ x }) => {
      const expected = edges.slice(1).map((right, bin) => {
        const isIn = (value: number): boolean =>
          value >= (edges[bin] as number) && (value < right || (value === 2 && right === 2));
        return elementsOf(x).filter(isIn).length;
      });
      const equal = histogram(x, 4, { range: [-2, 2] });
      expect([equal.hist.dtype, elementsOf(equal.hist), elementsOf(equal.binEdges)]).toEqual([
        x.dtype,
        expected,
        edges,
      ]);
      expect(elementsOf(histogram(x, tensor(edges, { dtype: x.dtype as "float32" })).hist)).toEqual(expected);
      expect(elementsOf(histogram(x, 4, { range: [-2, 2], weight: x.mul(0).add(3).nanToNum(3) }).hist)).toEqual(
        expected.map((count) => 3 * count),
      );
      expect(elementsOf(histc(x, 4, { min: -2, max: 2 }))).toEqual(expected);
    }),
    { seed: 52, numRuns: 100 },
  );
});

test("without a range the elements give it; a density adds up to 1 over the widths", () => {
  const x = tensor([1, 2, 2, 5]);
  const { hist, binEdges } = histogram(x, 2, { density: true });
  expect(binEdges.toArray()).toEqual([1, 3, 5]);
  expect(hist.toArray()).toEqual([0.375, 0.125]);
  expect(histc(x, { bins: 2 }).toArray()).toEqual([3, 1]);
  expect(histogram(zeros([0]), 1).binEdges.toArray()).toEqual([0, 1]);
  const out = { binEdges: zeros([3]), hist: zeros([2], { dtype: "float64" }) };
  histogram(x, 2, { out });
  expect([out.hist.toArray(), out.binEdges.toArray()]).toEqual([
    [3, 1],
    [1, 3, 5],
  ]);
});

test("histogramdd counts points in cells, the first coordinate outermost", () => {
  const points = tensor([
    [0.5, 0.5],
    [0.5, 2.5],
    [1.5, 2.5],
    [9, 9],
  ]);
  const { hist, binEdges } = histogramdd(points, [2, 3], { range: [0, 2, 0, 3] });
  expect(hist.toArray()).toEqual([
    [1, 0, 1],
    [0, 0, 1],
  ]);
  expect(binEdges.map((edges) => edges.toArray())).toEqual([
    [0, 1, 2],
    [0, 1, 2, 3],
  ]);
  const own = histogramdd(points, [binEdges[0] as never, 1]);
  expect([own.hist.toArray(), own.binEdges[1]?.toArray()]).toEqual([
    [[2], [1]],
    [0.5, 9],
  ]);
  expect(histogramdd(zeros([5, 2], { device: "meta" }), 3).hist.shape).toEqual([3, 3]);
});

test("invalid arguments throw", () => {
  const x = tensor([1, 2]);
  const ints = zeros([2], { dtype: "int64" });
  expect(
    refusals([
      () => bincount(x),
      () => bincount(tensor([-1], { dtype: "int64" })),
      () => bincount(zeros([1, 1], { dtype: "int64" })),
      () => bincount(ints, zeros([3])),
      () => bincount(ints, { minlength: -1 }),
      () => bincount(zeros([2], { dtype: "int64", device: "meta" })),
      () => histc(ints),
      () => histc(x, 0),
      () => histc(x, 3, { min: 2, max: 1 }),
      () => histc(tensor([1, NaN]), 3),
      () => histogram(x, 0),
      () => histogram(x, 3, { range: [2, 1] }),
      () => histogram(x, 3, { range: [1] }),
      () => histogram(x, 3, { weight: zeros([3]) }),
      () => histogram(x, zeros([3], { dtype: "float64" })),
      () => histogram(x, zeros([1, 3])),
      () => histogramdd(x, [2]),
      () => histogramdd(zeros([2, 3]), [2, 2]),
    ]),
  ).toMatchInlineSnapshot(`
    "DTypeError: bincount: not implemented for 'float32', it counts integers. Convert it: to("int64")
    ShapeError: bincount: x must have one axis and no negative integers, got shape [1] with -1 in it
    ShapeError: bincount: x must have one axis and no negative integers, got shape [1, 1]
    ShapeError: bincount: weights must have shape [2], one for each element, got [3]
    StridewiseError: bincount: minlength must be a non-negative integer, got -1
    DispatchError: bincount: the shape depends on the elements, which meta tensors do not have
    DTypeError: histc: not implemented for 'int64'. Convert it: to("float32")
    StridewiseError: histc: bins must be a positive integer, got 0
    StridewiseError: histc: max must be at least min, got min 2 and max 1
    StridewiseError: histc: the range [NaN, NaN] is not finite. Pass a range
    StridewiseError: histogram: bins must be a positive integer, got 0 for coordinate 0
    StridewiseError: histogram: max must be at least min, got min 2 and max 1
    ShapeError: histogram: range must have 2 elements, got 1
    ShapeError: histogram: weight must have a value for each point, shape [2], got [3]
    DTypeError: histogram: x and bins of coordinate 0 must have the same dtype, got float32 and float64. Convert one: to("float32")
    ShapeError: histogram: bins of coordinate 0 must have one axis, got 2
    ShapeError: histogramdd: x must have at least 2 axes, points and coordinates, got shape [2]
    ShapeError: histogramdd: bins must have an entry for each of 3 coordinates, got 2"
  `);
});
