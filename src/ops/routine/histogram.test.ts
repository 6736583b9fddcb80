/** Counts against counting by definition, and the bins that PyTorch and NumPy record. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { bincount, fillEqualEdges, histc, histogram } from "./histogram.ts";
import { extent } from "./values.ts";

const numbers = fc.array(
  fc.oneof(fc.integer({ min: -4, max: 12 }), fc.double({ min: -4, max: 12, noNaN: true }), fc.constantFrom(NaN)),
  { maxLength: 60 },
);
const edgesOf = (list: readonly number[]): Float64Array => Float64Array.from(new Set(list)).sort();
const someEdges = fc.array(fc.integer({ min: -4, max: 12 }), { minLength: 4, maxLength: 8 }).map(edgesOf);
const usable = someEdges.filter((edges) => edges.length > 1);

/** The bin that holds the value, its left edge included, the right edge of the last one too; -1 for none. */
function binOf(edges: ArrayLike<number>, value: number): number {
  const last = edges.length - 2;
  for (let bin = 0; bin <= last; bin++)
    if (value >= edges[bin]! && (value < edges[bin + 1]! || (bin === last && value === edges[bin + 1]))) return bin;
  return -1;
}

test("histogram counts each number in its bin, weights instead of ones", () => {
  fc.assert(
    fc.property(numbers, usable, fc.boolean(), (list, edges, isWeighted) => {
      const weights = isWeighted ? Float64Array.from(list, (_, i) => (i % 5) - 1) : null;
      const out = new Float64Array(edges.length - 1);
      histogram(Float64Array.from(list), [{ edges, equal: false }], weights, false, out);
      const expected = out.map(() => 0);
      list.forEach((value, i) => {
        const bin = binOf(edges, value);
        if (bin >= 0) expected[bin]! += weights === null ? 1 : weights[i]!;
      });
      expect(out).toEqual(expected);
    }),
    { seed: 1, numRuns: 400 },
  );
});

test("equal bins are found by their edges, in float32 and float64", () => {
  fc.assert(
    fc.property(
      numbers,
      fc.integer({ min: 1, max: 30 }),
      fc.double({ min: -3, max: 0, noNaN: true }),
      fc.double({ min: 0.01, max: 11, noNaN: true }),
      fc.constantFrom(Float32Array, Float64Array),
      (list, bins, min, width, Floats) => {
        const edges = new Floats(bins + 1);
        fillEqualEdges(min, min + width, edges);
        const step = Floats === Float32Array ? 2 ** -24 : 2 ** -53;
        const besideEdges = [...edges].flatMap((edge) => [
          edge - Math.abs(edge) * step,
          edge,
          edge + Math.abs(edge) * step,
        ]);
        const values = Floats.from([...list, ...besideEdges]);
        const out = new Floats(bins);
        histogram(values, [{ edges, equal: true }], null, false, out);
        const searched = new Floats(bins);
        for (const value of values) if (binOf(edges, value) >= 0) searched[binOf(edges, value)]!++;
        expect(out).toEqual(searched);
      },
    ),
    { seed: 2, numRuns: 400 },
  );
});

test("a histogram of two dimensions counts pairs, its density sums to 1 over the area", () => {
  fc.assert(
    fc.property(numbers, usable, usable, (list, a, b) => {
      const points = Float64Array.from([...list, ...list.slice().reverse()]);
      const bins = [
        { edges: a, equal: false },
        { edges: b, equal: false },
      ];
      const columns = b.length - 1;
      const out = new Float64Array((a.length - 1) * columns);
      histogram(points, bins, null, false, out);
      const expected = out.map(() => 0);
      for (let i = 0; i < points.length; i += 2) {
        const [row, column] = [binOf(a, points[i]!), binOf(b, points[i + 1]!)];
        if (row >= 0 && column >= 0) expected[row * columns + column]!++;
      }
      expect(out).toEqual(expected);
      const density = out.slice();
      histogram(points, bins, null, true, density);
      const total = density.reduce((sum, item, i) => {
        const [row, column] = [Math.floor(i / columns), i % columns];
        return sum + item * (a[row + 1]! - a[row]!) * (b[column + 1]! - b[column]!);
      }, 0);
      if (expected.some((count) => count > 0)) expect(total).toBeCloseTo(1, 9);
      else expect(total).toBeNaN();
    }),
    { seed: 3, numRuns: 300 },
  );
});

test("equal edges reach both ends exactly; a range of no width has width 1", () => {
  const edges = new Float64Array(4);
  fillEqualEdges(0.1, 0.7, edges);
  expect([edges[0], edges[3]]).toEqual([0.1, 0.7]);
  fillEqualEdges(-4.826984902407649, -4.826984902407649, edges.subarray(0, 3));
  expect([...edges.subarray(0, 3)]).toEqual([-5.326984902407649, -4.826984902407649, -4.326984902407649]);
});

test.each([
  [3, 0, 0, [-4.826984902407649], [0, 1, 0]],
  [10, 0, 10, [-4.826984902407649], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
  [1, -10, 0, [-4.826984902407649], [1]],
  [4, 0, 3, [1, 2, 1], [0, 2, 1, 0]],
  [4, 0, 0, [1, 2, 1, 5], [2, 1, 0, 1]],
  [2, 0, 1, [NaN, 0, 0.5, 1], [1, 2]],
])("histc of %i bins from %d to %d of %j is %j", (bins, min, max, values, expected) => {
  const out = new Float64Array(bins);
  histc(Float64Array.from(values), min, max, out);
  expect([...out]).toEqual(expected);
});

test("bincount counts integers of every width, or adds their weights", () => {
  const list = [0, 1, 1, 3];
  for (const values of [Uint8Array.from(list), Int16Array.from(list), Int32Array.from(list)])
    expect([...bincount(values, 5, null)]).toEqual([1, 2, 0, 1, 0]);
  const wide = BigInt64Array.from(list, BigInt);
  expect([...bincount(wide, 4, null)]).toEqual([1, 2, 0, 1]);
  expect([...bincount(wide, 6, Float64Array.of(0.5, 1, 2, 3))]).toEqual([0.5, 3, 0, 3, 0, 0]);
  expect([...bincount(new BigInt64Array(0), 2, null)]).toEqual([0, 0]);
});

test("extent is the smallest and the largest number, NaN if one is", () => {
  expect(extent(new BigInt64Array([5n, -(2n ** 40n), 2n ** 53n]))).toEqual({ min: -(2 ** 40), max: 2 ** 53 });
  expect(extent(new BigUint64Array([2n ** 63n, 1n]))).toEqual({ min: 1, max: 2 ** 63 });
  expect(extent(new Float64Array([3, -1.5]))).toEqual({ min: -1.5, max: 3 });
  expect(extent(new Float32Array([3, NaN]))).toEqual({ min: NaN, max: NaN });
  expect(extent(new Int8Array(0))).toEqual({ min: Infinity, max: -Infinity });
});
