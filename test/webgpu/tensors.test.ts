/** Tensors on a WebGPU device: copies to and from it, views, writes, memory, and errors. Every launch is checked. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WebGpuDevice } from "../../src/backends/webgpu/index.ts";
import {
  arange,
  cat,
  crossEntropy,
  DispatchError,
  embedding,
  empty,
  eye,
  full,
  IndexError,
  linalg,
  manualSeed,
  ones,
  onesLike,
  rand,
  randn,
  StorageError,
  scope,
  type Tensor,
  tensor,
  where,
  zeros,
  zerosLike,
} from "../../src/index.ts";
import * as nn from "../../src/nn/index.ts";
import * as optim from "../../src/optim/index.ts";
import { dtypeNames } from "../../src/storage/dtype.ts";
import { hasWebGpu, openTestDevice } from "../support/webgpu.ts";

describe.runIf(hasWebGpu)("on a device", () => {
  let gpu: WebGpuDevice;
  beforeAll(async () => {
    gpu = await openTestDevice();
  });
  afterAll(() => gpu.destroy());

  test.each(dtypeNames)("elements of %s come back as they were", async (dtype) => {
    for (const shape of [[], [0], [1], [7], [3, 5]]) {
      const x = arange(shape.reduce((a, b) => a * b, 1))
        .reshape(shape)
        .to(dtype) as Tensor;
      const there = x.to(gpu);
      expect([there.device, there.dtype, there.shape]).toEqual([gpu, dtype, x.shape]);
      expect(await there.toArrayAsync()).toEqual(x.toArray());
      const back = await there.cpu();
      expect([back.device.type, back.dtype, back.shape]).toEqual(["cpu", dtype, x.shape]);
    }
  });

  test("creation functions take a device", async () => {
    expect(await zeros([2, 3], { device: gpu }).toArrayAsync()).toEqual(zeros([2, 3]).toArray());
    expect(await ones([5], { device: gpu, dtype: "int8" }).toArrayAsync()).toEqual([1, 1, 1, 1, 1]);
    expect(await full([3], true, { device: gpu }).toArrayAsync()).toEqual([true, true, true]);
    expect(await eye(3, { device: gpu }).toArrayAsync()).toEqual(eye(3).toArray());
    expect(await arange(2, 9, 3, { device: gpu }).toArrayAsync()).toEqual([2, 5, 8]);
    expect(await tensor([[1, 2]], { device: gpu }).toArrayAsync()).toEqual([[1, 2]]);
    manualSeed(3);
    const here = rand([9]).toArray();
    manualSeed(3);
    expect(await rand([9], { device: gpu }).toArrayAsync()).toEqual(here);
    const like = onesLike(zeros([2], { device: gpu }));
    expect([like.device, await like.toArrayAsync()]).toEqual([gpu, [1, 1]]);
    expect(zerosLike(like, { device: "cpu" }).device.type).toBe("cpu");
    expect(empty([4], { device: gpu }).device).toBe(gpu);
  });

  test("views share memory and versions, and copy nothing", async () => {
    const x = arange(12).reshape(3, 4).to(gpu);
    const { count, launches } = gpu.statistics();
    const row = x.select(0, 1);
    const turned = x.t();
    const odd = x.slice(1, 1, 4, 2);
    expect(gpu.statistics()).toMatchObject({ count, launches });
    expect(row.base).toBe(x);
    expect(turned.storage).toBe(x.storage);
    expect(await turned.add(0).toArrayAsync()).toEqual(arange(12).reshape(3, 4).t().toArray());
    expect(await odd.toArrayAsync()).toEqual([
      [1, 3],
      [5, 7],
      [9, 11],
    ]);
    row.mul_(10);
    odd.add_(0.5);
    expect(x.version).toBe(2);
    expect(await x.toArrayAsync()).toEqual([
      [0, 1.5, 2, 3.5],
      [40, 50.5, 60, 70.5],
      [8, 9.5, 10, 11.5],
    ]);
    expect(await x.to("int8").slice(1, 1, 3).toArrayAsync()).toEqual([
      [1, 2],
      [50, 60],
      [9, 10],
    ]);
  });

  test("bytes that share words are written one by one", async () => {
    for (const dtype of ["int8", "uint8", "bool", "int16", "float16", "bfloat16"] as const) {
      const x = arange(40).to(dtype) as Tensor;
      const there = x.to(gpu);
      x.slice(0, 1, 36, 5).copy_(zeros([7]));
      there.slice(0, 1, 36, 5).copy_(zeros([7], { device: gpu }));
      expect(await there.toArrayAsync(), dtype).toEqual(x.toArray());
      x.narrow(0, 3, 11).fill_(1);
      there.narrow(0, 3, 11).fill_(1);
      expect(await there.toArrayAsync(), dtype).toEqual(x.toArray());
    }
  });

  test("operands in one buffer share a binding", async () => {
    const x = arange(10).to(gpu);
    expect(await x.add(x).toArrayAsync()).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
    x.narrow(0, 0, 5).copy_(x.narrow(0, 5, 5));
    expect(await x.toArrayAsync()).toEqual([5, 6, 7, 8, 9, 5, 6, 7, 8, 9]);
    x.addcmul_(x, x);
    expect(await x.toArrayAsync()).toEqual([30, 42, 56, 72, 90, 30, 42, 56, 72, 90]);
  });

  test("64-bit integers are exact", async () => {
    const x = tensor([2n ** 53n + 1n, -5n, 7n, -(2n ** 62n)]);
    const y = tensor([3n, -4n, 2n ** 40n, 9n]);
    const exact = { bigint: true } as const;
    for (const compute of [
      (a: Tensor, b: Tensor) => a.add(b),
      (a: Tensor, b: Tensor) => a.sub(b),
      (a: Tensor, b: Tensor) => a.mul(b),
      (a: Tensor, b: Tensor) => a.maximum(b),
      (a: Tensor, b: Tensor) => a.lt(b),
      (a: Tensor) => a.neg().abs(),
      (a: Tensor) => a.sum(),
      (a: Tensor) => a.to("float32"),
      (a: Tensor) => a.to("float32").to("int64"),
    ])
      expect(await compute(x.to(gpu), y.to(gpu)).toArrayAsync(exact)).toEqual(compute(x, y).toArray(exact));
  });

  test("casts round and wrap as on the CPU", async () => {
    const values = [
      0,
      -0,
      1.5,
      -1.5,
      255.9,
      256,
      -129,
      3e9,
      -3e9,
      1e20,
      -1e20,
      NaN,
      Infinity,
      -Infinity,
      1e-40,
      65504,
      65520,
    ];
    const x = tensor(values);
    for (const dtype of [
      "bool",
      "int8",
      "uint8",
      "int16",
      "uint16",
      "int32",
      "uint32",
      "int64",
      "float16",
      "bfloat16",
      "float64",
    ] as const)
      expect(await x.to(gpu).to(dtype).toArrayAsync({ bigint: true }), dtype).toEqual(
        x.to(dtype).toArray({ bigint: true }),
      );
    const wide = tensor([0.1, -0, 1e300, 1e-300, 1 + 2 ** -24, 1 + 3 * 2 ** -24, 1e-40, NaN], { dtype: "float64" });
    expect(await wide.to(gpu).to("float32").toArrayAsync()).toEqual(wide.to("float32").toArray());
  });

  test("gradients are computed on the device", async () => {
    const [x, w] = [arange(6).reshape(2, 3), arange(12).reshape(3, 4).div(7)];
    const run = (a: Tensor, b: Tensor): Tensor[] => {
      const [p, q] = [a.detach().requiresGrad_(), b.detach().requiresGrad_()];
      const loss = p.matmul(q).tanh().softmax(1).square().mean();
      loss.backward();
      return [loss, p.grad as Tensor, q.grad as Tensor];
    };
    const here = run(x, w);
    const there = run(x.to(gpu), w.to(gpu));
    for (const [k, t] of there.entries()) {
      expect(t.device).toBe(gpu);
      const back = await t.detach().cpu();
      expect(back.allclose(here[k] as Tensor, { rtol: 1e-5, atol: 1e-7 })).toBe(true);
    }
  });

  test("numbers and 0-d tensors of the CPU may be operands", async () => {
    const x = arange(3).to(gpu);
    expect(await x.mul(2).add(tensor(1)).toArrayAsync()).toEqual([1, 3, 5]);
    expect(await where(x.gt(0), x, tensor(-1)).toArrayAsync()).toEqual([-1, 1, 2]);
  });

  test("at most one submit for 64 launches", async () => {
    const quick = await openTestDevice(false);
    const x = zeros([4], { device: quick });
    const { submits, launches } = quick.statistics();
    for (let k = 0; k < 200; k++) x.add_(1);
    expect(quick.statistics()).toMatchObject({ launches: launches + 200, submits: submits + 3 });
    expect(await x.toArrayAsync()).toEqual([200, 200, 200, 200]);
    quick.destroy();
  });

  test("memory is reused, by scopes and dispose too", () => {
    const before = gpu.statistics();
    scope(() => {
      for (let k = 0; k < 50; k++) zeros([1000], { device: gpu }).add(1).dispose();
    });
    const after = gpu.statistics();
    expect([after.live, after.count]).toEqual([before.live, before.count]);
    expect(after.created - before.created).toBeLessThanOrEqual(51);
    const x = zeros([1000], { device: gpu });
    expect(gpu.statistics().live).toBe(before.live + 4096);
    x.dispose();
    expect(gpu.statistics().live).toBe(before.live);
  });

  test("reads at once are refused, and say what to do", () => {
    const x = arange(3).to(gpu);
    const refusals: [() => unknown, string][] = [
      [() => x.toArray(), `toArray: the elements are on webgpu:${gpu.index}`],
      [() => x.select(0, 1).item(), `item: the elements are on webgpu:${gpu.index}`],
      [() => x.toTypedArray(), `toTypedArray: the elements are on webgpu:${gpu.index}`],
      [() => x.get(1), `get: the elements are on webgpu:${gpu.index}`],
      [() => x.set(1, 2), `set: the elements are on webgpu:${gpu.index}`],
      [() => x.allclose(x), `allclose: the elements are on webgpu:${gpu.index}`],
      [() => JSON.stringify(x), `toArray: the elements are on webgpu:${gpu.index}`],
    ];
    for (const [read, text] of refusals) {
      expect(read).toThrow(StorageError);
      expect(read).toThrow(text);
      expect(read).toThrow("await x.cpu()");
    }
    expect(String(x)).toBe(`tensor(..., device='webgpu:${gpu.index}', size=(3,))`);
  });

  test("indices that are out of bounds are reported by the next read", async () => {
    const table = arange(6).reshape(3, 2).to(gpu);
    const rows = (...list: number[]): Tensor => tensor(list, { dtype: "int64" }).to(gpu);
    expect(await embedding(rows(2, 0), table).toArrayAsync()).toEqual([
      [4, 5],
      [0, 1],
    ]);
    const wrong = embedding(rows(2, 3), table);
    await expect(wrong.cpu()).rejects.toThrow(IndexError);
    await expect(table.indexSelect(0, rows(-4)).cpu()).rejects.toThrow(
      "indexSelect: index -4 is out of bounds for size 3",
    );
    // Once.
    expect(await table.toArrayAsync()).toEqual(arange(6).reshape(3, 2).toArray());
    for (let k = 0; k < 300; k++) embedding(zeros([1000], { dtype: "int32", device: gpu }), table).dispose();
    await gpu.ready();
  });

  test("training has the losses of the CPU, and its memory does not grow", async () => {
    const model = new nn.Sequential(new nn.Linear(8, 16), new nn.ReLU(), new nn.LayerNorm(16), new nn.Linear(16, 3));
    const [x, y] = [randn([32, 8]), arange(32).remainder(3).to("int64")];
    const optimizers = [
      (p: Tensor[]) => new optim.SGD(p, { lr: 0.1, momentum: 0.9 }),
      (p: Tensor[]) => new optim.AdamW(p, { lr: 0.01 }),
    ];
    for (const create of optimizers) {
      const losses = async (own: typeof model, input: Tensor, target: Tensor): Promise<number[]> => {
        const optimizer = create(own.parameters() as Tensor[]);
        const list: number[] = [];
        const live: number[] = [];
        for (let k = 0; k < 6; k++) {
          const loss = scope(() => {
            optimizer.zeroGrad();
            const value = crossEntropy(own.forward(input) as Tensor, target);
            value.backward();
            optimizer.step();
            return value.detach();
          });
          list.push((await loss.itemAsync()) as number);
          loss.dispose();
          live.push(gpu.statistics().live);
        }
        expect(Math.max(...live)).toBe(live[0]);
        return list;
      };
      const here = await losses(model.clone(), x, y);
      const there = await losses(model.clone().to(gpu), x.to(gpu), y.to(gpu));
      for (const [k, loss] of there.entries()) expect(loss).toBeCloseTo(here[k] as number, 4);
      expect(there[5]).toBeLessThan(there[0] as number);
    }
  });

  test("dropped tensors are collected", async () => {
    const before = gpu.statistics().live;
    for (let k = 0; k < 200; k++) {
      zeros([2 ** 18], { device: gpu });
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    expect(gpu.statistics().live - before).toBeLessThan(150 * 2 ** 20);
  });

  test("errors name the ops and the remedy", async () => {
    const x = arange(4).reshape(2, 2).to(gpu);
    expect(() => x.add(ones([2, 2]))).toThrow(
      `add: tensors are on webgpu:${gpu.index} and cpu. Move all to one device first: x.to(device), or await x.cpu()`,
    );
    expect(() => cat([x, ones([2, 2])])).toThrow(`cat: tensors are on webgpu:${gpu.index} and cpu`);
    expect(() => linalg.det(x)).toThrow(DispatchError);
    expect(() => linalg.det(x)).toThrow(`is not supported on webgpu:${gpu.index}`);
    expect(() => x.to("float64").exp()).toThrow(
      `exp: is not supported on webgpu:${gpu.index}, because it computes in float32 there, and float64 needs more`,
    );
    expect(() => ones([2]).requiresGrad_().to(gpu)).toThrow("to: gradients do not pass between devices");
    const other = await openTestDevice();
    expect(() => x.add(x.detach().to(other))).toThrow(`to: a copy from webgpu:${gpu.index} is a promise`);
    expect(() => x.add(ones([2, 2], { device: other }))).toThrow(/tensors are on webgpu:\d and webgpu:\d/);
    const lost = ones([2], { device: other });
    other.destroy();
    expect(() => lost.add(1)).toThrow("add: the device is lost (destroyed by destroy()). Ask for a new one");
    await expect(lost.cpu()).rejects.toThrow("webgpu: the device is lost");
    expect(await other.lost).toContain("");
    const limit = gpu.gpuDevice.limits.maxStorageBufferBindingSize;
    expect(() => empty([limit], { device: gpu })).toThrow(`larger than ${limit}, the limit of this device`);
    expect(() => zeros([1], { device: "webgpu" as never })).toThrow("zeros: there is no device 'webgpu'");
    expect(await x.toArrayAsync()).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });
});
