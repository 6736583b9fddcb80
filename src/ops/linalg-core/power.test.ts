/** Products and the exponential: the definition by loops, e^A by its series and its eigenvalues. */
import { expect, test } from "vitest";
import {
  diagonal,
  distance,
  randomHermitian,
  randomMatrix,
  randomNumbers,
  sizeOf,
} from "../../../test/support/random-matrices.ts";
import { eigh } from "./eigh.ts";
import { adjoint, type Matrix, scaleAll } from "./matrix.ts";
import { matrixExp, multiply } from "./power.ts";

test("a product is the sum over the inner index", () => {
  const random = randomNumbers(22);
  for (const [m, k, n] of [
    [0, 3, 2],
    [2, 0, 3],
    [1, 1, 1],
    [3, 9, 5],
  ] as const)
    for (const complexA of [false, true])
      for (const complexB of [false, true]) {
        const a = randomMatrix(m, k, complexA, "plain", random);
        const b = randomMatrix(k, n, complexB, "plain", random);
        const product = multiply(a, b);
        for (let i = 0; i < m; i++)
          for (let j = 0; j < n; j++) {
            let re = 0;
            let im = 0;
            for (let p = 0; p < k; p++) {
              const [x, y] = [a.im?.[i * k + p] ?? 0, b.im?.[p * n + j] ?? 0];
              re += a.re[i * k + p]! * b.re[p * n + j]! - x * y;
              im += a.re[i * k + p]! * y + x * b.re[p * n + j]!;
            }
            expect(product.re[i * n + j]).toBeCloseTo(re, 14);
            expect(product.im?.[i * n + j] ?? 0).toBeCloseTo(im, 14);
          }
      }
});

test("e^A of a Hermitian matrix is e^w on its eigenvalues, from small to large norms", () => {
  const random = randomNumbers(24);
  for (const complex of [false, true])
    for (const scale of [0, 1e-9, 0.3, 2, 40]) {
      const a = scaleAll(randomHermitian(5, complex, "plain", random), scale);
      const { values, vectors } = eigh(a);
      const expected = multiply(multiply(vectors!, diagonal(values.map(Math.exp))), adjoint(vectors!));
      expect(distance(matrixExp(a), expected, sizeOf(expected)), `${scale}`).toBeLessThan(1e-12);
    }
});

test("e^A of a nilpotent matrix is its finite series, of a turn its rotation, of nothing nothing", () => {
  const a: Matrix = { rows: 3, cols: 3, re: Float64Array.of(0, 2, 5, 0, 0, 3, 0, 0, 0), im: null };
  expect(distance(matrixExp(a), { ...a, re: Float64Array.of(1, 2, 8, 0, 1, 3, 0, 0, 1) })).toBeLessThan(1e-14);
  const turn: Matrix = { rows: 2, cols: 2, re: Float64Array.of(0, -30, 30, 0), im: null };
  const [c, s] = [Math.cos(30), Math.sin(30)];
  expect(distance(matrixExp(turn), { ...turn, re: Float64Array.of(c, -s, s, c) })).toBeLessThan(1e-13);
  expect(matrixExp(diagonal([])).re.length).toBe(0);
  expect(matrixExp(diagonal([1, Infinity])).re[0]).toBeNaN();
});
