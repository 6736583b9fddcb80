/** Partitions against their definition, sorting by several keys against a sort of rows, gradients, and errors. */
import fc from "fast-check";
import { type Tensor, tensor, zeros } from "stridewise";
import { expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { arbitraryLined, compare, elementsOf, linesOf } from "../../../test/support/tensor-lines.ts";
import { gather } from "../movement/gather.ts";
import { argpartition, lexsort, partition } from "./partial-sort-ops.ts";

test("the elements at the given indices are those of a sort, none before is larger and none after is smaller", () => {
  fc.assert(
    fc.property(
      arbitraryLined(["float32", "float64", "int64", "bool"]),
      fc.nat(9),
      fc.boolean(),
      (lined, pick, back) => {
        const { x, axis } = lined;
        const n = x.shape[axis] as number;
        const kth = pick % n;
        const result = partition(x, back ? [kth - n, 0] : kth, back ? axis - x.rank : axis);
        const sorted = linesOf(x, axis).map((line) => line.toSorted(compare));
        linesOf(result, axis).forEach((line, k) => {
          expect(line[kth]).toBe(sorted[k]![kth]);
          for (const value of line.slice(0, kth)) expect(compare(value, line[kth]!)).toBeLessThanOrEqual(0);
          for (const value of line.slice(kth)) expect(compare(value, line[kth]!)).toBeGreaterThanOrEqual(0);
          expect(line.toSorted(compare)).toEqual(sorted[k]);
        });
        const indices = argpartition(x, kth, axis);
        expect(elementsOf(gather(x, axis, indices))).toEqual(elementsOf(result));
        expect([result.dtype, indices.dtype]).toEqual([x.dtype, "int32"]);
      },
    ),
    { seed: 81, numRuns: 60 },
  );
});

test("a partition of nothing is nothing, and gradients go back to where elements were", () => {
  expect([partition(zeros([0]), 0).shape, argpartition(zeros([2, 0]), 3).shape]).toEqual([[0], [2, 0]]);
  const x = tensor([3, 1, 2], { requiresGrad: true });
  partition(x, 1)
    .mul(tensor([1, 10, 100]))
    .sum()
    .backward();
  expect(x.grad?.toArray()).toEqual([100, 1, 10]);
  const shapeless = zeros([3, 4], { device: "meta", dtype: "int64" });
  expect([partition(shapeless, 1).shape, argpartition(shapeless, 1, 0).dtype, lexsort([shapeless]).shape]).toEqual([
    [3, 4],
    "int32",
    [3, 4],
  ]);
});

test("lexsort sorts by the last key, equal ones by the key before, and so on", () => {
  const ints = (data: unknown): Tensor => tensor(data as never, { dtype: "int64" }) as Tensor;
  const [a, b] = [ints([9, 4, 0, 4, 0, 2, 1]), ints([1, 5, 1, 4, 3, 4, 4])];
  const low = ints([
    [3, 1, 2],
    [1, 1, 0],
  ]);
  const high = ints([
    [0, 0, 0],
    [1, 0, 1],
  ]);
  // NumPy 1.24.
  expect(lexsort([a, b]).toArray()).toEqual([2, 0, 4, 6, 5, 3, 1]);
  expect(lexsort([low, high]).toArray()).toEqual([
    [1, 2, 0],
    [1, 2, 0],
  ]);
  expect(lexsort([low, high], 0).toArray()).toEqual([
    [0, 0, 0],
    [1, 1, 1],
  ]);
  fc.assert(
    fc.property(arbitraryLined(["float32", "int64", "bool"]), ({ x, axis }) => {
      const keys = [x, x.to("float32").abs() as Tensor];
      const lines = keys.map((key) => linesOf(key, axis));
      const expected = lines[0]!.map((line, k) =>
        line
          .map((_, i) => i)
          .sort((p, q) => compare(lines[1]![k]![p]!, lines[1]![k]![q]!) || compare(line[p]!, line[q]!) || p - q),
      );
      expect(linesOf(lexsort(keys, axis), axis)).toEqual(expected);
    }),
    { seed: 82, numRuns: 40 },
  );
});

test("invalid arguments throw", () => {
  const x = tensor([3, 1, 2]);
  expect(
    refusals([
      () => partition(x, 3),
      () => partition(x, [0, -4]),
      () => argpartition(x, 1.5),
      () => partition(x, 0, 1),
      () => (partition as CallableFunction)(x, 0, { out: x }),
      () => lexsort([]),
      () => lexsort(x as never),
      () => lexsort([x, zeros([2])]),
    ]),
  ).toMatchInlineSnapshot(`
    "IndexError: partition: index 3 is out of range for an axis with size 3 (valid: -3 to 2)
    IndexError: partition: index -4 is out of range for an axis with size 3 (valid: -3 to 2)
    IndexError: argpartition: index 1.5 is not an integer
    IndexError: partition: axis 1 is out of range, expected -1 to 0
    StridewiseError: partition: there is no option out. Copy the result: copy_(...)
    StridewiseError: lexsort: the list of tensors is empty
    StridewiseError: lexsort: expected a list of tensors, lexsort([a, b]), got tensor (float32 [3])
    ShapeError: lexsort: all keys must have the same shape, got [3] and [2]. Broadcast them: broadcastTensors(...)"
  `);
});
