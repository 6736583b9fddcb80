/**
 * How much memory the processor's allocator uses, as plain numbers. Asking does not make the heap.
 *
 * Promises: live - overflow + free + 65536 = reserved once there is a heap, and live <= peak. What garbage collection has not come to yet
 * counts as live, and so does a piece of a slab that was dropped while another piece of it lives.
 */
import { wrongKind } from "../base/arguments.ts";
import { type CpuAllocator, cpuAllocator } from "./cpu-allocator.ts";
import { reservedBytes } from "./heap.ts";

export interface MemoryStatistics {
  /** Bytes of all storages alive, each rounded up to what it was given. */
  readonly live: number;
  /** The most that `live` ever was. */
  readonly peak: number;
  /** Bytes of the heap that no storage uses. */
  readonly free: number;
  /** How many storages with bytes are alive. */
  readonly count: number;
  /** Bytes of the heap. */
  readonly reserved: number;
  /**
   * The part of `live` in ordinary buffers. The engine tells nothing of what it collects while a loop runs, so only after
   * it, and after a collection, is this what there is.
   */
  readonly overflow: number;
  /** True if and only if the heap is shared with workers. */
  readonly shared: boolean;
  /** Garbage collections that the library has asked the engine for. */
  readonly collections: number;
}

/** What the CPU memory of this process holds now. */
export function memoryStatistics(allocator: CpuAllocator = cpuAllocator()): MemoryStatistics {
  if (!Object(allocator).regions) throw wrongKind("memoryStatistics", "no argument, or an allocator", allocator);
  const { ledger, collector, heapIfOpen: heap } = allocator.regions;
  const { live, peak, count, overflow } = ledger;
  const reserved = heap?.reserved ?? 0;
  return {
    live,
    peak,
    free: reserved === 0 ? 0 : reserved - reservedBytes - ledger.heap,
    count,
    reserved,
    overflow,
    shared: heap?.shared ?? false,
    collections: collector.collections,
  };
}
