/**
 * Storages that are not in the heap: because a turn allocated too much, the heap is full, or there is none.
 * They move into the heap in a later turn, which only `isOverflow` shows.
 */
import { describe, expect, test, vi } from "vitest";
import { collectUntil } from "../../test/support/garbage.ts";
import { CpuAllocator, memoryStatistics } from "./allocator.ts";
import type { RegionOptions } from "./regions.ts";
import { Storage } from "./storage.ts";

const limit = 2 ** 20;

/** An allocator with small limits whose turns the test ends. */
function open(options: RegionOptions = {}) {
  const timers: (() => void)[] = [];
  const allocator = new CpuAllocator({
    turnLimit: limit,
    maximumPages: 1024,
    schedule: (callback) => timers.push(callback),
    ...options,
  });
  const make = (nbytes: number, value = 0) => {
    const storage = Storage.allocate(nbytes, { allocator });
    storage
      .writable()
      .array("u8")
      .fill(value, storage.byteOffset, storage.byteOffset + nbytes);
    return storage;
  };
  return {
    allocator,
    make,
    statistics: () => memoryStatistics(allocator),
    endTurn: () => {
      for (const timer of timers.splice(0)) timer();
    },
    /** Keeps the turn's limit in the heap, so that what follows overflows. */
    fillTurn: () => Array.from({ length: 16 }, () => make(65536 + 64)),
  };
}

const isFilledWith = (storage: Storage, value: number) => {
  const bytes = storage.readable().array("u8");
  for (let i = 0; i < storage.nbytes; i++) if (bytes[storage.byteOffset + i] !== value) return false;
  return true;
};

describe.each([64, 3000, 4097, 200_000])("%i bytes", (nbytes) => {
  test("beyond the limit of a turn stay out of the heap, and move into it at first use in a later turn", () => {
    const { make, fillTurn, endTurn, statistics } = open();
    const filling = fillTurn();
    const storage = make(nbytes, 7);
    const address = storage.address;
    const { live, count } = statistics();
    expect([storage.isOverflow, statistics().overflow >= nbytes]).toEqual([true, true]);
    expect([isFilledWith(storage, 7), storage.isOverflow]).toEqual([true, true]);
    endTurn();
    expect(storage.isOverflow).toBe(true);
    expect([isFilledWith(storage, 7), storage.isOverflow, storage.address]).toEqual([true, false, address]);
    expect(storage.byteOffset % 64).toBe(0);
    expect(statistics()).toMatchObject({ overflow: 0, count, live });
    storage.release();
    for (const one of filling) one.release();
    expect(statistics()).toMatchObject({ live: 0, count: 0, overflow: 0 });
  });

  test("writing moves them too", () => {
    const { make, fillTurn, endTurn } = open();
    fillTurn();
    const storage = make(nbytes, 7);
    endTurn();
    storage.writable().array("u8")[storage.byteOffset] = 8;
    expect([storage.isOverflow, storage.readable().array("u8")[storage.byteOffset]]).toEqual([false, 8]);
  });

  test("with a raw view, a pointer, a DataPtr or an alias never move", () => {
    const looks: ((storage: Storage) => unknown)[] = [
      (storage) => storage.takeRawWindow(),
      (storage) => storage.data(),
      (storage) => storage.mutableData(),
      (storage) => storage.dataPtr,
      (storage) => storage.share(),
    ];
    for (const look of looks) {
      const { make, fillTurn, endTurn } = open();
      fillTurn();
      const storage = make(nbytes, 3);
      look(storage);
      const memory = storage.readable();
      endTurn();
      expect([storage.readable() === memory, storage.isOverflow, isFilledWith(storage, 3)]).toEqual([true, true, true]);
      storage.release();
    }
  });

  test("copied lazily are right before and after the turn", () => {
    const { make, fillTurn, endTurn } = open();
    fillTurn();
    const storage = make(nbytes, 3);
    const copy = storage.lazyClone();
    endTurn();
    expect(isFilledWith(copy, 3)).toBe(true);
    copy.writable().array("u8")[copy.byteOffset] = 4;
    expect([isFilledWith(storage, 3), copy.readable().array("u8")[copy.byteOffset]]).toEqual([true, 4]);
    expect(copy.isOverflow).toBe(false);
  });

  test("resized in overflow keep their bytes, and are zero on request", () => {
    const { allocator, make, fillTurn, endTurn } = open();
    fillTurn();
    const storage = make(nbytes, 5);
    storage.resize(nbytes * 2);
    storage.setNbytes(nbytes);
    expect(isFilledWith(storage, 5)).toBe(true);
    make(nbytes, 9).release();
    expect(isFilledWith(Storage.allocate(nbytes, { allocator, zeroed: true }), 0)).toBe(true);
    endTurn();
    expect([isFilledWith(storage, 5), storage.isOverflow]).toEqual([true, false]);
  });
});

test("a turn that frees its bytes can allocate in the heap again", () => {
  const { make, fillTurn } = open();
  const filling = fillTurn();
  expect(make(8192).isOverflow).toBe(true);
  for (const storage of filling.slice(8)) storage.release();
  expect(make(8192).isOverflow).toBe(false);
});

test("a turn that allocates and frees stays in the heap", () => {
  const { make, statistics } = open();
  for (let i = 0; i < 200; i++) {
    const storage = make(100_000);
    expect(storage.isOverflow).toBe(false);
    storage.release();
    make(1000).release();
  }
  expect(statistics().reserved).toBeLessThan(4 * limit);
});

test("a full heap overflows; a storage tries to move once per turn, and moves when there is space", () => {
  let refusals = 0;
  const { allocator, make, endTurn } = open({
    turnLimit: Number.POSITIVE_INFINITY,
    maximumPages: 32,
    memory: (description) => {
      const memory = new WebAssembly.Memory(description);
      return {
        get buffer() {
          return memory.buffer;
        },
        grow: (pages) => {
          refusals++;
          return memory.grow(pages);
        },
      };
    },
  });
  const inHeap: Storage[] = [];
  let storage = make(300_000, 1);
  while (!storage.isOverflow) {
    inHeap.push(storage);
    storage = make(300_000, 2);
  }
  expect(inHeap.length).toBe(6);
  const small = Array.from({ length: 3000 }, () => make(1000, 3));
  expect(small.some((one) => one.isOverflow)).toBe(true);
  endTurn();
  const requested = refusals;
  const take = vi.spyOn(allocator.regions, "takeFromHeap");
  for (let i = 0; i < 10; i++) expect([isFilledWith(storage, 2), storage.isOverflow]).toEqual([true, true]);
  expect([refusals, take.mock.calls.length]).toEqual([requested, 1]);
  for (const one of inHeap) expect(isFilledWith(one, one === inHeap[0] ? 1 : 2)).toBe(true);
  (inHeap[0] as Storage).release();
  endTurn();
  expect([isFilledWith(storage, 2), storage.isOverflow]).toEqual([true, false]);
  for (const one of small) expect(isFilledWith(one, 3)).toBe(true);
});

test("a storage that overflows first in its turn moves in the next one", () => {
  const { make, endTurn } = open({ maximumPages: 32, turnLimit: 2 ** 30 });
  const large = make(25 * 65536);
  endTurn();
  const first = make(10 * 65536, 3);
  expect(first.isOverflow).toBe(true);
  endTurn();
  large.release();
  expect([isFilledWith(first, 3), first.isOverflow]).toEqual([true, false]);
});

test("a storage larger than the heap is an ordinary buffer", () => {
  const { allocator } = open({ maximumPages: 16 });
  const storage = Storage.allocate(16 * 65536, { allocator });
  expect([storage.isOverflow, storage.nbytes]).toEqual([true, 16 * 65536]);
});

test("without WebAssembly everything lives in buffers, after one warning", () => {
  const warnings: string[] = [];
  const { make, endTurn, statistics } = open({
    memory: () => {
      throw new RangeError("no memory here");
    },
    warn: (text) => warnings.push(text),
  });
  const storages = [10, 4000, 5000, 300_000].map((nbytes, i) => make(nbytes, i));
  endTurn();
  storages.push(make(20, 4));
  expect(warnings).toHaveLength(1);
  storages.forEach((storage, i) => {
    expect([isFilledWith(storage, i), storage.isOverflow, storage.address % 64]).toEqual([true, true, 0]);
    storage.resize(storage.nbytes + 5000);
  });
  expect(statistics()).toMatchObject({ reserved: 0, free: 0, shared: false, count: 5 });
  for (const storage of storages) storage.release();
  expect(statistics()).toMatchObject({ live: 0, count: 0, overflow: 0 });
});

test("unshared memory works the same: growth by a move keeps all bytes", () => {
  const { make, fillTurn, endTurn, statistics } = open({ shared: false });
  fillTurn();
  const storages = Array.from({ length: 40 }, (_, i) => make(100_000, i));
  const reserved = statistics().reserved;
  endTurn();
  expect(storages.every((storage, i) => isFilledWith(storage, i))).toBe(true);
  expect(statistics().reserved).toBeGreaterThan(reserved);
  expect(statistics()).toMatchObject({ shared: false, overflow: 0 });
});

test("collected overflow storages leave the statistics", async () => {
  const { make, fillTurn, endTurn, statistics } = open();
  (() => {
    fillTurn();
    for (let i = 0; i < 50; i++) make(i % 2 ? 50_000 : 500);
  })();
  expect(statistics().overflow).toBeGreaterThan(25 * 50_000);
  endTurn();
  await collectUntil(() => statistics().count === 0);
  expect(statistics()).toMatchObject({ live: 0, count: 0, overflow: 0 });
});
