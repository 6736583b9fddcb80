/** Numbers of matrices against their definition: determinants, norms, rank, condition; powers, and products of vectors. */
import { arange, eye, ones, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { expectNear, floating, matrices } from "../../../test/support/matrices.ts";
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { matmul } from "../contract/matmul.ts";
import { mul } from "../elementwise/arithmetic.ts";
import { conj, exp, log } from "../elementwise/functions.ts";
import { triu } from "../movement/diagonals.ts";
import * as classic from "./classic.ts";
import * as linalg from "./index.ts";

const times = (a: Tensor, b: Tensor): Tensor => matmul(a, b);

describe.each(floating)("in %s", (dtype, tolerance) => {
  const A = matrices([2, 3, 3], dtype);
  const B = matrices([2, 3, 3], dtype, 2);

  test("the determinant of a product is the product of determinants", () => {
    expectNear(linalg.det(times(A, B)), mul(linalg.det(A), linalg.det(B) as never), tolerance);
  });

  test("sign times e to the logarithm is the determinant", () => {
    const { sign, logabsdet } = linalg.slogdet(A);
    expectNear(mul(sign, exp(logabsdet) as never), linalg.det(A), tolerance);
  });

  test("powers are products, negative ones of the inverse", () => {
    expectNear(linalg.matrixPower(A, 3), times(times(A, A), A), tolerance);
    expectNear(linalg.matrixPower(A, -2), linalg.inv(times(A, A)), tolerance * 100);
    expectNear(linalg.matrixPower(A, 0), eye(3, 3, { dtype }).expand(2, 3, 3), 0);
  });

  test("e to A is the inverse of e to -A", () => {
    const both = times(linalg.matrixExp(A), linalg.matrixExp(A.neg()));
    expectNear(both, eye(3, 3, { dtype }).expand(2, 3, 3), tolerance * 10);
  });
});

test("matrix norms are sums and singular values", () => {
  const A = tensor([
    [1, -2, 3],
    [-4, 5, 0],
  ]).to("float64");
  const values = linalg.svdvals(A).toArray() as number[];
  const expected: [linalg.MatrixOrder, number][] = [
    ["fro", Math.sqrt(55)],
    ["nuc", (values[0] as number) + (values[1] as number)],
    [1, 7],
    [-1, 3],
    [Number.POSITIVE_INFINITY, 9],
    [Number.NEGATIVE_INFINITY, 6],
    [2, values[0] as number],
    [-2, values[1] as number],
  ];
  for (const [ord, value] of expected) {
    expect(Number(linalg.matrixNorm(A, ord).item())).toBeCloseTo(value, 10);
    expect(Number(linalg.norm(A, ord).item())).toBeCloseTo(value, 10);
    expect(linalg.matrixNorm(A, ord, [-1, 0], { keepdims: true }).shape).toEqual([1, 1]);
  }
  expect(Number(linalg.norm(A).item())).toBeCloseTo(Math.sqrt(55), 10);
  expect(linalg.norm(matrices([2, 3, 4]), "fro", [0, 2]).shape).toEqual([3]);
  expect(() => linalg.norm(matrices([2, 3, 4]), 2)).toThrow(
    "with ord and without axis, x must have 1 or 2 axes, got 3. Pass an axis",
  );
  expect(() => linalg.matrixNorm(A, 3)).toThrow(StridewiseError);
  expect(() => linalg.matrixNorm(A, 2, [0])).toThrow(ShapeError);
});

test("spectral norms are roots of eigenvalues of A^H A, the nuclear norm is their sum, Frobenius of their squares", () => {
  for (const dtype of ["float64", "complex128"] as const) {
    const A = matrices([5, 4], dtype);
    const roots = (linalg.eigvalsh(times(conj(A.mT), A)).toArray() as number[]).map(Math.sqrt);
    const norm = (ord: linalg.MatrixOrder): number => Number(linalg.matrixNorm(A, ord).item());
    expect(norm(2)).toBeCloseTo(roots[3] as number, 12);
    expect(norm(-2)).toBeCloseTo(roots[0] as number, 12);
    const sum = roots.reduce((x, y) => x + y);
    expect(norm("nuc")).toBeCloseTo(sum, 12);
    expect(norm("fro")).toBeCloseTo(Math.hypot(...roots), 12);
  }
});

test("NaN stays NaN in norms without singular values", () => {
  const A = tensor([
    [1, Number.NaN],
    [3, 4],
  ]);
  for (const ord of ["fro", 1, -1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] as const)
    expect(linalg.matrixNorm(A, ord).item(), `${ord}`).toBeNaN();
});

test("rank counts singular values above the bound, which may differ from matrix to matrix", () => {
  const A = tensor([
    [1, 0],
    [0, 1e-3],
  ]).to("float64");
  const rank = (options: object = {}): number => Number(linalg.matrixRank(A, options).item());
  expect([rank(), rank({ atol: 1e-2 }), rank({ rtol: 1e-2 }), rank({ hermitian: true })]).toEqual([2, 1, 1, 2]);
  expect(
    Number(linalg.matrixRank(times(matrices([9, 3], "complex128"), matrices([3, 7], "complex128", 2))).item()),
  ).toBe(3);
  const twice = A.expand(2, 2, 2);
  const atol = tensor([1e-2, 1e-4]).to("float64");
  expect(linalg.matrixRank(twice, { atol }).toArray()).toEqual([1n, 2n].map(Number));
  expect(linalg.pinv(twice, { atol }).at(0, 1, 1).item()).toBe(0);
});

test("the condition is the ratio of singular values, or a product of norms, and Infinity for singular matrices", () => {
  const A = matrices([2, 3, 3]);
  const product = linalg.matrixNorm(A, 1).mul(linalg.matrixNorm(linalg.inv(A), 1) as never);
  expectNear(linalg.cond(A, 1), product);
  expectNear(linalg.cond(A), linalg.matrixNorm(A, 2).div(linalg.matrixNorm(A, -2) as never));
  for (const p of ["fro", "nuc", 1, -1, 2, -2, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] as const) {
    const norms = linalg.matrixNorm(A, p).mul(linalg.matrixNorm(linalg.inv(A), p) as never);
    expectNear(linalg.cond(A, p), norms);
  }
  for (const p of ["fro", 1, Number.POSITIVE_INFINITY] as const)
    expect(linalg.cond(ones([2, 2]), p).item()).toBe(Number.POSITIVE_INFINITY);
  expect(() => linalg.cond(A, 3)).toThrow(StridewiseError);
});

test("a cross product is at right angles to both, along any axis", () => {
  const [x, y] = [matrices([4, 3]), matrices([4, 3], "float64", 2)];
  const z = linalg.cross(x, y);
  expectNear(linalg.vecdot(x, z), zeros([4], { dtype: "float64" }));
  expectNear(classic.cross(x.mT, y.mT, 0), z.mT, 0);
  expect(() => linalg.cross(ones([2, 2]), ones([2, 2]))).toThrow(
    "linalg.cross: axis -1 of both tensors must have size 3, got 2 and 2",
  );
});

test("vecdot conjugates the first, and vander has rising powers", () => {
  const [x, y] = [matrices([5], "complex128"), matrices([5], "complex128", 2)];
  expectNear(linalg.vecdot(x, y), x.vdot(y));
  expect(linalg.vander(tensor([2, 3]), { N: 3 }).toArray()).toEqual([
    [1, 2, 4],
    [1, 3, 9],
  ]);
});

test("tensors are inverted and solved as matrices over their axes", () => {
  const A = matrices([2, 3, 6]);
  const B = matrices([2, 3], "float64", 2);
  const X = linalg.tensorsolve(A, B);
  expectNear(times(A.reshape(6, 6), X).reshape(2, 3), B);
  expectNear(times(linalg.tensorinv(A, 2).reshape(6, 6), A.reshape(6, 6)), eye(6, 6, { dtype: "float64" }));
  expect(() => linalg.tensorinv(A, 1)).toThrow(ShapeError);
});

test("the older names compute the same", () => {
  const A = matrices([4, 4]);
  const square = times(A, A.mT);
  expectNear(classic.logdet(square), log(linalg.det(square)));
  const L = classic.cholesky(square);
  expectNear(classic.choleskyInverse(L), linalg.inv(square), 1e-8);
  expectNear(classic.choleskySolve(A, L), linalg.solve(square, A), 1e-8);
  const { U, S, V } = classic.svd(A);
  expectNear(times(U.mul(S as never), V.mT), A);
  const { a, tau } = classic.geqrf(A);
  expectNear(classic.ormqr(a, tau, A, true, true), linalg.qr(A).R);
  const { LU, pivots } = classic.lu(A);
  expectNear(classic.luSolve(A, LU, pivots), eye(4, 4, { dtype: "float64" }));
  const { solution } = classic.triangularSolve(A, square, true, true);
  expectNear(times(triu(square).mT, solution), A, 1e-8);
  expect(Number(classic.dist(ones([3]), zeros([3]), 1).item())).toBe(3);
  expect(Number(classic.norm(arange(0, 4).to("float64")).item())).toBeCloseTo(Math.sqrt(14), 12);
  expect(Number(classic.logdet(tensor([[-1]])).item())).toBeNaN();
});
