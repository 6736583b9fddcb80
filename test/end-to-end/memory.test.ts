/**
 * Memory as a process sees it: loops that keep nothing stay small, whatever the engine knows of the heap. The programs in
 * `memory/` run as users run the library, bundled, in a process of their own.
 */
import { beforeAll, expect, test } from "vitest";
import { bundlePrograms, runProgram, runScenario } from "../support/memory-programs.ts";

beforeAll(() => bundlePrograms(["loop", "turns", "small", "idle", "scenarios"]), 60_000);

test("20,000 temporaries of 1 MB in one synchronous loop stay under 1 GB", { timeout: 120_000 }, async () => {
  const { peak, reserved, sum } = JSON.parse(await runProgram("loop"));
  expect(sum).toBe(Array.from({ length: 20_000 }, (_, i) => i & 255).reduce((a, b) => a + b));
  expect(peak).toBeLessThan(1000);
  // The heap held what one turn may hold, and not everything.
  expect(reserved).toBeLessThan(500 * 2 ** 20);
});

test("temporaries with a turn after each stay under 1 GB, because the library forces collections", {
  timeout: 120_000,
}, async () => {
  const { peak, reserved, collections } = JSON.parse(await runProgram("turns"));
  expect(collections).toBeGreaterThan(4);
  expect(peak).toBeLessThan(1000);
  expect(reserved).toBeLessThan(1200 * 2 ** 20);
});

test.each([[[]], [["--expose-gc"]]])(
  "a million small storages leave no live bytes behind %j",
  {
    timeout: 120_000,
  },
  async (flags) => {
    const { start, live, count, peak } = JSON.parse(await runProgram("small", ...flags));
    expect([live, count]).toEqual([start, 1]);
    expect(peak).toBeLessThan(600 * 2 ** 20);
  },
);

test("a process with storages and nothing to do ends", { timeout: 60_000 }, async () => {
  const begun = performance.now();
  expect(await runProgram("idle")).toBe("done\n");
  expect(performance.now() - begun).toBeLessThan(20_000);
});

/** Scenarios and steps enough for more than a gigabyte of garbage. */
test.each([
  ["synchronous loop", 1200],
  ["await setImmediate", 1500],
  ["await a resolved promise", 1200],
  ["scope.async", 1500],
  ["arithmetic, await setImmediate", 3000],
  ["small perceptron", 3000],
  ["training, async generator", 1500],
  ["worker thread", 1500],
  ["HTTP server", 3000],
])("%s: dropped tensors need at most 300 MB more than freed ones", { timeout: 240_000 }, async (name, steps) => {
  const freed = await runScenario(name, "scope", steps);
  const plain = await runScenario(name, "plain", steps);
  expect(freed.collections).toBe(0);
  expect(plain.peak, JSON.stringify({ freed, plain })).toBeLessThan(Math.max(3 * freed.peak, freed.peak + 300));
});
