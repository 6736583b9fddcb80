/** A call frees its results if its workspace cannot be allocated, with a cached program and without. */
import { logSoftmax, memoryStatistics, rand, type Tensor } from "stridewise";
import { expect, test, vi } from "vitest";
import { cpuAllocator } from "../storage/allocator.ts";

test("a call whose workspace cannot be allocated leaks nothing", () => {
  const x = rand([1000, 1000]) as Tensor;
  const across = (): Tensor => logSoftmax(x, 0);
  for (let round = 0; round < 3; round++) across().dispose();
  const { count } = memoryStatistics();
  const heap = cpuAllocator().regions.heap as NonNullable<ReturnType<typeof cpuAllocator>["regions"]["heap"]>;
  const allocate = heap.allocate.bind(heap);
  // The result has 4 million bytes, the workspace some thousand.
  const spy = vi.spyOn(heap, "allocate").mockImplementation((bytes) => (bytes < 1e6 ? -1 : allocate(bytes)));
  try {
    for (let round = 0; round < 3; round++) expect(across).toThrow("bytes are not available");
  } finally {
    spy.mockRestore();
  }
  expect(memoryStatistics().count).toBe(count);
  expect(across().shape).toEqual([1000, 1000]);
});
