/** What the WebAssembly backend refuses before anything runs. */
import { expect, test } from "vitest";
import { parseKernel } from "../../kernel/ir/parse.ts";
import { cpuAllocator } from "../../storage/cpu-allocator.ts";
import type { Heap } from "../../storage/heap.ts";
import { openWasmBackend } from "./backend.ts";

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

test("a kernel that allocates more than a thread has is refused, not run over the heap", () => {
  const backend = openWasmBackend(cpuAllocator().regions.heap as Heap);
  expect(() => backend?.compile(parseKernel(allocating(8192)))).not.toThrow();
  expect(() => backend?.compile(parseKernel(allocating(8193)))).toThrow(
    "kernel f32_local: allocates 32784 bytes, and a thread has 32768. Allocate less",
  );
});
