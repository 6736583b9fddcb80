/** Kernels of several threads, split at their barriers: golden text, and the same results from every backend. */
import { describe, expect, test } from "vitest";
import { type BlockKernel, blockKernels, blockModes } from "../../../test/support/block-kernels.ts";
import { expectSameRuns, storedIn } from "../../../test/support/kernel-runs.ts";
import { runKernel } from "../../../test/support/run-kernel.ts";
import type { TypedArray } from "../../storage/dtype.ts";
import { parseKernel } from "../ir/parse.ts";
import { printKernel } from "../ir/print.ts";
import { checkKernel } from "../ir/verify.ts";
import { lowerThreads } from "./lower-threads.ts";

const copies = ({ buffers }: BlockKernel): Record<string, TypedArray> =>
  Object.fromEntries(Object.entries(buffers).map(([name, array]) => [name, array.slice() as TypedArray]));

describe.each(Object.entries(blockKernels))("%s", (name, kernel) => {
  const lowered = lowerThreads(parseKernel(kernel.text));

  test("has this text", async () => {
    await expect(`${printKernel(lowered)}\n`).toMatchFileSnapshot(
      `../../../test/golden/kernels/threads/${name}.lowered.txt`,
    );
  });

  test("breaks no rule, and prints and parses", () => {
    checkKernel(lowered);
    expect(parseKernel(printKernel(lowered))).toEqual(lowered);
  });

  test("is interpreted with the same results", () => {
    const buffers = copies(kernel);
    runKernel(lowered, { buffers, sizes: kernel.sizes, modes: blockModes });
    for (const [out, values] of Object.entries(kernel.expected))
      expect([...(buffers[out] as TypedArray)]).toEqual(values);
  });

  test("runs as WebAssembly with the same bits", () => {
    const { sizes, units } = kernel;
    for (const unitsAtOnce of [units, 1]) {
      const run = { buffers: copies(kernel), sizes, units, unitsAtOnce, modes: blockModes };
      expectSameRuns(lowered, run);
      for (const [out, values] of Object.entries(kernel.expected)) {
        const bytes = storedIn(out, lowered, { ...run, buffers: copies(kernel) });
        expect([...new Float32Array(bytes.buffer)]).toEqual(values);
      }
    }
  });
});
