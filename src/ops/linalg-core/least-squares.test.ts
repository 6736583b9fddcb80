/** Least squares and pseudo-inverses: the normal equations, the smallest norm, Penrose's four conditions, and the rank that was meant. */
import { expect, test } from "vitest";
import {
  diagonal,
  distance,
  kinds,
  randomHermitian,
  randomMatrix,
  randomNumbers,
  sizeOf,
  sum,
} from "../../../test/support/random-matrices.ts";
import { lstsq, pseudoInverse } from "./least-squares.ts";
import { adjoint } from "./matrix.ts";
import { multiply } from "./power.ts";

const RTOL = 1e-12;

test("the residual is orthogonal to the columns of A, X lies in the span of its rows, and residuals are sums of squares", () => {
  const random = randomNumbers(18);
  for (let round = 0; round < 40; round++)
    for (const complex of [false, true])
      for (const kind of ["plain", "low rank", "zero"] as const) {
        const a = randomMatrix(Math.floor(random() * 8), Math.floor(random() * 8), complex, kind, random);
        const b = randomMatrix(a.rows, 2, complex, "plain", random);
        const { x, residuals, rank, info } = lstsq(a, b, RTOL);
        const min = Math.min(a.rows, a.cols);
        expect(rank).toBe(kind === "plain" ? min : kind === "zero" ? 0 : Math.floor(min / 2));
        expect(info).toBe(0);
        const rest = sum(multiply(a, x), b, -1);
        expect(sizeOf(multiply(adjoint(a), rest))).toBeLessThan(1e-12 * (1 + sizeOf(x)));
        const projected = multiply(pseudoInverse(a, 0, RTOL).x, multiply(a, x));
        expect(distance(projected, x, 1 + sizeOf(x) ** 2)).toBeLessThan(1e-12);
        const squares = multiply(adjoint(rest), rest);
        for (let j = 0; j < 2; j++) expect(residuals[j]).toBeCloseTo(squares.re[j * 3]!, 10);
      }
});

test("the pseudo-inverse P: A P A = A, P A P = P, A P and P A Hermitian", () => {
  const random = randomNumbers(19);
  for (let round = 0; round < 30; round++)
    for (const complex of [false, true])
      for (const kind of kinds) {
        if (kind === "graded") continue;
        const hermitian = round % 2 === 1;
        const a = hermitian
          ? randomHermitian(round % 7, complex, kind, random)
          : randomMatrix(Math.floor(random() * 7), Math.floor(random() * 7), complex, kind, random);
        const p = pseudoInverse(a, 0, RTOL, hermitian).x;
        const scale = 1 + sizeOf(p) ** 2;
        const ap = multiply(a, p);
        const pa = multiply(p, a);
        expect(distance(multiply(ap, a), a, scale)).toBeLessThan(1e-12);
        expect(distance(multiply(pa, p), p, scale)).toBeLessThan(1e-12);
        expect(distance(adjoint(ap), ap, scale)).toBeLessThan(1e-12);
        expect(distance(adjoint(pa), pa, scale)).toBeLessThan(1e-12);
      }
});

test("values up to the larger of both tolerances count as zero", () => {
  const a = diagonal([4, 2, 1]);
  const inverse = (atol: number, rtol: number, hermitian: boolean) => {
    const { re } = pseudoInverse(a, atol, rtol, hermitian).x;
    return [re[0], re[4], re[8]];
  };
  for (const hermitian of [false, true]) {
    expect(inverse(0, 0, hermitian)).toEqual([0.25, 0.5, 1]);
    expect(inverse(1, 0, hermitian)).toEqual([0.25, 0.5, 0]);
    expect(inverse(1, 0.5, hermitian)).toEqual([0.25, 0, 0]);
  }
  expect(lstsq(a, a, 0.3).rank).toBe(2);
});
