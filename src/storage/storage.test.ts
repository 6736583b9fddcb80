/**
 * Storage as a holder of bytes: counts, deleters, aliases, lazy copies, resizing, and memory that the user owns.
 */
import { describe, expect, test } from "vitest";
import { collectUntil } from "../../test/support/garbage.ts";
import { type Allocator, CpuAllocator } from "./allocator.ts";
import { DataPtr } from "./data-ptr.ts";
import { cpu, meta } from "./device.ts";
import { copyBytes, memoryOf } from "./memory.ts";
import { memoryStatistics, Storage, StorageError } from "./storage.ts";

const write = (storage: Storage, ...values: number[]) => storage.writable().array("u8").set(values, storage.byteOffset);
const read = (storage: Storage, count: number) => {
  const bytes = storage.readable().array("u8");
  return Array.from(bytes.subarray(storage.byteOffset, storage.byteOffset + count));
};

/** An allocator of plain buffers that records allocations and deleter calls. */
function noting() {
  const allocated: number[] = [];
  const freed: number[] = [];
  const allocator: Allocator = {
    device: cpu,
    allocate(nbytes) {
      const id = allocated.push(nbytes) - 1;
      const data = nbytes === 0 ? null : { memory: memoryOf(new ArrayBuffer(nbytes)), byteOffset: 0 };
      return new DataPtr(data, id, (context: number) => freed.push(context), cpu);
    },
  };
  return { allocated, freed, allocator };
}

describe.each([8, 4096, 4097, 100_000])("a storage of %i bytes", (nbytes) => {
  test("is aligned, has an address above 0, and keeps written bytes", () => {
    const storage = Storage.allocate(nbytes);
    expect([storage.nbytes, storage.address % 64, storage.byteOffset % 64]).toEqual([nbytes, 0, 0]);
    write(storage, 1, 2, 3);
    expect(read(storage, 3)).toEqual([1, 2, 3]);
    for (const data of [storage.data(), storage.mutableData()]) {
      expect(data?.memory === storage.readable()).toBe(true);
      expect(data?.byteOffset).toBe(storage.byteOffset);
    }
    expect([storage.device, storage.resizable, storage.isOverflow, storage.unique]).toEqual([cpu, true, false, true]);
  });

  test("counts its holders, is freed once by the last, and throws when it is used afterward", () => {
    const before = memoryStatistics();
    const storage = Storage.allocate(nbytes);
    expect(memoryStatistics().count).toBe(before.count + 1);
    expect(storage.retain()).toBe(storage);
    expect([storage.useCount, storage.unique]).toEqual([2, false]);
    storage.release();
    expect([storage.useCount, storage.unique]).toEqual([1, true]);
    storage.release();
    expect(storage.useCount).toBe(0);
    const after = memoryStatistics();
    expect([after.live, after.count]).toEqual([before.live, before.count]);
    const uses = [
      () => storage.release(),
      () => storage.retain(),
      () => storage.readable(),
      () => storage.writable(),
      () => storage.data(),
      () => storage.mutableData(),
      () => storage.resize(8),
      () => storage.setNbytes(1),
      () => storage.clone(),
      () => storage.lazyClone(),
      () => storage.share(),
      () => storage.address,
      () => storage.dataPtr,
      () => storage.takeRawWindow(),
    ];
    for (const use of uses) expect(use).toThrow(StorageError);
    expect(memoryStatistics().live).toBe(before.live);
  });

  test("is zero on request, even if its bytes were used before", () => {
    const first = Storage.allocate(nbytes);
    first
      .writable()
      .array("u8")
      .fill(7, first.byteOffset, first.byteOffset + nbytes);
    first.release();
    const second = Storage.allocate(nbytes, { zeroed: true });
    expect(read(second, nbytes).every((byte) => byte === 0)).toBe(true);
  });

  test("owned by its DataPtr once that is read: a released context is not freed", () => {
    const before = memoryStatistics();
    const storage = Storage.allocate(nbytes);
    const pointer = storage.dataPtr;
    expect(storage.dataPtr).toBe(pointer);
    expect(pointer.context).toBe(pointer.data);
    expect(pointer.data?.memory === storage.readable()).toBe(true);
    expect(pointer.data?.byteOffset).toBe(storage.byteOffset);
    const { context, deleter } = pointer.moveContext();
    storage.release();
    expect(memoryStatistics().count).toBe(before.count + 1);
    deleter?.(context);
    expect(memoryStatistics()).toMatchObject({ count: before.count, live: before.live });
  });

  test("freed through its DataPtr, or by release afterward, is freed once", () => {
    const before = memoryStatistics();
    const [a, b] = [Storage.allocate(nbytes), Storage.allocate(nbytes)];
    a.dataPtr.clear();
    a.release();
    expect(b.dataPtr.isNull).toBe(false);
    b.release();
    expect(memoryStatistics()).toMatchObject({ count: before.count, live: before.live });
  });

  test("dropped without release, is freed by garbage collection", async () => {
    const allocator = new CpuAllocator({ maximumPages: 256 });
    const { ledger, heap } = allocator.regions;
    (() => {
      for (let i = 0; i < 20; i++) Storage.allocate(nbytes, { allocator });
    })();
    expect(ledger.count).toBe(20);
    await collectUntil(() => ledger.count === 0);
    expect([ledger.count, ledger.live]).toEqual([0, 0]);
    expect(heap?.blocks.list()).toHaveLength(1);
  });

  test("released explicitly, is not freed again by garbage collection", async () => {
    const allocator = new CpuAllocator({ maximumPages: 256 });
    const { ledger } = allocator.regions;
    const kept = Storage.allocate(nbytes, { allocator });
    (() => {
      for (let i = 0; i < 600; i++) Storage.allocate(nbytes, { allocator }).release();
      const many = Array.from({ length: 600 }, () => Storage.allocate(nbytes <= 4096 ? nbytes : 5000, { allocator }));
      for (const storage of many) storage.release();
    })();
    await collectUntil(() => false, 5);
    expect(ledger.count).toBe(1);
    kept.release();
    expect([ledger.count, ledger.live]).toEqual([0, 0]);
  });

  test("a resized storage keeps the bytes that fit, for every tensor over it", () => {
    for (const next of [1, 8, 60, 5000, nbytes, nbytes * 3, 300_000]) {
      const storage = Storage.allocate(nbytes);
      const other = storage.retain();
      write(storage, 5, 6, 7, 8, 9, 10, 11, 12);
      storage.resize(next);
      expect(other.nbytes).toBe(next);
      expect(read(other, Math.min(next, 8))).toEqual([5, 6, 7, 8, 9, 10, 11, 12].slice(0, next));
      other.resize(0);
      expect([storage.nbytes, storage.data()]).toEqual([0, null]);
      storage.resize(64);
      write(storage, 1);
      expect(read(other, 1)).toEqual([1]);
    }
  });
});

test("the life of a storage with views: created, viewed, released one by one, and the deleter ran once", () => {
  const { freed, allocator } = noting();
  const a = Storage.allocate(16, { allocator });
  expect(a.useCount).toBe(1);
  const b = a.retain();
  expect(a.useCount).toBe(2);
  write(b, 42);
  a.release();
  expect([b.useCount, read(b, 1), freed]).toEqual([1, [42], []]);
  b.release();
  expect(freed).toEqual([0]);
});

describe("memory that others own", () => {
  test("a user's DataPtr is owned by the storage that wraps it, and its deleter receives the context once", () => {
    const freed: unknown[] = [];
    const buffer = new ArrayBuffer(32);
    const pointer = new DataPtr({ memory: memoryOf(buffer), byteOffset: 8 }, "context", (c) => freed.push(c));
    const storage = Storage.wrap(pointer, 16);
    expect([storage.resizable, storage.allocator, pointer.context]).toEqual([false, null, null]);
    write(storage, 9);
    expect(new Uint8Array(buffer)[8]).toBe(9);
    pointer.clear();
    expect(freed).toEqual([]);
    storage.release();
    expect(freed).toEqual(["context"]);
  });

  test("its deleter runs once when the storage is collected", async () => {
    const freed: unknown[] = [];
    (() => {
      const pointer = new DataPtr({ memory: memoryOf(new ArrayBuffer(8)), byteOffset: 0 }, "a", (c) => freed.push(c));
      Storage.wrap(pointer, 8);
      const { allocator } = noting();
      Storage.allocate(8, {
        allocator: { ...allocator, allocate: () => new DataPtr(null, "b", (c) => freed.push(c)) },
      });
    })();
    await collectUntil(() => freed.length === 2);
    await collectUntil(() => false, 3);
    expect(freed.sort()).toEqual(["a", "b"]);
  });

  test("a buffer is shared without a copy, at one address however often it is wrapped", () => {
    for (const buffer of [new ArrayBuffer(64), new SharedArrayBuffer(64)]) {
      const whole = Storage.fromBuffer(buffer, 0, 64);
      const part = Storage.fromBuffer(buffer, 12, 20);
      write(whole, 1, 2, 3);
      expect(Array.from(new Uint8Array(buffer).subarray(0, 3))).toEqual([1, 2, 3]);
      new Uint8Array(buffer)[13] = 77;
      expect(read(part, 2)).toEqual([0, 77]);
      expect(part.address - whole.address).toBe(12);
      expect(whole.address % 64).toBe(0);
      expect([part.resizable, part.allocator, part.isAliasOf(whole)]).toEqual([false, null, false]);
      expect(() => part.resize(8)).toThrow("the storage wraps memory that you own, or has a raw view");
      part.release();
      expect(read(whole, 1)).toEqual([1]);
    }
  });

  test("no two buffers share an address, and none is in the heap", () => {
    const storages = Array.from({ length: 50 }, (_, i) => Storage.fromBuffer(new ArrayBuffer(i * 7), 0, i * 7));
    storages.push(Storage.allocate(100), Storage.allocate(100_000));
    const ranges = storages.filter((s) => s.nbytes > 0).map((s) => [s.address, s.address + s.nbytes] as const);
    ranges.sort((a, b) => a[0] - b[0]);
    for (let i = 1; i < ranges.length; i++) expect(ranges[i]?.[0]).toBeGreaterThan(ranges[i - 1]?.[1] as number);
  });

  test("a detached buffer throws", () => {
    const buffer = new ArrayBuffer(64);
    const storage = Storage.fromBuffer(buffer, 0, 64);
    storage.readable().array("f32");
    structuredClone(buffer, { transfer: [buffer] });
    for (const kind of ["f32", "u8"] as const)
      expect(() => storage.readable().array(kind)).toThrow(/storage: the buffer of 64 bytes was detached/);
    expect(() => Storage.fromBuffer(buffer, 0, 64)).toThrow(/fromBuffer: bytes 0 to 64 .* empty or was transferred/);
  });

  test("bytes outside the buffer, and values that are not buffers, throw", () => {
    const buffer = new ArrayBuffer(64);
    for (const [at, count] of [
      [0, 65],
      [60, 5],
      [-1, 4],
      [0.5, 4],
    ] as const)
      expect(() => Storage.fromBuffer(buffer, at, count)).toThrow(/fromBuffer: bytes .* not all in the buffer of 64/);
    expect(() => Storage.fromBuffer(new Uint8Array(4) as never, 0, 4)).toThrow(/got \[object Uint8Array\]/);
  });

  test("a window into the heap that is wrapped again is the same memory at the same address", () => {
    const storage = Storage.allocate(64);
    const memory = storage.readable();
    const again = Storage.fromBuffer(memory.buffer, storage.byteOffset, 64);
    expect([again.readable() === memory, again.address]).toEqual([true, storage.address]);
  });
});

describe("a user-defined allocator", () => {
  test("allocates, resizes and clones, and frees each once", () => {
    const { allocated, freed, allocator } = noting();
    const storage = Storage.allocate(8, { allocator });
    expect([storage.allocator, storage.resizable]).toEqual([allocator, true]);
    write(storage, 1, 2, 3, 4);
    storage.resize(20);
    expect([read(storage, 4), freed]).toEqual([[1, 2, 3, 4], [0]]);
    const copy = storage.clone();
    expect([copy.allocator, read(copy, 4)]).toEqual([allocator, [1, 2, 3, 4]]);
    storage.release();
    copy.release();
    expect([allocated, freed]).toEqual([
      [8, 20, 20],
      [0, 1, 2],
    ]);
  });

  test("copies with its own method if it has one", () => {
    const { allocator } = noting();
    let clones = 0;
    const own: Allocator = {
      ...allocator,
      clone(data, nbytes) {
        clones++;
        const result = allocator.allocate(nbytes);
        if (result.data) copyBytes(data.memory, data.byteOffset, result.data.memory, result.data.byteOffset, nbytes);
        return result;
      },
    };
    const storage = Storage.allocate(4, { allocator: own });
    write(storage, 3);
    expect([read(storage.clone(), 1), clones]).toEqual([[3], 1]);
  });

  test("a resizable storage needs one", () => {
    expect(() => Storage.wrap(new DataPtr(null), 0, { resizable: true })).toThrow(/needs an allocator/);
  });
});

describe("no bytes", () => {
  test("a storage of 0 bytes has null data, a working deleter, and can grow", () => {
    for (const allocator of [undefined, noting().allocator]) {
      const storage = Storage.allocate(0, allocator && { allocator });
      expect([storage.data(), storage.mutableData(), storage.address, storage.nbytes]).toEqual([null, null, 0, 0]);
      expect(storage.readable().array("f32").length).toBe(0);
      expect([storage.clone().nbytes, storage.lazyClone().nbytes, storage.share().nbytes]).toEqual([0, 0, 0]);
      expect(storage.dataPtr.deleter).toBeTypeOf("function");
      storage.resize(64);
      write(storage, 4);
      expect(read(storage, 1)).toEqual([4]);
      storage.resize(0);
      storage.release();
    }
  });

  test("its deleter runs too", () => {
    const { freed, allocator } = noting();
    Storage.allocate(0, { allocator }).release();
    expect(freed).toEqual([0]);
  });

  test("a meta storage has a size and no data", () => {
    const storage = Storage.allocate(2 ** 50, { device: meta });
    expect([storage.nbytes, storage.data(), storage.device, storage.address]).toEqual([2 ** 50, null, meta, 0]);
    storage.resize(2 ** 51);
    expect([storage.nbytes, storage.clone().nbytes]).toEqual([2 ** 51, 2 ** 51]);
    expect(() => storage.readable()).toThrow(/device "meta" has no data/);
  });
});

test.each([-1, 1.5, NaN, 2 ** 60, Number.POSITIVE_INFINITY])("%d is not a number of bytes", (nbytes) => {
  const before = memoryStatistics();
  const storage = Storage.allocate(8);
  expect(() => Storage.allocate(nbytes)).toThrow(
    /allocate: the number of bytes must be an integer from 0 to 2\^53 - 1, got/,
  );
  expect(() => Storage.allocate(nbytes, { zeroed: true })).toThrow(StorageError);
  expect(() => storage.resize(nbytes)).toThrow(StorageError);
  expect(() => storage.setNbytes(nbytes)).toThrow(StorageError);
  storage.release();
  expect(memoryStatistics()).toMatchObject({ live: before.live, count: before.count });
});

test("an allocation that does not fit throws an error with the bytes in use", () => {
  expect(() => Storage.allocate(2 ** 52)).toThrow(
    /allocate: 4503599627370496 bytes are not available: .* allocated, of which up to .* may be garbage, and the largest free block/,
  );
});

test("setNbytes accepts sizes up to the capacity", () => {
  const storage = Storage.allocate(100);
  storage.setNbytes(128);
  expect(storage.nbytes).toBe(128);
  expect(() => storage.setNbytes(129)).toThrow(/the capacity is 128 bytes, got 129/);
});

test("a raw window ends resizing", () => {
  const storage = Storage.allocate(64);
  storage.takeRawWindow();
  expect(storage.resizable).toBe(false);
  expect(() => storage.resize(128)).toThrow("the storage wraps memory that you own, or has a raw view");
});

test("a storage has one version counter, which a copy does not share", () => {
  const storage = Storage.allocate(8);
  storage.version.bump();
  expect([storage.version.value, storage.retain().version === storage.version]).toEqual([1, true]);
  for (const copy of [storage.clone(), storage.lazyClone()]) expect(copy.version.value).toBe(0);
});

test("an empty storage has no capacity", () => {
  expect(() => Storage.allocate(0).setNbytes(8)).toThrow("setNbytes: the capacity is 0 bytes, got 8");
  const meta8 = Storage.allocate(8, { device: meta });
  meta8.setNbytes(16);
  expect(meta8.nbytes).toBe(16);
});

test("more bytes than an exact integer can count throw", () => {
  expect(() => Storage.allocate(2 ** 64)).toThrow("from 0 to 2^53 - 1, got 18446744073709552000");
});
