/** Polynomials against what NumPy 1.24 gives, the laws that tie them together, and their gradients. */
import fc from "fast-check";
import { type Tensor, tensor, vmap, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { complexes, doubles, near, onMeta, partsOf } from "../../../test/support/numbers.ts";
import { refusals } from "../../../test/support/refusals.ts";
import { elementsOf } from "../../../test/support/tensor-lines.ts";
import { polyadd, polyder, polydiv, polyfit, polyint, polymul, polysub, polyval, roots } from "./polynomial-ops.ts";

const ints = (...values: number[]): Tensor => tensor(values, { dtype: "int32" }) as Tensor;
const nearParts = (t: Tensor, expected: readonly (readonly number[])[], digits = 12): void =>
  expect(partsOf(t)).toEqual(expected.map((parts) => parts.map((value) => expect.closeTo(value, digits))));

/** Coefficients from -9 to 9, the first of them not 0. */
const coefficients = (leading = 1): fc.Arbitrary<Tensor> =>
  fc
    .tuple(fc.integer({ min: leading, max: 9 }), fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 6 }))
    .map(([first, rest]) => doubles([first, ...rest]));

describe("polyval", () => {
  test("is the value at each x, of any shape, highest power first", () => {
    const x = doubles([
      [1, 2],
      [-1, 0.5],
    ]);
    // np.polyval.
    expect(polyval(doubles([3, 0, 1]), x).toArray()).toEqual([
      [4, 13],
      [4, 1.75],
    ]);
    expect(polyval(ints(3, 0, 1), ints(5)).toArray()).toEqual([76]);
    expect(partsOf(polyval(complexes([0, 1], [2, 0]), complexes([1, 0], [0, 2])))).toEqual([
      [2, 1],
      [0, 0],
    ]);
    const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
    expect(elementsOf(polyval(doubles([1, 2]), doubles([inf, nan])))).toEqual([nan, nan]);
    expect(elementsOf(polyval(zeros([0]), doubles([1, 2])))).toEqual([0, 0]);
  });

  test("is of the dtype of both together, in the shape of x", () => {
    const results = [
      polyval(doubles([1, 0.1]), tensor([1, 2])),
      polyval(tensor([1, 0.5]), ints(1, 2)),
      polyval(ints(1, 2), ints(1, 2)),
      polyval(tensor([1, 2]), tensor(3)),
    ];
    expect(results.map((t) => [t.dtype, t.shape])).toEqual([
      ["float64", [2]],
      ["float32", [2]],
      ["int32", [2]],
      ["float32", []],
    ]);
  });

  test("gradients: of x the derivative, of p the powers", () => {
    const [p, x] = [doubles([2, -1, 3]).requiresGrad_(), doubles([0, 1, -2]).requiresGrad_()] as [Tensor, Tensor];
    polyval(p, x).sum().backward();
    expect(elementsOf(x.grad as Tensor)).toEqual(elementsOf(polyval(polyder(p), x)));
    expect(elementsOf(p.grad as Tensor)).toEqual([5, -1, 3]);
  });
});

describe("polyfit", () => {
  const x = doubles([0, 1, 2, 3, 4, 5]);
  const y = doubles([0, 0.8, 0.9, 0.1, -0.8, -1]);

  test("is that of NumPy, with weights, and for each column of y", () => {
    near(polyfit(x, y, 3), [0.08703703703703684, -0.8134920634920618, 1.693121693121688, -0.03968253968253495]);
    near(polyfit(x, y, 1, { weights: doubles([1, 2, 1, 3, 1, 0.5]) }), [-0.2850616388687455, 0.9140681653372011]);
    near(polyfit(x, y, 0), [0]);
    const both = polyfit(
      x,
      y
        .unsqueeze(1)
        .mul(doubles([1, 2]))
        .add(doubles([0, 1])) as Tensor,
      2,
    );
    expect(both.shape).toEqual([3, 2]);
    near(
      both,
      [-0.16071428571428586, -0.32142857142857156, 0.5007142857142862, 1.001428571428572, 0.22142857142857147].concat(
        1.4428571428571435,
      ),
    );
  });

  test("finds the polynomial that values are of, integers as floats", () => {
    const p = polyfit(ints(-2, -1, 0, 1, 2), ints(11, 4, 3, 2, -5), 3);
    expect(p.dtype).toBe("float64");
    near(p, [-1, 0, 0, 3], 4);
  });

  test("gradients: of y they are those of a linear map", () => {
    const values = y.clone().requiresGrad_() as Tensor;
    (polyfit(x, values, 1).select(0, 0) as Tensor).sum().backward();
    // (x - mean) / sum((x - mean)^2)
    near(
      values.grad as Tensor,
      [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5].map((value) => value / 17.5),
    );
  });
});

describe("sums, products and quotients", () => {
  test("are those of NumPy, the shorter one with zeros in front", () => {
    expect(elementsOf(polyadd(ints(1, 2), ints(9, 5, 4)))).toEqual([9, 6, 6]);
    expect(elementsOf(polysub(ints(2, 10, -2), ints(3)))).toEqual([2, 10, -5]);
    expect(elementsOf(polymul(ints(1, 2, 3), ints(9, 5, 1)))).toEqual([9, 23, 38, 17, 3]);
    expect(elementsOf(polyadd(zeros([0]), doubles([1])))).toEqual([1]);
    expect(elementsOf(polymul(zeros([0]), doubles([1, 2])))).toEqual([0, 0]);
    expect(partsOf(polymul(complexes([0, 1], [1, 0]), doubles([1, 2])))).toEqual([
      [0, 1],
      [1, 2],
      [2, 0],
    ]);
    expect([polyadd(ints(1), doubles([1])).dtype, polymul(ints(1), ints(1)).dtype]).toEqual(["float64", "int32"]);
  });

  test.each([
    [[3, 5, 2], [2, 1], [1.5, 1.75], [0.25]],
    [
      [1, -6, 11, -5],
      [1, -1, 2],
      [1, -5],
      [4, 5],
    ],
    [[1, 2], [1, 2, 3], [0], [1, 2]],
    [[4, 2], [2], [2, 1], [0]],
  ])("polydiv of %j by %j is that of NumPy", (u, v, q, r) => {
    const { quotient, remainder } = polydiv(doubles(u), doubles(v));
    expect([elementsOf(quotient), elementsOf(remainder)]).toEqual([q, r]);
    expect(polydiv(ints(...u), ints(...v)).remainder.dtype).toBe("float32");
  });

  test("a remainder has one coefficient fewer than the divisor, leading zeros included", () => {
    const { quotient, remainder } = polydiv(doubles([1, 2, 1, 0]), doubles([1, 2, 1]));
    expect([elementsOf(quotient), elementsOf(remainder)]).toEqual([
      [1, 0],
      [0, 0],
    ]);
    const complexOnes = polydiv(complexes([0, 1], [2, 0], [3, 0]), complexes([1, 0], [0, 1]));
    nearParts(complexOnes.quotient, [
      [0, 1],
      [3, 0],
    ]);
    nearParts(complexOnes.remainder, [[3, -3]]);
  });

  test("a remainder is never the dividend itself", () => {
    const u = doubles([1, 2]);
    polydiv(u, doubles([1, 2, 3])).remainder.fill_(0);
    expect(elementsOf(u)).toEqual([1, 2]);
  });

  test("quotient times divisor plus remainder is the dividend", () => {
    fc.assert(
      fc.property(coefficients(-9), coefficients(), (u, v) => {
        const { quotient, remainder } = polydiv(u, v);
        const left = elementsOf(polysub(polyadd(polymul(quotient, v), remainder), u));
        expect(Math.max(...left.map(Math.abs))).toBeLessThan(1e-3);
      }),
      { seed: 72, numRuns: 60 },
    );
  });

  test("gradients of a quotient are those of its product", () => {
    const u = doubles([3, 5, 2]).requiresGrad_() as Tensor;
    const v = doubles([2, 1]).requiresGrad_() as Tensor;
    // (u0 v1 - u1 v0) v1 / v0^2 + u2
    polydiv(u, v).remainder.sum().backward();
    near(u.grad as Tensor, [0.25, -0.5, 1]);
    near(v.grad as Tensor, [0.5, -1]);
  });
});

describe("derivatives and integrals", () => {
  test("are those of NumPy", () => {
    const p = ints(1, 1, 1, 1);
    expect([0, 1, 2, 3, 4, 5].map((m) => elementsOf(polyder(p, m)))).toEqual([
      [1, 1, 1, 1],
      [3, 2, 1],
      [6, 2],
      [6],
      [],
      [],
    ]);
    const ones = doubles([1, 1, 1]);
    near(polyint(ones), [1 / 3, 1 / 2, 1, 0]);
    near(polyint(ones, 3), [1 / 60, 1 / 24, 1 / 6, 0, 0, 0]);
    near(polyint(ones, 3, { k: [6, 5, 3] }), [1 / 60, 1 / 24, 1 / 6, 3, 5, 3]);
    near(polyint(ones, 2, { k: 3 }), [1 / 12, 1 / 6, 1 / 2, 3, 3]);
    near(polyint(zeros([0]), 1, { k: [2, 9] }), [2]);
    near(polyint(ones, 0), [1, 1, 1]);
    expect([polyder(p).dtype, polyint(p).dtype, polyint(complexes([0, 1])).dtype]).toEqual([
      "int32",
      "float32",
      "complex128",
    ]);
  });

  test("a derivative takes an integral back", () => {
    fc.assert(
      fc.property(coefficients(-9), fc.nat(3), (p, m) => {
        near(polyder(polyint(p, m, { k: 5 }), m), elementsOf(p));
      }),
      { seed: 73, numRuns: 60 },
    );
  });
});

describe("roots", () => {
  /** By their real parts, then their imaginary ones: the order of roots is free. */
  const sorted = (t: Tensor): number[][] =>
    partsOf(t).sort(([a = 0, b = 0], [c = 0, d = 0]) => (Math.abs(a - c) > 1e-9 ? a - c : b - d));

  test.each([
    [
      [3.2, 2, 1],
      [
        [-0.3125, -0.46351240544347894],
        [-0.3125, 0.46351240544347894],
      ],
    ],
    [
      [1, -6, 11, -6],
      [
        [1, 0],
        [2, 0],
        [3, 0],
      ],
    ],
    [[0, 0, 2, -4], [[2, 0]]],
    [
      [1, -3, 2, 0, 0],
      [
        [0, 0],
        [0, 0],
        [1, 0],
        [2, 0],
      ],
    ],
    [
      [1, 0, 1],
      [
        [0, -1],
        [0, 1],
      ],
    ],
    [[0, 0], []],
    [[5], []],
    [[], []],
  ])("of %j are those of NumPy", (p, expected) => {
    const result = roots(doubles(p));
    expect(result.dtype).toBe("complex128");
    expect(sorted(result)).toEqual(expected.map((parts) => parts.map((value) => expect.closeTo(value, 10))));
  });

  test("are complex of all dtypes", () => {
    expect([roots(ints(1, 0, 1)).dtype, roots(ints(0)).dtype, roots(tensor([1, 2])).dtype]).toEqual(
      new Array(3).fill("complex64"),
    );
    nearParts(roots(complexes([1, 0], [0, -1])), [[0, 1]]);
  });

  test("the polynomial is 0 at them", () => {
    fc.assert(
      fc.property(coefficients(), (p) => {
        const values = polyval(p.to("complex128") as Tensor, roots(p));
        for (const [re, im] of partsOf(values)) expect(Math.hypot(re as number, im as number)).toBeLessThan(1);
      }),
      { seed: 74, numRuns: 40 },
    );
  });

  test("gradients: the sum of all is -p[1] / p[0], a single root at 0 included", () => {
    const p = doubles([2, -6, 4, 0]).requiresGrad_() as Tensor;
    (roots(p).real as unknown as Tensor).sum().backward();
    near(p.grad as Tensor, [-1.5, -0.5, 0, 0]);
  });
});

test("the meta device knows shapes, but how many roots there are depends on values", () => {
  const [p, q] = [onMeta(4), onMeta(2)];
  const { quotient, remainder } = polydiv(p, q);
  const results = [
    polyval(p, onMeta(2, 3)),
    polyfit(p, p, 2),
    polyadd(p, q),
    polysub(q, p),
    polymul(p, q),
    quotient,
    remainder,
    polyder(p),
    polyint(p, 2),
  ];
  expect(results.map((t) => [t.device.type, ...t.shape])).toEqual(
    [[2, 3], [3], [4], [4], [5], [3], [1], [3], [6]].map((shape) => ["meta", ...shape]),
  );
  expect(() => roots(p)).toThrow(/^roots: the shape depends on the elements, which meta tensors do not have/);
});

test("the result of a batch is that of each of its rows", () => {
  const rows = doubles([
    [1, 2, 4],
    [3, 5, -5],
  ]);
  const one = doubles([1, 2]);
  for (const f of [
    (row: Tensor) => polyval(row, one),
    (row: Tensor) => polyval(one, row),
    (row: Tensor) => polyfit(doubles([0, 1, 2]), row, 1),
    (row: Tensor) => polyadd(row, one),
    (row: Tensor) => polydiv(row, one).quotient,
    (row: Tensor) => polyder(row),
    (row: Tensor) => polyint(row),
  ])
    near(
      vmap(f)(rows),
      [0, 1].flatMap((k) => elementsOf(f(rows.select(0, k) as Tensor))),
    );
});

test("invalid arguments throw", () => {
  const [x, none, rows] = [zeros([3]), zeros([0]), zeros([2, 3])];
  expect(
    refusals([
      () => polyval([1, 2] as never, x),
      () => polyval(rows, x),
      () => polyval(x, 2 as never),
      () => polyfit(none, none, 1),
      () => polyfit(rows, x, 1),
      () => polyfit(x, zeros([2]), 1),
      () => polyfit(x, zeros([3, 1, 1]), 1),
      () => polyfit(x, x, -1),
      () => polyfit(x, x, 1.5),
      () => polyfit(x, x, 1, { weights: zeros([2]) }),
      () => polyfit(x, x, 1, { weights: rows }),
      () => polyfit(x, x, 1, { weight: x } as never),
      () => polyadd(rows, x),
      () => polysub(x, rows),
      () => polymul(x, rows),
      () => polydiv(none, x),
      () => polydiv(x, none),
      () => polydiv(x, rows),
      () => polyder(rows),
      () => polyder(x, -1),
      () => polyint(rows),
      () => polyint(x, 0.5),
      () => polyint(x, 3, { k: [1, 2] }),
      () => polyint(x, 1, { k: "x" as never }),
      () => roots(rows),
      () => roots(tensor([1, NaN])),
      () => polyder(x, { out: x } as never),
    ]),
  ).toMatchInlineSnapshot(`
    "StridewiseError: polyval: needs a tensor, got [1, 2]. Create one: tensor(...)
    ShapeError: polyval: p must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    StridewiseError: polyval: needs a tensor, got 2. Create one: tensor(...)
    ShapeError: polyfit: x must not be empty
    ShapeError: polyfit: x must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    ShapeError: polyfit: x and y must have the same length, got 3 and 2
    ShapeError: polyfit: y must have a rank of at most 2, got shape [3, 1, 1]. Select a part: select(0, k)
    StridewiseError: polyfit: degree must be an integer from 0 to 1000, got -1
    StridewiseError: polyfit: degree must be an integer from 0 to 1000, got 1.5
    ShapeError: polyfit: x and weights must have the same length, got 3 and 2
    ShapeError: polyfit: weights must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    StridewiseError: polyfit: there is no option weight; the options are weights. Did you mean weights?
    ShapeError: polyadd: a must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    ShapeError: polysub: b must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    ShapeError: polymul: b must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    ShapeError: polydiv: u must not be empty
    ShapeError: polydiv: v must not be empty
    ShapeError: polydiv: v must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    ShapeError: polyder: p must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    StridewiseError: polyder: m must be an integer from 0 to 1000, got -1
    ShapeError: polyint: p must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    StridewiseError: polyint: m must be an integer from 0 to 1000, got 0.5
    StridewiseError: polyint: k must be a number or a list of 3, one for each integral, got [1, 2]
    DTypeError: polyint: an element must be a number, bigint, boolean or { re, im }, got string.
    ShapeError: roots: p must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    LinAlgError: roots: the input has infinite or NaN elements
    StridewiseError: polyder: there is no option out. Copy the result: copy_(...)"
  `);
});

test("polyfit takes integers with all their digits, in float64", () => {
  const x = tensor([1700000000n, 1700000010n, 1700000020n, 1700000050n]);
  for (const y of [x.sub(1700000000n), tensor([0, 10, 20, 50])] as Tensor[]) {
    const [slope] = elementsOf(polyfit(x, y, 1)) as [number];
    // NumPy 1.24: 1.00000002
    expect(Math.abs(slope - 1)).toBeLessThan(2e-8);
    expect(polyfit(x, y, 1).dtype).toBe("float64");
  }
  const far = tensor([4000, 4001, 4002, 4003]);
  const fitted = polyfit(far, tensor([1, 4, 9, 16]), 2);
  expect(fitted.dtype).toBe("float32");
  expect(elementsOf(fitted)[0]).toBeCloseTo(1, 5);
});

test("orders that no polynomial has are refused at once", () => {
  const x = tensor([1, 2]);
  expect(refusals([() => polyint(x, 1e6), () => polyder(x, 1e300), () => polyfit(x, x, 1e9)])).toMatchInlineSnapshot(`
    "StridewiseError: polyint: m must be an integer from 0 to 1000, got 1000000
    StridewiseError: polyder: m must be an integer from 0 to 1000, got 1e+300
    StridewiseError: polyfit: degree must be an integer from 0 to 1000, got 1000000000"
  `);
  expect(polyint(x, 1000).size).toBe(1002);
});
