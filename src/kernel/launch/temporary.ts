/**
 * Bytes for the length of one call: in the heap, where the backend reaches them, whatever the memory pressure says.
 */
import { cpuAllocator } from "../../storage/cpu-allocator.ts";
import { BufferMemory, type Memory } from "../../storage/memory.ts";
import { kernelBackend } from "../backend.ts";
import { presentRecording, spoilRecording } from "./recording.ts";

/** Calls `use` with so many bytes of the heap, which are given back afterwards; false, and nothing is done, if there is no room. */
export function ifRoom(bytes: number, use: (memory: Memory, byteOffset: number) => void): boolean {
  const { heap } = cpuAllocator().regions;
  const node = heap === null ? -1 : heap.allocate(bytes);
  if (heap === null || node < 0) return false;
  const recording = presentRecording();
  const byteOffset = heap.offsetOf(node);
  recording?.open(heap.memory, byteOffset, bytes);
  try {
    use(heap.memory, byteOffset);
  } finally {
    recording?.close();
    heap.release(node);
  }
  return true;
}

/** Calls `use` with so many bytes, 64-byte aligned, that are given back afterwards. What they hold at first is open. */
export function withBytes<T>(bytes: number, use: (memory: Memory, byteOffset: number) => T): T {
  let result: { readonly of: T } | undefined;
  const keep = (memory: Memory, byteOffset: number): void => {
    result = { of: use(memory, byteOffset) };
  };
  if (!ifRoom(bytes, keep)) {
    spoilRecording();
    const memory = new BufferMemory("overflow", new ArrayBuffer(Math.ceil(bytes / 16) * 16));
    if (!kernelBackend().reaches(memory)) throw cpuAllocator().regions.shortage("kernel", bytes);
    keep(memory, 0);
  }
  return (result as { readonly of: T }).of;
}
