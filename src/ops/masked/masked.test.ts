/** The ops of `masked` against their definitions on the selected elements; errors. */
import { type DType, rand, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";
import * as masked from "./masked.ts";

const numbers = (t: unknown): number[] => ((t as Tensor).toArray() as unknown[]).flat(9).map(Number);

/** Rows of numbers with what a mask leaves of each; the last row has nothing left. */
const rows = [
  [3, -1, 4, 1.5],
  [-9, 2.5, -6, 5],
  [3, 5, -8, 9],
];
const kept = [
  [true, false, true, true],
  [false, true, true, false],
  [false, false, false, false],
];
const left = rows.map((row, i) => row.filter((_, j) => kept[i]?.[j]));
const total = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
const average = (list: readonly number[]): number => total(list) / list.length;
const spread = (list: readonly number[], less = 1): number =>
  total(list.map((x) => (x - average(list)) ** 2)) / Math.max(0, list.length - less);

type Call = (x: Tensor, axis: number, options: object) => Tensor;
const definitions: Readonly<Record<string, (list: readonly number[]) => number>> = {
  sum: total,
  prod: (list) => list.reduce((a, b) => a * b, 1),
  amax: (list) => Math.max(...list),
  amin: (list) => Math.min(...list),
  mean: average,
  var: (list) => spread(list),
  std: (list) => Math.sqrt(spread(list)),
  logsumexp: (list) => Math.log(total(list.map(Math.exp))),
  median: (list) => (list.length === 0 ? NaN : (list.toSorted((a, b) => a - b)[(list.length - 1) >> 1] as number)),
};

describe.each(Object.entries(definitions))("masked.%s", (name, definition) => {
  const call = (masked as unknown as Record<string, Call>)[name] as Call;

  test("equals the op without masked on the elements that are not masked", () => {
    const result = call(tensor(rows) as Tensor, 1, { mask: tensor(kept) });
    const expected = left.map(definition);
    for (const [k, value] of numbers(result).entries())
      if (Number.isFinite(expected[k])) expect(value).toBeCloseTo(expected[k] as number, 4);
      else expect(value).toBe(expected[k]);
  });

  test("reads views, and broadcasts the mask", () => {
    const x = tensor(rows).T as Tensor;
    const result = call(x, 0, { mask: tensor([[true], [true], [false], [true]]), keepdims: true });
    expect(result.shape).toEqual([1, 3]);
    for (const [k, value] of numbers(result).entries())
      expect(value).toBeCloseTo(definition((rows[k] as number[]).filter((_, j) => j !== 2)), 4);
  });
});

test("the places of extremes are those in the whole tensor", () => {
  const x = tensor(rows) as Tensor;
  expect(numbers(masked.argmax(x, 1, { mask: tensor(kept) })).slice(0, 2)).toEqual([2, 1]);
  expect(numbers(masked.argmin(x, 1, { mask: tensor(kept) })).slice(0, 2)).toEqual([3, 2]);
});

test.each(["uint8", "int8", "int16", "int32", "int64"] as DType[])(
  "extremes of %s are those that are left",
  (dtype) => {
    const x = tensor([1, 7, 3, 100], { dtype }) as Tensor;
    const mask = tensor([true, false, true, false]) as Tensor;
    expect(numbers(masked.amax(x, null, { mask }).reshape(1))).toEqual([3]);
    expect(numbers(masked.amin(x, null, { mask: tensor([false, true, false, true]) }).reshape(1))).toEqual([7]);
    const none = masked.amax(x, null, { mask: tensor([false, false, false, false]) }) as Tensor;
    expect(none.dtype).toBe(dtype);
  },
);

test("softmax of the unmasked elements is their softmax alone, and 0 elsewhere", () => {
  const [row, keep] = [rows[0] as number[], kept[0] as boolean[]];
  const options = { mask: tensor(keep) as Tensor };
  const sum = total((left[0] as number[]).map(Math.exp));
  numbers(masked.softmax(tensor(row) as Tensor, 0, options)).forEach((value, j) => {
    expect(value).toBeCloseTo(keep[j] ? Math.exp(row[j] as number) / sum : 0, 5);
  });
  expect(numbers(masked.logSoftmax(tensor(row) as Tensor, 0, options))[1]).toBe(-Infinity);
  const low = total((left[0] as number[]).map((x) => Math.exp(-x)));
  numbers(masked.softmin(tensor(row) as Tensor, 0, options)).forEach((value, j) => {
    expect(value).toBeCloseTo(keep[j] ? Math.exp(-(row[j] as number)) / low : 0, 5);
  });
});

test("running sums and products skip masked elements", () => {
  const options = { mask: tensor([true, false, true, true]) as Tensor };
  const x = tensor([2, 3, 4, 5]) as Tensor;
  expect(numbers(masked.cumsum(x, 0, options))).toEqual([2, 2, 6, 11]);
  expect(numbers(masked.cumprod(x, 0, options))).toEqual([2, 2, 8, 40]);
});

test.each([1, 2, 3, -1, Infinity, -Infinity])("the norm of order %d is that of the unmasked elements", (ord) => {
  const lengths = (left[0] as number[]).map(Math.abs);
  const expected =
    Math.abs(ord) === Infinity
      ? (ord > 0 ? Math.max : Math.min)(...lengths)
      : total(lengths.map((x) => x ** ord)) ** (1 / ord);
  const options = { mask: tensor(kept[0] as boolean[]) as Tensor };
  const x = tensor(rows[0] as number[]) as Tensor;
  expect(Number(masked.norm(x, ord, 0, options).item())).toBeCloseTo(expected, 4);
  const unit = numbers(masked.normalize(x, ord, 0, options));
  expect(unit[1]).toBe(0);
  expect(unit[0]).toBeCloseTo(3 / expected, 4);
});

test("logaddexp has a mask for each, and minus infinity where neither is left", () => {
  const masks = { inputMask: tensor([true, false, false]), otherMask: tensor([true, true, false]) };
  const result = numbers(masked.logaddexp(tensor([1, 2, 3]) as Tensor, tensor([1, 2, 3]) as Tensor, masks as never));
  expect(result[0]).toBeCloseTo(1 + Math.LN2, 5);
  expect(result.slice(1)).toEqual([2, -Infinity]);
});

test("without a mask all elements count", () => {
  const x = rand([3, 4]) as Tensor;
  expect(numbers(masked.sum(x, 1))).toEqual(numbers(x.sum(1)));
  expect(numbers(masked.median(x))).toEqual(numbers(x.median(-1).values));
});

test("invalid masks throw a named error", () => {
  const x = tensor(rows) as Tensor;
  expect(() => masked.sum(x, 1, { mask: tensor([1, 0, 1, 1]) as Tensor })).toThrow(
    /^masked\.sum: mask must be a bool tensor, got float32\. Compare it: mask\.ne\(0\)/,
  );
  expect(() => masked.mean(x, 1, { mask: tensor([true, false]) as Tensor })).toThrow(/^masked\.mean: /);
  expect(() => masked.sum(x, 1, { mask: 3 as never })).toThrow(/^masked\.sum: mask must be a tensor, got 3/);
  expect(() => masked.softmax(x, 1, { keepdims: true } as never)).toThrow(
    /^masked\.softmax: there is no option keepdims/,
  );
  expect(() => masked.median(tensor([1], { dtype: "int32" }) as Tensor)).toThrow(
    /^masked\.median: x must be a floating point tensor, got int32\. Convert it: to\("float32"\)/,
  );
});
