/** Convolutions, correlations, interpolation and unwrapped phases against what NumPy 1.24 gives, and their gradients. */
import fc from "fast-check";
import { type Tensor, tensor, vmap, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { complexes, doubles, near, onMeta, partsOf } from "../../../test/support/numbers.ts";
import { refusals } from "../../../test/support/refusals.ts";
import { elementsOf } from "../../../test/support/tensor-lines.ts";
import { type ConvolveMode, convolve, correlate, interp, unwrap } from "./signal-ops.ts";

const modes: readonly ConvolveMode[] = ["full", "same", "valid"];

describe("convolve and correlate", () => {
  // np.convolve and np.correlate of the longer with the shorter; of the shorter with the longer; of the longer with an odd kernel.
  const [long, short, odd] = [doubles([1, 2, 3, 4, 5]), doubles([2, -1, 0.5, 3]), doubles([1, 0, -2])];
  const convolved: Readonly<Record<ConvolveMode, readonly number[][]>> = {
    full: [
      [2, 3, 4.5, 9, 13.5, 6, 14.5, 15],
      [2, 3, 4.5, 9, 13.5, 6, 14.5, 15],
      [1, 2, 1, 0, -1, -8, -10],
    ],
    same: [
      [3, 4.5, 9, 13.5, 6],
      [3, 4.5, 9, 13.5, 6],
      [2, 1, 0, -1, -8],
    ],
    valid: [
      [9, 13.5],
      [9, 13.5],
      [1, 0, -1],
    ],
  };
  const correlated: Readonly<Record<ConvolveMode, readonly number[][]>> = {
    full: [
      [3, 6.5, 9, 13.5, 18, 4.5, 3, 10],
      [10, 3, 4.5, 18, 13.5, 9, 6.5, 3],
      [-2, -4, -5, -6, -7, 4, 5],
    ],
    same: [
      [6.5, 9, 13.5, 18, 4.5],
      [4.5, 18, 13.5, 9, 6.5],
      [-4, -5, -6, -7, 4],
    ],
    valid: [
      [13.5, 18],
      [18, 13.5],
      [-5, -6, -7],
    ],
  };

  test.each(modes)("in mode %s are those of NumPy, whichever is longer", (mode) => {
    for (const [op, expected] of [
      [convolve, convolved],
      [correlate, correlated],
    ] as const)
      for (const dtype of ["float64", "float32", "float16"] as const) {
        const all = [
          [long, short],
          [short, long],
          [long, odd],
        ].map(([a, v]) => op(a?.to(dtype) as Tensor, v?.to(dtype) as Tensor, mode));
        expect(all.map((t) => [t.dtype, ...elementsOf(t)])).toEqual(expected[mode].map((list) => [dtype, ...list]));
      }
  });

  test("the default mode is full for one, valid for the other; dtypes are promoted; one element counts as a list", () => {
    expect([convolve(long, odd).size, correlate(long, odd).size]).toEqual([7, 3]);
    const mixed = convolve(tensor([1, 2], { dtype: "int32" }), short);
    expect([mixed.dtype, ...elementsOf(mixed)]).toEqual(["float64", 2, 3, -1.5, 4, 6]);
    expect(elementsOf(convolve(tensor(2), tensor([1, 3])))).toEqual([2, 6]);
  });

  test("integers are exact, and bools ask whether any pair is true", () => {
    const [a, v] = [tensor([2n ** 40n, 3n]), tensor([2n ** 20n, 1n])];
    // np.convolve of int64.
    expect(convolve(a, v).toArray({ bigint: true })).toEqual([1152921504606846976n, 1099514773504n, 3n]);
    const bools = convolve(tensor([true, true, false]), tensor([true, true]));
    expect(bools.toArray()).toEqual([true, true, true, false]);
  });

  test.each(modes)("of complex numbers in mode %s are those of NumPy, correlate with v conjugated", (mode) => {
    const [a, v] = [complexes([1, 2], [3, -1], [0, 2]), complexes([0, 1], [2, -1])];
    const range = { full: [0, 4], same: [0, 3], valid: [1, 3] }[mode];
    const part = (list: readonly number[][], from = range[0]): number[][] =>
      list.slice(from, (from as number) + (range[1] as number) - (range[0] as number));
    const pairs = (...list: number[][]): number[][] => list;
    // np.convolve(a, v), np.correlate(a, v) and np.correlate(v, a), all in mode full.
    expect(partsOf(convolve(a, v, mode))).toEqual(part(pairs([-2, 1], [5, 6], [3, -5], [2, 4])));
    expect(partsOf(correlate(a, v, mode))).toEqual(part(pairs([0, 5], [9, 0], [-3, 1], [2, 0])));
    const turned = part(pairs([2, 0], [-3, -1], [9, 0], [0, -5]), mode === "full" ? 0 : 1);
    expect(partsOf(correlate(v, a, mode))).toEqual(turned);
  });

  test("hold their definitions for all sizes", () => {
    const list = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(list, list, (a, v) => {
        const at = (k: number): number => v.reduce((sum, value, n) => sum + value * (a[n + k] ?? 0), 0);
        const expected = Array.from({ length: a.length + v.length - 1 }, (_, i) => at(i - v.length + 1));
        const [x, y] = [tensor(a, { dtype: "int32" }), tensor(v, { dtype: "int32" })] as Tensor[] as [Tensor, Tensor];
        expect(elementsOf(correlate(x, y, "full"))).toEqual(expected);
        expect(elementsOf(convolve(x, y.flip([0]) as Tensor))).toEqual(expected);
      }),
      { seed: 71, numRuns: 60 },
    );
  });

  test("gradients are correlations with the other operand", () => {
    const [a, v] = [long.clone().requiresGrad_(), odd.clone().requiresGrad_()] as [Tensor, Tensor];
    const weights = doubles([1, -1, 2, 0, 3, 1, 1]);
    (convolve(a, v).mul(weights as never) as Tensor).sum().backward();
    near(a.grad as Tensor, elementsOf(correlate(weights, odd)));
    near(v.grad as Tensor, elementsOf(correlate(weights, long)));
  });
});

describe("interp", () => {
  const [xp, fp] = [doubles([1, 2, 4, 7]), doubles([3, 2, 0, 9])];
  const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
  const x = doubles([0, 1, 1.5, 2, 3, 6, 7, 8, nan, inf, -inf]);

  test("is piecewise linear, with the end values or the given values outside", () => {
    // np.interp, without and with left and right.
    expect(elementsOf(interp(x, xp, fp))).toEqual([3, 3, 2.5, 2, 1, 6, 9, 9, nan, 9, 3]);
    expect(elementsOf(interp(x, xp, fp, { left: -1, right: -2 }))).toEqual([-1, 3, 2.5, 2, 1, 6, 9, -2, nan, -2, -1]);
    expect(elementsOf(interp(doubles([0, 1, 2]), doubles([1]), doubles([5]), { left: -1, right: -2 }))).toEqual([
      -1, 5, -2,
    ]);
    // A value that is not finite matters between its neighbors, and not at them.
    const odd = doubles([3, nan, 7, inf]);
    expect(elementsOf(interp(doubles([0, 1, 1.5, 2, 2.5, 4, 5, 6]), doubles([1, 2, 4, 5]), odd))).toEqual([
      3,
      3,
      nan,
      nan,
      nan,
      7,
      inf,
      inf,
    ]);
    // A step: two points at one place, of which the second holds there.
    expect(elementsOf(interp(doubles([0, 1, 2]), doubles([0, 1, 1, 2]), doubles([0, 1, 5, 6])))).toEqual([0, 5, 6]);
  });

  test("x has any shape, and integers become floats", () => {
    const whole = interp(
      doubles([
        [0, 2.5],
        [5.5, 9],
      ]),
      xp,
      fp,
    );
    expect(whole.toArray()).toEqual([
      [3, 1.5],
      [4.5, 9],
    ]);
    const one = interp(doubles(2.5), xp, fp);
    expect([one.shape, one.item()]).toEqual([[], 1.5]);
    const bytes = (list: number[]): Tensor => tensor(list, { dtype: "uint8" }) as Tensor;
    const ints = interp(bytes([0, 3, 5]), bytes([1, 2, 4, 7]), bytes([3, 2, 0, 9]));
    expect([ints.dtype, ...elementsOf(ints)]).toEqual(["float32", 3, 1, 3]);
    expect(interp(zeros([0, 2]), xp, fp).shape).toEqual([0, 2]);
  });

  test("with a period points are taken round it, in any order", () => {
    const angles = doubles([-180, -170, -185, 185, -10, -5, 0, 365]);
    // np.interp with period 360, which left and right do not matter to.
    for (const period of [360, -360]) {
      const result = interp(angles, doubles([190, -190, 350, -350]), doubles([5, 10, 3, 4]), { period, left: 7 });
      expect(elementsOf(result)).toEqual([7.5, 5, 8.75, 6.25, 3, 3.25, 3.5, 3.75]);
    }
  });

  test("values are complex, too", () => {
    const result = interp(doubles([1.5, 4]), doubles([2, 3, 5]), complexes([0, 1], [0, 0], [2, 3]));
    expect(partsOf(result)).toEqual([
      [0, 1],
      [1, 1.5],
    ]);
  });

  test("gradients: of fp the weights of the two neighbors, of x the slope, 0 outside, at a point the slope to its right", () => {
    const at = doubles([0, 2.5, 4, 7, inf]).requiresGrad_() as Tensor;
    const values = fp.clone().requiresGrad_() as Tensor;
    interp(at, xp, values).sum().backward();
    expect(elementsOf(values.grad as Tensor)).toEqual([1, 0.75, 1.25, 2]);
    expect(elementsOf(at.grad as Tensor)).toEqual([0, -1, 3, 0, 0]);
  });
});

describe("unwrap", () => {
  test("takes out jumps by more than half a period, as NumPy does", () => {
    const p = doubles([0, 3.5, -3, 2, -2.9, 0.1, 6.4]);
    const turn = 2 * Math.PI;
    near(unwrap(p), [0, 3.5 - turn, -3, 2 - turn, -2.9, 0.1, 6.4 - turn]);
    near(unwrap(p, { discont: 5 }), [0, 3.5, turn - 3, 2, -2.9, 0.1, 6.4 - turn]);
    near(unwrap(p, { period: 4 }), [0, -0.5, 1, 2, 1.1, 0.1, -1.6]);
    near(unwrap(p, { discont: 1, period: 4 }), [0, -0.5, 1, 2, 1.1, 0.1, -1.6]);
    near(unwrap(doubles([0, NaN, 1])), [0, NaN, NaN]);
  });

  test("integers stay exact with a whole period, and a jump by half of it stays as it is", () => {
    const ints = (...list: number[]): Tensor => tensor(list, { dtype: "int32" }) as Tensor;
    // np.unwrap.
    for (const [p, period, expected] of [
      [ints(0, 1, 2, -1, 0), 4, [0, 1, 2, 3, 4]],
      [ints(6, 1, 2, 3, 4, 5, 6, 1, 2, 3), 6, [6, 7, 8, 9, 10, 11, 12, 13, 14, 15]],
      [ints(0, 2, 0, -2, 5, 3), 4, [0, 2, 0, -2, -3, -5]],
      [ints(0, 3, 1, 4, 0), 5, [0, -2, -4, -6, -5]],
    ] as const) {
      const result = unwrap(p, { period });
      expect([result.dtype, ...elementsOf(result)]).toEqual(["int32", ...expected]);
      expect(elementsOf(unwrap(p.to("float64") as Tensor, { period }))).toEqual(expected);
    }
    expect(unwrap(ints(0, 9)).dtype).toBe("float32");
  });

  test("goes along any axis", () => {
    const rows = doubles([
      [0, 2.5, 5, 7.5],
      [10, 12.5, 15, 17.5],
    ]);
    expect(unwrap(rows).toArray()).toEqual(rows.toArray());
    // np.unwrap along axis 0: 10 is less than two turns.
    near(unwrap(rows, { axis: 0 }), [0, 2.5, 5, 7.5, ...[10, 12.5, 15, 17.5].map((value) => value - 4 * Math.PI)]);
    expect([unwrap(zeros([2, 0])).shape, unwrap(zeros([2, 1])).shape]).toEqual([
      [2, 0],
      [2, 1],
    ]);
  });

  test("many turns add no error: float32 is as near as two roundings", () => {
    const turns = Array.from({ length: 1000 }, (_, i) => i * 2.5);
    const wrapped = tensor(turns.map((value) => value % (2 * Math.PI)));
    elementsOf(unwrap(wrapped)).forEach((value, i) => {
      expect(Math.abs(value - (turns[i] as number))).toBeLessThan(2 ** -11);
    });
  });

  test("gradients pass", () => {
    const p = doubles([0, 3.5, -3]).requiresGrad_() as Tensor;
    (unwrap(p).mul(doubles([1, 2, 3]) as never) as Tensor).sum().backward();
    expect(elementsOf(p.grad as Tensor)).toEqual([1, 2, 3]);
  });
});

test("the meta device knows shapes", () => {
  const [a, v] = [onMeta(5), onMeta(3)];
  const shapes = modes.flatMap((mode) => [convolve(a, v, mode).shape, correlate(v, a, mode).shape]);
  expect(shapes).toEqual([[7], [7], [5], [5], [3], [3]]);
  expect(interp(onMeta(2, 3), v, onMeta(3), { left: 0, period: 2 }).shape).toEqual([2, 3]);
  expect(unwrap(onMeta(2, 3), { axis: 0 }).shape).toEqual([2, 3]);
});

test("the result of a batch is that of each of its rows", () => {
  const rows = doubles([
    [1, 2, 4, 3],
    [0, 5, -5, 2],
  ]);
  const one = doubles([1, 2]);
  const points = doubles([0, 1, 2, 3]);
  for (const f of [
    (row: Tensor) => convolve(row, one, "same"),
    (row: Tensor) => correlate(one, row),
    (row: Tensor) => interp(one, points, row, { right: 5 }),
    (row: Tensor) => interp(row, points, points),
    (row: Tensor) => unwrap(row),
  ])
    expect(vmap(f)(rows).toArray()).toEqual([0, 1].map((k) => f(rows.select(0, k) as Tensor).toArray()));
});

test("invalid arguments throw", () => {
  const [x, none, rows] = [zeros([3]), zeros([0]), zeros([2, 3])];
  expect(
    refusals([
      () => convolve(none, x),
      () => convolve(x, none),
      () => convolve(x, rows),
      () => convolve(x, [1, 2] as never),
      () => convolve(x, x, "half" as never),
      () => convolve(x, x, { out: x } as never),
      () => correlate(none, x),
      () => correlate(rows, x),
      () => interp(x, none, none),
      () => interp(x, rows, x),
      () => interp(x, x, zeros([2])),
      () => interp(x, x, x, { period: 0 }),
      () => interp(x, x, x, { left: "x" as never }),
      () => interp(complexes([1, 2]), x, x),
      () => interp(2 as never, x, x),
      () => unwrap(tensor(1)),
      () => unwrap(x, { axis: 1 }),
      () => unwrap(x, { period: 0 }),
      () => unwrap(x, { discont: "x" as never }),
      () => unwrap(complexes([1, 2])),
      () => unwrap(x, { dim: 1 } as never),
    ]),
  ).toMatchInlineSnapshot(`
    "ShapeError: convolve: a must not be empty
    ShapeError: convolve: v must not be empty
    ShapeError: convolve: v must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    StridewiseError: convolve: needs a tensor, got [1, 2]. Create one: tensor(...)
    StridewiseError: convolve: mode must be "full", "same" or "valid", got "half"
    StridewiseError: convolve: there is no option out. Copy the result: copy_(...)
    ShapeError: correlate: a must not be empty
    ShapeError: correlate: a must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    ShapeError: interp: xp must not be empty
    ShapeError: interp: xp must have a rank of at most 1, got shape [2, 3]. Select a part: select(0, k)
    ShapeError: interp: fp and xp must have the same length, got 2 and 3
    StridewiseError: interp: period must be a finite number that is not 0, got 0
    DTypeError: interp: left must be a number of the dtype of fp, float32, got "x"
    DTypeError: interp: not implemented for 'complex128', complex numbers have no order. Use real(x), imag(x) or abs(x)
    StridewiseError: interp: needs a tensor, got 2. Create one: tensor(...)
    IndexError: unwrap: the tensor has no axes
    IndexError: unwrap: axis 1 is out of range, expected -1 to 0
    StridewiseError: unwrap: period must be a finite number that is not 0, got 0
    StridewiseError: unwrap: discont must be a number, got "x"
    DTypeError: unwrap: not implemented for 'complex128', complex numbers have no order. Use real(x), imag(x) or abs(x)
    StridewiseError: unwrap: there is no option dim; the options are discont, axis, period. Pass the axis before the options"
  `);
});

test("places keep the digits that float64 has, and infinite values lead from where they are", () => {
  const wide = (values: number[]): Tensor => tensor(values, { dtype: "float64" }) as Tensor;
  const seconds = tensor([1700000000n, 1700000002n]) as Tensor;
  expect(interp(wide([1700000001]), seconds, wide([0, 10])).toArray()).toEqual([5]);
  const whole = tensor([16777217], { dtype: "int32" }) as Tensor;
  expect(interp(whole, wide([16777216, 16777218]), wide([0, 1])).toArray()).toEqual([0.5]);
  const [x, xp] = [tensor([0, 0.5, 1]), tensor([0, 1])] as [Tensor, Tensor];
  const inf = Number.POSITIVE_INFINITY;
  // As NumPy has it.
  expect(interp(x, xp, tensor([inf, inf]) as Tensor).toArray()).toEqual([inf, inf, inf]);
  expect(interp(x, xp, tensor([-inf, 1]) as Tensor).toArray()).toEqual([-inf, -inf, 1]);
  expect(interp(x, xp, tensor([1, inf]) as Tensor).toArray()).toEqual([1, inf, inf]);
});

test("unwrap of integers takes a fraction as a jump, and refuses unsigned ones", () => {
  expect(unwrap(tensor([9, -1], { dtype: "int16" }) as Tensor, { period: 5, discont: 3.5 }).toArray()).toEqual([9, 9]);
  expect(() => unwrap(tensor([250, 3], { dtype: "uint8" }) as Tensor)).toThrow('Convert them: to("int32")');
});

test.each([
  // NumPy 1.24.
  [
    [-Infinity, 0, 1],
    [10, 20, 40],
    [10, 20, 20, 20, 25, 40, 40, 40],
  ],
  [
    [0, 1, Infinity],
    [10, 20, 40],
    [10, 10, 10, 10, 12.5, 20, 20, 40],
  ],
  [
    [-Infinity, 0, Infinity],
    [1, 2, 3],
    [1, 2, 2, 2, 2, 2, 2, 3],
  ],
  [
    [-Infinity, Infinity],
    [3, 3],
    [3, 3, 3, 3, 3, 3, 3, 3],
  ],
  [
    [-Infinity, Infinity],
    [3, 5],
    [3, ...new Array<number>(6).fill(NaN), 5],
  ],
  [
    [-Infinity, 0, 1],
    [Infinity, 1, 2],
    [Infinity, NaN, NaN, 1, 1.25, 2, 2, 2],
  ],
])("interp between points %j, some of them infinite", (points, values, expected) => {
  const x = [-Infinity, -5, -1, 0, 0.25, 1, 2, Infinity];
  expect(elementsOf(interp(doubles(x), doubles(points), doubles(values)))).toEqual(expected);
  expect(elementsOf(interp(doubles([NaN]), doubles(points), doubles(values)))).toEqual([NaN]);
});

test("an element after an infinite point has a gradient of 0, and the gradients of the others are unchanged", () => {
  const x = tensor([-5, 0.5, 3], { requiresGrad: true });
  interp(x, tensor([-Infinity, 0, 1, Infinity]), tensor([1, 2, 5, 6]))
    .sum()
    .backward();
  expect(elementsOf(x.grad as Tensor)).toEqual([0, 3, 0]);
});

test("the mode may be given by its name", () => {
  const list = doubles([1, 2, 3]);
  expect(elementsOf(convolve(list, list, { mode: "same" }))).toEqual(elementsOf(convolve(list, list, "same")));
});
