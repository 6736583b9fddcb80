/** Resampling: inputs that each mode reproduces exactly, its sample positions, and points of a grid against the definition; errors. */
import { arange, empty, manualSeed, randn, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { elementAt, elementsIn } from "../../../test/support/strided-tensors.ts";
import { gridSample } from "./grid-sample.ts";
import { type InterpolateMode, interpolate, upsampleBilinear, upsampleNearest } from "./interpolate.ts";
import { cubicWeights } from "./resample.ts";

const random = (...shape: number[]): Tensor => randn(shape, { dtype: "float64" }) as Tensor;
const row = (values: readonly number[]): Tensor => tensor([[values as number[]]], { dtype: "float64" }) as Tensor;

function expectClose(ours: Tensor, expected: readonly number[]): void {
  const list = elementsIn(ours) as number[];
  expect(list.length).toBe(expected.length);
  for (const [i, value] of list.entries()) expect(value, `at ${i}`).toBeCloseTo(expected[i] as number, 10);
}

const modes: readonly InterpolateMode[] = [
  "nearest",
  "nearest-exact",
  "linear",
  "bilinear",
  "bicubic",
  "trilinear",
  "area",
];
const axesOf: Readonly<Record<string, number>> = { linear: 1, bilinear: 2, bicubic: 2, trilinear: 3 };

describe.each(modes)("%s", (mode) => {
  const shape = [2, 3, ...Array.from({ length: axesOf[mode] ?? 2 }, (_, k) => 4 + k)];

  test("keeps a tensor that gets its own size, and a constant at any size", () => {
    manualSeed(4);
    const x = random(...shape);
    expectClose(interpolate(x, { mode, size: shape.slice(2) }), elementsIn(x) as number[]);
    const constant = x.mul(0).add(7) as Tensor;
    for (const scaleFactor of [0.5, 1.7, 3])
      expect(
        new Set((elementsIn(interpolate(constant, { mode, scaleFactor })) as number[]).map((v) => v.toFixed(9))),
      ).toEqual(new Set(["7.000000000"]));
  });

  test("treats axes alike, in views as in copies", () => {
    const x = random(...shape);
    const turned = x.transpose(2, shape.length - 1) as Tensor;
    const ours = interpolate(turned, { mode, size: 5 }).transpose(2, shape.length - 1) as Tensor;
    expectClose(ours, elementsIn(interpolate(x, { mode, size: 5 })) as number[]);
    const far = interpolate(empty(shape, { device: "meta" }) as Tensor, { mode, size: 5 });
    expect([far.device.type, far.shape]).toEqual(["meta", [2, 3, ...shape.slice(2).map(() => 5)]]);
  });
});

test("linear modes take an axis that keeps its size as it is, whatever the scale", () => {
  const four = [1, 2, Number.POSITIVE_INFINITY, 4];
  for (const alignCorners of [undefined, false, true])
    for (const recomputeScaleFactor of [undefined, false, true]) {
      const options = { alignCorners, recomputeScaleFactor };
      const [line, plane] = [row(four), row(four).reshape(1, 1, 4, 1)] as [Tensor, Tensor];
      const volume = plane.reshape(1, 1, 2, 2, 1) as Tensor;
      for (const same of [
        interpolate(line, { ...options, mode: "linear", scaleFactor: 1.2 }),
        interpolate(plane, { ...options, mode: "bilinear", scaleFactor: 1.2 }),
        interpolate(volume, { ...options, mode: "trilinear", scaleFactor: 1.3 }),
      ])
        expect(elementsIn(same)).toEqual(four);
    }
  // The answers of PyTorch: one axis of two grows; a cubic goes by the scale.
  const square = arange(1, 5).to("float64").reshape(1, 1, 2, 2) as Tensor;
  expectClose(
    interpolate(square, { mode: "bilinear", scaleFactor: [1.3, 2.3] }),
    [1, 3].flatMap((first) => [0, 3.5 / 23, 13.5 / 23, 1].map((far) => first + far)),
  );
  expect(elementAt(interpolate(square, { mode: "bicubic", scaleFactor: 1.3 }), [0, 0, 0, 0])).toBeCloseTo(0.79684, 5);
});

test("linear modes keep a line straight between aligned corners", () => {
  expectClose(
    interpolate(row([0, 1, 2, 3]), { mode: "linear", size: 7, alignCorners: true }),
    [0, 0.5, 1, 1.5, 2, 2.5, 3],
  );
  expectClose(interpolate(row([0, 4]), { mode: "linear", size: 4 }), [0, 1, 3, 4]);
});

test("nearest repeats elements, area takes means", () => {
  expectClose(interpolate(row([1, 2, 3]), { scaleFactor: 2 }), [1, 1, 2, 2, 3, 3]);
  expectClose(interpolate(row([1, 2, 3, 4, 5]), { size: 2 }), [1, 3]);
  expectClose(interpolate(row([1, 2, 3, 4, 5]), { size: 2, mode: "nearest-exact" }), [2, 4]);
  expectClose(interpolate(row([1, 2, 3, 4, 5]), { size: 2, mode: "area" }), [2, 4]);
  expectClose(upsampleNearest(row([1, 2]), { size: 3 }), [1, 1, 2]);
  const square = tensor(
    [
      [
        [
          [0, 2],
          [4, 6],
        ],
      ],
    ],
    { dtype: "float64" },
  ) as Tensor;
  expectClose(upsampleBilinear(square, { size: 3 }), [0, 1, 2, 2, 3, 4, 4, 5, 6]);
});

test("cubic weights sum to 1 and keep the elements themselves", () => {
  for (const t of [0, 0.1, 0.5, 0.99]) expect(cubicWeights(t).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
  expect(cubicWeights(0).map((w) => w + 0)).toEqual([0, 1, 0, 0]);
});

describe("gridSample", () => {
  const x = arange(20).to("float64").reshape(1, 1, 4, 5) as Tensor;
  const at = (points: readonly (readonly [number, number])[]): Tensor =>
    tensor([[points as never]], { dtype: "float64" }) as Tensor;

  test.each(["bilinear", "nearest", "bicubic"] as const)(
    "%s at the centers of elements returns the elements",
    (mode) => {
      const points = [0, 1, 2, 3].flatMap((y) => [0, 1, 2, 3, 4].map((c) => [c / 2 - 1, (2 * y) / 3 - 1] as const));
      expectClose(gridSample(x, at(points), { mode, alignCorners: true }), elementsIn(x) as number[]);
    },
  );

  test("is linear between elements, x before y", () => {
    const [result] = elementsIn(gridSample(x, at([[0.25, 0]]), { alignCorners: true })) as [number];
    expect(result).toBeCloseTo(1.5 * 5 + 2.5, 10);
  });

  test("outside gives zeros, the border, or a reflection", () => {
    const far = at([
      [3, -1],
      [-1.5, 1],
    ]);
    expectClose(gridSample(x, far, { alignCorners: true }), [0, 0]);
    expectClose(gridSample(x, far, { alignCorners: true, paddingMode: "border" }), [4, 15]);
    expectClose(gridSample(x, far, { alignCorners: true, paddingMode: "reflection" }), [0, 16]);
  });

  test("goes through channels, samples and three axes alike", () => {
    const volume = random(2, 3, 2, 3, 4);
    const grid = random(2, 2, 1, 2, 3);
    const result = gridSample(volume, grid, { paddingMode: "border" });
    expect(result.shape).toEqual([2, 3, 2, 1, 2]);
    const one = gridSample(volume.narrow(1, 2, 1) as Tensor, grid, { paddingMode: "border" });
    expect(elementAt(one, [1, 0, 1, 0, 1])).toBe(elementAt(result, [1, 2, 1, 0, 1]));
  });
});

test("invalid arguments throw", () => {
  const x = empty([1, 2, 3]) as Tensor;
  expect(
    refusals([
      () => interpolate(x, {}),
      () => interpolate(x, { size: 2, scaleFactor: 2 }),
      () => interpolate(x, { size: [2, 2] }),
      () => interpolate(x, { size: 2, mode: "bilinear" }),
      () => interpolate(x, { size: 2, alignCorners: true }),
      () => interpolate(x, { size: 0 }),
      () => interpolate(x, { size: 2, mode: "cubic" as never }),
      () => interpolate(tensor([[[1, 2]]], { dtype: "int32" }), { size: 3, mode: "linear" }),
      () => gridSample(empty([1, 1, 2, 2]) as Tensor, empty([1, 2, 2, 3]) as Tensor),
      () => gridSample(empty([1, 1, 2, 2]) as Tensor, empty([1, 2, 2, 2]) as Tensor, { mode: "linear" as never }),
    ]),
  ).toMatchInlineSnapshot(`
    "StridewiseError: interpolate: pass { size } or { scaleFactor }
    StridewiseError: interpolate: pass only one of { size } or { scaleFactor }
    ShapeError: interpolate: expected one number for each of the axes [3], got [2, 2]
    ShapeError: interpolate: mode bilinear requires 4 axes, got shape [1, 2, 3]
    StridewiseError: interpolate: alignCorners requires mode linear, bilinear, bicubic or trilinear, got nearest
    ShapeError: interpolate: sizes must be above 0, got [3] to 0
    StridewiseError: interpolate: mode must be one of nearest, nearest-exact, linear, bilinear, trilinear, bicubic, area, got "cubic"
    DTypeError: interpolate: not implemented for 'int32'. Convert it: to("float32")
    ShapeError: gridSample: x [N, C, ...] requires a grid [N, ..., 2], got [1, 1, 2, 2] and [1, 2, 2, 3]
    StridewiseError: gridSample: mode must be 'bilinear', 'nearest', or 'bicubic' for two axes, got 'linear' for 2"
  `);
});
