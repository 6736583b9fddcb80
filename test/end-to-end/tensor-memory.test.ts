/**
 * Memory of tensors as a process sees it: programs that never say dispose, using or scope stay small. The programs in
 * `memory/` run as users run the library, bundled, in a process of their own; `memory.test.ts` does the same with bare storages.
 */
import { beforeAll, expect, test } from "vitest";
import { bundlePrograms, runProgram } from "../support/memory-programs.ts";

beforeAll(() => bundlePrograms(["tensor-loop", "tensor-small"]), 60_000);

const run = async (name: string, ...flags: string[]) => JSON.parse(await runProgram(name, ...flags));

test("20,000 temporary tensors of 1 MB in one synchronous loop stay under 1 GB", { timeout: 120_000 }, async () => {
  const { peak, reserved, sum } = await run("tensor-loop");
  expect(sum).toBe(Array.from({ length: 20_000 }, (_, i) => i & 255).reduce((a, b) => a + b));
  expect(peak).toBeLessThan(1000);
  expect(reserved).toBeLessThan(500 * 2 ** 20);
});

test.each([[[]], [["--expose-gc"]]])(
  "a million small tensors, and views of half of them, leave no live bytes behind %j",
  { timeout: 120_000 },
  async (flags) => {
    const { start, live, count, peak } = await run("tensor-small", ...flags);
    expect([live, count]).toEqual([start, 1]);
    expect(peak).toBeLessThan(600 * 2 ** 20);
  },
);
