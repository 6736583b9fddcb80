/**
 * Determinants at and near singular matrices, where an inverse is of no use: the gradient is the matrix of cofactors, for every rank and
 * scale. Tangents of the Cholesky factor.
 */
import { describe, expect, test } from "vitest";
import {
  Generator,
  grad,
  jvp,
  linalg,
  matmul,
  ones,
  randn,
  stack,
  type Tensor,
  tensor,
  zeros,
} from "../../src/index.ts";

type Kind = "float32" | "float64" | "complex64" | "complex128";

const without = (t: Tensor, axis: number, at: number): Tensor => {
  const size = t.shape.at(axis) as number;
  const rest = Array.from({ length: size }, (_, k) => k).filter((k) => k !== at);
  return t.indexSelect(axis, tensor(rest, { dtype: "int64" }) as never) as Tensor;
};

/** Determinants of the parts of A without a row and a column, with their signs. */
function cofactors(A: Tensor): Tensor {
  const numbers = Array.from({ length: A.shape.at(-1) as number }, (_, k) => k);
  const one = (i: number, j: number): Tensor =>
    linalg.det(without(without(A, -2, i), -1, j)).mul((i + j) % 2 === 0 ? 1 : -1) as Tensor;
  const row = (i: number): Tensor =>
    stack(
      numbers.map((j) => one(i, j)),
      -1,
    ) as Tensor;
  return stack(numbers.map(row), -2) as Tensor;
}

const largest = (t: Tensor): number => Number(t.abs().amax().item());

function expectCofactors(A: Tensor, tolerance: number): void {
  const wide = /complex/.test(A.dtype) ? "complex128" : "float64";
  const expected = cofactors(A.to(wide) as Tensor);
  const scale = largest(A) ** ((A.shape.at(-1) as number) - 1) + Number.MIN_VALUE;
  const x = A.clone().requiresGrad_() as Tensor;
  const det = linalg.det(x) as Tensor;
  const [slope] = grad((wide === "complex128" ? (det.real as Tensor) : det).sum() as Tensor, [x]) as [Tensor];
  expect(largest(slope.to(wide).sub(expected.conj() as never) as Tensor) / scale).toBeLessThan(tolerance);
  const direction = randn([...A.shape], { dtype: A.dtype, generator: new Generator(3) }) as Tensor;
  const { tangent } = jvp((t) => linalg.det(t) as Tensor, A, direction);
  const product = expected.mul(direction.to(wide) as never).sum([-2, -1]) as Tensor;
  expect(largest(tangent.to(wide).sub(product as never) as Tensor) / scale).toBeLessThan(10 * tolerance);
}

describe.each(["float64", "float32", "complex128", "complex64"] as Kind[])("det of %s", (dtype) => {
  const tolerance = /float64|128/.test(dtype) ? 1e-10 : 1e-4;

  test.each([1, 2, 3, 6])("has the cofactors as its gradient and tangent at matrices of size %i of any rank", (n) => {
    for (const rank of new Set([n, n - 1, n - 2, 0])) {
      if (rank < 0) continue;
      for (const scale of [1, 1e3]) {
        const generator = new Generator(10 * n + rank);
        const part = (...shape: number[]): Tensor => randn(shape, { dtype, generator }) as Tensor;
        const A = rank === 0 ? zeros([2, n, n], { dtype }) : matmul(part(2, n, rank), part(2, rank, n)).mul(scale);
        expectCofactors(A as Tensor, tolerance);
      }
    }
  });
});

test("det of singular and regular matrices at once, and of one that is singular up to rounding", () => {
  const matrix = (rows: number[][]): Tensor => tensor(rows, { dtype: "float64" }) as Tensor;
  const regular = [
    [2, 1, 0],
    [1, 3, 1],
    [0, 1, 4],
  ];
  const counted = [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9],
  ];
  const none = zeros([3, 3], { dtype: "float64" }) as Tensor;
  const all = stack([matrix(regular), ones([3, 3], { dtype: "float64" }), matrix(counted), none]) as Tensor;
  expectCofactors(all, 1e-12);
  for (const gap of [1e-15, 1e-13, 1e-10, 1e-7])
    expectCofactors(
      matrix([
        [1, 2],
        [2, 4 + gap],
      ]),
      1e-8,
    );
});

test("the gradient of det at a matrix with NaN is NaN", () => {
  const x = tensor(
    [
      [Number.NaN, 1],
      [1, 1],
    ],
    { dtype: "float64", requiresGrad: true },
  ) as Tensor;
  const [slope] = grad(linalg.det(x) as Tensor, [x]) as [Tensor];
  expect(slope.isnan().all().item()).toBe(true);
});

describe("the tangent of cholesky", () => {
  const A = tensor(
    [
      [4, 1],
      [1, 3],
    ],
    { dtype: "float64" },
  ) as Tensor;
  const along = (rows: number[][], upper: boolean): Tensor =>
    jvp((t) => linalg.cholesky(t, { upper }) as Tensor, A, tensor(rows, { dtype: "float64" }) as Tensor).tangent;

  test("along a symmetric direction is PyTorch's", () => {
    const expected = [
      [0.25, 0],
      [0.9375, 0.9233784927694012],
    ];
    const expectedValue = tensor(expected, { dtype: "float64" }) as Tensor;
    const direction = [
      [1, 2],
      [2, 4],
    ];
    expect(along(direction, false).allclose(expectedValue)).toBe(true);
    expect(along(direction, true).allclose(expectedValue.T as Tensor)).toBe(true);
  });

  // PyTorch takes a symmetric direction for granted; for others its tangent and its gradient do not belong together.
  test("along any direction is that along its symmetric part, as the gradient has it", () => {
    const direction = [
      [1, 2],
      [3, 4],
    ];
    const half = [
      [1, 2.5],
      [2.5, 4],
    ];
    const tangent = along(direction, false);
    expect(tangent.allclose(along(half, false))).toBe(true);
    const x = A.clone().requiresGrad_() as Tensor;
    const weights = tensor(
      [
        [1, 0],
        [5, 7],
      ],
      { dtype: "float64" },
    ) as Tensor;
    const [slope] = grad(
      linalg
        .cholesky(x)
        .mul(weights as never)
        .sum() as Tensor,
      [x],
    ) as [Tensor];
    const product = slope.mul(tensor(direction, { dtype: "float64" }) as never).sum() as Tensor;
    expect(
      Number(
        tangent
          .mul(weights as never)
          .sum()
          .item(),
      ),
    ).toBeCloseTo(Number(product.item()), 12);
  });
});
