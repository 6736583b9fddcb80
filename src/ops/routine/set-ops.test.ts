/** Set operations: against sets of numbers, against recorded results of NumPy, and errors. */
import fc from "fast-check";
import { type Tensor, tensor, zeros } from "stridewise";
import { expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { arbitraryLined, elementsOf } from "../../../test/support/tensor-lines.ts";
import { intersect1d, setdiff1d, setxor1d, union1d } from "./unique-ops.ts";

test("each is the set of its name in ascending order, whatever the shapes and dtypes", () => {
  const lined = arbitraryLined(["int64", "uint8", "bool"]).map(({ x }) => x);
  fc.assert(
    fc.property(lined, lined, (a, b) => {
      const [first, second] = [new Set(elementsOf(a)), new Set(elementsOf(b))];
      const ascending = (of: Iterable<number>, isIn: (value: number) => boolean): number[] =>
        [...new Set(of)].filter(isIn).sort((p, q) => p - q);
      const both = [...first, ...second];
      expect(elementsOf(union1d(a, b))).toEqual(ascending(both, () => true));
      expect(elementsOf(intersect1d(a, b))).toEqual(ascending(both, (v) => first.has(v) && second.has(v)));
      expect(elementsOf(setdiff1d(a, b))).toEqual(ascending(first, (v) => !second.has(v)));
      expect(elementsOf(setxor1d(a, b))).toEqual(ascending(both, (v) => first.has(v) !== second.has(v)));
    }),
    { seed: 71, numRuns: 80 },
  );
});

test("NaN differs from other NaN, but one represents all those of a tensor", () => {
  const a = tensor([3, 1, NaN, NaN], { dtype: "float64" });
  const b = tensor([NaN, 1], { dtype: "float64" });
  // NumPy 1.24.
  expect(union1d(a, b).toArray()).toEqual([1, 3, NaN]);
  expect(intersect1d(a, b).toArray()).toEqual([1]);
  expect(setdiff1d(a, b).toArray()).toEqual([3, NaN]);
  expect(setxor1d(a, b).toArray()).toEqual([3, NaN, NaN]);
});

test("dtypes are the common one, that of the first for a difference; nothing is a set, too", () => {
  const a = tensor([3, 1], { dtype: "int32" });
  const b = tensor([1.5, 1], { dtype: "float64" });
  const none = zeros([0, 2], { dtype: "int32" });
  expect([union1d(a, b), intersect1d(a, b), setxor1d(a, b), setdiff1d(a, b)].map((t: Tensor) => t.dtype)).toEqual([
    "float64",
    "float64",
    "float64",
    "int32",
  ]);
  expect(setdiff1d(a, b).toArray()).toEqual([3]);
  const both: readonly ((x: Tensor, other: Tensor) => Tensor)[] = [union1d, setdiff1d, setxor1d];
  for (const op of both) expect(op(a, none).toArray()).toEqual([1, 3]);
  for (const op of [intersect1d, ...both]) expect(op(none, none).shape).toEqual([0]);
  expect([intersect1d(a, none).shape, setdiff1d(none, a).shape]).toEqual([[0], [0]]);
});

test("invalid arguments throw", () => {
  const x = tensor([1, 2]);
  expect(
    refusals([
      () => union1d(x, [1, 2] as never),
      () => intersect1d(x.to("complex64"), x),
      () => setdiff1d(zeros([2], { device: "meta" }), zeros([2], { device: "meta" })),
      () => (setxor1d as CallableFunction)(x, x, { out: x }),
    ]),
  ).toMatchInlineSnapshot(`
    "StridewiseError: union1d: needs a tensor, got [1, 2]. Create one: tensor(...)
    DTypeError: intersect1d: not implemented for 'complex64', complex numbers have no order. Use real(x), imag(x) or abs(x)
    DispatchError: setdiff1d: the shape depends on the elements, which meta tensors do not have
    StridewiseError: setxor1d: there is no option out. Copy the result: copy_(...)"
  `);
});
