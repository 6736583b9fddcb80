/** Gradients of products of matrices, sums by equations, distances, pooling and windows, against differences. */
import { describe, expect, test } from "vitest";
import * as sw from "../../src/index.ts";
import { grad, type Tensor, tensor, zeros } from "../../src/index.ts";
import { checkGradients, leaf } from "../support/check-gradients.ts";

const values = (t: Tensor | null): unknown => t?.toArray();
const param = (data: unknown): Tensor => tensor(data as never, { dtype: "float64", requiresGrad: true }) as Tensor;

describe("of products", () => {
  test.each<[string, (a: Tensor, b: Tensor) => Tensor, number[], number[]]>([
    ["matrices", (a, b) => sw.matmul(a, b as never), [2, 3], [3, 4]],
    ["vectors", (a, b) => sw.matmul(a, b as never), [3], [3]],
    ["a vector and a batch", (a, b) => sw.matmul(a, b as never), [3], [2, 3, 2]],
    ["a batch and a vector", (a, b) => sw.matmul(a, b as never), [2, 2, 3], [3]],
    ["batches that are broadcast", (a, b) => sw.matmul(a, b as never), [2, 1, 2, 3], [3, 3, 2]],
    ["mv", (a, b) => sw.mv(a, b as never), [2, 3], [3]],
    ["dot", (a, b) => sw.dot(a, b as never), [3], [3]],
    ["vdot", (a, b) => sw.vdot(a, b as never), [3], [3]],
    ["inner", (a, b) => sw.inner(a, b), [2, 3], [4, 3]],
    ["outer", (a, b) => sw.outer(a, b) as Tensor, [2], [3]],
    ["kron", (a, b) => sw.kron(a, b), [2, 2], [3]],
    [
      "tensordot",
      (a, b) =>
        sw.tensordot(a, b, [
          [0, 2],
          [1, 0],
        ]),
      [2, 2, 3],
      [3, 2, 2],
    ],
    ["einsum with a batch", (a, b) => sw.einsum("bij,bkj->bik", a, b), [2, 2, 3], [2, 3, 3]],
    ["einsum with diagonals", (a, b) => sw.einsum("iij,jk->ki", a, b), [2, 2, 3], [3, 2]],
    ["einsum without a common letter", (a, b) => sw.einsum("ij,k->k", a, b), [2, 3], [2]],
    ["einsum with sizes that broadcast", (a, b) => sw.einsum("...ij,...jk->...ik", a, b), [1, 2, 3], [2, 3, 2]],
  ])("%s", (_name, f, first, second) => {
    const [a, b] = [leaf(first), leaf(second)];
    checkGradients(() => f(a, b), a, b);
    const [c, d] = [leaf(first, "complex128"), leaf(second, "complex128")];
    checkGradients(() => f(c, d), c, d);
  });

  test("that are added to something", () => {
    const [x, a, b, v, w] = [leaf([2, 2]), leaf([2, 3]), leaf([3, 2]), leaf([2]), leaf([3])];
    const factors = { alpha: 2, beta: -0.5 };
    checkGradients(() => sw.addmm(x, a, b, factors), x, a, b);
    checkGradients(() => sw.addmv(v, a, w, factors), v, a, w);
    checkGradients(() => sw.addr(a, v, w, factors), a, v, w);
    const [p, q] = [leaf([2, 2, 3]), leaf([2, 3, 2])];
    checkGradients(() => sw.baddbmm(x, p, q, factors), x, p, q);
    checkGradients(() => sw.addbmm(x, p, q, factors), x, p, q);
  });

  test("of many factors", () => {
    const [a, b, c, d] = [leaf([2]), leaf([2, 3]), leaf([3, 4]), leaf([4, 2])];
    checkGradients(() => sw.linalg.multiDot([a, b, c, d]), a, b, c, d);
    checkGradients(() => sw.einsum("i,ij,jk,kl->l", a, b, c, d), a, b, c, d);
  });

  test("of layers", () => {
    const [x, y, w, b] = [leaf([2, 3]), leaf([2, 2]), leaf([2, 3, 2]), leaf([2])];
    checkGradients(() => sw.bilinear(x, y, w, b), x, y, w, b);
    const weight = leaf([4, 3]);
    checkGradients(() => sw.linear(x, weight, leafOf4), x, weight, leafOf4);
  });
  const leafOf4 = leaf([4]);

  test("keep a factor only if the other's gradient is asked for", () => {
    const a = leaf([2, 2]);
    const b = sw.randn([2, 2], { dtype: "float64" }) as Tensor;
    const y = a.matmul(b as never).sum();
    a.data.add_(1 as never);
    y.backward();
    expect(a.grad?.shape).toEqual([2, 2]);
    const z = a.matmul(b as never).sum();
    b.add_(1 as never);
    expect(() => z.backward()).toThrow("modified by an in-place operation");
  });

  test("of no elements are zeros", () => {
    const [a, b] = [zeros([2, 0], { dtype: "float64", requiresGrad: true }), leaf([0, 3])] as [Tensor, Tensor];
    const [ga, gb] = grad(a.matmul(b as never).sum(), [a, b]) as [Tensor, Tensor];
    expect([ga.shape, gb.shape]).toEqual([
      [2, 0],
      [0, 3],
    ]);
  });
});

describe("of distances", () => {
  test.each([1, 2, 3, 1.5, 0.5, Number.POSITIVE_INFINITY])("by the norm %s", (p) => {
    const [x, y] = [leaf([2, 1, 3, 3]), leaf([2, 2, 3])];
    checkGradients(() => sw.cdist(x, y, p), x, y);
  });

  test("by a product of matrices", () => {
    const [x, y] = [leaf([3, 2]), leaf([4, 2])];
    checkGradients(() => sw.cdist(x, y, 2, { computeMode: "use_mm_for_euclid_dist" }), x, y);
  });

  test.each([0, 0.5, 1, 2, 3, Number.POSITIVE_INFINITY])("are 0 where rows are alike, by the norm %s", (p) => {
    const [x, y] = [param([[1, 2]]), param([[1, 2]])];
    expect(values(grad(sw.cdist(x, y, p).sum(), x) as Tensor)).toEqual([[0, 0]]);
    const byProduct = { computeMode: "use_mm_for_euclid_dist" } as const;
    expect(values(grad(sw.cdist(x, y, 2, byProduct).sum(), x) as Tensor)).toEqual([[0, 0]]);
  });

  test("of pairs of rows of one list", () => {
    const x = leaf([4, 2]);
    checkGradients(() => sw.pdist(x, 3), x);
  });
});

describe("of pooling", () => {
  test.each<[string, (x: Tensor) => Tensor, number[]]>([
    ["the largest, one axis", (x) => sw.maxPool1d(x, 3, { stride: 2, padding: 1 }), [2, 7]],
    ["the largest, two axes", (x) => sw.maxPool2d(x, 2), [1, 2, 4, 5]],
    ["the largest, overlapping", (x) => sw.maxPool2d(x, 3, { stride: [1, 2], padding: 1, dilation: 2 }), [2, 1, 7, 6]],
    ["the largest, rounded up", (x) => sw.maxPool2d(x, 2, { ceilMode: true }), [1, 1, 5, 3]],
    ["the largest, three axes", (x) => sw.maxPool3d(x, 2, { stride: 1 }), [1, 1, 3, 2, 3]],
    ["the largest with places", (x) => sw.maxPool2d(x, 2, { returnIndices: true }).values, [1, 2, 4, 4]],
    ["means, one axis", (x) => sw.avgPool1d(x, 3, { stride: 2, padding: 1 }), [1, 2, 7]],
    [
      "means, two axes",
      (x) => sw.avgPool2d(x, [2, 3], { stride: 1, padding: 1, countIncludePad: false }),
      [1, 2, 4, 5],
    ],
    ["means, rounded up", (x) => sw.avgPool2d(x, 2, { ceilMode: true, divisorOverride: 3 }), [1, 1, 5, 3]],
    ["means, three axes", (x) => sw.avgPool3d(x, 2), [1, 1, 4, 2, 3]],
    ["norms", (x) => sw.lpPool1d(x, 3, 2, { stride: 1 }), [1, 2, 5]],
    ["norms, two axes", (x) => sw.lpPool2d(x, 2, 2, { ceilMode: true }), [1, 1, 4, 5]],
    ["means to a size that divides", (x) => sw.adaptiveAvgPool2d(x, [2, 1]), [1, 2, 4, 3]],
    ["means to any size", (x) => sw.adaptiveAvgPool2d(x, [3, null]), [1, 2, 5, 3]],
    ["means to a larger size", (x) => sw.adaptiveAvgPool1d(x, 5), [2, 3]],
    ["means to the same size", (x) => sw.adaptiveAvgPool1d(x, 3), [2, 3]],
    ["the largest to a size", (x) => sw.adaptiveMaxPool2d(x, [3, 2]), [1, 2, 5, 3]],
    ["windows as columns", (x) => sw.unfold(x, 2, { stride: 1, padding: 1 }), [1, 2, 3, 3]],
    ["columns as an image", (x) => sw.fold(x, [3, 3], 2, {}), [1, 8, 4]],
  ])("%s", (_name, f, shape) => {
    const x = leaf(shape);
    // Nothing near 0, and nothing alike.
    const flat = (x.data as Tensor).view(-1);
    for (let k = 0; k < x.size; k++) flat.set(k, 0.5 + ((k * 7) % x.size) + 0.1 * Math.random());
    checkGradients(() => f(x), x);
  });

  test("turned back", () => {
    const { indices } = sw.maxPool2d(leaf([1, 2, 4, 4]), 2, { returnIndices: true });
    const x = leaf([1, 2, 2, 2]);
    checkGradients(() => sw.maxUnpool2d(x, indices, 2), x);
  });

  test("the first of equal elements gets the whole gradient, the last of NaN elements", () => {
    const x = param([[[1, 1, 1, 1]]]);
    expect(values(grad(sw.maxPool1d(x, 2).sum(), x) as Tensor)).toEqual([[[1, 0, 1, 0]]]);
    const none = param([[[1, Number.NaN, Number.NaN, 2]]]);
    expect(values(grad(sw.maxPool1d(none, 4).sum(), none) as Tensor)).toEqual([[[0, 0, 1, 0]]]);
    const low = param([[[-1 / 0, -1 / 0]]]);
    const { values: largest, indices } = sw.maxPool1d(low, 2, { padding: 1, returnIndices: true });
    expect(values(indices)).toEqual([[[0, 1]]]);
    expect(values(grad(largest.sum(), low) as Tensor)).toEqual([[[1, 1]]]);
  });
});
