/** Hermitian eigenvalues: A V = V diag(w), V unitary, w ascending and real, from either triangle, repeated values included. */
import { expect, test } from "vitest";
import {
  awkwardMatrices,
  diagonal,
  distance,
  kinds,
  randomHermitian,
  randomMatrix,
  randomNumbers,
  sizeOf,
  unitarityError,
} from "../../../test/support/random-matrices.ts";
import { eigh } from "./eigh.ts";
import { adjoint, type Matrix, mirrored, triangle } from "./matrix.ts";
import { multiply } from "./power.ts";
import { qr } from "./qr.ts";

function check(a: Matrix, name: string): void {
  for (const upper of [false, true]) {
    const { values, vectors, info } = eigh(triangle(a, upper), upper);
    expect(info, name).toBe(0);
    expect(distance(multiply(a, vectors!), multiply(vectors!, diagonal(values)), sizeOf(a)), name).toBeLessThan(1e-13);
    expect(unitarityError(vectors!), name).toBeLessThan(1e-13);
    expect([...values]).toEqual([...values].sort((x, y) => x - y));
    expect([...eigh(a, upper, false).values]).toEqual([...values]);
  }
}

test("A V = V diag(w) for random matrices of every kind", () => {
  const random = randomNumbers(10);
  for (let round = 0; round < 50; round++)
    for (const complex of [false, true])
      for (const kind of kinds) {
        const a = randomHermitian(Math.floor(random() * 12), complex, kind, random);
        check(a, `${a.rows} ${complex} ${kind}`);
      }
});

test.each(awkwardMatrices([2, 3, 5, 20]))("A V = V diag(w) of the Hermitian part of %s", (name, a) => {
  check(mirrored(a, false), name);
});

test("values that were chosen come back, repeated and negative ones too", () => {
  const random = randomNumbers(12);
  for (const complex of [false, true])
    for (const expected of [
      [-2, -2, 0, 1, 1, 1],
      [3, 3, 3, 3],
      [-1e-3, 1, 1e3],
    ]) {
      const { q } = qr(randomMatrix(expected.length, expected.length, complex, "plain", random));
      const { values } = eigh(multiply(multiply(q, diagonal(expected)), adjoint(q)));
      for (let i = 0; i < expected.length; i++)
        expect(Math.abs(values[i]! - expected[i]!)).toBeLessThan(1e-14 * (1 + Math.abs(expected.at(-1)!)));
    }
});

test("info is -1 where an element of the triangle that is read is not finite, and only there", () => {
  const a = diagonal([1, 2]);
  a.re[1] = NaN;
  expect(eigh(a, true).info).toBe(-1);
  expect([...eigh(a, false).values]).toEqual([1, 2]);
});
