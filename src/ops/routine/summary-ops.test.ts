/** Percentiles, averages, ranges and bins against NumPy; gradients, meta, vmap, and errors. */

import { type DType, full, gradcheck, ones, type Tensor, tensor, vmap, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { elementsOf } from "../../../test/support/tensor-lines.ts";
import type { Axes } from "../reduce/axes.ts";
import { quantile } from "./quantile-ops.ts";
import { average, digitize, nanpercentile, percentile, ptp } from "./summary-ops.ts";

const [n, inf] = [NaN, Number.POSITIVE_INFINITY];

/** Elements are near numbers; what is not finite is the same. */
const near = (t: Tensor, shape: readonly number[], expected: readonly number[]): void => {
  expect(t.shape).toEqual(shape);
  expect(elementsOf(t)).toEqual(expected.map((value) => (Number.isFinite(value) ? expect.closeTo(value, 5) : value)));
};

const numbers = [3, 1, -1, 4, 0, 2, 5, 6, 0.5, -2, 8, 1, 9, -4, 2.5, 7, 7, -3, 2, 2, 1, 6, -5, 6];
const cube = (list: readonly number[], dtype: "float32" | "float64" = "float64"): Tensor =>
  tensor(list, { dtype }).view([2, 3, 4]) as Tensor;
/** The tensor, and the same elements in a different order in memory. */
const inBothOrders = (t: Tensor): Tensor[] => [t, t.permute(2, 0, 1).contiguous().permute(1, 2, 0) as Tensor];
const x = cube(numbers);

describe("percentiles", () => {
  // Recorded from NumPy.
  test.each([
    [0, null, {}, [], [-5]],
    [30, null, {}, [], [0.95]],
    [[10, 50, 99.5], null, {}, [3], [-2.7, 2, 8.885]],
    [100, -1, {}, [2, 3], [4, 6, 8, 9, 7, 6]],
    [30, 0, {}, [3, 4], [4.8, -2.5, 0.05, 4.9, 2.1, -1.5, 2.9, 3.2, 0.65, 0.4, -1.1, 2.5]],
    [
      [25, 75],
      1,
      { keepdims: true },
      [2, 2, 1, 4],
      [0.25, -0.5, 2, 2.5, 4, -3.5, -1.5, 4, 1.75, 1.5, 6.5, 5, 8, 1.5, 2.25, 6.5],
    ],
    [37, 1, { interpolation: "lower" }, [2, 4], [0, -2, -1, 1, 1, -4, -5, 2]],
    [37, 1, { interpolation: "higher" }, [2, 4], [0.5, 1, 5, 4, 7, -3, 2, 6]],
    [37, 1, { interpolation: "nearest" }, [2, 4], [0.5, 1, 5, 4, 7, -3, 2, 6]],
    [37, 1, { interpolation: "midpoint" }, [2, 4], [0.25, -0.5, 2, 2.5, 4, -3.5, -1.5, 4]],
  ] as const)("%j, axis %j, %j: as NumPy", (q, axis, options, shape, expected) => {
    for (const one of inBothOrders(x)) {
      near(percentile(one, q, axis, options), shape, expected);
      near(nanpercentile(one, q, axis, options), shape, expected);
    }
  });

  test("NaN is left out, or spreads", () => {
    const holed = cube(numbers.with(6, n).with(12, n), "float32");
    // Recorded from NumPy.
    const left = [0.2, 0.8, -0.5, -1.4, 0, -1.4, 2.6, 2.8, 0.9, 3.4, 2, 5];
    near(nanpercentile(holed, [20, 60], 2), [2, 2, 3], left);
    const spread = left.map((value, i) => (i % 6 === 1 || i % 6 === 3 ? n : value));
    near(percentile(holed, [20, 60], 2), [2, 2, 3], spread);
  });

  test("q may be a tensor, out is written to", () => {
    const out = zeros([2], { dtype: "float64" }) as Tensor;
    const q = tensor([10, 50], { dtype: "float64" });
    expect(percentile(x, q, null, { out })).toBe(out);
    near(out, [2], [-2.7, 2]);
    expect(percentile(tensor([1, 3]), tensor(50, { dtype: "int32" })).item()).toBe(2);
    expect(percentile(zeros([2, 3], { device: "meta" }), zeros([2], { device: "meta" }), 1).shape).toEqual([2, 2]);
  });

  test("a percentile is a quantile of a hundredth, and so is its gradient", () => {
    const copy = x.detach().clone().requiresGrad_() as Tensor;
    percentile(copy, [20, 70], 1).sum().backward();
    const expected = x.detach().clone().requiresGrad_() as Tensor;
    quantile(expected, [0.2, 0.7], 1).sum().backward();
    near(copy.grad as Tensor, [2, 3, 4], elementsOf(expected.grad as Tensor));
    expect(percentile(tensor(3), 40).item()).toBe(3);
  });
});

describe("average", () => {
  const [three, four] = [tensor([1, 0, 2]), tensor([0.5, 1, 1.5, 2])];
  const weightsNamed = { no: undefined, three, four, all: cube(numbers.map((_, i) => (i % 5) + 1)) };
  // Recorded from NumPy.
  const recorded: readonly (readonly [
    keyof typeof weightsNamed,
    Axes,
    object,
    readonly number[],
    readonly number[],
  ])[] = [
    ["no", undefined, {}, [], [2.4166667]],
    ["no", 0, {}, [3, 4], [6, -1.5, 0.75, 5.5, 3.5, -0.5, 3.5, 4, 0.75, 2, 1.5, 3.5]],
    ["no", [0, 2], { keepdims: true }, [1, 3, 1], [2.6875, 2.625, 1.9375]],
    ["three", 1, {}, [2, 4], [1.3333333, -1, 5, 2, 3.6666667, 2.6666667, -2.5, 6.3333333]],
    ["four", -1, { keepdims: true }, [2, 3, 1], [1.8, 4.3, 2.45, 3.65, 1.5, 2.2]],
    ["all", undefined, {}, [], [1.7928571]],
    ["all", [0, 2], {}, [3], [2.1086957, 2.12, 1.0909091]],
    ["all", 1, {}, [2, 4], [0.5, -0.75, 2.5, 4, 7, -1.4444444, 0.4583333, 4.1]],
  ];

  test.each(recorded)("with %s weights, axis %j, %j: as NumPy", (name, axis, options, shape, expected) => {
    const weights = weightsNamed[name];
    for (const dtype of ["float32", "float64"] as const)
      for (const one of inBothOrders(cube(numbers, dtype))) {
        const result = average(one, axis, { weights, ...options });
        near(result, shape, expected);
        expect(result.dtype).toBe(name === "all" ? "float64" : dtype);
      }
  });

  test("of integers and bools is a float, of NaN it is NaN", () => {
    const ints = tensor([1, 2, 4], { dtype: "int32" });
    expect([average(ints).item(), average(ints).dtype]).toEqual([Math.fround(7 / 3), "float32"]);
    expect(average(ints, { weights: tensor([1, 2, 1], { dtype: "int64" }) }).item()).toBe(2.25);
    expect(average(tensor([1, 5, 9]), 0, { weights: tensor([true, false, true]) }).item()).toBe(5);
    expect(average(tensor([true, false])).item()).toBe(0.5);
    expect(average(tensor([1, n]), { weights: tensor([1, 0]) }).item()).toBe(n);
    expect(average(tensor([1, inf]), { weights: tensor([1, 1]) }).item()).toBe(inf);
  });

  test("of a 0-d tensor, and of one without elements", () => {
    expect(average(tensor(3), { weights: tensor(2) }).item()).toBe(3);
    expect([average(zeros([0])).item(), average(zeros([0, 3]), 1, { weights: ones([3]) }).shape]).toEqual([n, [0]]);
  });

  test("has gradients by elements and by weights", () => {
    const t = tensor([1, 2, 6], { requiresGrad: true }) as Tensor;
    const weights = tensor([1, 2, 1], { requiresGrad: true }) as Tensor;
    average(t, 0, { weights }).backward();
    expect([t.grad?.toArray(), weights.grad?.toArray()]).toEqual([
      [0.25, 0.5, 0.25],
      [-0.4375, -0.1875, 0.8125],
    ]);
    const [a, w] = [x, four.to("float64")].map((one) => one.detach().clone().requiresGrad_() as Tensor);
    expect(gradcheck((p: Tensor, q: Tensor) => average(p, -1, { weights: q }), [a!, w!])).toBe(true);
  });

  test("on the meta device has a shape, inside vmap the averages of each sample", () => {
    const nothing = zeros([2, 3], { device: "meta" });
    expect(average(nothing, 1, { weights: zeros([3], { device: "meta" }), keepdims: true }).shape).toEqual([2, 1]);
    near(vmap((t: Tensor) => average(t, 0, { weights: three }))(x) as Tensor, [2, 4], recorded[3]![4]);
  });
});

test("ptp is the largest less the smallest: as NumPy", () => {
  for (const one of inBothOrders(x)) {
    near(ptp(one), [], [14]);
    near(ptp(one, 0), [3, 4], [6, 5, 3.5, 3, 7, 5, 3, 4, 0.5, 8, 13, 5]);
    near(ptp(one, -1, { keepdims: true }), [2, 3, 1], [5, 6, 10, 13, 10, 11]);
    near(ptp(one, [0, 2]), [3], [13, 10, 13]);
  }
  expect([ptp(tensor([1, n])).item(), ptp(tensor([1, inf])).item(), ptp(tensor(3)).item()]).toEqual([n, inf, 0]);
  const ints = ptp(tensor([4, -2, 7], { dtype: "int32" }));
  expect([ints.item(), ints.dtype, ptp(zeros([0, 2]), 1).shape]).toEqual([9, "int32", [0]]);
  expect(ptp(zeros([2, 3], { device: "meta" }), 1).shape).toEqual([2]);
  const out = zeros([]) as Tensor;
  expect(ptp(tensor([1, 5]), { out })).toBe(out);
  expect(out.item()).toBe(4);
  const t = tensor([2, 5, 1], { requiresGrad: true }) as Tensor;
  ptp(t).backward();
  expect(t.grad?.toArray()).toEqual([0, 1, -1]);
});

describe("digitize", () => {
  const values = [0.2, 6.4, 3, 1.6, n, -inf, inf, 1, 4, 10];

  // Recorded from NumPy: without `right`, and with it.
  test.each([
    [
      [0, 1, 2.5, 4, 10],
      [1, 4, 3, 2, 5, 0, 5, 2, 4, 5],
      [1, 4, 3, 2, 5, 0, 5, 1, 3, 4],
    ],
    [
      [10, 4, 2.5, 1, 0],
      [4, 1, 2, 3, 0, 5, 0, 3, 1, 0],
      [4, 1, 2, 3, 0, 5, 0, 4, 2, 1],
    ],
    [
      [1, 1, 4],
      [0, 3, 2, 2, 3, 0, 3, 2, 3, 3],
      [0, 3, 2, 2, 3, 0, 3, 0, 2, 3],
    ],
    [
      [4, 1, 1],
      [3, 0, 1, 1, 0, 3, 0, 1, 0, 0],
      [3, 0, 1, 1, 0, 3, 0, 3, 1, 0],
    ],
    [[], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    [[3], [0, 1, 1, 0, 1, 0, 1, 0, 1, 1], [0, 1, 0, 0, 1, 0, 1, 0, 1, 1]],
    [
      [2, 2],
      [0, 2, 2, 0, 2, 0, 2, 0, 2, 2],
      [0, 2, 2, 0, 2, 0, 2, 0, 2, 2],
    ],
  ])("bins %j: as NumPy", (list, left, right) => {
    for (const dtype of ["float32", "float64"] as const) {
      const bins = list.length === 0 ? zeros([0], { dtype }) : tensor(list, { dtype });
      const t = tensor(values, { dtype }) as Tensor;
      expect([digitize(t, bins).toArray(), digitize(t, bins).dtype]).toEqual([left, "int32"]);
      expect(digitize(t, bins, { right: true }).toArray()).toEqual(right);
    }
  });

  test("takes integers, numbers and tensors of any shape and order", () => {
    const bins = tensor([1, 3, 4], { dtype: "int32" });
    const t = tensor(
      [
        [1, 5],
        [3, 0],
      ],
      { dtype: "int32" },
    );
    expect([digitize(t, bins).toArray(), digitize(t.T, bins).toArray()]).toEqual([
      [
        [1, 3],
        [2, 0],
      ],
      [
        [1, 2],
        [3, 0],
      ],
    ]);
    expect([digitize(3, bins).item(), digitize(tensor(3), bins).shape, digitize(zeros([0, 2]), bins).shape]).toEqual([
      2,
      [],
      [0, 2],
    ]);
    expect(digitize(tensor([1, 250]), tensor([200, 10, 5], { dtype: "uint8" })).toArray()).toEqual([3, 0]);
    const [some, meta] = [zeros([2, 3], { device: "meta" }), zeros([4], { device: "meta" })];
    expect([digitize(some, meta).shape, digitize(some, meta).dtype]).toEqual([[2, 3], "int32"]);
    expect(elementsOf(vmap((one: Tensor) => digitize(one, bins))(t) as Tensor)).toEqual([1, 3, 2, 0]);
  });
});

test("invalid arguments throw", () => {
  const t = zeros([2, 3]);
  const ints = zeros([3], { dtype: "int32" });
  expect(
    refusals([
      () => percentile(t, 101),
      () => nanpercentile(t, [50, -1]),
      () => percentile(t, tensor([50, n])),
      () => percentile(t, "x" as never),
      () => percentile(t, ones([2, 2])),
      () => percentile(ints, 50),
      () => nanpercentile(zeros([0]), 50),
      () => percentile(t, 50, 2),
      () => percentile(t, 50, 0, { interpolation: "cubic" as never }),
      () => percentile(t, undefined as never),
      () => average(t, { weights: ones([3]) }),
      () => average(t, 0, { weights: ones([3]) }),
      () => average(t, [0, 1], { weights: ones([3]) }),
      () => average(zeros([2, 3, 4]), 0, { weights: ones([3, 4]) }),
      () => average(t, 1, { weights: tensor([1, -2, 1]) }),
      () => average(zeros([0]), { weights: zeros([0]) }),
      () => average(t, 1, { weights: [1, 2, 3] as never }),
      () => average(t, 2),
      () => average(t, { out: t } as never),
      () => average(t, { returned: true } as never),
      () => ptp(zeros([0])),
      () => ptp(zeros([2], { dtype: "bool" })),
      () => ptp(zeros([2], { dtype: "complex64" })),
      () => digitize(t, tensor([1, 3, 2])),
      () => digitize(t, ones([2, 2])),
      () => digitize(t, [1, 2] as never),
      () => digitize(zeros([2], { dtype: "complex64" }), tensor([1, 2])),
      () => digitize(t, tensor([1, 2]), { out: ints } as never),
    ]),
  ).toMatchInlineSnapshot(`
    "StridewiseError: percentile: q must be from 0 to 100, got 101. For fractions use quantile
    StridewiseError: nanpercentile: q must be from 0 to 100, got -1. For fractions use nanquantile
    StridewiseError: percentile: q must be from 0 to 100, got NaN. For fractions use quantile
    StridewiseError: percentile: q must be a number, a list of numbers or a tensor, got "x"
    ShapeError: percentile: q must have at most one axis, got shape [2, 2]
    DTypeError: percentile: dtype must be float32 or float64, got int32. Convert it: to("float32")
    ShapeError: nanpercentile: x must not be empty, got shape [0]
    IndexError: percentile: axis 2 is out of range, expected -2 to 1
    StridewiseError: percentile: interpolation must be linear, lower, higher, midpoint or nearest, got cubic
    StridewiseError: percentile: q is missing. Write percentile(x, q, axis)
    ShapeError: average: weights of shape [3] do not fit x of shape [2, 3] with axis null. Pass weights of the same shape, or one for each index of one axis
    ShapeError: average: weights of shape [3] do not fit x of shape [2, 3] with axis 0. Pass weights of the same shape, or one for each index of one axis
    ShapeError: average: weights of shape [3] do not fit x of shape [2, 3] with axis [0, 1]. Pass weights of the same shape, or one for each index of one axis
    ShapeError: average: weights of shape [3, 4] do not fit x of shape [2, 3, 4] with axis 0. Pass weights of the same shape, or one for each index of one axis
    StridewiseError: average: the weights sum to 0
    StridewiseError: average: the weights sum to 0
    StridewiseError: average: needs a tensor, got [1, 2, 3]. Create one: tensor(...)
    IndexError: average: axis 2 is out of range, expected -2 to 1
    StridewiseError: average: there is no option out. Copy the result: copy_(...)
    StridewiseError: average: there is no option returned; the options are weights, keepdims.
    StridewiseError: ptp: the tensor is empty. Pass an axis, or check the size first
    DTypeError: ptp: bool tensors cannot be subtracted. Use logicalXor(x, other)
    DTypeError: ptp: max of complex64: complex numbers have no order
    StridewiseError: digitize: bins must be ascending or descending. Sort them: sort(bins).values
    ShapeError: digitize: bins must have one axis, got shape [2, 2]. Flatten them: flatten(bins)
    StridewiseError: digitize: needs a tensor, got [1, 2]. Create one: tensor(...)
    DTypeError: digitize: not implemented for 'complex64', complex numbers have no order. Use real(x), imag(x) or abs(x)
    StridewiseError: digitize: there is no option out. Copy the result: copy_(...)"
  `);
});

test("integers and halves are averaged as floats, in the dtype that x and the weights make together", () => {
  const of = (value: number, dtype: DType): Tensor => full([3], value, { dtype }) as Tensor;
  expect(average(of(200, "uint8"), { weights: of(2, "uint8") }).item()).toBe(200);
  expect(average(of(100000, "int32"), { weights: of(100000, "int32") }).item()).toBe(100000);
  expect(average(full([100], 2), { weights: full([100], 1000, { dtype: "float16" }) }).item()).toBe(2);
  expect(average(of(-1, "float64"), { weights: of(0.1, "float32") }).item()).toBe(-1);
  const named = tensor(
    [
      [1, 2],
      [3, 7],
    ],
    { names: ["row", "column"] } as never,
  ) as Tensor;
  expect(average(named, "column", { weights: tensor([1, 3]) }).toArray()).toEqual([1.75, 6]);
});

test("a number that the dtype of the bins does not hold is beyond them", () => {
  const bins = tensor([1, 2, 50], { dtype: "uint8" });
  expect([-1, 300, 50, 3].map((x) => digitize(x, bins).item())).toEqual([0, 3, 3, 2]);
  expect(digitize(3e9, tensor([1, 2], { dtype: "int32" })).item()).toBe(2);
});

test("fractions that are not numbers throw", () => {
  for (const q of [[50, undefined], [null], ["60"], "50", [[50]]])
    expect(() => percentile(tensor([1, 2]), q as never)).toThrow("q must be a number, a list of numbers or a tensor");
});

test("invalid percentages throw, as numbers, lists and tensors", () => {
  const x = tensor([1, 2, 3]);
  const invalid = [101, [50, -1], tensor([150]), tensor([150n]), 120n, NaN] as never[];
  for (const q of invalid) expect(() => percentile(x, q)).toThrow(/^percentile: q must be from 0 to 100, got/);
});
