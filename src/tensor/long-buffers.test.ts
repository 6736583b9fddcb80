/**
 * Buffers longer than 4 GiB: elements past it are read and written, or refused where the engine has no array that reaches them.
 * Nothing here touches more than a few pages, so no such amount of memory is used.
 */
import { empty, range, tensor } from "stridewise";
import { expect, test } from "vitest";
import { clearBytes, copyBytes, memoryOf } from "../storage/memory.ts";
import { Storage } from "../storage/storage.ts";

const long = 2 ** 30 + 16;

test("wide elements past 4 GiB are filled, copied and read", () => {
  const t = empty([long]);
  const tail = t.at(range(long - 8, null));
  tail.fill_(1);
  t.at(range(long - 8, null, 2)).fill_(2);
  t.at(range(long - 4, null)).copy_(tensor([5, 6, 7, 8]));
  // Across each other in one memory.
  t.assignAt([range(long - 4, long - 1)], t.at(range(long - 3, null)).clone());
  expect(tail.toArray()).toEqual([2, 1, 2, 1, 6, 7, 8, 8]);
  expect([tail.clone().get(4), t.get(-1), t.storage.isOverflow]).toEqual([6, 8, true]);
  t.dispose();
});

test("complex elements past 4 GiB are filled", () => {
  const t = empty([2 ** 28 + 16], { dtype: "complex128" });
  const tail = t.at(range(2 ** 28 + 12, null));
  tail.fill_({ re: 1, im: 2 });
  expect(tail.toArray()).toEqual(Array(4).fill({ re: 1, im: 2 }));
});

test("bytes past 4 GiB are right or refused, never lost", () => {
  const t = empty([2 ** 32 + 64], { dtype: "uint8" });
  let answer: unknown;
  try {
    t.set(-1, 9);
    answer = t.get(2 ** 32 + 63);
  } catch (error) {
    answer = String(error);
  }
  expect([
    9,
    "StorageError: set: this engine does not support arrays of 4294967360 bytes. Use wider elements, or parts.",
  ]).toContain(answer);
});

test("bytes are copied and cleared past 4 GiB", () => {
  const memory = memoryOf(new ArrayBuffer(2 ** 32 + 64));
  const small = Storage.fromBuffer(Uint8Array.of(1, 2, 3).buffer, 0, 3);
  copyBytes(small.readable(), 0, memory, 2 ** 32 + 8, 3);
  clearBytes(memory, 2 ** 32 + 9, 1);
  const back = memoryOf(new ArrayBuffer(4));
  copyBytes(memory, 2 ** 32 + 8, back, 0, 4);
  expect(Array.from(back.array("u8"))).toEqual([1, 0, 3, 0]);
});
