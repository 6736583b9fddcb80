/** BLAS is used if it is requested, installed and correct; otherwise the status has the reason and kernels do the work. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FakeOptions, fakeKoffi } from "../../../test/support/fake-koffi.ts";

beforeEach(() => {
  vi.resetModules();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Makes Node load the result of a function as koffi. */
function stubKoffi(find: (from: string) => unknown): void {
  const original = process.getBuiltinModule;
  vi.spyOn(process, "getBuiltinModule").mockImplementation(((name: string) =>
    name === "module" ? { createRequire: (from: string) => () => find(from) } : original(name as never)) as never);
}

const notFound = (name: string) =>
  Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });

async function resolved(isRequested = true, threads = 2) {
  const { resolveBlas, blasStatus } = await import("./resolve-blas.ts");
  const { nativeProduct } = await import("../../kernel/contract/native.ts");
  expect(nativeProduct).toBeNull();
  const result = resolveBlas(isRequested, threads);
  const after = await import("../../kernel/contract/native.ts");
  return { ...result, inUse: after.nativeProduct !== null, status: blasStatus(), resolveBlas, native: after };
}

test("nothing is loaded unless it is requested", async () => {
  stubKoffi(() => {
    throw new Error("koffi was looked for");
  });
  expect(await resolved(false)).toMatchObject({
    library: null,
    reason: "not requested",
    inUse: false,
    status: undefined,
  });
});

test("a correct library is in use until it is switched off", async () => {
  const koffi = fakeKoffi();
  stubKoffi(() => koffi);
  const { resolveBlas, native, ...result } = await resolved();
  const status = {
    library: "OpenBLAS 0.3.99 (libopenblas.so.0)",
    reason: "its self-test passed",
    why: "its self-test passed",
  };
  expect(result).toEqual({ ...status, inUse: true, status });
  resolveBlas(false, 2);
  expect(native.nativeProduct).toBeNull();
  resolveBlas(true, 2);
  expect(native.nativeProduct).not.toBeNull();
  expect(koffi.requested).toEqual(["libopenblas.so.0"]);
});

test("koffi is loaded from the library, then from the program", async () => {
  const paths: string[] = [];
  stubKoffi((from) => {
    paths.push(from);
    if (paths.length === 1) throw notFound("koffi");
    return fakeKoffi();
  });
  expect((await resolved()).inUse).toBe(true);
  expect(paths).toEqual([expect.stringContaining("/src/backends/blas/openblas.ts"), process.argv[1]]);
});

test.each<[string, () => unknown]>([
  [
    "koffi is not installed: npm install koffi",
    () => {
      throw notFound("koffi");
    },
  ],
  [
    "koffi cannot be loaded: Cannot find module '@koromix/koffi'",
    () => {
      throw notFound("@koromix/koffi");
    },
  ],
  [
    "koffi cannot be loaded: wrong ELF class",
    () => {
      throw new Error("wrong ELF class");
    },
  ],
])("without koffi: %s", async (why, find) => {
  stubKoffi(find);
  expect(await resolved()).toMatchObject({ library: null, why, inUse: false, status: { library: null, why } });
});

test.each<[string, FakeOptions]>([
  ["OpenBLAS is not installed", { libraries: [] }],
  ["libopenblas.so.0 cannot be used: its integers have 64 bits", { about: "OpenBLAS 0.3.21 USE64BITINT" }],
  ["OpenBLAS 0.3.99 (libopenblas.so.0) was found, but its self-test failed", { error: 1 }],
])("without a library that can be used: %s", async (why, options) => {
  stubKoffi(() => fakeKoffi(options));
  expect(await resolved()).toMatchObject({ library: null, why, inUse: false });
});

test("the library has other names elsewhere", async () => {
  const koffi = fakeKoffi({ libraries: ["/opt/homebrew/opt/openblas/lib/libopenblas.dylib"] });
  stubKoffi(() => koffi);
  const { library } = await resolved();
  expect(library).toBe("OpenBLAS 0.3.99 (/opt/homebrew/opt/openblas/lib/libopenblas.dylib)");
});

test.each([
  ["a browser", undefined],
  ["an older Node", { versions: { node: "20.10.0" } }],
])("%s cannot have it", async (_, allocate) => {
  const { findKoffi } = await import("./openblas.ts");
  vi.stubGlobal("process", allocate);
  expect(findKoffi()).toBe("only Node 20.16 and later can call native libraries");
});
