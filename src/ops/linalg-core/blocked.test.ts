/**
 * The blocked algorithms, on sizes around and above the one from which they are used: the residuals are a small multiple of the rounding
 * of the largest elements, for every kind of matrix.
 */
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
  unitarityError,
} from "../../../test/support/random-matrices.ts";
import { blockedSize, load, part, turned, unload, withBlocks } from "./block.ts";
import { addProduct, setProduct } from "./block-product.ts";
import { cholesky, choleskySolve } from "./cholesky.ts";
import { divideBidiagonal } from "./divide-bidiagonal.ts";
import { divideTridiagonal } from "./divide-tridiagonal.ts";
import { eigh } from "./eigh.ts";
import { determinant, inverse, luFactor, luUnpack, solve } from "./lu.ts";
import { adjoint, corner, identity, type Matrix, triangle } from "./matrix.ts";
import { multiply } from "./power.ts";
import { applyQ, qr, qrFactor } from "./qr.ts";
import { solveSecular } from "./secular.ts";
import { svd } from "./svd.ts";
import { triangularSolve } from "./triangular.ts";

const n = blockedSize;
const bound = 1e-12;
const shapes = [
  [n, n],
  [n + 33, n + 1],
  [n + 1, n + 40],
  [2 * n, n],
] as const;
const both = [false, true];

/** Calls back for matrices of every kind and shape. */
function each(seed: number, call: (a: Matrix, name: string) => void): void {
  const random = randomNumbers(seed);
  for (const complex of both)
    for (const kind of kinds)
      for (const [rows, cols] of shapes)
        call(randomMatrix(rows, cols, complex, kind, random), `${rows} x ${cols} ${kind}${complex ? " complex" : ""}`);
}

test("products of blocks with any strides, signs and conjugates equal those of matrices", () => {
  const random = randomNumbers(31);
  for (const complex of both)
    for (const [rows, depth, cols] of [
      [3, 5, 4],
      [40, 30, 20],
    ] as const)
      for (const [turnA, turnB, turnC] of [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => [bits & 1, bits & 2, bits & 4]))
        for (const sign of [1, -1] as const) {
          const a = randomMatrix(turnA ? depth : rows, turnA ? rows : depth, complex, "plain", random);
          const b = randomMatrix(turnB ? cols : depth, turnB ? depth : cols, complex, "plain", random);
          const c = randomMatrix(turnC ? cols : rows, turnC ? rows : cols, complex, "plain", random);
          const expected = sum(turnC ? adjoint(c) : c, multiply(turnA ? adjoint(a) : a, turnB ? adjoint(b) : b), sign);
          const size = (x: Matrix) => [x.rows, x.cols, complex] as const;
          const result = withBlocks([size(a), size(b), size(c)], (left, right, to) => {
            load(left, a);
            load(right, b);
            load(to, c);
            const view = turnC ? turned(to) : to;
            addProduct(view, turnA ? turned(left) : left, turnB ? turned(right) : right, sign);
            return unload(view);
          });
          expect(distance(result, expected), `${turnA} ${turnB} ${turnC} ${sign}`).toBeLessThan(1e-13);
        }
});

test("a product replaces the elements of a part, and no others", () => {
  const random = randomNumbers(32);
  const a = randomMatrix(50, 50, false, "plain", random);
  const result = withBlocks(
    [
      [50, 50],
      [50, 50],
    ],
    (x, y) => {
      load(x, a);
      load(y, a);
      setProduct(part(y, 10, 40, 5, 45), part(x, 0, 30, 0, 50), part(x, 0, 50, 0, 40));
      return unload(y);
    },
  );
  const product = multiply(corner(a, 30, 50), corner(a, 50, 40));
  for (let i = 0; i < 50; i++)
    for (let j = 0; j < 50; j++) {
      const isInside = i >= 10 && i < 40 && j >= 5 && j < 45;
      const expected = isInside ? product.re[(i - 10) * 40 + j - 5]! : a.re[i * 50 + j]!;
      expect(result.re[i * 50 + j]!).toBeCloseTo(expected, 12);
    }
});

test("A = P L U, and the pivots bound L", () => {
  each(33, (a, name) => {
    const { lu, pivots } = luFactor(a);
    const { p, l, u } = luUnpack(lu, pivots);
    expect(distance(multiply(p, multiply(l, u)), a, sizeOf(a)), name).toBeLessThan(bound);
    expect(sizeOf(l), name).toBeLessThan(1.5);
  });
});

test("systems and inverses have small residuals, and determinants those of their factors", () => {
  const random = randomNumbers(34);
  for (const complex of both)
    for (const size of [n, n + 9, 2 * n + 5]) {
      const a = randomMatrix(size, size, complex, "plain", random);
      const b = randomMatrix(size, 3, complex, "plain", random);
      for (const left of both) {
        const right = left ? b : adjoint(b);
        const { x, info } = solve(a, right, left);
        expect(info).toBe(0);
        const product = left ? multiply(a, x) : multiply(x, a);
        expect(distance(product, right, 1 + sizeOf(x))).toBeLessThan(bound);
      }
      const { x, info } = inverse(a);
      expect(info).toBe(0);
      expect(distance(multiply(a, x), identity(size, size, complex), 1 + sizeOf(x))).toBeLessThan(bound);
      for (const upper of both)
        for (const unit of both) {
          const t = corner(a);
          for (let i = 0; i < size; i++)
            for (let j = 0; j < size; j++)
              if (i === j) t.re[i * size + j] = unit ? 1 : size;
              else if (i < j !== upper) t.re[i * size + j] = 0;
          if (t.im !== null)
            for (let k = 0; k < t.im.length; k++) {
              const [i, j] = [Math.floor(k / size), k % size];
              if (i === j || i < j !== upper) t.im[k] = 0;
            }
          if (unit) for (let k = 0; k < t.re.length; k++) if (k % (size + 1) !== 0) t.re[k]! /= size;
          if (unit && t.im !== null) for (let k = 0; k < t.im.length; k++) t.im[k]! /= size;
          const y = triangularSolve(t, b, { upper, unit });
          expect(distance(multiply(t, y), b, 1 + sizeOf(y))).toBeLessThan(bound);
        }
    }
  const scaled = identity(2 * n, 2 * n, false);
  for (let i = 0; i < 2 * n; i++) scaled.re[i * 2 * n + ((i + 1) % (2 * n))] = i === 0 ? 3 : 1;
  for (let i = 0; i < 2 * n; i++) scaled.re[i * 2 * n + i] = 0;
  expect(determinant(scaled).re).toBe(-3);
});

test("info of a singular matrix is the order of its first zero pivot", () => {
  const a = identity(2 * n, 2 * n, false);
  a.re[(n + 3) * 2 * n + n + 3] = 0;
  expect(luFactor(a).info).toBe(n + 4);
  expect(inverse(a).info).toBe(n + 4);
});

test("A = L L^H of definite matrices; info is the order of the first minor that is not positive", () => {
  const random = randomNumbers(35);
  for (const complex of both)
    for (const kind of kinds) {
      const a = randomHermitian(2 * n + 7, complex, kind, random, true);
      const b = randomMatrix(a.rows, 5, complex, "plain", random);
      for (const upper of both) {
        const { factor, info } = cholesky(a, upper);
        expect(info).toBe(0);
        const product = upper ? multiply(adjoint(factor), factor) : multiply(factor, adjoint(factor));
        expect(distance(product, a, sizeOf(a)), kind).toBeLessThan(bound);
        const x = choleskySolve(b, factor, upper);
        expect(distance(multiply(a, x), b, 1 + sizeOf(a) * sizeOf(x)), kind).toBeLessThan(bound);
      }
      a.re[2 * n * a.cols + 2 * n] = -1;
      expect(cholesky(a).info).toBe(2 * n + 1);
    }
});

test("A = Q R with a unitary Q; products with Q from both sides", () => {
  each(36, (a, name) => {
    for (const mode of ["reduced", "complete"] as const) {
      const { q, r } = qr(a, mode);
      expect(distance(multiply(q, r), a, sizeOf(a)), name).toBeLessThan(bound);
      expect(unitarityError(q), name).toBeLessThan(bound);
      expect(distance(triangle(r, true), r), name).toBe(0);
    }
    const factors = qrFactor(a);
    const q = qr(a, "complete").q;
    const c = randomMatrix(a.rows, 7, a.im !== null, "plain", randomNumbers(5));
    for (const adjointed of both) {
      const whole = adjointed ? adjoint(q) : q;
      expect(distance(applyQ(factors, c, true, adjointed), multiply(whole, c), sizeOf(c)), name).toBeLessThan(bound);
      const right = applyQ(factors, adjoint(c), false, adjointed);
      expect(distance(right, multiply(adjoint(c), whole), sizeOf(c)), name).toBeLessThan(bound);
    }
  });
});

/** Matrices with eigenvalues that are equal, close, or all but a few zero, which deflation must find. */
function clustered(size: number): [name: string, matrix: Matrix][] {
  const make = (at: (i: number, j: number) => number): Matrix => ({
    rows: size,
    cols: size,
    re: Float64Array.from({ length: size * size }, (_, k) => at(Math.floor(k / size), k % size)),
    im: null,
  });
  return [
    ["ones", make(() => 1)],
    ["identity", make((i, j) => (i === j ? 1 : 0))],
    ["second differences", make((i, j) => (i === j ? 2 : Math.abs(i - j) === 1 ? -1 : 0))],
    // Wilkinson's matrix has pairs of eigenvalues that agree to all digits.
    ["Wilkinson", make((i, j) => (i === j ? Math.abs(i - (size - 1) / 2) : Math.abs(i - j) === 1 ? 1 : 0))],
    ["two blocks", make((i, j) => (i < size / 2 === j < size / 2 ? 1 / (1 + ((i + j) % 7)) : 0))],
    ["tiny couplings", make((i, j) => (i === j ? i % 5 : 10 ** -(12 + (Math.abs(i - j) % 9))))],
  ];
}

/** The largest difference of two lists. */
function furthest(x: Float64Array, y: Float64Array): number {
  return x.reduce((max, value, i) => Math.max(max, Math.abs(value - y[i]!)), 0);
}

function checkEigh(a: Matrix, name: string): void {
  const { values, vectors, info } = eigh(a);
  expect(info, name).toBe(0);
  const scaled = multiply(vectors!, diagonal(values));
  expect(distance(multiply(a, vectors!), scaled, sizeOf(a)), name).toBeLessThan(bound);
  expect(unitarityError(vectors!), name).toBeLessThan(bound);
  expect([...values], name).toEqual([...values].sort((x, y) => x - y));
  expect(furthest(eigh(a, false, false).values, values), name).toBeLessThanOrEqual(bound * sizeOf(a));
}

test("A V = V diag(w) with a unitary V, for Hermitian matrices of every kind", () => {
  const random = randomNumbers(37);
  for (const complex of both)
    for (const kind of kinds)
      for (const size of [n, 2 * n + 5]) checkEigh(randomHermitian(size, complex, kind, random), `${size} ${kind}`);
  for (const [name, a] of clustered(2 * n + 3)) checkEigh(a, name);
});

function checkSvd(a: Matrix, name: string, part: "reduced" | "full"): void {
  const { u, s, vh, info } = svd(a, part);
  expect(info, name).toBe(0);
  const middle = diagonal(s, u!.cols, vh!.rows);
  expect(distance(multiply(multiply(u!, middle), vh!), a, sizeOf(a)), name).toBeLessThan(bound);
  expect(unitarityError(u!), name).toBeLessThan(bound);
  expect(unitarityError(adjoint(vh!)), name).toBeLessThan(bound);
  expect([...s], name).toEqual([...s].sort((x, y) => y - x));
  expect(s.at(-1), name).toBeGreaterThanOrEqual(0);
  expect(furthest(svd(a, "values").s, s), name).toBeLessThanOrEqual(bound * sizeOf(a));
}

test("A = U S V^H with unitary U and V, for matrices of every kind and shape", () => {
  each(38, (a, name) => checkSvd(a, name, a.rows > a.cols ? "full" : "reduced"));
  for (const [name, a] of clustered(2 * n + 3)) checkSvd(a, name, "full");
});

test("the values of a scaled matrix are the scaled values", () => {
  const a = randomMatrix(n + 6, n + 6, false, "plain", randomNumbers(39));
  const { s } = svd(a);
  for (const factor of [2 ** 900, 2 ** -900]) {
    const scaled = { ...a, re: a.re.map((x) => x * factor) };
    const other = svd(scaled).s;
    for (let i = 0; i < s.length; i++) expect(Math.abs(other[i]! / factor - s[i]!)).toBeLessThan(bound * s[0]!);
  }
});

test("divide and conquer returns the identity for a diagonal matrix", () => {
  const size = 100;
  const values = Float64Array.from({ length: size }, (_, i) => ((i * 37) % size) - 50);
  withBlocks(
    [
      [size, size],
      [size, size],
    ],
    (u, v) => {
      const d = values.slice();
      expect(divideTridiagonal(d, new Float64Array(size), u)).toBe(0);
      expect(Float64Array.from(d).sort()).toEqual(Float64Array.from(values).sort());
      const s = new Float64Array(size);
      expect(divideBidiagonal(s, new Float64Array(size), u, v)).toBe(0);
      expect(unload(u)).toEqual(identity(size, size, false));
      expect(unload(v)).toEqual(identity(size, size, false));
      expect(s).toEqual(new Float64Array(size));
    },
  );
});

test("roots of the secular equation lie between their poles, and the z that is returned makes them exact", () => {
  const random = randomNumbers(40);
  for (const areSquared of both)
    for (let round = 0; round < 200; round++) {
      const count = 1 + Math.floor(random() * 12);
      const at = new Float64Array(count);
      // Gaps from 1 down to 1e-13.
      for (let j = 0; j < count; j++) at[j] = (j === 0 ? 0 : at[j - 1]!) + 10 ** (-13 * random() ** 3);
      const z = Float64Array.from({ length: count }, () => (random() - 0.5) * 10 ** (-6 * random()));
      const rho = areSquared ? 1 : 10 ** (2 * random() - 1);
      const roots = solveSecular({ at, areSquared }, z, rho);
      for (let i = 0; i < count; i++) {
        // The differences p_j - x_i change their sign between poles i and i + 1.
        for (let j = 0; j < count; j++)
          expect(Math.sign(roots.differences[i * count + j]!), `${i} ${j}`).toBe(j <= i ? -1 : 1);
        const terms = Array.from(roots.z, (x, j) => (rho * x * x) / roots.differences[i * count + j]!);
        const size = terms.reduce((total, x) => total + Math.abs(x), 1);
        expect(Math.abs(terms.reduce((total, x) => total + x, 1))).toBeLessThan(1e-12 * size);
      }
      for (let j = 0; j < count; j++) expect(Math.abs(roots.z[j]! - z[j]!)).toBeLessThan(1e-11 * Math.abs(z[j]!));
    }
  const none = new Float64Array(0);
  expect(solveSecular({ at: none, areSquared: false }, none, 1).z).toEqual(none);
});
