/** Products, reductions and scans of larger sizes on a WebGPU device. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WebGpuDevice } from "../../src/backends/webgpu/index.ts";
import { arange, cumsum, einsum, matmul, randn, type Tensor } from "../../src/index.ts";
import type { DType } from "../../src/storage/dtype.ts";
import { hasWebGpu, openTestDevice } from "../support/webgpu.ts";

describe.runIf(hasWebGpu)("on a device", () => {
  let gpu: WebGpuDevice;
  beforeAll(async () => {
    gpu = await openTestDevice();
  });
  afterAll(() => gpu.destroy());

  const expectSame = async (result: Tensor, expected: Tensor, near = 1e-4): Promise<void> => {
    expect([result.device, result.dtype, result.shape]).toEqual([gpu, expected.dtype, expected.shape]);
    expect((await result.cpu()).isclose(expected, { rtol: near, atol: near }).all().item()).toBe(true);
  };

  test.each(["float32", "float16", "bfloat16", "int8", "int32", "int64", "complex64"] satisfies DType[])(
    "products of %s",
    async (dtype) => {
      for (const [m, n, k] of [
        [1, 1, 1],
        [5, 7, 3],
        [64, 33, 70],
        [130, 129, 600],
      ] as const) {
        const a = arange(m * k)
          .remainder(5)
          .sub(2)
          .to(dtype)
          .reshape(m, k) as Tensor;
        const b = arange(k * n)
          .remainder(7)
          .sub(3)
          .to(dtype)
          .reshape(k, n) as Tensor;
        await expectSame(a.to(gpu).matmul(b.to(gpu)), matmul(a, b), dtype === "bfloat16" ? 1e-2 : 1e-3);
        const [c, d] = [a.to(gpu).t().clone().t(), b.to(gpu).t().clone().t()];
        await expectSame(c.matmul(d), matmul(a, b), dtype === "bfloat16" ? 1e-2 : 1e-3);
      }
    },
  );

  test("batches, vectors and sums of products", async () => {
    const [a, b] = [randn([3, 1, 20, 30]), randn([4, 30, 10])];
    await expectSame(a.to(gpu).matmul(b.to(gpu)), a.matmul(b));
    const v = randn([30]);
    await expectSame(a.to(gpu).matmul(v.to(gpu)), a.matmul(v));
    await expectSame(v.to(gpu).dot(v.to(gpu)), v.dot(v));
    await expectSame(einsum("abij,cjk->acik", a.to(gpu), b.to(gpu)), einsum("abij,cjk->acik", a, b));
  });

  test("reductions and scans in each direction", async () => {
    const x = randn([700, 1300]);
    const there = x.to(gpu);
    for (const axis of [0, 1]) {
      await expectSame(there.sum(axis), x.sum(axis), 1e-3);
      await expectSame(there.argmax(axis) as Tensor, x.argmax(axis) as Tensor);
      await expectSame(there.softmax(axis), x.softmax(axis));
      await expectSame(there.var(axis) as Tensor, x.var(axis) as Tensor);
      await expectSame(cumsum(there, axis), cumsum(x, axis), 1e-3);
    }
    await expectSame(there.sum(), x.sum(), 1e-2);
    await expectSame(there.mean(), x.mean(), 1e-6);
    await expectSame(there.to("int32").sum(), x.to("int32").sum());
  });
});
