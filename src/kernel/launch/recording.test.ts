/** What is written down of launches: whose every address is, where temporary bytes go in one block, and what spoils the record. */
import { expect, test } from "vitest";
import { Storage } from "../../storage/storage.ts";
import type { KernelProgram } from "../backend.ts";
import { presentCall } from "./call.ts";
import { launchProgram, Recording, spoilRecording } from "./recording.ts";
import { ifRoom } from "./temporary.ts";

const program: KernelProgram = { run: () => undefined, release: () => undefined };

/** Launches with buffers that begin at these bytes. */
function launchAt(...buffers: readonly (readonly [memory: ReturnType<Storage["readable"]>, address: number])[]): void {
  const { memories, addresses } = presentCall();
  for (const [k, [memory, address]] of buffers.entries()) {
    memories[k] = memory;
    addresses[k] = address;
  }
  launchProgram(program);
}

test("an address is that of an operand, counted from its element 0, or of temporary bytes", () => {
  const [x, y] = [Storage.allocate(256), Storage.allocate(256)];
  const recording = new Recording([
    { storage: x, origin: 16 },
    { storage: y, origin: 0 },
  ]);
  recording.run(() => {
    ifRoom(100, (memory, at) => {
      launchAt([y.readable(), y.byteOffset + 8], [memory, at + 4], [x.readable(), x.byteOffset]);
      ifRoom(10, (inner, innerAt) => launchAt([inner, innerAt], [memory, at]));
      ifRoom(20, (inner, innerAt) => launchAt([inner, innerAt]));
    });
    ifRoom(64, (memory, at) => launchAt([memory, at]));
  });
  expect(recording.isSpoilt).toBe(false);
  expect(recording.launches.map(({ operands, shifts }) => [operands, shifts])).toEqual([
    [
      [1, -1, 0],
      [8, 4, -16],
    ],
    [
      [-1, -1],
      [128, 0],
    ],
    [[-1], [128]],
    [[-1], [0]],
  ]);
  // The outer 100 bytes, the next multiple of 64, and the larger of the inner ones.
  expect(recording.bytes).toBe(148);
});

test("an address that is nobody's, too many launches, and work that says so spoil the record", () => {
  const [x, other] = [Storage.allocate(64), Storage.allocate(64)];
  const spoilt = (work: () => void): boolean => {
    const recording = new Recording([{ storage: x, origin: 0 }]);
    recording.run(work);
    return recording.isSpoilt;
  };
  const one = (): void => launchAt([x.readable(), x.byteOffset]);
  const times = (count: number) => (): void => {
    for (let k = 0; k < count; k++) one();
  };
  expect(spoilt(one)).toBe(false);
  expect(spoilt(times(16))).toBe(false);
  expect(spoilt(times(17))).toBe(true);
  expect(spoilt(spoilRecording)).toBe(true);
  expect(spoilt(() => launchAt([other.readable(), other.byteOffset]))).toBe(true);
  expect(spoilt(() => launchAt([x.readable(), x.byteOffset + 64]))).toBe(true);
});

test("work within work spoils the outer record, not its own; an error ends both", () => {
  const x = Storage.allocate(64);
  const [outer, inner] = [new Recording([{ storage: x, origin: 0 }]), new Recording([{ storage: x, origin: 0 }])];
  outer.run(() => inner.run(() => launchAt([x.readable(), x.byteOffset])));
  expect([outer.isSpoilt, inner.isSpoilt, inner.launches.length]).toEqual([true, false, 1]);
  const failing = new Recording([{ storage: x, origin: 0 }]);
  expect(() =>
    failing.run(() => {
      throw new Error("no");
    }),
  ).toThrow("no");
  launchAt([x.readable(), x.byteOffset]);
  expect(failing.launches).toEqual([]);
});
