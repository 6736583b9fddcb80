/** Gradients of linear algebra agree with differences, and so do the gradients of gradients; complex matrices are made of two real ones. */
import { describe, expect, test } from "vitest";
import * as sw from "../../src/index.ts";
import { grad, linalg, type Tensor, tensor } from "../../src/index.ts";
import { check, complexed, type Fn, pairs, parameter } from "../support/gradient-differences.ts";

/** Far from singular. */
const regular = (t: Tensor): Tensor =>
  t.add(sw.eye((t.shape as number[]).at(-1) as number, undefined, { dtype: "float64" }).mul(4) as never) as Tensor;
const definite = (t: Tensor): Tensor => regular(sw.matmul(t, (t.mT as Tensor).conj() as never) as Tensor);
const symmetric = (t: Tensor): Tensor => t.add((t.mT as Tensor).conj() as never) as Tensor;
const square = (t: Tensor): Tensor => t.abs().square() as Tensor;

const table: readonly (readonly [name: string, f: Fn, shapes: readonly number[][]])[] = (
  [
    ["solve", (a, b) => linalg.solve(regular(a as Tensor), b as Tensor), [2, 3, 3], [3, 2]],
    ["solve of vectors", (a, b) => linalg.solve(regular(a as Tensor), b as Tensor), [2, 3, 3], [3]],
    [
      "solve from the right",
      (a, b) => linalg.solve(regular(a as Tensor), b as Tensor, { left: false }),
      [3, 3],
      [2, 2, 3],
    ],
    ["solveEx", (a, b) => linalg.solveEx(regular(a as Tensor), b as Tensor).result, [3, 3], [3, 2]],
    ["inv", (a) => linalg.inv(regular(a as Tensor)), [2, 3, 3]],
    ["invEx", (a) => linalg.invEx(regular(a as Tensor)).inverse, [3, 3]],
    ["det", (a) => linalg.det(a as Tensor), [2, 3, 3]],
    ["slogdet", (a) => linalg.slogdet(a as Tensor), [2, 3, 3]],
    ["logdet", (a) => sw.logdet(definite(a as Tensor)), [3, 3]],
    ["luFactor", (a) => linalg.luFactor(a as Tensor).LU, [3, 3]],
    ["luFactor of tall matrices", (a) => linalg.luFactor(a as Tensor).LU, [4, 3]],
    ["luFactor of wide matrices", (a) => linalg.luFactor(a as Tensor).LU, [2, 2, 4]],
    ["lu", (a) => linalg.lu(a as Tensor), [3, 3]],
    ["lu of tall matrices", (a) => linalg.lu(a as Tensor), [4, 2]],
    ["lu of wide matrices", (a) => linalg.lu(a as Tensor), [2, 4]],
    ["cholesky", (a) => linalg.cholesky(definite(a as Tensor)), [2, 3, 3]],
    ["cholesky, upper", (a) => linalg.cholesky(definite(a as Tensor), { upper: true }), [3, 3]],
    [
      "choleskySolve",
      (a, b) => sw.choleskySolve(b as Tensor, linalg.cholesky(definite(a as Tensor))),
      [3, 3],
      [2, 3, 2],
    ],
    [
      "choleskySolve, upper",
      (a, b) => sw.choleskySolve(b as Tensor, linalg.cholesky(definite(a as Tensor), { upper: true }), true),
      [3, 3],
      [3, 2],
    ],
    ["choleskyInverse", (a) => sw.choleskyInverse(linalg.cholesky(definite(a as Tensor))), [3, 3]],
    ["qr", (a) => linalg.qr(a as Tensor), [2, 3, 3]],
    ["qr of tall matrices", (a) => linalg.qr(a as Tensor), [4, 3]],
    ["qr of wide matrices", (a) => linalg.qr(a as Tensor, "complete"), [2, 4]],
    ["householderProduct", (a, tau) => linalg.householderProduct(a as Tensor, tau as Tensor), [2, 4, 3], [2, 2]],
    ["ormqr", (a, tau, c) => sw.ormqr(a as Tensor, tau as Tensor, c as Tensor), [4, 3], [2], [4, 2]],
    [
      "ormqr, transposed",
      (a, tau, c) => sw.ormqr(a as Tensor, tau as Tensor, c as Tensor, true, true),
      [4, 3],
      [2],
      [4, 2],
    ],
    [
      "ormqr from the right",
      (a, tau, c) => sw.ormqr(a as Tensor, tau as Tensor, c as Tensor, false),
      [4, 3],
      [3],
      [2, 4],
    ],
    [
      "ormqr from the right, transposed",
      (a, tau, c) => sw.ormqr(a as Tensor, tau as Tensor, c as Tensor, false, true),
      [4, 3],
      [3],
      [2, 4],
    ],
    [
      "svd of tall matrices, up to phases",
      (a) => {
        const { U, S, Vh } = linalg.svd(a as Tensor, false);
        return { product: sw.matmul(U, Vh as never) as Tensor, S, U: square(U), V: square(Vh) };
      },
      [4, 3],
    ],
    [
      "svd of wide matrices, up to phases",
      (a) => {
        const { U, S, Vh } = linalg.svd(a as Tensor, false);
        return { product: sw.matmul(U, Vh as never) as Tensor, S, V: square(Vh) };
      },
      [2, 2, 3],
    ],
    ["svdvals", (a) => linalg.svdvals(a as Tensor), [3, 2]],
    [
      "eigh up to phases",
      (a) => {
        const { eigenvalues, eigenvectors } = linalg.eigh(symmetric(a as Tensor));
        return [eigenvalues, square(eigenvectors)];
      },
      [2, 3, 3],
    ],
    ["eigh of the upper triangle", (a) => linalg.eigh(symmetric(a as Tensor), "U").eigenvalues, [3, 3]],
    ["eigvalsh", (a) => linalg.eigvalsh(symmetric(a as Tensor)), [3, 3]],
    [
      "eig up to phases and order",
      (a) => {
        const { eigenvalues, eigenvectors } = linalg.eig(a as Tensor);
        return square(eigenvectors)
          .mul(eigenvalues.exp() as never)
          .sum(-1) as Tensor;
      },
      [3, 3],
    ],
    [
      "eigvals in any order",
      (a) =>
        linalg
          .eigvals(a as Tensor)
          .exp()
          .sum(-1) as Tensor,
      [2, 3, 3],
    ],
    ["pinv of tall matrices", (a) => linalg.pinv(a as Tensor), [4, 2]],
    ["pinv of wide matrices", (a) => linalg.pinv(a as Tensor), [2, 2, 3]],
    ["lstsq", (a, b) => linalg.lstsq(a as Tensor, b as Tensor).solution, [4, 2], [4, 3]],
    [
      "lstsq of vectors with residuals",
      (a, b) => linalg.lstsq(a as Tensor, b as Tensor, { driver: "gelsd" }).residuals,
      [4, 2],
      [4],
    ],
    ["matrixExp", (a) => linalg.matrixExp(a as Tensor), [2, 3, 3]],
    ["matrixPower", (a) => linalg.matrixPower(a as Tensor, 5), [3, 3]],
    ["matrixPower below 0", (a) => linalg.matrixPower(regular(a as Tensor), -2), [3, 3]],
    [
      "solveTriangular",
      (a, b) => linalg.solveTriangular(regular(a as Tensor), b as Tensor, { upper: true }),
      [2, 3, 3],
      [3, 2],
    ],
    [
      "solveTriangular from the right, ones on the diagonal",
      (a, b) => linalg.solveTriangular(a as Tensor, b as Tensor, { upper: false, left: false, unitriangular: true }),
      [3, 3],
      [2, 3],
    ],
    ["triangularSolve", (a, b) => sw.triangularSolve(b as Tensor, regular(a as Tensor)), [3, 3], [3, 2]],
    [
      "triangularSolve, transposed",
      (a, b) => sw.triangularSolve(b as Tensor, a as Tensor, false, true, true),
      [3, 3],
      [2, 3, 2],
    ],
    ["matrixNorm nuc", (a) => linalg.matrixNorm(a as Tensor, "nuc"), [2, 3, 2]],
    ["matrixNorm fro", (a) => linalg.matrixNorm(a as Tensor), [2, 3, 2]],
    ["matrixNorm 2", (a) => linalg.matrixNorm(a as Tensor, 2), [3, 2]],
    ["matrixNorm -2", (a) => linalg.matrixNorm(a as Tensor, -2), [3, 2]],
    ["matrixNorm 1", (a) => linalg.matrixNorm(a as Tensor, 1), [3, 2]],
    ["norm of vectors", (a) => linalg.norm(a as Tensor, 3, 1), [3, 2]],
    ["cond", (a) => linalg.cond(a as Tensor), [3, 3]],
    ["cond by 1", (a) => linalg.cond(a as Tensor, 1), [3, 3]],
    ["multiDot", (a, b, c) => linalg.multiDot([a, b, c] as never), [2, 3], [3, 4], [4, 2]],
    ["tensorinv", (a) => linalg.tensorinv(a as Tensor, 1), [4, 2, 2]],
    ["tensorsolve", (a, b) => linalg.tensorsolve(a as Tensor, b as Tensor), [2, 2, 4], [2, 2]],
    ["cross", (a, b) => linalg.cross(a as Tensor, b as Tensor), [2, 3], [1, 3]],
    ["vecdot", (a, b) => linalg.vecdot(a as Tensor, b as Tensor), [2, 3], [3]],
    ["vander", (a) => linalg.vander(a as Tensor), [3]],
    [
      "luSolve",
      (a, b) => {
        const { LU, pivots } = linalg.luFactor(regular(a as Tensor));
        return linalg.luSolve(LU, pivots, b as Tensor);
      },
      [3, 3],
      [2, 3, 2],
    ],
    [
      "luSolve from the right, adjoint",
      (a, b) => {
        const { LU, pivots } = linalg.luFactor(regular(a as Tensor));
        return linalg.luSolve(LU, pivots, b as Tensor, { left: false, adjoint: true });
      },
      [3, 3],
      [2, 3],
    ],
    [
      "luSolve, adjoint",
      (a, b) => {
        const { LU, pivots } = linalg.luFactor(regular(a as Tensor));
        return linalg.luSolve(LU, pivots, b as Tensor, { adjoint: true });
      },
      [3, 3],
      [3, 2],
    ],
    [
      "luUnpack",
      (a) => sw.luUnpack((a as Tensor).square() as Tensor, tensor([2, 2], { dtype: "int32" }) as Tensor),
      [2, 4],
    ],
  ] as readonly (readonly [string, Fn, ...number[][]])[]
).map(([name, f, ...shapes]) => [name, f, shapes] as const);

describe("gradients of linear algebra agree with differences:", () => {
  test.each(table)("%s", (_, f, shapes) =>
    check(
      f,
      shapes.map((shape) => parameter(...shape)),
    ),
  );
});

describe("gradients of complex linear algebra agree with differences:", () => {
  test.each(table)("%s", (_, f, shapes) => check(complexed(f), pairs(...shapes)));
});

const leaf = (values: readonly unknown[]): Tensor =>
  tensor(values as never, { dtype: "float64", requiresGrad: true }) as Tensor;

describe("where matrices are special", () => {
  test("the determinant of singular matrices has the gradient of the cofactors, and a second one", () => {
    const rankOne = leaf([
      [1, 2],
      [2, 4],
    ]);
    expect(grad(linalg.det(rankOne), rankOne).toArray()).toEqual([
      [expect.closeTo(4, 12), expect.closeTo(-2, 12)],
      [expect.closeTo(-2, 12), expect.closeTo(1, 12)],
    ]);
    check(
      (a) => linalg.det(a as Tensor),
      [
        leaf([
          [1, 2, 0],
          [2, 4, 1],
          [3, 6, 5],
        ]),
      ],
    );
    check(
      (a) => linalg.det(a as Tensor),
      [
        leaf([
          [
            [1, 2],
            [2, 4],
          ],
          [
            [1, 3],
            [2, 4],
          ],
        ]),
      ],
    );
    const nothing = leaf([
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect(grad(linalg.det(nothing), nothing).toArray()).toEqual(nothing.toArray());
  });

  test("a small determinant is not a singular matrix", () => {
    const x = leaf([
      [1e-6, 0, 0],
      [0, 1e-6, 0],
      [0, 0, 1e-6],
    ]);
    const first = grad(linalg.det(x), x, { createGraph: true }) as Tensor;
    const second = grad(first.select(0, 0).select(0, 0), x).toArray();
    expect(second).toEqual([
      [0, 0, 0],
      [0, expect.closeTo(1e-6, 18), 0],
      [0, 0, expect.closeTo(1e-6, 18)],
    ]);
  });

  test("the logarithm of a determinant that is 0 has a gradient that is not finite", () => {
    const x = leaf([
      [1, 2],
      [2, 4],
    ]);
    expect((grad(linalg.slogdet(x).logabsdet, x).toArray() as number[][]).flat().some(Number.isFinite)).toBe(false);
  });

  test("values that are equal have gradients, if their vectors are not used", () => {
    const unit = leaf([
      [1, 0],
      [0, 1],
    ]);
    const ones = [
      [expect.closeTo(1, 12), expect.closeTo(0, 12)],
      [expect.closeTo(0, 12), expect.closeTo(1, 12)],
    ];
    const sum = (t: Tensor): Tensor => t.sum() as Tensor;
    expect(grad(sum(linalg.svd(unit).S), unit).toArray()).toEqual(ones);
    expect(grad(sum(linalg.svdvals(unit)), unit).toArray()).toEqual(ones);
    expect(grad(sum(linalg.eigh(unit).eigenvalues), unit).toArray()).toEqual(ones);
    expect(grad(sum(linalg.eigvalsh(unit)), unit).toArray()).toEqual(ones);
    expect(grad(sum(linalg.eig(unit).eigenvalues.viewAsReal().mul(1) as Tensor), unit).toArray()).toEqual(ones);
    expect(grad(linalg.matrixNorm(unit, "nuc"), unit).toArray()).toEqual(ones);
  });

  test("all singular vectors of matrices that are not square count as the first ones do", () => {
    check(
      (a) => {
        const { U, S, Vh } = linalg.svd(a as Tensor);
        return [square(U.narrow(-1, 0, 2) as Tensor), S, square(Vh)];
      },
      [parameter(4, 2)],
    );
  });

  test("a power of 0 has a gradient of zeros", () => {
    const x = parameter(2, 2);
    expect(grad(linalg.matrixPower(x, 0).sum(), x).toArray()).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  test("matrices without elements have gradients without elements", () => {
    const x = sw.zeros([2, 0, 0], { dtype: "float64", requiresGrad: true }) as Tensor;
    const right = sw.zeros([0, 3], { dtype: "float64", requiresGrad: true }) as Tensor;
    const shapeOf = (t: Tensor): unknown => grad(t.sum(), x).shape;
    expect(shapeOf(linalg.inv(x))).toEqual([2, 0, 0]);
    expect(shapeOf(linalg.solve(x, right))).toEqual([2, 0, 0]);
    expect(shapeOf(linalg.svdvals(x))).toEqual([2, 0, 0]);
    expect(shapeOf(linalg.cholesky(x))).toEqual([2, 0, 0]);
    expect(shapeOf(linalg.matrixExp(x))).toEqual([2, 0, 0]);
    expect(shapeOf(linalg.slogdet(x).logabsdet)).toEqual([2, 0, 0]);
  });
});

describe("gradients that do not exist throw:", () => {
  test("QR without Q, and with more of Q than there is", () => {
    const x = parameter(4, 2);
    expect(() => linalg.qr(x, "r").R.sum().backward()).toThrow(
      "the derivative of linalg.qr needs Q, which mode 'r' does not compute. Use linalg.qr(A, 'reduced')",
    );
    expect(() => linalg.qr(x, "complete").R.sum().backward()).toThrow(
      "linalg.qr with mode 'complete' has no derivative for more rows than columns, got 4 and 2. Use 'reduced'",
    );
  });

  test("results that depend on phases of complex vectors", () => {
    const [re, im] = pairs([3, 3]);
    const a = sw.complex(re as never, im as never) as Tensor;
    const first = (t: Tensor): Tensor => t.viewAsReal().select(-1, 0).sum() as Tensor;
    expect(() => first(linalg.svd(a).U).backward()).toThrow(
      "complex singular vectors are defined up to a factor e^{i phi}, and the loss depends on it, so it is ill-defined",
    );
    expect(() => first(linalg.eigh(symmetric(a)).eigenvectors).backward()).toThrow(
      "complex eigenvectors are defined up to a factor e^{i phi}, and the loss depends on it, so it is ill-defined",
    );
    expect(() => first(linalg.eig(a).eigenvectors).backward()).toThrow(
      "complex eigenvectors are defined up to a factor e^{i phi}, and the loss depends on it, so it is ill-defined",
    );
  });

  test("a factor that was written to", () => {
    const x = parameter(3, 3);
    const y = linalg.inv(x);
    y.add_(1);
    expect(() => y.sum().backward()).toThrow("modified by an in-place operation");
  });
});
