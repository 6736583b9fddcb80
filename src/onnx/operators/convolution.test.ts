/** Convolutions and pooling against loops over all elements, for random windows. */

import { fold, sum, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import { distance, random, runOperator } from "../../../test/support/onnx-operators.ts";

interface Case {
  readonly sizes: readonly number[];
  readonly kernel_shape: readonly number[];
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  readonly pads: readonly number[];
  readonly ceil_mode?: number;
}

const cases: readonly Case[] = [
  { sizes: [7], kernel_shape: [3], strides: [2], dilations: [1], pads: [1, 0] },
  { sizes: [9], kernel_shape: [2], strides: [1], dilations: [3], pads: [0, 2] },
  { sizes: [5, 6], kernel_shape: [3, 2], strides: [2, 1], dilations: [1, 2], pads: [1, 0, 2, 1] },
  { sizes: [6, 6], kernel_shape: [2, 2], strides: [3, 2], dilations: [2, 1], pads: [0, 1, 1, 0], ceil_mode: 1 },
  { sizes: [4, 3, 5], kernel_shape: [2, 1, 3], strides: [1, 2, 2], dilations: [1, 1, 1], pads: [0, 0, 1, 1, 0, 1] },
];

const elements = (t: Tensor): number[] => (t.reshape([-1]) as Tensor).toArray() as number[];
const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);

/** The coordinates of all elements of a shape. */
const coords = (sizes: readonly number[]): number[][] =>
  sizes.reduce<number[][]>(
    (all, size) => all.flatMap((at) => Array.from({ length: size }, (_, k) => [...at, k])),
    [[]],
  );

/** For each window: the indices of its elements in a plane, -1 in the padding and null beyond it. */
function windowsOf({ sizes, kernel_shape, strides, dilations, pads, ceil_mode = 0 }: Case) {
  const axes = sizes.length;
  const counts = sizes.map((size, k) => {
    const slack = size + pads[k]! + pads[k + axes]! - dilations[k]! * (kernel_shape[k]! - 1) - 1;
    const count = Math[ceil_mode ? "ceil" : "floor"](slack / strides[k]!) + 1;
    return ceil_mode && (count - 1) * strides[k]! >= size + pads[k]! ? count - 1 : count;
  });
  const windows = coords(counts).map((at) =>
    coords(kernel_shape).map((tap) => {
      const point = at.map((each, k) => each * strides[k]! - pads[k]! + tap[k]! * dilations[k]!);
      if (point.some((each, k) => each < -pads[k]! || each >= sizes[k]! + pads[k + axes]!)) return null;
      if (point.some((each, k) => each < 0 || each >= sizes[k]!)) return -1;
      return point.reduce((index, each, k) => index * sizes[k]! + each, 0);
    }),
  );
  return { counts, windows };
}

describe.each(cases.map((each) => [JSON.stringify(each), each] as const))("%s", (_, each) => {
  const { sizes, ...attributes } = each;
  const { counts, windows } = windowsOf(each);
  const x = random(2, 4, ...sizes);
  const planes = Array.from({ length: 8 }, (_, k) => elements(x).slice(k * product(sizes), (k + 1) * product(sizes)));
  const inside = (window: readonly (number | null)[]): number[] =>
    window.filter((at) => at !== null && at >= 0) as number[];
  const expected = (of: (window: readonly (number | null)[], plane: readonly number[]) => number): Tensor =>
    tensor(planes.flatMap((plane) => windows.map((window) => of(window, plane)))).reshape([2, 4, ...counts]) as Tensor;

  if (each.ceil_mode === undefined)
    test("Conv is the sum of products over each window", () => {
      const weight = random(6, 2, ...each.kernel_shape);
      const w = elements(weight);
      const bias = random(6);
      const taps = product(each.kernel_shape);
      const result = [0, 1].flatMap((n) =>
        [0, 1, 2, 3, 4, 5].flatMap((o) =>
          windows.map((window) => {
            let total = elements(bias)[o]!;
            for (const c of [0, 1])
              for (const [t, at] of window.entries())
                if (at !== null && at >= 0)
                  total += w[(o * 2 + c) * taps + t]! * planes[n * 4 + Math.floor(o / 3) * 2 + c]![at]!;
            return total;
          }),
        ),
      );
      const [y] = runOperator("Conv", [x, weight, bias], { ...attributes, group: 2 });
      expect(distance(y!, tensor(result).reshape([2, 6, ...counts]) as Tensor)).toBeLessThan(1e-5);
    });

  if (each.ceil_mode === undefined)
    test("ConvTranspose is the transpose of Conv", () => {
      const weight = random(6, 2, ...each.kernel_shape);
      const [y] = runOperator("Conv", [x, weight], { ...attributes, group: 2 });
      const g = random(...(y!.shape as number[]));
      const [back] = runOperator("ConvTranspose", [g, weight], { ...attributes, group: 2, output_shape: sizes });
      expect(back!.shape).toEqual(x.shape);
      // Padding is explicit here, and the end of an axis that no window reaches is 0.
      const reached = sizes.map(
        (_, k) =>
          (counts[k]! - 1) * each.strides[k]! +
          each.dilations[k]! * (each.kernel_shape[k]! - 1) +
          1 -
          each.pads[k]! -
          each.pads[k + sizes.length]!,
      );
      const output_padding = sizes.map((size, k) => size - reached[k]!);
      const [own] = runOperator("ConvTranspose", [g, weight], { ...attributes, group: 2, output_padding });
      expect(sum(own!.mul(x)).item()).toBeCloseTo(sum(g.mul(y!)).item() as number, 3);
    });

  test("MaxPool and its indices", () => {
    for (const storage_order of [0, 1]) {
      const [y, indices] = runOperator("MaxPool", [x], { ...attributes, storage_order }, { outputs: 2 });
      expect(
        distance(
          y!,
          expected((window, plane) => Math.max(...inside(window).map((at) => plane[at]!))),
        ),
      ).toBe(0);
      const reversed = [0, 1, ...sizes.map((_, k) => sizes.length + 1 - k)];
      const source = elements(storage_order === 0 ? x : (x.permute(...reversed) as Tensor));
      expect(elements(indices!).map((at) => source[at])).toEqual(elements(y!));
    }
  });

  test.each([0, 1])("AveragePool with count_include_pad %i", (count_include_pad) => {
    const [y] = runOperator("AveragePool", [x], { ...attributes, count_include_pad });
    const mean = expected((window, plane) => {
      const total = inside(window).reduce((all, at) => all + plane[at]!, 0);
      return total / (count_include_pad ? window.filter((at) => at !== null) : inside(window)).length;
    });
    expect(distance(y!, mean)).toBeLessThan(1e-6);
  });

  test.each([1, 2, 3])("LpPool of order %i", (p) => {
    const [y] = runOperator("LpPool", [x], { ...attributes, p });
    const norm = expected(
      (window, plane) => inside(window).reduce((all, at) => all + Math.abs(plane[at]!) ** p, 0) ** (1 / p),
    );
    expect(distance(y!, norm)).toBeLessThan(1e-5);
  });
});

test.each([
  ["SAME_UPPER", [0, 1]],
  ["SAME_LOWER", [1, 0]],
  ["VALID", [0, 0]],
])("auto_pad %s of an even kernel", (auto_pad, [before, after]) => {
  const [x, weight] = [random(1, 1, 5), random(1, 1, 2)];
  const pads = [before!, after!];
  expect(
    distance(runOperator("Conv", [x, weight], { auto_pad })[0]!, runOperator("Conv", [x, weight], { pads })[0]!),
  ).toBe(0);
});

test.each([
  [[10], [3], {}],
  [[12], [3], {}],
  [[3], [5], {}],
  [[7, 9], [3, 2], { auto_pad: "SAME_UPPER" }],
] as const)("ConvTranspose has the size of output_shape %j", (output_shape, kernel, more) => {
  const x = random(1, 2, ...kernel.map(() => 4));
  const [y] = runOperator("ConvTranspose", [x, random(2, 3, ...kernel)], {
    output_shape,
    strides: kernel.map(() => 2),
    ...more,
  });
  expect(y!.shape).toEqual([1, 3, ...output_shape]);
});

test("Col2Im is fold", () => {
  const [image, block] = [
    [5, 6],
    [2, 3],
  ] as const;
  const columns = random(2, 3 * 6, 3 * 3);
  const sizes = [image, block].map((list) => tensor([...list], { dtype: "int64" }) as Tensor);
  const [y] = runOperator("Col2Im", [columns, ...sizes], { dilations: [2, 1], pads: [0, 1, 0, 1], strides: [1, 2] });
  const folded = fold(columns, image, block, { dilation: [2, 1], padding: [0, 1], stride: [1, 2] }) as Tensor;
  expect(distance(y!, folded)).toBeLessThan(1e-6);
});

test("errors name the attribute and its value", () => {
  const [x, weight] = [random(1, 2, 5), random(4, 2, 3)];
  expect(() => runOperator("Conv", [x, weight], { strides: [0] })).toThrow(
    "strides must be 1 integers of at least 1, got [0]",
  );
  expect(() => runOperator("Conv", [x, weight], { group: 3 })).toThrow("group=3 must divide");
  expect(() => runOperator("Conv", [x, weight], { auto_pad: "FULL" })).toThrow('got "FULL"');
  expect(() => runOperator("MaxPool", [x], { kernel_shape: [9] })).toThrow(
    "a window of 9 elements is longer than axis 2",
  );
});

test("windows and blocks with more elements than the limit throw an error", () => {
  const attributes = { kernel_shape: [3], pads: [2 ** 40, 0] };
  expect(() => runOperator("AveragePool", [random(0, 1, 4)], attributes)).toThrow(
    "the number of elements in windows of axis 2 must be an integer",
  );
  const sizes = (...list: number[]) => tensor(list, { dtype: "int64" }) as Tensor;
  expect(() => runOperator("Col2Im", [random(1, 4, 9), sizes(2 ** 40, 4), sizes(2, 2)])).toThrow(
    "the number of blocks must be an integer",
  );
});
