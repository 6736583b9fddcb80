/** LDL: systems with symmetric and Hermitian matrices that are not definite are solved, from the lower triangle alone. */
import { expect, test } from "vitest";
import {
  diagonal,
  distance,
  randomHermitian,
  randomMatrix,
  randomNumbers,
  sizeOf,
  sum,
} from "../../../test/support/random-matrices.ts";
import { ldlFactor, ldlSolve } from "./ldl.ts";
import { adjoint, triangle } from "./matrix.ts";
import { multiply } from "./power.ts";

test("A X = B for real symmetric, complex symmetric and Hermitian matrices", () => {
  const random = randomNumbers(17);
  let blocks = 0;
  for (let round = 0; round < 60; round++)
    for (const [complex, hermitian] of [
      [false, false],
      [true, false],
      [true, true],
    ] as const) {
      const n = Math.floor(random() * 10);
      const plain = randomMatrix(n, n, complex, "plain", random);
      const a = hermitian ? randomHermitian(n, true, "plain", random) : sum(plain, adjoint(plain, false));
      const b = randomMatrix(n, 2, complex, "plain", random);
      const { ld, pivots, info } = ldlFactor(triangle(a, false), hermitian);
      const x = ldlSolve(ld, pivots, b, hermitian);
      expect(info).toBe(0);
      expect(distance(multiply(a, x), b, 1 + sizeOf(x))).toBeLessThan(1e-13);
      blocks += pivots.filter((p) => p < 0).length;
    }
  expect(blocks).toBeGreaterThan(50);
});

test("info is the order of the first column without a pivot", () => {
  expect(ldlFactor(diagonal([1, 0, 2])).info).toBe(2);
  expect(ldlFactor(diagonal([])).info).toBe(0);
});
