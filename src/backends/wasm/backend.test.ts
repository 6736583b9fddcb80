/** What the WebAssembly backend refuses before anything runs. */
import { expect, test } from "vitest";
import { parseKernel } from "../../kernel/ir/parse.ts";
import { cpuAllocator } from "../../storage/allocator.ts";
import { type Heap, reservedBytes } from "../../storage/heap.ts";
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

test("all that a kernel may allocate lies below the heap's blocks", () => {
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

test("a kernel that allocates more than a thread has is refused, not run over the heap", () => {
  const backend = openWasmBackend(cpuAllocator().regions.heap as Heap);
  expect(() => backend?.compile(parseKernel(allocating(9216)))).not.toThrow();
  expect(() => backend?.compile(parseKernel(allocating(9217)))).toThrow(
    "kernel f32_local: allocates 36880 bytes, and a thread has 36864. Allocate less",
  );
});
