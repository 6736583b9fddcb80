/**
 * Gathering and scattering of random operands against a naive loop, on each backend, in memory of the library and of
 * the user. The whole buffer is compared, so stray writes are detected too.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bytesOf,
  type Dice,
  describeOperand,
  dice,
  expectBytes,
  positions,
  randomBuffer,
  randomOperand,
  startByte,
  storageInHeap,
  storageOver,
} from "../../test/support/operands.ts";
import { type KernelBackend, replaceBackend } from "../kernel/backend.ts";
import { reader, writer } from "../kernel/element.ts";
import { verifyKernel } from "../kernel/ir/verify.ts";
import type { ElementStorage, Operand } from "../kernel/operand.ts";
import { type IndexedMove, indexedKernel, moveIndexed } from "../kernel/scatter.ts";
import { type DType, dtypeNames, dtypes, type Value } from "../storage/dtype.ts";
import { openBackend } from "./open.ts";
import { referenceBackend } from "./reference/backend.ts";

type Allocate = (buffer: ArrayBuffer, byteOffset?: number) => ElementStorage;

const runs: readonly (readonly [name: string, backend: () => KernelBackend, allocate: Allocate])[] = [
  ["reference, memory of the user's", referenceBackend, storageOver],
  ["WebAssembly, the heap", openBackend, storageInHeap],
  ["WebAssembly, memory of the user's", openBackend, storageOver],
];

const numberOf = (value: Value): number => (typeof value === "object" ? value.re : Number(value));

/** fn of small numbers; of bools, or and and. */
const combine: Readonly<Record<IndexedMove, (a: number, b: number) => number>> = {
  take: (_, b) => b,
  set: (_, b) => b,
  add: (a, b) => a + b,
  mul: (a, b) => a * b,
  max: Math.max,
  min: Math.min,
};

function write(operand: Operand, at: number, value: number): void {
  const window = operand.storage.writable().array(dtypes[operand.dtype].array);
  const { category } = dtypes[operand.dtype];
  writer(operand.dtype)(
    window,
    at,
    category === "complex" ? { re: value, im: 0 } : category === "bool" ? value > 0 : value,
  );
}

function read(operand: Operand, at: number): number {
  const window = operand.storage.readable().array(dtypes[operand.dtype].array);
  return numberOf(reader(operand.dtype)(window, at));
}

interface Case {
  readonly whole: Operand;
  readonly near: Operand;
  readonly index: Operand;
  readonly axis: number;
  readonly length: number;
}

/** Operands with small numbers in them, and indices in range. */
function randomCase(roll: Dice, allocate: Allocate, dtype: DType, isWritten: boolean): Case {
  const rank = roll(1, 3);
  const shape = Array.from({ length: rank }, () => roll(1, 5));
  const axis = roll(0, rank - 1);
  const length = roll(1, 6);
  const at = (): ElementStorage => allocate(randomBuffer(roll), startByte);
  const whole = randomOperand(roll, at(), dtype, shape.with(axis, length), !isWritten);
  const near = randomOperand(roll, at(), dtype, shape, isWritten);
  const index = randomOperand(roll, at(), roll(0, 1) === 0 ? "int64" : "int32", shape, true);
  for (const operand of [whole, near])
    for (const offset of positions(operand)) write(operand, offset, dtype === "bool" ? roll(0, 1) : roll(1, 2));
  for (const offset of positions(index)) write(index, offset, roll(0, length - 1));
  return { whole, near, index, axis, length };
}

/** The offset in the whole operand of each element of near. */
function offsetsWritten({ whole, near, index, axis }: Case): number[] {
  const indices = positions(index);
  const step = whole.stride[axis] as number;
  const row = { ...whole, shape: near.shape, stride: whole.stride.with(axis, 0) };
  return positions(row).map((at, i) => at + step * read(index, indices[i] as number));
}

describe.each(runs)("%s", (_name, backend, allocate) => {
  beforeAll(() => {
    replaceBackend(backend());
  });
  afterAll(() => {
    replaceBackend(null);
  });

  test.each(dtypeNames)("every element of %s goes to its index", (dtype) => {
    const roll = dice(dtype.length * 31 + dtype.charCodeAt(0));
    const isComplex = dtypes[dtype].category === "complex";
    const moves = (Object.keys(combine) as IndexedMove[]).filter(
      (move) => !isComplex || (move !== "max" && move !== "min"),
    );
    for (const move of moves)
      for (let round = 0; round < 8; round++) {
        const isTake = move === "take";
        const all = randomCase(roll, allocate, dtype, !isTake);
        const { whole, near, index, axis, length } = all;
        const what = `${move} ${describeOperand(whole)} axis ${axis} | ${describeOperand(near)} | ${describeOperand(index)}`;
        const [reached, own] = [offsetsWritten(all), positions(near)];
        const [written, from] = isTake ? [near, whole] : [whole, near];
        const [targets, sources] = isTake ? [own, reached] : [reached, own];
        const before = bytesOf(written);
        // What stands in the target after each element in turn; where several are set, any of them may stay.
        const values = new Map<number, number>();
        const candidates = new Map<number, number[]>();
        targets.forEach((target, i) => {
          const value = read(from, sources[i] as number);
          const now = values.get(target) ?? read(written, target);
          const next = combine[move](now, value);
          values.set(target, dtype === "bool" ? Math.min(next, 1) : next);
          candidates.set(target, [...(candidates.get(target) ?? []), value]);
        });
        moveIndexed(
          move,
          {
            ...whole,
            shape: near.shape,
            stride: whole.stride.with(axis, 0),
            step: whole.stride[axis] as number,
            length,
          },
          near,
          index,
        );
        for (const [target, value] of values) {
          const got = read(written, target);
          if (move === "set") expect(candidates.get(target), what).toContain(got);
          else expect(got, what).toBe(value);
        }
        // Everything else is as it was.
        for (const target of values.keys()) write(written, target, 1);
        const cleaned = bytesOf(written);
        written.storage.writable().array("u8").set(before, firstOf(written));
        for (const target of values.keys()) write(written, target, 1);
        expectBytes(cleaned, bytesOf(written), what);
      }
  });
});

/** The first of the compared bytes. */
const firstOf = ({ storage }: Operand): number => (storage as ElementStorage & { readonly first: number }).first;

test("the kernels keep the rules of the IR", () => {
  for (const move of Object.keys(combine) as IndexedMove[])
    for (let classes = 0; classes < 27; classes++) {
      const [a, b, c] = [classes % 3, Math.floor(classes / 3) % 3, Math.floor(classes / 9)] as [number, number, number];
      const kernel = indexedKernel(move, "float32", "int64", a + 4 * b + 16 * c);
      expect(
        verifyKernel(kernel).filter(({ level }) => level === "error"),
        kernel.name,
      ).toEqual([]);
    }
});
