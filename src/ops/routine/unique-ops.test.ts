/** Distinct elements and slices against sets of their texts, and errors. */
import fc from "fast-check";
import { type DType, type Tensor, tensor, zeros } from "stridewise";
import { expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { arbitraryLined, compare, elementsOf } from "../../../test/support/tensor-lines.ts";
import { unique, uniqueConsecutive } from "./unique-ops.ts";

const dtypes: readonly DType[] = ["float32", "float64", "float16", "int64", "int16", "uint8", "bool"];

/** The parts along an axis as lists of numbers. */
const partsOf = (t: Tensor, axis: number): number[][] =>
  Array.from({ length: t.shape[axis] as number }, (_, i) => elementsOf(t.select(axis, i) as Tensor));

const equal = (a: readonly number[], b: readonly number[]): boolean => a.every((value, i) => value === b[i]);
const before = (a: readonly number[], b: readonly number[]): number => {
  const at = a.findIndex((value, i) => compare(value, b[i] as number) !== 0);
  return at < 0 ? 0 : compare(a[at] as number, b[at] as number);
};

test("unique gives every distinct part once and in order, uniqueConsecutive every run; the inverse leads back", () => {
  fc.assert(
    fc.property(arbitraryLined(dtypes), fc.boolean(), fc.boolean(), ({ x, axis }, isFlat, isConsecutive) => {
      const op = isConsecutive ? uniqueConsecutive : unique;
      const source = isFlat ? (x.reshape([x.size]) as Tensor) : x;
      const at = isFlat ? 0 : axis;
      const options = { returnInverse: true, returnCounts: true, ...(isFlat ? {} : { axis }) } as const;
      const { output, inverseIndices, counts } = op(x, options);
      const [parts, distinct] = [partsOf(source, at), partsOf(output, at)];
      const inverse = elementsOf(inverseIndices);
      expect(output.dtype).toBe(x.dtype);
      expect(inverseIndices.shape).toEqual(isFlat ? x.shape : [x.shape[axis]]);
      inverse.forEach((group, i) => {
        expect(distinct[group]).toEqual(parts[i]);
      });
      expect(elementsOf(counts)).toEqual(distinct.map((_, group) => inverse.filter((g) => g === group).length));
      for (let g = 1; g < distinct.length; g++) {
        expect(equal(distinct[g - 1]!, distinct[g]!)).toBe(false);
        if (!isConsecutive) expect(before(distinct[g - 1]!, distinct[g]!)).toBeLessThanOrEqual(0);
      }
      const plain = isFlat ? op(x) : op(x, { axis });
      expect(elementsOf(plain)).toEqual(elementsOf(output));
    }),
    { seed: 31, numRuns: 200 },
  );
});

test("a 0-d tensor, or without elements, has its elements", () => {
  expect(unique(tensor(3)).toArray()).toEqual([3]);
  expect(unique(tensor(3), { returnInverse: true }).inverseIndices.shape).toEqual([]);
  const { output, counts } = unique(zeros([0, 3]), { returnCounts: true });
  expect([output.shape, counts.shape]).toEqual([[0], [0]]);
  expect(unique(zeros([0, 3]), { axis: 0 }).shape).toEqual([0, 3]);
});

test("invalid arguments throw", () => {
  expect(
    refusals([
      () => unique(zeros([2], { dtype: "complex64" })),
      () => unique(tensor(3), { axis: 0 }),
      () => unique(zeros([0, 3]), { axis: 1 }),
      () => unique(zeros([2, 3]), { axis: 2 }),
      () => unique(zeros([2], { device: "meta" })),
      () => uniqueConsecutive(zeros([2]), { sorted: true }),
    ]),
  ).toMatchInlineSnapshot(`
    "DTypeError: unique: not implemented for 'complex64', complex numbers have no order. Use real(x), imag(x) or abs(x)
    IndexError: unique: x has no axis 0; its shape is []
    ShapeError: unique: only the given axis may have size 0, got shape [0, 3]
    IndexError: unique: axis 2 is out of range, expected -2 to 1
    DispatchError: unique: the shape depends on the elements, which meta tensors do not have
    StridewiseError: uniqueConsecutive: there is no option sorted; the options are returnInverse, returnCounts, axis."
  `);
});
