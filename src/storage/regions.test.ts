/**
 * The number of registrations for finalization: the engine keeps each until it collects, so a loop must not
 * register every storage. Reused objects must not change while a caller holds them.
 */
import { afterEach, expect, test, vi } from "vitest";
import { CpuAllocator } from "./allocator.ts";
import { Storage } from "./storage.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

function countRegistrations(work: (make: (nbytes: number) => Storage) => void, turnLimit = 2 ** 40): number {
  const register = vi.spyOn(FinalizationRegistry.prototype, "register");
  const allocator = new CpuAllocator({ maximumPages: 4096, turnLimit, schedule: () => {} });
  work((nbytes) => Storage.allocate(nbytes, { allocator }));
  return register.mock.calls.length;
}

test("a thousand small storages are registered once", () => {
  const registrations = countRegistrations((make) => {
    for (let i = 0; i < 1024; i++) make(64);
  });
  expect(registrations).toBe(1);
});

test("a loop that releases its storages registers nothing new", () => {
  const registrations = countRegistrations((make) => {
    for (let i = 0; i < 1000; i++) {
      make(5000 + i).release();
      make(100).release();
    }
  });
  expect(registrations).toBe(2);
});

test("a loop of overflow buffers registers one in thousands", () => {
  const registrations = countRegistrations((make) => {
    for (let i = 0; i < 5000; i++) make(5000);
  }, 0);
  expect(registrations).toBe(2);
});

test("registrations have no token: unregistering costs more than the allocation", () => {
  const register = vi.spyOn(FinalizationRegistry.prototype, "register");
  const allocator = new CpuAllocator({ maximumPages: 64, schedule: () => {} });
  for (const nbytes of [64, 5000]) Storage.allocate(nbytes, { allocator });
  expect(register.mock.calls.map((call) => call.length)).toEqual([2, 2]);
});

test("a pointer that a caller holds does not change when its region is freed and reused", () => {
  const allocator = new CpuAllocator({ maximumPages: 64, schedule: () => {} });
  const storage = Storage.allocate(5000, { allocator });
  const data = storage.dataPtr.data;
  const offset = data?.byteOffset;
  // The next one does not fit into the hole that the first leaves.
  Storage.allocate(5000, { allocator });
  storage.release();
  expect(Storage.allocate(9000, { allocator }).byteOffset).not.toBe(offset);
  expect(data?.byteOffset).toBe(offset);
});
