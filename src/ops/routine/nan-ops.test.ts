/** Reductions and scans that leave NaN out: against NumPy, and against their namesakes of what is left of each line. */

import fc from "fast-check";
import { gradcheck, ones, type Tensor, tensor, vmap, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { arbitraryLined, elementsOf, linesOf } from "../../../test/support/tensor-lines.ts";
import type { Axes } from "../reduce/axes.ts";
import { prod } from "../reduce/reduce.ts";
import { nanargmax, nanargmin, nancumprod, nancumsum, nanmax, nanmin, nanprod, nanstd, nanvar } from "./nan-ops.ts";

type Call = (x: Tensor, axis?: Axes, options?: object) => Tensor;
const ops = { nanargmax, nanargmin, nancumprod, nancumsum, nanmax, nanmin, nanprod, nanstd, nanvar };
const opNamed = (name: keyof typeof ops): Call => ops[name] as unknown as Call;
const [n, inf] = [NaN, Number.POSITIVE_INFINITY];

/** Elements are near numbers; what is not finite is the same. */
const near = (t: Tensor, shape: readonly number[], expected: readonly number[]): void => {
  expect(t.shape).toEqual(shape);
  expect(elementsOf(t)).toEqual(expected.map((value) => (Number.isFinite(value) ? expect.closeTo(value, 5) : value)));
};

const numbers = [3, n, -1, 4, n, 2, 5, n, 0.5, -2, n, 1, n, n, n, n, 7, -3, 2, 2, 1, n, 9, 6];
/** Elements of shape [2, 3, 4]: with a row of NaN alone, with -Infinity too, and without such a row. */
const lists = { numbers, endless: numbers.with(22, -inf), searched: numbers.with(13, 1).with(14, 8) };

/** Recorded from NumPy, where a correction is called ddof; scans of the first plane. */
const recorded: readonly (readonly [
  name: keyof typeof ops,
  list: keyof typeof lists,
  axis: Axes,
  options: object,
  shape: readonly number[],
  expected: readonly number[],
])[] = [
  ["nanmin", "endless", undefined, {}, [], [-inf]],
  ["nanmin", "endless", -1, {}, [2, 3], [-1, 2, -2, n, -3, -inf]],
  ["nanmin", "endless", [0, 2], {}, [3], [-1, -3, -inf]],
  ["nanmax", "endless", 0, {}, [3, 4], [3, n, -1, 4, 7, 2, 5, 2, 1, -2, -inf, 6]],
  ["nanmax", "endless", [0, -1], {}, [3], [4, 7, 6]],
  ["nanmax", "endless", 2, { keepdims: true }, [2, 3, 1], [4, 5, 1, n, 7, 6]],
  ["nanprod", "endless", undefined, {}, [], [inf]],
  ["nanprod", "endless", 0, {}, [3, 4], [3, 1, -1, 4, 7, -6, 10, 2, 0.5, -2, -inf, 6]],
  ["nanprod", "endless", [0, 2], { keepdims: true }, [1, 3, 1], [-12, -840, inf]],
  ["nanprod", "numbers", -1, {}, [2, 3], [-12, 10, -1, 1, -84, 54]],
  ["nanvar", "numbers", undefined, {}, [], [11.102380952380953]],
  ["nanvar", "numbers", 0, {}, [3, 4], [n, n, n, n, n, 12.5, 4.5, n, 0.125, n, n, 12.5]],
  ["nanvar", "numbers", 0, { correction: 0 }, [3, 4], [0, n, 0, 0, 0, 6.25, 2.25, 0, 0.0625, 0, 0, 6.25]],
  ["nanvar", "numbers", [0, 2], {}, [3], [7, 11.5, 16.641666666666666]],
  ["nanvar", "endless", -1, {}, [2, 3], [7, 4.5, 2.5833333333333335, n, 16.666666666666668, n]],
  ["nanstd", "numbers", undefined, { correction: 0 }, [], [3.219040574802098]],
  ["nanstd", "numbers", -1, {}, [2, 3], [2.6457513, 2.1213203, 1.6072751, n, 4.0824829, 4.0414519]],
  ["nanstd", "numbers", [0, 2], { keepdims: true }, [1, 3, 1], [2.6457513, 3.391165, 4.0794199]],
  ["nanargmin", "searched", undefined, {}, [], [17]],
  ["nanargmin", "searched", 0, {}, [3, 4], [0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 0]],
  ["nanargmax", "searched", undefined, { keepdims: true }, [1, 1, 1], [22]],
  ["nanargmax", "searched", -1, {}, [2, 3], [3, 2, 3, 2, 0, 2]],
  ["nancumsum", "searched", 0, {}, [3, 4], [3, 0, -1, 4, 3, 2, 4, 4, 3.5, 0, 4, 5]],
  ["nancumsum", "searched", -1, {}, [3, 4], [3, 3, 2, 6, 0, 2, 7, 7, 0.5, -1.5, -1.5, -0.5]],
  ["nancumprod", "searched", 0, {}, [3, 4], [3, 1, -1, 4, 3, 2, -5, 4, 1.5, -4, -5, 4]],
  ["nancumprod", "searched", -1, {}, [3, 4], [3, 3, -3, -12, 1, 2, 10, 10, 0.5, -1, -1, -1]],
];

test.each(recorded)("%s of %s, axis %j, %j: as NumPy", (name, list, axis, options, shape, expected) => {
  for (const dtype of ["float32", "float64"] as const) {
    const all = tensor(lists[list], { dtype }).view([2, 3, 4]) as Tensor;
    const x = name.startsWith("nancum") ? (all.select(0, 0) as Tensor) : all;
    for (const one of [x, x.T.contiguous().T as Tensor]) {
      const result = opNamed(name)(one, axis, options);
      near(result, shape, expected);
      expect(result.dtype).toBe(name.startsWith("nanarg") ? "int32" : dtype);
    }
  }
});

test("they equal the ops without nan on the elements that are not NaN, in every row of every view", () => {
  const extreme =
    (choose: (...list: number[]) => number) =>
    (list: readonly number[]): number =>
      list.length === 0 ? n : choose(...list);
  const product = (list: readonly number[]): number => list.reduce((a, b) => a * b, 1);
  const total = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  const spread = (list: readonly number[]): number => {
    const mean = total(list) / list.length;
    return list.length < 2 ? n : total(list.map((value) => (value - mean) ** 2)) / (list.length - 1);
  };
  fc.assert(
    fc.property(arbitraryLined(["float32", "float64"]), ({ x, axis }) => {
      const lines = linesOf(x, axis);
      const left = lines.map((line) => line.filter((value) => !Number.isNaN(value)));
      const shape = x.shape.toSpliced(axis, 1);
      near(nanmax(x, axis), shape, left.map(extreme(Math.max)));
      near(nanmin(x, axis), shape, left.map(extreme(Math.min)));
      near(nanprod(x, axis), shape, left.map(product));
      near(nanvar(x, axis), shape, left.map(spread));
      near(nanstd(x, axis), shape, left.map(spread).map(Math.sqrt));
      const running = (of: (list: readonly number[]) => number): number[] =>
        lines.flatMap((line) => line.map((_, i) => of(line.slice(0, i + 1).filter((value) => !Number.isNaN(value)))));
      const moved = x.movedim(axis, -1).shape;
      near(nancumsum(x, axis).movedim(axis, -1) as Tensor, moved, running(total));
      near(nancumprod(x, axis).movedim(axis, -1) as Tensor, moved, running(product));
      if (left.some((list) => list.length === 0)) expect(() => nanargmax(x, axis)).toThrow("nanargmax: ");
      else {
        near(
          nanargmax(x, axis),
          shape,
          lines.map((line, i) => line.indexOf(Math.max(...left[i]!))),
        );
        near(
          nanargmin(x, axis),
          shape,
          lines.map((line, i) => line.indexOf(Math.min(...left[i]!))),
        );
      }
    }),
    { seed: 63, numRuns: 60 },
  );
});

test("infinities are found next to NaN, and an infinite element has no variance", () => {
  const x = tensor([n, -inf, n, -inf]);
  expect([nanargmax(x).item(), nanargmin(x.neg()).item(), nanmax(x).item()]).toEqual([1, 1, -inf]);
  expect([nanvar(tensor([inf, 1, n])).item(), nanstd(tensor([inf, 1, n])).item()]).toEqual([n, n]);
});

test("as many elements as the correction, or fewer, have no variance", () => {
  const x = tensor([1, n, 4]);
  expect([0, 0.5, 1, 2, 3].map((correction) => nanvar(x, { correction }).item())).toEqual([2.25, 3, 4.5, n, n]);
  expect(nanstd(tensor([5, n])).item()).toBe(n);
});

test("of integers and bools they equal the ops without nan", () => {
  const x = tensor(
    [
      [4, 1, 3],
      [2, 9, 5],
    ],
    { dtype: "int32" },
  );
  expect([nanmax(x, 1).toArray(), nanmax(x).dtype, nanmin(x, 0).toArray()]).toEqual([[4, 9], "int32", [2, 1, 3]]);
  expect([nanargmax(x, 1).toArray(), nanargmin(x).item()]).toEqual([[0, 1], 1]);
  expect([nanprod(x).item(), nanprod(x).dtype]).toEqual([prod(x).item(), "int64"]);
  expect(elementsOf(nancumsum(x, 1))).toEqual([4, 5, 8, 2, 11, 16]);
  expect(nancumprod(x, 1).dtype).toBe("int64");
  expect(nanmax(tensor([false, true])).item()).toBe(true);
});

test("a 0-d tensor, and one without elements", () => {
  const [one, none] = [tensor(2.5), tensor(n)];
  expect([nanmin(one).item(), nanmax(none).item(), nanprod(none).item()]).toEqual([2.5, n, 1]);
  expect([nanvar(one).item(), nanvar(one, { correction: 0 }).item(), nanargmax(one).item()]).toEqual([n, 0, 0]);
  expect([nancumsum(none, 0).item(), nancumprod(none, -1).item()]).toEqual([0, 1]);
  const empty = zeros([0, 3]);
  expect([nanprod(empty).item(), nanvar(empty).item(), nanvar(empty, 0).toArray()]).toEqual([1, n, [n, n, n]]);
  expect([nanmax(empty, 1).shape, nanargmin(empty, 1).shape, nanstd(empty, 1).shape]).toEqual([[0], [0], [0]]);
  expect(nancumsum(empty, 1).shape).toEqual([0, 3]);
});

test("half and complex dtypes are kept", () => {
  const x = tensor([1, n, 4], { dtype: "float16" }) as Tensor;
  expect(["nanmax", "nanprod", "nanvar", "nancumsum"].map((name) => opNamed(name as never)(x, 0).dtype)).toEqual(
    Array(4).fill("float16"),
  );
  const z = tensor(
    [
      { re: 1, im: 1 },
      { re: n, im: 0 },
      { re: 3, im: -1 },
    ],
    { dtype: "complex128" },
  ) as Tensor;
  expect([nanprod(z).item(), nanvar(z).item(), nanvar(z).dtype]).toEqual([{ re: 4, im: 2 }, 4, "float64"]);
});

test("dtype is that of the result, and the result is written to out", () => {
  const x = tensor([
    [2, n],
    [3, 4],
  ]);
  expect(nanprod(x, 1, { dtype: "int64" }).toArray()).toEqual([2, 12]);
  expect(nancumsum(x, 0, { dtype: "float64" }).dtype).toBe("float64");
  for (const [name, expected] of [
    ["nanmax", [2, 4]],
    ["nanprod", [2, 12]],
    ["nanstd", [0, 0.5]],
  ] as const) {
    const out = ones([2]) as Tensor;
    expect(opNamed(name)(x, 1, name === "nanstd" ? { out, correction: 0 } : { out })).toBe(out);
    expect(out.toArray()).toEqual(expected);
  }
});

describe("gradients", () => {
  const gradientOf = (fn: (x: Tensor) => Tensor, data: readonly unknown[]): unknown => {
    const x = tensor(data as number[], { dtype: "float64", requiresGrad: true }) as Tensor;
    fn(x).sum().backward();
    return x.grad?.toArray();
  };

  test("of extremes go to the extreme, those of variances to all but NaN", () => {
    expect(
      gradientOf(
        (x) => nanmax(x, 1),
        [
          [1, n, 3],
          [n, 2, 2],
          [n, n, n],
        ],
      ),
    ).toEqual([
      [0, 0, 1],
      [0, 0.5, 0.5],
      [0, 0, 0],
    ]);
    expect(gradientOf((x) => nanmin(x), [1, n, 3])).toEqual([1, 0, 0]);
    expect(
      gradientOf(
        (x) => nanvar(x, 1),
        [
          [1, n, 3],
          [n, n, n],
        ],
      ),
    ).toEqual([
      [-2, 0, 2],
      [0, 0, 0],
    ]);
    expect(gradientOf((x) => nanstd(x), [2, n, 2])).toEqual([0, 0, 0]);
    expect(gradientOf((x) => nanprod(x), [2, n, 3])).toEqual([3, 0, 2]);
    expect(gradientOf((x) => nancumsum(x, 0), [2, n, 3])).toEqual([3, 0, 1]);
  });

  test("agree with differences", () => {
    const x = tensor(
      [
        [1, n, 3, 7],
        [5, 2, n, 4],
      ],
      { dtype: "float64", requiresGrad: true },
    ) as Tensor;
    for (const name of ["nanmax", "nanmin", "nanprod", "nanvar", "nanstd", "nancumsum", "nancumprod"] as const)
      expect(gradcheck((t: Tensor) => opNamed(name)(t, 1), [x])).toBe(true);
  });
});

test("on the meta device there are shapes and dtypes, inside vmap the results of each sample", () => {
  const x = zeros([2, 3, 4], { device: "meta" });
  const described = (t: Tensor): unknown => [t.device.type, t.dtype, ...t.shape];
  for (const name of ["nanmax", "nanmin", "nanprod", "nanvar", "nanstd"] as const)
    expect(described(opNamed(name)(x, [0, 2], { keepdims: true }))).toEqual(["meta", "float32", 1, 3, 1]);
  expect(described(nanargmax(x, -1))).toEqual(["meta", "int32", 2, 3]);
  expect(described(nancumprod(x, 1))).toEqual(["meta", "float32", 2, 3, 4]);
  const samples = tensor(lists.searched).view([2, 3, 4]) as Tensor;
  for (const name of ["nanmax", "nanvar", "nanargmin", "nancumsum"] as const)
    expect(elementsOf(vmap((t: Tensor) => opNamed(name)(t, 0))(samples) as Tensor)).toEqual(
      elementsOf(opNamed(name)(samples, 1)),
    );
});

test("invalid arguments throw", () => {
  const x = zeros([2, 3]);
  const ints = zeros([2], { dtype: "int32" });
  expect(
    refusals([
      () =>
        nanargmax(
          tensor([
            [1, n],
            [n, n],
          ]),
          1,
        ),
      () => nanargmin(tensor(n)),
      () => nanargmin(zeros([0])),
      () => nanmax(zeros([2, 0]), 1),
      () => nanmin(zeros([0])),
      () => nanmin(zeros([2], { dtype: "complex64" })),
      () => nanvar(ints),
      () => nanstd(ints, 0),
      () => nanvar(x as Tensor, 2),
      () => nanprod(x, [0, 0]),
      () => nancumsum(x, undefined as never),
      () => nancumprod([1, 2] as never, 0),
      () => nanmax(x, { dtype: "float64" } as never),
      () => nanvar(x, { ddof: 1 } as never),
    ]),
  ).toMatchInlineSnapshot(`
    "StridewiseError: nanargmax: all elements of a slice are NaN. Replace NaN first: nanToNum(x)
    StridewiseError: nanargmin: all elements of a slice are NaN. Replace NaN first: nanToNum(x)
    StridewiseError: nanargmin: the tensor is empty. Pass an axis, or check the size first
    StridewiseError: nanmax: axis 1 must not be empty, got shape [2, 0]
    StridewiseError: nanmin: the tensor is empty. Pass an axis, or check the size first
    DTypeError: nanmin: min of complex64: complex numbers have no order
    DTypeError: nanvar: expected a floating point or complex tensor, got int32. Convert it: to("float32")
    DTypeError: nanstd: expected a floating point or complex tensor, got int32. Convert it: to("float32")
    IndexError: nanvar: axis 2 is out of range, expected -2 to 1
    IndexError: nanprod: axis 0 appears twice in [0, 0]
    IndexError: nancumsum: an axis must be a number or a name, got nothing
    StridewiseError: nancumprod: x must be a tensor, got [1, 2]. Create a tensor first: tensor(...)
    StridewiseError: nanmax: there is no option dtype; the options are keepdims, out.
    StridewiseError: nanvar: there is no option ddof; the options are keepdims, correction, out. Did you mean correction?"
  `);
});

test("variances of elements far from 0 are exact to their own size, however many are NaN", () => {
  for (const far of [1e6, 1234567, 16777000])
    for (const holes of [1, 10, 500, 10000]) {
      const values = Array.from({ length: 2000 + holes }, (_, i) => (i < 2000 ? far + (i % 2 ? 8 : -8) : NaN));
      expect(nanvar(tensor(values), { correction: 0 }).toArray(), `${holes} at ${far}`).toBeCloseTo(64, 3);
      expect(nanstd(tensor(values), { correction: 0 }).toArray(), `${holes} at ${far}`).toBeCloseTo(8, 4);
    }
});

test("a null correction is the default, and one that is not a number throws", () => {
  const x = tensor([1, 2, NaN, 3]);
  expect(nanvar(x, 0, { correction: null as never }).toArray()).toBe(1);
  expect(refusals([() => nanvar(x, 0, { correction: "1" as never })])).toBe(
    'StridewiseError: nanvar: correction must be a number, got "1"',
  );
});
