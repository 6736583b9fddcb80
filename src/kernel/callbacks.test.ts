/** Loops that call a function, compared with naive nested loops on random operands. */
import { describe, expect, test } from "vitest";
import {
  bytesOf,
  describeOperand,
  dice,
  exact,
  expectBytes,
  expectedBytes,
  positions,
  randomBuffer,
  randomOperand,
  randomShape,
  startByte,
  storageOver,
} from "../../test/support/operands.ts";
import { OverflowError } from "../base/errors.ts";
import { type DType, dtypeNames, type Value } from "../storage/dtype.ts";
import type { Memory } from "../storage/memory.ts";
import { BufferMemory } from "../storage/memory.ts";
import { mapElements, visitElements } from "./callbacks.ts";
import type { ElementStorage, Operand } from "./operand.ts";

describe("mapElements", () => {
  test.each([0, 1, 2, 3, 4])("of %d operands equals the naive loop, in row-major order", (arity) => {
    const roll = dice(23 + arity);
    const types: DType[] = ["float32", "int16", "float64", "uint8", "bfloat16"];
    for (let round = 0; round < 60; round++) {
      const shape = randomShape(roll);
      const from = Array.from({ length: arity }, (_, k) =>
        randomOperand(roll, storageOver(randomBuffer(roll), startByte), types[k] as DType, shape, true),
      );
      const to = randomOperand(roll, storageOver(randomBuffer(roll), startByte), "float64", shape, false);
      const columns = from.map(exact);
      const seen: Value[][] = [];
      const answers = positions(to).map((_, i) => i * 10 + arity);
      const expected = expectedBytes(to, answers);
      mapElements(to, from, (...values) => seen.push(values) * 10 - 10 + arity);
      expect(seen).toEqual(answers.map((_, i) => columns.map((column) => column[i])));
      expectBytes(bytesOf(to), expected, describeOperand(to));
    }
  });

  test("works in place", () => {
    const storage = storageOver(new Float32Array([1, 2, 3, 4]).buffer);
    const part: Operand = { storage, dtype: "float32", offset: 3, shape: [4], stride: [-1] };
    mapElements(part, [part], (x) => (x as number) ** 2);
    expect(exact(part)).toEqual([16, 9, 4, 1]);
  });

  test("continues when the body grows the memory and detaches its typed arrays", () => {
    const heap = new WebAssembly.Memory({ initial: 1, maximum: 8 });
    const memory = {
      get buffer() {
        return heap.buffer;
      },
      array: (kind: never) => new BufferMemory("overflow", heap.buffer as ArrayBuffer).array(kind),
    } as unknown as Memory;
    const storage: ElementStorage = { readable: () => memory, writable: () => memory, byteOffset: 0 };
    const part = (offset: number): Operand => ({ storage, dtype: "int32", offset, shape: [6], stride: [1] });
    mapElements(part(0), [], () => 5);
    let calls = 0;
    mapElements(part(8), [part(0)], (x) => {
      if (calls++ % 2 === 0) heap.grow(1);
      return (x as number) + calls;
    });
    expect(exact(part(8))).toEqual([6, 7, 8, 9, 10, 11]);
    const seen: Value[] = [];
    visitElements(part(8), (value) => {
      if (seen.push(value) === 2) heap.grow(1);
    });
    expect(seen).toEqual([6, 7, 8, 9, 10, 11]);
  });

  test("passes 64-bit integers as bigints on request, and otherwise throws instead of rounding", () => {
    const storage = storageOver(new BigInt64Array([2n ** 60n + 1n, 0n]).buffer);
    const source: Operand = { storage, dtype: "int64", offset: 0, shape: [], stride: [] };
    const target: Operand = { ...source, offset: 1 };
    mapElements(target, [source], (x) => (x as bigint) + 1n, "bigint");
    expect(exact(target)).toEqual([2n ** 60n + 2n]);
    expect(() => mapElements(target, [source], (x) => x)).toThrow(OverflowError);
  });
});

test.each(dtypeNames)("visitElements of %s visits every element in row-major order", (dtype) => {
  const roll = dice(31 + dtype.length);
  for (let round = 0; round < 40; round++) {
    const from = randomOperand(roll, storageOver(randomBuffer(roll), startByte), dtype, randomShape(roll), true);
    const seen: [Value, number][] = [];
    visitElements(from, (value, index) => seen.push([value, index]), "bigint");
    expect(seen).toEqual(exact(from).map((value, index) => [value, index]));
  }
});
