/** Products and convolutions of narrow integers equal sums in exact arithmetic modulo 2^32, for all dtypes, sizes and strides, on all backends. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { referenceBackend } from "../../src/backends/reference/backend.ts";
import { compile, fromFunction, printProgram, range, sub, type Tensor } from "../../src/index.ts";
import { kernelBackend, replaceBackend } from "../../src/kernel/backend.ts";
import { packing } from "../../src/kernel/program/lower-packed.ts";
import { convolution } from "../../src/ops/contract/convolution.ts";
import { integerConvolution, integerMatmul } from "../../src/ops/contract/integer-products.ts";
import { numbersFrom } from "../support/seeded-numbers.ts";

const ranges = { int8: [-128, 127], uint8: [0, 255], int16: [-32768, 32767] } as const;
type Narrow = keyof typeof ranges;
const names = fc.constantFrom(...(Object.keys(ranges) as Narrow[]));

/** Integers over a whole range; its ends are frequent. */
function integers(dtype: Narrow, shape: readonly number[], seed: number): Tensor {
  const [low, high] = ranges[dtype];
  const next = numbersFrom(seed);
  const one = (): number => (next(4) === 0 ? (next(2) === 0 ? low : high) : low + next(high - low + 1));
  return fromFunction([...shape], one).to(dtype);
}

const wide = (t: Tensor): bigint[] => (t.reshape([-1]).toArray() as number[]).map(BigInt);

/** The product of [m, k] and [k, n], modulo 2^32. */
function exactProduct(a: Tensor, b: Tensor): number[] {
  const [m, k] = a.shape as [number, number];
  const n = b.shape[1] as number;
  const [p, q] = [wide(a), wide(b)];
  return Array.from({ length: m * n }, (_, at) => {
    let sum = 0n;
    for (let step = 0; step < k; step++)
      sum += (p[Math.floor(at / n) * k + step] as bigint) * (q[step * n + (at % n)] as bigint);
    return Number(BigInt.asIntN(32, sum));
  });
}

/** A matrix whose elements are dense by rows, by columns, or apart. */
function matrix(dtype: Narrow, rows: number, columns: number, kind: number, seed: number): Tensor {
  if (kind === 0) return integers(dtype, [rows, columns], seed);
  if (kind === 1) return integers(dtype, [columns, rows], seed).transpose(0, 1);
  return integers(dtype, [2 * rows + 1, 3 * columns], seed).at(range(1, null, 2), range(null, null, 3));
}

const size = fc.integer({ min: 1, max: 40 });
const kinds = fc.integer({ min: 0, max: 2 });

describe.each(["wasm", "reference"])("on %s", (name) => {
  const here = (run: () => void): void => {
    const installed = kernelBackend();
    if (name === "reference") replaceBackend(referenceBackend());
    try {
      run();
    } finally {
      replaceBackend(installed);
    }
  };
  test("integerMatmul is the exact product modulo 2^32", () => {
    fc.assert(
      fc.property(names, names, size, size, size, kinds, kinds, fc.nat(), (x, y, m, n, k, first, second, seed) => {
        const [a, b] = [matrix(x, m, k, first, seed), matrix(y, k, n, second, seed + 1)];
        here(() => expect((integerMatmul(a, b).toArray() as number[][]).flat()).toEqual(exactProduct(a, b)));
      }),
      { numRuns: name === "wasm" ? 300 : 25, seed: 5 },
    );
  });
  test.each([1, 2, 3, 4])("integerMatmul of %i rows with a large matrix, which is read in place", (m) => {
    const [k, n] = [260, 67];
    for (const x of Object.keys(ranges) as Narrow[])
      for (const y of Object.keys(ranges) as Narrow[])
        for (const kind of [0, 1, 2]) {
          const [a, b] = [matrix(x, m, k, 2, 7), matrix(y, k, n, kind, 8)];
          const expected = exactProduct(a, b);
          here(() => {
            for (const left of [a, a.contiguous()])
              expect((integerMatmul(left, b).toArray() as number[][]).flat(), `${x} ${y} ${kind}`).toEqual(expected);
            const turned = integerMatmul(b.transpose(0, 1), a.transpose(0, 1)).transpose(0, 1);
            expect((turned.toArray() as number[][]).flat(), `${x} ${y} ${kind}, transposed`).toEqual(expected);
          });
          if (name === "reference") return;
        }
  });
});

test("a large matrix is read in place for up to three rows, and packed in pairs for more", () => {
  const rows = (m: number): string => {
    const [a, b] = [integers("int16", [m, 260], 1), integers("int8", [260, 67], 2)];
    return (
      printProgram(() => integerMatmul(a, b)) + printProgram(() => integerMatmul(a, b.contiguous().T.contiguous().T))
    );
  };
  expect(rows(3)).toContain("i32_matmul_thin_3_i16_i8");
  expect(rows(3)).toContain("i32_matmul_dots_3_i8_i16");
  expect(rows(3)).not.toContain("pair");
  expect(rows(4)).not.toContain("thin");
  expect(rows(4)).toContain("i8_pair");
});

test("blocks of rows, columns and an odd k are added", () => {
  const old = { ...packing };
  Object.assign(packing, { rows: 8, columns: 16, depth: 4, elements: 64 });
  try {
    for (const [m, n, k] of [
      [13, 37, 29],
      [30, 9, 8],
      [5, 5, 17],
    ] as const) {
      const [a, b] = [integers("uint8", [m, k], m), integers("int8", [k, n], n)];
      expect((integerMatmul(a, b).toArray() as number[][]).flat()).toEqual(exactProduct(a, b));
    }
  } finally {
    Object.assign(packing, old);
  }
});

test("batches are broadcast, and vectors are rows and columns", () => {
  const [a, b] = [integers("int8", [3, 1, 4, 6], 1), integers("uint8", [2, 6, 5], 2)];
  expect(integerMatmul(a, b).toArray()).toEqual(a.to("int32").matmul(b.to("int32")).toArray());
  const [row, column] = [integers("int8", [6], 3), integers("int8", [6], 4)];
  expect(integerMatmul(row, column).item()).toBe(row.to("int32").matmul(column.to("int32")).item());
  expect(integerMatmul(row, b).toArray()).toEqual(row.to("int32").matmul(b.to("int32")).toArray());
});

test("integerConvolution equals the convolution of int32 tensors", () => {
  const two = (max: number, min = 1): fc.Arbitrary<number[]> =>
    fc.array(fc.integer({ min, max }), { minLength: 2, maxLength: 2 });
  fc.assert(
    fc.property(
      names,
      names,
      fc.integer({ min: 1, max: 18 }),
      fc.constantFrom(1, 2, 3),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 3 }),
      two(3),
      two(2),
      two(2),
      two(2, 0),
      fc.nat(),
      (x, y, batch, groups, inputs, outputs, kernel, stride, dilation, padding, seed) => {
        const image = integers(x, [batch, groups * inputs, 7, 9], seed);
        const weight = integers(y, [groups * outputs, inputs, ...kernel], seed + 1);
        const windows = { kernel, stride, dilation, before: padding, after: [1, 0] };
        const result = integerConvolution(image, weight, windows, groups);
        expect(result.dtype).toBe("int32");
        expect(result.toArray()).toEqual(convolution(image.to("int32"), weight.to("int32"), windows, groups).toArray());
      },
    ),
    { numRuns: 150, seed: 5 },
  );
});

test("compiled functions compute what follows a product", () => {
  const [a, b] = [integers("uint8", [20, 33], 1), integers("int8", [33, 24], 2)];
  const scaled = (x: Tensor, y: Tensor): Tensor =>
    sub(
      integerMatmul(sub(x.to("int16"), 7), y)
        .to("float32")
        .mul(0.25),
      3,
    ).relu();
  expect(compile(scaled)(a, b).toArray()).toEqual(scaled(a, b).toArray());
});

test("other dtypes are refused", () => {
  const x = integers("int8", [2, 2], 1);
  expect(() => integerMatmul(x, x.to("uint16"))).toThrow("integerMatmul: expected int8, uint8 or int16, got uint16");
  expect(() => integerMatmul(x.to("float32"), x)).toThrow("got float32");
});
