/**
 * Compaction against a naive loop, on each backend, in memory of the library and of the user: masks around the sizes of a block and of a round,
 * bytes that are neither 0 nor 1, and every size of elements.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storageInHeap, storageOver } from "../../test/support/operands.ts";
import { seededNumbers } from "../../test/support/value-rows.ts";
import { type KernelBackend, replaceBackend } from "../kernel/backend.ts";
import { type ByteType, compact, compactKernel, countKernel, isCompactable } from "../kernel/compact.ts";
import { checkKernel } from "../kernel/ir/verify.ts";
import type { ElementStorage, Operand } from "../kernel/operand.ts";
import { type DType, dtypeNames, dtypes } from "../storage/dtype.ts";
import { openBackend } from "./open.ts";
import { referenceBackend } from "./reference/backend.ts";

type Allocate = (buffer: ArrayBuffer, byteOffset?: number) => ElementStorage;
const runs: readonly (readonly [name: string, backend: () => KernelBackend, allocate: Allocate])[] = [
  ["reference, memory of the user's", referenceBackend, storageOver],
  ["WebAssembly, the heap", openBackend, storageInHeap],
  ["WebAssembly, memory of the user's", openBackend, storageOver],
];

const line = (storage: ElementStorage, dtype: DType, n: number): Operand => ({
  storage,
  dtype,
  offset: 0,
  shape: [n],
  stride: [1],
});

/** The bytes of some elements from the start of a storage. */
const bytesOf = ({ storage, dtype, shape: [n] }: Operand): number[] => {
  const { byteOffset } = storage;
  return [
    ...storage
      .readable()
      .array("u8")
      .subarray(byteOffset, byteOffset + n * dtypes[dtype].itemsize),
  ];
};

describe.each(runs)("%s", (_name, backend, allocate) => {
  beforeAll(() => {
    replaceBackend(backend());
  });
  afterAll(() => {
    replaceBackend(null);
  });

  test.each([1, 15, 16, 17, 2047, 2048, 2049, 4100])("%i elements", (n) => {
    const next = seededNumbers(n);
    for (const [share, top] of [
      [0.5, 1],
      [0, 1],
      [1, 1],
      [0.3, 255],
    ]) {
      const mask = Uint8Array.from({ length: n }, () => (next() < share ? 1 + Math.floor(next() * top) : 0));
      const indices = [...mask.keys()].filter((i) => mask[i] !== 0);
      const masks = line(allocate(mask.buffer), "bool", n);
      for (const dtype of [null, ...dtypeNames.filter(isCompactable)]) {
        const size = dtype === null ? 4 : dtypes[dtype].itemsize;
        const source = Uint8Array.from({ length: n * size }, () => next() * 256);
        const expected =
          dtype === null
            ? [...new Uint8Array(Int32Array.from(indices).buffer)]
            : indices.flatMap((i) => [...source.subarray(i * size, (i + 1) * size)]);
        // One more element shows that nothing is written past the end.
        let out: Operand | undefined;
        compact(masks, dtype === null ? null : line(allocate(source.slice().buffer), dtype, n), (count) => {
          out = line(allocate(new ArrayBuffer((count + 1) * size)), dtype ?? "int32", count + 1);
          return { ...out, shape: [count] };
        });
        expect(bytesOf(out as Operand), `${dtype} ${share}`).toEqual([...expected, ...new Array(size).fill(0)]);
      }
    }
  });
});

test("the kernels keep the rules of the IR", () => {
  for (const byte of ["uint8", "bool"] satisfies ByteType[]) {
    checkKernel(countKernel(byte));
    for (const dtype of [null, "uint8", "int16", "int32", "int64"] as const) checkKernel(compactKernel(dtype, byte));
  }
});
