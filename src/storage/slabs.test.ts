/**
 * Slabs: the cost of small storages, reuse of pieces, and that nothing holds a slab without storages.
 */
import { expect, test } from "vitest";
import { collectUntil } from "../../test/support/garbage.ts";
import { CpuAllocator, memoryStatistics } from "./allocator.ts";
import { pieceSizes, slabBytes } from "./slabs.ts";
import { Storage } from "./storage.ts";

function open() {
  const timers: (() => void)[] = [];
  const allocator = new CpuAllocator({ maximumPages: 2048, schedule: (callback) => timers.push(callback) });
  return {
    allocator,
    make: (nbytes: number) => Storage.allocate(nbytes, { allocator }),
    statistics: () => memoryStatistics(allocator),
    usedBlocks: () => (allocator.regions.heap?.blocks.list() ?? []).filter((block) => block.used).length,
    endTurn: () => {
      for (const timer of timers.splice(0)) timer();
    },
  };
}

test("a thousand small storages are one block of the heap", () => {
  const { make, usedBlocks, statistics } = open();
  const storages = Array.from({ length: 1024 }, () => make(64));
  expect([usedBlocks(), statistics().live, statistics().count]).toEqual([1, 65536, 1024]);
  make(64);
  expect(usedBlocks()).toBe(2);
  expect(new Set(storages.map((storage) => storage.address)).size).toBe(1024);
});

test("every size up to 4096 gets the smallest piece that holds it, and pieces do not overlap", () => {
  const { make, statistics } = open();
  const spans: [number, number][] = [];
  for (let nbytes = 1; nbytes <= 4096; nbytes += 13) {
    const before = statistics().live;
    const storage = make(nbytes);
    const piece = statistics().live - before;
    expect(piece).toBe(pieceSizes.find((size) => size >= nbytes));
    expect(storage.byteOffset % 64).toBe(0);
    spans.push([storage.byteOffset, storage.byteOffset + piece]);
  }
  spans.sort((a, b) => a[0] - b[0]);
  for (let i = 1; i < spans.length; i++) expect(spans[i]?.[0]).toBeGreaterThanOrEqual(spans[i - 1]?.[1] as number);
  for (const size of pieceSizes) expect(size % 64).toBe(0);
});

test("a freed piece is the next one that is allocated", () => {
  const { make } = open();
  const storages = Array.from({ length: 10 }, () => make(100));
  const address = storages[4]?.address;
  storages[4]?.release();
  expect(make(128).address).toBe(address);
});

test("a slab without pieces is freed, and slabs with free pieces are filled before a new one is created", () => {
  const { make, usedBlocks, endTurn } = open();
  const perSlab = slabBytes / 4096;
  const storages = Array.from({ length: 4 * perSlab }, () => make(4096));
  expect(usedBlocks()).toBe(4);
  for (const storage of storages.splice(0, perSlab)) storage.release();
  expect(usedBlocks()).toBe(3);
  endTurn();
  // One piece of each of the three slabs.
  for (const i of [0, perSlab, 2 * perSlab]) storages[i]?.release();
  for (let i = 0; i < 3; i++) make(4096);
  expect(usedBlocks()).toBe(3);
  make(4096);
  expect(usedBlocks()).toBe(4);
});

test("a slab is filled up over many turns", () => {
  const { make, usedBlocks, endTurn } = open();
  const kept: Storage[] = [];
  for (let i = 0; i < 500; i++) {
    kept.push(make(64));
    endTurn();
  }
  expect([usedBlocks(), kept.length]).toEqual([1, 500]);
});

test("small storages that are dropped are freed once a turn has ended, the slab in use included", async () => {
  const { make, endTurn, statistics, usedBlocks } = open();
  (() => {
    for (let i = 0; i < 5000; i++) make(64 + (i % 1000));
  })();
  expect(statistics().count).toBe(5000);
  endTurn();
  await collectUntil(() => statistics().count === 0);
  expect([statistics().live, statistics().count, usedBlocks()]).toEqual([0, 0, 0]);
});

test("one live storage keeps its slab and no other", async () => {
  const { make, endTurn, statistics, usedBlocks } = open();
  const kept = (() => {
    const storages = Array.from({ length: 5000 }, () => make(64));
    return storages[2500] as Storage;
  })();
  kept.writable().array("u8")[kept.byteOffset] = 5;
  endTurn();
  await collectUntil(() => usedBlocks() === 1);
  expect([usedBlocks(), statistics().count, kept.readable().array("u8")[kept.byteOffset]]).toEqual([1, 1024, 5]);
});
