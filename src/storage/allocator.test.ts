/**
 * The registry of allocators, bare pointers, and the statistics of random lives against a naive model.
 */
import { afterEach, describe, expect, test } from "vitest";
import {
  type Allocator,
  CpuAllocator,
  cpuAllocator,
  getAllocator,
  memoryStatistics,
  rawAllocate,
  rawDeallocate,
  setAllocator,
} from "./allocator.ts";
import { DataPtr } from "./data-ptr.ts";
import { cpu } from "./device.ts";
import { memoryOf } from "./memory.ts";
import { pieceSizes } from "./slabs.ts";
import { Storage } from "./storage.ts";

const named = (type: string): Allocator => ({
  device: { type, index: 0 },
  allocate: (nbytes) =>
    new DataPtr({ memory: memoryOf(new ArrayBuffer(nbytes)), byteOffset: 0 }, null, null, { type, index: 0 }),
});

// Allocators registered here must not remain for other tests.
afterEach(() => setAllocator("cpu", cpuAllocator(), 1000));

test("a lower priority never replaces a higher one, an equal one does", () => {
  const [a, b, c] = [named("a"), named("b"), named("c")];
  setAllocator("test-device", a, 5);
  setAllocator("test-device", b, 4);
  expect(getAllocator("test-device")).toBe(a);
  setAllocator("test-device", c, 5);
  expect(getAllocator("test-device")).toBe(c);
  setAllocator("test-device", a);
  expect(getAllocator("test-device")).toBe(c);
});

test("an allocator registered for the CPU allocates every new storage", () => {
  expect(getAllocator("cpu")).toBe(cpuAllocator());
  const own = named("cpu");
  setAllocator("cpu", own, -1);
  expect(getAllocator("cpu")).toBe(cpuAllocator());
  setAllocator("cpu", own, 1000);
  const storages = [Storage.allocate(8), Storage.allocate(8, { device: cpu, zeroed: true })];
  for (const storage of storages) expect(storage.allocator).toBe(own);
  setAllocator("cpu", cpuAllocator(), 1000);
  expect(Storage.allocate(8).allocator).toBe(cpuAllocator());
});

test("a device without an allocator throws", () => {
  expect(() => getAllocator("tpu")).toThrow(/there is no allocator for device "tpu", only for cpu, meta/);
});

describe("the CPU allocator", () => {
  test("returns pointers with a working deleter, including for 0 bytes", () => {
    const allocator = new CpuAllocator({ maximumPages: 64 });
    for (const nbytes of [0, 10, 4096, 100_000]) {
      const pointer = allocator.allocate(nbytes);
      expect([pointer.data === null, pointer.deleter]).toEqual([nbytes === 0, allocator.rawDeleter]);
      expect(memoryStatistics(allocator).count).toBe(nbytes === 0 ? 0 : 1);
      pointer.clear();
      expect(memoryStatistics(allocator)).toMatchObject({ count: 0, live: 0 });
    }
  });

  test("returns raw pointers, unlike other allocators", () => {
    const allocator = new CpuAllocator({ maximumPages: 64 });
    for (const nbytes of [0, 10, 100_000]) {
      const data = rawAllocate(allocator, nbytes);
      expect(memoryStatistics(allocator).count).toBe(nbytes === 0 ? 0 : 1);
      rawDeallocate(allocator, data);
      expect(memoryStatistics(allocator).live).toBe(0);
    }
    const other = named("other");
    expect(() => rawAllocate(other, 8)).toThrow(/rawAllocate: the allocator has no raw deleter for its data/);
    expect(() => rawDeallocate(other, null)).toThrow(/rawDeallocate: the allocator has no raw deleter/);
  });

  test("can serve a user-defined allocator: a storage that wraps its pointer frees it", () => {
    const inner = new CpuAllocator({ maximumPages: 64 });
    const outer: Allocator = { device: cpu, allocate: (nbytes) => inner.allocate(nbytes + 64) };
    const storage = Storage.allocate(5000, { allocator: outer });
    storage.resize(100);
    expect(memoryStatistics(inner).count).toBe(1);
    storage.release();
    expect(memoryStatistics(inner)).toMatchObject({ count: 0, live: 0 });
  });
});

/** The allocated bytes of a storage of this size. */
const allocatedBytes = (nbytes: number) =>
  nbytes === 0 ? 0 : (pieceSizes.find((size) => size >= nbytes) ?? Math.ceil(nbytes / 64) * 64);

interface Life {
  readonly storage: Storage;
  readonly mark: number;
  bytes: number;
}

test.each([
  ["in the heap", Number.POSITIVE_INFINITY, true],
  ["with overflow and moves", 300_000, true],
  ["with overflow, unshared", 300_000, false],
])("random lives %s: no overlap, no byte lost, statistics exact", (_, turnLimit, shared) => {
  const timers: (() => void)[] = [];
  const allocator = new CpuAllocator({
    turnLimit,
    shared,
    maximumPages: 512,
    schedule: (callback) => timers.push(callback),
  });
  let state = 99;
  const next = (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 0) / 2 ** 32) * limit);
  };
  const size = () => next([10, 200, 4500, 60_000][next(4)] as number);
  const lives: Life[] = [];
  let peak = 0;
  /** The first and the last bytes hold the mark. */
  const mark = ({ storage, mark }: Life) => {
    const [bytes, at] = [storage.writable().array("u8"), storage.byteOffset];
    bytes.fill(mark, at, at + Math.min(storage.nbytes, 16));
    bytes.fill(mark, at + Math.max(0, storage.nbytes - 16), at + storage.nbytes);
  };
  const isMarked = ({ storage, mark }: Life) => {
    const [bytes, at] = [storage.readable().array("u8"), storage.byteOffset];
    for (let i = 0; i < storage.nbytes; i++)
      if ((i < 16 || i >= storage.nbytes - 16) && bytes[at + i] !== mark) return false;
    return true;
  };
  const faults: string[] = [];
  let overflows = 0;
  for (let step = 0; step < 4000; step++) {
    const choice = next(100);
    if (choice < 50 || lives.length === 0) {
      const nbytes = size();
      const life = {
        storage: Storage.allocate(nbytes, { allocator }),
        mark: step & 255,
        bytes: allocatedBytes(nbytes),
      };
      mark(life);
      lives.push(life);
    } else {
      const i = next(lives.length);
      const life = lives[i] as Life;
      if (!isMarked(life)) faults.push(`step ${step}: storage of ${life.storage.nbytes} bytes was overwritten`);
      if (choice < 85) {
        life.storage.release();
        lives.splice(i, 1);
      } else {
        const nbytes = size();
        const isPiece = life.bytes > 0 && life.bytes <= 4096;
        const stays = isPiece && nbytes <= life.bytes && nbytes * 2 > life.bytes;
        life.storage.resize(nbytes);
        if (!stays) life.bytes = allocatedBytes(nbytes);
        mark(life);
      }
    }
    if (next(50) === 0) for (const timer of timers.splice(0)) timer();
    overflows += memoryStatistics(allocator).overflow > 0 ? 1 : 0;
    const live = lives.reduce((sum, { bytes }) => sum + bytes, 0);
    peak = Math.max(peak, live);
    const statistics = memoryStatistics(allocator);
    if (statistics.live > statistics.peak) faults.push(`step ${step}: live is past the peak`);
    if (statistics.live !== live) faults.push(`step ${step}: live ${statistics.live}, model ${live}`);
    if (statistics.count !== lives.filter(({ bytes }) => bytes > 0).length) faults.push(`step ${step}: count`);
    if (
      statistics.reserved > 0 &&
      statistics.live - statistics.overflow + statistics.free + 65536 !== statistics.reserved
    )
      faults.push(`step ${step}: live + free is not reserved`);
    if (faults.length > 5) break;
  }
  expect(faults).toEqual([]);
  expect(overflows > 0).toBe(Number.isFinite(turnLimit));
  expect(memoryStatistics(allocator).peak).toBeGreaterThanOrEqual(peak);
  for (const { storage } of lives) storage.release();
  expect(memoryStatistics(allocator)).toMatchObject({ live: 0, count: 0, overflow: 0 });
});

test("an allocator that returns unaligned memory throws", () => {
  const odd = new ArrayBuffer(64);
  const allocator: Allocator = {
    device: cpu,
    allocate: (nbytes) => new DataPtr(Storage.fromBuffer(odd, 4, nbytes).data()),
  };
  expect(() => Storage.allocate(16, { allocator })).toThrow(
    "allocate: the allocator returned byte offset 4, which must be a multiple of 16.",
  );
});
