/** Factorizations against their definition: the factors multiply to the matrix, and have their documented form. */
import { eye, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { expectNear, floating, matrices } from "../../../test/support/matrices.ts";
import { StridewiseError } from "../../base/errors.ts";
import { matmul } from "../contract/matmul.ts";
import { conj } from "../elementwise/functions.ts";
import { diagEmbed } from "../movement/diagonals.ts";
import { geqrf } from "./classic.ts";
import { LinAlgError } from "./error.ts";
import * as linalg from "./index.ts";

const times = (a: Tensor, ...more: Tensor[]): Tensor => more.reduce((x, y) => matmul(x, y), a);
const adjoint = (a: Tensor): Tensor => conj(a.mT);
const spread = (values: Tensor, like: Tensor): Tensor => diagEmbed(values).to(like.dtype);

const shapes = [
  [3, 3],
  [2, 4, 3],
  [2, 3, 5],
  [1, 1],
  [0, 3],
  [2, 0, 0],
] as const;

describe.each(floating)("in %s", (dtype, tolerance) => {
  test.each(shapes.map((shape) => [shape]))("lu, qr and svd of %j multiply to the matrix", (shape) => {
    const A = matrices(shape, dtype);
    const { P, L, U } = linalg.lu(A);
    expectNear(times(P, L, U), A, tolerance);
    for (const mode of ["reduced", "complete"] as const) {
      const { Q, R } = linalg.qr(A, mode);
      expectNear(times(Q, R), A, tolerance);
    }
    const { U: left, S, Vh } = linalg.svd(A, false);
    expectNear(times(left, spread(S, A), Vh), A, tolerance);
    expect(S.dtype).toBe(dtype === "float32" || dtype === "complex64" ? "float32" : "float64");
    const full = linalg.svd(A);
    const n = shape[shape.length - 1] as number;
    expectNear(times(adjoint(full.Vh), full.Vh), eye(n, n, { dtype }).expand(...full.Vh.shape), tolerance);
  });

  test("cholesky gives either triangle", () => {
    const A = matrices([2, 3, 3], dtype);
    const square = times(A, adjoint(A)).add(eye(3, 3, { dtype }) as never);
    const L = linalg.cholesky(square);
    expectNear(times(L, adjoint(L)), square, tolerance);
    expectNear(linalg.cholesky(square, { upper: true }), adjoint(L), tolerance);
  });

  test("eigenvectors are scaled by their eigenvalues", () => {
    const A = matrices([2, 4, 4], dtype);
    const both = A.add(adjoint(A) as never);
    for (const UPLO of ["L", "U"] as const) {
      const { eigenvalues, eigenvectors } = linalg.eigh(both, UPLO);
      expectNear(times(both, eigenvectors), times(eigenvectors, spread(eigenvalues, A)), tolerance);
      expectNear(linalg.eigvalsh(both, UPLO), eigenvalues, tolerance);
    }
    const { eigenvalues, eigenvectors } = linalg.eig(A);
    const complex = A.to(eigenvectors.dtype);
    expectNear(times(complex, eigenvectors), times(eigenvectors, spread(eigenvalues, eigenvectors)), tolerance);
    expect(eigenvalues.dtype).toBe(
      dtype.endsWith("64") && dtype !== "complex64"
        ? "complex128"
        : dtype === "complex128"
          ? "complex128"
          : "complex64",
    );
  });
});

test("several results go to tensors that are given by name or in order", () => {
  const A = matrices([3, 2]);
  const out = { Q: zeros([3, 2], { dtype: "float64" }), R: zeros([2, 2], { dtype: "float64" }) };
  const { Q, R } = linalg.qr(A, "reduced", { out });
  expect([Q === out.Q, R === out.R]).toEqual([true, true]);
  expectNear(times(out.Q, out.R), A);
  linalg.qr(A, "reduced", { out: [out.Q.zero_(), out.R.zero_()] });
  expectNear(times(out.Q, out.R), A);
});

test("householderProduct of packed reflections is Q", () => {
  const A = matrices([4, 3]);
  const { a, tau } = geqrf(A);
  expectNear(linalg.householderProduct(a, tau), linalg.qr(A).Q);
});

test("matrices without a factorization throw", () => {
  const A = tensor([
    [1, 2],
    [2, 1],
  ]);
  expect(() => linalg.cholesky(A)).toThrow(
    "linalg.cholesky: The input is not positive-definite (the leading minor of order 2 is not).",
  );
  expect(Number(linalg.choleskyEx(A).info.item())).toBe(2);
  expect(() => linalg.choleskyEx(A, { checkErrors: true })).toThrow(LinAlgError);
  expect(() => linalg.svd(A.mul(NaN))).toThrow(
    "linalg.svd: The algorithm failed to converge because the input has non-finite values.",
  );
  expect(() => linalg.eig(A.div(0))).toThrow("linalg.eig: the input has infinite or NaN elements");
  expect(() => linalg.qr(A, "all" as never)).toThrow(StridewiseError);
  expect(() => linalg.eigh(A, "X" as never)).toThrow("UPLO must be 'L' or 'U', got X");
  expect(() => linalg.lu(A, { pivot: false as never })).toThrow(
    "LU without pivoting is not implemented on the CPU. Omit pivot",
  );
});
