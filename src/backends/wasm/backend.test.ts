/**
 * Errors of the WebAssembly backend before anything runs.
 * Kernels are called by their index in one table.
 */
import { describe, expect, test } from "vitest";
import { parseKernel } from "../../kernel/ir/parse.ts";
import { cpuAllocator } from "../../storage/allocator.ts";
import { type Heap, reservedBytes } from "../../storage/heap.ts";
import { openWasmBackend, Trampoline } from "./backend.ts";
import type { RunKernel } from "./compile-kernel.ts";
import { encodeModule } from "./encoder/module.ts";

const allocating = (length: number): string => `
kernel f32_local
  buffer out: float32 write
{
  parallel u in 0..1 {
    allocate s: float32[${length}] in smem
    s[0] = float32(7)
    out[u] = s[0]
  }
}`;

test("the scratch bytes of a kernel are below the heap's blocks", () => {
  const heap = cpuAllocator().regions.heap as Heap;
  const text = allocating(9216).replace("s[0] = float32(7)", "serial i in 0..9216 {\n      s[i] = float32(7)\n    }");
  const node = heap.allocate(64);
  const program = openWasmBackend(heap)?.compile(parseKernel(text));
  const blocks = (): Float32Array => heap.memory.array("f32").slice(reservedBytes / 4, reservedBytes / 4 + 4096);
  const before = blocks();
  program?.run({
    memories: [heap.memory],
    addresses: [heap.offsetOf(node)],
    scalars: [],
    sizes: [],
    modes: [],
    units: 1,
    unitSize: 1,
  });
  expect(heap.memory.array("f32")[heap.offsetOf(node) / 4]).toBe(7);
  const after = blocks();
  if (heap.offsetOf(node) < reservedBytes + 4 * 4096)
    after[(heap.offsetOf(node) - reservedBytes) / 4] = before[(heap.offsetOf(node) - reservedBytes) / 4] as number;
  heap.release(node);
  expect(after).toEqual(before);
});

test("a kernel that allocates more than a thread has throws", () => {
  const backend = openWasmBackend(cpuAllocator().regions.heap as Heap);
  expect(() => backend?.compile(parseKernel(allocating(9216)))).not.toThrow();
  expect(() => backend?.compile(parseKernel(allocating(9217)))).toThrow(
    "kernel f32_local: allocates 36880 bytes, a thread has 36864. Allocate less.",
  );
});

describe("trampoline", () => {
  /** A kernel that reports its number and what it was called with. */
  function kernelOf(number: number, calls: number[][]): RunKernel {
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
    return new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { report } }).exports["run"] as RunKernel;
  }

  test("each of many kernels receives its own arguments, even after the table has grown", () => {
    const trampoline = new Trampoline();
    const calls: number[][] = [];
    const slots = Array.from({ length: 200 }, (_, i) => trampoline.add(kernelOf(i, calls)));
    expect(new Set(slots).size).toBe(200);
    for (const [i, allocate] of slots.entries()) trampoline.run(allocate, 8192 + i, i, 2 * i);
    expect(calls).toEqual(slots.map((_, i) => [i, 8192 + i, i, 2 * i]));
  });

  test("a removed index traps, and the next kernel reuses it", () => {
    const trampoline = new Trampoline();
    const calls: number[][] = [];
    const [first, second] = [trampoline.add(kernelOf(1, calls)), trampoline.add(kernelOf(2, calls))];
    trampoline.remove(first);
    expect(() => trampoline.run(first, 0, 0, 0)).toThrow(WebAssembly.RuntimeError);
    expect(() => trampoline.remove(first)).toThrow("trampoline: there is no kernel at index 0 to remove");
    expect(trampoline.add(kernelOf(3, calls))).toBe(first);
    trampoline.run(first, 1, 2, 3);
    trampoline.run(second, 4, 5, 6);
    expect(calls).toEqual([
      [3, 1, 2, 3],
      [2, 4, 5, 6],
    ]);
  });

  test("two trampolines have separate tables", () => {
    const calls: number[][] = [];
    const allocate = new Trampoline().add(kernelOf(1, calls));
    expect(() => new Trampoline().run(allocate, 0, 0, 0)).toThrow(WebAssembly.RuntimeError);
  });
});
