/**
 * The sort kernel against the definition of the order, on each backend, in memory of the library and of the user: every dtype, ties, digits that
 * all elements share, several rows.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { storageInHeap, storageOver } from "../../test/support/operands.ts";
import { kindNames, randomValues, sortedPositions } from "../../test/support/value-rows.ts";
import { type KernelBackend, replaceBackend } from "../kernel/backend.ts";
import { checkKernel } from "../kernel/ir/verify.ts";
import type { ElementStorage, Operand } from "../kernel/operand.ts";
import { execute } from "../kernel/program/run-program.ts";
import { lowerSort, sortKernel } from "../kernel/sort.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import { openBackend } from "./open.ts";
import { referenceBackend } from "./reference/backend.ts";

type Allocate = (buffer: ArrayBuffer, byteOffset?: number) => ElementStorage;
const runs: readonly (readonly [name: string, backend: () => KernelBackend, allocate: Allocate])[] = [
  ["reference, memory of the user's", referenceBackend, storageOver],
  ["WebAssembly, the heap", openBackend, storageInHeap],
  ["WebAssembly, memory of the user's", openBackend, storageOver],
];
const [rows, n] = [3, 150];

/** A matrix of rows x n elements. */
const matrix = (storage: ElementStorage, dtype: DType): Operand => ({
  storage,
  dtype,
  offset: 0,
  shape: [rows, n],
  stride: [n, 1],
});

const elementsOf = ({ storage, dtype }: Operand): (number | bigint)[] => {
  const { array, itemsize } = dtypes[dtype];
  const first = storage.byteOffset / itemsize;
  return [
    ...(storage
      .readable()
      .array(array)
      .subarray(first, first + rows * n) as Float64Array),
  ];
};

describe.each(runs)("%s", (_name, backend, allocate) => {
  beforeAll(() => {
    replaceBackend(backend());
  });
  afterAll(() => {
    replaceBackend(null);
  });

  test.each(kindNames)("%s", (kind) => {
    for (const [few, descending] of [
      [false, false],
      [false, true],
      [true, false],
      [true, true],
    ] as const) {
      const values = randomValues(kind, rows * n, few, 7);
      const dtype = kind as DType;
      const from = matrix(allocate(values.slice().buffer as ArrayBuffer), dtype);
      const positions = Array.from({ length: rows }, (_, r) =>
        sortedPositions([...(values.subarray(r * n, (r + 1) * n) as Float64Array)], descending),
      );
      const indices = matrix(allocate(new ArrayBuffer(4 * rows * n)), "int32");
      execute([indices], [from], (builder) => lowerSort(builder, "indices", from, indices, descending));
      expect(elementsOf(indices), `indices ${few} ${descending}`).toEqual(positions.flat());
      // Into the same memory; the order of zeros of both signs is that of numbers.
      execute([from], [from], (builder) => lowerSort(builder, "values", from, from, descending));
      const expected = positions.flatMap((list, r) => list.map((i) => values[r * n + i] as number));
      const plain = (list: readonly (number | bigint)[]) => list.map((value) => (value === 0 ? 0 : value));
      expect(plain(elementsOf(from)), `values ${few} ${descending}`).toEqual(plain(expected));
    }
  });

  test("zeros of both signs", () => {
    const values = new Float32Array(rows * n).map((_, i) => (i % 2 === 0 ? 0 : -0));
    const from = matrix(allocate(values.buffer), "float32");
    execute([from], [from], (builder) => lowerSort(builder, "values", from, from));
    const sorted = elementsOf(from).slice(0, n);
    expect(sorted.map((value) => Object.is(value, -0))).toEqual(sorted.map((_, i) => i < n / 2));
  });
});

test("the kernels keep the rules of the IR", () => {
  for (const dtype of [...kindNames, "bool"] as DType[])
    for (const descending of [false, true])
      for (const sorted of ["values", "indices"] as const) checkKernel(sortKernel(sorted, dtype, descending));
});
