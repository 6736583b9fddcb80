/** Where WebAssembly or its vectors are missing, kernels are interpreted, and one warning says why. */
import { afterEach, expect, test, vi } from "vitest";
import { openBackend } from "./open.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** The name of the backend that is opened, and its warnings. */
function opened(): [name: string, warnings: string[]] {
  const warnings: string[] = [];
  const { name } = openBackend((text) => warnings.push(text));
  return [name, warnings];
}

test("an engine with vectors has the WebAssembly backend", () => {
  expect(opened()).toEqual(["wasm", []]);
});

test("an engine without vectors has the reference", () => {
  vi.spyOn(WebAssembly, "validate").mockReturnValue(false);
  expect(opened()).toEqual([
    "reference",
    [
      "stridewise: WebAssembly has no vector instructions here, so kernels are interpreted: everything works, but slowly.",
    ],
  ]);
});

test("a page where nothing can be compiled has the reference, and a warning names the policy it needs", () => {
  vi.spyOn(WebAssembly, "Module").mockImplementation(function forbidden() {
    throw new WebAssembly.CompileError("forbidden");
  });
  const [name, warnings] = opened();
  expect([name, warnings.length]).toEqual(["reference", 1]);
  expect(warnings[0]).toContain("'wasm-unsafe-eval'");
});
