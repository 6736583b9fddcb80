/** What is asked for takes effect, or the report says why not; what makes no sense is refused. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type * as OptionsModule from "./options.ts";

const major = Number.parseInt(process.versions.node, 10);
let options: typeof OptionsModule;

beforeEach(async () => {
  vi.resetModules();
  options = await import("./options.ts");
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.doUnmock("./probes.ts");
  vi.doUnmock("../../base/host.ts");
});

/** Returns the options again, with some answers of probes or of the host replaced. */
async function withAnswers(path: "./probes.ts" | "../../base/host.ts", answers: object): Promise<typeof OptionsModule> {
  vi.resetModules();
  vi.doMock(path, async (original) => ({ ...(await original<object>()), ...answers }));
  return import("./options.ts");
}

test("the current options can be read, not written", () => {
  const now = options.configuration();
  expect(() => Object.assign(now, { threads: 9 })).toThrow(TypeError);
  expect(options.configuration()).toBe(now);
});

test("at the start there is a thread for each processor, and relaxed SIMD in products where the engine has it", () => {
  const { threads, relaxedSimd, revectorize, blas, report } = options.configuration();
  expect(threads).toBeGreaterThanOrEqual(1);
  const inProducts = major < 22 ? false : "products";
  expect({ relaxedSimd, revectorize, blas }).toEqual({ relaxedSimd: inProducts, revectorize: false, blas: "off" });
  expect(report).toEqual([
    `threads: ${threads}, one for each of ${threads} CPUs`,
    inProducts === false
      ? "relaxedSimd: off, this engine does not have it without a flag"
      : "relaxedSimd: in products, the engine has it and its self-test passed",
    "revectorize: off, not requested",
    "blas: off, not requested",
  ]);
});

test("configure changes the given options and keeps the others", () => {
  const workerUrl = "https://example.org/worker.js";
  options.configure({ threads: 3, workerUrl });
  expect(options.configure({ relaxedSimd: false })).toMatchObject({ threads: 3, workerUrl });
  expect(options.configure({ threads: undefined } as never).threads).toBe(3);
  expect(options.configuration()).toMatchObject({ threads: 3, workerUrl });
  expect(options.configure({ threads: "auto" }).report[0]).toContain("one for each of");
});

test("a configuration can be kept and given back", () => {
  const before = options.configuration();
  options.configure({ threads: before.threads + 1, relaxedSimd: true, workerUrl: "https://example.org/worker.js" });
  expect(options.configure(before)).toEqual(before);
  expect(before.workerUrl).toBeUndefined();
  // A copy of it is what it says.
  expect(options.configure({ ...before }).threads).toBe(before.threads);
});

test("relaxed SIMD comes on when asked, goes off again, and the report tells how", () => {
  const on = options.configure({ relaxedSimd: true });
  const how = major < 22 ? "--experimental-wasm-relaxed-simd was switched on" : "the engine supports it";
  expect(on.report[1]).toBe(`relaxedSimd: on, ${how} and its self-test passed`);
  expect(on.relaxedSimd).toBe(true);
  expect(options.configure({ relaxedSimd: false }).relaxedSimd).toBe(false);
});

test("revectorize comes on in Node 24 and later, and says so elsewhere", () => {
  const { revectorize, report } = options.configure({ revectorize: true });
  expect(revectorize).toBe(major >= 24);
  expect(report[2]).toBe(
    major >= 24
      ? "revectorize: on, --experimental-wasm-revectorize was switched on and its self-test passed"
      : `revectorize: off, --experimental-wasm-revectorize is switched on in Node 24 and later only; this is ${process.versions.node}`,
  );
  expect(options.configure({ revectorize: false }).revectorize).toBe(false);
});

test("an option whose probe is wrong goes off with its flag", async () => {
  const flags: [string, boolean][] = [];
  vi.doMock("../../base/host.ts", async (original) => ({
    ...(await original<object>()),
    nodeVersion: () => "24.0.0",
    setFlag: (flag: string, isOn: boolean) => flags.push([flag, isOn]) > 0,
  }));
  const wrong = await withAnswers("./probes.ts", { passesLoopTest: () => false });
  const { revectorize, report } = wrong.configure({ revectorize: true });
  expect(revectorize).toBe(false);
  expect(report[2]).toBe("revectorize: off, --experimental-wasm-revectorize was switched on, but its self-test failed");
  expect(flags).toEqual([
    ["experimental-wasm-revectorize", true],
    ["experimental-wasm-revectorize", false],
  ]);
});

test("relaxed SIMD that computes wrongly is not used", async () => {
  const wrong = await withAnswers("./probes.ts", { hasRelaxedSimd: () => true, passesRelaxedSimdTest: () => false });
  const { relaxedSimd, report } = wrong.configure({ relaxedSimd: true });
  expect(relaxedSimd).toBe(false);
  expect(report[1]).toBe("relaxedSimd: off, the engine supports it, but its self-test failed");
});

test("an error names the flag to start a Node without getBuiltinModule with", async () => {
  vi.doMock("./probes.ts", async (original) => ({ ...(await original<object>()), hasRelaxedSimd: () => false }));
  const old = await withAnswers("../../base/host.ts", { nodeVersion: () => "20.10.0", builtinModule: () => undefined });
  expect(old.configure({ relaxedSimd: true }).report[1]).toBe(
    "relaxedSimd: off, this engine does not support it; Node 20.10.0 has no process.getBuiltinModule (20.16 has): start it with --experimental-wasm-relaxed-simd",
  );
});

test("one thread where memory cannot be shared, with the reason", async () => {
  const alone = await withAnswers("./probes.ts", { hasThreads: () => false });
  expect(alone.configure({ threads: 4 })).toMatchObject({ threads: 1 });
  expect(alone.configuration().report[0]).toBe(
    "threads: 1, because memory cannot be shared here (a page must be cross-origin isolated); 4 requested",
  );
});

test.each([
  ["STRIDEWISE_THREADS", "1", { threads: 1 }],
  ["STRIDEWISE_THREADS", "7", { threads: 7 }],
  ["STRIDEWISE_RELAXED_SIMD", "1", { relaxedSimd: true }],
  ["STRIDEWISE_RELAXED_SIMD", "Off", { relaxedSimd: false }],
  ["STRIDEWISE_RELAXED_SIMD", "Products", { relaxedSimd: major < 22 ? false : "products" }],
  ["STRIDEWISE_REVECTORIZE", "true", { revectorize: major >= 24 }],
  ["STRIDEWISE_REVECTORIZE", "", { revectorize: false }],
  ["STRIDEWISE_BLAS", "Off", { blas: "off" }],
])("%s=%s is read at first use", (name, text, expected) => {
  vi.stubEnv(name, text);
  expect(options.configuration()).toMatchObject(expected);
  options.configure({ relaxedSimd: false, revectorize: false });
});

test("configure wins over the environment", () => {
  vi.stubEnv("STRIDEWISE_THREADS", "7");
  expect(options.configure({ threads: 2 }).threads).toBe(2);
});

test("one thread where nothing can be compiled", async () => {
  const without = await withAnswers("./probes.ts", { canCompile: () => false });
  expect(without.configure({ threads: 2 }).report[0]).toBe("threads: 1, because there is no WebAssembly here");
});

test.each([
  [undefined, "configure: needs an object with options, got undefined. Write configure({ threads: 2 })."],
  [null, "configure: needs an object with options, got null. Write configure({ threads: 2 })."],
  [5, "configure: needs an object with options, got 5. Write configure({ threads: 2 })."],
  [[], "configure: needs an object with options, got an array. Write configure({ threads: 2 })."],
  [{ threads: 0 }, 'configure: threads must be an integer from 1 to 64 or "auto", got 0.'],
  [{ threads: 65 }, 'configure: threads must be an integer from 1 to 64 or "auto", got 65.'],
  [{ threads: 1.5 }, 'configure: threads must be an integer from 1 to 64 or "auto", got 1.5.'],
  [{ threads: "2" }, 'configure: threads must be an integer from 1 to 64 or "auto", got "2".'],
  [{ relaxedSimd: 1 }, 'configure: relaxedSimd must be true, false or "products", got 1.'],
  [{ workerUrl: null }, "configure: workerUrl must be a string or a URL, got null."],
  [{ thread: 2 }, "configure: there is no option thread. Did you mean threads?"],
  [{ relaxedSIMD: true }, "configure: there is no option relaxedSIMD. Did you mean relaxedSimd?"],
  [{ blas: true }, 'configure: blas must be "auto" or "off", got true.'],
  [
    { gpu: true },
    "configure: there is no option gpu. The options are threads, relaxedSimd, revectorize, blas, forcedCollection, workerUrl.",
  ],
])("configure(%o) throws and changes nothing", (invalid, message) => {
  const before = options.configuration();
  expect(() => options.configure(invalid as never)).toThrow(message);
  expect(() => options.configure(invalid as never)).toThrow(options.ConfigurationError);
  expect(options.configuration()).toBe(before);
});

test.each([
  ["STRIDEWISE_THREADS", "two", 'STRIDEWISE_THREADS: threads must be an integer from 1 to 64 or "auto", got "two".'],
  ["STRIDEWISE_THREADS", "0", 'STRIDEWISE_THREADS: threads must be an integer from 1 to 64 or "auto", got 0.'],
  ["STRIDEWISE_BLAS", "1", 'STRIDEWISE_BLAS: blas must be "auto" or "off", got "1".'],
  ["STRIDEWISE_REVECTORIZE", "yes", 'STRIDEWISE_REVECTORIZE: revectorize must be true or false, got "yes".'],
])("%s=%s throws", (name, text, message) => {
  vi.stubEnv(name, text);
  expect(() => options.configuration()).toThrow(message);
});

test("an invalid value in the environment does not affect listeners, and throws when it is read", () => {
  vi.stubEnv("STRIDEWISE_BLAS", "mkl");
  options.onConfigure(() => {});
  expect(() => options.configuration()).toThrow('STRIDEWISE_BLAS: blas must be "auto" or "off", got "mkl".');
});

test("listeners are called for each change until they are removed", () => {
  const heard: number[][] = [];
  const end = options.onConfigure((now, before) => heard.push([before.threads, now.threads]));
  options.configure({ threads: 1 });
  options.configure({ threads: 5 });
  end();
  options.configure({ threads: 6 });
  expect(heard.slice(1)).toEqual([[1, 5]]);
});
