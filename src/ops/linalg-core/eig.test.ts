/** General eigenvalues: A V = V diag(w) with columns of norm 1, exact pairs of real matrices, exact values of triangles, defective matrices. */
import { expect, test } from "vitest";
import {
  awkwardMatrices,
  diagonal,
  distance,
  kinds,
  randomMatrix,
  randomNumbers,
  sizeOf,
} from "../../../test/support/random-matrices.ts";
import { balance, eig } from "./eig.ts";
import { determinant } from "./lu.ts";
import { adjoint, type Matrix, triangle } from "./matrix.ts";
import { multiply } from "./power.ts";
import { rowNorm } from "./rows.ts";

function check(a: Matrix, name: string): void {
  const n = a.rows;
  const { values, vectors, info } = eig(a);
  expect(info, name).toBe(0);
  const w = diagonal(values.re, n, n, values.im!);
  expect(distance(multiply(a, vectors!), multiply(vectors!, w), sizeOf(a)), name).toBeLessThan(1e-14 * (n + 10));
  const columns = adjoint(vectors!);
  for (let k = 0; k < n; k++) expect(rowNorm(columns, k, 0, n), name).toBeCloseTo(1, 13);
  if (a.im !== null) return;
  for (let k = 0; k < n; k++) {
    const im = values.im![k]!;
    const other = im === 0 ? k : im > 0 ? k + 1 : k - 1;
    expect([values.re[other], values.im![other]! + im], name).toEqual([values.re[k], 0]);
    for (let i = 0; i < n; i++)
      expect(vectors!.im![i * n + other]! + vectors!.im![i * n + k]!, `${name}: conjugate vectors`).toBe(0);
  }
}

test("A V = V diag(w) for random matrices of every kind; values alone are the same", () => {
  const random = randomNumbers(13);
  for (let round = 0; round < 50; round++)
    for (const complex of [false, true])
      for (const kind of kinds) {
        const n = Math.floor(random() * 12);
        const a = randomMatrix(n, n, complex, kind, random);
        check(a, `${n} ${complex} ${kind}`);
        if (kind !== "plain") continue;
        const both = eig(a).values;
        const alone = eig(a, false).values;
        expect(distance(alone, both)).toBeLessThan(1e-12);
      }
});

test.each(awkwardMatrices([2, 3, 5, 20]))("A V = V diag(w) of %s", (name, a) => check(a, name));

test("eigenvalues add up to the trace and multiply to the determinant", () => {
  const random = randomNumbers(14);
  for (let n = 1; n < 9; n++) {
    const a = randomMatrix(n, n, false, "plain", random);
    const { values } = eig(a, false);
    let trace = 0;
    let product = { re: 1, im: 0 };
    for (let i = 0; i < n; i++) {
      trace += a.re[i * n + i]! - values.re[i]!;
      const [re, im] = [values.re[i]!, values.im![i]!];
      product = { re: product.re * re - product.im * im, im: product.re * im + product.im * re };
    }
    expect(trace).toBeCloseTo(0, 13);
    expect(product.re).toBeCloseTo(determinant(a).re, 12);
    expect(product.im).toBeCloseTo(0, 12);
  }
});

test("the eigenvalues of a triangle are its diagonal, exactly, in any order of rows", () => {
  const random = randomNumbers(15);
  for (const upper of [false, true])
    for (const complex of [false, true]) {
      const a = triangle(randomMatrix(7, 7, complex, "plain", random), upper);
      const { values } = eig(a);
      const expected = Array.from({ length: 7 }, (_, i) => a.re[i * 8]!);
      expect([...values.re].sort()).toEqual(expected.sort());
    }
});

test("LAPACK's order, as NumPy shows it", () => {
  const order = (n: number, ...re: number[]) => [
    ...eig({ rows: n, cols: n, re: Float64Array.from(re), im: null }).values.re,
  ];
  expect(order(2, 1, 0, 5, 2)).toEqual([2, 1]);
  expect(order(3, 2, 0, 0, 0, 1, 2, 0, 2, 1).map((x) => Math.round(x))).toEqual([3, -1, 2]);
  expect(order(2, 1, 2, 3, 4)[0]).toBeCloseTo(-0.37228132326901, 13);
});

test("balancing is a similarity by powers of 2 and an order", () => {
  const random = randomNumbers(16);
  const a = randomMatrix(6, 6, true, "plain", random);
  for (let i = 0; i < 36; i++) a.re[i]! *= 10 ** (4 * (Math.floor(i / 6) - (i % 6)));
  const { matrix, order, scales } = balance(a);
  for (let i = 0; i < 6; i++) {
    expect(Number.isInteger(Math.log2(scales[i]!))).toBe(true);
    for (let j = 0; j < 6; j++)
      expect(matrix.re[i * 6 + j]).toBe((a.re[order[i]! * 6 + order[j]!]! * scales[j]!) / scales[i]!);
  }
  expect(sizeOf(matrix)).toBeLessThan(sizeOf(a) * 1e-6);
});

test("info is -1 where an element is not finite", () => {
  expect(eig(diagonal([1, NaN])).info).toBe(-1);
  expect(eig(diagonal([1, Infinity]), false).info).toBe(-1);
});
