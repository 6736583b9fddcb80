/** Cholesky: A = L L^H = U^H U, what is solved with it, and where a matrix stops being positive definite. */
import { expect, test } from "vitest";
import {
  diagonal,
  distance,
  randomHermitian,
  randomMatrix,
  randomNumbers,
  sizeOf,
} from "../../../test/support/random-matrices.ts";
import { cholesky, choleskyInverse, choleskySolve } from "./cholesky.ts";
import { adjoint, identity, triangle } from "./matrix.ts";
import { multiply } from "./power.ts";

test("the factor times its adjoint is the matrix, and solves and inverts it; only one triangle is read", () => {
  const random = randomNumbers(4);
  for (let n = 0; n < 12; n++)
    for (const complex of [false, true])
      for (const upper of [false, true]) {
        const a = randomHermitian(n, complex, "plain", random, true);
        const { factor, info } = cholesky(triangle(a, upper), upper);
        expect(info).toBe(0);
        expect(distance(triangle(factor, upper), factor)).toBe(0);
        const product = upper ? multiply(adjoint(factor), factor) : multiply(factor, adjoint(factor));
        expect(distance(product, a, sizeOf(a))).toBeLessThan(1e-14);
        const b = randomMatrix(n, 2, complex, "plain", random);
        const x = choleskySolve(b, factor, upper);
        expect(distance(multiply(a, x), b, 1 + sizeOf(x) * sizeOf(a))).toBeLessThan(1e-13);
        const inverse = choleskyInverse(factor, upper);
        expect(distance(multiply(a, inverse), identity(n, n, complex), 1 + sizeOf(inverse) * sizeOf(a))).toBeLessThan(
          1e-13,
        );
      }
});

test.each([
  [[1, 2, 3], 0],
  [[1, 0, 3], 2],
  [[-1, 1, 1], 1],
  [[1, 1, NaN], 3],
])("the diagonal %j stops at %i", (values, info) => {
  expect(cholesky(diagonal(values)).info).toBe(info);
  expect(cholesky(diagonal(values), true).info).toBe(info);
});
