/**
 * Eigenvalues of matrices that are hard for eigenvalue methods: Frank, Grcar, companion, Kahan, Clement, and badly scaled ones. Residuals
 * are at most 10 n eps |A|, and values that are well conditioned are exact up to rounding.
 */
import { expect, test } from "vitest";
import { diagonal, sizeOf } from "../../../test/support/random-matrices.ts";
import { eig } from "./eig.ts";
import { type Matrix, zeros } from "./matrix.ts";
import { multiply } from "./power.ts";

type Element = (i: number, j: number, n: number) => number;
const kahan = { s: Math.sin(1.2), c: Math.cos(1.2) };
const rough = (i: number, j: number): number => Math.sin(i * i * 3.1 + j * 17.7 + i * j);

const classics: Readonly<Record<string, Element>> = {
  frank: (i, j, n) => (j >= i - 1 ? n - Math.max(i, j) : 0),
  "frank transposed": (i, j, n) => (i >= j - 1 ? n - Math.max(i, j) : 0),
  grcar: (i, j) => (j === i - 1 ? -1 : j >= i && j <= i + 3 ? 1 : 0),
  "companion of growing coefficients": (i, j) => (i === 0 ? -3 * (j + 1) * (-1) ** j : i === j + 1 ? 1 : 0),
  "companion of x^n = 1": (i, j, n) => ((i + n - 1) % n === j ? 1 : 0),
  kahan: (i, j) => (j < i ? 0 : j === i ? 1 : -kahan.c) * kahan.s ** i,
  clement: (i, j, n) => (j === i + 1 ? n - 1 - i : j === i - 1 ? i : 0),
  lotkin: (i, j) => (i === 0 ? 1 : 1 / (i + j + 1)),
  "badly scaled by a diagonal similarity": (i, j) => rough(i, j) * 10 ** (((i * 5) % 13) - ((j * 5) % 13)),
  "badly scaled rows and columns": (i, j) => rough(i, j) * 10 ** ((i % 7) * 3 - (j % 5) * 2),
};

function matrixOf(element: Element, n: number, complex: boolean): Matrix {
  const a = zeros(n, n, complex);
  for (let at = 0; at < n * n; at++) {
    a.re[at] = element(Math.floor(at / n), at % n, n);
    if (a.im !== null) a.im[at] = a.re[at]! * Math.cos(at);
  }
  return a;
}

/** The largest norm of a column of A V - V diag(w), divided by n eps times the largest element of A. */
function residual(a: Matrix): number {
  const n = a.rows;
  const { values, vectors, info } = eig(a);
  expect(info).toBe(0);
  const left = multiply(a, vectors!);
  const right = multiply(vectors!, diagonal(values.re, n, n, values.im!));
  let worst = 0;
  for (let k = 0; k < n; k++) {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const at = i * n + k;
      sum = Math.hypot(sum, left.re[at]! - right.re[at]!, left.im![at]! - right.im![at]!);
    }
    worst = Math.max(worst, sum);
  }
  return worst / (n * Number.EPSILON * sizeOf(a));
}

test.each(Object.entries(classics))("residuals of %s", (_, element) => {
  for (const n of [10, 30, 60])
    for (const complex of [false, true]) expect(residual(matrixOf(element, n, complex))).toBeLessThan(10);
});

const sorted = ({ values }: { values: Matrix }): [number, number][] =>
  Array.from(values.re, (re, k): [number, number] => [re, values.im![k]!]).sort(
    ([a, b], [c, d]) => Math.round((a - c) * 1e9) || b - d,
  );

/** Expects these eigenvalues, with and without vectors; `near` is relative to the largest. */
function expectValues(a: Matrix, expected: readonly (readonly [number, number])[], near: number): void {
  const size = Math.max(...expected.map(([re, im]) => Math.hypot(re, im)));
  for (const withVectors of [true, false])
    sorted(eig(a, withVectors)).forEach(([re, im], k) => {
      const [x, y] = expected[k] as [number, number];
      expect(Math.hypot(re - x, im - y)).toBeLessThan(near * size);
    });
}

test("eigenvalues that are known exactly", () => {
  const n = 24;
  const steps = Array.from({ length: n }, (_, k) => k);
  const real = (values: number[]): [number, number][] => values.sort((x, y) => x - y).map((x) => [x, 0]);
  expectValues(matrixOf(classics.clement!, n, false), real(steps.map((k) => 2 * k - n + 1)), 1e-12);
  expectValues(matrixOf(classics.kahan!, n, false), real(steps.map((k) => kahan.s ** k)), 2 ** -50);
});

// By mpmath's eig with 60 digits.
test("eigenvalues of Grcar's and Frank's matrix", () => {
  const grcar = [
    [0.19797103997367807, 2.129259562786849],
    [0.5647800522842001, 1.7598841451412621],
    [1.1281114697432184, 1.2781179251906805],
    [1.52659410463727, 0.4023966504332338],
    [1.5825433333616332, 1.019455985102239],
  ].flatMap(([re, im]): [number, number][] => [
    [re!, -im!],
    [re!, im!],
  ]);
  expectValues(matrixOf(classics.grcar!, 10, false), grcar, 1e-14);
  const frank = [
    0.031028060644010015, 0.049507429185278305, 0.08122765924040504, 0.14364651976922047, 0.2847497205584782,
    0.6435053190048554, 1.553988709132107, 3.5118559485807572, 6.9615330855671225, 12.311077400868527,
    20.19898864587708, 32.228891501572164,
  ];
  // The small ones are ill conditioned: 1e-8 is what they allow.
  expectValues(
    matrixOf(classics.frank!, 12, false),
    frank.map((re) => [re, 0]),
    1e-8,
  );
  expect(Math.max(...eig(matrixOf(classics.frank!, 12, false)).values.re)).toBeCloseTo(32.228891501572164, 12);
});
