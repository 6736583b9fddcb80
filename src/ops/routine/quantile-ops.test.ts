/** Quantiles against their definition on sorted lines, and errors. */
import fc from "fast-check";
import { full, tensor, zeros } from "stridewise";
import { expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { arbitraryLined, compare, elementsOf, linesOf } from "../../../test/support/tensor-lines.ts";
import { nanquantile, quantile } from "./quantile-ops.ts";

const interpolations = ["linear", "lower", "higher", "midpoint", "nearest"] as const;
type Interpolation = (typeof interpolations)[number];

/** The quantile of one line by its definition. */
function quantile1(line: readonly number[], q: number, interpolation: Interpolation, skips: boolean): number {
  const kept = line.filter((value) => !Number.isNaN(value)).sort(compare);
  if (kept.length === 0 || (kept.length < line.length && !skips)) return NaN;
  const rank = q * (kept.length - 1);
  const [a, b] = [kept[Math.floor(rank)] as number, kept[Math.ceil(rank)] as number];
  const part = rank - Math.floor(rank);
  const isUp = part > 0.5 || (part === 0.5 && Math.floor(rank) % 2 === 1);
  return { linear: a + part * (b - a), lower: a, higher: b, midpoint: (a + b) / 2, nearest: isUp ? b : a }[
    interpolation
  ];
}

test("quantile and nanquantile hold their definition along an axis and over all elements", () => {
  const shares = [0, 0.25, 0.5, 0.75, 1];
  fc.assert(
    fc.property(
      arbitraryLined(["float32", "float64"]),
      fc.constantFrom(...interpolations),
      fc.boolean(),
      ({ x, axis }, interpolation, keepdims) => {
        const lines = linesOf(x, axis);
        const kept = x.shape.flatMap((size, d) => (d === axis ? (keepdims ? [1] : []) : [size]));
        for (const [op, skips] of [[quantile, false] as const, [nanquantile, true] as const]) {
          const several = op(x, shares, axis, { interpolation, keepdims });
          expect([several.dtype, several.shape]).toEqual([x.dtype, [shares.length, ...kept]]);
          const expected = shares.flatMap((q) => lines.map((line) => quantile1(line, q, interpolation, skips)));
          expect(elementsOf(several)).toEqual(expected);
          const one = op(x, 0.25, null, { interpolation, keepdims });
          expect(one.shape).toEqual(keepdims ? x.shape.map(() => 1) : []);
          expect(elementsOf(one)).toEqual([quantile1(elementsOf(x), 0.25, interpolation, skips)]);
        }
      },
    ),
    { seed: 21, numRuns: 100 },
  );
});

test("shares come as a number, a list or a tensor; a 0-d tensor gives no axis", () => {
  const x = tensor([4, 1, 3, 2, 5]);
  expect(quantile(x, tensor([0, 1])).toArray()).toEqual([1, 5]);
  expect(quantile(x, tensor(0.5)).shape).toEqual([]);
  expect(quantile(x, []).shape).toEqual([0]);
  expect(quantile(tensor(7), 0.3).item()).toBe(7);
  const out = zeros([2], { dtype: "float64" });
  quantile(x, [0.5, 1], null, { out });
  expect(out.toArray()).toEqual([3, 5]);
  expect(quantile(zeros([2, 3], { device: "meta" }), [0.5], 1).shape).toEqual([1, 2]);
});

test("invalid arguments throw", () => {
  const x = full([2, 3], 1);
  expect(
    refusals([
      () => quantile(zeros([3], { dtype: "int64" }), 0.5),
      () => quantile(zeros([0]), 0.5),
      () => quantile(x, 1.5),
      () => quantile(x, [0.5, -1]),
      () => quantile(x, zeros([1, 1])),
      () => quantile(x, zeros([1], { dtype: "float64" })),
      () => quantile(x, 0.5, 2),
      () => nanquantile(x, 0.5, 0, { interpolation: "cubic" as never }),
    ]),
  ).toMatchInlineSnapshot(`
    "DTypeError: quantile: dtype must be float32 or float64, got int64. Convert it: to("float32")
    ShapeError: quantile: x must not be empty, got shape [0]
    StridewiseError: quantile: q must be from 0 to 1, got 1.5
    StridewiseError: quantile: q must be from 0 to 1, got -1
    ShapeError: quantile: q must have at most one axis, got shape [1, 1]
    DTypeError: quantile: x and q must have the same dtype, got float32 and float64
    IndexError: quantile: axis 2 is out of range, expected -2 to 1
    StridewiseError: nanquantile: interpolation must be linear, lower, higher, midpoint or nearest, got cubic"
  `);
});

test("fractions that are not numbers, lists or tensors throw a named error", () => {
  for (const q of [true, 3n, "x"])
    expect(() => quantile(tensor([1, 2]), q as never)).toThrow(
      "quantile: q must be a number, a list of numbers or a tensor",
    );
});
