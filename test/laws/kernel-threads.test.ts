/**
 * Random kernels of several threads: whatever the checker finds no race in, computes the same interpreted, split at its barriers, and as
 * WebAssembly, for any number of units at once. LAW_CASES sets their number.
 */
import { expect, test } from "vitest";
import { checkRun, threadsBackend } from "../../src/backends/reference/threads.ts";
import { parseKernel } from "../../src/kernel/ir/parse.ts";
import { printKernel } from "../../src/kernel/ir/print.ts";
import { formatFinding, verifyKernel } from "../../src/kernel/ir/verify.ts";
import { lowerThreads } from "../../src/kernel/lower/lower-threads.ts";
import { memoryOf } from "../../src/storage/memory.ts";
import { expectSameRuns } from "../support/kernel-runs.ts";
import { randomBlockText, threads } from "../support/random-blocks.ts";
import { runKernel } from "../support/run-kernel.ts";

const cases = Number(process.env["LAW_CASES"] ?? 60);
const units = 3;

const inputs = (seed: number) => ({
  x: Float32Array.from({ length: threads * units }, (_, i) => ((i * 31 + seed) % 23) / 4 - 2),
  y: Int32Array.from({ length: threads * units }, (_, i) => ((i * 17 + seed) % 13) - 3),
  out: new Float32Array(threads * units),
  more: new Int32Array(threads * units),
});

test("kernels without races compute the same everywhere", { timeout: 60_000 + 500 * cases }, () => {
  const seen = { racy: 0, clean: 0 };
  for (let seed = 0; seed < cases; seed++) {
    const text = randomBlockText(seed);
    const kernel = parseKernel(text);
    expect(printKernel(parseKernel(printKernel(kernel))), text).toBe(printKernel(kernel));
    const errors = verifyKernel(kernel).filter(({ level, rule }) => level === "error" && rule !== "races");
    expect(errors.map(formatFinding), text).toEqual([]);
    const sizes = { n: seed % 4, units };
    const scalars = { a: 1.5 };
    const expected = inputs(seed);
    const faults = checkRun(kernel, {
      memories: kernel.buffers.map(({ name }) => memoryOf(expected[name as "x"].buffer)),
      addresses: kernel.buffers.map(() => 0),
      scalars: [scalars.a],
      sizes: [sizes.n, units],
      modes: [],
      units,
      unitSize: 1,
    });
    if (faults.length > 0) {
      seen.racy++;
      continue;
    }
    seen.clean++;
    const again = inputs(seed);
    runKernel(kernel, { buffers: again, sizes, scalars }, threadsBackend());
    expect(again, text).toEqual(expected);
    const lowered = lowerThreads(kernel);
    const split = inputs(seed);
    runKernel(lowered, { buffers: split, sizes, scalars });
    expect(split, `${text}\n${printKernel(lowered)}`).toEqual(expected);
    try {
      expectSameRuns(lowered, { buffers: inputs(seed), sizes, scalars, units, unitsAtOnce: 1 + (seed % units) });
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${printKernel(lowered)}`, { cause: error });
    }
  }
  // Both kinds occur, so that the checker and the lowering are tried.
  expect(seen.clean).toBeGreaterThan(cases / 3);
  expect(seen.racy).toBeGreaterThan(cases / 50);
});
