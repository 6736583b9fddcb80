/** Random views of tensors on a WebGPU device: reads, ops and writes have the results of the CPU. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WebGpuDevice } from "../../src/backends/webgpu/index.ts";
import { LayoutError } from "../../src/base/errors.ts";
import { arange, type Tensor } from "../../src/index.ts";
import type { DType } from "../../src/storage/dtype.ts";
import { grid } from "../support/grids.ts";
import { drawsFrom } from "../support/junk-calls.ts";
import { requestedCases } from "../support/kernel-agreement.ts";
import { lawTimeout } from "../support/layouts.ts";
import { ruleNames, step } from "../support/view-chains.ts";
import { hasWebGpu, openTestDevice } from "../support/webgpu.ts";

const types: readonly DType[] = ["float32", "int32", "uint8", "bool", "int16", "float16", "int64", "complex64"];

/** The ops on a view; all results are exact. */
const ops: Readonly<Record<string, (t: Tensor) => Tensor>> = {
  read: (t) => t,
  add: (t) => t.add(t),
  "add a row": (t) => (t.rank === 0 ? t : t.add(t.select(0, t.shape[0] === 0 ? 0 : t.shape[0] - 1))),
  sum: (t) => t.sum(),
  "sum of the first axis": (t) => (t.rank === 0 ? t : t.sum(0)),
  "cast to int8": (t) => (t.dtype === "complex64" ? t : t.to("int8")),
  "cast to float32": (t) => (t.dtype === "complex64" ? t : t.to("float32")),
};

describe.runIf(hasWebGpu)("on a device", () => {
  let gpu: WebGpuDevice;
  beforeAll(async () => {
    gpu = await openTestDevice(false);
  });
  afterAll(() => gpu.destroy());

  test(
    "views of tensors on a device are those of the CPU",
    async () => {
      const pick = drawsFrom(30);
      for (let round = 0; round < (requestedCases ?? 150); round++) {
        const dtype = types[pick(types.length)] as DType;
        const shape = Array.from({ length: pick(4) }, () => 1 + pick(5));
        const size = shape.reduce((a, b) => a * b, 1);
        const root = arange(size).remainder(7).to(dtype).reshape(shape) as Tensor;
        const there = root.to(gpu);
        let [here, away] = [root, there];
        let model = grid(shape, () => 0);
        const told = [`round ${round}: ${dtype} [${shape}]`];
        for (let k = pick(5); k > 0; k--) {
          const name = ruleNames[pick(ruleNames.length)] as string;
          const numbers = Array.from({ length: 24 }, () => pick(1_000_000));
          const draw = (): ((below: number) => number) => {
            let at = 0;
            return (below) => (numbers[at++ % numbers.length] as number) % below;
          };
          try {
            const next = step(name, here, model, draw());
            if (next === null) continue;
            away = (step(name, away, model, draw()) as readonly [Tensor, unknown])[0];
            [here, model] = next;
            told.push(name);
          } catch (error) {
            if (!(error instanceof LayoutError)) throw error;
          }
        }
        const names = Object.keys(ops);
        const op = names[pick(names.length)] as string;
        const compute = ops[op] as (t: Tensor) => Tensor;
        if (here.size === 0 && op.startsWith("add a row")) continue;
        const [expected, result] = [compute(here), compute(away)];
        expect([...told, op, result.shape, await result.toArrayAsync()]).toEqual([
          ...told,
          op,
          expected.shape,
          expected.toArray(),
        ]);
        if (here.overlap !== "no") continue;
        here.fill_(1);
        away.fill_(1);
        expect([...told, "fill_", await there.toArrayAsync()]).toEqual([...told, "fill_", root.toArray()]);
      }
    },
    lawTimeout,
  );
});
