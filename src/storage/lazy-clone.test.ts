/**
 * Lazy copies, and storages that share their bytes permanently.
 */
import { describe, expect, test } from "vitest";
import { collectUntil } from "../../test/support/garbage.ts";
import { CpuAllocator } from "./allocator.ts";
import { memoryStatistics, Storage } from "./storage.ts";

const write = (storage: Storage, value: number) => {
  storage.writable().array("u8")[storage.byteOffset] = value;
};
const read = (storage: Storage) => storage.readable().array("u8")[storage.byteOffset];
const storageOf = (nbytes: number, value: number) => {
  const storage = Storage.allocate(nbytes);
  write(storage, value);
  return storage;
};

describe.each([64, 10_000])("a lazy clone of %i bytes", (nbytes) => {
  test("costs no bytes until one of the two is written to", () => {
    const { live } = memoryStatistics();
    const original = storageOf(nbytes, 1);
    const one = memoryStatistics().live - live;
    const copy = original.lazyClone();
    expect([read(copy), copy.address, memoryStatistics().live - live]).toEqual([1, original.address, one]);
    expect(copy.data()?.byteOffset).toBe(original.data()?.byteOffset);
    expect(memoryStatistics().live - live).toBe(one);
    write(copy, 2);
    expect([read(original), read(copy), memoryStatistics().live - live]).toEqual([1, 2, 2 * one]);
    expect(copy.address).not.toBe(original.address);
    original.release();
    copy.release();
    expect(memoryStatistics().live).toBe(live);
  });

  test("the last holder keeps the original without a copy", () => {
    for (const writer of ["original", "copy"] as const) {
      const original = storageOf(nbytes, 1);
      const copy = original.lazyClone();
      const address = original.address;
      const [first, last] = writer === "original" ? [original, copy] : [copy, original];
      expect(first.mutableData()?.byteOffset).not.toBe(last.byteOffset);
      const { live } = memoryStatistics();
      write(last, 5);
      expect([last.address, memoryStatistics().live, read(first)]).toEqual([address, live, 1]);
    }
  });

  test("releasing all but one frees nothing, and the remaining one writes in place", () => {
    const { live, count } = memoryStatistics();
    const original = storageOf(nbytes, 3);
    const copies = [original.lazyClone(), original.lazyClone()];
    const third = (copies[0] as Storage).lazyClone();
    const address = third.address;
    for (const storage of [original, ...copies]) storage.release();
    expect(read(third)).toBe(3);
    write(third, 4);
    expect(third.address).toBe(address);
    third.release();
    expect(memoryStatistics()).toMatchObject({ live, count });
  });

  test("resizing, cloning, and taking a raw window end the sharing", () => {
    const original = storageOf(nbytes, 1);
    const resized = original.lazyClone();
    resized.resize(nbytes * 2);
    write(resized, 2);
    const windowed = original.lazyClone();
    windowed.takeRawWindow();
    expect(windowed.address).not.toBe(original.address);
    expect([read(original), read(resized), read(windowed), read(original.clone())]).toEqual([1, 2, 1, 1]);
  });

  test("dropped without release, all of them are freed when the last is collected", async () => {
    const allocator = new CpuAllocator({ maximumPages: 256 });
    const { ledger } = allocator.regions;
    let kept: Storage | null = (() => {
      const original = Storage.allocate(nbytes, { allocator });
      write(original, 8);
      return original.lazyClone();
    })();
    await collectUntil(() => false, 4);
    expect([ledger.count, read(kept)]).toEqual([1, 8]);
    // The count of holders did not fall, so this one makes a copy.
    write(kept, 9);
    expect([read(kept), ledger.count]).toEqual([9, 2]);
    kept = null;
    await collectUntil(() => ledger.count === 0);
    expect([ledger.count, ledger.live]).toEqual([0, 0]);
  });
});

test("bytes that others can write to are copied at once", () => {
  const buffer = new Uint8Array([1, 2, 3]);
  const windowed = storageOf(64, 1);
  windowed.takeRawWindow();
  const shared = storageOf(64, 1);
  shared.share();
  for (const storage of [Storage.fromBuffer(buffer.buffer, 0, 3), windowed, shared]) {
    const copy = storage.lazyClone();
    expect(copy.address).not.toBe(storage.address);
    write(storage, 9);
    expect(read(copy)).toBe(1);
  }
});

test("aliases are one storage, or two that share a context; equal bytes alone are not", () => {
  const storage = storageOf(64, 1);
  const lazy = storage.lazyClone();
  expect([storage.isAliasOf(storage), storage.isAliasOf(lazy), storage.isAliasOf(storageOf(64, 1))]).toEqual([
    true,
    false,
    false,
  ]);
  const alias = storage.share();
  const third = alias.share();
  for (const [a, b] of [
    [storage, alias],
    [alias, third],
    [third, storage],
  ] as const)
    expect(a.isAliasOf(b)).toBe(true);
  expect(alias.isAliasOf(storageOf(64, 2).share())).toBe(false);
});

test("storages that share see each other's writes, and the last one frees", () => {
  const { live, count } = memoryStatistics();
  const storage = storageOf(5000, 1);
  const alias = storage.share();
  write(alias, 6);
  expect([read(storage), alias.address]).toEqual([6, storage.address]);
  storage.release();
  expect(read(alias)).toBe(6);
  alias.release();
  expect(memoryStatistics()).toMatchObject({ live, count });
});
