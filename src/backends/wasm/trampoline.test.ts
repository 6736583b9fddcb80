/** Kernels are called by their place in one table. */
import { expect, test } from "vitest";
import { encodeModule } from "./encoder/module.ts";
import { type KernelFunction, openTrampoline } from "./trampoline.ts";

/** A kernel that reports its number and what it was called with. */
function kernelOf(number: number, calls: number[][]): KernelFunction {
  const params = ["i32", "i32", "i32"] as const;
  const bytes = encodeModule({
    name: "reporter",
    imports: [{ module: "env", name: "report", kind: "function", params: ["i32", ...params], results: [] }],
    functions: [
      {
        name: "run",
        params,
        results: [],
        locals: [],
        code: [
          ["i32.const", number],
          ["local.get", 0],
          ["local.get", 1],
          ["local.get", 2],
          ["call", 0],
        ],
      },
    ],
    exports: [{ name: "run", function: 1 }],
  });
  const report = (...args: number[]) => calls.push(args);
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { report } }).exports["run"] as KernelFunction;
}

test("each of many kernels gets its own arguments, also past the first size of the table", () => {
  const trampoline = openTrampoline();
  const calls: number[][] = [];
  const places = Array.from({ length: 200 }, (_, i) => trampoline.add(kernelOf(i, calls)));
  expect(new Set(places).size).toBe(200);
  for (const [i, place] of places.entries()) trampoline.run(place, 8192 + i, i, 2 * i);
  expect(calls).toEqual(places.map((_, i) => [i, 8192 + i, i, 2 * i]));
});

test("a removed place traps and then goes to the next kernel", () => {
  const trampoline = openTrampoline();
  const calls: number[][] = [];
  const [first, second] = [trampoline.add(kernelOf(1, calls)), trampoline.add(kernelOf(2, calls))];
  trampoline.remove(first);
  expect(() => trampoline.run(first, 0, 0, 0)).toThrow(WebAssembly.RuntimeError);
  expect(() => trampoline.remove(first)).toThrow("trampoline: there is no kernel at place 0 to remove");
  expect(trampoline.add(kernelOf(3, calls))).toBe(first);
  trampoline.run(first, 1, 2, 3);
  trampoline.run(second, 4, 5, 6);
  expect(calls).toEqual([
    [3, 1, 2, 3],
    [2, 4, 5, 6],
  ]);
});

test("two trampolines have tables of their own", () => {
  const calls: number[][] = [];
  const place = openTrampoline().add(kernelOf(1, calls));
  expect(() => openTrampoline().run(place, 0, 0, 0)).toThrow(WebAssembly.RuntimeError);
});
