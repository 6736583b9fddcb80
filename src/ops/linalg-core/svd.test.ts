/** The singular value decomposition: A = U S V^H with orthonormal U and V and descending S, on easy and on awkward matrices. */
import { expect, test } from "vitest";
import {
  awkwardMatrices,
  diagonal,
  distance,
  kinds,
  randomMatrix,
  randomNumbers,
  sizeOf,
  unitarityError,
} from "../../../test/support/random-matrices.ts";
import { blockedSize } from "./block.ts";
import { adjoint, type Matrix } from "./matrix.ts";
import { multiply } from "./power.ts";
import { svd } from "./svd.ts";

function check(a: Matrix, name: string): void {
  const k = Math.min(a.rows, a.cols);
  for (const part of ["reduced", "full"] as const) {
    const { u, s, vh, info } = svd(a, part);
    expect(info, name).toBe(0);
    const full = part === "full";
    const middle = diagonal(s, full ? a.rows : k, full ? a.cols : k);
    expect(distance(multiply(multiply(u!, middle), vh!), a, sizeOf(a)), name).toBeLessThan(1e-13);
    expect(unitarityError(u!), name).toBeLessThan(1e-13);
    expect(unitarityError(adjoint(vh!)), name).toBeLessThan(1e-13);
    expect([...s]).toEqual([...s].sort((x, y) => y - x));
    // A large matrix has its values from another method if there are no vectors.
    const values = svd(a, "values").s;
    if (k < blockedSize) expect([...values]).toEqual([...s]);
    else for (let i = 0; i < k; i++) expect(Math.abs(values[i]! - s[i]!), name).toBeLessThan(1e-14 * s[0]!);
  }
}

test("A = U S V^H for random matrices of every kind and shape", () => {
  const random = randomNumbers(9);
  for (let round = 0; round < 50; round++)
    for (const complex of [false, true])
      for (const kind of kinds) {
        const a = randomMatrix(Math.floor(random() * 12), Math.floor(random() * 12), complex, kind, random);
        check(a, `${a.rows} x ${a.cols} ${complex} ${kind}`);
      }
});

test.each(awkwardMatrices([2, 3, 5, 20]))("A = U S V^H of %s", (name, a) => check(a, name));

test("a large graded matrix converges too: its first value needs many steps", () => {
  check(randomMatrix(180, 180, false, "graded", randomNumbers(25)), "graded");
});

test("known values: a diagonal, a rotation, a matrix of ones, the condition of a Hilbert matrix", () => {
  expect([...svd(diagonal([-3, 0, 5])).s]).toEqual([5, 3, 0]);
  const ones: Matrix = { rows: 4, cols: 9, re: new Float64Array(36).fill(1), im: null };
  const s = svd(ones).s;
  expect(s[0]).toBeCloseTo(6, 13);
  expect(s[1]).toBeLessThan(1e-14);
  const hilbert = diagonal(new Float64Array(8));
  for (let i = 0; i < 64; i++) hilbert.re[i] = 1 / (Math.floor(i / 8) + (i % 8) + 1);
  const h = svd(hilbert, "values").s;
  expect(Math.abs(h[0]! / h[7]! / 15257575538.0 - 1)).toBeLessThan(1e-5);
});

test("info is -1 where an element is not finite", () => {
  for (const bad of [NaN, Infinity]) {
    const { s, info } = svd(diagonal([1, bad]));
    expect(info).toBe(-1);
    expect([...s]).toEqual([NaN, NaN]);
  }
});
