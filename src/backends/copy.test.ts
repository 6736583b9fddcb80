/**
 * Copies and fills of random operands against a naive nested loop, on each backend, in memory of the library and of the
 * user. The whole buffer is compared, so stray writes are detected too.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bufferWithoutNaN,
  bytesOf,
  describeOperand,
  dice,
  exact,
  expectBytes,
  expectedBytes,
  firstByte,
  positions,
  randomBuffer,
  randomOperand,
  randomShape,
  startByte,
  storageInHeap,
  storageOver,
} from "../../test/support/operands.ts";
import { type KernelBackend, replaceBackend } from "../kernel/backend.ts";
import { mapElements } from "../kernel/callbacks.ts";
import { copyElements, fillElements } from "../kernel/copy.ts";
import { writer } from "../kernel/element.ts";
import type { ElementStorage, Operand } from "../kernel/operand.ts";
import { type DType, dtypeNames, dtypes, type Value } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import { openBackend } from "./open.ts";
import { referenceBackend } from "./reference/backend.ts";

type Allocate = (buffer: ArrayBuffer, byteOffset?: number) => ElementStorage;

const runs: readonly (readonly [name: string, backend: () => KernelBackend, allocate: Allocate])[] = [
  ["reference, memory of the user's", referenceBackend, storageOver],
  ["WebAssembly, the heap", openBackend, storageInHeap],
  ["WebAssembly, memory of the user's", openBackend, storageOver],
];

describe.each(runs)("%s", (_name, backend, allocate) => {
  beforeAll(() => {
    replaceBackend(backend());
  });
  afterAll(() => {
    replaceBackend(null);
  });

  describe("copyElements", () => {
    test.each(dtypeNames)("from %s to every dtype equals the naive loop", (fromType) => {
      const roll = dice(fromType.length * 7 + fromType.charCodeAt(1));
      for (const toType of dtypeNames)
        for (let round = 0; round < 12; round++) {
          const shape = randomShape(roll);
          const from = randomOperand(roll, allocate(bufferWithoutNaN(roll), startByte), fromType, shape, true);
          const to = randomOperand(roll, allocate(bufferWithoutNaN(roll), startByte), toType, shape, false);
          if (fromType === toType) continue;
          const expected = expectedBytes(to, exact(from));
          copyElements(from, to);
          expectBytes(bytesOf(to), expected, `${describeOperand(from)} -> ${describeOperand(to)}`);
        }
    });

    test.each(dtypeNames.filter((name) => dtypes[name].category !== "complex"))(
      "to %s converts values that it cannot hold as a single write does, in long rows and in steps",
      (toType) => {
        const awkward = [NaN, Infinity, -Infinity, 1e300, -1e300, 300.9, -300.9, 2 ** 31, -(2 ** 40), -0, 0.5];
        const source = allocate(
          new Float64Array(Array.from({ length: 80 }, (_, i) => awkward[i % 11] as number)).buffer,
        );
        for (const [size, step] of [
          [80, 1],
          [40, 2],
        ] as const) {
          const from: Operand = { storage: source, dtype: "float64", offset: 0, shape: [size], stride: [step] };
          const target = { storage: allocate(new ArrayBuffer(640)), dtype: toType, offset: 0 };
          const to: Operand = { ...target, shape: [size], stride: [step] };
          copyElements(from, to);
          const written: Operand = { ...to, storage: allocate(new ArrayBuffer(640)) };
          const window = written.storage.writable().array(dtypes[toType].array);
          const values = exact(from);
          positions(written).forEach((at, i) => {
            writer(toType)(window, at, values[i] as Value);
          });
          expect(exact(to)).toEqual(exact(written));
        }
      },
    );

    test.each(dtypeNames)("of %s keeps every bit, NaNs included", (dtype) => {
      const roll = dice(5 + dtype.charCodeAt(0) + dtype.length);
      for (let round = 0; round < 60; round++) {
        const shape = round % 5 === 0 ? [roll(1, 3), 40] : randomShape(roll);
        const from = randomOperand(roll, allocate(randomBuffer(roll), startByte), dtype, shape, true);
        const to = randomOperand(roll, allocate(randomBuffer(roll), startByte), dtype, shape, false);
        const { itemsize } = dtypes[dtype];
        const source = bytesOf(from);
        const expected = bytesOf(to);
        const starts = positions(from);
        positions(to).forEach((at, i) => {
          const start = (starts[i] as number) * itemsize - firstByte(from);
          expected.set(source.subarray(start, start + itemsize), at * itemsize - firstByte(to));
        });
        copyElements(from, to);
        expectBytes(bytesOf(to), expected, `${describeOperand(from)} -> ${describeOperand(to)}`);
      }
    });

    test("within one buffer acts as if the source were copied first", () => {
      const roll = dice(11);
      const types: DType[] = [
        "uint8",
        "int16",
        "float16",
        "int32",
        "float32",
        "int64",
        "float64",
        "complex64",
        "complex128",
      ];
      for (let round = 0; round < 3000; round++) {
        const toType = types[roll(0, types.length - 1)] as DType;
        const fromType = roll(0, 2) > 0 ? toType : (types[roll(0, types.length - 1)] as DType);
        const shape = roll(0, 4) === 0 ? [roll(1, 60)] : randomShape(roll);
        const buffer = bufferWithoutNaN(roll);
        const storage = allocate(buffer, startByte);
        const from = randomOperand(roll, storage, fromType, shape, true);
        // Often the very same place, so that copying in place is met too.
        const to: Operand =
          roll(0, 3) === 0 && !from.stride.includes(0)
            ? { ...from, dtype: toType, storage: roll(0, 1) ? storage : allocate(buffer, startByte) }
            : randomOperand(roll, roll(0, 1) ? storage : allocate(buffer, startByte), toType, shape, false);
        const expected = expectedBytes(to, exact(from));
        copyElements(from, to);
        expectBytes(bytesOf(to), expected, `${describeOperand(from)} -> ${describeOperand(to)}`);
      }
    });
  });

  test.each(dtypeNames)("fillElements of %s equals the naive loop", (dtype) => {
    const roll = dice(17 + dtype.length);
    const values: Value[] = [0, 1, -1.5, 300.75, true, 2n ** 60n + 1n, { re: 1.25, im: -2 }, -0];
    for (let round = 0; round < 80; round++) {
      const shape = round % 7 === 0 ? [40] : randomShape(roll);
      const to = randomOperand(roll, allocate(randomBuffer(roll), startByte), dtype, shape, true);
      const value = values[roll(0, values.length - 1)] as Value;
      const expected = expectedBytes(
        to,
        positions(to).map(() => value),
      );
      fillElements(to, value);
      expectBytes(bytesOf(to), expected, `${describeOperand(to)} with ${String(value)}`);
    }
  });
});

test("over real storages, a copy into a lazy clone does not change the original, and one within a storage reads before it writes", () => {
  const original = Storage.allocate(64);
  const part = (storage: Storage, offset: number, size: number): Operand => ({
    storage,
    dtype: "float32",
    offset,
    shape: [size],
    stride: [1],
  });
  let next = 0;
  mapElements(part(original, 0, 16), [], () => next++);
  const clone = original.lazyClone();
  copyElements(part(original, 0, 8), part(clone, 4, 8));
  copyElements(part(clone, 0, 12), part(clone, 1, 12));
  expect(exact(part(original, 0, 16))).toEqual(Array.from({ length: 16 }, (_, i) => i));
  expect(exact(part(clone, 0, 16))).toEqual([0, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 13, 14, 15]);
});
