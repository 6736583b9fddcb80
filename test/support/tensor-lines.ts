/**
 * Tensors for the laws of routine ops, dense and as views, and their lines along an axis as plain numbers.
 */
import fc from "fast-check";
import { type DType, type Tensor, tensor, zeros } from "stridewise";

/** A tensor, and one of its axes. */
export interface Lined {
  readonly x: Tensor;
  readonly axis: number;
}

const viewKinds = ["dense", "transposed", "every second", "expanded"] as const;

/** Tensors of 1 to 3 axes with small numbers, many of them equal, some NaN if the dtype has it. */
export const arbitraryLined = (dtypes: readonly DType[], min = 1): fc.Arbitrary<Lined> =>
  fc
    .record({
      dtype: fc.constantFrom(...dtypes),
      shape: fc.array(fc.integer({ min: min, max: 5 }), { minLength: 1, maxLength: 3 }),
      seed: fc.integer({ min: 0, max: 2 ** 30 }),
      axis: fc.nat(2),
      kind: fc.constantFrom(...viewKinds),
      hasNaN: fc.boolean(),
    })
    .map(({ dtype, shape, seed, axis, kind, hasNaN }) => {
      const isFloat = dtype.includes("float");
      let state = seed;
      const next = (): number => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        const value = (state >>> 24) % 9;
        if (dtype === "bool") return value % 2;
        if (isFloat && hasNaN && value === 8) return Number.NaN;
        return isFloat ? (value - 4) / 2 : dtype.startsWith("u") ? value : value - 4;
      };
      const make = (sizes: readonly number[]): Tensor => {
        const count = sizes.reduce((a, b) => a * b, 1);
        if (count === 0) return zeros(sizes, { dtype }) as Tensor;
        return tensor(Array.from({ length: count }, next), { dtype }).view(sizes) as Tensor;
      };
      return { x: view(kind, shape, make), axis: axis % shape.length };
    });

function view(kind: (typeof viewKinds)[number], shape: readonly number[], make: (sizes: readonly number[]) => Tensor) {
  const last = shape.length - 1;
  switch (kind) {
    case "dense":
      return make(shape);
    case "transposed":
      return make([...shape].reverse()).permute(shape.map((_, d) => last - d)) as Tensor;
    case "every second":
      return make([...shape.slice(0, -1), 2 * (shape[last] as number)]).slice(last, 0, undefined, 2) as Tensor;
    case "expanded":
      return make([1, ...shape.slice(1)]).expand(shape) as Tensor;
    default:
      return kind satisfies never;
  }
}

/** All elements in row-major order, bools as 0 and 1. */
export function elementsOf(t: Tensor): number[] {
  const nested = t.toArray() as unknown;
  return (Array.isArray(nested) ? nested.flat(Number.POSITIVE_INFINITY) : [nested]).map(Number);
}

/** The lines of a tensor along an axis, those of the other axes in row-major order. */
export function linesOf(t: Tensor, axis: number): number[][] {
  const n = t.shape[axis] as number;
  const flat = elementsOf(t.movedim(axis, -1) as Tensor);
  return Array.from({ length: n === 0 ? 0 : flat.length / n }, (_, row) => flat.slice(row * n, (row + 1) * n));
}

/** The order of a sort: NaN is the largest. */
export const compare = (a: number, b: number): number =>
  Number.isNaN(a) || Number.isNaN(b) ? Number(Number.isNaN(a)) - Number(Number.isNaN(b)) : a - b;
