/** Systems against their definition, A X = B, over dtypes, batches and layouts; inverses, least squares, and errors. */
import { eye, ones, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { expectNear, floating, matrices } from "../../../test/support/matrices.ts";
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { DTypeError } from "../../storage/dtype.ts";
import { matmul } from "../contract/matmul.ts";
import { conj } from "../elementwise/functions.ts";
import { tril, triu } from "../movement/diagonals.ts";
import { LinAlgError } from "./error.ts";
import * as linalg from "./index.ts";

const times = (a: Tensor, b: Tensor): Tensor => matmul(a, b);

describe.each(floating)("in %s", (dtype, tolerance) => {
  const A = matrices([3, 4, 4], dtype);
  const B = matrices([3, 4, 2], dtype, 2);

  test("A times the solution of A X = B is B, from both sides", () => {
    expectNear(times(A, linalg.solve(A, B)), B, tolerance);
    const rows = matrices([3, 2, 4], dtype, 3);
    expectNear(times(linalg.solve(A, rows, { left: false }), A), rows, tolerance);
    expect(linalg.solve(A, B).dtype).toBe(dtype);
  });

  test("A times its inverse is the identity", () => {
    expectNear(times(A, linalg.inv(A)), eye(4, 4, { dtype }).expand(3, 4, 4), tolerance);
  });

  test("factored matrices solve the same systems", () => {
    const { LU, pivots } = linalg.luFactor(A);
    expectNear(linalg.luSolve(LU, pivots, B), linalg.solve(A, B), tolerance);
    const { LD, pivots: swaps } = linalg.ldlFactor(A, { hermitian: true });
    const lower = tril(A);
    const whole = lower.add(conj(tril(A, -1).mT) as never);
    // What the diagonal of a Hermitian matrix has as imaginary part does not count.
    if (dtype.startsWith("float"))
      expectNear(times(whole, linalg.ldlSolve(LD, swaps, B, { hermitian: true })), B, tolerance * 10);
  });

  test("only the named triangle is read", () => {
    const X = linalg.solveTriangular(A, B, { upper: true });
    expectNear(times(triu(A), X), B, tolerance * 10);
  });

  test("the pseudo-inverse of a tall matrix is a left inverse", () => {
    const tall = matrices([2, 5, 3], dtype);
    expectNear(times(linalg.pinv(tall), tall), eye(3, 3, { dtype }).expand(2, 3, 3), tolerance);
  });
});

test("batches are broadcast, and a vector is one right-hand side", () => {
  const A = matrices([2, 1, 3, 3]);
  const B = matrices([4, 3, 2]);
  const X = linalg.solve(A, B);
  expect(X.shape).toEqual([2, 4, 3, 2]);
  expectNear(times(A, X), B.expand(2, 4, 3, 2));
  const b = matrices([3]);
  expectNear(linalg.solve(A, b), linalg.solve(A, b.unsqueeze(-1)).squeeze(-1));
});

test("views are read where they lie", () => {
  const wide = matrices([4, 6]);
  const view = wide.slice(1, 0, 6, 2).slice(0, 1, 4).mT;
  expectNear(linalg.inv(view), linalg.inv(view.clone("contiguous")));
});

test("the residuals of least squares are orthogonal to the columns", () => {
  const A = matrices([6, 3]);
  const B = matrices([6, 2], "float64", 2);
  const { solution, residuals, rank, singularValues } = linalg.lstsq(A, B, { driver: "gelsd" });
  const rest = B.sub(times(A, solution) as never);
  expectNear(times(A.mT, rest), zeros([3, 2], { dtype: "float64" }));
  expectNear(residuals, rest.mul(rest as never).sum(0));
  expect(Number(rank.item())).toBe(3);
  expectNear(singularValues, linalg.svdvals(A));
  expect(linalg.lstsq(A, B).residuals.shape).toEqual([0]);
});

test("out gets the result, and stays as it was if there is none", () => {
  const A = matrices([2, 3, 3]);
  const out = zeros([2, 3, 3], { dtype: "float64" }).mT;
  expect(linalg.inv(A, { out })).toBe(out);
  expectNear(out, linalg.inv(A));
  const before = out.clone();
  const singular = A.clone();
  singular.at(1).fill_(0);
  expect(() => linalg.inv(singular, { out })).toThrow(LinAlgError);
  expectNear(out, before, 0);
});

test("on the meta device there are shapes and dtypes", () => {
  const A = zeros([2, 3, 3], { device: "meta" });
  const { result, info } = linalg.solveEx(A, zeros([2, 3], { device: "meta" }));
  expect([result.shape, result.dtype, info.shape, info.dtype]).toEqual([[2, 3], "float32", [2], "int32"]);
  expect(linalg.matrixPower(A, -3).device.type).toBe("meta");
  expect(linalg.cond(A).shape).toEqual([2]);
});

test("systems without a solution throw with PyTorch's wording", () => {
  const singular = tensor([
    [1, 2],
    [2, 4],
  ]);
  expect(() => linalg.inv(singular)).toThrow("linalg.inv: The diagonal element 2 is zero: the input is singular.");
  expect(() => linalg.inv(singular.expand(3, 2, 2))).toThrow("linalg.inv: (Batch element 0): The diagonal");
  expect(() => linalg.solve(singular, ones([2]))).toThrow(
    "linalg.solve: The solver failed because the input matrix is singular.",
  );
  expect(Number(linalg.invEx(singular).info.item())).toBe(2);
  expect(() => linalg.luFactor(singular)).toThrow(LinAlgError);
  expect(() => linalg.inv(ones([2, 3]))).toThrow("linalg.inv: A must be square matrices, got 2 by 3");
  expect(() => linalg.inv(ones([3]))).toThrow(ShapeError);
  expect(() => linalg.inv(ones([2, 2], { dtype: "int64" }))).toThrow(
    'linalg.inv: expected a floating point or complex tensor, got int64. Convert it: to("float32")',
  );
  expect(() => linalg.inv(ones([2, 2], { dtype: "float16" }))).toThrow(DTypeError);
  expect(() => linalg.solve(eye(2), ones([2], { dtype: "float64" }))).toThrow(DTypeError);
  expect(() => linalg.solve(eye(2), ones([3, 1]))).toThrow(ShapeError);
  expect(() => linalg.solveTriangular(eye(2), ones([2, 1]), {} as never)).toThrow(
    "linalg.solveTriangular: upper is missing. Write linalg.solveTriangular(A, B)",
  );
  expect(() => linalg.lstsq(ones([3, 2]), ones([3, 1]), { driver: "gels" })).toThrow(LinAlgError);
  expect(() => linalg.lstsq(eye(2), eye(2), { driver: "qr" as never })).toThrow(StridewiseError);
});
