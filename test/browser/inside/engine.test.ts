/**
 * Inside a page: `features()` reports the page's permissions, kernels run on WebAssembly, and module workers help if
 * memory is shared.
 */
import { expect, inject, test } from "vitest";
import { configuration, configure } from "../../../src/backends/wasm/options.ts";
import { right } from "../programs/answers.ts";
import { large, small } from "../programs/kernels.ts";

const isIsolated = inject("page") === "isolated";

test("features() is correct", () => {
  expect(globalThis.crossOriginIsolated).toBe(isIsolated);
  const { features, ...found } = small();
  expect(found).toEqual({ ...right, backend: "wasm" });
  expect(features).toEqual({
    wasm: true,
    simd: true,
    relaxedSimd: true,
    revectorize: false,
    threads: isIsolated,
    memory: { shared: isIsolated, maximumBytes: 2 ** 32 },
  });
});

test("several threads are used if and only if memory is shared", () => {
  const { threads, report } = configure({ threads: 3 });
  expect(threads).toBe(isIsolated ? 3 : 1);
  if (!isIsolated) expect(report[0]).toContain("a page must be cross-origin isolated");
  configure({ threads: "auto" });
});

test("relaxed SIMD can be requested, and computes correct results", () => {
  expect(configure({ relaxedSimd: true }).report[1]).toBe(
    "relaxedSimd: on, the engine supports it and its self-test passed",
  );
  configure({ relaxedSimd: false });
  expect(configuration().relaxedSimd).toBe(false);
});

test("one thread shares nothing, two share if and only if memory is shared", async () => {
  expect(await large({ threads: 1, seconds: 0.1 })).toEqual({ right: true, report: null });
  const { right: isRight, report } = await large({ threads: 2, seconds: isIsolated ? 20 : 0.2 });
  expect(isRight).toBe(true);
  if (isIsolated) expect(report).toMatchObject({ threads: 2, started: 1, lost: 0 });
  if (isIsolated) expect(report?.helped).toBeGreaterThan(0);
  else expect(report).toBeNull();
  configure({ threads: "auto" });
});
