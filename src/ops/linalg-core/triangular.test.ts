/** Triangular systems: op(A) X = B or X op(A) = B in every form, and only the named triangle is read. */
import { expect, test } from "vitest";
import { diagonal, distance, randomMatrix, randomNumbers, sum } from "../../../test/support/random-matrices.ts";
import { adjoint, type Matrix, triangle } from "./matrix.ts";
import { multiply } from "./power.ts";
import { triangularSolve } from "./triangular.ts";

const forms = ["plain", "transpose", "adjoint"] as const;

test("X satisfies its system in all 48 forms, whatever stands in the other triangle", () => {
  const random = randomNumbers(11);
  for (const complex of [false, true])
    for (const upper of [false, true])
      for (const unit of [false, true])
        for (const form of forms)
          for (const left of [false, true])
            for (const [n, k] of [
              [0, 2],
              [1, 1],
              [5, 3],
              [4, 0],
            ] as const) {
              const a = sum(randomMatrix(n, n, complex, "plain", random), diagonal(new Float64Array(n).fill(2)));
              const b = left
                ? randomMatrix(n, k, complex, "plain", random)
                : randomMatrix(k, n, complex, "plain", random);
              let read: Matrix = triangle(a, upper);
              if (unit) {
                for (let i = 0; i < n; i++) {
                  read.re[i * n + i] = 1;
                  if (read.im) read.im[i * n + i] = 0;
                }
              }
              if (form !== "plain") read = adjoint(read, form === "adjoint");
              const x = triangularSolve(a, b, { upper, unit, form, left });
              expect(
                distance(left ? multiply(read, x) : multiply(x, read), b),
                `${upper} ${unit} ${form} ${left}`,
              ).toBeLessThan(1e-13);
            }
});

test("a zero on the diagonal gives infinities, not an error", () => {
  const x = triangularSolve(
    diagonal([1, 0]),
    { rows: 2, cols: 1, re: Float64Array.of(3, 4), im: null },
    { upper: true },
  );
  expect([...x.re]).toEqual([3, Infinity]);
});
