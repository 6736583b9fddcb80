/** Covariances, correlations, differences, integrals and derivatives against their definitions; combinations; equality of tensors. */

import fc from "fast-check";
import { type Complex, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { arbitraryLined, elementsOf, linesOf } from "../../../test/support/tensor-lines.ts";
import { cat } from "../movement/join.ts";
import { combinations as choose } from "./combinations.ts";
import { combinations } from "./combinations-ops.ts";
import { allclose, equal } from "./equal-ops.ts";
import { cumulativeTrapezoid, gradient, trapezoid, trapz } from "./integral-ops.ts";
import { corrcoef, cov, diff } from "./statistics-ops.ts";

const near = (t: Tensor, expected: readonly number[]): void => {
  const ours = elementsOf(t);
  expect(ours.length).toBe(expected.length);
  ours.forEach((value, i) => {
    if (Number.isFinite(expected[i])) expect(value).toBeCloseTo(expected[i] as number, 4);
    else expect(value).toBe(expected[i]);
  });
};
const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);

describe("cov and corrcoef", () => {
  const rows = [
    [1, 4, 2, 7],
    [3, 1, 0, 2],
  ];
  const x = tensor(rows, { dtype: "float64" });
  const means = rows.map((row) => sum(row) / 4);
  const products = rows.flatMap((a, i) =>
    rows.map((b, j) => sum(a.map((value, k) => (value - means[i]!) * (b[k]! - means[j]!)))),
  );

  test("hold their definitions", () => {
    near(
      cov(x),
      products.map((value) => value / 3),
    );
    near(
      cov(x.to("int64"), { correction: 0 }),
      products.map((value) => value / 4),
    );
    near(
      corrcoef(x),
      products.map((value, k) => value / Math.sqrt(products[k < 2 ? 0 : 3]! * products[k % 2 ? 3 : 0]!)),
    );
    expect([cov(x.to("int64")).dtype, cov(x.select(0, 0)).shape, cov(tensor(1)).item()]).toEqual(["float32", [], NaN]);
  });

  test("fweights count observations as often as they say, aweights of one size change nothing without correction", () => {
    const repeated = tensor(rows.map((row) => [0, 1, 1, 2, 2, 2, 3].map((k) => row[k]!)));
    const fweights = tensor([1, 2, 3, 1], { dtype: "int64" });
    near(cov(x, { fweights }), elementsOf(cov(repeated)));
    near(cov(x, { aweights: tensor([2, 2, 2, 2]), correction: 0 }), elementsOf(cov(x, { correction: 0 })));
  });

  test("of complex numbers are Hermitian, with real parts on the diagonal", () => {
    const z = tensor(
      [
        [
          { re: 1, im: 2 },
          { re: 0, im: -1 },
          { re: 3, im: 1 },
        ],
        [
          { re: 2, im: 2 },
          { re: 1, im: -1 },
          { re: 0, im: 1 },
        ],
      ],
      { dtype: "complex128" },
    ) as Tensor;
    const [a, b, c, d] = (corrcoef(z).toArray() as Complex[][]).flat() as [Complex, Complex, Complex, Complex];
    for (const one of [a, d]) expect([one.re, one.im]).toEqual([expect.closeTo(1, 12), 0]);
    expect([b.re, b.im]).toEqual([expect.closeTo(c.re, 12), expect.closeTo(-c.im, 12)]);
    expect(Math.hypot(b.re, b.im)).toBeLessThan(1);
  });
});

test("diff takes differences of neighbors n times along an axis; bools differ", () => {
  fc.assert(
    fc.property(arbitraryLined(["float32", "int64", "bool"]), fc.nat(3), ({ x, axis }, n) => {
      const once = (line: readonly number[]): number[] =>
        line.slice(1).map((value, i) => (x.dtype === "bool" ? Number(value !== line[i]) : value - line[i]!));
      let lines = linesOf(x, axis);
      for (let k = 0; k < n; k++) lines = lines.map(once);
      const result = diff(x, n, axis);
      expect(result.dtype).toBe(x.dtype);
      expect(linesOf(result, axis)).toEqual(lines[0]?.length === 0 ? [] : lines);
      expect(elementsOf(diff(x, 1, axis, { prepend: x, append: x }))).toEqual(
        elementsOf(diff(cat([x, x, x], axis), 1, axis)),
      );
    }),
    { seed: 61, numRuns: 60 },
  );
});

test("trapezoid adds up the areas between neighbors, cumulativeTrapezoid up to each", () => {
  fc.assert(
    fc.property(arbitraryLined(["float32", "float64", "int32"]), fc.boolean(), ({ x: y, axis }, isPlaced) => {
      const n = y.shape[axis] as number;
      const points = Array.from({ length: n }, (_, i) => i * i + i);
      const areas = linesOf(y, axis).map((line) =>
        line.slice(1).map((value, i) => ((value + line[i]!) / 2) * (isPlaced ? points[i + 1]! - points[i]! : 0.5)),
      );
      const x = isPlaced ? tensor(points) : undefined;
      const options = isPlaced ? { axis } : { axis, dx: 0.5 };
      near(trapezoid(y, x, options), areas.map(sum));
      near(trapz(y, x, options), areas.map(sum));
      const running = cumulativeTrapezoid(y, x, options);
      expect(running.shape[axis]).toBe(n - 1);
      near(
        running.movedim(axis, -1) as Tensor,
        areas.flatMap((line) => line.map((_, i) => sum(line.slice(0, i + 1)))),
      );
    }),
    { seed: 62, numRuns: 60 },
  );
});

test("gradient is exact for lines, and with edgeOrder 2 for parabolas, evenly spaced or not", () => {
  const points = [0, 1, 3, 4, 7];
  const curve = (t: readonly number[], b: number): Tensor =>
    tensor([t.map((v) => 3 * v + b * v * v), t.map((v) => v - b * v * v)], { dtype: "float64" }) as Tensor;
  const slopes = (t: readonly number[], b: number): number[] => [
    ...t.map((v) => 3 + 2 * b * v),
    ...t.map((v) => 1 - 2 * b * v),
  ];
  for (const [b, edgeOrder] of [
    [0, 1],
    [2, 2],
  ] as const) {
    const even = [0, 0.5, 1, 1.5];
    near(gradient(curve(even, b), { spacing: 0.5, axis: 1, edgeOrder })[0] as Tensor, slopes(even, b));
    const [uneven] = gradient(curve(points, b), { spacing: [tensor(points)], axis: [1], edgeOrder });
    near(uneven as Tensor, slopes(points, b));
  }
  const both = gradient(
    tensor(
      [
        [1, 2],
        [4, 8],
      ],
      { dtype: "int64" },
    ),
    { spacing: [2, 1] },
  );
  expect(both.map((one) => [one.dtype, ...elementsOf(one)])).toEqual([
    ["float32", 1.5, 3, 1.5, 3],
    ["float32", 1, 1, 4, 4],
  ]);
});

test("combinations are the rows of positions, with the elements at them", () => {
  const x = tensor([5, 7, 9, 11]);
  for (const [r, withReplacement] of [
    [1, false],
    [2, false],
    [3, true],
    [5, false],
  ] as const) {
    const rows = combinations(x, r, { withReplacement });
    expect(rows.shape[1]).toBe(r);
    expect(elementsOf(rows)).toEqual([...choose(4, r, withReplacement)].map((i) => 5 + 2 * i));
    expect(combinations(zeros([4], { device: "meta" }), r, { withReplacement }).shape).toEqual(rows.shape);
  }
  expect(combinations(x, 0).shape).toEqual([0]);
});

test("equal asks for shape and elements, allclose for nearness", () => {
  const x = tensor([1, 2, NaN]);
  const y = tensor([1, 2]);
  expect([equal(y, y), equal(x, x), equal(y, y.view([2, 1])), equal(zeros([0]), zeros([0]))]).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect([allclose(y, y.add(1e-6)), allclose(y, y.add(1e-3)), allclose(y, y.add(1e-3), { atol: 0.01 })]).toEqual([
    true,
    false,
    true,
  ]);
  expect([allclose(x, x), allclose(x, x, { equalNan: true })]).toEqual([false, true]);
});

test("invalid arguments throw", () => {
  const x = zeros([2, 3]);
  const bools = zeros([3], { dtype: "bool" });
  expect(
    refusals([
      () => cov(zeros([1, 2, 3])),
      () => cov(bools),
      () => cov(x, { fweights: zeros([3]) }),
      () => cov(x, { aweights: zeros([3, 3]) }),
      () => cov(x, { aweights: zeros([2]) }),
      () => cov(x, { aweights: tensor([1, 1, -1]) }),
      () => cov(x, { out: x } as never),
      () => corrcoef(zeros([1, 2, 3])),
      () => diff(tensor(1)),
      () => diff(x, -1),
      () => diff(x, 1, 0, { prepend: zeros([3]) }),
      () => diff(x, 1, 1, { append: zeros([3, 3]) }),
      () => trapezoid(tensor(1)),
      () => trapezoid(bools),
      () => trapezoid(x, zeros([2])),
      () => gradient(x, { edgeOrder: 3 as never }),
      () => gradient(zeros([3, 1])),
      () => gradient(x, { axis: [1, 1] }),
      () => gradient(x, { spacing: [1, 2, 3] }),
      () => gradient(x, { spacing: [1], axis: [0, 1] }),
      () => gradient(x, { spacing: [zeros([3])], axis: 0 }),
      () => gradient(zeros([3], { dtype: "uint8" })),
      () => combinations(x),
      () => combinations(zeros([3]), -1),
      () => allclose(x, x, { rtol: -1 }),
      () => allclose(x, zeros([2])),
    ]),
  ).toMatchInlineSnapshot(`
    "ShapeError: cov: x must have at most 2 axes, got 3
    DTypeError: cov: not implemented for 'bool'. Convert it: to("float32")
    DTypeError: cov: fweights must have integral dtype, got float32
    ShapeError: cov: aweights must have at most one axis, got 2
    ShapeError: cov: aweights must have an element for each of 3 observations, got 2
    StridewiseError: cov: aweights cannot be negative
    StridewiseError: cov: there is no option out. Copy the result: copy_(...)
    ShapeError: corrcoef: x must have at most 2 axes, got 3
    ShapeError: diff: x must have at least 1 axis
    StridewiseError: diff: n must be a non-negative integer, got -1
    ShapeError: diff: prepend and append must have as many axes as x, got 1 for 2
    ShapeError: diff: prepend and append must have the sizes of x except along the axis, got 3 instead of 2 at axis 0
    IndexError: trapezoid: y has no axis -1; its shape is []
    DTypeError: trapezoid: not implemented for 'bool'. Convert it: to("float32")
    ShapeError: trapezoid: x must have a value for each of 3 samples, got 2
    StridewiseError: gradient: edgeOrder must be 1 or 2, got 3
    ShapeError: gradient: axis 1 must have at least edgeOrder + 1 = 2 elements, got 1
    IndexError: gradient: axis 1 is repeated
    ShapeError: gradient: spacing must be a number or a list of 2, one for each axis, got 3
    ShapeError: gradient: spacing must be a number or a list of 2, one for each axis, got 1
    ShapeError: gradient: spacing of axis 0 must be a list of 2 coordinates, got 1 axes and 3 elements
    DTypeError: gradient: not implemented for 'uint8'. Convert it: to("int32")
    ShapeError: combinations: x must have one axis, got shape [2, 3]
    StridewiseError: combinations: r must be a non-negative integer, got -1
    StridewiseError: allclose: rtol must be at least 0, got -1
    ShapeError: allclose: the size of x (3) must match the size of other (2) at axis 1, got tensor (float32 [2, 3]) and tensor (float32 [2])"
  `);
});
