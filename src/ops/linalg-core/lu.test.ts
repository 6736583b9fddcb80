/** LU and its consequences: A = P L U for every shape, solutions from both sides, determinants, and the order of the first zero pivot. */
import { expect, test } from "vitest";
import {
  diagonal,
  distance,
  kinds,
  randomMatrix,
  randomNumbers,
  sizeOf,
  sum,
} from "../../../test/support/random-matrices.ts";
import { determinant, inverse, luFactor, luSolve, luUnpack, slogdet, solve } from "./lu.ts";
import { adjoint, identity, type Matrix } from "./matrix.ts";
import { multiply } from "./power.ts";

const real = (n: number, ...re: number[]): Matrix => ({
  rows: re.length / n,
  cols: n,
  re: Float64Array.from(re),
  im: null,
});

test("A = P L U, with |L| <= 1 up to the measure of pivoting", () => {
  const random = randomNumbers(1);
  for (let round = 0; round < 60; round++)
    for (const complex of [false, true])
      for (const kind of kinds) {
        const a = randomMatrix(Math.floor(random() * 9), Math.floor(random() * 9), complex, kind, random);
        const { lu, pivots } = luFactor(a);
        const { p, l, u } = luUnpack(lu, pivots);
        expect(distance(multiply(p, multiply(l, u)), a, sizeOf(a)), `${a.rows} x ${a.cols} ${kind}`).toBeLessThan(
          1e-14,
        );
        expect(sizeOf(l)).toBeLessThan(1.5);
      }
});

test("solutions have small residuals from the left, from the right, and of the adjoint", () => {
  const random = randomNumbers(2);
  for (let round = 0; round < 40; round++)
    for (const complex of [false, true]) {
      const n = Math.floor(random() * 9);
      const a = randomMatrix(n, n, complex, "plain", random);
      const b = randomMatrix(n, 3, complex, "plain", random);
      const { lu, pivots } = luFactor(a);
      for (const left of [true, false])
        for (const adjointed of [true, false]) {
          const right = left ? b : adjoint(b);
          const x = luSolve(lu, pivots, right, left, adjointed);
          const matrix = adjointed ? adjoint(a) : a;
          const product = left ? multiply(matrix, x) : multiply(x, matrix);
          expect(distance(product, right, 1 + sizeOf(x))).toBeLessThan(1e-13);
        }
      const x = inverse(a).x;
      expect(distance(multiply(a, x), identity(n, n, complex), 1 + sizeOf(x))).toBeLessThan(1e-13);
    }
});

test("info is the order of the first pivot that is zero", () => {
  expect(solve(real(2, 1, 2, 3, 4), real(1, 1, 1)).info).toBe(0);
  expect(solve(real(2, 1, 2, 2, 4), real(1, 1, 1)).info).toBe(2);
  expect(inverse(real(3, 0, 1, 2, 0, 3, 4, 0, 5, 7)).info).toBe(1);
  expect(inverse(real(0)).info).toBe(0);
});

test("determinants multiply, and of triangles they are products", () => {
  const random = randomNumbers(3);
  for (let round = 0; round < 30; round++)
    for (const complex of [false, true]) {
      const n = Math.floor(random() * 6);
      const a = randomMatrix(n, n, complex, "plain", random);
      const b = randomMatrix(n, n, complex, "plain", random);
      const [x, y, z] = [determinant(a), determinant(b), determinant(multiply(a, b))];
      expect(z.re).toBeCloseTo(x.re * y.re - x.im * y.im, 12);
      expect(z.im).toBeCloseTo(x.re * y.im + x.im * y.re, 12);
      const { sign, logabs } = slogdet(a);
      expect(Math.hypot(sign.re, sign.im)).toBeCloseTo(1, 13);
      expect(sign.re * Math.exp(logabs)).toBeCloseTo(x.re, 12);
      expect(sign.im * Math.exp(logabs)).toBeCloseTo(x.im, 12);
    }
  expect(determinant(real(2, 1, 2, 3, 4)).re).toBeCloseTo(-2, 14);
  expect(determinant(diagonal([2, 3, -4])).re).toBe(-24);
});

test("a singular matrix has sign 0 and logarithm -Infinity; no rows have determinant 1; large ones do not overflow", () => {
  expect(slogdet(real(2, 1, 2, 2, 4))).toEqual({ sign: { re: 0, im: 0 }, logabs: -Infinity });
  expect(determinant(real(0))).toEqual({ re: 1, im: 0 });
  expect(slogdet(diagonal(new Float64Array(200).fill(1e10))).logabs).toBeCloseTo(2000 * Math.log(10), 9);
});

test("the input stays as it was", () => {
  const a = real(2, 1, 2, 3, 4);
  solve(a, a);
  luSolve(a, [2, 2], a, false, true);
  expect([...sum(a, a, 0).re]).toEqual([1, 2, 3, 4]);
});
