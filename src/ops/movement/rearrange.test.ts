/** Elements in a different order, repeated, padded, cut in windows: each where its definition says, for any layout. */
import { arange, empty, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { dice } from "../../../test/support/operands.ts";
import { coordsOf, elementAt, elementsIn, everySize, stridedTensor } from "../../../test/support/strided-tensors.ts";
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { channelShuffle, pixelShuffle, pixelUnshuffle } from "./channels.ts";
import { constantPadNd, type PadMode, pad } from "./pad.ts";
import { flip, fliplr, flipud, repeat, roll, rot90, tile } from "./rearrange.ts";
import { repeatInterleave } from "./repeat-interleave.ts";
import { fold, unfold } from "./windows.ts";

const mod = (a: number, b: number): number => ((a % b) + b) % b;

/** Checks that element c of the result is element from(c) of x, for all coordinates. */
function expectMoved(result: Tensor, x: Tensor, from: (coord: number[]) => number[]): void {
  for (const coord of coordsOf(result.shape)) expect(elementAt(result, coord)).toEqual(elementAt(x, from(coord)));
}

describe.each(everySize)("%s", (dtype) => {
  const next = dice(dtype.length);
  const x = stridedTensor(next, [3, 4, 2], dtype);

  test("flip counts from the end", () => {
    expectMoved(flip(x, [0, -1]), x, ([i, j, k]) => [2 - (i as number), j as number, 1 - (k as number)]);
    expectMoved(flip(x, 1), x, ([i, j, k]) => [i as number, 3 - (j as number), k as number]);
    expect(elementsIn(fliplr(x))).toEqual(elementsIn(flip(x, 1)));
    expect(elementsIn(flipud(x))).toEqual(elementsIn(flip(x, 0)));
  });

  test("roll moves elements past one end to the other", () => {
    expectMoved(roll(x, [1, -5], [0, 1]), x, ([i, j, k]) => [
      mod((i as number) - 1, 3),
      mod((j as number) + 5, 4),
      k as number,
    ]);
    const all = elementsIn(x);
    expect(elementsIn(roll(x, 7))).toEqual(all.map((_, i) => all[mod(i - 7, 24)]));
  });

  test("rot90 four times is the tensor", () => {
    expect(elementsIn(rot90(rot90(rot90(rot90(x)))))).toEqual(elementsIn(x));
    expect(elementsIn(rot90(x, 3, [1, 2]))).toEqual(elementsIn(rot90(x, -1, [1, 2])));
    expectMoved(rot90(x), x, ([i, j, k]) => [j as number, 3 - (i as number), k as number]);
  });

  test("repeat and tile start again in each copy", () => {
    expectMoved(repeat(x, 2, 1, 2, 3), x, ([, i, j, k]) => [(i as number) % 3, (j as number) % 4, (k as number) % 2]);
    expect(elementsIn(tile(x, [2]))).toEqual(elementsIn(repeat(x, 1, 1, 2)));
  });

  test("repeatInterleave repeats each in its place", () => {
    expectMoved(repeatInterleave(x, 3, 1), x, ([i, j, k]) => [i as number, Math.floor((j as number) / 3), k as number]);
    const times = tensor([0, 2, 1, 3], { dtype: "int64" });
    const rows = [1, 1, 2, 3, 3, 3];
    expectMoved(repeatInterleave(x, times, 1), x, ([i, j, k]) => [
      i as number,
      rows[j as number] as number,
      k as number,
    ]);
    expect(repeatInterleave(x, 2).shape).toEqual([48]);
  });

  test.each(["reflect", "replicate", "circular"] as PadMode[])("padding by %s", (mode) => {
    const inside: Readonly<Record<string, (i: number, size: number) => number>> = {
      reflect: (i, size) => (i < 0 ? -i : i >= size ? 2 * size - 2 - i : i),
      replicate: (i, size) => Math.min(Math.max(i, 0), size - 1),
      circular: (i, size) => mod(i, size),
    };
    const at = inside[mode] as (i: number, size: number) => number;
    expectMoved(pad(x, [1, 1, 2, 3], { mode }), x, ([i, j, k]) => [
      i as number,
      at((j as number) - 2, 4),
      at((k as number) - 1, 2),
    ]);
  });
});

test("padding with a constant puts it outside, and negative numbers cut", () => {
  const x = stridedTensor(dice(2), [2, 3]);
  const result = pad(x, [1, -1, 0, 2], { value: 9 });
  expect(result.shape).toEqual([4, 3]);
  for (const [i, j] of coordsOf([4, 3]) as [number, number][])
    expect(result.get(i, j)).toBe(i < 2 && j > 0 ? x.get(i, j - 1) : 9);
  expect(elementsIn(constantPadNd(x, [1, -1, 0, 2], 9))).toEqual(elementsIn(result));
  expect(elementsIn(pad(tensor([[1, 2, 3]]), [-3, 4], { mode: "replicate" }))).toEqual([3, 3, 3, 3]);
});

describe("windows", () => {
  test.each([
    [3, {}],
    [2, { stride: 2 }],
    [[2, 3] as const, { padding: [1, 2], dilation: [2, 1], stride: [1, 2] }],
  ] as const)("unfold of windows %j %j has each window in a column, and fold adds them up", (kernel, options) => {
    const x = stridedTensor(dice(8), [2, 3, 5, 6], "float64");
    const columns = unfold(x, kernel, options);
    const pair = (value: unknown, usual: number): [number, number] =>
      Array.isArray(value) ? (value as [number, number]) : [(value as number) ?? usual, (value as number) ?? usual];
    const [kh, kw] = pair(kernel, 1);
    const passed = options as { padding?: unknown; dilation?: unknown; stride?: unknown };
    const [padding, dilation, stride] = [pair(passed.padding, 0), pair(passed.dilation, 1), pair(passed.stride, 1)];
    const across = Math.floor((6 + 2 * padding[1] - dilation[1] * (kw - 1) - 1) / stride[1]) + 1;
    const sums = new Map<string, number>();
    for (const [n, row, window] of coordsOf(columns.shape) as [number, number, number][]) {
      const [c, i, j] = [Math.floor(row / (kh * kw)), Math.floor(row / kw) % kh, row % kw];
      const h = Math.floor(window / across) * stride[0] + i * dilation[0] - padding[0];
      const w = (window % across) * stride[1] + j * dilation[1] - padding[1];
      const isInside = h >= 0 && h < 5 && w >= 0 && w < 6;
      const value = columns.get(n, row, window) as number;
      expect(value).toBe(isInside ? x.get(n, c, h, w) : 0);
      if (isInside) sums.set(`${n},${c},${h},${w}`, (sums.get(`${n},${c},${h},${w}`) ?? 0) + value);
    }
    const folded = fold(columns, [5, 6], kernel, options);
    expect(folded.shape).toEqual([2, 3, 5, 6]);
    for (const coord of coordsOf([2, 3, 5, 6])) expect(elementAt(folded, coord)).toBe(sums.get(String(coord)) ?? 0);
  });

  test("fold refuses sizes of no image", () => {
    for (const size of [[], [4], [4, 4, 4]])
      expect(() => fold(zeros([1, 4, 9]), size as never, 2)).toThrow(
        `fold: outputSize must be a number or two of them, got [${size.join(", ")}]`,
      );
  });
});

test("pixelShuffle moves channels into space, and pixelUnshuffle undoes it", () => {
  const x = stridedTensor(dice(6), [2, 8, 2, 3]);
  const wide = pixelShuffle(x, 2);
  expectMoved(wide, x, ([n, c, h, w]) => [
    n as number,
    (c as number) * 4 + ((h as number) % 2) * 2 + ((w as number) % 2),
    Math.floor((h as number) / 2),
    Math.floor((w as number) / 2),
  ]);
  expect(elementsIn(pixelUnshuffle(wide, 2))).toEqual(elementsIn(x));
  expectMoved(channelShuffle(x, 2), x, ([n, c, h, w]) => [
    n as number,
    ((c as number) % 2) * 4 + Math.floor((c as number) / 2),
    h as number,
    w as number,
  ]);
});

test("out and the meta device", () => {
  const x = arange(6).reshape(2, 3) as Tensor;
  const out = zeros([3, 2]).T as Tensor;
  expect(flip(x, 1, { out })).toBe(out);
  expect(elementsIn(out)).toEqual([2, 1, 0, 5, 4, 3]);
  roll(x, 1, null, { out });
  expect(elementsIn(out)).toEqual([5, 0, 1, 2, 3, 4]);
  const m = empty([1, 4, 6], { device: "meta" });
  expect([flip(m, 0), roll(m, 1), repeat(m, 2, 2, 2), repeatInterleave(m, 2, 1)].map((t) => t.shape)).toEqual([
    [1, 4, 6],
    [1, 4, 6],
    [2, 8, 12],
    [1, 8, 6],
  ]);
  expect(pad(m, [1, 1], { mode: "reflect" }).shape).toEqual([1, 4, 8]);
  expect(unfold(m, 2).shape).toEqual([4, 15]);
  expect(pixelShuffle(m.reshape(4, 2, 3) as Tensor, 2).shape).toEqual([1, 4, 6]);
});

describe("refused", () => {
  const m = zeros([2, 3]);
  const cases: readonly (readonly [string, () => unknown, new (...args: never[]) => Error, RegExp])[] = [
    ["columns of a list", () => fliplr(tensor([1])), ShapeError, /expected at least 2 axes, got 1/],
    ["turning in one axis", () => rot90(m, 1, [0]), ShapeError, /needs 2 axes to rotate, got 1/],
    ["shifts without their axes", () => roll(m, [1, 2], 0), ShapeError, /needs a shift for each axis, got 2 for 1/],
    ["fewer repeats than axes", () => repeat(m, 2), ShapeError, /needs a number for each axis, got \[2\] for \[2, 3\]/],
    ["negative repeats", () => repeatInterleave(m, -1), StridewiseError, /non-negative, got -1/],
    [
      "repeats that do not fit",
      () => repeatInterleave(m, tensor([1n, 2n]), 1),
      ShapeError,
      /needs one repeat for each of the 3 elements along axis 1, got 2/,
    ],
    ["an odd list", () => pad(m, [1]), ShapeError, /pad must have two numbers for each axis, got 1/],
    [
      "reflection past the end",
      () => pad(m, [3, 0], { mode: "reflect" }),
      ShapeError,
      /padding must be smaller than the axis, got \(3, 0\) at axis 1 of \[2, 3\]/,
    ],
    [
      "a mode that there is not",
      () => pad(m, [1, 1], { mode: "wrap" as never }),
      StridewiseError,
      /unknown mode "wrap"\. The modes are constant, reflect, replicate, circular/,
    ],
    [
      "too much taken away",
      () => pad(m, [-2, -2]),
      ShapeError,
      /padding \(-2, -2\) of axis 1 with size 3 results in a negative size/,
    ],
    [
      "windows that do not fit",
      () => unfold(zeros([1, 2, 2]), 3),
      ShapeError,
      /a window of 3 elements with dilation 1 does not fit an axis of size 2 with padding 0/,
    ],
    [
      "channels that do not divide",
      () => pixelShuffle(zeros([3, 1, 1]), 2),
      ShapeError,
      /3 channels must be divisible by the square of the factor, 4/,
    ],
  ];
  test.each(cases)("%s", (_what, run, kind, text) => {
    expect(run).toThrow(kind);
    expect(run).toThrow(text);
  });
});
