/** Tensors of real and complex numbers, and the comparison of their elements with recorded values. */
import { type Complex, complex, type Tensor, tensor, zeros } from "stridewise";
import { expect } from "vitest";
import { elementsOf } from "./tensor-lines.ts";

export const doubles = (values: unknown): Tensor => tensor(values as number[], { dtype: "float64" }) as Tensor;

export const complexes = (...parts: readonly (readonly [re: number, im: number])[]): Tensor =>
  tensor(
    parts.map(([re, im]) => complex(re, im)),
    { dtype: "complex128" },
  ) as Tensor;

/** The real and imaginary parts of the elements. */
export const partsOf = (t: Tensor): number[][] => (t.toArray() as Complex[]).map(({ re, im }) => [re, im]);

/** Expects these elements to this number of decimals; infinities and NaN exactly. */
export const near = (t: Tensor, expected: readonly number[], digits = 12): void =>
  expect(elementsOf(t)).toEqual(
    expected.map((value) => (Number.isFinite(value) ? expect.closeTo(value, digits) : value)),
  );

export const onMeta = (...shape: number[]): Tensor => zeros(shape, { device: "meta" }) as Tensor;
