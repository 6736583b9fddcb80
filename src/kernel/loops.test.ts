/**
 * The loops against a naive nested loop, on random shapes, strides (negative, 0, gaps), offsets and dtypes, in one buffer and
 * in two. The whole buffer is compared, so a stray write is seen too.
 */
import { describe, expect, test } from "vitest";
import { type DType, dtypeNames, dtypes, type TypedArray, type Value } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import { reader, writer } from "./element.ts";
import { copyElements, type ElementStorage, fillElements, mapElements, type Operand, visitElements } from "./loops.ts";
import { type Windows, windowsOver } from "./windows.ts";

/** A small seeded generator (mulberry32): an integer from low to high. */
function dice(seed: number): (low: number, high: number) => number {
  let state = seed;
  return (low, high) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), 61 | bits);
    return low + (((bits ^ (bits >>> 14)) >>> 0) % (high - low + 1));
  };
}
type Dice = ReturnType<typeof dice>;

/** A storage over a part of a buffer. */
function storageOver(buffer: ArrayBuffer, byteOffset = 0): ElementStorage {
  const cache = new Map<string, TypedArray>();
  const windows = windowsOver(buffer);
  const memory: Windows = {
    buffer,
    array(kind) {
      const window = cache.get(kind) ?? windows.array(kind);
      cache.set(kind, window);
      return window;
    },
  };
  return { readable: () => memory, writable: () => memory, byteOffset };
}

const capacity = 8192;
const startByte = 64;

/** A buffer of random bytes, bools that are neither 0 nor 1 among them. */
function randomBuffer(roll: Dice): ArrayBuffer {
  const words = new Int32Array(capacity / 4);
  for (let i = 0; i < words.length; i++) words[i] = roll(0, 2 ** 32 - 1);
  return words.buffer;
}

/** The same without a NaN in any float format, because a NaN may change its bits when it passes through a number. */
function bufferWithoutNaN(roll: Dice): ArrayBuffer {
  const bytes = new Uint8Array(randomBuffer(roll));
  for (let i = 1; i < capacity; i += 2) bytes[i] = ((bytes[i] as number) & 0x80) | (0x3f + ((bytes[i] as number) & 3));
  return bytes.buffer;
}

/** Strides for a shape: a permutation of dense axes with gaps, some turned, some 0 if allowed. */
function randomStrides(roll: Dice, shape: readonly number[], mayRepeat: boolean): { stride: number[]; low: number } {
  const order = shape.map((_, axis) => axis);
  for (let i = order.length - 1; i > 0; i--) {
    const j = roll(0, i);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  const stride = shape.map(() => 0);
  let step = roll(0, 3) === 0 ? 2 : 1;
  let low = 0;
  for (const axis of order) {
    const size = shape[axis] as number;
    if (mayRepeat && roll(0, 5) === 0) continue;
    const sign = roll(0, 3) === 0 ? -1 : 1;
    stride[axis] = sign * step;
    if (sign < 0) low += (size - 1) * step;
    step *= size + (roll(0, 3) === 0 ? 1 : 0);
  }
  return { stride, low };
}

function randomShape(roll: Dice): number[] {
  const rank = roll(0, 4);
  return Array.from({ length: rank }, () => (roll(0, 30) === 0 ? 0 : roll(1, rank > 2 ? 3 : 9)));
}

function randomOperand(
  roll: Dice,
  storage: ElementStorage,
  dtype: DType,
  shape: number[],
  mayRepeat: boolean,
): Operand {
  const { stride, low } = randomStrides(roll, shape, mayRepeat);
  return { storage, dtype, offset: low + roll(0, 5), shape, stride };
}

/** The element numbers of an operand in row-major order, by nested loops. */
function positions(operand: Operand): number[] {
  let found = [operand.storage.byteOffset / dtypes[operand.dtype].itemsize + operand.offset];
  operand.shape.forEach((size, axis) => {
    found = found.flatMap((at) => Array.from({ length: size }, (_, i) => at + i * (operand.stride[axis] as number)));
  });
  return found;
}

const exact = (operand: Operand): Value[] => {
  const window = operand.storage.readable().array(dtypes[operand.dtype].array);
  return positions(operand).map((at) => reader(operand.dtype, "bigint")(window, at));
};

/** Writes values one by one, then gives all bytes and restores the old ones. */
function expectedBytes(to: Operand, values: readonly Value[]): Uint8Array {
  const bytes = to.storage.writable().array("u8") as Uint8Array;
  const before = bytes.slice();
  const window = to.storage.writable().array(dtypes[to.dtype].array);
  positions(to).forEach((at, i) => {
    writer(to.dtype)(window, at, values[i] as Value);
  });
  const after = bytes.slice();
  bytes.set(before);
  return after;
}

const bytesOf = (operand: Operand): Uint8Array => (operand.storage.readable().array("u8") as Uint8Array).slice();
const describeOperand = ({ dtype, offset, shape, stride }: Operand): string =>
  `${dtype} [${shape}]:[${stride}] at ${offset}`;

/** Equal bytes, reported as the first difference: a diff of thousands of bytes helps nobody. */
function expectBytes(got: Uint8Array, expected: Uint8Array, what: string): void {
  for (let i = 0; i < expected.length; i++)
    if (got[i] !== expected[i]) expect({ byte: i, is: got[i] }, what).toEqual({ byte: i, is: expected[i] });
}

describe("copyElements", () => {
  test.each(dtypeNames)("from %s to every dtype equals the naive loop", (fromType) => {
    const roll = dice(fromType.length * 7 + fromType.charCodeAt(1));
    for (const toType of dtypeNames)
      for (let round = 0; round < 12; round++) {
        const shape = randomShape(roll);
        const from = randomOperand(roll, storageOver(bufferWithoutNaN(roll), startByte), fromType, shape, true);
        const to = randomOperand(roll, storageOver(bufferWithoutNaN(roll), startByte), toType, shape, false);
        if (fromType === toType) continue;
        const expected = expectedBytes(to, exact(from));
        copyElements(from, to);
        expectBytes(bytesOf(to), expected, `${describeOperand(from)} -> ${describeOperand(to)}`);
      }
  });

  test.each(dtypeNames.filter((name) => dtypes[name].category !== "complex"))(
    "to %s converts what has no counterpart there as a single write does, in long rows and in steps",
    (toType) => {
      const awkward = [Number.NaN, Infinity, -Infinity, 1e300, -1e300, 300.9, -300.9, 2 ** 31, -(2 ** 40), -0, 0.5];
      const source = storageOver(
        new Float64Array(Array.from({ length: 80 }, (_, i) => awkward[i % 11] as number)).buffer,
      );
      for (const [size, step] of [
        [80, 1],
        [40, 2],
      ] as const) {
        const from: Operand = { storage: source, dtype: "float64", offset: 0, shape: [size], stride: [step] };
        const target = { storage: storageOver(new ArrayBuffer(640)), dtype: toType, offset: 0 };
        const to: Operand = { ...target, shape: [size], stride: [step] };
        copyElements(from, to);
        const written: Operand = { ...to, storage: storageOver(new ArrayBuffer(640)) };
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
      const from = randomOperand(roll, storageOver(randomBuffer(roll), startByte), dtype, shape, true);
      const to = randomOperand(roll, storageOver(randomBuffer(roll), startByte), dtype, shape, false);
      const { itemsize } = dtypes[dtype];
      const source = bytesOf(from);
      const expected = bytesOf(to);
      const starts = positions(from);
      positions(to).forEach((at, i) => {
        const start = (starts[i] as number) * itemsize;
        expected.set(source.subarray(start, start + itemsize), at * itemsize);
      });
      copyElements(from, to);
      expectBytes(bytesOf(to), expected, `${describeOperand(from)} -> ${describeOperand(to)}`);
    }
  });

  test("within one buffer acts as if the source had been copied away first", () => {
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
      const storage = storageOver(buffer, startByte);
      const from = randomOperand(roll, storage, fromType, shape, true);
      // Often the very same place, so that copying in place is met too.
      const to: Operand =
        roll(0, 3) === 0 && !from.stride.includes(0)
          ? { ...from, dtype: toType, storage: roll(0, 1) ? storage : storageOver(buffer, startByte) }
          : randomOperand(roll, roll(0, 1) ? storage : storageOver(buffer, startByte), toType, shape, false);
      const expected = expectedBytes(to, exact(from));
      copyElements(from, to);
      expectBytes(bytesOf(to), expected, `${describeOperand(from)} -> ${describeOperand(to)}`);
    }
  });

  test("asks for the target before it looks where anything lies", () => {
    const calls: string[] = [];
    const watched = (name: string): ElementStorage => {
      const storage = storageOver(new ArrayBuffer(64));
      return {
        readable() {
          calls.push(`read ${name}`);
          return storage.readable();
        },
        writable() {
          calls.push(`write ${name}`);
          return storage.writable();
        },
        get byteOffset() {
          calls.push(`locate ${name}`);
          return 0;
        },
      };
    };
    const part = { dtype: "int32", offset: 0, shape: [2], stride: [1] } as const;
    copyElements({ storage: watched("from"), ...part }, { storage: watched("to"), ...part });
    expect(calls).toEqual(["write to", "read from", "locate to", "locate from"]);
  });
});

test.each(dtypeNames)("fillElements of %s equals the naive loop", (dtype) => {
  const roll = dice(17 + dtype.length);
  const values: Value[] = [0, 1, -1.5, 300.75, true, 2n ** 60n + 1n, { re: 1.25, im: -2 }, -0];
  for (let round = 0; round < 80; round++) {
    const shape = round % 7 === 0 ? [40] : randomShape(roll);
    const to = randomOperand(roll, storageOver(randomBuffer(roll), startByte), dtype, shape, true);
    const value = values[roll(0, values.length - 1)] as Value;
    const expected = expectedBytes(
      to,
      positions(to).map(() => value),
    );
    fillElements(to, value);
    expectBytes(bytesOf(to), expected, `${describeOperand(to)} with ${String(value)}`);
  }
});

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

  test("goes on when the body makes the memory grow and so ends its windows", () => {
    const heap = new WebAssembly.Memory({ initial: 1, maximum: 8 });
    const memory: Windows = {
      get buffer() {
        return heap.buffer;
      },
      array: (kind) => windowsOver(heap.buffer as ArrayBuffer).array(kind),
    };
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

  test("gives 64-bit integers as bigints when asked, and refuses to round them when not", () => {
    const storage = storageOver(new BigInt64Array([2n ** 60n + 1n, 0n]).buffer);
    const source: Operand = { storage, dtype: "int64", offset: 0, shape: [], stride: [] };
    const target: Operand = { ...source, offset: 1 };
    mapElements(target, [source], (x) => (x as bigint) + 1n, "bigint");
    expect(exact(target)).toEqual([2n ** 60n + 2n]);
    expect(() => mapElements(target, [source], (x) => x)).toThrow(RangeError);
  });
});

test.each(dtypeNames)("visitElements of %s shows every element in row-major order", (dtype) => {
  const roll = dice(31 + dtype.length);
  for (let round = 0; round < 40; round++) {
    const from = randomOperand(roll, storageOver(randomBuffer(roll), startByte), dtype, randomShape(roll), true);
    const seen: [Value, number][] = [];
    visitElements(from, (value, index) => seen.push([value, index]), "bigint");
    expect(seen).toEqual(exact(from).map((value, index) => [value, index]));
  }
});

test("over real storages, a copy into a lazy clone leaves the original alone, and one within a storage moves as a whole", () => {
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
