/** The samples of ops on a WebGPU device: the result of the CPU, or an error that says that the device does not support the op. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WebGpuDevice } from "../../src/backends/webgpu/index.ts";
import type { Tensor } from "../../src/index.ts";
import { describeResult, tensorsIn } from "../support/op-results.ts";
import { callSample, distinctSamples, exportedOps, randomOps } from "../support/op-samples.ts";
import { hasWebGpu, openTestDevice } from "../support/webgpu.ts";

/** float32 functions of devices round differently. */
const tolerance: Readonly<Record<string, number>> = { float16: 2e-3, bfloat16: 2e-2 };

/** The smallest number of ops all of whose samples run on the device. */
const minimum = 430;

const isRefusal = (error: Error): boolean =>
  /is not supported|on webgpu:\d|an operand is not on/.test(error.message) && /cpu\(\)/.test(error.message);

describe.runIf(hasWebGpu)("on a device", () => {
  let gpu: WebGpuDevice;
  beforeAll(async () => {
    gpu = await openTestDevice(false);
  });
  afterAll(() => gpu.destroy());

  const ran = new Set<string>();
  const refused = new Set<string>();
  const ops = [...exportedOps()].filter(([name]) => !randomOps.has(name));

  test.each(ops)("%s", async (name, op) => {
    for (const sample of distinctSamples(name, op)) {
      const expected = callSample(name, sample);
      let result: unknown;
      try {
        result = callSample(name, sample, (t) => t.to(gpu));
        // Also throws what the device reports about earlier commands.
        await gpu.ready();
      } catch (error) {
        if (!isRefusal(error as Error)) throw new Error(`${name}(${sample})`, { cause: error });
        refused.add(name);
        continue;
      }
      ran.add(name);
      expect(describeResult(result), sample).toEqual(describeResult(expected));
      const want = tensorsIn(expected);
      for (const [k, t] of tensorsIn(result).entries()) {
        expect(t.device, sample).toBe(gpu);
        const near = tolerance[t.dtype] ?? 1e-5;
        const other = want[k] as Tensor;
        const here = await t.cpu();
        const isClose = here.isclose(other, { rtol: near, atol: near, equalNan: true }).all().item();
        expect(isClose, `${name}(${sample}): ${here} instead of ${other}`).toBe(true);
      }
      if (want.length === 0) expect(result, sample).toEqual(expected);
    }
  });

  test("most ops run on the device", ({ annotate }) => {
    const whole = [...ran].filter((name) => !refused.has(name));
    annotate(`${whole.length} of ${ops.length} ops run on WebGPU`);
    expect(whole.length).toBeGreaterThanOrEqual(minimum);
  });
});
