/** Copies between the heap and memory of the user: one step where runs of elements are long, the same elements in any case. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { dice, storageInHeap, storageOver } from "../../test/support/operands.ts";
import { replaceBackend } from "../kernel/backend.ts";
import { copyElements, lowerCopy } from "../kernel/copy.ts";
import type { Operand } from "../kernel/operand.ts";
import { ProgramBuilder } from "../kernel/program/builder.ts";
import { dtypes } from "../storage/dtype.ts";
import { openBackend } from "./open.ts";

beforeAll(() => {
  replaceBackend(openBackend());
});
afterAll(() => {
  replaceBackend(null);
});

const bytes = 1 << 18;
const noise = new Uint8Array(2 * bytes);
const roll = dice(40);
for (let i = 0; i < noise.length; i++) noise[i] = roll(0, 255);
/** A new buffer of random bytes. */
const filled = (seed: number): ArrayBuffer => noise.slice(seed * 64, seed * 64 + bytes).buffer;
const allocators = { heap: storageInHeap, user: storageOver };

test.each([
  ["user", "heap"],
  ["heap", "user"],
  ["user", "user"],
] as const)("from the %s to the %s, rows of any length and gap are copied bit by bit", (from, to) => {
  for (const dtype of ["uint8", "float16", "float32", "float64", "complex128"] as const)
    for (const columns of [1, 15, 16, 31, 1025, 1031])
      for (let round = 0; round < 4; round++) {
        const { itemsize } = dtypes[dtype];
        const shape = [roll(1, 3), roll(1, 4), columns];
        const operand = (allocate: typeof storageOver, buffer: ArrayBuffer): Operand => {
          const row = columns + roll(0, 3);
          const stride = [(shape[1] as number) * row, round === 3 ? -row : row, 1];
          const offset = roll(0, 7) + (round === 3 ? (shape[1] as number) * row : 0);
          return { storage: allocate(buffer, itemsize * roll(0, 3)), dtype, offset, shape, stride };
        };
        const [source, target] = [operand(allocators[from], filled(round)), operand(allocators[to], filled(round + 9))];
        const expected = elementsOf(target, elementsOf(source));
        copyElements(source, target);
        expect(
          wholeOf(target).every((byte, i) => byte === expected[i]),
          `${dtype} [${shape}]`,
        ).toBe(true);
      }
});

test("a copy of long rows of the user's memory is one step, and one of short rows is not", () => {
  const program = (columns: number): string[] => {
    const builder = new ProgramBuilder();
    const shape = [8, columns];
    const stride = [columns + 1, 1];
    const source: Operand = { storage: storageOver(filled(1)), dtype: "float32", offset: 0, shape, stride };
    lowerCopy(builder, source, { ...source, storage: storageInHeap(filled(2)) });
    return builder.finish().steps.map(({ kind }) => kind);
  };
  expect(program(16)).toEqual(["copy"]);
  expect(program(15)).toContain("launch");
});

const wholeOf = ({ storage }: Operand): Uint8Array => {
  const { first, length } = storage as unknown as { first: number; length: number };
  return storage
    .readable()
    .array("u8")
    .slice(first, first + length);
};

/** The bytes of each element; or all bytes of the operand's memory after these elements are written to it. */
function elementsOf(operand: Operand): Uint8Array[];
function elementsOf(operand: Operand, values: readonly Uint8Array[]): Uint8Array;
function elementsOf(operand: Operand, values?: readonly Uint8Array[]): Uint8Array[] | Uint8Array {
  const { storage, dtype, offset, shape, stride } = operand;
  const { itemsize } = dtypes[dtype];
  const all = wholeOf(operand);
  const start = storage.byteOffset - (storage as unknown as { first: number }).first;
  const elements: Uint8Array[] = [];
  for (let i = 0; i < (shape[0] as number); i++)
    for (let j = 0; j < (shape[1] as number); j++)
      for (let k = 0; k < (shape[2] as number); k++) {
        const at = offset + i * (stride[0] as number) + j * (stride[1] as number) + k * (stride[2] as number);
        const [low, high] = [start + at * itemsize, start + (at + 1) * itemsize];
        if (values === undefined) elements.push(all.slice(low, high));
        else all.set(values[elements.push(all) - 1] as Uint8Array, low);
      }
  return values === undefined ? elements : all;
}
