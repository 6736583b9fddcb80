/** QR: A = Q R with orthonormal Q and triangular R for every shape, and products with Q without forming it. */
import { expect, test } from "vitest";
import {
  diagonal,
  distance,
  kinds,
  randomMatrix,
  randomNumbers,
  sizeOf,
  unitarityError,
} from "../../../test/support/random-matrices.ts";
import { adjoint, scaleAll, triangle } from "./matrix.ts";
import { multiply } from "./power.ts";
import { applyQ, householderProduct, qr, qrFactor } from "./qr.ts";

test("A = Q R in both modes, R of mode r is that of mode reduced", () => {
  const random = randomNumbers(5);
  for (let round = 0; round < 60; round++)
    for (const complex of [false, true])
      for (const kind of kinds) {
        const a = randomMatrix(Math.floor(random() * 10), Math.floor(random() * 10), complex, kind, random);
        for (const mode of ["reduced", "complete"] as const) {
          const { q, r } = qr(a, mode);
          expect(q.cols).toBe(mode === "complete" ? a.rows : Math.min(a.rows, a.cols));
          expect(distance(multiply(q, r), a, sizeOf(a)), `${a.rows} x ${a.cols} ${kind}`).toBeLessThan(1e-14);
          expect(unitarityError(q)).toBeLessThan(1e-14);
          expect(distance(triangle(r, true), r)).toBe(0);
        }
        expect(distance(qr(a, "r").r, qr(a).r)).toBe(0);
      }
});

test("Q stays orthonormal from the smallest numbers to the largest", () => {
  for (const complex of [false, true])
    for (const scale of [1e-320, 1e-300, 1e-160, 1e160, 1e300]) {
      const { q } = qr(scaleAll(randomMatrix(6, 4, complex, "plain", randomNumbers(6)), scale));
      expect(unitarityError(q), `${scale}`).toBeLessThan(1e-14);
    }
});

test("a product with Q equals the product with the formed Q, from both sides", () => {
  const random = randomNumbers(7);
  for (const complex of [false, true])
    for (const [m, n] of [
      [5, 3],
      [4, 4],
      [6, 1],
    ] as const) {
      const factors = qrFactor(randomMatrix(m, n, complex, "plain", random));
      const q = householderProduct(factors, m);
      const c = randomMatrix(m, 3, complex, "plain", random);
      expect(distance(applyQ(factors, c), multiply(q, c))).toBeLessThan(1e-14);
      expect(distance(applyQ(factors, c, true, true), multiply(adjoint(q), c))).toBeLessThan(1e-14);
      expect(distance(applyQ(factors, adjoint(c), false), multiply(adjoint(c), q))).toBeLessThan(1e-14);
      expect(distance(applyQ(factors, adjoint(c), false, true), multiply(adjoint(c), adjoint(q)))).toBeLessThan(1e-14);
    }
});

test("no reflections make the identity", () => {
  const packed = randomMatrix(3, 3, false, "plain", randomNumbers(8));
  const q = householderProduct({ packed, tau: { rows: 1, cols: 0, re: new Float64Array(0), im: null } });
  expect(distance(q, diagonal([1, 1, 1]))).toBe(0);
});
