/** Probes are right in this engine, and false if something is missing or wrong. */
import { afterEach, expect, test, vi } from "vitest";
import { isFlagOn } from "../../base/host.ts";
import * as probes from "./probes.ts";
import { features } from "./probes.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test("this Node has vectors and threads", () => {
  expect(features()).toMatchObject({
    wasm: true,
    simd: true,
    threads: true,
    node: process.versions.node,
    memory: { shared: true },
  });
  expect(features().memory.maximumBytes).toBeGreaterThanOrEqual(2 ** 28);
});

test("an optimized vector loop is right, and the baseline compiler is on again afterward", () => {
  expect(probes.passesLoopTest()).toBe(true);
  expect(isFlagOn("liftoff")).toBe(true);
});

/** WebAssembly whose modules compute relaxed multiply-add with a function of the test. */
function stubResults(compute: (x: number, y: number, z: number, isFloat32: boolean) => number): void {
  vi.stubGlobal("WebAssembly", {
    Memory: WebAssembly.Memory,
    Module: class {
      readonly bytes: Uint8Array;
      constructor(bytes: Uint8Array) {
        this.bytes = bytes;
      }
    },
    Instance: class {
      readonly exports: { run: (x: number, y: number, z: number) => number };
      constructor({ bytes }: { bytes: Uint8Array }) {
        const has = (code: number) =>
          bytes.some((byte, i) => byte === 0xfd && bytes[i + 1] === code && bytes[i + 2] === 2);
        const sign = has(0x86) || has(0x88) ? -1 : 1;
        this.exports = { run: (x, y, z) => compute(sign * x, y, z, has(0x85) || has(0x86)) };
      }
    },
  });
}

test("relaxed multiply-add may round once or twice, and anything else is wrong", () => {
  const { fround } = Math;
  // Products of float32 are exact in float64.
  stubResults((x, y, z, isFloat32) => (isFloat32 ? fround(x * y + z) : x * y + z));
  expect(probes.passesRelaxedSimdTest()).toBe(true);
  stubResults((x, y, z, isFloat32) => (isFloat32 ? fround(fround(x * y) + z) : x * y + z));
  expect(probes.passesRelaxedSimdTest()).toBe(true);
  stubResults((x, y, z) => Math.abs(x) * y + z);
  expect(probes.passesRelaxedSimdTest()).toBe(false);
  stubResults((x, y, z) => x * y + z * (1 + 2 ** -23));
  expect(probes.passesRelaxedSimdTest()).toBe(false);
  stubResults((x, y, z) => Math.min(x * y + z, 1e9));
  expect(probes.passesRelaxedSimdTest()).toBe(false);
});

test("a loop that stores nothing is wrong", () => {
  stubResults((x) => x);
  expect(probes.passesLoopTest()).toBe(false);
});

test("without WebAssembly all features are false, and nothing throws", async () => {
  vi.stubGlobal("WebAssembly", undefined);
  const fresh = await import("./probes.ts");
  expect(fresh.features()).toEqual({
    wasm: false,
    simd: false,
    relaxedSimd: false,
    threads: false,
    revectorize: false,
    memory: { shared: false, maximumBytes: 0 },
    node: process.versions.node,
  });
  expect([probes.passesRelaxedSimdTest(), probes.passesLoopTest()]).toEqual([false, false]);
});

test("a page whose policy forbids compiling has no WebAssembly", async () => {
  const { Memory, validate } = WebAssembly;
  vi.stubGlobal("WebAssembly", {
    Memory,
    validate,
    Module: class {
      constructor() {
        throw new Error("Refused to compile or instantiate WebAssembly module");
      }
    },
  });
  const fresh = await import("./probes.ts");
  expect(fresh.features()).toMatchObject({ wasm: false, simd: false, relaxedSimd: false, threads: false });
});

test("a page that is not cross-origin isolated has no threads", () => {
  vi.stubGlobal("process", undefined);
  expect(probes.hasThreads()).toBe(false);
  vi.stubGlobal("crossOriginIsolated", true);
  expect(probes.hasThreads()).toBe(true);
});
