/** Norms against their definitions, the condition number, and the rank. */
import { expect, test } from "vitest";
import { diagonal, randomMatrix, randomNumbers } from "../../../test/support/random-matrices.ts";
import { eigh } from "./eigh.ts";
import { inverse } from "./lu.ts";
import { adjoint, type Matrix } from "./matrix.ts";
import { cond, type MatrixNorm, matrixNorm, matrixRank } from "./norms.ts";
import { multiply } from "./power.ts";

const real = (n: number, ...re: number[]): Matrix => ({
  rows: re.length / n,
  cols: n,
  re: Float64Array.from(re),
  im: null,
});
const orders: MatrixNorm[] = ["fro", "nuc", 1, -1, 2, -2, Infinity, -Infinity];

test.each([
  ["fro", Math.sqrt(91)],
  [1, 9],
  [-1, 5],
  [Infinity, 15],
  [-Infinity, 6],
] as const)("norm %s of ((1,-2,3),(4,-5,6)) is %d", (order, value) => {
  expect(matrixNorm(real(3, 1, -2, 3, 4, -5, 6), order)).toBeCloseTo(value, 13);
});

test("spectral norms are roots of eigenvalues of A^H A, the nuclear norm is their sum, Frobenius of their squares", () => {
  const random = randomNumbers(20);
  for (const complex of [false, true]) {
    const a = randomMatrix(5, 4, complex, "plain", random);
    const roots = [...eigh(multiply(adjoint(a), a)).values].map(Math.sqrt);
    expect(matrixNorm(a, 2)).toBeCloseTo(roots[3]!, 13);
    expect(matrixNorm(a, -2)).toBeCloseTo(roots[0]!, 13);
    expect(matrixNorm(a, "nuc")).toBeCloseTo(
      roots.reduce((x, y) => x + y),
      13,
    );
    expect(matrixNorm(a, "fro")).toBeCloseTo(Math.hypot(...roots), 13);
  }
});

test("complex elements count by absolute value, and norms do not overflow", () => {
  const a: Matrix = { rows: 1, cols: 2, re: Float64Array.of(3, 0), im: Float64Array.of(4, 1) };
  expect(matrixNorm(a, Infinity)).toBe(6);
  expect(matrixNorm(a, 1)).toBe(5);
  expect(matrixNorm(real(2, 3e300, 4e300), "fro")).toBeCloseTo(5e300, -287);
  expect(matrixNorm(real(1, 3e-300, 4e-300), "fro") / 5e-300).toBeCloseTo(1, 13);
});

test("NaN stays NaN in every norm", () => {
  for (const order of orders) expect(matrixNorm(real(2, 1, NaN, 3, 4), order), `${order}`).toBeNaN();
});

test("the condition number is norm(A) norm(inv A), and Infinity of a singular matrix", () => {
  const a = real(2, 1, 2, 3, 5);
  for (const order of ["fro", "nuc", 1, -1, 2, -2, Infinity, -Infinity] as const)
    expect(cond(a, order) / (matrixNorm(a, order) * matrixNorm(inverse(a).x, order))).toBeCloseTo(1, 11);
  for (const order of ["fro", "nuc", 1, 2, Infinity] as const) expect(cond(diagonal([1, 0]), order)).toBe(Infinity);
  expect(cond(real(2, 0, 0))).toBe(Infinity);
});

test("the rank counts what lies above the tolerance", () => {
  const a = diagonal([4, -2, 0.001]);
  for (const hermitian of [false, true]) {
    expect(matrixRank(a, 0, 0, hermitian)).toBe(3);
    expect(matrixRank(a, 0.01, 0, hermitian)).toBe(2);
    expect(matrixRank(a, 0, 0.5, hermitian)).toBe(1);
  }
  expect(matrixRank(randomMatrix(9, 7, true, "low rank", randomNumbers(21)), 0, 1e-13)).toBe(3);
});
