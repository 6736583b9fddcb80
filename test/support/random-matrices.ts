/**
 * Seeded random matrices for the tests of linear algebra, and the distance of two matrices. Kinds: plain, of low rank,
 * graded over many magnitudes, with few distinct elements, zero.
 */
import { adjoint, type Matrix, zeros } from "../../src/ops/linalg-core/matrix.ts";
import { multiply } from "../../src/ops/linalg-core/power.ts";
import { addRow } from "../../src/ops/linalg-core/rows.ts";

/** Numbers in 0 <= x < 1, the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The distribution of the elements of a matrix. */
export const kinds = ["plain", "low rank", "graded", "small integers", "zero"] as const;

/** One of `kinds`. */
export type Kind = (typeof kinds)[number];

/** A matrix of a kind. */
export function randomMatrix(rows: number, cols: number, complex: boolean, kind: Kind, random: () => number): Matrix {
  if (kind === "low rank") {
    const rank = Math.floor(Math.min(rows, cols) / 2);
    return multiply(
      randomMatrix(rows, rank, complex, "plain", random),
      randomMatrix(rank, cols, complex, "plain", random),
    );
  }
  const a = zeros(rows, cols, complex);
  for (const part of a.im === null ? [a.re] : [a.re, a.im])
    for (let i = 0; i < part.length; i++) {
      if (kind === "zero") continue;
      const x = random() * 2 - 1;
      if (kind === "small integers") part[i] = Math.round(x * 1.2);
      else part[i] = kind === "graded" ? x * 10 ** (-12 * (Math.floor(i / cols) / rows + (i % cols) / cols)) : x;
    }
  return a;
}

/** A Hermitian matrix of a kind; `definite` makes it positive definite. */
export function randomHermitian(
  n: number,
  complex: boolean,
  kind: Kind,
  random: () => number,
  definite = false,
): Matrix {
  const a = randomMatrix(n, n, complex, kind, random);
  if (!definite) return sum(a, adjoint(a));
  const square = multiply(a, adjoint(a));
  for (let i = 0; i < n; i++) square.re[i * n + i]! += 0.1;
  return square;
}

/** a + factor * b */
export function sum(a: Matrix, b: Matrix, factor = 1): Matrix {
  const result = zeros(a.rows, a.cols, a.im !== null || b.im !== null);
  for (let i = 0; i < a.rows; i++) {
    addRow(result, i, a, i, 1, 0, 0, a.cols);
    addRow(result, i, b, i, factor, 0, 0, a.cols);
  }
  return result;
}

/** A diagonal matrix in the corner of a larger one. */
export function diagonal(
  values: ArrayLike<number>,
  rows = values.length,
  cols = values.length,
  im?: ArrayLike<number>,
): Matrix {
  const result = zeros(rows, cols, im !== undefined);
  for (let i = 0; i < values.length; i++) {
    result.re[i * cols + i] = values[i]!;
    if (im !== undefined) result.im![i * cols + i] = im[i]!;
  }
  return result;
}

/** The largest absolute value of all elements. */
export function sizeOf(a: Matrix): number {
  let max = 0;
  for (let i = 0; i < a.re.length; i++) max = Math.max(max, Math.hypot(a.re[i]!, a.im === null ? 0 : a.im[i]!));
  return max;
}

/** The largest difference of two elements, relative to `scale` (at least the smallest normal number); Infinity if shapes differ. */
export function distance(a: Matrix, b: Matrix, scale = 1): number {
  if (a.rows !== b.rows || a.cols !== b.cols) return Infinity;
  return sizeOf(sum(a, b, -1)) / Math.max(scale, 2e-308);
}

/** The distance of the columns from an orthonormal basis. */
export function unitarityError(q: Matrix): number {
  return distance(multiply(adjoint(q), q), diagonal(new Float64Array(q.cols).fill(1)));
}

/** Square matrices that are hard for eigenvalue methods, real and complex, by name. */
export function awkwardMatrices(sizes: readonly number[]): [name: string, matrix: Matrix][] {
  const random = randomNumbers(99);
  const rules: Record<string, (i: number, j: number, n: number) => number> = {
    "a cyclic permutation": (i, j, n) => ((i + 1) % n === j ? 1 : 0),
    "a Jordan block": (i, j) => (i === j ? 2 : j === i + 1 ? 1 : 0),
    "a Jordan block, transposed": (i, j) => (i === j ? 2 : i === j + 1 ? 1 : 0),
    "a nilpotent matrix": (i, j) => (j < i ? 1 : 0),
    ones: () => 1,
    "the identity": (i, j) => (i === j ? 1 : 0),
    "Grcar's matrix": (i, j) => (i === j + 1 ? -1 : j >= i && j <= i + 3 ? 1 : 0),
    "Hilbert's matrix": (i, j) => 1 / (i + j + 1),
    "a companion matrix": (i, j) => (i === 0 ? -(j + 1) : i === j + 1 ? 1 : 0),
    "Wilkinson's matrix": (i, j, n) => (i === j ? Math.abs(i - (n - 1) / 2) : Math.abs(i - j) === 1 ? 1 : 0),
    "a path's matrix": (i, j) => (Math.abs(i - j) === 1 ? 1 : 0),
    "a bidiagonal matrix with zeros": (i, j) => (i === j ? (i % 3 === 1 ? 0 : 1) : j === i + 1 ? 1 : 0),
    "a bidiagonal matrix that ends in zero": (i, j, n) => (i === j ? (i === n - 1 ? 0 : 1) : j === i + 1 ? 1 : 0),
    "equal blocks": (i, j) => (Math.floor(i / 2) !== Math.floor(j / 2) ? 0 : i <= j ? 1 : -1),
    "a matrix graded down": (i, j) => (random() - 0.5) * 10 ** (-8 * (i + j)),
    "a matrix graded up": (i, j, n) => (random() - 0.5) * 10 ** (-8 * (2 * n - i - j)),
    "an unbalanced matrix": (i, j) => (random() - 0.5) * 10 ** (3 * (i - j)),
    "huge numbers": () => (random() - 0.5) * 1e300,
    "small numbers": () => (random() - 0.5) * 1e-300,
    "subnormal numbers": () => (random() - 0.5) * 1e-320,
  };
  const list: [string, Matrix][] = [];
  for (const [name, rule] of Object.entries(rules))
    for (const n of sizes)
      for (const complex of [false, true]) {
        const a = zeros(n, n, complex);
        for (let i = 0; i < n; i++)
          for (let j = 0; j < n; j++) {
            const x = rule(i, j, n);
            // Each row of the complex matrix has its own phase.
            a.re[i * n + j] = complex ? x * Math.cos(3 * i) : x;
            if (a.im !== null) a.im[i * n + j] = x * Math.sin(3 * i);
          }
        list.push([`${name}, ${n} x ${n}${complex ? ", complex" : ""}`, a]);
      }
  return list;
}
